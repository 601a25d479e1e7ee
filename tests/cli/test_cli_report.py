from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bddsudoku import LimitReached

Run = Callable[..., Any]
FOUR = "1....2.........4"


def test_it_writes_one_page(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    result = run("report", FOUR, "-o", str(path))
    assert result.stdout == ""
    assert f"report written to {path}" in result.stderr
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert text.count("<img") == 2
    assert text.count("<svg") == 2
    assert "allocation candidates" in " ".join(text.split())


def test_an_analysis_that_a_limit_ends_prints_what_is_known(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(self: object) -> None:
        raise LimitReached("time limit reached", limit="time")

    monkeypatch.setattr("bddsudoku.solver.Analysis.cells_section", stop)
    result = run("analyse", FOUR, "--json", code=3)
    assert "time limit reached" in result.stderr
    known = json.loads(result.stdout)
    assert known["count"] == known["sections"]["solutions"]["count"] is not None
    assert "cells" not in known["sections"]


@pytest.mark.parametrize("output", [(), ("-o", "-")])
def test_without_matplotlib_there_is_a_page_all_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch, output: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("report", FOUR, *output, "--allocation", "paper")
    assert "no plots in this report: pictures need matplotlib" in result.stderr
    assert "report written to standard output (" in result.stderr
    text = result.stdout
    assert text.startswith("<!DOCTYPE html>")
    assert "<img" not in text
    assert text.count("<svg") == 2
    assert "No plots:" in text
    assert "allocation paper" in text


def test_one_puzzle_only(run: Run, tmp_path: Path) -> None:
    puzzles = tmp_path / "two.txt"
    puzzles.write_text(f"{FOUR}\n{FOUR}\n")
    result = run("report", str(puzzles), "-o", str(tmp_path / "r.html"), code=1)
    assert "expected one puzzle" in result.stderr
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(("section", "deaf"), [("solutions", False), ("cells", True)])
def test_a_section_that_does_not_end_is_named_on_the_page(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, section: str, deaf: bool
) -> None:
    """It looks at its limit and says so, or an alarm ends it; the other sections are there."""
    from bddsudoku.solver import Analysis

    def endless(self: Analysis, **options: object) -> None:
        if not deaf:
            raise LimitReached("time limit of 4 s reached in the test", limit="time")
        time.sleep(60)

    monkeypatch.setattr(Analysis, f"{section}_section", endless)
    path = tmp_path / "report.html"
    begin = time.monotonic()
    outcome = run("report", FOUR, "-o", str(path), "--time-limit", "4", code=3)
    assert time.monotonic() - begin < 8
    text = path.read_text(encoding="utf-8")
    assert text.endswith("</html>\n")
    open_ones = [section, "cells", "hints"] if section == "solutions" else [section]
    for name in ("puzzle", "variables", "solutions", "cells", "hints", "procedures", "check"):
        assert f'<h2 id="{name}">' in text
        body = text.partition(f'<h2 id="{name}">')[2].partition("</section>")[0]
        if name in open_ones:
            assert "<p>× time limit of 4 s reached" in body
        elif not deaf:
            assert "<p>×" not in body
    last = outcome.stderr.splitlines()[-1]
    assert last.startswith("bddsudoku: time limit of 4 s reached")
    assert last.endswith("; the report says what stayed open")


def test_plots_are_left_out_where_there_is_no_time_for_them(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    run("report", FOUR, "-o", str(path), "--time-limit", "1.9", code=3)
    assert "No plots: time limit of 1.9 s reached" in path.read_text(encoding="utf-8")
