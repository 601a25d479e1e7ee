"""The formula command: every action, projections, wrong usage and bad files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bddsudoku.number_text import group_digits, to_decimal

Run = Callable[..., Any]
DATA = Path(__file__).parents[2] / "data" / "formula"


def test_what_is_no_cover_is_refused_by_engines_of_covers(run: Run) -> None:
    result = run("formula", str(DATA / "magic_3.formula"), "count", "--engine", "dlx", code=1)
    assert "is no one-hot constraint" in result.stderr


def test_the_paper_s_formula(run: Run) -> None:
    out = run("formula", str(DATA / "figure_f.formula"), "build").stdout
    assert "nodes       4\n" in out
    assert "solutions   3\n" in out


def test_a_saved_set_answers_without_its_statements(run: Run, json_of: Run, tmp_path: Path) -> None:
    path, saved = tmp_path / "p.formula", str(tmp_path / "p.set")
    path.write_text("symbol a b c\ninteger n in 2..4\na | b\nn > 2 + a\nproject a n\n")
    run("formula", str(path), "compile", "--output", saved)
    for action in (["count"], ["enumerate"], ["marginals"], ["sample", "--seed", "1"]):
        mine, theirs = (run("formula", name, *action).stdout for name in (str(path), saved))
        assert sorted(mine.split("\n")) == sorted(theirs.split("\n")), action
    (record,) = json_of("formula", saved, "count")
    assert (record["count"], record["engine"], record["variables"]) == ("3", "saved", 6)
    for action in ("build", "check"):
        result = run("formula", saved, action, code=2)
        assert "a saved set keeps solutions, not what was demanded" in result.stderr
    assert "leave --project out" in run("formula", saved, "count", "--project", "a", code=2).stderr
    assert "not of exact covers" in run("cover", saved, "count", code=1).stderr
    cover = tmp_path / "c.txt"
    cover.write_text("a\na\n")
    run("cover", str(cover), "compile", "--output", saved)
    assert "not of a formula's assignments" in run("formula", saved, "count", code=1).stderr


def test_every_action_looks_through_the_projection(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.formula"
    path.write_text("symbol a b c\na | b\nproject a\n")
    name = str(path)
    assert run("formula", name, "count").stdout == "2\n"
    assert sorted(run("formula", name, "enumerate").stdout.split()) == ["a=0", "a=1"]
    assert run("formula", name, "enumerate", "--limit", "1").stdout.count("\n") == 1
    assert run("formula", name, "count", "--project", "a,b").stdout == "3\n"
    refused = run("formula", name, "count", "--engine", "bdd", code=2).stderr
    assert "cannot project" in refused
    refused = run("formula", name, "count", "--project", "e", code=2).stderr
    assert "the name of a variable" in refused
    checked = run("formula", name, "check").stdout
    assert "engines agree" in checked
    assert "frontier            2" in checked
    assert "solutions   2" in run("formula", name, "build").stdout


@pytest.fixture
def _few_digits() -> Iterator[None]:
    """Python refuses 641 digits, where it usually refuses 4,301."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("_few_digits")
def test_counts_that_python_refuses_to_print(run: Run, json_of: Run, tmp_path: Path) -> None:
    path = tmp_path / "long.cnf"
    path.write_text("p cnf 2200 1\n1 2 0\n")
    expected = to_decimal(3 << 2198)
    assert len(expected) == 663
    name = str(path)
    assert run("formula", name, "count").stdout == f"{expected}\n"
    assert f"solutions   {group_digits(3 << 2198)}\n" in run("formula", name, "build").stdout
    assert group_digits(3 << 2197) in run("formula", name, "marginals").stdout
    (record,) = json_of("formula", name, "marginals")
    assert record["count"] == expected
    assert record["marginals"]["x3"] == dict.fromkeys("01", to_decimal(3 << 2197))
