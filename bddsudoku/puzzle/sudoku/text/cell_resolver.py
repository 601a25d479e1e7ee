"""Interpreter of the texts of n² cells as a puzzle, used for all forms of input.

The text of a cell is a symbol, a number (on boards of 10×10 and more), empty (an open cell), or
the cell's candidates ("pencil marks"):

* n symbols, each digit in its place or replaced by an open-cell symbol: ``1..4.....`` is a cell of
  a 9×9 board with the candidates 1 and 4;
* ascending digits in braces (``{1567}``, ``{}`` for none) or bare (``1567``), as solvers print
  them. Bare candidates are recognised on boards below 10×10, when at least two cells have several
  and no cell is blank.

A grid whose symbols mark regions of cells is a map of regions, which is refused as a puzzle.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import (
    LARGEST,
    SMALLEST,
    SYMBOLS,
    Layout,
    cell_name,
    has_default_blocks,
)
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    Alphabet,
    adding_error_place,
    choose_alphabet,
    make_alphabet,
    refuse_ambiguous_zero,
    show_symbol,
    token_digit,
    usual_layout,
)

_BRACED = re.compile(r"\{([0-9A-Za-z]*)\}")
_SIDE_OF_CUBE = {n**3: n for n in range(SMALLEST, LARGEST + 1)}
_SMALLEST_CELLS = 6
"""Least side at which digits hardly stand in their own columns by accident."""
_WHERE = "the blocks of a jigsaw stand in a line 'regions ' and these symbols, below the board"


class RegionMapError(PuzzleFormatError):
    """Error: a map of regions, probably of the board above, where a puzzle was expected."""


@dataclass(frozen=True)
class CellResolver:
    """Interpreter of the texts of cells for a requested layout and requested symbols, if any."""

    layout: Layout | None = None
    convention: str | None = None

    def allows_side(self, n: int) -> bool:
        """Whether n is the side of the requested layout or, without one, n has usual blocks."""
        return has_default_blocks(n) if self.layout is None else n == self.layout.n

    def side_from_cells(self, cell_count: int) -> int:
        """The side of the board that has a number of cells; 0 if there is no such board."""
        n = isqrt(cell_count) if self.layout is None else self.layout.n
        return n if n * n == cell_count and self.allows_side(n) else 0

    def side_from_candidates(self, symbols: str) -> int:
        """Return the side n of the board if n³ symbols may be its candidates; otherwise 0.

        Without a layout 64 symbols are an 8×8 board, unless they can only be candidates: each
        digit in its place, and as often as a solution of a 4×4 board needs it.
        """
        if self.layout is not None:
            return self.layout.n if len(symbols) == self.layout.n**3 else 0
        n = _SIDE_OF_CUBE.get(len(symbols), 0)
        return 0 if n == 4 and not are_complete_positional_candidates(symbols, n) else n

    def default_layout(self, n: int) -> Layout:
        """The layout of a board of side n whose text shows no blocks."""
        return self.layout or usual_layout(n)

    def make_puzzle(
        self, cells: Sequence[str], lines: Sequence[int], layout: Layout | None = None
    ) -> Puzzle:
        """Make a puzzle from the texts of its n² cells; ``lines`` are their line numbers."""
        n = isqrt(len(cells))
        layout = layout or self.default_layout(n)
        with adding_error_place(line=lines[0]):
            if layout.is_plain:
                return self._puzzle(cells, lines, n, layout)
            return self._shaped_puzzle(cells, lines, layout)

    def _puzzle(self, cells: Sequence[str], lines: Sequence[int], n: int, layout: Layout) -> Puzzle:
        """Make a puzzle of side n from the texts of its cells; errors may lack a line number."""
        is_packed = max(map(len, cells)) <= 1
        if not is_packed and are_candidate_lists(cells, n):
            if all(len(cell) == n for cell in cells):
                return self.puzzle_from_candidates("".join(cells), lines[0], layout)
            return Puzzle.from_masks(self._cell_masks(cells, lines, layout), layout)
        refuse_region_map(cells, n)
        if is_packed:
            symbols = "".join([c or "." for c in cells])
            if n >= _SMALLEST_CELLS and are_row_candidates(symbols, n):
                raise PuzzleFormatError(
                    "every digit stands in its own column: these look like the candidates of "
                    f"{n} cells; a {n}x{n} board and its candidates are {n**3} symbols on one line"
                )
            letters = choose_alphabet(symbols, n, self.convention)
            return _puzzle_from_symbols(symbols, lines, letters, layout)
        found: list[int] = []
        for cell, token in enumerate(cells):
            value = token_digit(token or ".", n)
            if value is None:
                what = f"a number 1 to {n}" if n >= 10 else f"one symbol 1-{n}"
                raise PuzzleFormatError(
                    f"expected {what} or an open cell (. 0 _ * -), found {show_symbol(token)}",
                    line=lines[cell],
                    cell=cell_name(cell, n),
                )
            found.append(value)
        if n >= 10:
            present = {
                str(value) if value else (token or ".")[0].upper()
                for token, value in zip(cells, found, strict=True)
            }
            refuse_ambiguous_zero(present, str(n), n)
        return Puzzle.trusted(tuple(found), layout)

    def _shaped_puzzle(self, cells: Sequence[str], lines: Sequence[int], layout: Layout) -> Puzzle:
        """Make a puzzle of unusual shape or digits from the symbol or candidates of each cell."""
        if max(map(len, cells)) > 1:
            return Puzzle.from_masks(self._cell_masks(cells, lines, layout), layout)
        symbols = "".join([c or "." for c in cells])
        return _puzzle_from_symbols(symbols, lines, self._alphabet(layout), layout)

    def _alphabet(self, layout: Layout) -> Alphabet:
        """The alphabet of a board: the requested symbols or, by default, those of its layout."""
        symbols = self.convention or (None if layout.is_usual else layout.symbols)
        return make_alphabet(layout.digit_count, symbols)

    def puzzle_from_candidates(self, symbols: str, line: int, layout: Layout) -> Puzzle:
        """Make a puzzle from n³ symbols, n for each cell: in place d stands d or a blank."""
        n = layout.digit_count
        table = self._alphabet(layout).table
        masks = [0] * layout.cell_count
        for at, symbol in enumerate(symbols):
            cell, place = divmod(at, n)
            digit = table[ord(symbol)] if symbol.isascii() else -1
            if digit not in (0, place + 1):
                size = f"{layout.row_count}x{layout.column_count}"
                raise PuzzleFormatError(
                    f"expected {layout.symbols[place]} or . in place {place + 1} of the cell's {n} "
                    f"candidates, found {show_symbol(symbol)} "
                    f"({size}x{n} symbols are the candidates of "
                    f"a {size} board)",
                    line=line,
                    cell=layout.cell_name(cell),
                )
            masks[cell] |= bool(digit) << place
        return Puzzle.from_masks(masks, layout)

    def _cell_masks(self, cells: Sequence[str], lines: Sequence[int], layout: Layout) -> list[int]:
        """Read the candidates that each of n² cells lists, as masks."""
        n, table = layout.digit_count, self._alphabet(layout).table
        masks = []
        for cell, token in enumerate(cells):
            braced = _BRACED.fullmatch(token)
            symbols = braced[1] if braced else token
            digits = {table[ord(s)] if s.isascii() else 0 for s in symbols}
            if len(token) > 1 and token.isdigit() and layout.values[-1] >= 10:
                digits = {int(token[:3]) - layout.values[0] + 1}  # a number
            if not layout.is_plain and digits == {0} and not braced:
                digits = {*range(1, n + 1)}
            if not digits <= {*range(1, n + 1)}:
                raise PuzzleFormatError(
                    f"expected candidates {layout.symbols[0]}-{layout.symbols[-1]}"
                    f"{' in braces or a number' * (layout.values[-1] >= 10)}, "
                    f"found {show_symbol(token)}",
                    line=lines[cell],
                    cell=layout.cell_name(cell),
                )
            masks.append(sum(1 << (d - 1) for d in digits))
        return masks


def _puzzle_from_symbols(
    symbols: str, lines: Sequence[int], alphabet: Alphabet, layout: Layout
) -> Puzzle:
    """Make a puzzle from one symbol per cell; ``lines`` has the line number of each symbol."""
    digits = alphabet.digits(symbols)
    if digits is None:
        raise alphabet.unknown_symbol_error(symbols, lines, layout.column_count)
    return Puzzle.trusted(tuple(digits), layout)


# Candidates


def are_positional_candidates(symbols: str, n: int) -> bool:
    """Whether the d-th symbol of every group of n is the digit d or a blank."""
    return all(s in BLANKS or s == SYMBOLS[at % n] for at, s in enumerate(symbols))


def are_complete_positional_candidates(symbols: str, n: int) -> bool:
    """Whether the d-th of every n symbols is d or a blank, with n or more of each digit."""
    return are_positional_candidates(symbols, n) and all(symbols.count(s) >= n for s in SYMBOLS[:n])


def are_row_candidates(symbols: str, n: int) -> bool:
    """Whether n² symbols seem to be the candidates of a row of n cells and not n² cells."""
    return (
        are_positional_candidates(symbols, n)
        and all({*symbols[row : row + n]} - {*BLANKS} for row in range(0, n * n, n))
        and any(sum(s not in BLANKS for s in symbols[column::n]) > 1 for column in range(n))
    )


def _is_ascending(token: str, n: int) -> bool:
    """Whether a token is two or more ascending digits, each at most n and at most 9."""
    return (
        len(token) > 1
        and {*token} <= {*SYMBOLS[: min(n, 9)]}
        and all(a < b for a, b in pairwise(token))
    )


def may_be_candidate_lists(tokens: Sequence[str], n: int, fewest: int = 2) -> bool:
    """Whether the tokens of some cells seem to be lists of candidates, such as 159.

    They are in braces, or at least ``fewest`` of them have several digits.
    """
    if any(t.startswith("{") for t in tokens):
        return all(t.startswith("{") or len(t) == 1 for t in tokens)
    several = sum(_is_ascending(t, n) for t in tokens)
    return (
        n < 10
        and several >= fewest
        and all(t in SYMBOLS[:n] or _is_ascending(t, n) for t in tokens)
    )


def are_candidate_lists(tokens: Sequence[str], n: int) -> bool:
    """Whether the n² tokens of a whole board are lists of candidates of its cells."""
    if any(t.startswith("{") and len(t) > 1 for t in tokens):
        return all(
            _BRACED.fullmatch(t) or len(t) == 1 or (n < 10 and _is_ascending(t, n)) for t in tokens
        )
    if all(len(t) == n for t in tokens):
        # rows of a larger board, cut at its blocks, do not have every digit n times in its places
        return are_complete_positional_candidates("".join(tokens), n)
    return all(tokens) and may_be_candidate_lists(tokens, n)


# Maps of regions


def refuse_region_map(cells: Sequence[str], n: int, has_board_above: bool = False) -> None:
    """Raise an error if n² cells are a map of n regions rather than a board.

    In a map, each of n symbols fills n cells, in about n connected areas: a puzzle with a solution
    has more. Below a board of the same side (``has_board_above``) some cells may be wrong.
    """
    if len(cells) != n * n or not (has_board_above or cells.count(cells[0]) == n):
        return
    sizes = Counter(cells)
    wrong = {symbol: size for symbol, size in sizes.items() if size != n}
    if wrong and not has_board_above:
        return
    if not -1 <= len(sizes) - n <= 1 or _count_areas(cells, n) > n + n // 3:
        return
    if not wrong:
        raise RegionMapError(
            f"a map of {n} regions, not a puzzle (each of {n} symbols fills {n} cells that touch); "
            + _WHERE
        )
    faults = [
        f"that of {'the open cells' if symbol == '.' else symbol} has {size}"
        for symbol, size in sorted(wrong.items())
    ]
    raise RegionMapError(
        "this looks like a map of the regions of the board above, not like a puzzle; a region has "
        f"{n} cells, {', '.join(faults[:2])}; {_WHERE}"
    )


def _count_areas(cells: Sequence[str], n: int) -> int:
    """The number of connected areas of equal cells."""
    left = {*range(n * n)}
    areas = 0
    while left:
        areas += 1
        reached = [left.pop()]
        while reached:
            at = reached.pop()
            beside = (at - n, at + n, at - (at % n > 0), at + (at % n < n - 1))
            more = {b for b in beside if b in left and cells[b] == cells[at]}
            left -= more
            reached += more
    return areas
