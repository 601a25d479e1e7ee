"""Candidates for value symmetry: models in which every cell takes one of the same values.

Where the model says of all its variables which cell they are of, and every cell takes exactly one
value, the cells are the *places* (the cells of a Sudoku, the integers of a formula). The places
in a constraint on one value are a *house*: exactly one (or at most one) of them has that value. A
constraint on several values, or with two variables of one place, is a *crossing* one.

The values are candidates for interchangeable values; which of them are interchangeable,
:mod:`bddsudoku.engine.specs.value_symmetry_spec` finds by comparing their houses.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.model import Model

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64, Flags

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


def find_value_symmetry(model: Model) -> ValueSymmetry | None:
    """The candidate value symmetry of a model: places that each take one of the same values.

    The original model is read, with the assumptions. None when there are no such places, only one
    value, too many crossing constraints, or an obvious contradiction.

    Args:
        model: any model; only its original and its assumptions matter.

    Cost: some microseconds per variable of a constraint.
    """
    base, assumptions = model.original, dict(model.assumptions)
    if len(assumptions) < len(set(model.assumptions)):
        return None
    if sum(len(c.variables) for c in base.constraints) > _MAX_ENTRIES:
        return None
    if any(key not in base.position_by_key for key in assumptions) or base.is_contradictory:
        return None
    cells: defaultdict[int | None, list[int]] = defaultdict(list)
    for v, variable in enumerate(base.variables):
        cells[variable.cell].append(v)
    members = {tuple(some) for cell, some in cells.items() if cell is not None}
    exact = [(i, c) for i, c in enumerate(base.constraints) if isinstance(c, OneHot) and c.is_exact]
    places = tuple([i for i, c in exact if c.variables in members])
    if not len(places) == len(cells) == len(members):
        return None
    return _value_symmetry_of_places(base, places, assumptions)


def _value_symmetry_of_places(
    base: Model, places: tuple[int, ...], assumptions: dict[int, bool]
) -> ValueSymmetry | None:
    """The value symmetry with given places; None as for :func:`find_value_symmetry`."""
    count = len(base.variables)
    place_of = np.full(count, -1, np.int64)
    for number, i in enumerate(places):
        place_of[list(base.constraints[i].variables)] = number
    are_places = {*places}
    others = [c for i, c in enumerate(base.constraints) if i not in are_places]
    every, value_of = np.unique([v.value for v in base.variables], return_inverse=True)
    values = len(every)
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
    if len(crossing) * _CROSSING_RATIO > len(places):
        return None
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
