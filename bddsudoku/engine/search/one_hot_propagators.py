"""Propagators of one-hot constraints.

The constraints of a house, one for each value, are taken together. Other exactly-one constraints on
the places of a value are a house for that value; what is left becomes relations of two cells, or a
choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from bddsudoku.engine.search.cells import CellProblem, bit_numbers
from bddsudoku.engine.search.choices import Choice
from bddsudoku.model.constraints import Members, OneHotSets

_MAX_RELATED = 4
"""Most cells of a set of exclusive variables that is written as relations of any two of them."""


def add_one_hots(p: CellProblem, one_hots: OneHotSets) -> None:
    """Add the one-hot constraints of a model, but for those that make its cells."""
    cells = {tuple(sorted(v for v in of.values() if v is not None)) for of in p.variable}
    for house in one_hots.houses.values():
        parts = [part for part in house if part[0] not in cells]
        if len(parts) > 1 and _add_house(p, parts):
            continue
        for members, exactly in parts:
            if not (exactly and _add_house(p, [(members, True)])):
                _add_one_hot(p, p.cells_and_values(members), exactly=exactly)


def _add_house(p: CellProblem, parts: Sequence[tuple[Members, bool]]) -> bool:
    """Add the places of each value of a house; False if they are no such places.

    Args:
        p: the problem.
        parts: for each value its variables, and whether it must occur.
    """
    places: dict[int, int] = {}
    required = 0
    for members, exactly in parts:
        cells, values = zip(*p.cells_and_values(members), strict=True)
        bit, mine = 1 << values[0], sum(map((1).__lshift__, cells))
        is_one_place_a_cell = mine.bit_count() == len(cells)
        if values.count(values[0]) < len(values) or not is_one_place_a_cell or bit in places:
            return False
        places[bit] = mine
        required |= bit * exactly
    whole = reduce(or_, places.values(), 0)
    every = sum(places)
    if any(p.holding[bit] & whole != mine for bit, mine in places.items()):
        return False
    cells = bit_numbers(whole)
    if len(parts) == len(cells) and not any(p.domain[c] & ~every for c in cells):
        required = every  # as many values as cells: a Hall set
    if required:
        p.houses.append((whole, required))
    exclude_equal_values(p, cells, every)
    return True


def exclude_equal_values(p: CellProblem, cells: Sequence[int], values: int) -> None:
    """Exclude that two of some cells, in ascending order, have the same of some values."""
    if p.has_bit_sets and not any(p.domain[c] & ~values for c in cells):
        whole = sum(1 << c for c in cells)
        for c in cells:
            p.different[c] |= whole & ~(1 << c)
    else:
        for k in bit_numbers(values):
            _add_one_hot(p, [(c, k) for c in cells if p.domain[c] >> k & 1], exactly=False)


def _add_one_hot(p: CellProblem, places: Iterable[tuple[int, int]], *, exactly: bool) -> None:
    """Add the constraint that exactly one, or at most one, of some pairs (cell, value) holds.

    For two cells it is a relation. (An indexer says "this digit here or another one there".)
    """
    values: dict[int, int] = {}
    for c, k in places:
        values[c] = values.get(c, 0) | 1 << k
    if len(values) > (2 if exactly else _MAX_RELATED):
        p.choices.append(Choice([*values.items()], int(exactly), 1))
        return
    if len(values) == 1 and exactly:
        p.restrict_cell(*values.popitem())
    for (a, one), (b, other) in combinations(sorted(values.items()), 2):
        rows = p.relation_rows(a, b)
        for v in range(len(rows)):
            if one >> v & 1:
                rows[v] &= ~other
            elif exactly:
                rows[v] &= other
