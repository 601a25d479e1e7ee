"""Colours: values that a model may not tell apart, found from its constraints alone.

Where some "exactly one" constraints, the *places*, share out all variables among them, a model is a
choice at every place. What the other constraints hold together are *colours*: the digits of a
Sudoku whose places are the cells, the holes of pigeons. A constraint within one colour is a
*house*: of the places where it speaks, one has that colour (or at most one). What speaks of several
colours, or of one place twice, *crosses*.

Nothing here says that colours are alike; :mod:`bddsudoku.engine.specs.sorted_spec` compares them.
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

_MAX_SYSTEMS = 3
"""Systems of places that are looked at."""
_CROSSING_RATIO = 2
"""Of so many places at most one may have a constraint that crosses: each needs a register."""
_MAX_ENTRIES = 200_000
"""Entries of constraints beyond which nothing is looked for: some tenths of a second."""


@dataclass(frozen=True, eq=False)
class ValueSymmetry:
    """A model as a choice of a colour at every place.

    Attributes:
        model: the model, before anything was told of it.
        places: positions of the constraints that are places.
        place_of: int64 (variables,); number of the place of a variable.
        colour_of: int64 (variables,); its colour; no place has two variables of one colour.
        colours: how many there are.
        houses: the places of each house, ascending; no two have the same.
        has: bool (houses, colours); whether a colour has the house.
        exact: bool (houses, colours); whether it must come there.
        crossing: the constraints that no house says.
        allowed: bool (places, colours); there is such a variable, and nothing said that it is
            false.
        given: int64 (places,); the colour that was told, -1 for none.
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


def value_symmetries(model: Model) -> Iterator[ValueSymmetry]:
    """The colourings of what a model was before anything was known, with what was told of it.

    A few at most, each with another system of places. None where there is no such system, where
    all places have one colour, where many constraints cross, or where the model contradicts itself
    at first sight.

    Args:
        model: any model; what was deduced does not matter.

    Cost: some microseconds for every variable of a constraint.
    """
    base, assumptions = model.original, dict(model.assumptions)
    if len(assumptions) < len(set(model.assumptions)) or not base.variables or not _is_small(base):
        return
    if any(key not in base.position_by_key for key in assumptions) or base.is_contradictory:
        return
    for places in _place_systems(base):
        found = _value_symmetry(base, places, assumptions)
        if found is not None and len(found.crossing) * _CROSSING_RATIO <= len(places):
            yield found


def _is_small(model: Model) -> bool:
    return sum(len(c.variables) for c in model.constraints) <= _MAX_ENTRIES


def _place_systems(model: Model) -> Iterator[tuple[int, ...]]:
    """Sets of "exactly one" constraints that share out all variables, in the model's order."""
    candidates = [(i, c) for i, c in model.one_hots if not c.at_most and c.total == 1]
    used: set[int] = set()
    tried = 0
    for seed, first in candidates:
        if seed in used:
            continue
        used.add(seed)
        tried += 1
        if tried > 2 * _MAX_SYSTEMS:
            return
        taken, system = set(first.variables), [seed]
        for i, c in candidates:
            if i not in used and taken.isdisjoint(c.variables):
                taken.update(c.variables)
                system.append(i)
        used.update(system)
        if len(taken) == len(model.variables) and len(system) > 1:
            yield tuple(sorted(system))


def _value_symmetry(
    base: Model, places: tuple[int, ...], assumptions: dict[int, bool]
) -> ValueSymmetry | None:
    """The colouring of a system of places; None if there is nothing in it."""
    count = len(base.variables)
    place_of = np.full(count, -1, np.int64)
    for number, i in enumerate(places):
        place_of[list(base.constraints[i].variables)] = number
    others = [c for i, c in enumerate(base.constraints) if i not in set(places)]
    value_of = _components(others, place_of.tolist())
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


def _components(constraints: Sequence[Constraint], place_of: Sequence[int]) -> I64:
    """What the one-hot constraints hold together, the longest first; a part meets a place once."""
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
