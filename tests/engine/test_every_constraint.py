"""Constraints of every kind in one model: engines compared with enumeration."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from model.random_constraints import random_model
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.conjunction import build
from bddsudoku.engine.protocol import DiagramEngine, ListingEngine, find_engine
from bddsudoku.model import Model
from bddsudoku.model.schedules import make_schedule
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver import project, solve


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
        check_engines_agree(random_model(rng, 8))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_two_thousand_random_models(seed: int) -> None:
    rng = random.Random(f"two thousand {seed}")
    for k in range(20):
        check_engines_agree(random_model(rng, 14 if k == 0 else 10))


@given(seed=st.integers(0, 2**40), counted=st.integers(1, 3))
@example(seed=161280, counted=1)  # the counted variable is always false: no level is its own
def test_projected_counts(seed: int, counted: int) -> None:
    rng = random.Random(seed)
    model = random_model(rng, 7)
    kept = sorted(rng.sample([v.key for v in model.variables], min(counted, len(model.variables))))
    wanted = {s & set(kept) for s in by_enumeration(model)}
    assert project(solve(model, "frontier"), kept).count() == len(wanted)


# All Boolean functions of three variables in three ways
