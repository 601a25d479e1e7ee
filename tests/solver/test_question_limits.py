"""One convention of limits: plain keywords on every question, a context for those who share one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bddsudoku.authoring import minimal_subsets, smallest_reason, unavoidable_sets
from bddsudoku.context import Context, limited
from bddsudoku.errors import LimitReached
from bddsudoku.numberlink import count_links, parse_board
from bddsudoku.puzzle import Puzzle
from bddsudoku.solver import (
    check,
    clue_ablation,
    compile_set,
    count,
    count_detailed,
    count_each,
    count_many,
    hint_impact,
    hint_impact_many,
    iterate_solution_keys,
    marginals,
    rule_impact,
    rule_impact_many,
    solve,
    solve_detailed,
    solve_many,
    true_candidates,
    true_candidates_many,
)

EMPTY = Puzzle([0] * 256)  # nobody counts it
CLASSIC = np.zeros((1, 81), int)
QUESTIONS: dict[str, Callable[..., Any]] = {
    "count": lambda **limits: count(EMPTY, **limits),
    "count_detailed": lambda **limits: count_detailed(EMPTY, **limits),
    "solve": lambda **limits: solve(EMPTY, **limits),
    "solve_detailed": lambda **limits: solve_detailed(EMPTY, **limits),
    "compile_set": lambda **limits: compile_set(EMPTY, **limits),
    "marginals": lambda **limits: marginals(EMPTY, **limits),
    "count_many": lambda **limits: count_many([EMPTY], **limits),
    "count_each": lambda **limits: [*count_each([EMPTY], **limits)],
    "solve_many": lambda **limits: solve_many(CLASSIC, None, **limits),
    "true_candidates": lambda **limits: true_candidates(EMPTY, **limits),
    "true_candidates_many": lambda **limits: true_candidates_many(CLASSIC, **limits),
    "hint_impact": lambda **limits: hint_impact(EMPTY, **limits),
    "hint_impact_many": lambda **limits: [*hint_impact_many([EMPTY], **limits)],
    "rule_impact": lambda **limits: rule_impact(EMPTY, **limits),
    "rule_impact_many": lambda **limits: [*rule_impact_many([EMPTY], **limits)],
    "iterate_solution_keys": lambda **limits: [*iterate_solution_keys(EMPTY, **limits)],
    "minimal_subsets": lambda **limits: minimal_subsets(EMPTY, **limits),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_takes_limits(name: str) -> None:
    for limits in ({"time_limit": 1e-6}, {"context": Context(time_limit=1e-6)}):
        with pytest.raises(LimitReached, match="time limit"):
            QUESTIONS[name](**limits)
    for wrong, words in {
        "time_limit": ("soon", "expected a time such as 60, 1.5s or 2min, found 'soon'"),
        "max_memory": ([], r"expected float \| str \| None as max_memory, found \[\]"),
        "context": (5, "expected Context as context, found 5"),
    }.items():
        with pytest.raises((ValueError, TypeError), match=words[1]):
            QUESTIONS[name](**{wrong: words[0]})


def test_limits_of_the_others() -> None:
    puzzle = Puzzle.parse("12..34..........")
    assert clue_ablation(puzzle, 1, max_memory="1GiB", time_limit="1min").minimal is not None
    assert check(puzzle, ["dlx"], time_limit=1e-9).runs[0].limit == "time"
    assert count_links(parse_board("1.1\n"), time_limit=9, max_memory="1GiB").count == 1
    with pytest.raises(LimitReached):
        smallest_reason(EMPTY, None, time_limit=1e-6)
    with pytest.raises(LimitReached):
        unavoidable_sets(solve(Puzzle([0] * 81))[0], size=14, time_limit="300ms")


def test_texts_are_those_of_the_command_line() -> None:
    made = Context("2GiB", "3s")
    assert (made.max_memory, made.time_limit) == (2 << 30, 3)


def test_of_two_limits_the_lower_one_counts() -> None:
    shared = Context(max_memory=1000, time_limit=1000)
    assert limited(shared, max_memory=500, time_limit=2000).max_memory == 500
    assert limited(shared, max_memory=2000).max_memory == 1000
    assert limited(shared, time_limit=2000).deadline == shared.deadline
    assert (limited(shared, time_limit=1).seconds_left or 9) <= 1


def test_old_names_go_on_working_for_a_while() -> None:
    with pytest.warns(DeprecationWarning, match="'seconds' is called 'time_limit'"):
        old = Context(seconds=5)
    with pytest.warns(DeprecationWarning, match="'memory' is called 'max_memory'"):
        assert Context(7).memory == 7
    assert old.time_limit == 5
    assert old.deadline
    with pytest.raises(TypeError, match="'hours'"):
        Context(hours=1)
    with pytest.raises(AttributeError, match="'hours'"):
        _ = old.hours


def test_a_count_goes_no_further_than_its_limit() -> None:
    assert [count([0] * 16, limit=n) for n in (0, 2, 288, 1000)] == [0, 2, 288, 288]
    assert count([0] * 16, limit=2, jobs=2) == 2
