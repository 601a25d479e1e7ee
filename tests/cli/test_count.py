from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures import FIGURE_1

Run = Callable[..., Any]


@pytest.mark.parametrize(
    "engine", ["auto", "singles", "bands", "frontier", "bdd", "dlx", "brute-force"]
)
def test_every_engine_counts_figure_1(json_of: Run, engine: str) -> None:
    (record,) = json_of("count", FIGURE_1, "--engine", engine)
    assert record["count"] == "1"
    assert record["exact"] is True
    assert record["hints"] == 35
    assert record["puzzle"] == FIGURE_1
    assert 0 < record["seconds"] < 60
    assert record["engine"] == ("singles" if engine == "auto" else engine)


def test_a_bad_puzzle_in_a_file_keeps_what_was_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.sdm"
    path.write_text(f"{FIGURE_1}\n{FIGURE_1[:-1]}&\n")
    result = run("count", str(path), code=1)
    assert result.stdout == "1\n"
    assert result.stderr.count("\n") == 1
    assert "bad.sdm" in result.stderr
    assert "line 2" in result.stderr


@pytest.mark.parametrize(
    "argument",
    ["no-such-file.txt", "12345", "", "x" * 81 + "y", "tests"],
    ids=lambda a: a[:12] or "empty",
)
def test_bad_arguments_end_in_one_line(run: Run, argument: str) -> None:
    outcome = run("count", argument, code=1)
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("bddsudoku: ")
    assert outcome.stderr.count("\n") == 1


def test_wrong_usage(run: Run) -> None:
    assert run("count", code=2).stdout == ""
    assert run("count", FIGURE_1, "--engine", "magic", code=2).stdout == ""
    assert run("count", FIGURE_1, "--max-memory", "much", code=2).stdout == ""


def test_a_limit_is_exit_code_3(run: Run) -> None:
    many = "." * 81
    late = "--engine", "dlx", "--time-limit", "1"
    outcome = run("count", "-", *late, stdin=f"{FIGURE_1}\n{many}\n", code=3)
    assert outcome.stdout == "1\n×\n"
    assert outcome.stderr.count("time limit of 1 s reached") == 1
    small = "--engine", "bands", "--max-memory", "1M"
    outcome = run("count", "-", *small, stdin=f"{many}\n{FIGURE_1}\n", code=3)
    assert outcome.stdout == "×\n1\n"  # with many hints bands need next to nothing
    record = json.loads(run("count", many, *late, "--json", code=3).stdout)
    assert record["count"] is None
    assert record["exact"] is False


def test_other_sizes(run: Run) -> None:
    assert run("count", "." * 16).stdout == "288\n"
    assert run("count", "." * 36).stdout == "28200960\n"
    assert run("count", "." * 36, "--layout", "3x2").stdout == "28200960\n"
    assert run("count", "1" + "." * 15).stdout == "72\n"
