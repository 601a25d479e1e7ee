"""Witnesses from outside: Ganak counts the clauses that we write, CPMpy our models and its own."""

from __future__ import annotations

import random
from typing import Any

import pytest
from conformance import agree, dimacs_of, ganak_count, written, written_model
from hypothesis import given, settings
from hypothesis import strategies as st
from model.random_constraints import KINDS, random_constraint
from strategies import exact_covers, models

from bddsudoku import Context, Model, Problem, Variable, solve
from bddsudoku import count as count_by
from bddsudoku.engine.protocol import find_engine
from bddsudoku.model.constraints import rename_constraint
from bddsudoku.solver import project


def count(problem: Problem) -> int:
    """Count with the frontier engine and by search, under the projection if there is one."""
    numbers = {name: count_by(problem, name) for name in ("frontier", "search")}
    assert len(set(numbers.values())) == 1, numbers
    return numbers["search"]


# Ganak


@pytest.fixture(scope="module")
def ganak() -> Any:
    """For the tests that need it."""
    return pytest.importorskip("pyganak")


@pytest.mark.usefixtures("ganak")
@settings(max_examples=25)
@given(st.one_of(models(), exact_covers().map(lambda known: known[0])))
def test_exact_covers(model: Model) -> None:
    agree(model, patience=0, expected=ganak_count(written_model(model)))


def random_clauses(rng: random.Random) -> str:
    """A file of clauses over up to fourteen variables, often with a projection."""
    n = rng.randint(3, 14)
    sizes = [rng.choice([2, 3, 3, 3, 4]) for _ in range(rng.randint(n // 2, 4 * n))]
    clauses = [[rng.choice([v, -v]) for v in rng.choices(range(1, n + 1), k=k)] for k in sizes]
    lines = [f"p cnf {n} {len(clauses)}", *(" ".join(map(str, [*c, 0])) for c in clauses)]
    if rng.random() < 0.5:
        shown = sorted(rng.sample(range(1, n + 1), rng.randint(1, n - 1)))
        lines.insert(1, " ".join(["c p show", *map(str, shown), "0"]))
    return "\n".join(lines) + "\n"


@pytest.mark.usefixtures("ganak")
@pytest.mark.parametrize("seed", range(12))
def test_clauses_read_and_written_again(seed: int) -> None:
    text = random_clauses(random.Random(f"clauses {seed}"))
    problem = Problem.parse(text, ending=".cnf")
    assert count(problem) == ganak_count(text) == ganak_count(written(problem))


@pytest.mark.usefixtures("ganak")
@pytest.mark.parametrize("seed", range(12))
def test_constraints_of_every_kind(seed: int) -> None:
    """Many of them become diagrams in clauses, with a new variable for every node."""
    rng = random.Random(f"every kind {seed}")
    n = rng.randint(8, 14)
    constraints = []
    for k in range(rng.randint(1, 4)):
        chosen = sorted(rng.sample(range(n), rng.randint(3, 8)))
        made = random_constraint(rng, chosen, KINDS[k])
        constraints.append(rename_constraint(made, made.family, str(k)))
    model = Model(tuple(Variable(f"v{i}", i) for i in range(n)), tuple(constraints))
    text = written_model(model)
    expected = find_engine("frontier").count(model, Context())
    assert find_engine("search").count(model, Context()) == ganak_count(text) == expected
    counted = sorted(rng.sample(range(n), rng.randint(1, n - 1)))
    seen = project(solve(model, "frontier"), counted).count()
    assert ganak_count(written_model(model, counted)) == seen


def random_weights(rng: random.Random) -> Problem:
    """Two weighted sums over up to eighteen variables: too many clauses without new variables."""
    problem = Problem()
    x = list(problem.symbols(f"x[1..{rng.randint(12, 18)}]")[0])
    for _ in range(2):
        weights = [rng.choice([-1, 1]) * rng.randint(1, 9) for _ in x]
        total = sum(w * v for w, v in zip(weights, x, strict=True))
        low = rng.randint(-20, 10)
        problem.add((total >= low) & (total <= low + 15) if rng.random() < 0.5 else total >= low)
    if rng.random() < 0.5:
        problem.project(*rng.sample(x, 5))
    return problem


@pytest.mark.usefixtures("ganak")
@pytest.mark.parametrize("seed", range(6))
def test_weighted_sums(seed: int) -> None:
    problem = random_weights(random.Random(f"weights {seed}"))
    text = written(problem)
    variables, _, counted = dimacs_of(text)
    assert variables > len(problem.names)
    assert counted is not None
    assert ganak_count(text) == count(problem)


STATEMENTS = (
    "n + {k} * m != p",
    "abs(n - p) >= {k}",
    "all different(n, m, p)",
    "(n * m + p) % {k} == a + b",
    "a ^ b ^ c <-> n > m",
    "a + b + c + d == {k} | p == {k}",
    "d -> max(n, m) == p",
    "n <= m ? !(a & d) : c",
    "a + 2 * b + 3 * c + 4 * d <= n + m + {k}",
)


@pytest.mark.usefixtures("ganak")
@pytest.mark.parametrize("seed", range(12))
def test_written_constraints(seed: int) -> None:
    rng = random.Random(f"written {seed}")
    lines = ["symbol a b c d", f"integer n m in 0..{rng.randint(2, 4)}", "integer p in {1, 2, 4}"]
    lines += [s.format(k=rng.randint(1, 3)) for s in rng.sample(STATEMENTS, rng.randint(1, 4))]
    if seed % 2:
        lines.append("project " + " ".join(rng.sample("abcdnmp", rng.randint(1, 4))))
    problem = Problem.parse("\n".join(lines))
    assert ganak_count(written(problem)) == count(problem)


# CPMpy


@pytest.fixture(scope="module")
def cp() -> Any:
    """For the tests that need it."""
    pytest.importorskip("ortools")
    return pytest.importorskip("cpmpy")


def random_cpmpy(cp: Any, rng: random.Random) -> Any:
    """Up to four constraints over three integers and three Booleans, all of them in the model."""
    n, m, k = (cp.intvar(0, rng.randint(2, 4), name=name) for name in "nmk")
    a, b, c = (cp.boolvar(name=name) for name in "abc")
    d = rng.randint(1, 3)
    statements = [
        cp.AllDifferent([n, m, k]),
        n + d * m != k + a,
        abs(n - k) >= d - 1,
        a.implies(n * m == k),
        cp.Xor([a, b, c]),
        (cp.max([n, m]) == k) | (b & ~c),
        cp.sum([a, b, c]) + n >= d,
        cp.Element([2, 0, 1, 3, 1], n) == m,
        cp.Table([n, m], [[0, 1], [1, 2], [2, 0], [1, 1], [2, 2]]),
        cp.Count([n, m, k], 1) <= d - 1,
    ]
    # What says nothing makes every variable part of the model.
    everything = [v >= 0 for v in (n, m, k)] + [v | ~v for v in (a, b, c)]
    return cp.Model(rng.sample(statements, rng.randint(1, 4)), everything)


def clauses_in_cpmpy(cp: Any, text: str) -> Any:
    """A DIMACS file as a model of CPMpy."""
    variables, clauses, _ = dimacs_of(text)
    x = [cp.boolvar(name=f"x{v}") for v in range(1, variables + 1)]
    lines = [cp.any([x[v - 1] if v > 0 else ~x[-v - 1] for v in c]) for c in clauses]
    return cp.Model(lines, [v | ~v for v in x])


@pytest.mark.parametrize("seed", range(12))
def test_cpmpy_there_and_back(cp: Any, seed: int) -> None:
    """A model of CPMpy, taken over, written as clauses, and these counted by CPMpy."""
    from bddsudoku.puzzle.formula.from_cpmpy import from_cpmpy

    model = random_cpmpy(cp, random.Random(f"cpmpy {seed}"))
    problem = from_cpmpy(model)
    expected = int(model.solveAll(solver="ortools"))
    assert count(problem) == expected
    assert count(Problem.parse(written(problem), ending=".cnf")) == expected
    if problem.projection is None:
        # New variables are determined by the others: all of them may be counted.
        there = clauses_in_cpmpy(cp, written(problem))
        assert int(there.solveAll(solver="ortools")) == expected
