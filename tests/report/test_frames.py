from __future__ import annotations

import sys

import numpy as np
import pytest

from bddsudoku import Puzzle
from bddsudoku.report.formatting import RowList, frame, marginals_frame, steps_frame
from bddsudoku.solver import build_puzzle

HUGE = 6670903752021072936960


@pytest.fixture(params=["pandas", "plain"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "pandas", None)
    else:
        pytest.importorskip("pandas", reason="pandas is not installed")
    return str(request.param)


def records(table) -> list[dict]:
    return list(table) if isinstance(table, RowList) else table.to_dict("records")


def test_counts_stay_exact(made: str) -> None:
    table = frame([{"hints": 0, "count": HUGE}, {"hints": 1, "count": 3}])
    assert records(table) == [{"hints": 0, "count": HUGE}, {"hints": 1, "count": 3}]
    assert isinstance(table, RowList) == (made == "plain")
    assert list(frame([{"a": 1, "b": 2, "c": 3}], ["c", "a"]).columns) == ["c", "a"]


def test_marginals(made: str) -> None:
    counts = np.zeros((1, 2, 3), dtype=object)
    counts[0, 0, 2] = HUGE
    counts[0, 1, 0] = 5
    assert records(marginals_frame(counts)) == [
        {"row": 1, "column": 1, "digit": "3", "count": HUGE},
        {"row": 1, "column": 2, "digit": "1", "count": 5},
    ]


def test_steps(made: str) -> None:
    built = build_puzzle(Puzzle.parse("1....2.........4"), isolated=False)
    rows = records(steps_frame(built.steps))
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["nodes"] == built.nodes
    assert {row["family"] for row in rows} == {"cell", "row", "column", "block"}


def test_plain_rows_show_themselves() -> None:
    rows = RowList([{"a": HUGE, "b": "<"}, {"a": None, "c": 1.5, "b": True}])
    assert f"{HUGE:,}" in str(rows)
    assert "&lt;" in rows._repr_html_()
    assert "1.500" in rows._repr_html_()
    assert rows.columns == ["a", "b", "c"]
