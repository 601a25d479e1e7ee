"""A search gets a share of the time that a wide diagram would take."""

from __future__ import annotations

import pytest

from bddsudoku.engine.protocol import Forecast
from bddsudoku.engine.registry import engine
from bddsudoku.engine.topdown import Frontier
from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits
from bddsudoku.model import Model
from bddsudoku.puzzle import Problem
from bddsudoku.solver import choose

LOAD = "symbol x[1..24]\nsum(i * x[i] for i in 1..24) <= 90"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model whose trials are over at once without an answer."""
    monkeypatch.setattr(choose, "short_trial", lambda model, limits: None)
    return Problem.parse(LOAD).model()


def foretold(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    told = Forecast(seconds, "foretold", "model", 1.0)
    monkeypatch.setattr(Frontier, "forecast", lambda self, model, limits: told)


def test_a_search_that_ends_in_its_share_answers(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    foretold(monkeypatch, 1000.0)
    choice = choose.choose_counter(model, Limits())
    assert choice.engine == "search"
    assert choice.count == engine("frontier").count(model, Limits())


def test_one_that_does_not_leaves_the_count_to_the_other(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    foretold(monkeypatch, 1000.0)
    monkeypatch.setattr(choose, "SEARCH_SECONDS", 0.0)
    monkeypatch.setattr(choose, "FIRST_SECONDS", 0.0)
    choice = choose.choose_counter(model, Limits(None, 60))
    assert (choice.engine, choice.count, choice.why) == ("frontier", None, "foretold")
    foretold(monkeypatch, 0.1)
    assert choose.choose_counter(model, Limits()).count is None


def test_its_share_ends_with_the_time(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    foretold(monkeypatch, 1000.0)
    with pytest.raises(LimitReached, match=r"time limit of 1e-09 s"):
        choose.choose_counter(model, Limits(None, 1e-9))
