"""Command ``canonical``: forms, ways to them, classes of lists, and what is refused."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bddsudoku.cli import main

LIST = "1.....2.........\n.....1..2.......\n1..2............\n"
FORM, OTHER = "...........1.2..", ".............1.2"


def run(*arguments: str, code: int = 0, text: str = LIST) -> str:
    done = CliRunner().invoke(main, ["canonical", *arguments], input=text)
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.parametrize("jobs", [(), pytest.param(("--jobs", "2"), marks=pytest.mark.slow)])
def test_one_form_a_line(jobs: tuple[str, ...]) -> None:
    assert run("-", *jobs).splitlines() == [FORM, FORM, OTHER]


def test_the_way_to_a_form() -> None:
    way = "automorphisms 4, transposed, rows 3 4 2 1, columns 4 3 1 2, digits 1 2 3 4"
    assert run("-", "--map").splitlines()[1] == f"{FORM} {way}"
    found = json.loads(run("-", "--map", "--json").splitlines()[1])
    assert found["map"]["columns"] == [4, 3, 1, 2]
    assert (found["canonical"], found["automorphisms"]) == (FORM, "4")


def test_classes() -> None:
    assert run("-", "--distinct").splitlines() == [f"{FORM} 2", f"{OTHER} 1"]
    assert run("-", "--distinct", "--pattern").splitlines() == [
        "...........1.1.. 2",
        ".............1.1 1",
    ]
    shapes = f"# layout: 2x3\n{'.' * 36}\n# layout: 3x2\n{'.' * 36}\n"
    assert len(run("-", "--distinct", text=shapes).splitlines()) == 2


def test_what_has_no_form_is_named() -> None:
    text = LIST + "11..............\n"
    assert "line 4: expected hints that do not clash" in run("-", text=text, code=1)
    assert run("-", "--keep-going", text=text, code=1).splitlines().count("?") == 1
    board = "." * 81 + "\n"
    classic = board * 20 + "11" + board[2:]
    assert "line 21: expected hints that do not clash" in run("-", text=classic, code=1)
    run("-", "--distinct", "--map", code=2)
