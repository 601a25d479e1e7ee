"""Conjugacy classes of a puzzle's symmetries: what is counted once for all symmetries of a class.

Two symmetries are conjugate if a third one turns one into the other (g and h g h⁻¹); they keep
equally many solutions. The rows of a plain board are a *wreath product*: those of a band are
permuted, and the bands. Its classes follow from those of its parts (James & Kerber, "The
Representation Theory of the Symmetric Group", 1981, chapter 4), so that the 275 classes of the
3,359,232 symmetries of a 9×9 board need no list of these. Other groups are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import factorial, prod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.grid import empty_board
from bddsudoku.puzzle.sudoku.layout import Layout

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64
    from bddsudoku.symmetry.puzzle_symmetries import Permutation, PuzzleSymmetries

ConjugacyClass: TypeAlias = "tuple[Permutation, int]"
"""A permutation, and how many are in its class."""

MAX_LISTED = 1_000_000
"""Most permutations of a group that are listed: 100 bytes each on a 9×9 board."""

TRIVIAL: list[ConjugacyClass] = [((0,), 1)]
"""The classes of the group of one point."""


def cycles(images: Sequence[int]) -> list[list[int]]:
    """The cycles of a permutation, each from its least point.

    >>> cycles([2, 1, 0])
    [[0, 2], [1]]
    """
    found: list[list[int]] = []
    left = dict.fromkeys(range(len(images)))
    while left:
        found.append([])
        point = next(iter(left))
        while point in left:
            del left[point]
            found[-1].append(point)
            point = images[point]
    return found


def wreath_classes(parts: Sequence[ConjugacyClass], copies: int) -> Iterator[ConjugacyClass]:
    """Yield the classes of a wreath product: copies of a group, which are permuted.

    Args:
        parts: the classes of the group; its points are ``range(width)``.
        copies: how many; the points of copy i are ``range(i * width, (i + 1) * width)``.

    >>> [size for _, size in wreath_classes(TRIVIAL, 4)]  # of all permutations of four points
    [1, 6, 8, 3, 6]
    """
    width, order = len(parts[0][0]), sum(size for _, size in parts)
    kinds = [
        (length, part, length * order // size)
        for length in range(1, copies + 1)
        for part, size in parts
    ]
    for chosen in _choose(kinds, 0, copies):
        images: list[int] = []
        centraliser = prod(factorial(times) for times in Counter(chosen).values())
        for length, part, own in (kinds[i] for i in chosen):
            first = len(images)
            images += range(first + width, first + length * width)
            images += [first + x for x in part]
            centraliser *= own
        yield tuple(images), order**copies * factorial(copies) // centraliser


def _choose(
    kinds: Sequence[tuple[int, Permutation, int]], first: int, copies: int
) -> Iterator[tuple[int, ...]]:
    """Yield the multisets of cycles of copies, as numbers of their kinds, with all copies."""
    if not copies:
        yield ()
    for i in range(first, len(kinds)):
        if kinds[i][0] <= copies:
            for rest in _choose(kinds, i, copies - kinds[i][0]):
                yield (i, *rest)


def _plain_classes(layout: Layout) -> Iterator[ConjugacyClass]:
    """Yield the classes of the permutations of rows and columns that keep the blocks of a board.

    If blocks are as high as wide, rows may become columns.
    """
    high, wide = layout.row_count, layout.column_count
    in_band, in_stack = layout.box_rows, layout.box_columns
    if layout.regions == () or 1 in (in_band, in_stack):  # blocks that are rows are no others
        in_band, in_stack = 1, 1
    rows, columns = (
        [*wreath_classes([*wreath_classes(TRIVIAL, inner)], count // inner)]
        for count, inner in ((high, in_band), (wide, in_stack))
    )
    if (high, in_band) == (wide, in_stack):
        both = wreath_classes(rows, 2)
    else:
        both = (
            ((*of_rows, *(high + x for x in of_columns)), size * times)
            for of_rows, size in rows
            for of_columns, times in columns
        )
    digits = range(layout.cell_count, layout.cell_count + layout.digit_count)
    for lines, size in both:
        ends = (sorted((lines[r], lines[high + c])) for r in range(high) for c in range(wide))
        yield (*(row * wide + column - high for row, column in ends), *digits), size


def classes_of_representatives(symmetries: PuzzleSymmetries) -> list[ConjugacyClass]:
    """The classes of a puzzle's symmetries that keep the order of interchangeable digits.

    The first is that of the identity.

    Raises:
        BddSudokuError: they are too many to be listed.
    """
    puzzle = symmetries.puzzle
    layout = puzzle.layout
    is_plain = layout.is_default or (layout.regions == () and not layout.extra)
    if is_plain and layout.has_lines and not layout.groups and puzzle == empty_board(layout):
        found = [*_plain_classes(layout)]
        if sum(size for _, size in found) == symmetries.representatives:
            return found
    if symmetries.representatives > MAX_LISTED:
        raise BddSudokuError(
            f"the puzzle has {symmetries.representatives:,} symmetries besides those that only "
            f"relabel; their classes are found for at most {MAX_LISTED:,}"
        )
    rows = _listed(symmetries)
    numbers = _class_numbers(rows, symmetries.strong_generators)
    _, first, sizes = np.unique(numbers, return_index=True, return_counts=True)
    return [
        (tuple(row), size) for row, size in zip(rows[first].tolist(), sizes.tolist(), strict=True)
    ]


def _listed(symmetries: PuzzleSymmetries) -> np.ndarray:
    """All representatives, one in each row, ascending."""
    layout = symmetries.puzzle.layout
    rows = np.arange(layout.cell_count + layout.digit_count, dtype=np.uint16)[None]
    for member in reversed(symmetries.chain):
        rows = np.concatenate([np.array(move, np.uint16)[rows] for move in member])
    return rows[np.argsort(_as_bytes(rows))]


def _as_bytes(rows: np.ndarray) -> np.ndarray:
    """The rows of an array of numbers below 2**16 as strings of bytes, which sort like them."""
    return np.ascontiguousarray(rows, ">u2").view(f"S{2 * rows.shape[1]}").reshape(-1)


def _class_numbers(rows: np.ndarray, generators: Sequence[Permutation]) -> I64:
    """For each of the permutations of a group the number of the first one of its class."""
    keys = _as_bytes(rows)
    numbers = np.arange(len(rows))
    moves = []
    for generator in generators:
        conjugates = np.array(generator, np.uint16)[rows[:, np.argsort(generator)]]
        moves.append(np.searchsorted(keys, _as_bytes(conjugates)))
    while True:
        before = numbers
        for move in moves:
            numbers = np.minimum(numbers, numbers[move])
            np.minimum.at(numbers, move, numbers.copy())
        numbers = numbers[numbers]
        if (numbers == before).all():
            return numbers


def digit_maps(
    digits: Sequence[int], interchangeable: Sequence[Sequence[int]]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield one of each class of the digit maps that differ by interchangeable digits alone.

    Args:
        digits: the digit that replaces each digit, in the order of a class of interchangeable ones.
        interchangeable: the classes of these.

    Yields:
        A map like ``digits``, and how many of its class there are. Together they are as many as
        there are permutations of interchangeable digits.
    """
    class_of = {d: i for i, some in enumerate(interchangeable) for d in some}
    turns = cycles([class_of[digits[some[0]]] for some in interchangeable])
    last = [interchangeable[turn[-1]] for turn in turns]
    for choice in product(*(wreath_classes(TRIVIAL, len(some)) for some in last)):
        found, number = [*digits], 1
        for turn, some, (images, size) in zip(turns, last, choice, strict=True):
            number *= size * factorial(len(some)) ** (len(turn) - 1)
            for d, x in zip(some, images, strict=True):
                found[d] = digits[some[x]]
        yield tuple(found), number
