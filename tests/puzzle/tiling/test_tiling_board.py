"""Boards from sizes and pictures."""

from __future__ import annotations

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.tiling import Board


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


def test_reading_order_runs_along_the_shorter_side() -> None:
    assert Board.rectangle(2, 3).reading_order[:3] == ((0, 0), (1, 0), (0, 1))
    assert Board.rectangle(3, 2).reading_order[:3] == ((0, 0), (0, 1), (1, 0))


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
