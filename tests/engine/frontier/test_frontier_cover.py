"""Compiled exact covers, compared with brute force and known counts, in every order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import exhaustive, number_of_sets, sets_of
from strategies import model_of, models

from bddsudoku.engine.frontier import compile_spec, count_spec, forecast_widths
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.errors import ModelError
from bddsudoku.model import Model
from bddsudoku.puzzle.sudoku import Puzzle, allocate
from bddsudoku.puzzle.tiling import Board, Tiling, pieces

P15 = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
P17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


def check(model: Model, order: list[int] | None = None) -> None:
    expected = exhaustive(model)
    done = compile_spec(model_spec(model, order), threads=1)
    assert sets_of(done.diagram) == expected
    assert count_spec(model_spec(model, order), threads=1) == len(expected)
    assert sorted(done.diagram.labels.tolist()) == sorted(v.key for v in model.variables)


@settings(max_examples=150, deadline=None)
@given(models(), st.randoms(use_true_random=False))
def test_any_model_under_any_order(model: Model, rng: random.Random) -> None:
    items = model.cover().items
    check(model)
    check(model, rng.sample(range(items), items))


def test_a_model_with_decided_variables_is_refused() -> None:
    with pytest.raises(ModelError, match="candidates"):
        compile_spec(model_spec(allocate(Puzzle.parse(P17), "paper")))


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 1, 2, 99]])
def test_an_invalid_order_is_refused(order: list[int]) -> None:
    with pytest.raises(ModelError, match="order"):
        compile_spec(model_spec(model_of([[0], [1], [2]], 3), order))


def test_the_fifteen_hint_puzzle() -> None:
    model = allocate(Puzzle.parse(P15), "candidates")
    done = compile_spec(model_spec(model))
    assert number_of_sets(done.diagram) == 2_284_505
    assert done.diagram.size - 2 == 1_626_718
    assert done.states == sum(level.states for level in done.levels)
    assert count_spec(model_spec(model)) == 2_284_505


def test_the_forecast_of_a_small_construction_is_exact() -> None:
    model = Tiling(Board.rectangle(6, 6), pieces("I2")).model()
    done = compile_spec(model_spec(model))
    forecast = forecast_widths(model_spec(model), 2000)
    assert forecast.exact
    assert forecast.total_states == done.states
    assert [w for w in forecast.widths.tolist() if w] == [level.states for level in done.levels]


def test_the_forecast_of_a_large_construction_is_close() -> None:
    model = allocate(Puzzle.parse(P15), "candidates")
    done = compile_spec(model_spec(model))
    forecast = forecast_widths(model_spec(model), 2000)
    assert not forecast.exact
    assert done.states / 2 < forecast.total_states < done.states * 2
    assert forecast.expanded < done.states / 5
    stopped = forecast_widths(model_spec(model), 200)
    assert stopped.widths.tolist() == forecast_widths(model_spec(model), 200).widths.tolist()
