"""Models written with CPMpy, beside its own enumeration."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bddsudoku import solver
from bddsudoku.errors import ModelError
from bddsudoku.puzzle.formula.from_cpmpy import from_cpmpy

cp = pytest.importorskip("cpmpy")
from cpmpy.expressions.utils import argval  # noqa: E402

from bddsudoku.cpmpy_solver import CPM_bddsudoku  # noqa: E402


def models() -> dict[str, Any]:
    a, b, c = cp.boolvar(3, name=["a", "b", "c"])
    n, m, k = cp.intvar(0, 3, 3, name=["n", "m", "k"])
    s = cp.intvar(-2, 2, name="s")
    q = cp.intvar(1, 4, shape=3, name="q")
    return {
        "logic": cp.Model(a.implies(~b), (a | c) & (b == ~c), cp.any([a, b])),
        "sums": cp.Model(n + 2 * m - k == 3, n <= m, -s + n >= 1),
        "products": cp.Model(n * m == k + 2, s * s == 4),
        "division": cp.Model((7 - 3 * s) // (n + 1) == 2, (5 * s) % (m + 2) == -1),
        "functions": cp.Model(abs(s) == cp.max([n, m]), cp.min([n, m, k]) == 1),
        "all different, negated": cp.Model(~cp.AllDifferent([n, m, k]), a.implies(n != m)),
        "table": cp.Model(cp.Table([n, m], [[0, 3], [1, 2], [1, 1]]), a == (n == 1)),
        "element": cp.Model(cp.Element([4, 2, 2, 7], n) == m + 2, a | b),
        "arrays": cp.Model(q != 2, q[:2].sum() < 5, cp.AllDifferent(q)),
        "weights": cp.Model(cp.sum(np.array([1, 2, 3]) * q) == 14, 3 * n + 2 * m - k - 2 * a == 1),
        "element of an array": cp.Model(q[n] == m + 1, n < 3),
        "count and values": cp.Model(cp.Count(q, 2) == n, cp.NValue(q) == 2),
    }


def test_what_is_refused() -> None:
    n, m = cp.intvar(0, 3, 2, name=["n2", "m2"])
    with pytest.raises(ModelError, match="objective"):
        from_cpmpy(cp.Model(n < m, minimize=n))
    assert from_cpmpy(cp.Model(n < m, minimize=n), ignore_objective=True).constraints
    for wrong, message in (
        (nested(3000), "nested less deep"),
        (cp.intvar(0, 10**9, name="wide") == 5, "at most 1,000,000 variables"),
        (n > 0.5, "an integer or a variable"),
    ):
        with pytest.raises(ModelError, match=message):
            CPM_bddsudoku(cp.Model(wrong)).count()


def nested(depth: int) -> Any:
    found, other = cp.boolvar(2, name=["a", "b"])
    for _ in range(depth):
        found = ~(found & other)
    return found


def conditions() -> dict[str, Any]:
    """Conditions of which each has a part without a value, or is decomposed by CPMpy."""
    i = cp.intvar(-1, 2, name="i")
    j, s = cp.intvar(0, 3, name="j"), cp.intvar(-2, 1, name="s")
    x = cp.intvar(0, 1, shape=2, name="x")
    a = cp.boolvar(name="a")
    return {
        "element": x[i] == 1,
        "element of numbers": cp.cpm_array([3, 1])[i] <= 1,
        "element at a sum": x[i + s] != j,
        "element at an element": x[x[j]] == 0,
        "division": i // s == 1,
        "remainder": (5 * s) % j != 1,
        "division by a division": j // (i // s) <= 1,
        "element at a quotient": x[j // i] == 0,
        "inside functions": cp.max([i // s, cp.min([x[j], 1])]) == 1,
        "inside a sum of conditions": (x[i] == 1) + (j // s >= 0) + a == 1,
        "table": cp.Table([i, j], [[0, 3], [1, 2], [-1, 0]]),
        "one value": cp.AllDifferent([i]),
        "count": cp.Count([i, j // s], 1) == 1,
        "exclusive choice": cp.IfThenElse(i > 0, j == 1, s // j < 0),
    }


@pytest.mark.parametrize("name", list(conditions()))
def test_conditions_in_every_context_beside_their_own_values(name: str) -> None:
    """An undefined part makes the condition around it false, wherever the condition stands."""
    if cp.__version__ < "1":
        return  # where values of undefined parts are errors
    condition, other = conditions()[name], cp.boolvar(name="other")
    contexts = [
        condition,
        ~condition,
        condition == other,
        condition.implies(other),
        ~(~(condition | other) & (other.implies(condition))),
    ]
    for stated in contexts:
        variables = cp.transformations.get_variables.get_variables(stated)
        domains = [range(int(v.lb), int(v.ub) + 1) for v in variables]
        expected = 0
        for values in product(*domains):
            for variable, value in zip(variables, values, strict=True):
                variable._value = bool(value) if variable.is_bool() else value
            expected += bool(argval(stated))
        assert solver.count(from_cpmpy(cp.Model(stated))) == expected, stated


def test_cpmpy_finds_the_solver_by_its_name() -> None:
    n = cp.intvar(0, 3, name="n5")
    model = cp.Model(n > 0)
    assert model.solveAll(solver="bddsudoku") == 3
    assert model.solve(solver="bddsudoku", time_limit=60)
    assert n.value() in (1, 2, 3)
    assert cp.SolverLookup.lookup("bddsudoku") is CPM_bddsudoku
    assert cp.SolverLookup.lookup() is not CPM_bddsudoku


@pytest.mark.parametrize(
    ("limit", "found", "status"),
    [(None, 3, "OPTIMAL"), (-1, 3, "OPTIMAL"), (0, 0, "FEASIBLE"), (2, 2, "FEASIBLE")],
)
def test_a_limit_of_solutions(limit: int | None, found: int, status: str) -> None:
    n = cp.intvar(0, 3, name="n4")
    for display in (None, lambda: None):
        asked = CPM_bddsudoku(cp.Model(n > 0))
        assert asked.solveAll(display, solution_limit=limit) == found
        assert asked.status().exitstatus.name == status


def test_the_solver_counts_lists_and_samples() -> None:
    for name, model in models().items():
        solver = CPM_bddsudoku(model)
        seen: list[tuple[Any, ...]] = []
        variables = sorted(solver.user_vars, key=str)
        total = solver.solveAll(lambda: seen.append(tuple(v.value() for v in variables)))  # noqa: B023
        assert total == len(set(seen)) == solver.count() == model.solveAll(), name
        assert all(isinstance(value, bool | int) for row in seen for value in row)
        assert solver.solveAll(solution_limit=1) == min(total, 1)
        drawn = solver.sample(3, rng=1)
        assert {tuple(one[str(v)] for v in variables) for one in drawn} <= set(seen), name
    n = cp.intvar(0, 3, name="n3")
    solver = CPM_bddsudoku(cp.Model(n > 1))
    assert solver.solve()
    assert n.value() in (2, 3)
    solver += n > 3
    assert not solver.solve()
    assert n.value() is None
    assert "UNSATISFIABLE" in str(solver.status())
    with pytest.raises(ModelError, match="objective"):
        CPM_bddsudoku(cp.Model(n > 1, minimize=n))


@pytest.mark.slow
@pytest.mark.parametrize(
    "packages",
    [
        # CPMpy 0.9.24 imports pkg_resources and calls OR-tools as it was until 9.11.
        ("cpmpy==0.9.24", "ortools==9.11.4210", "setuptools<81"),
        ("cpmpy==1.0.0", "ortools"),
    ],
    ids=["0.9.24", "1.0"],
)
def test_in_an_environment_of_its_own(packages: tuple[str, ...], tmp_path: Path) -> None:
    """The tests of this file with one version of CPMpy; other packages are lent."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tmp_path)]
    needs = ("protobuf<5.27", "absl-py", "immutabledict")
    done = subprocess.run([*install, "--no-deps", *packages, *needs], check=False)
    if done.returncode:
        pytest.skip("no package index is reached")
    paths = [str(tmp_path), str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", __file__]
    # CPMpy 0.9.24 warns of its own imports.
    tests += ["-W", "ignore", "-p", "no:cacheprovider"]
    run = subprocess.run(
        tests,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert "skipped" not in run.stdout, run.stdout
