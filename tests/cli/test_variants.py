"""Variants in every command: no rule is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles import four_by_four

from bddsudoku import Puzzle, load, true_candidates

Run = Callable[..., Any]

RULES = ("diagonals", "cage 5 r1c2 r1c3", "thermo r4c1 r3c2")
SMALL = Puzzle.parse("\n".join(["...." * 4, *RULES]))


def grids(puzzle: Puzzle) -> set[str]:
    """All solutions of a 4×4 board without hints, found by looking at all grids."""
    every = (Puzzle(cells, puzzle.layout) for cells in four_by_four())
    return {grid.line for grid in every if all(rule.holds(grid) for rule in puzzle.rules)}


WANTED = sorted(grids(SMALL))


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "small.txt"
    file.write_text(SMALL.text + "\n", encoding="utf-8")
    return str(file)


def test_there_is_something_to_see() -> None:
    assert 1 < len(WANTED) < 48


def test_count_and_enumerate(run: Run, json_of: Run, path: str) -> None:
    (found,) = json_of("count", path)
    assert (found["count"], found["rules"]) == (str(len(WANTED)), list(RULES))
    assert run("count", path, "--limit", "2").stdout == "2 or more\n"
    assert sorted(run("enumerate", path).stdout.split()) == WANTED
    assert run("enumerate", path, "--format", "csv").stdout.count("\n") == len(WANTED) + 1


def test_a_saved_set_keeps_the_rules(run: Run, json_of: Run, path: str, tmp_path: Path) -> None:
    saved = str(tmp_path / "set.zdd")
    run("compile", path, "--output", saved)
    assert run("count", saved).stdout == f"{len(WANTED)}\n"
    assert load(saved).decoder.puzzle == SMALL
    for command in ("count", "hints", "rules", "marginals"):
        (found,) = json_of(command, saved)
        assert found["count"] == str(len(WANTED))
    assert [row["rule"] for row in json_of("rules", saved)[0]["rules"]] == list(RULES)


def test_marginals_and_hints(json_of: Run, path: str) -> None:
    wanted = [[[0] * 4 for _ in range(4)] for _ in range(4)]
    for line in WANTED:
        for cell, digit in enumerate(line):
            wanted[cell // 4][cell % 4][int(digit) - 1] += 1
    for command in ("marginals", "hints"):
        (found,) = json_of(command, path)
        assert [[[int(k) for k in c] for c in row] for row in found["marginals"]] == wanted
    held = true_candidates(SMALL)
    assert held.tolist() == [[[k > 0 for k in c] for c in row] for row in wanted]


def test_rule_impact(run: Run, json_of: Run, path: str) -> None:
    (found,) = json_of("rules", path)
    for row, rule in zip(found["rules"], SMALL.rules, strict=True):
        assert row["rule"] == rule.text
        number = len(grids(SMALL.without(rule)))
        assert row["count"] == str(number)
        assert row["redundant"] is (number == len(WANTED))
    assert found["without"] == []
    dead = {(d["cell"], d["digit"]) for d in found["dead"]}
    held = true_candidates(SMALL)
    assert all(not held[int(c[1]) - 1, int(c[3]) - 1, d - 1] for c, d in dead)
    text = run("rules", path).stdout
    assert all(rule in text for rule in RULES)
    assert "solutions without it" in text


@pytest.mark.parametrize(
    ("below", "words"),
    [
        ("cage 99 r1c1 r1c2", "expected a sum of 2 different digits"),
        ("regions 111222333", "expected 16 symbols"),
        ("1112\n1222\n3334\n3344", "this looks like a map of 4 regions, not like a puzzle"),
        ('frobnicate "x" r1c1', "no rule is called 'frobnicate'"),
        ('"x" frobnicate', "below the board stands neither a rule nor another board"),
    ],
)
def test_a_grid_is_not_counted_without_what_is_below_it(run: Run, below: str, words: str) -> None:
    done = run("count", "-", stdin=f"1...\n....\n....\n....\n{below}\n", code=1)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "line 5" in done.stderr
    assert words in done.stderr
