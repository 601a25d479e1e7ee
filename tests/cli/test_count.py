from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from figures import FIGURE_1, SEVENTEEN

Run = Callable[..., Any]


def test_figure_1_has_one_solution(run: Run) -> None:
    assert run("count", FIGURE_1).stdout == "1\n"


@pytest.mark.parametrize(
    "engine", ["auto", "singles", "bands", "frontier", "bdd", "dlx", "backtrack"]
)
def test_every_engine_counts_figure_1(json_of: Run, engine: str) -> None:
    (record,) = json_of("count", FIGURE_1, "--engine", engine)
    assert record["count"] == "1"
    assert record["exact"] is True
    assert record["hints"] == 35
    assert record["puzzle"] == FIGURE_1
    assert 0 < record["seconds"] < 60
    assert record["engine"] == ("singles" if engine == "auto" else engine)


def test_counts_are_decimal_strings_past_any_word(json_of: Run) -> None:
    (record,) = json_of("count", "0" * 81)
    assert record["count"] == "6670903752021072936960"


@pytest.mark.parametrize("engine", ["bands", "frontier", "dlx"])
def test_removals_from_the_seventeen_hint_puzzle(run: Run, engine: str) -> None:
    without_r7c1 = SEVENTEEN[:54] + "0" + SEVENTEEN[55:]
    assert run("count", without_r7c1, "--engine", engine).stdout == "15085\n"


def test_one_line_for_every_puzzle_of_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "three.sdm"
    clash = "55" + "0" * 79
    path.write_text("\n".join([FIGURE_1, clash, SEVENTEEN]) + "\n")
    result = run("count", str(path))
    assert result.stdout == "1\n0\n1\n"
    assert "r1c1 and r1c2 are both 5 in row 1" in result.stderr


def test_contradictory_hints_are_an_answer(json_of: Run) -> None:
    for engine in ("auto", "bands", "frontier", "bdd", "dlx", "backtrack"):
        (record,) = json_of("count", "11" + "." * 79, "--engine", engine)
        assert record["count"] == "0"


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
def test_bad_arguments_end_in_one_line(
    shell: Callable[..., subprocess.CompletedProcess[str]], argument: str
) -> None:
    told = shell("count", argument)
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr.startswith("bddsudoku: ")
    assert told.stderr.count("\n") == 1


def test_wrong_usage(run: Run) -> None:
    assert run("count", code=2).stdout == ""
    assert run("count", FIGURE_1, "--engine", "magic", code=2).stdout == ""
    assert run("count", FIGURE_1, "--max-memory", "much", code=2).stdout == ""


def test_a_limit_is_exit_code_3(
    shell: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    many = "." * 81
    told = shell(
        "count", "-", "--engine", "dlx", "--time-limit", "3", stdin=f"{FIGURE_1}\n{many}\n"
    )
    assert told.returncode == 3
    assert told.stdout == "1\n×\n"
    assert told.stderr.count("time limit of 3 s reached") == 1
    told = shell(
        "count", "-", "--engine", "bands", "--max-memory", "1M", stdin=f"{many}\n{FIGURE_1}\n"
    )
    assert told.returncode == 3
    assert told.stdout == "×\n1\n"  # with many hints bands need next to nothing
    told = shell("count", many, "--engine", "dlx", "--time-limit", "2", "--json")
    record = json.loads(told.stdout)
    assert record["count"] is None
    assert record["exact"] is False


def test_other_sizes(run: Run) -> None:
    assert run("count", "." * 16).stdout == "288\n"
    assert run("count", "." * 36).stdout == "28200960\n"
    assert run("count", "." * 36, "--layout", "3x2").stdout == "28200960\n"
    assert run("count", "1" + "." * 15).stdout == "72\n"
