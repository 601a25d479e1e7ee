"""Cells of the constraint search, and the constraints on them by the kind of their propagators.

A *cell* has a set of possible values, a word of at most 64 bits, and takes exactly one of them.
Every variable of a model is true when a certain cell has a certain value. Which these are, the
model says of its variables (:class:`bddsudoku.model.constraints.Variable`); equal values of
different cells have the same bit. Booleans that belong to no cell are options of an exact cover:
its items are the cells then, as many as share no option, and what is left are cells with two
values, true and false. A cell of which all variables may be false has one more value for that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.connected import Region
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.partitions import Partition
from bddsudoku.engine.search.relations import transpose_relation
from bddsudoku.engine.search.sets import SetConstraint
from bddsudoku.engine.search.sums import Sum
from bddsudoku.model.constraints import Members, OneHotSets, Variable

MAX_VALUES = 64
"""Most values of a cell: the bits of a word."""
_MAX_SEEING = 1 << 11
"""Most cells of a problem for which bit sets of cells are held for each cell."""

Equation = tuple[int, int]
"""The bit set of some cells, and the sum of their numbers."""

Cell = Mapping[int, "int | None"]
"""The variable of each value of a cell; None for the value "all are false"."""


def make_cells(
    variables: Sequence[Variable],
    one_hots: OneHotSets,
    touched: Sequence[int],
    order: Sequence[int] | None = None,
) -> tuple[list[Cell], Sequence[int]]:
    """Make the cells of a model, and list the number that each of their values stands for.

    Args:
        variables: the model's variables.
        one_hots: its one-hot constraints.
        touched: the variables in constraints, each of which has to be in some cell.
        order: rank of every variable, by which values and cells are numbered; None for their own.
    """
    rank = range(len(variables)) if order is None else order
    chosen = sorted(
        _choose_cells(variables, one_hots, touched), key=lambda cell: min(rank[v] for v in cell[0])
    )
    if order is None:
        values = sorted({variables[v].value for v in touched})
    else:
        values = [*dict.fromkeys(variables[v].value for v in sorted(touched, key=rank.__getitem__))]
    bit_of = {value: k for k, value in enumerate(values)}
    found: list[Cell] = []
    for members, exactly in chosen:
        ranked = sorted(members, key=rank.__getitem__)
        if variables[members[0]].cell is None or len(values) >= MAX_VALUES:
            cell: dict[int, int | None] = dict(enumerate(ranked))
        else:
            cell = {bit_of[variables[v].value]: v for v in ranked}
        if not exactly:
            cell[next(k for k in range(MAX_VALUES) if k not in cell)] = None
        found.append(cell)
    return found, values


def _choose_cells(
    variables: Sequence[Variable], one_hots: OneHotSets, touched: Sequence[int]
) -> Iterator[tuple[Members, bool]]:
    """Yield disjoint sets of variables as cells, and whether each must have a true one."""
    stated: defaultdict[int, list[int]] = defaultdict(list)
    for v in touched:
        if (cell := variables[v].cell) is not None:
            stated[cell].append(v)
    exact, at_most = {*one_hots.items}, {*one_hots.groups}
    cells = [members for members in map(tuple, stated.values()) if members in exact | at_most]
    singles = ((v,) for v in touched)
    taken: set[int] = set()
    for members in chain(cells, one_hots.items, one_hots.groups, singles):
        if len(taken) == len(touched):
            break
        exactly = members in exact
        if len(members) <= MAX_VALUES - (not exactly) and taken.isdisjoint(members):
            taken.update(members)
            yield members, exactly


class CellProblem:
    """Cells, and constraints on them, each in the list of its kind.

    Args:
        cells: the cells of the problem.
        number: what sums add for a value; none for further values.
        check: called now and then with the additional bytes; may raise.
    """

    def __init__(
        self, cells: Iterable[Cell], number: Sequence[int], check: MemoryCheck | None = None
    ) -> None:
        self.number = number
        self.check = check
        self.variable: list[Cell] = [*cells]
        """For every cell the variable of each of its values."""
        self.place: dict[int, tuple[int, int]] = {
            v: (c, k) for c, of in enumerate(self.variable) for k, v in of.items() if v is not None
        }
        """For every variable its cell and value."""
        self.domain: list[int] = [sum(1 << k for k in of) for of in self.variable]
        self.left: list[int] = [*self.domain]
        """What single constraints leave of the domains."""
        self.possible: bool = True
        self.has_bit_sets: bool = len(self.domain) <= _MAX_SEEING
        """Whether cells lose the values whose places they see in :attr:`different`."""
        self.different: list[int] = [0] * len(self.domain)
        """For each cell a bit set of cells that never have the same value."""
        self.allowed: dict[tuple[int, int], list[int]] = {}
        """For two cells what every value of the first leaves of the second."""
        self.houses: list[tuple[int, int]] = []
        """The bit set of the cells of each house, and that of the values that it needs."""
        self.choices: list[Choice] = []
        self.sets: list[SetConstraint] = []
        self.sums: list[Sum] = []
        self.mdds: list[CellMdd] = []
        self.regions: list[Region] = []
        self.partitions: list[Partition] = []
        self.equations: list[Equation] = []
        """Cells, as a bit set, of which the numbers have a known sum."""
        self.repeated: dict[Members, int] = {}
        """Cells added for variables of several cells that a constraint reads together."""
        self._fixed: dict[int, int] = {}
        self.selectors: list[int] = []
        """Cells added for disjunctions, on which the search does not branch."""
        self.holding: defaultdict[int, int] = defaultdict(int)
        """The cells that have a value, by its bit."""
        for c, of in enumerate(self.variable):
            for k in of:
                self.holding[1 << k] |= 1 << c

    def cells_and_values(self, variables: Iterable[int]) -> list[tuple[int, int]]:
        """For each variable, the cell and the value that stand for it."""
        return [*map(self.place.__getitem__, variables)]

    def variables_by_cell(self, members: Iterable[int]) -> dict[int, dict[int, int]]:
        """Group variables by cell: for each cell, the variable of each value."""
        found: dict[int, dict[int, int]] = {}
        for v in members:
            c, k = self.place[v]
            found.setdefault(c, {})[k] = v
        return found

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

    def add_cell(self, value_count: int) -> int:
        """Add a cell whose values, numbered from 0, stand for no variables; returns its number."""
        every = (1 << value_count) - 1
        self.domain.append(every)
        self.left.append(every)
        self.different.append(0)
        self.variable.append(dict.fromkeys(range(value_count)))
        return len(self.variable) - 1

    def fixed_cell(self, k: int) -> int:
        """The number of an added cell that has only a certain value."""
        if k not in self._fixed:
            self._fixed[k] = self.add_cell(k + 1)
            self.restrict_cell(self._fixed[k], 1 << k)
        return self._fixed[k]
