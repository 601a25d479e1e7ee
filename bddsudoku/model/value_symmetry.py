"""Candidates for value symmetry: models in which every place (cell) takes one value (digit).

Where some "exactly one" constraints, the *places*, partition all variables, a solution chooses one
variable at every place. The *values* are the classes of variables that the other one-hot
constraints connect: the digits of a Sudoku whose places are the cells, the holes of the pigeonhole
problem. A constraint within one value is a *house*: exactly one (or at most one) of its places has
that value. A constraint on several values, or with two variables of one place, is a *crossing* one.

The values found here are candidates for interchangeable values; which of them are interchangeable,
:mod:`bddsudoku.engine.specs.value_symmetry_spec` finds by comparing their houses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.model import Model

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64, Flags

_MAX_PARTITIONS = 3
"""Greatest number of partitions into places that are considered."""
_CROSSING_RATIO = 2
"""Least number of places per crossing constraint: each of these needs a register."""
_MAX_ENTRIES = 200_000
"""Greatest total size of the constraints of a model that is examined: some tenths of a second."""


@dataclass(frozen=True, eq=False)
class ValueSymmetry:
    """A model read as the choice of one value at every place (a digit in every cell).

    Attributes:
        model: the original model, before any assumption.
        places: positions of the constraints that are places.
        place_of: int64 (variables,); number of the place of a variable.
        value_of: int64 (variables,); its value; no place has two variables of one value.
        values: number of values.
        houses: the places of each house, ascending; no two have the same.
        has: bool (houses, values); whether the house constrains a value.
        exact: bool (houses, values); whether the value must occur there (else at most once).
        crossing: the constraints that are no houses.
        allowed: bool (places, values); such a variable exists and is not assumed false.
        given: int64 (places,); the value that is assumed, -1 for none.
    """

    model: Model
    places: tuple[int, ...]
    place_of: I64
    value_of: I64
    values: int
    houses: tuple[tuple[int, ...], ...]
    has: Flags
    exact: Flags
    crossing: tuple[Constraint, ...]
    allowed: Flags
    given: I64


def find_value_symmetries(model: Model) -> Iterator[ValueSymmetry]:
    """Yield possible value symmetries of a model: places that each take one of the same values.

    The original model is read, with the assumptions. At most some six readings, each with
    other places. None when there are no such places, only one value, too many crossing
    constraints, or an obvious contradiction.

    Args:
        model: any model; only its original and its assumptions matter.

    Cost: some microseconds per variable of a constraint.
    """
    base, assumptions = model.original, dict(model.assumptions)
    if len(assumptions) < len(set(model.assumptions)) or not base.variables:
        return
    if sum(len(c.variables) for c in base.constraints) > _MAX_ENTRIES:
        return
    if any(key not in base.position_by_key for key in assumptions) or base.is_contradictory:
        return
    for places in _partitions_into_places(base):
        found = _value_symmetry_of_places(base, places, assumptions)
        if found is not None and len(found.crossing) * _CROSSING_RATIO <= len(places):
            yield found


def _partitions_into_places(model: Model) -> Iterator[tuple[int, ...]]:
    """Yield sets of "exactly one" constraints (places) that partition all variables."""
    candidates = [
        (i, c)
        for i, c in enumerate(model.constraints)
        if isinstance(c, OneHot) and not c.at_most and c.total == 1
    ]
    used: set[int] = set()
    tried = 0
    for seed, first in candidates:
        if seed in used:
            continue
        used.add(seed)
        tried += 1
        if tried > 2 * _MAX_PARTITIONS:
            return
        taken, partition = set(first.variables), [seed]
        for i, c in candidates:
            if i not in used and taken.isdisjoint(c.variables):
                taken.update(c.variables)
                partition.append(i)
        used.update(partition)
        if len(taken) == len(model.variables) and len(partition) > 1:
            yield tuple(sorted(partition))


def _value_symmetry_of_places(
    base: Model, places: tuple[int, ...], assumptions: dict[int, bool]
) -> ValueSymmetry | None:
    """The value symmetry with given places; None if there is none."""
    count = len(base.variables)
    place_of = np.full(count, -1, np.int64)
    for number, i in enumerate(places):
        place_of[list(base.constraints[i].variables)] = number
    others = [c for i, c in enumerate(base.constraints) if i not in set(places)]
    value_of = _number_values(others, place_of.tolist())
    values = int(value_of.max()) + 1
    if not 2 <= values < count or len(places) < 2:
        return None
    allowed = np.zeros((len(places), values), bool)
    allowed[place_of, value_of] = True
    of_house: dict[tuple[int, ...], dict[int, bool]] = {}
    crossing: list[Constraint] = []
    for c in others:
        if c.is_trivial:
            continue
        vs = list(c.variables)
        if isinstance(c, OneHot) and c.total == 0:
            allowed[place_of[vs], value_of[vs]] = False
            continue
        house_places, house_values = place_of[vs].tolist(), set(value_of[vs].tolist())
        if (
            not isinstance(c, OneHot)
            or len(house_values) > 1
            or len(set(house_places)) < len(house_places)
        ):
            crossing.append(c)
            continue
        which = of_house.setdefault(tuple(sorted(house_places)), {})
        value = house_values.pop()
        which[value] = which.get(value, False) or not c.at_most
    given = np.full(len(places), -1, np.int64)
    for key, true in assumptions.items():
        v = base.position_by_key[key]
        place, value = int(place_of[v]), int(value_of[v])
        if not true:
            allowed[place, value] = False
        elif given[place] >= 0:
            return None
        else:
            given[place] = value
    has = np.zeros((len(of_house), values), bool)
    exact = np.zeros((len(of_house), values), bool)
    for number, which in enumerate(of_house.values()):
        for value, wanted in which.items():
            has[number, value] = True
            exact[number, value] = wanted
    return ValueSymmetry(
        base, places, place_of, value_of, values, tuple(of_house), has, exact,
        tuple(crossing), allowed, given,
    )  # fmt: skip


def _number_values(constraints: Sequence[Constraint], place_of: Sequence[int]) -> I64:
    """Assign value numbers to variables, equal ones within a one-hot constraint if possible.

    Union-find over the one-hot constraints, "exactly one" and long ones first; two classes stay
    separate when their union would have two variables of one place.
    """
    part = list(range(len(place_of)))
    met = [1 << place for place in place_of]

    def root(v: int) -> int:
        while part[v] != v:
            part[v] = part[part[v]]
            v = part[v]
        return v

    for c in sorted(
        (c for c in constraints if isinstance(c, OneHot) and c.total == 1),
        key=lambda c: (c.at_most, -len(c.variables)),
    ):
        roots = sorted({root(v) for v in c.variables})
        together, size = 0, 0
        for r in roots:
            together |= met[r]
            size += met[r].bit_count()
        if together.bit_count() == size:
            for r in roots:
                part[r] = roots[0]
            if roots:
                met[roots[0]] = together
    roots = [root(v) for v in range(len(part))]
    number = {r: k for k, r in enumerate(dict.fromkeys(roots))}
    return np.array([number[r] for r in roots], np.int64)
