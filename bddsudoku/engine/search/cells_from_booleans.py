"""Cells: integer variables of the constraint search, whose values stand for Boolean variables.

A *cell* has a set of possible values, a word of at most 64 bits, and takes exactly one of them.
Every variable of a model is true when a certain cell has a certain value. Cells are made of items
that share no variable, as many as can be found (in a Sudoku the items "a digit in this cell"); what
is left are cells with two values, true and false. An item of which all variables may be false has
one more value for that.

Values have names only within a cell. But they are chosen so that the variables of every other item
have the same value where that is possible, in a Sudoku the digit: such an item says that one of
its cells takes that value, which a few operations on words find out for all values at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from operator import or_

from bddsudoku.model.constraints import Members, OneHotSets

MAX_VALUES = 64
"""Most values of a cell: the bits of a word."""

ChosenCell = tuple[Members, bool]
"""The variables of a cell, and whether exactly one of them is true, or at most one."""


@lru_cache(maxsize=1024)
def bit_numbers(word: int) -> tuple[int, ...]:
    """The ascending positions of the bits of a word that are set."""
    found = []
    while word:
        bit = word & -word
        found.append(bit.bit_length() - 1)
        word ^= bit
    return tuple(found)


def choose_cells(
    one_hots: OneHotSets, preferred: Iterable[Members], variables: Sequence[int]
) -> Iterator[ChosenCell]:
    """Yield disjoint sets of variables as cells, and whether each must have a true one.

    Args:
        one_hots: the one-hot constraints.
        preferred: sets of variables that constraints read together.
        variables: all variables, each of which has to be in some cell.
    """
    items = one_hots.items
    uses: Counter[int] = Counter()
    parts: list[Members] = []
    for part in dict.fromkeys(preferred):
        inside = [i for i in one_hots.items_of.get(part[0], ()) if {*part}.issubset(items[i])]
        uses.update(inside)
        if not inside and len(part) > 1:
            parts.append(part)
    by_use = sorted(uses, key=lambda i: (-uses[i], i))
    unused = (i for i in range(len(items)) if i not in uses)
    others = chain(parts, one_hots.groups, ((v,) for v in variables))
    taken: set[int] = set()
    for members, exactly in chain(
        ((items[i], True) for i in chain(by_use, unused)), ((part, False) for part in others)
    ):
        if len(taken) == len(variables):
            break
        if len(members) <= MAX_VALUES - (not exactly) and taken.isdisjoint(members):
            taken.update(members)
            yield members, exactly


class Cells:
    """The cells of a problem, and the Boolean variable for which each of their values stands.

    Args:
        chosen: the cells, see :func:`choose_cells`.
        names: further sets of variables whose values should be equal.
        order: rank of every variable, by which values and cells are numbered.

    Attributes:
        variable: for every cell the variable of each of its values, None for "all are false".
        place: for every variable its cell and value.
    """

    def __init__(
        self, chosen: Iterable[ChosenCell], names: Sequence[Members], order: Sequence[int]
    ) -> None:
        self.variable: list[dict[int, int | None]] = []
        self.place: dict[int, tuple[int, int]] = {}
        chosen = sorted(chosen, key=lambda cell: min(order[v] for v in cell[0]))
        cell_of = {v: c for c, (members, _) in enumerate(chosen) for v in members}
        value = _align_values(chosen, cell_of, names, order)
        for c, (members, exactly) in enumerate(chosen):
            of: dict[int, int | None] = {value[v]: v for v in members}
            if not exactly:
                of[next(k for k in range(MAX_VALUES) if k not in of)] = None
            self.variable.append(of)
            self.place.update((v, (c, value[v])) for v in members)

    def __copy__(self) -> Cells:
        new = Cells((), (), ())
        new.variable, new.place = [*self.variable], {**self.place}
        return new

    @property
    def domains(self) -> list[int]:
        """The values of every cell, as a bit set."""
        return [sum(1 << k for k in of) for of in self.variable]

    def variables_by_cell(self, members: Iterable[int]) -> dict[int, dict[int, int]]:
        """Group variables by cell: for each cell, the variable of each value."""
        found: dict[int, dict[int, int]] = {}
        for v in members:
            c, k = self.place[v]
            found.setdefault(c, {})[k] = v
        return found

    def add_cell(self, value_count: int) -> int:
        """Add a cell whose values, numbered from 0, stand for no variables."""
        self.variable.append(dict.fromkeys(range(value_count)))
        return len(self.variable) - 1


def _align_values(
    chosen: Sequence[ChosenCell],
    cell_of: dict[int, int],
    names: Sequence[Members],
    order: Sequence[int],
) -> dict[int, int]:
    """Give each variable a value of its cell, where possible the same within a set in ``names``."""
    # Classes of variables of one value, by one of their variables; most are in a class with others.
    class_of: dict[int, int] = {}
    members: dict[int, Sequence[int]] = {}
    cells: dict[int, int] = {}
    for item in names:
        classes = {class_of.get(v, v) for v in item}
        if len(classes) < 2:
            continue
        held = [cells.get(k) or 1 << cell_of[k] for k in classes]
        together = reduce(or_, held)
        if together.bit_count() == sum(map(int.bit_count, held)):
            kept = max(classes, key=lambda k: len(members.get(k, ())))
            whole = [*members.pop(kept, (kept,))]
            for k in classes - {kept}:
                whole += members.pop(k, (k,))
            class_of.update(dict.fromkeys(whole, kept))
            members[kept] = whole
            cells[kept] = together
    for v in cell_of.keys() - class_of.keys():
        class_of[v], members[v], cells[v] = v, (v,), 1 << cell_of[v]
    first = {k: min(map(order.__getitem__, some)) for k, some in members.items()}
    before: dict[int, set[int]] = {k: set() for k in sorted(members, key=first.__getitem__)}
    ranked = [
        tuple(map(class_of.__getitem__, sorted(part, key=order.__getitem__))) for part, _ in chosen
    ]
    for one, other in chain.from_iterable(map(pairwise, dict.fromkeys(ranked))):
        before[other].add(one)
    try:
        sequence = [*TopologicalSorter(before).static_order()]
    except CycleError:
        sequence = [*before]
    # Each class takes the first value that is free in all of its cells.
    used: list[int] = []
    value: dict[int, int] = {}
    left: list[int] = []
    for k in sequence:
        place = next((i for i, held in enumerate(used) if not held & cells[k]), len(used))
        if place == MAX_VALUES - 1:  # the last value may stand for "all are false"
            left += members[k]
            continue
        if place == len(used):
            used.append(0)
        used[place] |= cells[k]
        value.update(dict.fromkeys(members[k], place))
    for v in left:
        part, _ = chosen[cell_of[v]]
        taken = {value[w] for w in part if w in value}
        value[v] = next(i for i in range(MAX_VALUES) if i not in taken)
    return value
