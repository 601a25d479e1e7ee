"""Conjunction schedules: the meaning of their text, and the errors."""

from __future__ import annotations

import pytest

from bddsudoku.errors import ScheduleError
from bddsudoku.model import Model, OneHot, Variable
from bddsudoku.model.schedules import make_schedule


@pytest.fixture
def model() -> Model:
    """Two stages of two cells and two rows each, and two columns; one trivial cell."""
    variables = tuple(Variable(f"x{i}", i) for i in range(8))
    constraints = (
        OneHot("cell", "a", (0, 1)),  # 0
        OneHot("cell", "b", (2, 3)),  # 1
        OneHot("cell", "none", (), 0),  # 2, trivial
        OneHot("cell", "c", (4, 5)),  # 3
        OneHot("cell", "d", (6, 7)),  # 4
        OneHot("row", "a", (0, 2)),  # 5
        OneHot("row", "b", (1, 3)),  # 6
        OneHot("row", "c", (4, 6)),  # 7
        OneHot("row", "d", (5, 7)),  # 8
        OneHot("column", "x", (0, 4)),  # 9
        OneHot("column", "y", (3, 7)),  # 10
    )
    return Model(variables, constraints)


def half(constraint: OneHot) -> int | None:
    stages = {v // 4 for v in constraint.variables}
    return stages.pop() if len(stages) == 1 else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cell>row>column", [0, 1, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("Cell>Row:bottom-up; column", [4, 3, 1, 0, 8, 7, 6, 5, 9, 10]),
        ("staged : cell>row : bottom-up ; column", [4, 3, 8, 7, 1, 0, 6, 5, 9, 10]),
        ("column:bottom-up;cell;row", [10, 9, 0, 1, 3, 4, 5, 6, 7, 8]),
        ("staged:cell+row:bottom-up;column", [4, 8, 7, 3, 1, 6, 5, 0, 9, 10]),
    ],
)
def test_text(model: Model, text: str, expected: list[int]) -> None:
    made = make_schedule(model, text, stage=half)
    assert list(made) == expected
    assert made.name == text.strip()
    assert len(made) == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cell>row", "column 'x' is missing (and 1 more)"),
        ("cell>row>column>cell", "cell 'a' is there twice"),
        ("cell>row>diagonal", "found 'diagonal'"),
        ("cell>row>column:sideways", "expected top-down or bottom-up, found 'sideways'"),
        ("", "found ''"),
        ("cell>>row", "found ''"),
        ("staged:cell>row>column", "column 'x' lies in no single stage"),
    ],
)
def test_refused_text(model: Model, text: str, message: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        make_schedule(model, text, stage=half)
    assert message in str(caught.value)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_stages_need_a_puzzle_that_has_some(model: Model) -> None:
    with pytest.raises(ScheduleError, match="has no stages"):
        make_schedule(model, "staged:cell>row;column")


def test_functions_positions_and_schedules(model: Model) -> None:
    def backwards(model: Model) -> list[int]:
        return [i for i, c in reversed(list(enumerate(model.constraints))) if not c.is_trivial]

    made = make_schedule(model, backwards)
    assert list(made) == [10, 9, 8, 7, 6, 5, 4, 3, 1, 0]
    assert made.name == "backwards"
    assert make_schedule(model, list(made)) == made
    assert make_schedule(model, made) is made
    assert list(make_schedule(model)) == [0, 1, 3, 4, 5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([0, 1, 3, 4, 5, 6, 7, 8, 9], "column 'y' is missing"),
        ([0, 1, 3, 4, 5, 6, 7, 8, 9, -1], "no constraint has position -1"),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "cell 'none' is trivial"),
        (["cell"], "expected positions of constraints"),
    ],
)
def test_refused_positions(model: Model, positions: list[int], message: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        make_schedule(model, positions)
    assert message in str(caught.value)
    with pytest.raises(ScheduleError):
        make_schedule(model, lambda _: positions)


def test_a_schedule_of_another_model_is_refused(model: Model) -> None:
    other = Model(model.variables, (*model.constraints[:5], OneHot("row", "z", (0,))))
    with pytest.raises(ScheduleError):
        make_schedule(other, make_schedule(model))
