from __future__ import annotations

import sys

import pytest
from oracles import diagonals, four_by_four

from bddsudoku import Layout, Puzzle, PuzzleFormatError
from bddsudoku.authoring import next_rules, whole_board_rules
from bddsudoku.puzzle.sudoku.rules import Diagonals, Windoku


def test_each_rule_by_itself() -> None:
    puzzle = Puzzle.parse("1...............")
    answers = next_rules(puzzle, each=None)
    left = {row["rule"]: int(row["count"]) for row in answers["rules"]}
    held = [
        g
        for g in four_by_four()
        if g[0] == 1 and all(len({g[c] for c in line}) == 4 for line in diagonals(4))
    ]
    assert left["diagonals"] == len(held)
    assert int(answers["count"]) == 72
    known = [k for k in left.values() if k]
    assert known == sorted(known)
    assert answers["impossible"] == [text for text, k in left.items() if not k]


def test_rules_that_are_there_or_do_not_fit() -> None:
    puzzle = Puzzle([0] * 25, Layout.latin(5)).with_rule(Diagonals())
    rules = whole_board_rules(puzzle)
    assert Diagonals() not in rules
    assert Windoku() not in rules
    with pytest.raises(PuzzleFormatError):
        Windoku().check(puzzle.layout)
    assert next_rules(Puzzle([0] * 16), [])["rules"] == []


def test_what_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys.modules["bddsudoku.authoring.rule_placement"], "count_or_none", lambda *_: None
    )
    answers = next_rules(Puzzle([0] * 16))
    assert answers["count"] == "288"
    assert {row["count"] for row in answers["rules"]} == {None}
