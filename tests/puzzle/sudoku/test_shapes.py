"""Boards whose rows, columns or digits are not n, n and 1 to n: text, files and refusals."""

from __future__ import annotations

import io
import json
import pickle
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle import write_puzzles
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles
from bddsudoku.puzzle.sudoku.rules import rule_from_line
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.text import read_puzzles, write_grid, write_sdk

ZERO = """
# digits 0-3
# shape 2x3
0..
1.2
thermo r1c1 r1c2
"""


def random_boards(number: int, seed: int) -> list[Puzzle]:
    """Random boards of unusual shape or digits, some with candidates, regions or a house."""
    rng, found = random.Random(seed), list[Puzzle]()
    while len(found) < number:
        rows, columns, least = rng.randint(1, 12), rng.randint(1, 12), rng.choice((0, 1, 1, 3))
        digits = max(rows, columns) + rng.choice((0, 0, 1, 3))
        size = rng.choice((None, None, 4, 6))
        size = size if size is not None and size <= digits else None
        layout = Layout.of_shape(rows, columns, (least, least + digits - 1), size)
        if layout.is_usual:
            continue
        cells = rng.sample(range(rows * columns), min(rows * columns, digits))
        if rng.random() < 0.2:
            layout = layout.with_regions(0 if c in cells else -1 for c in range(rows * columns))
        elif rng.random() < 0.2:
            layout = replace(layout, extra=(tuple(cells),))
        every = (1 << digits) - 1
        masks = [rng.choice((every, 1 << rng.randrange(digits))) for _ in range(rows * columns)]
        if rng.random() < 0.5:
            masks = [rng.choice((mask, rng.randint(0, every))) for mask in masks]
        found.append(Puzzle.from_masks(masks, layout))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_boards_come_back(seed: int) -> None:
    boards = random_boards(100, seed)
    for puzzle in boards:
        for text in (puzzle.text, str(puzzle), write_grid(puzzle, borders=False)):
            assert Puzzle.parse(text) == puzzle, text
        assert Puzzle.parse(puzzle.line, puzzle.layout) == puzzle
        assert eval(repr(puzzle)) == puzzle
        assert pickle.loads(pickle.dumps(puzzle)) == puzzle
        described = json.loads(json.dumps(SudokuDecoder(puzzle).to_dict()))
        assert SudokuDecoder.from_dict(described).puzzle == puzzle
    boards[50:50] = [Puzzle([0] * 81), Puzzle([0] * 36), Puzzle([0] * 25, Layout(1, 5))]
    for style in ("line", "grid"):
        stream = io.StringIO()
        assert write_puzzles(boards, stream, style) == len(boards)  # type: ignore[arg-type]
        back = [record.puzzle for record in read_puzzles(io.StringIO(stream.getvalue()))]
        assert back == boards


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("# digits 0-8\n" + "." * 81, Layout(3, 3, digits=(0, 8))),
        ("# shape 8x9\n" + "." * 72, Layout(1, 9, (), shape=(8, 9))),
        ("# shape: 6 x 8\n" + ("." * 8 + "\n") * 6, Layout(2, 4, shape=(6, 8))),
        (
            "# digits: 1-9\n# shape: 6x6\n# layout: 3x3\n" + "." * 36,
            Layout(3, 3, shape=(6, 6), digits=(1, 9)),
        ),
        ("# shape 8x9\n# layout: auto\n" + "." * 81, Layout()),
        ("# digits 0-8\n# digits auto\n" + "." * 81, Layout()),
    ],
)
def test_directives(text: str, layout: Layout) -> None:
    assert Puzzle.parse(text).layout == layout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# shape 8x9\n" + "." * 81, "81 cells on one line, expected 72 for 8x9"),
        ("# shape 2x3\n...\n", "ends after 1 of 2 rows"),
        ("# digits 0-3\n0123\n4...\n....\n....", "expected 0-3 or an open cell"),
        ("# digits 8-0\n" + "." * 81, "the least and the greatest digit"),
        ("# shape 9x30\n...", "at most 25 rows and columns"),
        ("# shape 6x6\n# digits 0-4\n...", "more cells in a house than there are digits"),
        ("# layout: 2x4\n# shape 6x6\n...", "do not fill a board"),
        ("# digits 0-8\n[[1]]", "expected a puzzle, found '..1..'"),
    ],
)
def test_text_that_is_refused(text: str, message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message):
        Puzzle.parse(text)


REFUSE: dict[str, Callable[[Puzzle], object]] = {
    "side": lambda puzzle: puzzle.n,
    "f-puzzles": write_fpuzzles,
    "sdk": write_sdk,
    "zeros": lambda puzzle: write_grid(puzzle, blank="0"),
    "sdm": lambda puzzle: write_puzzles([puzzle], io.StringIO(), "sdm"),
}


@pytest.mark.parametrize("what", REFUSE)
def test_what_is_made_for_square_boards(what: str) -> None:
    puzzle = Puzzle.parse(ZERO)
    with pytest.raises(PuzzleFormatError) as caught:
        REFUSE[what](puzzle)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (lambda: Layout(3, 3, shape=(8, 9)), "do not fill a board of 8x9"),
        (lambda: Layout(2, 2, (0,) * 9, shape=(4, 4), digits=(0, 4)), "the blocks of 9 cells"),
        (lambda: Layout(1, 3, (0,) * 6, shape=(2, 3)), "has 6 cells, a region has 1 to 3"),
        (lambda: Layout(1, 3, extra=((0, 0),), shape=(2, 3)), "1 to 3 different cells"),
    ],
)
def test_layouts_that_are_refused(layout: Callable[[], Layout], message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message):
        layout()


def test_usual_boards_are_recognised() -> None:
    assert Layout(3, 3, shape=(9, 9), digits=(1, 9)) == Layout()
    assert hash(Layout(3, 3, shape=(9, 9))) == hash(Layout())
    assert Layout.of_shape(6, 6) == Layout(2, 3)
    assert rule_from_line("cage 3 r1c1 r1c2").text == "cage 3 r1c1 r1c2"
