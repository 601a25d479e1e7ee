"""Interactive-Sudoku-Solver's strings: what is read, what is refused."""

from __future__ import annotations

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle

READ = {
    ".Cage~10~R1C1~R1C2.Cage~0~R2C1~R2C2": "cage 10 r1c1 r1c2, cage r2c1 r2c2",
    ".Whisper~R1C1~R1C2.Whisper~4~R2C1~R2C2": "whispers 5 r1c1 r1c2, whispers 4 r2c1 r2c2",
    ".Thermo~r1c1~R2C2": "thermo r1c1 r2c2",
    ".AntiKnight.Diagonal~1.": "antiknight, antidiagonal",
    ".WhiteDot~R1C1~R1C2~R2C2": "difference 1 r1c1 r1c2, difference 1 r1c2 r2c2",
    ".PillArrow~2~R1C1~R1C2~R2C2~R3C3": "arrow r1c1 r1c2 > r2c2 r3c3",
    ".Quad~R4C5~1~2~2": "quadruple 1 2 2 r4c5 r4c6 r5c5 r5c6",
    ".Indexing~C~R1C1~R2C1": "columnindexer r1c1 r2c1",
    ".XSum~R2~10~.XSum~C3~~12": "xsum 10 r2c0, xsum 12 r10c3",
    ".Skyscraper~R1~2~3": "skyscraper 2 r1c0, skyscraper 3 r1c10",
    ".XSum~R2~10.XSum~R2~11~": "xsum 11 r2c0",
    ".Sandwich~0~C9": "sandwich 0 r0c9",
    ".LittleKiller~20~R9C2.LittleKiller~9~R7C9": "littlekiller 20 ur r10c1, "
    "littlekiller 9 ul r8c10",
    ".And.Thermo~R1C1~R2C2.AllDifferent~R5C5~R6C6.End": "thermo r1c1 r2c2, extraregion r5c5 r6c6",
    ".Replicate~DI.Thermo~R1C1~R2C2.End": "thermo r1c1 r2c2, thermo r1c2 r2c3, thermo r2c1 r3c2",
}


@pytest.mark.parametrize("string", READ)
def test_rules_that_are_read(string: str) -> None:
    assert ", ".join(rule.text for rule in Puzzle.parse(string).rules) == READ[string]


def test_shapes() -> None:
    latin, jigsaw = ".Shape~4x4.NoBoxes", ".Jigsaw~0011001122332233"
    lines = (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
    bent = ".Jigsaw~0001011122232333"
    assert Puzzle.parse(latin).layout == Layout.latin(4)
    assert Puzzle.parse(latin + jigsaw).layout == Layout(2, 2)
    assert Puzzle.parse(latin + bent).layout == Layout.jigsaw([*map(int, bent[8:])])
    beside = Puzzle.parse(".Shape~4x4" + bent).layout
    assert beside.regions is None
    assert len(beside.extra) == 4
    assert Puzzle.parse(latin + ".Jigsaw~0000111122223333").layout == Layout.jigsaw(lines)
    assert Puzzle.parse(".Shape~5x5~1-5").layout == Layout.latin(5)
    assert Puzzle.parse(".Shape~16x16.~RgCg_16").cells[-1] == 16


def test_hints_are_intersected() -> None:
    puzzle = Puzzle.parse(".~R1C1_1_2_3~R1C2_4.~R1C1_2_3_4")
    assert puzzle.masks[:2] == (0b110, 0b1000)


REFUSED = {
    ".ChaosConstruction": ".ChaosConstruction: this constraint",
    ".Cage~10~R1C1~R1C2.Var~A~~3": ".Var~A~~3: this constraint",
    ".Or.Cage~3~R1C1~R1C2.End": ".Or: this constraint",
    ".Shape~8x9": "n x n cells",
    ".Shape~9x9~0-8": "values 1 to n",
    ".Shape~3x3": "4x4 to 16x16",
    ".Shape~9x9.Shape~6x6": "expected one Shape, found 2",
    ".Thermo~R1C1~R1C0": "R1C0 is not on a board of 9x9 cells",
    ".Thermo~R1C1~Thing": "expected a cell such as R1C1, found 'Thing'",
    ".Cage~x~R1C1": "expected a number, found 'x'",
    ".Cage~4": "found the end",
    ".Cage~999~R1C1~R1C2": "expected a sum of 2 different digits from 3 to 17, found 999",
    ".~R1C1_10": "digits from 1 to 9",
    ".~R1C1": "digits from 1 to 9",
    ".WhiteDot~R1C1~R9C9": "share a side",
    ".LittleKiller~9~R1C9~4": "a number, and a cell",
    ".LittleKiller~9~R5C5": "no diagonal begins at R5C5",
    ".Jigsaw~0123": "expected 81 symbols",
    ".AntiKing.End.AntiKing": "no .Or",
    ".And.AntiKing": "its .End is missing",
    ".RegionSize~8": "regions have 9 cells",
    ".Replicate~z.Thermo~R1C1~R1C9.End": "moves off the board",
    "https://sigh.github.io/Interactive-Sudoku-Solver/": "holds no puzzle",
}


@pytest.mark.parametrize("string", REFUSED)
def test_what_is_refused(string: str) -> None:
    with pytest.raises(PuzzleFormatError, match=REFUSED[string]) as caught:
        Puzzle.parse(string)
    assert "\n" not in str(caught.value)
    assert "line 1" in str(caught.value)


LINK = (
    "https://sigh.github.io/Interactive-Sudoku-Solver/?mode=step&q=.AntiKing%2EThermo%7ER1C1~R2C2"
)


def test_links() -> None:
    for link in (LINK, LINK.removeprefix("https://"), "?q=.AntiKing.Thermo~R1C1~R2C2#top"):
        assert [rule.name for rule in Puzzle.parse(link).rules] == ["antiking", "thermo"]


@pytest.mark.parametrize("text", [".Windoku", ".~R1C1_5", ".Cage~3~R1C1~R1C2", LINK])
def test_strings_are_no_paths(text: str) -> None:
    assert looks_like_puzzle(text)
