"""The page about file formats names what a set file holds, for every kind of set."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest

from bddsudoku import Layout, Problem, Puzzle, solve
from bddsudoku.authoring import minimal_subsets
from bddsudoku.numberlink import compile_links, parse_board
from bddsudoku.puzzle import Board, CoverDecoder, ExactCover, Tiling, TilingDecoder, pieces
from bddsudoku.solver import Question, solve_detailed

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "files.md"
TEXT = PAGE.read_text(encoding="utf-8")
KINDS = {
    kind: set(re.findall(r"`(\w+)`", members))
    for kind, members in re.findall(r"^\| `([a-z-]+)` \| (`.*?|as `sudoku`) \| .*\|$", TEXT, re.M)
}


def header_of(saved: Any, path: Path) -> dict[str, Any]:
    saved.save(path)
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    found: dict[str, Any] = json.loads(data[32 : 32 + length])
    return found


OUTSIDE = "# digits: 0-3\n# shape: 4x4\n# houses: none\n# cells: D 1"


def sets() -> dict[str, Any]:
    problem = Problem()
    problem.symbols("a b")
    cover = ExactCover("ab", ["a", "b", "ab"])
    tiling = Tiling(Board.rectangle(2, 2), pieces("I2"))
    board = Puzzle([1] + [0] * 15, Layout(2, 2))
    rules = "diagonals\nhouse r1c1 r2c2 r3c3 r4c4\nregions 1112 1222 3334 3444"
    return {
        "sudoku": solve(Puzzle.parse(f"{OUTSIDE}\n1...............\n{rules}")),
        "plain": solve(board),
        "hints": minimal_subsets(Puzzle.parse("1234341221434...")).minimal,
        "exact-cover": solve_detailed(Question(cover.model(), CoverDecoder(cover))).solutions,
        "tiling": solve_detailed(Question(tiling.model(), TilingDecoder(tiling))).solutions,
        "formula": solve(problem),
        "numberlink": compile_links(parse_board("A.A\n")).solutions,
    }


def test_every_kind_of_set(tmp_path: Path) -> None:
    for kind, solutions in sets().items():
        header = header_of(solutions, tmp_path / "x.set")
        assert set(re.findall(r"^\| `(\w+)` \| (?:text|integer|list|object)", TEXT, re.M)) >= {
            *header
        }
        decoder = header["decoder"]
        documented = KINDS[decoder["kind"]]
        documented = KINDS["sudoku"] if documented == {"sudoku"} else documented
        assert {*decoder} - {"kind"} <= documented, kind
        if kind not in ("plain", "hints"):
            assert {*decoder} - {"kind"} == documented, kind
        for section in header["sections"].values():
            assert {*section} == set(re.findall(r"`sections\.\*\.(\w+)`", TEXT))


def test_there_are_no_other_kinds() -> None:
    package = Path(__file__).parents[2] / "bddsudoku"
    found = {
        kind
        for path in package.rglob("*.py")
        for kind in re.findall(r'^    kind = "([a-z-]+)"', path.read_text(encoding="utf-8"), re.M)
    }
    assert found == {*KINDS}


@pytest.mark.parametrize("offset", [0, 8, 12, 16, 24, 28, 32])
def test_every_field_of_the_header_is_documented(offset: int) -> None:
    assert re.search(rf"^\| {offset} \| ", TEXT, re.M)
