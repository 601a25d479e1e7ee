"""Oracles without any engine: exhaustive search, plain search on boards, passes over arrays.

Everything here is plain Python that can be checked by reading it; tests compare with it, and it
shares nothing with what it is compared to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, product

from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.model import Model
from bddsudoku.puzzle.sudoku import Layout

Solutions = frozenset[frozenset[int]]
"""Solutions as the sets of keys that are true."""

Grid = tuple[int, ...]
"""Digits from 1, cell by cell."""


# Models and diagrams


def exhaustive(model: Model) -> Solutions:
    """All solutions by trying every assignment; for models of some twelve variables."""
    fixed = frozenset(v.key for v in model.fixed)
    found = set()
    for bits in product((0, 1), repeat=len(model.variables)):
        for c in model.constraints:
            total = sum(bits[v] for v in c.variables)
            if not (total <= c.total if c.at_most else total == c.total):
                break
        else:
            found.add(fixed | {v.key for v, bit in zip(model.variables, bits, strict=True) if bit})
    return frozenset(found)


def by_enumeration(model: Model) -> set[frozenset[int]]:
    """The solutions of a model with constraints of any kind, by trying every assignment."""
    return {
        frozenset(v.key for v, true in zip(model.variables, values, strict=True) if true)
        for values in product((False, True), repeat=len(model.variables))
        if all(c.holds(values) for c in model.constraints)
    }


def sets_of(diagram: Diagram) -> Solutions:
    """The sets of a diagram, by a plain pass over its arrays."""
    below: list[Solutions] = [frozenset(), frozenset([frozenset()])]
    labels = diagram.labels.tolist()
    for i in range(2, diagram.size):
        key = labels[diagram.variable[i]]
        below.append(below[diagram.low[i]] | {s | {key} for s in below[diagram.high[i]]})
    return below[diagram.root]


def number_of_sets(diagram: Diagram) -> int:
    """Count the sets of a diagram with Python's integers."""
    counts = [0, 1]
    for low, high in zip(diagram.low[2:].tolist(), diagram.high[2:].tolist(), strict=True):
        counts.append(counts[low] + counts[high])
    return counts[diagram.root]


# Boards

Groups = Sequence[Sequence[int]]
"""Cells of which no two may have the same digit."""


class TooMuch(Exception):
    """A search was cut off: nothing is known about the number of solutions."""


def houses(layout: Layout) -> list[list[int]]:
    """Rows, columns and blocks of a board, from its shape alone."""
    n, h, w = layout.n, layout.box_rows, layout.box_columns
    lines = [[r * n + c for c in range(n)] for r in range(n)]
    lines += [[r * n + c for r in range(n)] for c in range(n)]
    corners = [(r, c) for r in range(0, n, h) for c in range(0, n, w)]
    return lines + [[(r + i) * n + c + j for i in range(h) for j in range(w)] for r, c in corners]


def diagonals(n: int) -> list[list[int]]:
    """The two diagonals of a board."""
    return [[i * n + i for i in range(n)], [i * n + n - 1 - i for i in range(n)]]


def masks_of(cells: Iterable[int], n: int) -> list[int]:
    """Candidate masks of a board's hints, bit d - 1 for digit d; 0 is an open cell."""
    return [1 << d - 1 if d else (1 << n) - 1 for d in cells]


def fillings(masks: Sequence[int], groups: Groups, nodes: int = 10**9) -> Iterator[Grid]:
    """All grids that fit the masks and the groups: depth first, a cell with fewest candidates.

    Raises:
        TooMuch: after so many nodes.
    """
    seen: list[set[int]] = [set() for _ in masks]
    for group in groups:
        for cell in group:
            seen[cell].update(c for c in group if c != cell)
    left = nodes

    def search(cells: list[int], open_cells: list[int]) -> Iterator[Grid]:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooMuch
        if not open_cells:
            yield tuple(m.bit_length() for m in cells)
            return
        cell = min(open_cells, key=lambda c: cells[c].bit_count())
        rest = [c for c in open_cells if c != cell]
        mask = cells[cell]
        while mask:
            bit = mask & -mask
            mask ^= bit
            after = list(cells)
            after[cell] = bit
            for peer in seen[cell]:
                after[peer] &= ~bit
                if not after[peer]:
                    break
            else:
                yield from search(after, rest)

    if all(masks):
        yield from search(list(masks), list(range(len(masks))))


def searched(masks: Sequence[int], groups: Groups, limit: int) -> list[Grid] | None:
    """All grids; None when there are more than ``limit`` or the search takes too long."""
    try:
        found = list(islice(fillings(masks, groups, 4_000 + 10 * limit), limit + 1))
    except TooMuch:
        return None
    return found if len(found) <= limit else None


@cache
def four_by_four() -> tuple[Grid, ...]:
    """The 288 grids of 4×4 with 2×2 blocks, ascending: cell after cell, every digit tried."""
    board = houses(Layout(2, 2))
    grids: list[Grid] = [()]
    for cell in range(16):
        before = [c for group in board if cell in group for c in group if c < cell]
        grids = [(*g, d) for g in grids for d in (1, 2, 3, 4) if all(g[c] != d for c in before)]
    return tuple(grids)


def keys_of(grid: Sequence[int], n: int) -> frozenset[int]:
    """The keys of a grid's digits."""
    return frozenset(c * n + d - 1 for c, d in enumerate(grid) if d)


def grid_of(keys: Iterable[int], n: int, cells: int | None = None) -> Grid:
    """The grid of such keys, 0 where there is none."""
    digits = [0] * (n**2 if cells is None else cells)
    for key in keys:
        digits[key // n] = key % n + 1
    return tuple(digits)


def four_by_four_with(hints: Mapping[int, int]) -> Solutions:
    """The 4×4 grids that have some hints, as sets of keys."""
    fitting = (g for g in four_by_four() if all(g[c] == d for c, d in hints.items()))
    return frozenset(keys_of(g, 4) for g in fitting)
