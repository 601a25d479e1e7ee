"""A rule of some twenty lines is everywhere at once: texts, pictures, tools, engines, reports."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from agreement import agreed_grids

from bddsudoku.authoring.rule_placement import place_rules
from bddsudoku.context import Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.explore.board_questions import rule_tools
from bddsudoku.puzzle import LineRule, WordRule, known_rules, rule, rule_from_line, write_iss
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles
from bddsudoku.puzzle.sudoku.rules import rule as registry
from bddsudoku.puzzle.sudoku.rules import rule_from_dict
from bddsudoku.puzzle.sudoku.rules.rule import difference_range
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.solver import rule_impact


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> str:
    """A puzzle with a rule that is registered for one test."""
    monkeypatch.setattr(registry, "_REGISTRY", registry._REGISTRY.copy())

    @rule("steep", "neighbours on the line differ by at least the number", "steeply")
    class Steep(LineRule, WordRule):
        """Neighbours on a line differ by a number or more."""

        least: int
        number_range = difference_range
        colour = "orange"
        iss = "Steep"
        fpuzzles = "steepline"
        start = None

        @staticmethod
        def step(last: int | None, digit: int, least: int) -> int | None:
            return digit if last is None or abs(digit - last) >= least else None

        def is_satisfied_by(self, digits: list[int], values: range) -> bool:
            return min(abs(a - b) for a, b in pairwise(digits)) >= self.least

    return "." * 16 + "\nsteep 2 r1c1 r2c2 r3c3 r3c4"


def test_a_rule_of_twenty_lines(text: str) -> None:
    puzzle = Puzzle.parse(text)
    (own,) = puzzle.rules
    assert known_rules()["steep"] is type(own)
    assert Puzzle.parse(puzzle.text) == puzzle
    assert rule_from_dict(own.to_dict()) == own == rule_from_line("steeply r1c1 r2c2 2 r3c3 r3c4")
    assert 0 < len(agreed_grids(puzzle)) < 288
    assert "line-orange" in board_svg(puzzle)
    assert "line-orange" not in board_svg(puzzle.without(own))
    (tool,) = [tool for tool in rule_tools(Layout(2, 2)) if tool["name"] == "steep"]
    assert tool == {
        "name": "steep",
        "titles": {"en": "steep", "ja": "steep"},
        "aliases": ["steeply"],
        "about": "neighbours on the line differ by at least the number",
        "about_ja": "",
        "icon": "",
        "drawn_on": "line",
        "cells": (2, None),
        "parts": [1, 1],
        "fields": ["PLACES", "NUMBER"],
        "words": [],
        "range": [1, 3],
        "example": "",
        "search": [],
        "iss": ["Steep"],
        "fpuzzles": "steepline",
    }
    assert rule_impact(puzzle).rules[0].rule == own.text
    grid = Puzzle.parse("1234341221434321")
    (placed,) = place_rules(grid, [("steep", 1)], np.random.default_rng(1), Context()) or []
    assert placed.name == "steep"
    assert placed.holds(grid)
    assert write_iss(puzzle) == ".Shape~4x4.Steep~2~R1C1~R2C2~R3C3~R3C4"
    assert '"steepline":[{"lines":[["R1C1","R2C2","R3C3","R3C4"]],"value":"2"}]' in write_fpuzzles(
        puzzle
    )
    for write in (write_iss, write_fpuzzles):
        assert Puzzle.parse(write(puzzle)) == puzzle


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("steep r1c1 r2c2", "expected a number as .*, found none"),
        ("steep 2 r1c1", "expected 2 or more cells"),
        ("steep 2 r1c1 r2c2 r1c1", "twice"),
        ("steep 2 r1c1 r5c5", "not on a board"),
        ("steep 2 3 r1c1 r2c2", "expected cells, found '3'"),
        ("steep 4 r1c1 r2c2", "expected a difference from 1 to 3, found 4"),
    ],
)
def test_what_it_refuses(text: str, line: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message):
        rule_from_line(line).check(Layout(2, 2))
