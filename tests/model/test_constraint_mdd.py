"""MDDs of constraints of every kind, in any order: minimal, and equivalent to ``holds``."""

from __future__ import annotations

import pickle
import random
from collections.abc import Mapping
from itertools import permutations, product
from typing import Any

import pytest
from automata import automaton
from hypothesis import given
from hypothesis import strategies as st
from random_constraints import (
    KINDS,
    assignments,
    random_constraint,
    random_expression,
    random_groups,
    words,
)

from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model.constraints import Constraint, Formula, Linear, OneHot
from bddsudoku.model.expression import Constant, Expression, Reference
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.model.to_mdd import constraint_mdd

VARIABLES = (2, 5, 7)


def table(function: int) -> dict[tuple[bool, ...], bool]:
    """One of the 256 functions of three variables."""
    return {
        values: bool(function >> i & 1) for i, values in enumerate(product((False, True), repeat=3))
    }


def as_sum_of_products(function: int) -> Constraint:
    terms = [
        simplified_operation(
            "&",
            *(
                x if v else simplified_operation("!", x)
                for x, v in zip(REFERENCES, values, strict=False)
            ),
        )
        for values, true in table(function).items()
        if true
    ]
    return Formula("f", "terms", simplified_operation("|", *terms))


def as_arithmetic(function: int) -> Constraint:
    """The number that the variables spell, looked up by division."""
    a, b, c = REFERENCES
    number = simplified_operation(
        "+", simplified_operation("*", 4, a), simplified_operation("*", 2, b), c
    )
    shifted = simplified_operation(">>", Constant(function), number)
    return Formula(
        "f", "number", simplified_operation("==", simplified_operation("%", shifted, 2), 1)
    )


def as_choices(function: int) -> Constraint:
    def below(values: tuple[bool, ...]) -> Expression:
        if len(values) == 3:
            return Constant(table(function)[values])
        low, high = below((*values, False)), below((*values, True))
        return simplified_operation("?:", REFERENCES[len(values)], high, low)

    return Formula("f", "choices", below(()))


def as_automaton(function: int) -> Constraint:
    accepted = {v for v, true in table(function).items() if true}
    return automaton(
        "f", "word", [[v] for v in VARIABLES], (), lambda s, x: (*s, bool(x)), accepted.__contains__
    )


def bdd_accepts(bdd: tuple[Any, Any, Any, int], assignment: Mapping[int, bool]) -> bool:
    """Whether a path from the root leads an assignment to the terminal 1."""
    variable, low, high, at = bdd
    while at > 1:
        at = int((high if assignment[int(variable[at - 2])] else low)[at - 2])
    return bool(at)


REFERENCES = [Reference(v) for v in VARIABLES]
WRITTEN = (as_sum_of_products, as_arithmetic, as_choices, as_automaton)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_every_function_of_three_variables_in_every_way_and_order(order: tuple[int, ...]) -> None:
    levels = [[VARIABLES[p]] for p in order]
    for function in range(256):
        written = [write(function) for write in WRITTEN]
        # What a statement's writing lets one see is not asked about: all are over three variables.
        made = [constraint_mdd(c, levels) for c in written if c.variables == VARIABLES]
        assert all(m == made[0] for m in made)
        for c in written:
            m = constraint_mdd(c, levels)
            for values, true in table(function).items():
                assert m.accepts(dict(zip(VARIABLES, values, strict=True))) == true
        bdd = made[0].bdd()
        for values, true in table(function).items():
            assert bdd_accepts(bdd, dict(zip(VARIABLES, values, strict=True))) == true


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 2**32), width=st.integers(0, 8))
def test_mdds_accept_what_the_constraint_holds_for(kind: str, seed: int, width: int) -> None:
    rng = random.Random(seed)
    constraint = random_constraint(rng, sorted(rng.sample(range(10), width)), kind)
    if rng.random() < 0.4:
        known = {v: rng.random() < 0.3 for v in constraint.variables if rng.random() < 0.3}
        constraint = constraint.restrict(known)
    levels = random_groups(rng, [*constraint.variables, 10, 11])
    exact = {i for i in range(len(levels)) if rng.random() < 0.4}
    whole, always = (
        constraint_mdd(constraint, levels),
        constraint_mdd(constraint, levels, exact=exact),
    )
    assert always.size <= whole.size
    for word in words(levels):
        holds = constraint.holds(word)
        assert whole.accepts(word) == holds
        if all(any(word[v] for v in levels[i]) for i in exact):
            assert always.accepts(word) == holds
    assert pickle.loads(pickle.dumps(whole)) == whole


def test_a_constraint_wants_each_variable_in_one_level() -> None:
    c = OneHot("f", "x", (0, 1, 2))
    for levels in ([[0], [1]], [[0, 1], [1, 2]], [[0, 0], [1], [2]]):
        with pytest.raises(ModelError, match="f x: not every variable"):
            constraint_mdd(c, levels)


def test_a_bdd_reads_one_variable_at_a_time() -> None:
    with pytest.raises(ModelError, match="one variable at a time"):
        constraint_mdd(OneHot("cell", "c", (0, 1)), [(0, 1)]).bdd()


@given(seed=st.integers(0, 2**32))
def test_statements_about_sums_and_products(seed: int) -> None:
    """Comparisons of weighted sums of products: what is never made into a diagram by itself."""
    rng = random.Random(seed)
    terms = [
        simplified_operation(
            "*", rng.randint(-5, 5), random_expression(rng, range(8), rng.randint(0, 2))
        )
        for _ in range(rng.randint(1, 6))
    ]
    op = rng.choice(["==", "!=", "<", "<=", ">", ">="])
    statement = Formula(
        "f", "x", simplified_operation(op, simplified_operation("+", *terms), rng.randint(-9, 9))
    )
    order = list(statement.variables)
    rng.shuffle(order)
    made = constraint_mdd(statement, [[v] for v in order])
    for assignment in assignments(order):
        assert made.accepts(assignment) == statement.holds(assignment)


def test_long_statements_are_neither_slow_nor_deep() -> None:
    references = [Reference(v) for v in range(300)]
    clause = constraint_mdd(Formula("f", "or", simplified_operation("|", *references)))
    parity = constraint_mdd(Formula("f", "xor", simplified_operation("^", *references)))
    assert clause.size == parity.size == 2 * 300 - 1
    chain: Expression = references[0]
    for r in references[1:]:
        chain = simplified_operation("?:", r, simplified_operation("!", chain), chain)
    parity = constraint_mdd(Formula("f", "xor", simplified_operation("^", *references)))
    assert constraint_mdd(Formula("f", "chain", chain)) == parity


def test_an_mdd_that_is_too_wide_names_its_constraint() -> None:
    weights = tuple(3**i for i in range(12))
    total = Linear("knapsack", "bag", tuple(range(12)), weights, 100_000, 120_000)
    with pytest.raises(LimitReached, match=r"knapsack bag: \d+ states at layer \d+, 50 allowed"):
        constraint_mdd(total, width=50)
    cells = [tuple(range(9 * i, 9 * i + 9)) for i in range(6)]
    rising = automaton("thermo", "t", cells, 0, lambda s, x: x if x > s else None, lambda s: True)
    assert constraint_mdd(rising, width=9).width == 4
    with pytest.raises(LimitReached, match=r"thermo t: \d+ states"):
        constraint_mdd(rising, [cells[i] for i in (0, 2, 4, 1, 3, 5)], width=4)


def test_a_check_may_stop_the_work() -> None:
    def stop(more: int) -> None:
        raise LimitReached("time", limit="time")

    for c in (
        Linear("f", "x", (0, 1, 2), (1, 2, 3), 2, 3),
        Formula("f", "x", simplified_operation("*", *(Reference(v) for v in range(3)))),
    ):
        with pytest.raises(LimitReached, match="time"):
            constraint_mdd(c, check=stop)
