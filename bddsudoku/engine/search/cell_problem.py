"""The constraints of a problem over cells, by the kind of their propagators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.search.cells_from_booleans import Cells
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.derived_sums import Equation
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.relations import transpose_relation
from bddsudoku.engine.search.sums import Sum
from bddsudoku.model.constraints import Members
from bddsudoku.model.expression import Expression

_MAX_SEEING = 1 << 11
"""Most cells of a problem for which bit sets of cells are held for each cell."""

House = tuple[int, dict[int, int]]
"""The bit set of some cells; for each of certain values, by its bit, those that may have it."""


class CellProblem:
    """Cells, and constraints on them, each in the list of its kind.

    Args:
        cells: the cells of the problem.
    """

    def __init__(self, cells: Cells) -> None:
        self.check: MemoryCheck | None = None
        """Called now and then with the additional bytes; may raise."""
        self.cells = cells
        self.domain = cells.domains
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
        self.sets: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.sums: list[Sum] = []
        self.mdds: list[CellMdd] = []
        self.number: dict[int, int] = {}
        """The number that sums add for a value, but for a constant."""
        self.equations: list[Equation] = []
        """Cells, as a bit set, of which the numbers have a known sum."""
        self.repeated: dict[Members, int] = {}
        """Cells added for variables of several cells that a constraint reads together."""
        self.truth: dict[Expression, int] = {}
        """For an inequality the number, like that of a variable, of its cell's value "true"."""
        self.holding: defaultdict[int, int] = defaultdict(int)
        """The cells that have a value, by its bit."""
        for c, domain in enumerate(self.domain):
            while domain:
                bit = domain & -domain
                self.holding[bit] |= 1 << c
                domain ^= bit

    def cells_and_values(self, variables: Iterable[int]) -> list[tuple[int, int]]:
        """For each variable, the cell and the value that stand for it."""
        return [*map(self.cells.place.__getitem__, variables)]

    def excluded_values(self, a: int, b: int) -> int:
        """Values that two cells, the lower first, may not share, and others that one has not."""
        if self.different[a] >> b & 1:
            return self.domain[a] & self.domain[b]
        return self.peers.get((a, b), 0)

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

    def restrict_relation(self, a: int, b: int, rows: Sequence[int]) -> None:
        """Restrict a relation: ``rows`` has, for each value of cell a, the allowed values of b."""
        if a > b:
            rows = transpose_relation(tuple(rows), self.domain[b].bit_length())
            a, b = b, a
        allowed = self.relation_rows(a, b)
        for v in range(len(allowed)):
            allowed[v] &= rows[v]

    def copy(self, check: MemoryCheck | None) -> CellProblem:
        """An independent copy of one-hot constraints, for others to be added."""
        new = copy(self)
        vars(new).update((name, copy(value)) for name, value in vars(self).items())
        new.houses = [(whole, {**of}) for whole, of in self.houses]
        new.allowed = {pair: [*rows] for pair, rows in self.allowed.items()}
        new.check = check
        return new

    def add_cell(self, value_count: int) -> int:
        """Add a cell whose values, numbered from 0, stand for no variables; returns its number."""
        every = (1 << value_count) - 1
        self.domain.append(every)
        self.left.append(every)
        self.different.append(0)
        return self.cells.add_cell(value_count)
