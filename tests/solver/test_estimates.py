"""Estimates by random descents, beside exact counts of other engines and of oracles."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import bddsudoku
from bddsudoku import LimitReached, Model, Puzzle, estimate
from bddsudoku.context import UNLIMITED
from bddsudoku.engine.portfolio import _count_by_visiting
from bddsudoku.engine.protocol import choose_listing_engine
from bddsudoku.engine.search import interval
from bddsudoku.engine.search.descents import Descents, Run, _pick, _probabilities
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.formula import Problem
from bddsudoku.puzzle.sudoku import allocate
from bddsudoku.solver import make_question
from bddsudoku.solver.estimates import estimate_marginals

EMPTY_4 = "." * 16


def runs(model: Model, width: int, number: int) -> list[Run]:
    descents = Descents(model, UNLIMITED)
    return [descents.run(width, (0, k), lambda: None) for k in range(number)]


def assert_unbiased(found: list[Run], expected: int) -> None:
    """The mean of the runs is at most four standard errors away from the count."""
    values = np.array([run.total for run in found])
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean() - expected) <= 4 * error


def test_probabilities() -> None:
    draw = np.random.default_rng(1)
    for size in range(2, 40):
        weight = draw.pareto(0.7, size) + 0.1
        for number in range(1, size):
            found = _probabilities(weight, number)
            assert found.max() <= 1
            assert found.sum() == pytest.approx(number)
            ratio = (found / weight)[found < 1]
            assert ratio == pytest.approx(ratio[:1].repeat(len(ratio)))


def test_each_item_is_picked_with_its_probability() -> None:
    probability = np.array([0.3, 1.0, 0.9, 0.1, 0.1, 0.1, 0.5, 1.0, 0.6, 0.4])
    draw, often, times = np.random.default_rng(1), np.zeros(10), 20_000
    for _ in range(times):
        picked = np.zeros(10, dtype=np.bool_)
        _pick(probability, draw.random(10), picked)
        assert picked.sum() == 5
        often += picked
    assert np.abs(often / times - probability).max() < 4 * 0.5 / math.sqrt(times)


@pytest.mark.parametrize("hints", [0, 2, 4, 6])
def test_descents_that_meet_all_solutions_count_them(hints: int) -> None:
    draw = random.Random(hints)
    for _ in range(20):
        cells = draw.sample(range(16), hints)
        line = "".join(draw.choice("1234") if c in cells else "." for c in range(16))
        found = estimate(line)
        expected = bddsudoku.count(line, engine="brute-force" if hints else "dlx")
        assert (found.estimate, found.low, found.high) == (expected,) * 3
        assert found.effective is None


CLAUSES = """\
symbol a b c d e f g h
a | b | ~c
~a | d
b | ~d | e
a + b + c + d + e + f + g + h <= 5
e -> ~h"""


@pytest.mark.parametrize("width", [1, 2, 7])
@pytest.mark.parametrize("text", [EMPTY_4, EMPTY_4 + "\nthermometer r1c1 r2c1", CLAUSES])
def test_runs_of_any_width_are_unbiased(text: str, width: int) -> None:
    subject = Problem.parse(text) if text is CLAUSES else Puzzle.parse(text)
    model = make_question(subject).model
    found = runs(model, width, 300)
    assert not any(run.exhaustive for run in found)
    assert_unbiased(found, bddsudoku.count(subject, engine="frontier"))


def test_formulas_with_unconstrained_variables_and_integers() -> None:
    problem = Problem.parse(
        "symbol a b c d\ninteger x in 0..60\ninteger y in 0..60\nx + y <= 100\na | b"
    )
    expected = bddsudoku.count(problem)
    found = estimate(problem, 0.05)
    assert found.estimate is not None
    assert found.low <= found.estimate <= found.high  # type: ignore[operator]
    assert abs(found.estimate / expected - 1) < 0.1


def test_more_than_any_double() -> None:
    problem = Problem.parse("integer x[1..400] in 0..9\nall different(x[1], x[2])")
    found = estimate(problem, 0.2)
    assert found.estimate is not None
    assert abs(math.log(found.estimate) - 399 * math.log(10) - math.log(9)) < 0.1


def test_the_same_seed_gives_the_same_for_any_number_of_threads() -> None:
    board = "." * 36
    one, two, other = (estimate(board, 0.05, seed=s, jobs=j) for s, j in ((1, 1), (1, 3), (2, 1)))
    assert one.record() | {"seconds": 0} == two.record() | {"seconds": 0}
    assert one.estimate != other.estimate
    assert one.low <= 28200960 <= one.high  # type: ignore[operator]


@pytest.mark.parametrize("line", ["1" + "." * 15, "1234" + "." * 32, "11" + "." * 14])
def test_marginals(line: str) -> None:
    puzzle = Puzzle.parse(line)
    found, shares, errors = estimate_marginals(puzzle, UNLIMITED, precision=0.05, seed=1)
    exact = bddsudoku.marginals(puzzle)
    total = exact[0, 0].sum()
    if found.effective is None:
        assert shares * total == pytest.approx(exact)
        assert not errors.any()
    else:
        assert found.estimate is not None
        assert np.abs(shares - exact / total).max() < 0.05
        assert (np.abs(shares - exact / total) <= 4.5 * errors + 1e-9).all()


@pytest.mark.parametrize("board", ["." * 36, "." * 36 + "\nantiking", "12" + "." * 34])
def test_seeds_agree(board: str) -> None:
    found = [estimate(board, 0.1, seed=seed) for seed in range(5)]
    mean = sum(one.estimate or 0 for one in found) // 5
    exact = bddsudoku.count(board)
    for number in (mean, exact):
        assert sum(one.low <= number <= (one.high or 0) for one in found) >= 4


def test_too_few_effective_descents_are_no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval, "MIN_EFFECTIVE", 10**9)
    found = estimate("." * 36, 0.1)
    assert (found.estimate, found.high) == (None, None)
    assert 10**7 < found.low < 28200960
    assert str(found).startswith("more than ")
    assert found.record()["limit"].startswith("no estimate: ")


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="precision above 0"):
        estimate(EMPTY_4, 0.0)
    with pytest.raises(BddSudokuError, match="projection"):
        estimate(Problem.parse("symbol a b\na | b\nproject a"))
    with pytest.raises(LimitReached, match="time limit"):
        estimate("." * 81, 1e-6, time_limit=0.01)


@pytest.mark.slow
def test_what_is_known_where_a_count_gives_up() -> None:
    """The diagram is not begun, and the solutions are too many to be visited."""
    with pytest.raises(LimitReached, match="by prediction: frontier would need") as stop:
        bddsudoku.count("." * 81 + "\nthermometer r1c1 r1c2 r1c3 r1c4", max_memory="100M")
    known = stop.value.details["known"]
    # Each of the 24 orders of four different digits is as frequent as the others.
    expected = 6670903752021072936960 // 24
    assert int(known["low"]) * 0.97 < expected < int(known["high"]) * 1.03


def test_few_solutions_are_counted_where_the_memory_is_small() -> None:
    model = allocate(Puzzle.parse("1" + "." * 15))
    stop = LimitReached("memory limit reached", limit="memory")
    searcher = choose_listing_engine(model)
    assert _count_by_visiting(searcher, model, stop, "frontier", UNLIMITED).count == 72
