"""A search gets a share of the work that a wide diagram would take; the clock has no say in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from bddsudoku.context import Context
from bddsudoku.engine import portfolio as choose
from bddsudoku.engine.bands.band_set import BandsEngine
from bddsudoku.engine.frontier_engine import FrontierEngine
from bddsudoku.engine.protocol import Forecast, ListingEngine, find_engine
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.model import Model
from bddsudoku.puzzle import Problem
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.puzzle.sudoku.rules import rule_from_line
from bddsudoku.solver import count_detailed, solve, solve_detailed
from bddsudoku.solver.question import make_question
from bddsudoku.solver.solution_output import listable_set

DATA = Path(__file__).parents[2] / "data"

LOAD = "symbol x[1..24]\nsum(i * x[i] for i in 1..24) <= 90"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model whose trials are over at once without an answer."""
    monkeypatch.setattr(choose, "first_successful_probe", lambda *_, **__: None)
    return Problem.parse(LOAD).model()


def foretold(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    answers = Forecast(seconds, "foretold", "model", 1.0)
    monkeypatch.setattr(FrontierEngine, "forecast", lambda self, model, context: answers)


def test_a_search_that_ends_in_its_share_answers(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    foretold(monkeypatch, 1000.0)
    choice = choose.choose_counting_engine(model, Context())
    assert choice.engine == "search"
    assert choice.count == find_engine("frontier").count(model, Context())


def test_one_that_does_not_leaves_the_count_to_the_other(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    foretold(monkeypatch, 1000.0)
    monkeypatch.setattr(choose, "SEARCH_STEPS", 0)
    monkeypatch.setattr(choose, "FIRST_STEPS", 0)
    choice = choose.choose_counting_engine(model, Context(None, 60))
    assert (choice.engine, choice.count, choice.why) == ("frontier", None, "foretold")
    foretold(monkeypatch, 0.1)
    assert choose.choose_counting_engine(model, Context()).count is None


def test_a_search_that_has_had_its_steps_gives_up(model: Model) -> None:
    for name in ("search", "components", "dlx", "bitboard", "brute-force"):
        asked = model if name == "search" else make_question(Puzzle([0] * 81)).model
        with pytest.raises(LimitReached) as stop:
            find_engine(name).count(asked, Context(work=1))
        assert stop.value.limit == "work"
        engine = find_engine(name)
        if isinstance(engine, ListingEngine):
            with pytest.raises(LimitReached) as stop:
                deque(engine.solutions(asked, Context(work=1)), maxlen=0)
            assert stop.value.limit == "work"


def running(speed: float) -> SimpleNamespace:
    """A clock that runs so many times as fast."""
    begin = time.monotonic()
    return SimpleNamespace(monotonic=lambda: begin + speed * (time.monotonic() - begin))


WIDE = Puzzle.parse((DATA / "too_few_16x16.txt").read_text().split()[0], Layout(4, 4))


@pytest.mark.parametrize("ask", ["count", "solve"])
def test_the_clock_chooses_nothing(ask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is chosen decides the order of a set, and so its samples and ranks."""
    question = make_question(WIDE.without(list(WIDE.hints)[50]))
    monkeypatch.setattr(choose, "DIAGRAM_SECONDS", 0.3)

    def chosen() -> tuple[object, ...]:
        if ask == "count":
            found = choose.choose_counting_engine(question.model, Context())
            return found.engine, found.why, found.count
        found = choose.choose_set(question.model, Context(), decoder=question.decoder)
        assert found.solution_set is not None
        return found.engine, found.why, found.solution_set.sample(3, 1).tolist()

    expected = chosen()
    assert expected[0] == "components"
    for speed in (50.0, 0.02):
        monkeypatch.setattr("bddsudoku.context.time", running(speed))
        assert chosen() == expected


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Processes that do nothing but keep cores busy."""
    loop = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(loop) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["sample", "-n", "5", "--seed", "1"],
        ["unrank", "12345"],
        ["count"],
        ["generate", "-n", "3", "--seed", "7", "--layout", "3x4"],
        ["generate", "-n", "3", "--seed", "7", "--rules", "rules.txt"],
    ],
    ids=lambda command: command[0],
)
def test_the_same_under_load(command: list[str], tmp_path: Path) -> None:
    """Beside four busy processes, as the last in the queue, and under time limits that suffice."""
    board = WIDE.without(list(WIDE.hints)[10]).line
    about = [] if command[0] == "generate" else [board]
    (tmp_path / "rules.txt").write_text("diagonals\n", encoding="utf-8")

    def answers(*more: str, before: Callable[[], object] | None = None) -> object:
        arguments = [sys.executable, "-m", "bddsudoku", command[0], *about, *command[1:], *more]
        done = subprocess.run(
            arguments, cwd=tmp_path, capture_output=True, text=True, check=True,
            preexec_fn=before, timeout=3000,
        )  # fmt: skip
        return [line for line in done.stdout.splitlines() if line]

    expected = answers()
    assert expected
    assert answers("--time-limit", "2000") == expected
    with busy(4):
        assert answers() == expected
        assert answers("--time-limit", "2000", before=lambda: os.nice(5)) == expected


def test_what_does_not_fit_is_not_visited_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "SPARE_STEPS", 1e7)
    context = Context(memory=200 << 20, seconds=60)
    with pytest.raises(LimitReached, match=r"bands engine needs .* one by one .*bitboard") as stop:
        count_detailed(Puzzle([0] * 81), context=context)
    assert stop.value.limit == "memory"


def test_what_does_not_fit_is_visited_where_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: BandsEngine, model: Model, context: Context) -> int:
        raise context.limit_error(limit="memory")

    monkeypatch.setattr(BandsEngine, "count", full)
    monkeypatch.setattr(choose, "first_successful_probe", lambda *_, **__: None)
    many = (DATA / "seventeen.txt").read_text().splitlines()[4].split()[0]
    found = count_detailed(Puzzle.parse(many))
    assert (found.count, found.engine) == (507806, "bitboard")
    assert found.why == "bands reached its memory limit"


@pytest.mark.parametrize("name", ["search", "frontier"])
def test_tables_of_constraints_keep_to_the_memory(name: str) -> None:
    asked = Problem.parse("integer x[1..50] in 0..39\nsum(x[i] for i in 1..50) <= 900").model()
    tracemalloc.start()
    try:
        with pytest.raises(
            LimitReached, match=r"tables of constraints: .* 4,194,304 allowed"
        ) as stop:
            find_engine(name).count(asked, Context(memory=4 << 20, seconds=20))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert stop.value.limit == "memory"


def test_listed_solutions_keep_to_the_memory() -> None:
    """In 8 MiB there is room for the tables of a search and 100 solutions, but not for 20,000."""
    model = make_question(Puzzle([0] * 81, rules=[rule_from_line("thermo r1c1 r1c2")])).model
    searcher = choose.choose_listing_engine(model)
    small = Context(memory=1 << 23)
    listed = choose._list_by_search(searcher, model, 100, 1e12, small)
    assert listed is not None
    assert len(listed) == 100
    assert choose._list_by_search(searcher, model, 20_000, 1e12, small) is None
    assert choose._list_by_search(searcher, model, 20_000, 1e12, Context()) is not None


MOVES = Puzzle([0] * 81, rules=[*map(rule_from_line, ("antiking", "antiknight", "nonconsecutive"))])


def test_a_board_with_rules_is_searched_before_a_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "first_successful_probe", lambda *_, **__: None)
    monkeypatch.setattr(FrontierEngine, "diagram_forecast", None)  # not called
    question = make_question(MOVES)
    found = choose.choose_set(question.model, Context(), decoder=question.decoder)
    assert (found.engine, found.count) == ("search", 72)
    # What it has listed is not searched for again.
    assert found.solutions is not None
    assert len(found.solutions) == 72
    assert solve(MOVES, max_memory=1 << 28).count() == 72


def test_a_small_limit_searches_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """All solutions, if they are fewer than the limit; else the first where a diagram is slow."""
    monkeypatch.setattr(choose, "first_successful_probe", lambda *_, **__: None)
    slow = Forecast(1000.0, "foretold", "model", 1.0)
    monkeypatch.setattr(FrontierEngine, "diagram_forecast", lambda self, model, context: slow)
    question = make_question(MOVES)
    monkeypatch.setattr(choose, "FIRST_STEPS", 0)
    # Nor does a search get a share of the diagram's time: the solutions wanted are known.
    monkeypatch.setattr(choose, "_search_steps", None)

    def rows(limit: int) -> list[str]:
        found = solve_detailed(question, limit=limit)
        assert found.engine == "search"
        return [grid.line for grid in islice(found.solutions, limit)]

    every = rows(100)
    assert len(set(every)) == len(every) == 72
    assert len(set(rows(10))) == 10
    assert {*rows(10)} <= {*every}


def test_thousands_of_an_open_board_are_listed_by_search() -> None:
    """Of 5,000 solutions of a set beyond any diagram, none waits for the set."""
    steps = [f"thermo r{r}c{c} r{r + 1}c{c}" for r in (1, 4, 7) for c in (1, 4, 7)]
    open_board = Puzzle([0] * 81, rules=[*map(rule_from_line, steps)])
    made = listable_set(PuzzleRecord(open_board), limit=5000)
    assert made.engine == "search"
    assert made.solutions.count() == 5000
    grids = [grid.line for grid in made.solutions]
    assert len({*grids}) == 5000
    assert grids[:20] == [
        grid.line for grid in listable_set(PuzzleRecord(open_board), limit=20).solutions
    ]


def test_a_limit_goes_with_engines_that_list() -> None:
    small = Puzzle([0] * 16)
    for name in ("auto", "search", "dlx", "brute-force"):
        found = count_detailed(small, name, limit=5)
        assert (found.count, found.exact) == (5, False)
        assert name in ("auto", found.engine)
        assert count_detailed(small, name, limit=500).count == 288
    with pytest.raises(BddSudokuError, match=r"frontier counts all .* dlx, search, brute-force"):
        count_detailed(small, "frontier", limit=5)
