"""``bddsudoku mcp``: asked by the client of the package ``mcp``, over pipes and in this process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from oracles import four_by_four, four_by_four_with

from bddsudoku import Puzzle
from bddsudoku.cli.mcp_command import make_server

mcp = pytest.importorskip("mcp")
FOUR = {"puzzle": "12..34.........."}
KNIGHT = {"puzzle": FOUR["puzzle"] + "\nantiknight"}
EMPTY = {"puzzle": "." * 16}


def ask(*questions: tuple[str, dict[str, Any]], server: Any = None) -> list[Any]:
    """The answers to questions that are asked at once; the text of an error."""

    async def run() -> list[Any]:
        async with mcp.Client(server or make_server(1 << 30, 60)) as client:
            return await asyncio.gather(*(client.call_tool(*question) for question in questions))

    return [a.content[0].text if a.is_error else a.structured_content for a in asyncio.run(run())]


def test_over_pipes_many_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    root = str(Path(__file__).parents[2])
    arguments = ["-m", "bddsudoku", "mcp"]
    server = StdioServerParameters(
        command=sys.executable, args=arguments, env={"PYTHONPATH": root}, cwd=tmp_path
    )
    boards = ["." * i + "1" + "." * (15 - i) for i in range(16)]
    questions = [("count", {"puzzle": board}) for board in boards]
    answers = ask(*questions, ("count", {"puzzle": "no puzzle"}), server=stdio_client(server))
    assert [answer["count"] for answer in answers[:-1]] == ["72"] * 16
    assert "expected a puzzle, found 'no puzzle'" in answers[-1]
    assert [*tmp_path.iterdir()] == []


def test_counts() -> None:
    none, one, several, all_of_them, eleven = ask(
        ("count", {"puzzle": "11" + "." * 14, "most": 2}),
        ("count", KNIGHT | {"most": 2}),
        ("count", FOUR | {"most": 2}),
        ("count", EMPTY | {"most": 0}),
        ("count", FOUR | {"most": 11}),
    )
    assert (none["count"], one["count"], several["count"]) == ("0", "1", "2")
    assert [answer["exact"] for answer in (none, one, several)] == [True, True, False]
    assert (all_of_them["count"], all_of_them["exact"]) == (str(len(four_by_four())), True)
    assert (eleven["count"], eleven["exact"]) == ("11", False)


def test_the_other_questions() -> None:
    candidates, solution, nothing, why, minimal, impact, rules = ask(
        ("candidates", FOUR),
        ("solution", KNIGHT),
        ("solution", {"puzzle": "11" + "." * 14}),
        ("why", FOUR | {"claim": "r1c3!=1"}),
        ("minimal", FOUR),
        ("rules_impact", KNIGHT),
        ("rule_catalogue", {}),
    )
    held = {key for keys in four_by_four_with({0: 1, 1: 2, 4: 3, 5: 4}) for key in keys}
    assert [*candidates["candidates"].values()] == [
        [d + 1 for d in range(4) if cell * 4 + d in held] for cell in range(16)
    ]
    assert Puzzle.parse(solution["solution"]).with_rule("antiknight").is_solution
    assert nothing == {"solution": None}
    assert why == {"hints": {"r1c1": 1}, "rules": []}
    assert minimal["minimal"]["smallest"] == Puzzle.parse(minimal["example"]).hint_count == 3
    assert impact["rules"] == [{"rule": "antiknight", "count": "12", "redundant": False}]
    assert {"name", "about", "fields"} <= {*rules["rules"][0]}
    json.dumps(rules)


def test_limits_and_refusals() -> None:
    hard = ("count", {"puzzle": "." * 81 + "\nantiknight", "most": 0})
    stopped, claim, wrong = ask(
        hard,
        ("why", FOUR | {"claim": "r9c9=1"}),
        ("count", {"puzzle": 5}),
        server=make_server(1 << 30, 0.2),
    )
    assert "time limit of 0.2 s reached" in stopped
    assert "r9c9=1 is not on a board of side 4" in claim
    assert "puzzle" in wrong
    assert "memory limit" in ask(hard, server=make_server(1 << 16, 60))[0]


def test_without_the_package() -> None:
    code = "import sys; sys.modules['mcp'] = None; from bddsudoku.cli import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "bddsudoku: the package mcp is not installed: pip install 'mcp>=2'\n"
