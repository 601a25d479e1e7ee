"""Cells of the constraint search, and the propagators of one-hot constraints over them.

Exactly-one constraints over a value's places become houses; at-most-one constraints become pairs of
cells that may not share a value, relations, or choices; so do at-least-one constraints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations
from operator import or_

from bddsudoku.engine.search.cells_from_booleans import Cells, bit_numbers
from bddsudoku.engine.search.choices import Choice
from bddsudoku.model.constraints import Members

_MAX_PEERS = 64
"""Most cells of a set of exclusive variables that is written as peers: all have the same value."""
_MAX_RELATED = 4
"""The same for other sets, which are written as relations."""
_MAX_SEEING = 1 << 11
"""Most cells of a problem for which bit sets of cells are held for each cell."""

House = tuple[int, dict[int, int]]
"""The bit set of some cells; for each of certain values, by its bit, those that may have it."""


class OneHotPropagators:
    """Cells with the constraints that one, or at most or at least one, of some variables is true.

    Args:
        cells: the cells of the problem.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.domain = cells.domains
        self.cell_bit = [1 << c for c in range(len(self.domain))]
        self.left = [*self.domain]
        """What single constraints leave of the domains."""
        self.possible = True
        self.peers: defaultdict[tuple[int, int], int] = defaultdict(int)
        """Values that two cells (the lower first) may not share, and others that one has not."""
        self.has_bit_sets = len(self.domain) <= _MAX_SEEING
        """Whether cells lose the values whose places they see in :attr:`different`."""
        self.different = [0] * len(self.domain)
        """For each cell a bit set of cells that never have the same value."""
        self.allowed: dict[tuple[int, int], list[int]] = {}
        """For two cells what every value of the first leaves of the second."""
        self.houses: list[House] = []
        self.choices: list[Choice] = []
        holding: defaultdict[int, int] = defaultdict(int)
        for c, domain in enumerate(self.domain):
            while domain:
                bit = domain & -domain
                holding[bit] |= 1 << c
                domain ^= bit
        self.holding = holding
        """The cells that have a value, by its bit."""

    def cells_and_values(self, variables: Iterable[int]) -> list[tuple[int, int]]:
        """For each variable, the cell and the value that stand for it."""
        return [*map(self.cells.place.__getitem__, variables)]

    def add_exactly_one(self, members: Members) -> None:
        """Add the constraint that exactly one of some variables is true."""
        if not self._add_to_house(self.houses, members):
            self._add_choice(self.cells_and_values(members), 1)
            self.add_at_most_one(members)

    def _add_to_house(self, houses: list[House], members: Members) -> bool:
        """Add a value's places to a house, or as a new one; False if they are no cells of a value.

        The other values of that house must have no places in cells that are new there.
        """
        cells, values = zip(*self.cells_and_values(members), strict=True)
        bit = 1 << values[0]
        mine = sum(map(self.cell_bit.__getitem__, cells))
        if len({*values}) > 1 or mine.bit_count() < len(cells):
            return False
        for i in reversed(range(len(houses))):
            whole, of = houses[i]
            if bit in of or not whole & mine or self.holding[bit] & whole & ~mine:
                continue
            if mine & ~whole and any(
                self.holding[other] & (whole | mine) != held for other, held in of.items()
            ):
                continue
            of[bit] = mine
            houses[i] = (whole | mine, of)
            break
        else:
            houses.append((mine, {bit: mine}))
        return True

    def add_hall_sets(self, groups: Iterable[Members]) -> None:
        """Add as houses the Hall sets: cells that differ and have only as many values as cells.

        Args:
            groups: sets of variables of which at most one is true.
        """
        houses: list[House] = []
        for group in groups:
            if len(group) > 2:
                self._add_to_house(houses, group)
        for whole, of in houses:
            possible = reduce(or_, (self.domain[c] for c in bit_numbers(whole)))
            if len(of) == whole.bit_count() and possible == sum(of):
                self.houses.append((whole, of))

    def exclude_in_houses(self) -> None:
        """Exclude equal values in the cells of each house; call this after adding all houses."""
        for whole, of in self.houses:
            self.exclude_equal_values(bit_numbers(whole), sum(of))

    def exclude_equal_values(self, cells: Sequence[int], values: int) -> None:
        """Exclude that two of some cells, in ascending order, have the same of some values."""
        if self.has_bit_sets and not any(self.domain[c] & ~values for c in cells):
            whole = sum(1 << c for c in cells)
            for c in cells:
                self.different[c] |= whole & ~(1 << c)
        else:
            for pair in combinations(cells, 2):
                self.peers[pair] |= values

    def excluded_values(self, a: int, b: int) -> int:
        """Values that two cells, the lower first, may not share, and others that one has not."""
        if self.different[a] >> b & 1:
            return self.domain[a] & self.domain[b]
        return self.peers.get((a, b), 0)

    def add_at_most_one(self, members: Members) -> None:
        """Add the constraint that at most one of some variables is true."""
        places = sorted(self.cells_and_values(members))
        if len(places) > _MAX_RELATED:
            most = _MAX_PEERS if len({k for _, k in places}) == 1 else _MAX_RELATED
            if len({c for c, _ in places}) > most:
                self._add_choice(places, 0)
                return
        for (a, k), (b, other) in combinations(places, 2):
            if a == b:
                continue
            if k == other:
                self.peers[a, b] |= 1 << k
            else:
                self.relation_rows(a, b)[k] &= ~(1 << other)

    def _add_choice(self, places: Iterable[tuple[int, int]], least: int) -> None:
        """Add a choice of at most one, and at least ``least``, of pairs (cell, value).

        For two cells it is a relation. (An indexer says "this digit here or another one there".)
        """
        values: dict[int, int] = {}
        for c, k in places:
            values[c] = values.get(c, 0) | 1 << k
        if len(values) == 1 and least:
            self.restrict_cell(c, values[c])
        if len(values) > 2:
            self.choices.append(Choice([*values.items()], least, 1))
        if len(values) != 2:
            return
        (a, one), (b, other) = sorted(values.items())
        rows = self.relation_rows(a, b)
        for v in range(len(rows)):
            if one >> v & 1:
                rows[v] &= ~other
            elif least:
                rows[v] &= other

    def restrict_cell(self, c: int, values: int) -> None:
        """Leave a cell only those of its values that are in a bit set."""
        self.left[c] &= values
        self.possible &= self.left[c] != 0

    def relation_rows(self, a: int, b: int) -> list[int]:
        """The stored list of the values that cell b may have for each value of cell a; a < b."""
        found = self.allowed.get((a, b))
        if found is None:
            found = [
                self.domain[b] if self.domain[a] >> v & 1 else 0
                for v in range(self.domain[a].bit_length())
            ]
            self.allowed[a, b] = found
        return found
