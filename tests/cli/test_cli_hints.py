from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures import FIGURE_1

from bddsudoku import LimitReached

Run = Callable[..., Any]
FOUR = "1....2.........4"


def test_text(run: Run) -> None:
    out = run("hints", FIGURE_1).stdout
    assert "\n1 solution\n" in out
    assert "Not minimal: 27 hints could go one at a time, changing nothing." in out
    assert out.count("redundant") == 27
    assert "Candidates in no solution" in out


def test_no_solution_is_an_answer(run: Run) -> None:
    result = run("hints", "11" + "0" * 14)
    assert "no solution" in result.stdout
    assert "hints clash" in result.stderr


class TestWhatALimitLeavesOpen:
    """It shows ×, null in JSON, and the exit code says so: alone, in a list, by workers."""

    EMPTY = "." * 256

    @pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
    def test_rules(self, run: Run, tmp_path: Path, jobs: tuple[str, ...]) -> None:
        path = tmp_path / "two.txt"
        path.write_text(f"{FOUR}\n{self.EMPTY}\n")
        outcome = run("rules", str(path), "--each", "1ms", "--json", *jobs, code=3)
        counts = [json.loads(line)["count"] for line in outcome.stdout.splitlines()]
        assert counts[1] is None
        last = outcome.stderr.splitlines()[-1]
        assert last == "bddsudoku: a limit was reached: what it left open shows ×"

    def test_hints(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def late(*_: object, **__: object) -> int:
            raise LimitReached("time limit of 1 s reached", limit="time")

        monkeypatch.setattr("bddsudoku.solver.hint_analysis.count_by_short_search", late)
        outcome = run("hints", FOUR, code=3)
        assert outcome.stdout.count("×") == 3
        assert outcome.stderr == "bddsudoku: a limit was reached: what it left open shows ×\n"
