"""Interactive-Sudoku-Solver's strings: what is read and written, what is refused, round trips."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from grids import random_grids
from hypothesis import given, settings
from hypothesis import strategies as st
from recipes import names, random_rule

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles, write_link
from bddsudoku.puzzle.sudoku.iss import read_iss, write_iss
from bddsudoku.puzzle.sudoku.iss.forms import SPECIAL
from bddsudoku.puzzle.sudoku.rules import known_rules, rule_from_line
from bddsudoku.puzzle.sudoku.text import read_puzzles
from bddsudoku.solver import count, solve

LESS = ", ".join(['pair "a == 1 & (b == 2 | b == 3 | b == 4) | a == 2 & (b == 3)" {}'] * 2)
READ = {
    ".Cage~10~R1C1~R1C2.Cage~0~R2C1~R2C2": "cage 10 r1c1 r1c2, cage r2c1 r2c2",
    ".Whisper~R1C1~R1C2.Whisper~4~R2C1~R2C2": "whispers 5 r1c1 r1c2, whispers 4 r2c1 r2c2",
    ".Thermo~r1c1~R2C2": "thermo r1c1 r2c2",
    ".Var~A~~27.WhiteDot~VA2~VA11": "difference 1 A2 Ar2c2",
    ".AntiKnight.Diagonal~1.": "antiknight, antidiagonal",
    ".AntiKing .AntiKnight .Cage~3 ~R1C1~R1C2": "antiking, antiknight, cage 3 r1c1 r1c2",
    ".WhiteDot~R1C1~R1C2~R2C2": "difference 1 r1c1 r1c2, difference 1 r1c2 r2c2",
    ".PillArrow~2~R1C1~R1C2~R2C2~R3C3": "arrow r1c1 r1c2 > r2c2 r3c3",
    ".GreaterThan~R2C2~R1C2~R2C1": "greaterthan r2c2 r1c2, greaterthan r2c2 r2c1",
    ".EqualSum~R1C1~R1C2~-~R2C2~-~R3C3": "equalsums r1c1 r1c2 > r2c2, equalsums r1c1 r1c2 > r3c3",
    ".SumLine~10~R1C1~R1C2~R2C2~R2C1~LOOP": "sumline 10 r1c1 r1c2 r2c2 r2c1 r1c1",
    ".LookAndSay~1203~R1C1~R2C2": "lookandsay 1 2 0 3 r1c1 r2c2",
    ".ContainAtLeast~1_2_2~R1C1~R2C2~R3C3": "contains 1 2 2 r1c1 r2c2 r3c3",
    ".StrictKropki": "negative kropki",
    ".NumberedRoom~R1~1~.RegionSameValues": "numberedroom 1 r1c0",
    ".Sum~7~R1C1~R1C2~R1C1": "sum 7 2*r1c1 r1c2",
    ".Sum~-2_=_1_-3~R1C1~R2C2": "sum -2 r1c1 > 3*r2c2",
    ".Regex~WzEtNV0q~R7C3~R7C4~~R1C1": 'regex "[1-5]*" r7c3 r7c4, regex "[1-5]*" r1c1',
    ".Regex~%5B1-5%5D%2A~R7C3": 'regex "[1-5]*" r7c3',
    ".Shape~4x4.Pair~OB~_name~R1C1~R1C2~~R2C1~R2C2": LESS.format("r1c1 r1c2", "r2c1 r2c2"),
    ".ConnectedValues~~1_2": "connected 1 2",
    ".ConnectedValues~~3~7": "connected 3 size 7",
    ".Var~S~~2x3.ConnectedValues~VS~3~4": "connected 3 size 4 s",
    ".Or.~R1C1_1_2.And.~R1C2_3.AntiKing.End.End": 'anyof (regex "[12]" r1c1; '
    'allof (regex "[3]" r1c2; antiking))',
    ".Quad~R4C5~1~2~2": "quadruple 1 2 2 r4c5 r4c6 r5c5 r5c6",
    ".Indexing~C~R1C1~R2C1": "columnindexer r1c1 r2c1",
    ".XSum~R2~10~.XSum~C3~~12": "xsum 10 r2c0, xsum 12 r10c3",
    ".Skyscraper~R1~2~3": "skyscraper 2 r1c0, skyscraper 3 r1c10",
    ".XSum~R2~10.XSum~R2~11~": "xsum 11 r2c0",
    ".Sandwich~0~C9": "sandwich 0 r0c9",
    ".LittleKiller~20~R9C2.LittleKiller~9~R7C9": "littlekiller 20 ur r10c1, "
    "littlekiller 9 ul r8c10",
    ".And.Thermo~R1C1~R2C2.AllDifferent~R5C5~R6C6.End": "thermo r1c1 r2c2, extraregion r5c5 r6c6",
    "..Cage~3~R1C1~R1C2.Modular~1~R1C1~R1C2": "cage 3 r1c1 r1c2",
    ".Cage~9~R1C1~R1C2~R1C1": "sum 9 2*r1c1 r1c2, cage r1c1 r1c2",
    ".Cage~0~R1C1~R1C1": "cage r1c1",
    ".Or.Cage~99~R1C1~R1C2.AntiKing.End": "anyof (antiking)",
    ".Or.Sum~1~R2C4~R2C3.And.~R1C1_2.Sum~99~R1C1.End.AntiKing.End": "anyof (antiking)",
    ".Or.And.End.AntiKing.End": "",
    ".Or.Modular~1~R1C1~R1C2.AntiKing.End": "",
    ".Shape~4x4~5.RegionSameValues": "samevalues 4 r1c1 r1c2 r2c1 r2c2 r1c3 r1c4 r2c3 r2c4 "
    "r3c1 r3c2 r4c1 r4c2 r3c3 r3c4 r4c3 r4c4",
    ".Replicate~DI.Thermo~R1C1~R2C2.End": "thermo r1c1 r2c2, thermo r1c2 r2c3, thermo r2c1 r3c2",
}


@pytest.mark.parametrize("string", READ)
def test_rules_that_are_read(string: str) -> None:
    assert ", ".join(rule.text for rule in Puzzle.parse(string).rules) == READ[string]


SHAPES = {
    ".Shape~8x9": Layout(1, 9, (), shape=(8, 9)),
    ".Shape~9x9~0-8": Layout(3, 3, digits=(0, 8)),
    ".Shape~6x6~9": Layout(2, 3, digits=(1, 9)),
    ".Shape~6x6~9.RegionSize~9": Layout(3, 3, shape=(6, 6), digits=(1, 9)),
    ".Shape~6x6~0-8.NoBoxes": Layout(2, 3, (), digits=(0, 8)),
    ".Shape~6x9": Layout(3, 3, shape=(6, 9)),
    ".Shape~5x10": Layout(5, 2, shape=(5, 10)),
    ".RegionSize~8": Layout(3, 3, ()),
    ".Shape~8x8.RegionSize~4": Layout(2, 2, shape=(8, 8)),
    ".Shape~2x3.NoBoxes.Jigsaw~000111": Layout(1, 3, shape=(2, 3)),
    ".Shape~3x3~0-3.NoBoxes.Jigsaw~000111222": Layout(1, 3, digits=(0, 3)),
}


@pytest.mark.parametrize("string", SHAPES)
def test_boards_of_other_shapes_and_digits(string: str) -> None:
    puzzle = Puzzle.parse(string)
    assert puzzle.layout == SHAPES[string]
    assert Puzzle.parse(puzzle.text) == puzzle
    assert Puzzle.parse(write_iss(puzzle)) == puzzle


def test_digits_have_their_values() -> None:
    puzzle = Puzzle.parse(".Shape~9x9~0-8.~R1C1_0~R1C2_0_8.Cage~0~R1C1.Or.~R2C2_0.AntiKing.End")
    assert puzzle.line.startswith("0.")
    assert puzzle[0, 0] == 0
    assert puzzle.masks[:2] == (1, 0b100000001)
    assert [rule.text for rule in puzzle.rules] == [
        "cage r1c1",
        'anyof (regex "[0]" r2c2; antiking)',
    ]
    nothing = Puzzle([-1] * 4, Layout(1, 2, shape=(2, 2), digits=(0, 1)))
    zero = nothing.with_rule(rule_from_line("cage 0 r1c1"))
    assert write_iss(zero) == ".Shape~2x2~0-1.NoBoxes.Jigsaw~0011.Sum~0~R1C1"


def test_hints_are_intersected() -> None:
    puzzle = Puzzle.parse(".~R1C1_1_2_3~R1C2_4.~R1C1_2_3_4")
    assert puzzle.masks[:2] == (0b110, 0b1000)


REFUSED = {
    ".ChaosConstruction~1": "expected no more arguments",
    ".ChaosConstruction.RegionSize~3": "the cells CC have the digits 1-27, but the board 1-9",
    ".ChaosArrow~R1C1": ".ChaosArrow~R1C1: chaosarrow 0 r1c1",
    ".ChaosConstruction.ChaosCount~R1C1~~CC1~~CC2": "expected a cell such as R1C1",
    ".ChaosConstruction.ChaosArrow~R1C1~2~CC1~CC2": "expected a number from 0 to 1, found 2",
    ".Cage~10~R1C1~R1C2.Var~a~~3": ".Var~a~~3: the name of a group of cells is 1 to 8 capital",
    ".Cage~10~R1C1~VA4.Var~A~~3": "no .Var has the cell VA4",
    ".WhiteDot~VA1~VA2.Var~A~~10": "expected .Var~A with rows and columns",
    ".Cage~10~R1C1~VA1.Var~A": "no .Var has the cell VA1",
    ".Shape~9x9~9~Raw.AntiKnight": "AntiKnight: only where rows and columns are houses",
    ".ConnectedValues~VQ~1": "no cells are called Q",
    ".ConnectedValues~~": "expected a group, digits, and perhaps a size",
    ".ConnectedValues~~1~0": "expected a size from 1 to 81, found 0",
    ".FullRank~R1~1~": ".FullRank~R1~1~: this constraint",
    ".Or.End": "expected rules in brackets, found none",
    ".Or.Cage~3~R1C1~R1C2": ".Or: its .End is missing",
    ".Or.Shape~6x6.End": ".Shape~6x6: this constraint",
    ".Or.Thermo~R1C1~Rx.End": ".Or: .Thermo~R1C1~Rx: expected a cell",
    ".Sum~3_=_1~R1C1~R1C2": "expected a total",
    ".Sum~3_=_999~R1C1": "coefficient from -100 to 100",
    ".Regex~!~R1C1": "expected a pattern in base64, found '!'",
    ".Pair~AAAAAAAAAAAAAAAB~_~R1C1~R1C2": "a bit for each of 81 pairs",
    ".Shape~8x17": "at most 16 rows, columns and digits",
    ".Shape~9x9~3-12": "from 0 or 1 on",
    ".Shape~9x9~~raw": "expected a shape such as 9x9, 8x9, 9x9~0-8 or 9x9~9~Raw",
    ".Shape~6x6~0-8.NoBoxes.RegionSameValues": ".RegionSameValues: the board has no regions",
    ".Or.And.Sum~99~R1C1.Thermo~R1C1~R0C1.End.AntiKing.End": "R0C1 is not on a board",
    ".Or.Cage~99~R1C1~R1C2.End": "expected a sum of 2 different digits from 3 to 17, found 99",
    ".Shape~9x9~0-8.GlobalEntropy": "not on a board with the digits 0 to 8",
    ".Shape~9x9~0-8.~R1C1_9": "digits from 0 to 8",
    ".Shape~8x9.Windoku": "not on a board of 8x9",
    ".Shape~3x3": "4x4 to 16x16",
    ".Shape~9x9.Shape~6x6": "expected one Shape, found 2",
    ".Thermo~R1C1~R1C0": "R1C0 is not on a board of 9x9 cells",
    ".Cage~x~R1C1": "expected a number, found 'x'",
    ".Cage~999~R1C1~R1C2": "expected a sum of 2 different digits from 3 to 17, found 999",
    ".~R1C1_10": "digits from 1 to 9",
    ".WhiteDot~R1C1~R9C9": "share a side",
    ".EqualSum~R1C1~R1C2": "segments of cells",
    ".LookAndSay~123~R1C1~R2C2": "lookandsay",
    ".LittleKiller~9~R5C5": "no diagonal begins at R5C5",
    ".Jigsaw~0123": "expected 81 symbols",
    ".AntiKing.End.AntiKing": "no .Or",
    ".And.AntiKing": "its .End is missing",
    ".And.NoBoxes.End": ".And: .NoBoxes: this constraint",
    ".Shape~12x12.PillArrow~2~R1C1~R1C2~R2C2~R3C2": "not on a board with the digits 1 to 12",
    ".And" * 9999 + ".End" * 9999: "within more than 20 others",
    ".Replicate~_____" * 5 + ".AntiKing" + ".End" * 5: "more than 10,000 replicas",
    ".Replicate~_____.SearchPriority~" + "9" * 99_999 + ".End": "more than 10,000 replicas",
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


# Writing

WRITTEN = {
    "cage 10 r1c1 r1c2": ".Cage~10~R1C1~R1C2",
    "cage r1c1 r1c2": ".Cage~0~R1C1~R1C2",
    "arrow r1c1 > r1c2 r2c2": ".Arrow~R1C1~R1C2~R2C2",
    "arrow r1c2 r1c1 > r2c2": ".PillArrow~2~R1C2~R1C1~R2C2",
    "renban r9c1 r8c1": ".Renban~R9C1~R8C1",
    "whispers r1c1 r2c2": ".Whisper~5~R1C1~R2C2",
    "sandwich 12 r3c10": ".Sandwich~12~R3",
    "xsum 20 r0c2": ".XSum~C2~20~",
    "skyscraper 3 r4c10": ".Skyscraper~R4~~3",
    "littlekiller dr 30 r0c0": ".LittleKiller~30~R1C1",
    "littlekiller ul 30 r10c10": ".LittleKiller~30~R1C1",
    "littlekiller ur 30 r10c0": ".LittleKiller~30~R1C9",
    "littlekiller ur 12 r10c6": ".LittleKiller~12~R9C7",
    "littlekiller dr 12 r0c6": ".LittleKiller~12~R3C9",
    "littlekiller dr 7 r0c8": ".Cage~7~R1C9",
    "diagonals": ".Diagonal~-1.Diagonal~1",
    "clone r1c1 r1c2 > r5c5 r5c6": ".Palindrome~R1C1~R5C5.Palindrome~R1C2~R5C6",
    "even r1c1": ".~R1C1_2_4_6_8",
    "quadruple 1 1 r2c2 r1c1 r1c2 r2c1": ".Quad~R1C1~1~1",
    "negative xv": ".StrictXV",
    "minimum r1c1 r1c2": ".GreaterThan~R2C1~R1C1.GreaterThan~R1C3~R1C2.GreaterThan~R2C2~R1C2",
    "maximum r1c1": ".GreaterThan~R1C1~R1C2.GreaterThan~R1C1~R2C1",
    "slowthermo r1c1 r2c2": ".Pair~_3_8H_wH8AHwAE~_~R1C1~R2C2",
    "sum 5 r1c1 r1c2": ".Sum~5~R1C1~R1C2",
    "sum 5 2*r1c1 > r1c2": ".Sum~5_=_2_-1~R1C1~R1C2",
    'regex "[1-5]*" r7c3': ".Regex~WzEtNV0q~R7C3",
    'regex ".{,2}" r7c3': ".Regex~LnswLDJ9~R7C3",  # .{0,2}
    "sumline 30 r1c1 r1c2 r1c3 r1c4": ".SumLine~30~R1C1~R1C2~R1C3~R1C4",
    "lockout r1c1 r2c2": ".Lockout~4~R1C1~R2C2",
}


@pytest.mark.parametrize("line", WRITTEN)
def test_rules_that_are_written(line: str) -> None:
    assert write_iss(Puzzle([0] * 81, rules=[rule_from_line(line)])) == WRITTEN[line]


def test_boards_that_are_written() -> None:
    assert write_iss(Puzzle([5] + [0] * 79 + [3])) == ".~R1C1_5~R9C9_3"
    assert write_iss(Puzzle([0] * 36)) == ".Shape~6x6"
    latin = Puzzle([0] * 255 + [16], Layout.latin(16))
    assert write_iss(latin) == ".Shape~16x16.NoBoxes.~RgCg_16"
    assert write_iss(Puzzle([0] * 16, Layout(1, 4))).endswith(".Jigsaw~0000111122223333")


def test_negative_constraints() -> None:
    rules = "negative kropki", "ratio r1c1 r1c2", "anyof (difference r1c1 r2c1; antiking)"
    board = Puzzle([0] * 81, rules=map(rule_from_line, rules))
    assert write_iss(board.without(board.rules[2])) == ".StrictKropki.BlackDot~R1C1~R1C2"
    for other in (board, board.without(board.rules[2]).with_rule("ratio 3 r5c5 r5c6")):
        with pytest.raises(PuzzleFormatError, match="spares other pairs"):
            write_iss(other)


WITH_ZERO = {
    "littlekiller 0 dl r0c2": ".Shape~4x4~0-3.Sum~0~R1C1",
    "anyof (cage 0 r1c1; littlekiller 0 dl r0c2)": ".Shape~4x4~0-3.Or.Sum~0~R1C1.Sum~0~R1C1.End",
    "anyof (cage 3 r1c1 r1c2; minimum r1c1 > r1c2 r2c1)": ".Shape~4x4~0-3",
    "allof (minimum r1c1 > r1c2 r2c1)": ".Shape~4x4~0-3",
    "sandwich 1 r1c0": None,
    "lunchbox 1 r1c1 r1c2 r1c3": None,
    "sumline 3 r1c1 r1c2": None,
}
"""What is written of rules on a board with the digits 0 to 3; None if it is refused."""


@pytest.mark.parametrize("line", WITH_ZERO)
def test_rules_with_the_digit_0(line: str) -> None:
    board = Puzzle([-1] * 16, Layout(2, 2, digits=(0, 3)), rules=[rule_from_line(line)])
    if WITH_ZERO[line] is None:
        with pytest.raises(PuzzleFormatError, match=f"^{line}: Interactive-Sudoku-Solver"):
            write_iss(board)
    else:
        assert write_iss(board) == WITH_ZERO[line]
        assert check_return(board)


def test_ranges_of_digits_and_letters_are_cut() -> None:
    board = Puzzle([0] * 144, rules=[rule_from_line('regex "[2-b]" r1c1')])
    (rule,) = Puzzle.parse(write_iss(board)).rules
    assert rule.text == 'regex "[2-9A-B]" r1c1'  # as ISS knows the order of these signs


def test_sums_of_most_cells_without_complete_houses() -> None:
    board = Puzzle([-1] * 9, Layout.of_shape(3, 3, (0, 3)))
    rules = [*map(rule_from_line, ("cage 3 r1c1 r1c2 r2c1", "sum 5 r3c1 r3c2", "xv v r2c3 r1c3"))]
    assert write_iss(board.with_rule(*rules[:2]))
    with pytest.raises(PuzzleFormatError, match="counts sums of most cells"):
        write_iss(board.with_rule(*rules))


NOT_WRITTEN = (
    "sumline 33 r1c1 r1c2 r1c3 r1c4",
    "boxindexer r1c1",
    "negative difference",
    "negative ratio",
    "negative xv 10",
    "negative xv r1c1 r1c2",
)


@pytest.mark.parametrize("line", NOT_WRITTEN)
def test_rules_that_are_not_written(line: str) -> None:
    with pytest.raises(PuzzleFormatError, match=f"^{line}: Interactive-Sudoku-Solver"):
        write_iss(Puzzle([0] * 81, rules=[rule_from_line(line)]))


def test_two_rules_at_a_place_of_one() -> None:
    board = Puzzle([0] * 81, rules=[rule_from_line("sandwich 3 r1c0")])
    assert write_iss(board.with_rule(rule_from_line("sandwich 3 r1c10"))) == ".Sandwich~3~R1"
    with pytest.raises(PuzzleFormatError, match="keeps one"):
        write_iss(board.with_rule(rule_from_line("sandwich 4 r1c10")))


def test_boards_that_are_not_written() -> None:
    with pytest.raises(PuzzleFormatError, match="Interactive-Sudoku-Solver"):
        write_iss(Puzzle([0] * 625))


def test_as_many_cells_without_a_block_as_a_block_has() -> None:
    """A jigsaw would make a block of them, so the blocks are extra regions."""
    holes = [0, 0, 1, 1] * 2 + [2, 2, -1, -1] * 2
    board = Puzzle([0] * 16, Layout.of_size(4).with_regions(holes))
    text = write_iss(board)
    assert text.startswith(".Shape~4x4.NoBoxes.AllDifferent~")
    assert count(Puzzle.parse(text)) == count(board) == 288


# Round trips

LAYOUTS = (
    Layout(2, 2),
    Layout(2, 3),
    Layout(3, 2),
    Layout(3, 3),
    Layout.latin(5),
    Layout(1, 5),
    Layout.jigsaw((0, 0, 0, 1, 2, 0, 1, 1, 2, 2, 3, 1, 2, 3, 3, 3)),
    Layout(2, 2, extra=((0, 5, 10, 15), (3, 6, 9, 12))),
    Layout.of_shape(4, 6),
    Layout.of_shape(4, 4, (0, 3)),
    Layout.of_shape(3, 4, (0, 4)),
    Layout.of_shape(6, 6, (0, 8), 9),
    Layout(1, 4, (0, 0, 0, 0, 1, 1, 2, 2, 1, 1, 2, 2), shape=(3, 4)),
    Layout(1, 4, (0, 0, 0, -1, 1, 1, 1, -1, 2, 2, 2, -1), ((0, 5, 10),), shape=(3, 4)),
)


@cache
def grids_of(layout: Layout) -> list[Puzzle]:
    return random_grids(layout, 20)


@pytest.mark.parametrize("name", names())
def test_each_rule_comes_back(name: str) -> None:
    """What is read from what was written allows the same grids."""
    written = in_fpuzzles = 0
    for layout in LAYOUTS:
        rng = random.Random(f"{name} {layout}")
        for _ in range(2):
            rule = random_rule(name, layout, rng, rng.choice(grids_of(layout)))
            if rule is not None:
                puzzle = Puzzle([layout.blank] * layout.cell_count, layout, rules=[rule])
                written += check_return(puzzle)
                in_fpuzzles += check_return(puzzle, write_fpuzzles)
    assert written or name in NOT_IN_ISS
    assert in_fpuzzles or not known_rules()[name].fpuzzles


NOT_IN_ISS = ("chaos", "chaosarrow", "boxindexer", "formula")


def check_return(puzzle: Puzzle, write: Callable[[Puzzle], str] = write_iss) -> bool:
    """Check that a puzzle comes back, or an equivalent one; False if it cannot be said there."""
    try:
        text = write(puzzle)
    except PuzzleFormatError:
        return False
    back = Puzzle.parse(text)
    again = write(back)
    assert write(Puzzle.parse(again)) == again
    assert again.isascii()
    assert "\n" not in again
    for grid in grids_of(puzzle.layout):
        assert allows(back, grid) == allows(puzzle, grid), puzzle.text
    return True


def allows(puzzle: Puzzle, grid: Puzzle) -> bool:
    """Whether a full grid has candidates of a puzzle only, and obeys its rules."""
    filled = Puzzle(grid.cells, puzzle.layout)
    candidates = zip(puzzle.masks, grid.numbers, strict=True)
    return all(mask >> (digit - 1) & 1 for mask, digit in candidates) and all(
        rule.in_company(puzzle.rules).holds(filled) for rule in puzzle.rules
    )


@st.composite
def boards(draw: st.DrawFn) -> Puzzle:
    """Puzzles with hints, candidates and several rules, some of which hold in one of the grids."""
    layout = draw(st.sampled_from(LAYOUTS))
    grid = draw(st.sampled_from(grids_of(layout)))
    n, rng = layout.digit_count, random.Random(draw(st.integers(0, 2**32)))
    masks = [
        rng.choice(((1 << n) - 1, 1 << (digit - 1), 1 << (digit - 1) | rng.randrange(1 << n), 0))
        if rng.random() < 0.3
        else (1 << n) - 1
        for digit in grid.numbers
    ]
    drawn = [random_rule(name, layout, rng, grid) for name in rng.sample(names(), 4)]
    return Puzzle.from_masks(masks, layout, [rule for rule in drawn if rule is not None])


@settings(max_examples=150, deadline=None)
@given(boards())
def test_boards_come_back(puzzle: Puzzle) -> None:
    """Through text, strings and, where it can say them, f-puzzles; all mean the same."""
    assert Puzzle.parse(puzzle.text) == puzzle
    check_return(puzzle, write_fpuzzles)
    check_return(puzzle, write_link)
    if check_return(puzzle):
        back = Puzzle.parse(write_iss(puzzle))
        assert Puzzle.parse(back.text) == back
        check_return(back, write_fpuzzles)


@pytest.mark.parametrize(
    "text",
    [
        "\n  .Thermo~R1C1\n  ~R2C1.AntiKing\n\n.Windoku\n",
        "\n.Thermo~R1C1~R2C1\n.AntiKing\n\n.Windoku",
    ],
)
def test_lines_that_continue_a_string(text: str) -> None:
    (one, other) = read_puzzles(io.StringIO(text))
    assert [rule.text for rule in one.puzzle.rules] == ["thermo r1c1 r2c1", "antiking"]
    assert [rule.text for rule in other.puzzle.rules] == ["windoku"]
    assert (one.line, other.line) == (2, 5)


def test_strings_of_several_puzzles_without_a_blank_line() -> None:
    with pytest.raises(PuzzleFormatError, match=r"line 1: .* r1c1 no digit; .* blank lines"):
        Puzzle.parse(".~R1C1_5\n.~R1C1_6\n")


PAGE = Path(__file__).parents[4] / "docs" / "howto" / "coming_from_iss.md"


def test_the_page_has_every_constraint() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"]
    heads = [(rule.iss, rule.name) for rule in known_rules().values() if rule.iss]
    for head, rule in heads + [(form.head, form.rule.name) for form in SPECIAL]:
        assert any(rule in row and f"`{head.split('~')[0]}`" in row for row in rows), head


GOLDEN = Path(__file__).parents[3] / "golden" / "iss.tsv"


@pytest.mark.parametrize("row", GOLDEN.read_text(encoding="utf-8").splitlines()[1:])
def test_published_puzzles_have_the_known_solution(row: str) -> None:
    _, _, string, solution = row.split("\t")
    puzzle = Puzzle.parse(string)
    assert Puzzle.parse(re.sub(r"(?<!^)\.(?=[A-Z~])", "\n.", string)) == puzzle
    for each in (puzzle, Puzzle.parse(write_iss(puzzle))):
        (found,) = solve(each)
        assert "".join(map(str, found.cells)) == solution


# Damage


def complaint(text: str) -> str:
    """What is wrong with a string; nothing if it is read."""
    try:
        read_iss(text)
    except PuzzleFormatError as error:
        return str(error)
    return ""


def test_damaged_strings_end_in_one_line() -> None:
    whole = "".join(READ) + ".Or.And.AntiKing.End.End.Jigsaw~" + "0" * 81 + LINK
    for end in range(len(whole)):
        assert "\n" not in complaint(whole[:end])
    rng = random.Random(5)
    for _ in range(2000):
        string = list(rng.choice([*READ, LINK]))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(string))
            string[at] = rng.choice(["", "~", ".", "_", "R", "C", "0", "99", "\u0663", ".End", "%"])
        assert "\n" not in complaint("".join(string))


WHOLE, KING, KNIGHT = ".AntiKnight.Cage~10~R1C1~R1C2.~R1C1_4", ".AntiKing", ".AntiKnight"


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        ((WHOLE, WHOLE), [2, 2]),
        ((WHOLE, KING, KNIGHT), [2, 1, 1]),
        ((KING, WHOLE), [1, 2]),
        ((KING, KNIGHT), [2]),
        ((WHOLE, "", KING, KNIGHT), [2, 2]),
        ((WHOLE, "  " + KING, KNIGHT), [3, 1]),
        ((".Or.And", KING, ".End", ".And", KNIGHT, ".End", ".End"), [1]),
        (("# by whom", "", "# which", KING, "# the knight", KNIGHT, "# end"), [2]),
        ((KING, "# another", "", KNIGHT), [1, 1]),
        ((WHOLE, "# another", KING), [2, 1]),
        ((KING, "# layout: 3x3", "." * 81), [1, 0]),
        ((KING, "." * 81, "." + "1" + "." * 79), [1, 0, 0]),
        ((".~R1C1_1", ".~R1C2_2", "", *["........."] * 9), [0, 0]),
    ],
)
def test_strings_of_several_puzzles(lines: tuple[str, ...], rules: list[int]) -> None:
    found = list(read_puzzles(io.StringIO("\n".join(lines))))
    assert [len(record.puzzle.rules) for record in found] == rules


def test_a_list_that_may_be_one_puzzle_is_refused() -> None:
    with pytest.raises(PuzzleFormatError, match="line 3: expected one constraint as in the lines"):
        list(read_puzzles(io.StringIO("\n".join((KING, KNIGHT, WHOLE)))))
