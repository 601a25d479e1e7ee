"""Decision-DNNFs on the command line: compile, save, query."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
JsonOf = Callable[..., list[dict[str, Any]]]
WIDE = "1.......4......."  # 24 solutions


@pytest.fixture
def saved(run: Run, tmp_path: Path) -> str:
    path = str(tmp_path / "wide.set")
    outcome = run("compile", WIDE, "--engine", "components", "--output", path)
    assert "24" in outcome.stdout
    return path


def test_a_saved_set_answers(run: Run, json_of: JsonOf, saved: str) -> None:
    assert run("count", saved).stdout == "24\n"
    lines = run("enumerate", saved).stdout.split()
    assert sorted(lines) == sorted(run("enumerate", WIDE).stdout.split())
    assert set(run("sample", saved, "-n", "20").stdout.split()) <= set(lines)
    assert run("unrank", saved, "7").stdout.split()[-1] == lines[7]
    assert run("rank", saved, lines[7]).stdout == "7\n"
    own, other = json_of("marginals", saved)[0], json_of("marginals", WIDE)[0]
    assert own["marginals"] == other["marginals"]
    (outcome,) = json_of("compile", saved)
    assert (outcome["count"], outcome["branches"] >= outcome["nodes"]) == ("24", True)
    assert json_of("hints", saved)[0]["count"] == "24"
    assert json_of("check", saved)[0]["agree"] is True
    assert run("analyse", saved, "--time-limit", "60").exit_code == 0


@pytest.mark.parametrize("more", [["--order", "rows"], ["--dot", "x.dot"], ["--compare-orders"]])
def test_what_only_ordered_diagrams_have(run: Run, more: list[str]) -> None:
    outcome = run("compile", WIDE, "--engine", "components", *more, code=2)
    assert "ordered" in outcome.stderr
