"""Constraints of every kind in one model: engines compared with enumeration."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model.random_constraints import KINDS, random_constraint
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.conjunction import build
from bddsudoku.engine.protocol import DiagramEngine, ListingEngine, find_engine
from bddsudoku.model import Constraint, Formula, Model, Variable
from bddsudoku.model.constraints import rename_constraint
from bddsudoku.model.expression import Expression, Reference
from bddsudoku.model.ordering import make_schedule
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver import project, solve


def any_model(rng: random.Random, largest: int) -> Model:
    """Up to seven constraints of any kind over some of the variables; some stand in none."""
    n = rng.randint(1, largest)
    constraints: list[Constraint] = []
    for k in range(rng.randint(1, 7)):
        chosen = sorted(rng.sample(range(n), min(n, rng.randint(1, 8))))
        made = random_constraint(rng, chosen, rng.choice(KINDS))
        constraints.append(rename_constraint(made, made.family, str(k)))
    return Model(tuple(Variable(f"v{i}", 2 * i + 1) for i in range(n)), tuple(constraints))


def counts(model: Model) -> list[int]:
    """By conjunction (in this process), by the frontier, by search."""
    conjoined = build(model, make_schedule(model)).count()
    return [conjoined, *(find_engine(n).count(model, Context()) for n in ("frontier", "search"))]


def check_engines_agree(model: Model) -> None:
    wanted = by_enumeration(model)
    assert counts(model) == [len(wanted)] * 3
    frontier, search = find_engine("frontier"), find_engine("search")
    assert isinstance(frontier, DiagramEngine)
    assert isinstance(search, ListingEngine)
    done = frontier.diagram(model, Context())
    assert {frozenset(s) for s in SolutionSet(done.diagram, fixed=done.fixed)} == wanted
    assert {frozenset(k.tolist()) for k in search.solutions(model, Context())} == wanted


@pytest.mark.parametrize("seed", range(4))
def test_random_models(seed: int) -> None:
    rng = random.Random(f"every constraint {seed}")
    for _ in range(25):
        check_engines_agree(any_model(rng, 8))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_two_thousand_random_models(seed: int) -> None:
    rng = random.Random(f"two thousand {seed}")
    for k in range(20):
        check_engines_agree(any_model(rng, 14 if k == 0 else 10))


@given(seed=st.integers(0, 2**40), counted=st.integers(1, 3))
@example(seed=161280, counted=1)  # the counted variable is always false: no level is its own
def test_projected_counts(seed: int, counted: int) -> None:
    rng = random.Random(seed)
    model = any_model(rng, 7)
    kept = sorted(rng.sample([v.key for v in model.variables], min(counted, len(model.variables))))
    wanted = {s & set(kept) for s in by_enumeration(model)}
    assert project(solve(model, "frontier"), kept).count() == len(wanted)


# All Boolean functions of three variables in three ways

ABC = [Reference(v) for v in range(3)]


def minterms(function: int) -> Expression:
    """A sum of products."""
    terms = [
        simplified_operation(
            "&", *(x if k >> i & 1 else simplified_operation("!", x) for i, x in enumerate(ABC))
        )
        for k in range(8)
        if function >> k & 1
    ]
    return (
        simplified_operation("|", *terms)
        if terms
        else simplified_operation("&", ABC[0], simplified_operation("!", ABC[0]))
    )


def choices(function: int) -> Expression:
    """If-then-else, the last variable first."""

    def chosen(place: int, row: int) -> Expression:
        if place < 0:
            return simplified_operation("+", 0, function >> row & 1)
        return simplified_operation(
            "?:", ABC[place], chosen(place - 1, row | 1 << place), chosen(place - 1, row)
        )

    return chosen(2, 0)


def arithmetic(function: int) -> Expression:
    """A bit of a number, found by the number that the variables write."""
    row = simplified_operation(
        "+", ABC[0], simplified_operation("*", 2, ABC[1]), simplified_operation("*", 4, ABC[2])
    )
    return simplified_operation(
        "%", simplified_operation("/", function, simplified_operation("<<", 1, row)), 2
    )


@pytest.mark.parametrize(
    "start", [128, *(pytest.param(n, marks=pytest.mark.slow) for n in (0, 64, 192))]
)
def test_all_functions_of_three_variables_in_three_ways(start: int) -> None:
    variables = tuple(Variable(name, k) for k, name in enumerate("abc"))
    for function in range(start, start + 64):
        wanted = function.bit_count()
        for way in (minterms, choices, arithmetic):
            model = Model(variables, (Formula("f", "x", way(function)),))
            assert counts(model) == [wanted] * 3, (way, function)
