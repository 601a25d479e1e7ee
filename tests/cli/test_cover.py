from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

FIVE = "| A to F\n1 2 3 4 5\n1 2\n2 3\n3 4\n1 5\n5\n2\n"


@pytest.fixture
def five(tmp_path: Path) -> str:
    path = tmp_path / "five.dlx"
    path.write_text(FIVE)
    return str(path)


def test_ignored_options_are_named(run: Run) -> None:
    result = run("cover", "-", "count", stdin="a | b\na\nb\n")
    assert result.stdout == "1\n"
    assert "option 2 (b) is ignored" in result.stderr
    many = run("cover", "-", "count", stdin="a | b\na\n" + "b\n" * 5)
    assert "2 more options" in many.stderr


def test_no_cover_is_an_answer(run: Run) -> None:
    text = "a b\na\n"
    assert run("cover", "-", "count", stdin=text).stdout == "0\n"
    assert run("cover", "-", "enumerate", stdin=text).stdout == ""
    assert run("cover", "-", "compile", stdin=text).stdout.startswith("solutions   0\n")
    assert "nothing to draw from" in run("cover", "-", "sample", stdin=text, code=1).stderr
    assert run("cover", "-", "sample", "-n", "0", stdin=text).stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "--engine", "dlx", "--engine", "frontier"),
        ("check", "--engine", "auto"),
        ("compile", "--engine", "bdd"),
        ("sample", "--engine", "dlx", "--engine", "frontier"),
    ],
)
def test_wrong_usage(run: Run, five: str, arguments: tuple[str, ...]) -> None:
    assert "Error" in run("cover", five, *arguments, code=2).stderr
