"""Boards from sizes and pictures; shapes, orientations, and the names of the usual pieces."""

from __future__ import annotations

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.tiling.polyomino import (
    Board,
    Piece,
    Symmetry,
    parse_pieces,
    pieces,
    polyominoes,
)

FREE = [1, 1, 2, 5, 12, 35, 108, 369]  # OEIS A000105
ONE_SIDED = [1, 1, 2, 7, 18, 60, 196, 704]  # OEIS A000988
FIXED = [1, 2, 6, 19, 63, 216, 760, 2725]  # OEIS A001168


@pytest.mark.parametrize("area", range(1, 9))
def test_numbers_of_polyominoes(area: int) -> None:
    free = polyominoes(area)
    assert len(free) == FREE[area - 1]
    assert len({p.name for p in free}) == len(free)
    assert all(p.area == area for p in free)
    fixed = {o for p in free for o in p.orientations(Symmetry.FREE)}
    assert len(fixed) == FIXED[area - 1]
    one_sided = {min(Piece("", o).orientations("one-sided")) for o in fixed}
    assert len(one_sided) == ONE_SIDED[area - 1]


def test_the_letters_are_those_of_the_shapes() -> None:
    assert [p.name for p in pieces("pentominoes")] == [f"{c}5" for c in "FILNPTUVWXYZ"]
    assert [p.name for p in pieces("tetrominoes")] == ["I4", "L4", "O4", "S4", "T4"]
    assert [p.name for p in pieces("I2,trominoes")] == ["I2", "I3", "L3"]
    orientations = {p.name: len(p.orientations()) for p in pieces("pentominoes")}
    assert orientations == {
        "F5": 8, "I5": 2, "L5": 8, "N5": 8, "P5": 8, "T5": 4,
        "U5": 4, "V5": 4, "W5": 4, "X5": 1, "Y5": 8, "Z5": 4,
    }  # fmt: skip
    assert str(pieces("x5")[0]) == ".#.\n###\n.#."
    assert pieces("6a")[0].area == 6


@pytest.mark.parametrize("name", ["", "Q5", "L9x", "3l3", "L3,L3", "pentomino", "10a"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(PuzzleFormatError):
        pieces(name)


def test_drawn_pieces() -> None:
    found = parse_pieces("; two pieces\nbar:\n###\n\n#.#\n")
    assert [(p.name, p.cells) for p in found] == [
        ("bar", ((0, 0), (0, 1), (0, 2))),
        ("2", ((0, 0), (0, 2))),
    ]
    assert Piece.from_picture("x", " ##\n #").cells == ((0, 0), (0, 1), (1, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found none"),
        ("##\nab\n", "line 2: expected # and ."),
        ("a:\n##\n\na:\n#\n", "'a' twice"),
        ("..\n", "different squares"),
    ],
)
def test_bad_drawings(text: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message):
        parse_pieces(text, source="pieces.txt")


def test_there_are_limits() -> None:
    for area in (0, 10):
        with pytest.raises(PuzzleFormatError, match="area of 1 to 9"):
            polyominoes(area)
    with pytest.raises(PuzzleFormatError):
        Piece.of("twice", [(0, 0), (0, 0)])


def test_rectangles_and_removed_squares() -> None:
    board = Board.rectangle(2, 3, [(0, 1), 5])
    assert board.cells == ((0, 0), (0, 2), (1, 0), (1, 1))
    assert str(board) == "#.#\n##."
    assert Board.parse("2x3-r1c2-r2c3") == board
    assert Board.parse(" 2 x 3 - r1c2, R2C3 \n") == board
    assert Board.parse("#.#\n##.\n").cells == board.cells
    assert (0, 1) not in board
    assert (1, 1) in board


def test_pictures() -> None:
    board = Board.parse("\n\n OO\n.o*\n#\n\n")
    assert (board.rows, board.columns) == (3, 3)
    assert board.cells == ((0, 1), (0, 2), (1, 1), (1, 2), (2, 0))
    assert Board.parse("#").area == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a board"),
        ("...\n", "expected a board"),
        ("##\n#?\n", r"line 2, cell r2c2: expected # for a square or \. for none, found '\?'"),
        ("0x5", "found 0x5"),
        ("101x100", "found 101x100"),
        ("3x3-r4c1", "found r4c1"),
        ("3x3-r0c1", "found r0c1"),
        ("3x3-4", "found '4'"),
    ],
)
def test_texts_that_are_no_board(text: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message) as caught:
        Board.parse(text, source="board.txt")
    assert str(caught.value).startswith("board.txt")


def test_symmetries() -> None:
    assert len(Board.rectangle(6, 10).symmetries()) == 4
    assert len(Board.rectangle(8, 8).symmetries()) == 8
    assert len(Board.rectangle(3, 3, [0]).symmetries()) == 2
    assert len(Board.rectangle(3, 3, [1]).symmetries()) == 2
    assert len(Board.rectangle(3, 4, [0]).symmetries()) == 1
    for move in Board.rectangle(3, 3, [4]).symmetries():
        assert sorted(move) == sorted(move.values())
