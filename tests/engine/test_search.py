"""The search engine: counts, first solutions, limits, seeds and supports."""

from __future__ import annotations

import random
from itertools import product

import pytest
from model.random_constraints import KINDS, random_constraint

from bddsudoku.context import Context
from bddsudoku.engine.protocol import engine
from bddsudoku.engine.search.engine import ConstraintSearch, SearchEngine
from bddsudoku.errors import LimitReached
from bddsudoku.model import Model, Variable, forward_check
from bddsudoku.puzzle import Problem


def any_model(seed: int) -> Model:
    rng = random.Random(seed)
    n = rng.randint(1, 9)
    constraints = [
        random_constraint(
            rng, sorted(rng.sample(range(n), rng.randint(1, min(n, 6)))), rng.choice(KINDS)
        )
        for _ in range(rng.randint(1, 4))
    ]
    return Model(
        tuple(Variable(f"v{i}", i) for i in range(n)),
        tuple({c.label: c for c in constraints}.values()),
    )


def solutions_by_enumeration(model: Model) -> set[frozenset[int]]:
    return {
        frozenset(i for i, true in enumerate(values) if true)
        for values in product((False, True), repeat=len(model.variables))
        if all(c.holds(values) for c in model.constraints)
    }


@pytest.mark.parametrize("seed", range(80))
def test_counts_solutions_and_supports_of_small_models(seed: int) -> None:
    model = any_model(seed)
    wanted = solutions_by_enumeration(model)
    lister = engine("search")
    assert isinstance(lister, SearchEngine)
    found = [frozenset(keys.tolist()) for keys in lister.solutions(model, Context())]
    assert len(found) == len(set(found))
    assert set(found) == wanted
    for limit in (0, 1, 3):
        first = [frozenset(k.tolist()) for k in lister.solutions(model, Context(), limit=limit)]
        assert len(first) == min(limit, len(wanted))
        assert set(first) <= wanted
    shuffled = [frozenset(k.tolist()) for k in lister.solutions(model, Context(), seed=seed)]
    assert sorted(map(sorted, shuffled)) == sorted(map(sorted, wanted))
    assert lister.count(model, Context()) == len(wanted)
    assert set(lister.supports(model, Context()).tolist()) == set().union(*wanted)


QUEENS = """
n = 8
symbol q[1..n][1..n]
row: sum(q[r][c] for c in 1..n) == 1 for r in 1..n
column: sum(q[r][c] for r in 1..n) == 1 for c in 1..n
q[r][c] + q[r + k][c + k] <= 1 for r in 1..n, c in 1..n, k in 1..n if r + k <= n && c + k <= n
q[r][c] + q[r + k][c - k] <= 1 for r in 1..n, c in 1..n, k in 1..n if r + k <= n && c - k >= 1
"""


def test_limits_end_a_search() -> None:
    model, search = Problem.parse(QUEENS).model(), SearchEngine()
    assert search.count(model, Context()) == 92
    few = ConstraintSearch(forward_check(model), Context())
    few.advance(None, 50)
    assert not few.done
    assert few.count < 92
    assert len(list(search.solutions(model, Context(), limit=5))) == 5
    with pytest.raises(LimitReached, match="nodes limit reached by search after"):
        list(search.solutions(model, Context(), node_limit=50))
    assert len(search.supports(model, Context())) == 64  # every square holds a queen somewhere


def test_progress_may_stop_it() -> None:
    model = Problem.parse("symbol x[1..40]\nsum(x[i] for i in 1..40) == 20").model()

    def stop(done: float, total: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SearchEngine().count(model, Context(progress=stop))
    with pytest.raises(LimitReached, match=r"time limit of 0\.2 s reached by search"):
        list(SearchEngine().solutions(model, Context(seconds=0.2)))


def test_unconstrained_variables_double_the_count() -> None:
    model, search = Problem.parse("symbol a b c d\na + b == 1").model(), SearchEngine()
    assert search.count(model, Context()) == 8
    assert len(list(search.solutions(model, Context(), limit=7))) == 7
    assert len(search.supports(model, Context())) == 4


def test_a_long_count_is_abbreviated_in_the_message() -> None:
    """Unconstrained variables double the count; Python prints no more than 4,300 digits."""
    some = " ".join(f"{v} {v + 1} 0\n" for v in range(1, 60))
    problem = Problem.parse(f"p cnf 15000 59\n{some}", ending="cnf")
    with pytest.raises(LimitReached, match=r"by search after .* nodes and about 2\*\*149\d\d sol"):
        SearchEngine().count(problem.model(), Context(seconds=0.3))
