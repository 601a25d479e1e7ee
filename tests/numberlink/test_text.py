"""Texts of boards and solutions: there and back, and what is refused, with its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numberlink import (
    Board,
    Links,
    answer_text,
    board_json,
    contest_text,
    parse_board,
)
from bddsudoku.numberlink.link_board import board_svg
from bddsudoku.numberlink.link_solution import LinksDecoder, marginals_svg

DATA = Path(__file__).parents[2] / "data" / "numberlink"
CONTEST = "SIZE 4X3\nLINE_NUM 2\nLINE#1 (0,0)-(3,2)\nLINE#2 (1,1)-(1,2)\n"


def random_board(rng: random.Random) -> Board:
    width, height = rng.randint(1, 9), rng.randint(2, 9)
    cells = list(range(width * height))
    rng.shuffle(cells)
    count = rng.randint(1, len(cells) // 2)
    return Board.of_cells(
        width,
        height,
        list(zip(cells[: 2 * count : 2], cells[1 : 2 * count : 2], strict=True)),
        rng.choice(["free", "cover"]),
    )


def test_boards_read_back_from_every_form() -> None:
    rng = random.Random(3)
    for _ in range(100):
        board = random_board(rng)
        assert parse_board(board_json(board)) == board
        assert parse_board(contest_text(board)) == board.with_rule("free")
        again = parse_board(str(board))
        assert {frozenset(p) for p in again.cell_pairs} == {frozenset(p) for p in board.cell_pairs}
        assert (again.width, again.height) == (board.width, board.height)
        assert LinksDecoder.from_dict(LinksDecoder(board).to_dict()).board == board


def test_the_three_forms_of_one_board() -> None:
    board = parse_board(CONTEST)
    assert board.pairs == (((0, 0), (3, 2)), ((1, 1), (1, 2)))
    assert parse_board("1...\n.2..\n.2.1").pairs == board.pairs
    assert (
        parse_board("# a comment\n10  .  .  .\n .  7  .  .\n\n .  7  . 10\n").pairs == board.pairs
    )
    assert parse_board('{"width": 4, "height": 3, "pairs": [[[0,0],[3,2]],[[1,1],[1,2]]]}') == board
    assert str(board) == "1...\n.2..\n.2.1"
    assert parse_board("size 4x3\nline_num 2\nline#1 ( 0, 0) - (3,2)\nLINE#2 (1,1)-(1,2)") == board


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: expected a board, found nothing"),
        ("1..\n.2.\n..1", "x, line 2, cell r2c2: symbol '2' stands once"),
        ("1.1\n.2.\n1.2", "x, line 3, cell r3c1: symbol '1' stands 3 times"),
        ("1.1\n..", "x, line 2: expected 3 cells in the row, found 2"),
        ("...\n...", "x: expected at least one pair"),
        ("1  1\n    \n2  2\n", "x, line 1: expected . for an open cell, found a blank"),
        ("#..#\n1..1", "x, line 1: expected a row or a comment, found what may be both"),
        ("SIZE 4X3\nLINE_NUM 2\nLINE#1 (0,0)-(3,2)", "x, line 2: LINE_NUM says 2 pairs, found 1"),
        (
            "SIZE 4X3\nLINE#1 (0,0)-(4,2)",
            "x, line 2: terminal (4,2) of pair 1 lies outside the 4x3 board",
        ),
        ("SIZE 4X3\nLINE#1 (0,0)-(0,0)", "x, line 2, cell r1c1: two terminals in one cell"),
        (
            CONTEST + "LINE#3 (1,1)-(2,2)",
            "x, line 5, cell r2c2: two terminals in one cell, of pairs 2 and 3",
        ),
        (CONTEST + "LINE#2 (3,0)-(2,2)", "x, line 5: a second LINE#2"),
        ("LINE#1 (0,0)-(1,1)", "x, line 1: expected SIZE before"),
        ("LINE_NUM 1", "x: expected SIZE, found none"),
        ("SIZE 0X3", "x, line 1: expected a board of 1x1 or more, found 0x3"),
        ("# c\nSIZE 1001X1000", "x, line 2: expected a board of at most 1,000,000 cells, found"),
        ("SIZE " + "9" * 5000 + "X3", "x, line 1: expected SIZE, LINE_NUM or LINE#n"),
        (
            "SIZE 3X3\nLINE#1 (-1,0)-(1,1)",
            "x, line 2: terminal (-1,0) of pair 1 lies outside the 3x3 board",
        ),
        ("\0\0", "x: expected a printable name of a pair, found '\\x00'"),
        ("[" * 200_000, "x: expected JSON: it is nested too deep"),
        ('{"width": ' + "9" * 5000 + "}", "x: expected JSON: a number has more than 4,300 digits"),
        ('{"width": 1e3}', "x: expected an integer for width, found 1000.0"),
        ('{"width": 99999, "height": 99999, "pairs": [[[0,0],[1,1]]]}', "x: expected a board of"),
        ('{"width": 3, "height": 3, "pairs": [[[0,0],[3,1]]]}', "x: terminal (3,1) of pair 1 lies"),
        ('{"width": 3, "height": 3, "pairs": [[[0,0],[1,0]]], "names": ["a\\nb"]}', "x: expected"),
        ("SIZE 4X3\nSIZE 4X3", "x, line 2: a second SIZE"),
        ("SIZE 4X3\nLINE#1 (0,0,1)-(1,1,1)", "x, line 2: expected a point (x,y), found (0,0,1)"),
        ("SIZE 4X3\nLINE_NUM 0", "x: expected at least one pair"),
        ("{", "x, line 1, column 2: expected JSON"),
        ('{"width": 3, "height": 3, "pairs": [[[0, 0], [1]]]}', "x: expected a pair"),
        ('{"width": 3, "height": 3, "pairs": [], "colour": 1}', "x: unknown key 'colour'"),
    ],
)
def test_bad_texts_are_refused_in_one_line_with_the_place(text: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError) as refused:
        parse_board(text, "x")
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("text", ["# two  pairs\n\n1 2\n1 2\n", "1\t2\n1\t2", "#12\n12\n12\n"])
def test_boards_without_open_cells(text: str) -> None:
    assert parse_board(text).width == 2


def test_answers_in_the_contests_form() -> None:
    board = parse_board(CONTEST)
    links = Links.of_paths(board, [(0, 1, 2, 3, 7, 11), (5, 9)])
    text = answer_text(links)
    assert text == "SIZE 4X3\n1,1,1,1\n0,2,0,1\n0,2,0,1\n"


def test_pairs_keep_their_names_and_numbers() -> None:
    swapped = parse_board("SIZE 4X3\nLINE#7 (1,1)-(1,2)\nLINE#2 (0,0)-(3,2)")
    assert swapped.numbers == (7, 2)
    links = Links.of_paths(swapped, [(5, 9), (0, 1, 2, 3, 7, 11)])
    text = answer_text(links)
    assert text == "SIZE 4X3\n2,2,2,2\n0,7,0,2\n0,7,0,2\n"
    assert parse_board(contest_text(swapped)) == swapped
    assert parse_board("A.BA\n..B.").numbers == (1, 2)
    for names, shown in [
        (("10", "7"), "10  . 10\n 7  .  7"),  # short words stay
        (("red", "A"), "red   . red\n  A   .   A"),
        (("green", "A"), "1.1\n2.2"),  # long ones do not, nor what would read otherwise
        (("#a", "b"), "1.1\n2.2"),
        (("a b", "."), "1.1\n2.2"),
    ]:
        board = Board.of_cells(3, 2, [(0, 2), (3, 5)])
        board = Board(3, 2, board.pairs, names=names)
        assert str(board) == shown
        assert parse_board(shown).cell_pairs == board.cell_pairs
    counted = Board.of_cells(2, 11, [(2 * k, 2 * k + 1) for k in range(11)])
    assert str(counted).split() == [2 * c for c in "123456789AB"]


def test_drawings() -> None:
    board = parse_board(CONTEST)
    links = Links.of_paths(board, [(0, 1, 2, 3, 7, 11), (5, 4, 8, 9)])
    assert str(links) == "1─────┐\n┌─2 · │\n└─2 · 1"
    wide = parse_board("10 . 10\n7 . 7")
    assert str(Links.of_paths(wide, [(0, 1, 2), (3, 4, 5)])) == "10────10\n 7─────7"
    for svg, lines in ((board_svg(board), 0), (links._repr_svg_(), 2)):
        assert svg.startswith("<svg ")
        assert svg.endswith("</svg>")
        assert svg.count("<polyline") == lines
        assert svg.count("<circle") == 4
    assert board._repr_svg_() == board_svg(board)
    picture = marginals_svg(board, {board.edge(0, 1): 0.25, board.edge(1, 2): 0.0})
    assert picture.count("<title>") == 1
    assert "0.25" in picture
    nasty = Board(2, 1, (((0, 0), (1, 0)),), names=("<&>",))
    assert "&lt;&amp;&gt;" in board_svg(nasty)


def test_the_contest_board_in_data() -> None:
    board = parse_board((DATA / "nl_q07.txt").read_text(encoding="utf-8"), "nl_q07.txt")
    assert (board.size, len(board.pairs)) == ("17x15", 13)
    assert contest_text(board) == (DATA / "nl_q07.txt").read_text(encoding="utf-8")
