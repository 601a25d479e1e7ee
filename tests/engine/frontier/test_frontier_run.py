"""Frontier construction: determinism, limits, progress, threads, and specs defined in the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from bddsudoku.context import Context
from bddsudoku.engine import order_choice
from bddsudoku.engine.frontier import (
    DEAD,
    Spec,
    WidthForecast,
    compile_spec,
    count_spec,
    define_step,
    forecast_widths,
)
from bddsudoku.engine.frontier.spec import choice_tree
from bddsudoku.engine.order_choice import choose_order
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.errors import LimitReached
from bddsudoku.jit import inlined
from bddsudoku.puzzle.sudoku import Puzzle, allocate

P15 = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
MODEL = allocate(Puzzle(map(int, P15)), "candidates")


def test_threads_and_repetition_change_nothing() -> None:
    one = compile_spec(model_spec(MODEL), threads=1)
    for threads in (2, 3):
        other = compile_spec(model_spec(MODEL), threads=threads)
        assert other.diagram == one.diagram
        assert [(e.level, e.states, e.edges) for e in other.levels] == [
            (e.level, e.states, e.edges) for e in one.levels
        ]


def test_progress_sees_every_level_in_order() -> None:
    reports: list[tuple[float, float]] = []
    context = Context(progress=lambda level, levels: reports.append((level, levels)))
    done = compile_spec(model_spec(MODEL), context=context)
    seen = done.levels
    assert reports == [(e.level + 1, e.levels) for e in seen]
    assert [e.level for e in seen] == sorted(e.level for e in seen)
    assert seen[0].states == 1
    (levels,) = {e.levels for e in seen}
    assert seen[-1].level < levels
    assert done.width == max(e.states for e in seen)
    assert 0 < done.peak_bytes < 500_000_000


@pytest.mark.parametrize("run", [compile_spec, count_spec])
@pytest.mark.parametrize(
    ("limits", "name"),
    [
        ({"context": Context(max_memory=40_000_000)}, "memory"),
        ({"context": Context(time_limit=1e-4)}, "time"),
    ],
)
def test_limits_name_the_level_and_keep_the_trace(
    run: Callable[..., Any], limits: dict[str, Any], name: str
) -> None:
    with pytest.raises(LimitReached) as caught:
        run(model_spec(MODEL), **limits)
    stop = caught.value
    assert stop.limit == name
    assert {"level", "states", "bytes", "seconds"} <= stop.details.keys()
    assert f"level {stop.details['level']}" in str(stop)
    assert "\n" not in str(stop)
    assert [e.level for e in stop.trace] == list(range(stop.details["level"]))


def test_memory_is_checked_before_it_is_allocated() -> None:
    need = compile_spec(model_spec(MODEL)).peak_bytes
    assert (
        compile_spec(model_spec(MODEL), context=Context(max_memory=need)).diagram.size - 2
        == 1_626_718
    )
    with pytest.raises(LimitReached, match="memory"):
        compile_spec(model_spec(MODEL), context=Context(max_memory=need // 2))


def test_an_error_in_a_progress_callback_is_raised() -> None:
    def stop(level: float, levels: float) -> None:
        if level == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_spec(model_spec(MODEL), context=Context(progress=stop))


class StepsParams(NamedTuple):
    """A spec with pairs of variables and jumps: words of a given length over three letters."""

    length: int


@inlined
def _steps(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    # letters: 0 nothing, 1 first, 2 second, 3 both; after "both" the next level is left out;
    # "nothing" never twice in a row
    if choice == 0 and states[row, 0] == 1:
        return DEAD
    children[slot, 0] = np.uint64(1) if choice == 0 else np.uint64(0)
    after = level + (2 if choice == 3 else 1)
    return DEAD if after > params.length else after


define_step(StepsParams, _steps)


def steps_by_hand(length: int) -> set[frozenset[int]]:
    found = set()

    def grow(level: int, empty: bool, chosen: frozenset[int]) -> None:
        if level == length:
            found.add(chosen)
        if level >= length:
            return
        if not empty:
            grow(level + 1, True, chosen)
        grow(level + 1, False, chosen | {2 * level})
        grow(level + 1, False, chosen | {2 * level + 1})
        grow(level + 2, False, chosen | {2 * level, 2 * level + 1})

    grow(0, False, frozenset())
    return found


SUBSETS: tuple[tuple[int, ...], ...] = ((), (0,), (1,), (0, 1))


def steps_spec(length: int) -> Spec:
    return Spec(
        params=StepsParams(length),
        labels=np.arange(2 * length),
        first=np.arange(0, 2 * length + 1, 2, dtype=np.int32),
        choices=(SUBSETS,) * length,
        words=np.ones(length, np.int32),
        root=np.zeros(1, np.uint64),
        max_jump=2,
    )


@pytest.mark.parametrize("length", [1, 2, 5, 6])
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_spec_with_subsets_as_choices_and_jumps(length: int, shuffle: bool) -> None:
    assert not shuffle or choice_tree(SUBSETS).order.tolist() != [0, 1, 2, 3]
    spec = steps_spec(length)
    expected = steps_by_hand(length)
    diagram = compile_spec(spec, threads=2 if shuffle else 1).diagram

    def below(node: int) -> set[frozenset[int]]:
        if node < 2:
            return {frozenset()} if node else set()
        level = int(diagram.variable[node])
        high = below(int(diagram.high[node]))
        return below(int(diagram.low[node])) | {s | {level} for s in high}

    assert below(diagram.root) == expected
    assert count_spec(spec) == len(expected)


@pytest.mark.parametrize(("root", "count"), [(DEAD, 0), (1, 1)])
def test_specs_that_are_decided_at_the_root(root: int, count: int) -> None:
    spec = replace(steps_spec(1), root_level=root)
    assert compile_spec(spec).diagram.root == count
    assert count_spec(spec) == count


def test_the_chosen_order_is_among_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    expanded: list[int] = []

    def look(spec: Spec, beam: int, *, stop: float) -> WidthForecast:
        found = forecast_widths(spec, beam, stop=stop)
        expanded.append(found.expanded)
        return found

    monkeypatch.setattr(order_choice, "forecast_widths", look)
    choice, again = (choose_order(MODEL, Context()) for _ in range(2))
    assert (again.name, again.states) == (choice.name, choice.states)
    done = compile_spec(model_spec(MODEL, choice.order))
    assert done.states <= 1.3 * 687_502  # blocks:321:132, the best that is known
    assert sum(expanded) < 2 * 0.2 * done.states  # chosen twice
