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
    assert run("-", "--distinct", "--map").startswith(f"{FORM} 2 automorphisms 4, ")
    classic = "." * 80 + "1"
    assert run("-", "--distinct", text=f"{classic}\n" * 30) == f"{classic} 30\n"
    shapes = f"# layout: 2x3\n{'.' * 36}\n# layout: 3x2\n{'.' * 36}\n"
    assert len(run("-", "--distinct", text=shapes).splitlines()) == 2


def test_boards_with_rules_show_them() -> None:
    text = (
        "1.....2.........\nantiknight\n.....1..2.......\nantiknight\n..2.....1.......\nantiknight\n"
    )
    assert run("-", text=text).splitlines()[:3] == [
        "..........1.2...",
        "antiknight",
        "..........1..2..",
    ]
    assert [line for line in run("-", "--distinct", text=text).splitlines() if line[0] == "."] == [
        "..........1.2... 1", "..........1..2.. 1", ".......1.....2.. 1",
    ]  # fmt: skip
    regions = "# layout: 2x2\n1...............\nregions 1112132233243444\n"
    found = json.loads(run("-", "--map", "--json", text=regions))
    assert found["map"]["cells"][0] == "r4c4"
    assert found["canonical"] == "." * 15 + "1"
    assert "cells r4c4 r" in run("-", "--map", text=regions)


def test_lists_are_counted_by_their_classes() -> None:
    def count(*arguments: str, text: str = LIST) -> list[str]:
        return (
            CliRunner()
            .invoke(main, ["count", "--distinct", *arguments], input=text)
            .stdout.splitlines()
        )

    alone = CliRunner().invoke(main, ["count", "-"], input=LIST).stdout.splitlines()
    assert alone[0] == alone[1]
    assert count("-") == [f"{alone[0]} for 2", f"{alone[2]} for 1"]
    assert count("-", "--limit", "2") == ["2 or more for 2", "2 or more for 1"]
    assert json.loads(count("-", "--json")[0])["number"] == 2
    assert count("-", "--keep-going", text=LIST + "11..............\n") == [*count("-"), "?"]
    assert CliRunner().invoke(main, ["count", "-", "--distinct", "--rules", "x"]).exit_code == 2
    board = "." * 80 + "1\n"
    assert count("-", "--limit", "1", text=board * 30 + "2" + board[1:-2] + ".\n") == [
        "1 or more for 31"
    ]


def test_what_has_no_form_is_named() -> None:
    text = LIST + "11..............\n"
    assert "line 4: expected hints that do not clash" in run("-", text=text, code=1)
    assert run("-", "--keep-going", text=text, code=1).splitlines().count("?") == 1
    board = "." * 81 + "\n"
    classic = board * 20 + "11" + board[2:]
    assert "line 21: expected hints that do not clash" in run("-", text=classic, code=1)


def test_neighbours_say_that_there_are_none() -> None:
    done = CliRunner().invoke(main, ["neighbours", "." * 81])
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "bddsudoku: no puzzle so near has one solution\n"
    assert (
        CliRunner()
        .invoke(main, ["neighbours", "." * 81, "--relabel", "1", "--plus", "1"])
        .exit_code
        == 2
    )
