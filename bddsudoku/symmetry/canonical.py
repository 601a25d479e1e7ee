"""Canonical forms of puzzles: the same for all that differ by a symmetry of their empty board only.

The symmetries of a board with blocks exchange digits, the rows of a band, the columns of a stack,
bands, and stacks; where blocks are square, they transpose the board, too. Those of other boards,
which keep regions and rules, are found by :mod:`.puzzle_symmetries`. The canonical form of a puzzle
is the least of the lines that it becomes: an open cell is less than any digit, and candidates are
compared as the numbers whose bits they are.

For boards of hints with blocks the form is found row by row (:mod:`.least_form`). Otherwise it is
found cell by cell along the chain of stabilisers of the board's symmetries (Linton, "Finding the
smallest image of a set", 2004), all ways to the least line so far side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import factorial, prod
from typing import Any, TypeAlias

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle, empty_board
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.rule import Rule
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
from bddsudoku.symmetry.puzzle_symmetries import PuzzleSymmetries, Symmetry, find_symmetries

MAX_WAYS = 100_000
"""Most ways to the least line so far that are followed side by side: 0.5 kB each on 9×9 cells."""
_Parts: TypeAlias = "list[tuple[list[int], list[int]]]"
"""Digits, and the labels that they have in some order: as many."""


@dataclass(frozen=True)
class CanonicalForm:
    """The canonical form of a puzzle, and a way to it.

    Attributes:
        puzzle: the canonical form. That of a pattern has the least digit where hints are.
        automorphisms: the number of permutations of cells by which symmetries of the empty board
            map the puzzle to itself; 1 is the identity.
        symmetry: one that makes the form of the puzzle.
    """

    puzzle: Puzzle
    automorphisms: int
    symmetry: Symmetry

    def to_dict(self, with_map: bool = True) -> dict[str, Any]:
        """The members of a JSON object; rows and columns are counted from 1."""
        found = {"canonical": self.puzzle.line, "automorphisms": str(self.automorphisms)}
        return found | ({"map": self._map()} if with_map else {})

    def _map(self) -> dict[str, Any]:
        """From where the cells of the form come: by lines where the board has blocks."""
        layout, moves = self.puzzle.layout, self.symmetry.cells
        origins = sorted(range(len(moves)), key=moves.__getitem__)
        digits = {"digits": [*self.symmetry.digits]}
        if not _has_blocks(layout):
            return {"cells": [layout.cell_name(cell) for cell in origins]} | digits
        places = [divmod(cell, layout.n) for cell in origins]
        is_transposed = places[0][0] != places[1][0]
        return {
            "transposed": is_transposed,
            "rows": [at[is_transposed] + 1 for at in places[:: layout.n]],
            "columns": [at[not is_transposed] + 1 for at in places[: layout.n]],
        } | digits


@check_types
def canonical_form(puzzle: Puzzle, *, pattern: bool = False) -> CanonicalForm:
    """The canonical form of a puzzle.

    Args:
        puzzle: of any layout, with any rules, which are kept.
        pattern: only the places of the hints count, not their digits.

    Raises:
        PuzzleFormatError: hints on a board with blocks clash.
        LimitReached: too many symmetries lead to the least line, or the meaning of a rule is too
            large to be compared.

    Cost: some 20 µs for 9×9 hints, in lists (:func:`.canonical_lists.canonical_many`); a 16×16
    grid with many automorphisms 25 ms. With candidates, regions or rules some tenths of a second
    for the symmetries of the board, which are remembered, and a millisecond or more.

    >>> canonical_form(Puzzle.parse("1.....2.........")).puzzle.line
    '...........1.2..'
    """
    layout = puzzle.layout
    if puzzle.rules or puzzle.candidates is not None or not _has_blocks(layout):
        return _form_by_symmetries(puzzle, pattern)
    boards = np.array([puzzle.numbers], dtype=np.uint8)
    return form_at(least_forms(boards, (layout.box_rows, layout.box_columns), pattern), 0, layout)


@check_types
def is_isomorphic(a: Puzzle, b: Puzzle) -> bool:
    """Whether a symmetry of the empty board with its rules makes one puzzle of the other.

    Raises:
        PuzzleFormatError, LimitReached: as for :func:`canonical_form`.
    """
    is_one_board = a.layout == b.layout and {*a.rules} == {*b.rules}
    return is_one_board and canonical_form(a).puzzle == canonical_form(b).puzzle


def _has_blocks(layout: Layout) -> bool:
    """Whether a board has equal blocks of several rows and columns, and no other houses."""
    is_plain = layout.is_usual and layout.regions is None and not layout.extra
    return is_plain and min(layout.box_rows, layout.box_columns) > 1


@lru_cache(maxsize=16)
def _board_symmetries(layout: Layout, rules: frozenset[Rule]) -> PuzzleSymmetries:
    return find_symmetries(empty_board(layout, tuple(rules)))


def _form_by_symmetries(puzzle: Puzzle, pattern: bool) -> CanonicalForm:
    """The canonical form, found cell by cell along the chain of the symmetries of the board."""
    layout, n = puzzle.layout, puzzle.layout.digit_count
    symmetries = _board_symmetries(layout, frozenset(puzzle.rules))
    end = layout.cell_count
    unmoved, masks = tuple(range(end + n)), puzzle.masks
    parts: _Parts = [([*some], [*some]) for some in symmetries.interchangeable]
    given = [
        number > 0 if pattern else mask != every
        for number, mask, every in zip(puzzle.numbers, masks, layout.masks, strict=True)
    ]
    if pattern:
        parts = []
    # The first cell that each member of the chain moves. One that moves digits moves all content.
    first = [
        0
        if any(move[end:] != unmoved[end:] for move in member)
        else min(cell for move in member for cell in range(end) if move[cell] != cell)
        for member in symmetries.chain
    ]
    ways, form = [(unmoved, parts)], list[int]()
    for number, member in enumerate([(unmoved,), *symmetries.chain]):
        if len(ways) * len(member) > MAX_WAYS:
            message = f"more than {MAX_WAYS:,} symmetries may lead to the canonical form"
            raise LimitReached(message, limit="states")
        ways = [(tuple(way[x] for x in move), parts) for way, parts in ways for move in member]
        for cell in range(len(form), min([end, *first[number:]])):
            found = []
            for way, parts in ways:
                sign, left, at = 0, parts, way[cell]
                if given[at]:
                    held = {d for d in range(n) if masks[at] >> way[end + d] - end & 1}
                    sign, left = _least_labels(held, parts)
                found.append((sign, left, way))
            form.append(min(sign for sign, _, _ in found))
            ways = [(way, parts) for sign, parts, way in found if sign == form[-1]]
    way, parts = ways[0]
    moves, digits = [0] * end, [*layout.values]
    for cell in range(end):
        moves[way[cell]] = cell
    for part in parts:
        for d, label in zip(*part, strict=True):
            digits[way[end + d] - end] = layout.values[label]
    symmetry = Symmetry(tuple(moves), tuple(digits))
    return CanonicalForm(
        Puzzle.trusted(tuple(form), layout, puzzle.rules) if pattern else symmetry.apply(puzzle),
        len({way[:end] for way, _ in ways}),
        symmetry,
    )


def _least_labels(held: Container[int], parts: _Parts) -> tuple[int, _Parts]:
    """1 and the least bits that some digits can become, and what may share labels then."""
    sign, found = 1, list[tuple[list[int], list[int]]]()
    for digits, labels in parts:
        first = [d for d in digits if d in held]
        rest = [d for d in digits if d not in held]
        sign += sum(2 << label for label in labels[: len(first)])
        found += [(first, labels[: len(first)]), (rest, labels[len(first) :])]
    return sign, [part for part in found if part[0]]


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
    lines = [line[at : at + n] for at in range(0, n * n, n)]
    bands = (map(tuple, lines[at : at + layout.box_rows]) for at in range(0, n, layout.box_rows))
    open_orders = [_orders(state[START][:n]), *map(_orders, bands), factorial(numbers[UNTOUCHED])]
    rows, columns = sorted(range(n), key=state[USED].__getitem__), state[COLUMN][:n]
    origins = np.add.outer(np.array(rows) * n, columns)
    if numbers[TRANSPOSED]:
        origins = np.add.outer(rows, np.array(columns) * n)
    moves = tuple(np.argsort(origins, axis=None).tolist())
    return CanonicalForm(
        Puzzle.trusted(tuple(line), layout),
        int(found.ways[i]) * prod(open_orders),
        Symmetry(moves, tuple(digit or next(free) for digit in digits)),
    )


def _orders(found: Iterable[object]) -> int:
    """The number of ways to exchange equal elements."""
    return prod(map(factorial, Counter(found).values()))
