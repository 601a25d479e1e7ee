"""Random constraints of every kind, and enumeration of assignments, for property tests."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

from automata import automaton

from bddsudoku.errors import ModelError
from bddsudoku.model import Model, Variable
from bddsudoku.model.constraints import (
    Constraint,
    Disjunction,
    Formula,
    Linear,
    OneHot,
    rename_constraint,
)
from bddsudoku.model.expression import Constant, Expression, Reference
from bddsudoku.model.simplify import simplified_operation

KINDS = ("one-hot", "linear", "formula", "automaton", "commutative", "disjunction")
_OPERATORS = [
    "+", "+", "-", "*", "*", "/", "%", "<<", ">>", "&", "|", "^", "~", "!", "&&", "||", "->", "<->",
    "==", "==", "!=", "<", "<=", ">", ">=", "<=", "?:", "min", "max",
]  # fmt: skip


def random_expression(rng: random.Random, variables: Sequence[int], depth: int) -> Expression:
    """A random expression with any operators; shifts are by few bits only."""
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.2:
            return Constant(rng.randint(-3, 3))
        return Reference(rng.choice(variables))
    op = rng.choice(_OPERATORS)
    arity = {"!": 1, "~": 1, "?:": 3}.get(op, 2)
    parts = [random_expression(rng, variables, depth - 1) for _ in range(arity)]
    if op == "<<":
        parts[1] = simplified_operation("&", parts[1], 3)
    return simplified_operation(op, *parts)


def random_groups(
    rng: random.Random, variables: Sequence[int], largest: int = 3
) -> list[tuple[int, ...]]:
    """The variables in random order, cut into groups."""
    left = list(variables)
    rng.shuffle(left)
    groups = []
    while left:
        size = rng.randint(1, largest)
        groups.append(tuple(left[:size]))
        left = left[size:]
    return groups


def random_constraint(rng: random.Random, variables: Sequence[int], kind: str) -> Constraint:
    """A constraint over some of the variables (which ascend)."""
    vs = tuple(variables)
    if kind == "one-hot":
        return OneHot("f", kind, vs, rng.choice([1, 1, 1, 0, -1]), rng.random() < 0.5)
    if kind == "linear":
        weights = tuple(rng.randint(-4, 4) for _ in vs)
        low = rng.choice([None, rng.randint(-6, 6)])
        return Linear("f", kind, vs, weights, low, rng.choice([None, rng.randint(-6, 6)]))
    if kind == "formula":
        for _ in range(100):
            try:
                return Formula("f", kind, random_expression(rng, vs or (0,), rng.randint(1, 4)))
            except ModelError:  # values that may need more bits than are allowed
                continue
        raise AssertionError("no expression")
    if kind == "disjunction":
        alternatives = [
            tuple(
                random_constraint(rng, sorted(rng.sample(vs, min(len(vs), 3))), rng.choice(KINDS))
                for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))
            )
            for _ in range(rng.randrange(5))
        ]
        return Disjunction("f", kind, tuple(alternatives))
    groups = random_groups(rng, vs)
    if kind == "automaton":
        step = {(s, x): rng.choice([None, 0, 1, 2, 3]) for s in range(4) for x in range(4)}
        accepting = {s for s in range(4) if rng.random() < 0.5}
        return automaton("f", kind, groups, 0, lambda s, x: step[s, x], accepting.__contains__)
    worth = [rng.randint(0, 3) for _ in range(4)]
    modulus = rng.randint(2, 4)
    wanted = rng.randrange(modulus)
    return automaton(
        "f", kind, groups, 0, lambda s, x: (s + worth[x]) % modulus, wanted.__eq__,
        commutative=True,
    )  # fmt: skip


def assignments(variables: Sequence[int]) -> Iterator[dict[int, bool]]:
    """Yield all assignments of some variables."""
    for values in product((False, True), repeat=len(variables)):
        yield dict(zip(variables, values, strict=True))


def words(levels: Sequence[Sequence[int]]) -> Iterator[dict[int, bool]]:
    """The assignments with at most one true variable in a level."""
    for pick in product(*((None, *level) for level in levels)):
        yield {v: v == p for level, p in zip(levels, pick, strict=True) for v in level}


def random_model(rng: random.Random, largest: int) -> Model:
    """Up to seven constraints of any kind over some of the variables; some stand in none."""
    n = rng.randint(1, largest)
    constraints: list[Constraint] = []
    for k in range(rng.randint(1, 7)):
        chosen = sorted(rng.sample(range(n), min(n, rng.randint(1, 8))))
        made = random_constraint(rng, chosen, rng.choice(KINDS))
        constraints.append(rename_constraint(made, made.family, str(k)))
    return Model(tuple(Variable(f"v{i}", 2 * i + 1) for i in range(n)), tuple(constraints))
