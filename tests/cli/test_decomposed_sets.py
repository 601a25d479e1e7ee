"""Saved sets on the command line: decision-DNNFs, and sets that no puzzle describes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bddsudoku import Problem, Puzzle, PuzzleFormatError, load, solve

Run = Callable[..., Any]
JsonOf = Callable[..., list[dict[str, Any]]]
WIDE = "1.......4......."  # 24 solutions


@pytest.mark.parametrize("more", [["--order", "rows"], ["--dot", "x.dot"]])
def test_what_only_ordered_diagrams_have(run: Run, more: list[str]) -> None:
    outcome = run("compile", WIDE, "--engine", "components", *more, code=2)
    assert "ordered" in outcome.stderr


@pytest.fixture
def without_puzzle(tmp_path: Path) -> str:
    """48 of the 72 solutions of one hint."""
    whole = solve(Puzzle.parse("1..............."))
    path = tmp_path / "some.set"
    (whole - whole.given({(1, 1): 3})).save(path)
    return str(path)


@pytest.mark.parametrize(
    "question",
    ["rules", "minimal", "minimal --for r2c3=2", "minimal -n 2", "check", "analyse", "report",
     "build", "explore", "unavoidable --size 4"],
)  # fmt: skip
def test_a_set_that_no_puzzle_describes_is_not_asked_about_hints(
    run: Run, without_puzzle: str, question: str
) -> None:
    name, *options = question.split()
    asked = run(name, without_puzzle, *options, code=1)
    assert (asked.stdout, asked.stderr) == (
        "",
        f"bddsudoku: {without_puzzle}: the set has 48 solutions, its hints and rules have 72: "
        "there is no puzzle to be asked about\n",
    )


@pytest.mark.parametrize("question", ["count", "enumerate", "hints", "marginals", "compile"])
def test_a_set_that_no_puzzle_describes_has_solutions(
    run: Run, json_of: JsonOf, without_puzzle: str, question: str
) -> None:
    if question == "enumerate":
        assert len(run(question, without_puzzle).stdout.split()) == 48
    else:
        assert json_of(question, without_puzzle)[0]["count"] == "48"


def test_a_set_of_another_kind_is_called_by_its_name(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "some.set"
    solve(Problem.parse("symbol a b\na | b\n")).save(path)
    with pytest.raises(PuzzleFormatError, match="of the kind 'formula', not of a Sudoku; Solution"):
        load(path)
    for command in (("count", str(path)), ("cover", str(path), "count")):
        assert "of the kind 'formula', not of" in run(*command, code=1).stderr
