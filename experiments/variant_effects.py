"""How many grids of a board obey a rule: standard placements, and counts without an engine.

Digits may be renamed: the grids of a board are those whose first row is 1 to n, each in n! names. A
rule looks at some cells only, so the plain count asks :meth:`Rule.holds` once for every pattern of
digits that these cells show, and uses no constraint, no MDD and no engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line

__all__ = ["PLACED", "all_grids", "effect", "fillings", "patterns_count", "plain_count", "x_sudoku"]

PLACED = {
    "allof": "allof (cage 5 r1c1 r1c2; odd r2c2)",
    "antidiagonal": "antidiagonal",
    "antiking": "antiking",
    "antiknight": "antiknight",
    "antitaxicab": "antitaxicab",
    "anyof": "anyof (cage 5 r1c1 r1c2; odd r2c2)",
    "arrow": "arrow r1c1 > r2c2 r3c3",
    "between": "between r1c1 r2c2 r3c3",
    "boxindexer": "boxindexer r1c1",
    "cage": "cage 8 r1c1 r1c2 r2c1",
    "clone": "clone r1c1 r1c2 > r3c3 r3c4",
    "columnindexer": "columnindexer r1c1",
    "connected": "connected 1 2 3",
    "contains": "contains 1 2 r1c1 r2c2 r3c3",
    "containsexactly": "containsexactly 1 2 r1c1 r2c2 r3c3",
    "countdistinct": "countdistinct r1c1 > r1c2 r2c2 r3c3",
    "countingcircles": "countingcircles r1c1 r2c2 r3c3",
    "diagonal": "diagonal",
    "diagonals": "diagonals",
    "difference": "difference 1 r1c1 r1c2",
    "disjointgroups": "disjointgroups",
    "doublearrow": "doublearrow r1c1 r2c2 r3c3 r4c4",
    "dutchflatmates": "dutchflatmates",
    "entropic": "entropic r1c1 r2c2 r3c3",
    "equalitycage": "equalitycage r1c1 r1c2",
    "equalsums": "equalsums r1c1 r1c2 > r3c3 r4c4",
    "even": "even r1c1 r2c2",
    "extraregion": "extraregion r1c1 r2c2 r3c3 r4c4",
    "formula": 'formula "r1c1 + r2c2 > r3c3"',
    "globalentropy": "globalentropy",
    "globalmod": "globalmod",
    "greaterthan": "greaterthan r1c1 r1c2",
    "hiddenskyscraper": "hiddenskyscraper 2 r1c0",
    "littlekiller": "littlekiller 9 dr r0c1",
    "lockout": "lockout r1c1 r2c2 r3c3",
    "lookandsay": "lookandsay 1 2 0 3 r1c1 r2c2 r3c3",
    "lunchbox": "lunchbox 3 r1c1 r2c2 r3c3",
    "machine": 'machine "odd: 13 even; even*: 24 odd" r1c1 r2c2 r3c3',
    "maximum": "maximum r2c2",
    "minimum": "minimum r2c2",
    "modular": "modular 3 r1c1 r2c2 r3c3",
    "nabner": "nabner r1c1 r2c2",
    "negative": "negative difference",
    "nonconsecutive": "nonconsecutive",
    "numberedroom": "numberedroom 2 r1c0",
    "odd": "odd r1c1 r2c2",
    "palindrome": "palindrome r1c1 r2c2 r3c3",
    "pair": 'pair "a < b" r1c1 r2c2 r3c3',
    "quadruple": "quadruple 1 2 r2c2 r2c3 r3c2 r3c3",
    "ratio": "ratio 2 r1c1 r1c2",
    "regex": 'regex "[12].*" r1c1 r2c2 r3c3',
    "regionsum": "regionsum r1c2 r2c2 r3c3 r4c3",
    "rellik": "rellik 4 r1c1 r1c2",
    "renban": "renban r1c1 r2c2 r3c3",
    "rowindexer": "rowindexer r1c1",
    "samevalues": "samevalues 2 r1c1 r1c2 r3c3 r3c4",
    "sandwich": "sandwich 5 r1c0",
    "skyscraper": "skyscraper 2 r1c0",
    "slowthermo": "slowthermo r1c1 r2c2 r3c3",
    "sum": "sum 6 r1c1 r2c2 r3c3",
    "sumline": "sumline 5 r1c1 r2c2 r3c3",
    "thermo": "thermo r1c1 r2c2 r3c3",
    "valueindexing": "valueindexing r1c1 r2c2 r3c3",
    "whispers": "whispers r1c1 r2c2 r3c3",
    "windoku": "windoku",
    "xsum": "xsum 6 r1c0",
    "xv": "xv v r1c1 r1c2",
    "zipper": "zipper r1c1 r2c2 r3c3",
}
"""One line a rule, the same on boards of 4x4 and 6x6."""

SETS = ("antidiagonal", "antiking", "antiknight", "diagonal", "diagonals", "disjointgroups")
"""Rules of many cells that only say which of them differ: renaming digits changes nothing."""
CONSECUTIVE = ("nonconsecutive", "negative")
"""Rules of all cells, of neighbours that are never consecutive."""
OF_ALL_CELLS = ("antitaxicab", "dutchflatmates", "globalentropy", "globalmod")
"""Other rules of all cells: where the grids are millions, two engines count those that obey one."""


@cache
def first_grids(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Grids whose first row is 1 to n, found by a simple search."""
    n = layout.n
    found: list[tuple[int, ...]] = []
    grid = [0] * (n * n)
    rows, columns, blocks = ([0] * n for _ in range(3))

    def fill(cell: int) -> None:
        if cell == n * n:
            found.append(tuple(grid))
            return
        r, c = divmod(cell, n)
        b = layout.block_index(cell)
        own = ((rows, r), (columns, c), *([(blocks, b)] if b >= 0 else []))
        for d in (c,) if r == 0 else range(n):
            if not any(group[i] >> d & 1 for group, i in own):
                grid[cell] = d + 1
                for group, i in own:
                    group[i] |= 1 << d
                fill(cell + 1)
                for group, i in own:
                    group[i] &= ~(1 << d)

    fill(0)
    return tuple(found)


def all_grids(layout: Layout) -> Iterator[tuple[int, ...]]:
    """Every grid of a board."""
    for names in permutations(range(1, layout.n + 1)):
        for grid in first_grids(layout):
            yield tuple(names[d - 1] for d in grid)


class _Part:
    """Some cells of a grid; access to another cell raises an exception."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.n = layout.n
        self.digits: dict[tuple[int, int], int] = {}

    def __getitem__(self, place: tuple[int, int]) -> int:
        return self.digits[place]


def plain_count(rule: Rule, layout: Layout) -> int:
    """How many grids of a board obey a rule, by its definition."""
    grids = first_grids(layout)
    if rule.name in CONSECUTIVE:
        return _apart(grids, layout.n)
    if rule.name in SETS:
        held = sum(rule.holds(Puzzle(grid, layout)) for grid in grids)
        return held * factorial(layout.n)
    return patterns_count(rule, layout)


def patterns_count(rule: Rule, layout: Layout) -> int:
    """:func:`plain_count` for any rule of few cells; these are found by watching it."""
    n, looked = layout.n, _Part(layout)
    scope: list[tuple[int, int]] = []
    while True:
        try:
            return sum(
                number * _named(rule, looked, scope, pattern)
                for pattern, number in _patterns(scope, layout).items()
            )
        except KeyError as missing:
            (place,) = missing.args
            if place in scope or not 0 <= min(place) <= max(place) < n:
                raise
            scope.append((place[0], place[1]))


def _patterns(scope: Sequence[tuple[int, int]], layout: Layout) -> Counter[tuple[int, ...]]:
    """Patterns of digits in some cells, up to renaming, and the number of grids with each."""
    cells = [r * layout.n + c for r, c in scope]
    found: Counter[tuple[int, ...]] = Counter()
    for shown, number in Counter(tuple(g[c] for c in cells) for g in first_grids(layout)).items():
        name = {d: i for i, d in enumerate(dict.fromkeys(shown))}
        found[tuple(name[d] for d in shown)] += number
    return found


def _named(
    rule: Rule, looked: _Part, scope: Sequence[tuple[int, int]], pattern: tuple[int, ...]
) -> int:
    """In how many of the n! namings of a pattern the rule holds."""
    n = looked.n
    different = len({*pattern})
    held = 0
    for names in permutations(range(1, n + 1), different):
        looked.digits = {p: names[d] for p, d in zip(scope, pattern, strict=True)}
        held += rule.holds(looked)
    return held * factorial(n - different)


def _apart(grids: Sequence[tuple[int, ...]], n: int) -> int:
    """Grids without consecutive neighbours: which names meet, against which must not."""
    array = np.array(grids, dtype=np.int64).reshape(-1, n, n) - 1
    meet = np.zeros(len(array), dtype=np.int64)
    for one, other in ((array[:, 1:], array[:, :-1]), (array[:, :, 1:], array[:, :, :-1])):
        pairs = np.minimum(one, other) * n + np.maximum(one, other)
        meet |= np.bitwise_or.reduce(1 << pairs.reshape(len(array), -1), axis=1)
    total = 0
    for names in permutations(range(n)):
        bits = sum(
            1 << a * n + b
            for a in range(n)
            for b in range(a + 1, n)
            if abs(names[a] - names[b]) == 1
        )
        total += int(np.count_nonzero(meet & bits == 0))
    return total


def effect(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """Count the grids of an empty board that obey a rule: by an engine, and by testing all."""
    from bddsudoku.errors import PuzzleFormatError
    from bddsudoku.solver import count

    layout = Layout.of_size(case["n"])
    rule = rule_from_line(PLACED[case["rule"]])
    try:
        puzzle = Puzzle([layout.blank] * layout.cell_count, layout, rules=[rule])
    except PuzzleFormatError as error:
        return {"refused": str(error)}
    found = {"frontier": count(puzzle, "frontier")}
    if case["n"] < 5:
        found["search"] = count(puzzle, "search")
        found["plain"] = sum(rule.holds(Puzzle(g, layout)) for g in all_grids(layout))
    elif rule.name in OF_ALL_CELLS:
        found["search"] = count(puzzle, "search")
    else:
        found["plain"] = plain_count(rule, layout)
    return {"counts": {name: str(number) for name, number in found.items()}}


def x_sudoku(case: dict[str, Any], send: Callable[[Any], None]) -> dict[str, Any]:
    """The grids of the empty X-Sudoku: for every filling of the diagonals, the bands engine counts.

    One diagonal reads 1 to 9, in 9! namings; of fillings that symmetries turn into each other one
    is counted.
    """
    from bddsudoku.solver import count

    classes = fillings()
    total = 0
    for done, (other, alike) in enumerate(classes.items(), 1):
        cells = [0] * 81
        for i in range(9):
            cells[i * 9 + i], cells[i * 9 + 8 - i] = i + 1, other[i]
        total += alike * count(Puzzle(cells), "bands")
        send(done)
    grids = factorial(9) * total
    return {"fillings": sum(classes.values()), "classes": len(classes), "count": str(grids)}


def fillings() -> Counter[tuple[int, ...]]:
    """Digits that the rising diagonal may have, top to bottom, if the falling one has 1 to 9.

    Of readings that are alike the smallest stands for all; their number beside it.
    """
    moves = [*_moves()]
    found: Counter[tuple[int, ...]] = Counter()
    for four in permutations((1, 2, 3, 4, 6, 7, 8, 9)):
        other = (*four[:4], 5, *four[4:])
        rows = all(other[i] not in (i + 1, 9 - i) for i in range(9) if i != 4)
        if rows and not {other[3], other[5]} & {4, 6}:
            found[min(_moved(other, *move) for move in moves)] += 1
    return found


def _moves() -> Iterator[tuple[tuple[int, ...], bool, bool]]:
    """Orders of rows and columns at once that keep the diagonals and blocks; flips, transpositions.

    What is done to the first three rows is done to the last three, mirrored.
    """
    for first in permutations((0, 1, 2)):
        for swapped in (False, True):
            for inner in ((3, 4, 5), (5, 4, 3)):
                last = tuple(8 - i for i in first[::-1])
                order = (*last, *inner, *first) if swapped else (*first, *inner, *last)
                for flipped in (False, True):
                    for transposed in (False, True):
                        yield order, flipped, transposed


def _moved(
    other: tuple[int, ...], order: tuple[int, ...], flipped: bool, transposed: bool
) -> tuple[int, ...]:
    """A filling after a symmetry, renamed so that the falling diagonal reads 1 to 9."""
    falling, rising = [i + 1 for i in order], [other[i] for i in order]
    if transposed:
        rising.reverse()
    if flipped:
        falling, rising = rising, falling
    name = {d: i for i, d in enumerate(falling, 1)}
    return tuple(name[d] for d in rising)
