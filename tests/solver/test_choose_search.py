"""Searches keep to a share of the work; the clock has no say in what is chosen."""

from __future__ import annotations

import time
import tracemalloc
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest

from bddsudoku.context import Context
from bddsudoku.engine import portfolio as choose
from bddsudoku.engine import unfinished_counts
from bddsudoku.engine.frontier_engine import FrontierEngine
from bddsudoku.engine.protocol import ListingEngine, find_engine
from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.puzzle import Problem
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.puzzle.sudoku.rules import rule_from_line
from bddsudoku.solver import compile_set, count_detailed, solve_detailed
from bddsudoku.solver.question import make_question
from bddsudoku.solver.solution_output import listable_set

DATA = Path(__file__).parents[2] / "data"

LOAD = "symbol x[1..24]\nsum(i * x[i] for i in 1..24) <= 90"


def test_a_search_that_has_had_its_steps_gives_up() -> None:
    model = Problem.parse(LOAD).model()
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


def test_what_does_not_fit_is_not_visited_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "SPARE_STEPS", 1e7)
    context = Context(max_memory=200 << 20, time_limit=60)
    with pytest.raises(LimitReached, match=r"bands engine needs .* one by one .*bitboard") as stop:
        count_detailed(Puzzle([0] * 81), context=context)
    assert stop.value.limit == "memory"


@pytest.mark.parametrize("name", ["search", "frontier"])
def test_tables_of_constraints_keep_to_the_memory(name: str) -> None:
    asked = Problem.parse("integer x[1..50] in 0..39\nsum(x[i] for i in 1..50) <= 900").model()
    tracemalloc.start()
    try:
        with pytest.raises(
            LimitReached, match=r"tables of constraints: .* 4,194,304 allowed"
        ) as stop:
            find_engine(name).count(asked, Context(max_memory=4 << 20, time_limit=20))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert stop.value.limit == "memory"


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


def test_a_set_comes_from_the_search_where_no_diagram_can_be_foreseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An MDD of an alternative may be too wide, though the search finds the few solutions soon."""
    puzzle = Puzzle.parse("1.2.............\nthermo r1c1 r2c1\nantiknight\n")
    expected = {grid.line for grid in compile_set(puzzle)}

    def too_wide(*_: object) -> None:
        raise LimitReached("too wide", limit="states")

    monkeypatch.setattr(FrontierEngine, "diagram_forecast", too_wide)
    monkeypatch.setattr(choose, "first_successful_probe", lambda *_, **__: None)
    monkeypatch.setattr(choose, "FIRST_STEPS", 1)
    found = solve_detailed(puzzle)
    assert found.engine == "search"
    assert {grid.line for grid in found.grids} == expected


def test_what_is_known_of_an_unfinished_count_is_reported_and_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("FIRST_STEPS", "SEARCH_STEPS", "SPARE_STEPS"):
        monkeypatch.setattr(choose, name, 1e6)
    monkeypatch.setattr(unfinished_counts, "ESTIMATE_STEPS", 1e6)
    for name in ("ESTIMATED_SECONDS", "SURPLUS_BYTES"):
        monkeypatch.setattr(choose, name, 0)
    heard: list[int] = []
    puzzle = Puzzle([0] * 36, rules=["thermo r1c1 r2c2 r3c3"])
    with pytest.raises(LimitReached) as stop:
        count_detailed(puzzle, context=Context(found=lambda least, _: heard.append(least)))
    known = stop.value.details["known"]
    number = compile_set(puzzle).count()
    assert heard == sorted(heard)
    assert int(known["more_than"]) < heard[-1] <= number
    assert int(known["low"]) < number
    assert "seconds" not in known  # those of the estimate are not those of the count
    assert 0.5 < int(known["estimate"]) / number < 2
