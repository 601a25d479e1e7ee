from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("6x6", "--pieces", "L3"), 162),
        (("3x20", "--pieces", "pentominoes", "--once", "--up-to-symmetry"), 2),
        (("3x3", "--pieces", "I1,I2", "--once-only", "I1"), 18),
        (("2x2", "--pieces", "I2", "--symmetry", "fixed"), 1),
        (("5x5-r1c2", "--pieces", "L3"), 0),
    ],
)
def test_counts(run: Run, arguments: tuple[str, ...], count: int) -> None:
    board, *rest = arguments
    assert run("tiling", board, "count", *rest).stdout == f"{count}\n"


def test_enumerate(run: Run, json_of: Run) -> None:
    asked = ("tiling", "2x3", "enumerate", "--pieces", "L3")
    assert len(set(run(*asked).stdout.splitlines())) == 2
    for record in json_of(*asked):
        cells = [tuple(cell) for _, laid in record["laid"] for cell in laid]
        assert sorted(cells) == [(r, c) for r in (1, 2) for c in (1, 2, 3)]
    assert run(*asked, "--limit", "1").stdout.count("\n") == 1
    assert run(*asked, "--format", "lines").stdout.count("┌") >= 2


def test_draw(run: Run, tmp_path: Path) -> None:
    square = ("tiling", "2x2", "draw", "--pieces", "O4")
    assert run(*square).stdout == "┌───────┐\n│       │\n│       │\n│       │\n└───────┘\n"
    ET.fromstring(run(*square, "--format", "svg").stdout)
    path = tmp_path / "picture.svg"
    pentominoes = ("--pieces", "pentominoes", "--once", "--seed", "1")
    run("tiling", "3x20", "draw", *pentominoes, "--output", str(path))
    assert ET.fromstring(path.read_text(encoding="utf-8")).tag.endswith("svg")
    six = ("tiling", "6x6", "draw", "--pieces", "L3", "--index")
    assert len({run(*six, str(i)).stdout for i in range(5)}) == 5
    assert "no solution has number 162" in run(*six, "162", code=2).stderr
    assert "nothing to draw" in run("tiling", "5x5-r1c2", "draw", "--pieces", "L3", code=1).stderr


def test_boards_and_pieces_from_files(run: Run, tmp_path: Path) -> None:
    board, shapes = tmp_path / "board.txt", tmp_path / "pieces.txt"
    board.write_text("##.\n###\n.##\n")
    shapes.write_text("bar:\n##\n\ndot:\n#\n")
    count = run("tiling", str(board), "count", "--pieces", str(shapes)).stdout
    assert count == run("tiling", "-", "count", "--pieces", "I1,I2", stdin=board.read_text()).stdout
    assert int(count) > 1


def test_compile_save_and_ask_again(run: Run, tmp_path: Path) -> None:
    saved = str(tmp_path / "six.zdd")
    assert run("tiling", "6x6", "compile", "--pieces", "L3", "--output", saved).stdout.startswith(
        "solutions   162\n"
    )
    assert run("tiling", saved, "count").stdout == "162\n"
    assert len(set(run("tiling", saved, "enumerate").stdout.splitlines())) == 162
    assert "┌" in run("tiling", saved, "draw", "--seed", "3").stdout
    assert "bddsudoku tiling" in run("cover", saved, "count", code=2).stderr
    assert "leave --pieces" in run("tiling", saved, "count", "--pieces", "L3", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("6x6", "count"), 2, "--pieces"),
        (("6x6", "count", "--pieces", "Q9"), 1, "expected a piece such as L3"),
        (("6y6", "count", "--pieces", "L3"), 1, "expected # for a square"),
        (("6x6", "count", "--pieces", "L3", "--once", "--once-only", "L3"), 2, "exclude"),
        (("6x6", "sample", "--pieces", "L3", "--format", "svg"), 2, "svg"),
        (("6x6", "draw", "--pieces", "L3", "--index", "1", "--seed", "1"), 2, "--index"),
    ],
)
def test_wrong_usage_and_bad_data(
    run: Run, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = run("tiling", *arguments, code=code)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
