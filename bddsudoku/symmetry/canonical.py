"""Canonical forms of boards with blocks: the same for all boards that differ by a symmetry only.

Symmetries exchange digits, the rows of a band, the columns of a stack, bands, and stacks; where
blocks are square, they transpose the board, too. The canonical form of a board is the least of the
lines that it becomes, an open cell being less than any digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import factorial, prod
from typing import Any

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.symmetry.least_form import (
    COLUMN,
    FIRST_ROW,
    HOME,
    LABEL,
    NUMBERS,
    POSITION,
    START,
    TRANSPOSED,
    UNTOUCHED,
    USED,
    LeastForms,
    least_forms,
)


@dataclass(frozen=True)
class CanonicalForm:
    """The canonical form of a board, and a way to it.

    Attributes:
        puzzle: the canonical form. That of a pattern has the digit 1 where hints are.
        automorphisms: the number of symmetries of the board's cells that map the board to itself
            when digits are exchanged; 1 is the identity.
        is_transposed: whether the board is transposed before its rows and columns are permuted.
        rows: the row, from 0, of the (transposed) board that each row of the form is.
        columns: the columns, likewise.
        digits: what each digit of the board becomes, by ascending digit.
    """

    puzzle: Puzzle
    automorphisms: int
    is_transposed: bool
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    digits: tuple[int, ...]

    def apply(self, puzzle: Puzzle) -> Puzzle:
        """Do with another board of the same layout what made the canonical form of this one."""
        n = puzzle.n
        cells = np.array(puzzle.numbers).reshape(n, n)
        cells = (cells.T if self.is_transposed else cells)[np.ix_(self.rows, self.columns)]
        return Puzzle(np.array([0, *self.digits])[cells], puzzle.layout)

    def to_dict(self, with_map: bool = True) -> dict[str, Any]:
        """The members of a JSON object; rows and columns are counted from 1."""
        found = {"canonical": self.puzzle.line, "automorphisms": str(self.automorphisms)}
        way = {
            "transposed": self.is_transposed,
            "rows": [at + 1 for at in self.rows],
            "columns": [at + 1 for at in self.columns],
            "digits": [*self.digits],
        }
        return found | ({"map": way} if with_map else {})


@check_types
def canonical_form(puzzle: Puzzle, *, pattern: bool = False) -> CanonicalForm:
    """The canonical form of a board with blocks.

    Args:
        puzzle: hints or a complete grid, without rules and pencil marks.
        pattern: only the places of the hints count, not their digits.

    Raises:
        PuzzleFormatError: the board has rules, candidates or other houses than rows, columns and
            equal blocks; or hints clash.

    Cost: some 20 µs for a 9×9 board, in lists (:func:`.canonical_lists.canonical_many`); a 16×16
    grid with many automorphisms 25 ms.

    >>> canonical_form(Puzzle.parse("1.....2.........")).puzzle.line
    '...........1.2..'
    """
    box = _require_blocks(puzzle)
    boards = np.array([puzzle.numbers], dtype=np.uint8)
    return form_at(least_forms(boards, box, pattern), 0, puzzle.layout)


@check_types
def is_isomorphic(a: Puzzle, b: Puzzle) -> bool:
    """Whether a symmetry of the board makes one puzzle of the other.

    Raises:
        PuzzleFormatError: as for :func:`canonical_form`.
    """
    return a.layout == b.layout and canonical_form(a).puzzle == canonical_form(b).puzzle


def _require_blocks(puzzle: Puzzle) -> tuple[int, int]:
    """The rows and columns of a block; an error where a board has no canonical form."""
    layout, expected = puzzle.layout, "expected a board of hints with equal blocks"
    if puzzle.rules:
        raise PuzzleFormatError(f"{expected}, found the rule {puzzle.rules[0].text!r}")
    if puzzle.candidates is not None:
        raise PuzzleFormatError(f"{expected}, found candidates")
    has_blocks = layout.is_usual and layout.regions is None and not layout.extra
    if not has_blocks or min(layout.box_rows, layout.box_columns) < 2:
        raise PuzzleFormatError(f"{expected}, found {layout}")
    return layout.box_rows, layout.box_columns


def form_at(found: LeastForms, i: int, layout: Layout) -> CanonicalForm:
    """One of the forms that were found, as an object.

    Raises:
        PuzzleFormatError: hints clash.
    """
    if not found.ways[i]:
        raise PuzzleFormatError("expected hints that do not clash")
    n = layout.n
    line: list[int] = found.lines[i].tolist()
    state: list[list[int]] = found.states[i].tolist()
    numbers = state[NUMBERS]
    digits = [0] * n
    for digit in range(1, n + 1):
        if home := state[HOME][digit]:
            digits[digit - 1] = line[(numbers[FIRST_ROW] - 1) * n + state[POSITION][home - 1]]
        else:
            digits[digit - 1] = state[LABEL][digit]
    free = iter(sorted({*range(1, n + 1)} - {*digits}))
    rows = [line[at : at + n] for at in range(0, n * n, n)]
    bands = (map(tuple, rows[at : at + layout.box_rows]) for at in range(0, n, layout.box_rows))
    open_orders = [_orders(state[START][:n]), *map(_orders, bands), factorial(numbers[UNTOUCHED])]
    return CanonicalForm(
        Puzzle.trusted(tuple(line), layout),
        int(found.ways[i]) * prod(open_orders),
        bool(numbers[TRANSPOSED]),
        tuple(sorted(range(n), key=state[USED].__getitem__)),
        tuple(state[COLUMN][:n]),
        tuple(digit or next(free) for digit in digits),
    )


def _orders(found: Iterable[object]) -> int:
    """The number of ways to exchange equal elements."""
    return prod(map(factorial, Counter(found).values()))
