from __future__ import annotations

import sys

import numpy as np
import pytest

from bddsudoku import Puzzle
from bddsudoku.report.formatting import to_frame
from bddsudoku.solver import (
    build_puzzle,
    check,
    clue_ablation,
    count_detailed,
    count_many,
    hint_impact,
    rule_impact,
)

HUGE = 6670903752021072936960


@pytest.fixture(params=["pandas", "plain"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "pandas", None)
    else:
        pytest.importorskip("pandas", reason="pandas is not installed")
    return str(request.param)


def records(table) -> list[dict]:
    return list(table) if isinstance(table, list) else table.to_dict("records")


def test_counts_stay_exact(made: str) -> None:
    table = to_frame([{"hints": 0, "count": HUGE}, {"hints": 1, "count": 3}])
    assert records(table) == [{"hints": 0, "count": HUGE}, {"hints": 1, "count": 3}]
    assert isinstance(table, list) == (made == "plain")
    (row,) = records(to_frame([{"a": 1, "b": 2, "c": 3}], ["c", "a"]))
    assert [*row.items()] == [("c", 3), ("a", 1)]


def test_marginals(made: str) -> None:
    counts = np.zeros((1, 2, 3), dtype=object)
    counts[0, 0, 2] = HUGE
    counts[0, 1, 0] = 5
    assert records(to_frame(counts)) == [
        {"row": 1, "column": 1, "digit": "3", "count": HUGE},
        {"row": 1, "column": 2, "digit": "1", "count": 5},
    ]


def test_steps(made: str) -> None:
    built = build_puzzle(Puzzle.parse("1....2.........4"), isolated=False)
    rows = records(to_frame(built.steps))
    assert [row["position"] for row in rows] == [step.position for step in built.steps]
    assert rows[-1]["nodes"] == built.nodes
    assert {row["family"] for row in rows} == {"cell", "row", "column", "block"}


def test_counts_of_many_puzzles(made: str) -> None:
    wanted = [{"puzzle": 1, "count": 288}, {"puzzle": 2, "count": 72}]
    counts = count_many(["." * 16, "1" + "." * 15])
    assert records(to_frame(counts)) == wanted
    assert records(to_frame(iter([288, 72]))) == wanted
    huge = to_frame(np.array([HUGE, 1], dtype=object))
    assert records(huge)[0]["count"] == HUGE


def test_hints_and_rules(made: str) -> None:
    puzzle = Puzzle.parse("1..............4\nantiknight\n")
    impact = rule_impact(puzzle)
    rows = records(to_frame(impact))
    assert [(row["kind"], row["removed"]) for row in rows] == [
        ("rule", "antiknight"),
        ("hint", "r1c1=1"),
        ("hint", "r4c4=4"),
    ]
    assert [row["count"] for row in rows] == [row.count for row in (*impact.rules, *impact.without)]
    plain = Puzzle.parse("1..............4")
    assert records(to_frame(hint_impact(plain))) == records(to_frame(clue_ablation(plain, 24)))
    open_count = {"cell": "r1c1", "digit": 1, "count": None, "redundant": None}
    (row,) = records(to_frame({"without": [open_count]}))
    assert row["redundant"] is None


def test_engines_and_results(made: str) -> None:
    puzzle = Puzzle([0] * 16)
    rows = records(to_frame(check(puzzle, ["dlx", "frontier"])))
    assert [(row["engine"], row["count"]) for row in rows] == [("dlx", 288), ("frontier", 288)]
    (row,) = records(to_frame([count_detailed(puzzle, "dlx")]))
    assert (row["count"], row["engine"], row["why"], row["exact"]) == (288, "dlx", "named", True)


@pytest.mark.parametrize("answer", [{"count": "3"}, ["text"], [1.5]])
def test_what_is_no_answer(answer: object) -> None:
    with pytest.raises(TypeError, match="expected"):
        to_frame(answer)
