"""The live board in a notebook: questions and answers are traits of the widget."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytest.importorskip("anywidget")

from bddsudoku import Puzzle
from bddsudoku.explore.widget import BoardWidget


def answered(widget: Any, question: dict[str, Any]) -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = []
    widget.observe(lambda change: heard.append(change["new"]), "answer")
    widget.ask = question
    end = time.monotonic() + 60
    while not any(e["kind"] == "end" for e in heard):
        assert time.monotonic() < end
        time.sleep(0.01)
    widget.unobserve_all("answer")
    return heard


def test_a_question_is_answered() -> None:
    widget = BoardWidget("1...............", size=500)
    assert widget.size == 500
    read = answered(widget, {"kind": "read", "text": widget.opening, "id": 1})
    assert read[0]["board"]["cells"] == [1] + [0] * 15
    assert {e["id"] for e in read} == {1}
    board = {**read[0]["board"], "cells": [1, 2] + [0] * 14}
    found = answered(widget, {"kind": "board", "board": board, "id": 2})
    assert [e["count"] for e in found if e.get("state") == "exact"][-1] == "24"
    assert len({e["number"] for e in [*read, *found]}) == len([*read, *found])
    assert widget.puzzle == Puzzle.parse("12..............")
    widget.ask = {"kind": "stop", "id": 2}
    widget.close()


def test_nonsense_is_answered_too() -> None:
    widget = BoardWidget()
    found = answered(widget, {"kind": "board", "board": {"box": [9]}, "id": 1})
    assert [e["kind"] for e in found] == ["error", "end"]
    widget.close()
