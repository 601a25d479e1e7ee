"""Constraints of every kind: assignments, restriction, renumbering, verdicts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_constraints import KINDS, assignments, random_constraint

from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Constraint, Formula, Linear
from bddsudoku.model.expression import Constant, Operation, Reference
from bddsudoku.model.mdd import mdd_from_automaton
from bddsudoku.model.word_constraints import Automaton


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 2**32), width=st.integers(0, 6))
def test_restriction_agrees_with_assignments(kind: str, seed: int, width: int) -> None:
    rng = random.Random(seed)
    variables = sorted(rng.sample(range(9), width))
    constraint = random_constraint(rng, variables, kind)
    assert isinstance(constraint, Constraint)
    assert set(constraint.variables) <= {*variables, 0}
    known = {v: rng.random() < 0.5 for v in range(9) if rng.random() < 0.4}
    left = constraint.restrict(known)
    assert not set(left.variables) & set(known)
    assert list(left.variables) == sorted(set(left.variables))
    assert (left.family, left.label) == (constraint.family, constraint.label)
    verdicts = set()
    for rest in assignments([v for v in constraint.variables if v not in known]):
        whole = {**known, **rest}
        verdicts.add(constraint.holds(whole))
        assert left.holds(rest) == constraint.holds(whole)
    if left.verdict is not None:
        assert verdicts == {left.verdict}
    if not left.variables:
        assert left.verdict is not None


@pytest.mark.parametrize(
    ("weights", "low", "high", "verdict"),
    [
        ((2, -3), None, None, True),
        ((2, -3), -3, 2, True),
        ((2, -3), -2, None, None),
        ((2, -3), 3, None, False),
        ((2, -3), None, -4, False),
        ((2, -3), 1, 0, False),
        ((10**30, 1), 10**30, 10**30, None),
        ((0, 0), 0, 0, True),
    ],
)
def test_bounds_of_sums(
    weights: tuple[int, int], low: int | None, high: int | None, verdict: bool | None
) -> None:
    assert Linear("sum", "s", (3, 5), weights, low, high).verdict is verdict


def test_sums_name_what_is_wrong() -> None:
    with pytest.raises(ModelError, match="sum s: variable 3"):
        Linear("sum", "s", (5, 3), (1, 1))
    with pytest.raises(ModelError, match="sum s: variable -1"):
        Linear("sum", "s", (-1, 3), (1, 1))
    with pytest.raises(ModelError, match="sum s: 1 weights for 2"):
        Linear("sum", "s", (3, 5), (1,))


def test_a_statement_without_a_value_does_not_hold() -> None:
    a, b = Reference(0), Reference(1)
    quotient = Formula("f", "x", Operation("==", [Operation("/", [a, b]), Constant(0)]))
    assert [quotient.holds(x) for x in ((0, 0), (0, 1), (1, 0), (1, 1))] == [
        False,
        True,
        False,
        False,
    ]
    assert quotient.restrict({1: False}).restrict({0: True}).verdict is False
    assert quotient.restrict({1: True, 0: False}).verdict is True


def test_an_automaton_refuses_groups_that_do_not_fit() -> None:
    mdd = mdd_from_automaton(2, range(3), 0, lambda s, x: s, lambda s: True)
    with pytest.raises(ModelError, match="pair p"):
        Automaton("pair", "p", ((0, 1), (2,)), mdd)
    with pytest.raises(ModelError, match="pair p: variable 1 stands there twice"):
        Automaton("pair", "p", ((0, 1), (1, 2)), mdd)
    assert Automaton("pair", "p", ((0, 1), (3, 2)), mdd).variables == (0, 1, 2, 3)
