"""Interpreter of the texts of a board's cells as a puzzle, used for all forms of input.

The text of a cell is a symbol, a number (where digits have two figures), ``-1`` or empty (an open
cell), or the cell's candidates ("pencil marks"):

* n symbols, each digit in its place or replaced by an open-cell symbol: ``1..4.....`` is a cell of
  a 9×9 board with the candidates 1 and 4;
* digits in braces (``{1567}``, ``{}`` for none), or bare and ascending (``1567``), as solvers print
  them. Bare candidates are recognised on boards below 10×10, when at least two cells have several
  and no cell is blank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isqrt

from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.places import CellGroup
from bddsudoku.puzzle.sudoku.text.rule_lines import RuleLineError
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    Alphabet,
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


@dataclass(frozen=True)
class CellResolver:
    """Interpreter of the texts of cells for a requested layout and requested symbols, if any.

    Boards get the ``groups`` of cells outside the grid, which are open where only the grid is read.
    """

    layout: Layout | None = None
    convention: str | None = None
    groups: tuple[CellGroup, ...] = ()

    @property
    def is_board_unusual(self) -> bool:
        """Whether the boards are known to have an unusual shape or unusual digits."""
        return self.layout is not None and not self.layout.is_plain

    def layout_of(self, cell_count: int) -> Layout | None:
        """The layout of a board with so many cells; None if there is no such board."""
        if self.layout is not None:
            fits = cell_count in (self.layout.grid_cell_count, self.layout.cell_count)
            return self.layout if fits else None
        n = isqrt(cell_count)
        return usual_layout(n) if n * n == cell_count and SMALLEST <= n <= LARGEST else None

    def layout_of_candidates(self, symbols: str) -> Layout | None:
        """The layout of the board whose candidates some symbols are, each digit in its place.

        Raises:
            PuzzleFormatError: 64 symbols may be an 8×8 board as well.
        """
        if "{" in symbols:
            return None
        if self.layout is not None:
            cells = self.layout.cell_count
            is_whole = len(symbols) == cells * self.layout.digit_count > cells
            return self.layout if is_whole else None
        n = _SIDE_OF_CUBE.get(len(symbols), 0)
        if n != SMALLEST:
            return usual_layout(n) if n else None
        if are_complete_positional_candidates(symbols, n):
            raise PuzzleFormatError(
                "64 symbols may be the candidates of a 4x4 board or an 8x8 board; "
                "say '# layout: 2x2' or '# layout: 2x4'"
            )
        return None

    def make_puzzle(
        self, cells: Sequence[str], lines: Sequence[int], layout: Layout | None = None
    ) -> Puzzle:
        """Make a puzzle from the texts of its cells; ``lines`` are their line numbers."""
        layout = layout or self.layout_of(len(cells))
        assert layout is not None
        if self.groups and not layout.groups:
            layout = replace(layout, groups=self.groups)
        if missing := layout.cell_count - len(cells):
            cells, lines = [*cells, *"." * missing], [*lines, *[lines[-1]] * missing]
        n = layout.digit_count
        with adding_error_place(line=lines[0]):
            if layout.is_plain and self.convention is None and (n >= 10 or "-1" in cells):
                refuse_ambiguous_zero(cells, n)
            if not isinstance(cells, str):
                cells = ["." if cell in ("", "-1") else cell for cell in cells]
            symbols = "".join(cells)
            if len(symbols) > len(cells):
                return Puzzle.from_masks(self._cell_masks(cells, lines, layout), layout)
            if layout.is_plain:
                refuse_region_map(symbols, n)
                if n >= _SMALLEST_CELLS and are_row_candidates(symbols, n):
                    raise PuzzleFormatError(
                        "every digit stands in its own column: these look like the candidates of "
                        f"{n} cells; a {n}x{n} board and its candidates are {n**3} symbols on one "
                        "line"
                    )
            alphabet = self._alphabet(layout)
            digits = alphabet.digits(symbols)
            if digits is None:
                raise alphabet.unknown_symbol_error(symbols, lines, layout.column_count)
            return Puzzle.trusted(tuple(digits), layout)

    def _alphabet(self, layout: Layout) -> Alphabet:
        """The alphabet of a board: the requested symbols or, by default, those of its layout."""
        symbols = self.convention or (None if layout.is_usual else layout.symbols)
        return make_alphabet(layout.digit_count, symbols)

    def puzzle_from_candidates(self, symbols: str, line: int, layout: Layout) -> Puzzle:
        """Make a puzzle from n symbols for each cell: in place d stands d or a blank."""
        n = layout.digit_count
        table = self._alphabet(layout).table
        masks = [0] * layout.cell_count
        for at, symbol in enumerate(symbols):
            cell, place = divmod(at, n)
            digit = table[ord(symbol)] if symbol.isascii() else -1
            if digit not in (0, place + 1):
                raise PuzzleFormatError(
                    f"expected {layout.symbols[place]} or . in place {place + 1} of the cell's {n} "
                    f"candidates, found {show_symbol(symbol)}",
                    line=line,
                    cell=layout.cell_name(cell),
                )
            masks[cell] |= bool(digit) << place
        return Puzzle.from_masks(masks, layout)

    def _cell_masks(self, cells: Sequence[str], lines: Sequence[int], layout: Layout) -> list[int]:
        """The candidates of cells of which some are numbers or list their candidates."""
        n, table, values = layout.digit_count, self._alphabet(layout).table, layout.values
        symbols = "".join(cells)
        if {*map(len, cells)} == {n} and are_complete_positional_candidates(symbols, n):
            return list(self.puzzle_from_candidates(symbols, lines[0], layout).masks)
        if table[ord("0")] == 1 and layout.is_usual:
            values = range(n)  # zero is stated to be a digit
        are_lists = are_candidate_lists(cells, layout)
        every = {*range(1, n + 1)}
        masks = []
        for cell, token in enumerate(cells):
            braced = _BRACED.fullmatch(token)
            if len(token) == 1 or (are_lists and (braced or n < 10)):
                digits = {
                    table[ord(s)] if s.isascii() else -1 for s in (braced[1] if braced else token)
                }
            else:
                number = token_digit(token, values)
                digits = {-1 if number is None else number}
            if digits == {0} and not are_lists:
                digits = every
            if not digits <= every:
                what = "candidates" if are_lists else "a digit"
                raise PuzzleFormatError(
                    f"expected {what} {values[0]}-{values[-1]}, found {show_symbol(token)}",
                    line=lines[cell],
                    cell=layout.cell_name(cell),
                )
            masks.append(sum(1 << (d - 1) for d in digits))
        return masks


# Candidates


def are_positional_candidates(symbols: str, n: int) -> bool:
    """Whether the d-th symbol of every group of n is the digit d or a blank."""
    return all(s in BLANKS or s == SYMBOLS[at % n] for at, s in enumerate(symbols))


def are_complete_positional_candidates(symbols: str, n: int) -> bool:
    """Whether the d-th of every n symbols is d or a blank, with n or more of each digit.

    Rows of a larger board, cut at its blocks, do not have every digit n times in its places.
    """
    return are_positional_candidates(symbols, n) and all(symbols.count(s) >= n for s in SYMBOLS[:n])


def are_row_candidates(symbols: str, n: int) -> bool:
    """Whether n² symbols seem to be the candidates of a row of n cells and not n² cells."""
    return (
        are_positional_candidates(symbols, n)
        and all({*symbols[row : row + n]} - {*BLANKS} for row in range(0, n * n, n))
        and any(sum(s not in BLANKS for s in symbols[column::n]) > 1 for column in range(n))
    )


def are_candidate_lists(tokens: Sequence[str], layout: Layout) -> bool:
    """Whether the texts of some cells are lists of their candidates, such as 159.

    They are in braces, or two or more have several ascending digits and no cell is open.
    """
    if any(token.startswith("{") for token in tokens):
        return True
    digits = SYMBOLS[: layout.digit_count]
    several = sum(len(token) > 1 for token in tokens)
    return (
        layout.is_plain
        and len(digits) < 10
        and several > 1
        and all(token and {*token} <= {*digits} for token in tokens)
        and all(a < b for token in tokens for a, b in pairwise(token))
    )


# Maps of regions


def refuse_region_map(cells: str, n: int) -> None:
    """Raise an error if n² symbols mark the regions of n² cells: most digits touch equal ones."""
    blanks = BLANKS + "Xx"
    if len(cells) != n * n or sum(map(cells.count, blanks)) >= 2 * n:
        return
    beside, below = (
        [a for a, b in pairs if a == b and a not in blanks]
        for pairs in (pairwise(cells), zip(cells, cells[n:], strict=False))
    )
    touching = len(beside + below)
    if beside and below and touching >= n * (n - 2) and len({*cells}) >= n - 1:
        raise RuleLineError(
            f"this looks like a map of {n} regions, not like a puzzle: the blocks of a jigsaw "
            "stand in a line 'regions ' and these symbols, below the board"
        )
