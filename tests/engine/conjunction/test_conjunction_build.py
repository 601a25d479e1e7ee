"""The bdd engine: all backends agree with each other and with brute force."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import exhaustive, grid_of, sets_of

from bddsudoku.context import Context
from bddsudoku.engine.conjunction import ConjunctionStep, available_backends, build
from bddsudoku.errors import LimitReached, ScheduleError
from bddsudoku.model import Model, OneHot, Variable
from bddsudoku.model.schedules import make_puzzle_schedule
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_model import allocate

BACKENDS = available_backends()
SMALL = Context(max_memory=64 << 20)
FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
SOLUTION = "483716952179528436526439871351842769698157243247963518912374685765281394834695127"
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Any one-hot model on up to seven variables."""
    n = draw(st.integers(0, 7))
    subsets = st.sets(st.integers(0, n - 1)) if n else st.just(set())
    constraints = []
    bound: set[int] = set()
    for i in range(draw(st.integers(0, 6))):
        variables = draw(subsets)
        total = draw(st.sampled_from([1, 1, 1, 1, 0, -1]))
        at_most = draw(st.booleans())
        constraints.append(OneHot("cell", str(i), tuple(sorted(variables)), total, at_most))
        if not at_most:
            bound |= variables
    if free := set(range(n)) - bound:
        constraints.append(OneHot("rest", "", tuple(sorted(free))))
    return Model(tuple(Variable(f"x{i}", 100 - i) for i in range(n)), tuple(constraints))


@settings(deadline=None, max_examples=150)
@given(models(), st.randoms(use_true_random=False))
def test_any_model_under_any_schedule_on_every_backend(model: Model, rng: random.Random) -> None:
    expected = exhaustive(model)
    order = [i for i, c in enumerate(model.constraints) if not c.is_trivial]
    rng.shuffle(order)
    results = [build(model, order, backend=name, context=SMALL) for name in BACKENDS]
    for result in results:
        assert result.count() == len(expected)
        assert sets_of(result.diagram()) == expected
        assert [s.position for s in result.steps] == order
        assert result.diagram() == results[0].diagram()
        assert [s.nodes for s in result.steps] == [s.nodes for s in results[0].steps]


@pytest.mark.parametrize("name", BACKENDS)
def test_figure_1_of_the_paper(name: str) -> None:
    model = allocate(Puzzle.parse(FIGURE_1), "paper")
    result = build(model, make_puzzle_schedule(model, 3), backend=name, context=SMALL)
    assert result.nodes == 414 == len(model.variables)
    assert result.peak_nodes + 1 == 9785
    assert result.count() == 1
    (only,) = sets_of(result.diagram())
    keys = only | {v.key for v in model.fixed}
    assert "".join(map(str, grid_of(keys, 9))) == SOLUTION


@pytest.mark.parametrize("name", BACKENDS)
def test_a_complete_grid_is_one_solution_without_variables(name: str) -> None:
    model = allocate(Puzzle.parse(SOLUTION), "paper")
    result = build(model, make_puzzle_schedule(model, 3), backend=name, context=SMALL)
    assert (result.variables, result.steps, result.nodes, result.count()) == (0, (), 0, 1)
    assert sets_of(result.diagram()) == {frozenset()}


@pytest.mark.parametrize("name", BACKENDS)
class TestLimits:
    @pytest.fixture
    def model(self) -> Model:
        return allocate(Puzzle.parse(SEVENTEEN), "candidates")

    def test_nodes(self, name: str, model: Model) -> None:
        plan = make_puzzle_schedule(model, 3)
        seen: list[ConjunctionStep] = []
        with pytest.raises(LimitReached) as caught:
            build(model, plan, backend=name, context=Context(nodes=2000), on_step=seen.append)
        stop = caught.value
        assert stop.limit == "nodes"
        assert list(stop.trace) == seen
        assert [s.position for s in stop.trace] == list(plan)[: len(stop.trace)]
        assert stop.trace[-1].nodes > 2000 >= max(s.nodes for s in stop.trace[:-1])
        last = stop.trace[-1]
        assert f"step {len(stop.trace)} of {len(plan)} ({last.family} {last.label})" in str(stop)
        assert "\n" not in str(stop)

    def test_time(self, name: str, model: Model) -> None:
        context = Context(max_memory=32 << 20, time_limit=2)
        with pytest.raises(LimitReached) as caught:
            build(model, backend=name, context=context, on_step=lambda _: time.sleep(2.1))
        assert caught.value.limit == "time"
        assert len(caught.value.trace) == 1
        assert "time limit of 2 s reached in step 2 of " in str(caught.value)


def test_a_schedule_that_does_not_fit_is_refused_before_any_work() -> None:
    model = allocate(Puzzle.parse(FIGURE_1), "paper")
    with pytest.raises(ScheduleError, match="missing"):
        build(model, [i for i, c in enumerate(model.constraints) if not c.is_trivial][:-1])
