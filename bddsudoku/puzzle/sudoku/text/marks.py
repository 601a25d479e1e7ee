"""Candidates as text ("pencil marks"): n³ symbols, or a grid with the candidates in its cells.

* n³ symbols, n a cell: each digit in its place, an open-cell symbol for one that cannot stand
  there. So ``1..4.....`` is a cell of a 9×9 board with the candidates 1 and 4. The symbols may be
  parted after every cell or every row.
* A grid, or n² cells on one line, in which each cell lists its candidates: in braces (``{1567}``,
  ``{}`` for none), or bare (``1567``), the digits ascending, as solvers print them. Bare ones are
  recognised on boards below 10×10, when two cells or more have several and no cell is blank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, SYMBOLS, Layout, cell_name
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, alphabet, show

_BRACED = re.compile(r"\{([0-9A-Za-z]*)\}")
_SIDE_OF_CUBE: dict[int, int] = {n**3: n for n in range(SMALLEST, LARGEST + 1)}


def marks_side(symbols: int, layout: Layout | None) -> int:
    """Side of the board whose candidates are so many symbols, 0 when there is none.

    64 symbols without a layout are not counted: they are an 8×8 board as well.
    """
    if layout is not None:
        return layout.n if symbols == layout.n**3 else 0
    return 0 if symbols == 64 else _SIDE_OF_CUBE.get(symbols, 0)


def marks_of_four(digits: Sequence[int]) -> bool:
    """Whether 64 digits are the candidates of a 4×4 board rather than an 8×8 board.

    They are when each stands in its place and occurs as often as a solution needs it: four times.
    As an 8×8 board that would have equal digits in a row or column.
    """
    if max(digits) > 4 or any(d and d != at % 4 + 1 for at, d in enumerate(digits)):
        return False
    return min(sum(d == digit for d in digits) for digit in (1, 2, 3, 4)) >= 4


def marks_in_places(
    symbols: str, layout: Layout, convention: str | None, line: int, source: str | None
) -> Puzzle:
    """The puzzle behind n³ symbols.

    Raises:
        PuzzleFormatError: a symbol that is neither open nor the digit of its place.
    """
    n = layout.n
    letters = alphabet(n, convention)
    digits = [letters.table[ord(s)] if s.isascii() else -1 for s in symbols]
    for at, digit in enumerate(digits):
        if digit not in (0, at % n + 1):
            own = SYMBOLS[at % n]
            raise PuzzleFormatError(
                f"expected {own} or . in place {at % n + 1} of the cell's {n} candidates, found "
                f"{show(symbols[at])} ({n}x{n}x{n} symbols are the candidates of a {n}x{n} board)",
                source=source,
                line=line,
                cell=cell_name(at // n, n),
            )
    return Puzzle.from_masks(
        [
            sum(1 << place for place in range(n) if digits[at + place])
            for at in range(0, len(digits), n)
        ],
        layout,
    )


def in_places(symbols: str, n: int) -> bool:
    """Whether symbols, n a cell, are all open or the digit of their place."""
    return all(s in BLANKS or s == SYMBOLS[at % n] for at, s in enumerate(symbols))


def crowd_in_places(symbols: str, n: int) -> bool:
    """Whether n² symbols stand in their places as no board's do: a digit twice in a column."""
    return in_places(symbols, n) and any(
        sum(symbols[at] not in BLANKS for at in range(digit, n * n, n)) > 1 for digit in range(n)
    )


def _bare(token: str, n: int) -> bool:
    """Whether a token is several digits, ascending."""
    return (
        len(token) > 1
        and token.isdigit()
        and "0" not in token
        and (all(a < b for a, b in pairwise(token)) and int(token[-1]) <= n)
    )


def lists_candidates(tokens: Sequence[str], n: int, fewest: int = 2) -> bool:
    """Whether the tokens of some rows of an n×n board list candidates.

    Args:
        tokens: in order.
        n: side of the board.
        fewest: cells that must have several candidates, where these stand bare.
    """
    if any(t.startswith("{") for t in tokens):
        return all(t.startswith("{") or len(t) == 1 for t in tokens)
    several = sum(_bare(t, n) for t in tokens)
    return n < 10 and several >= fewest and all(t in SYMBOLS[:n] or _bare(t, n) for t in tokens)


def are_marks(tokens: Sequence[str], n: int) -> bool:
    """Whether the n² tokens of a board list candidates."""
    if any(t.startswith("{") for t in tokens):
        return all(_BRACED.fullmatch(t) or len(t) == 1 or (n < 10 and _bare(t, n)) for t in tokens)
    if all(len(t) == n for t in tokens):
        # the rows of a larger board, in blocks, do not have every digit so often in its places
        symbols = "".join(tokens)
        return in_places(symbols, n) and all(symbols.count(s) >= n for s in SYMBOLS[:n])
    digits = frozenset(SYMBOLS[:n])
    several = sum(_bare(t, n) for t in tokens)
    return n < 10 and several >= 2 and all(t in digits or _bare(t, n) for t in tokens)


def marks_in_cells(
    tokens: Sequence[str],
    lines: Sequence[int],
    layout: Layout,
    convention: str | None,
    source: str | None,
) -> Puzzle:
    """The puzzle behind n² tokens for which :func:`are_marks` holds.

    Args:
        tokens: row by row.
        lines: the line of every token.
        layout: the shape.
        convention: the symbols asked for, or None.
        source: file name for messages.

    Raises:
        PuzzleFormatError: a symbol that is no digit of the board.
    """
    n = layout.n
    table = alphabet(n, convention).table
    masks = []
    for cell, token in enumerate(tokens):
        braced = _BRACED.fullmatch(token)
        mask = 0
        for symbol in braced[1] if braced else token:
            digit = table[ord(symbol)] if symbol.isascii() else 255
            if not digit and not braced and len(token) == n:
                continue  # in places: not possible
            if not 1 <= digit <= n:
                raise PuzzleFormatError(
                    f"expected candidates {SYMBOLS[0]}-{SYMBOLS[n - 1]}, found {show(token)}",
                    source=source,
                    line=lines[cell],
                    cell=cell_name(cell, n),
                )
            mask |= 1 << (digit - 1)
        masks.append(mask)
    return Puzzle.from_masks(masks, layout)
