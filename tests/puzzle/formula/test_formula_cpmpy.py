"""Models written with CPMpy, beside its own enumeration."""

from __future__ import annotations

from typing import Any

import pytest
from formula_oracle import count

from bddsudoku import solver
from bddsudoku.errors import ModelError
from bddsudoku.puzzle.formula.from_cpmpy import from_cpmpy

cp = pytest.importorskip("cpmpy")


def models() -> dict[str, Any]:
    a, b, c = cp.boolvar(3, name=["a", "b", "c"])
    n, m, k = cp.intvar(0, 3, 3, name=["n", "m", "k"])
    s = cp.intvar(-2, 2, name="s")
    return {
        "logic": cp.Model(a.implies(~b), (a | c) & (b == ~c), cp.any([a, b])),
        "xor": cp.Model(cp.Xor([a, b, c])),
        "sums": cp.Model(n + 2 * m - k == 3, n <= m, -s + n >= 1),
        "products": cp.Model(n * m == k + 2, s * s == 4),
        "division": cp.Model((7 - 3 * s) // (n + 1) == 2, (5 * s) % (m + 2) == -1),
        "functions": cp.Model(abs(s) == cp.max([n, m]), cp.min([n, m, k]) == 1),
        "all different, negated": cp.Model(~cp.AllDifferent([n, m, k]), a.implies(n != m)),
        "table": cp.Model(cp.Table([n, m], [[0, 3], [1, 2], [1, 1]]), a == (n == 1)),
        "element": cp.Model(cp.Element([4, 2, 2, 7], n) == m + 2, a | b),
        "lists": cp.Model([[a, b | c], [n == 2]]),
    }


@pytest.mark.parametrize("name", list(models()))
def test_models_have_as_many_solutions_as_cpmpy_finds(name: str) -> None:
    model = models()[name]
    problem = from_cpmpy(model)
    if len(problem.names) <= 18:
        found = count(problem.constraints, len(problem.names), problem.projection)
    else:
        assert problem.projection is None
        found = solver.count(problem)
    assert found == model.solveAll()


def test_what_is_refused() -> None:
    n, m = cp.intvar(0, 3, 2, name=["n2", "m2"])
    with pytest.raises(ModelError, match="objective"):
        from_cpmpy(cp.Model(n < m, minimize=n))
    assert from_cpmpy(cp.Model(n < m, minimize=n), ignore_objective=True).constraints
    with pytest.raises(ModelError, match="never 0"):
        from_cpmpy(cp.Model(n // m == 1))
