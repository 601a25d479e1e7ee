"""Propagators of one-hot constraints.

Exactly-one constraints over a value's places become houses; at-most-one constraints become pairs of
cells that may not share a value, relations, or choices; so do at-least-one constraints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from bddsudoku.engine.search.cell_problem import CellProblem, House
from bddsudoku.engine.search.cells_from_booleans import bit_numbers
from bddsudoku.engine.search.choices import Choice
from bddsudoku.model.constraints import Members

_MAX_PEERS = 64
"""Most cells of a set of exclusive variables that is written as peers: all have the same value."""
_MAX_RELATED = 4
"""The same for other sets, which are written as relations."""


def add_exactly_one(p: CellProblem, members: Members) -> None:
    """Add the constraint that exactly one of some variables is true."""
    if not _add_to_house(p, p.houses, members):
        _add_choice(p, p.cells_and_values(members), 1)
        add_at_most_one(p, members)


def _add_to_house(p: CellProblem, houses: list[House], members: Members) -> bool:
    """Add a value's places to a house, or as a new one; False if they are no cells of a value.

    The other values of that house must have no places in cells that are new there.
    """
    cells, values = zip(*p.cells_and_values(members), strict=True)
    bit = 1 << values[0]
    mine = sum(1 << c for c in cells)
    if len({*values}) > 1 or mine.bit_count() < len(cells):
        return False
    for i in reversed(range(len(houses))):
        whole, of = houses[i]
        if bit in of or not whole & mine or p.holding[bit] & whole & ~mine:
            continue
        if mine & ~whole and any(
            p.holding[other] & (whole | mine) != held for other, held in of.items()
        ):
            continue
        of[bit] = mine
        houses[i] = (whole | mine, of)
        break
    else:
        houses.append((mine, {bit: mine}))
    return True


def add_hall_sets(p: CellProblem, groups: Iterable[Members]) -> None:
    """Add as houses the Hall sets: cells that differ and have only as many values as cells.

    Args:
        groups: sets of variables of which at most one is true.
    """
    houses: list[House] = []
    for group in groups:
        if len(group) > 2:
            _add_to_house(p, houses, group)
    for whole, of in houses:
        possible = reduce(or_, (p.domain[c] for c in bit_numbers(whole)))
        if len(of) == whole.bit_count() and possible == sum(of):
            p.houses.append((whole, of))


def exclude_in_houses(p: CellProblem) -> None:
    """Exclude equal values in the cells of each house; call this after adding all houses."""
    for whole, of in p.houses:
        exclude_equal_values(p, bit_numbers(whole), sum(of))


def exclude_equal_values(p: CellProblem, cells: Sequence[int], values: int) -> None:
    """Exclude that two of some cells, in ascending order, have the same of some values."""
    if p.has_bit_sets and not any(p.domain[c] & ~values for c in cells):
        whole = sum(1 << c for c in cells)
        for c in cells:
            p.different[c] |= whole & ~(1 << c)
    else:
        for pair in combinations(cells, 2):
            p.peers[pair] |= values


def add_at_most_one(p: CellProblem, members: Members) -> None:
    """Add the constraint that at most one of some variables is true."""
    places = sorted(p.cells_and_values(members))
    if len(places) > _MAX_RELATED:
        most = _MAX_PEERS if len({k for _, k in places}) == 1 else _MAX_RELATED
        if len({c for c, _ in places}) > most:
            _add_choice(p, places, 0)
            return
    for (a, k), (b, other) in combinations(places, 2):
        if a == b:
            continue
        if k == other:
            p.peers[a, b] |= 1 << k
        else:
            p.relation_rows(a, b)[k] &= ~(1 << other)


def _add_choice(p: CellProblem, places: Iterable[tuple[int, int]], least: int) -> None:
    """Add a choice of at most one, and at least ``least``, of pairs (cell, value).

    For two cells it is a relation. (An indexer says "this digit here or another one there".)
    """
    values: dict[int, int] = {}
    for c, k in places:
        values[c] = values.get(c, 0) | 1 << k
    if len(values) == 1 and least:
        p.restrict_cell(c, values[c])
    if len(values) > 2:
        p.choices.append(Choice([*values.items()], least, 1))
    if len(values) != 2:
        return
    (a, one), (b, other) = sorted(values.items())
    rows = p.relation_rows(a, b)
    for v in range(len(rows)):
        if one >> v & 1:
            rows[v] &= ~other
        elif least:
            rows[v] &= other
