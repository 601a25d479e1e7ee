"""Choices of the constraint search: how many statements hold, against enumeration."""

from __future__ import annotations

import random

import pytest
from automata import automaton
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.protocol import find_engine
from bddsudoku.model import Model, Variable
from bddsudoku.model.allocation import substitute
from bddsudoku.model.constraints import Constraint, Linear, OneHot

VALUES = 3


def cells_and_groups(rng: random.Random, cells: int) -> tuple[tuple[Variable, ...], list[OneHot]]:
    """Cells of three values, which differ within up to two random groups.

    Cells and houses may be stated; a name of a house that stands twice is no promise.
    """
    stated = rng.random() < 0.5
    variables = tuple(
        Variable(f"x{v}", v, *(divmod(v, VALUES) if stated else ())) for v in range(VALUES * cells)
    )
    one_hots = [
        OneHot("cell", f"{c}", tuple(range(VALUES * c, VALUES * c + VALUES))) for c in range(cells)
    ]
    for g in range(rng.randint(0, 2)):
        group = sorted(rng.sample(range(cells), rng.randint(2, 3)))
        house = rng.choice(("", "a", f"{g}"))
        one_hots += [
            OneHot("group", f"{g} {k}", tuple(VALUES * c + k for c in group), 1, True, house)
            for k in rng.sample(range(VALUES), rng.randint(1, VALUES))
        ]
    return variables, one_hots


def counting(rng: random.Random, cells: int, label: str) -> Linear:
    """Cells with certain values minus cells with others, a multiple of a unit, between bounds."""
    unit = rng.choice((1, 1, 3))
    weights: dict[int, int] = {}
    for c in rng.sample(range(cells), rng.randint(3, cells)):
        values = rng.sample(range(VALUES), rng.choice((1, 1, 1, 2, 3)))
        weights |= dict.fromkeys((VALUES * c + k for k in values), rng.choice((unit, -unit)))
    variables = tuple(sorted(weights))
    low, high = sorted(rng.randint(-2 * unit, 3 * unit) for _ in range(2))
    bounds = rng.choice(((low, low), (low, high), (low, None), (None, high)))
    return Linear("count", label, variables, tuple(weights[v] for v in variables), *bounds)


@pytest.mark.parametrize("seed", range(60))
def test_counts_of_values_keep_all_solutions_and_no_others(seed: int) -> None:
    rng = random.Random(seed)
    cells = rng.randint(3, 4)
    variables, one_hots = cells_and_groups(rng, cells)
    counts: list[Constraint] = [counting(rng, cells, f"{i}") for i in range(rng.randint(1, 2))]
    model = Model(variables, (*one_hots, *counts))
    found = find_engine("search").solutions(model, Context())
    assert {frozenset(keys.tolist()) for keys in found} == by_enumeration(model)


@pytest.mark.parametrize("seed", range(24))
def test_automata_that_only_count_symbols(seed: int) -> None:
    """Cells of three values, some known; one or two values occur certain numbers of times."""
    rng = random.Random(seed)
    cells = 6
    variables, one_hots = cells_and_groups(rng, cells)
    counted = rng.sample(range(1, VALUES + 1), rng.choice((1, 1, 2)))
    counts = {rng.randint(0, cells) for _ in range(rng.randint(1, 3))}
    count = automaton(
        "count",
        "",
        [one_hots[c].variables for c in range(cells)],
        0,
        lambda total, s: total + (s in counted) if s else None,
        lambda total: total in counts,
        commutative=True,
    )
    model = Model(variables, (*one_hots, count))
    known = rng.sample(range(cells), rng.randint(0, 2))
    model = substitute(model, [VALUES * c + rng.randrange(VALUES) for c in known], settle=("cell",))
    found = find_engine("search").solutions(model, Context())
    fixed = {v.key for v in model.fixed}
    assert {frozenset(keys.tolist()) for keys in found} == {
        s | fixed for s in by_enumeration(model)
    }
