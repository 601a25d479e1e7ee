"""Candidates as text: read, written, told apart from boards, refused when damaged."""

from __future__ import annotations

import io
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import layouts, pencil_masks

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.puzzle.sudoku.text import (
    parse_one,
    read_puzzles,
    write_grid,
    write_line,
    write_puzzles,
    write_sdk,
)

GRID = """\
.-------------------.-----------------.----------------.
| 1567   3     1567 | 4   12579   179 | 689   5678 579 |
| 12567  9     8    | 3   1257    17  | 46    4567 57  |
| 4      1567  2    | 6   159     8   | 3     157  579 |
:-------------------+-----------------+----------------:
| 1567   2     3    | 57  14567   17  | 1468  9    578 |
| 8      4     1567 | 57  13567   2   | 16    1356 357 |
| 156    156   9    | 8   13456   3   | 2     1345 357 |
:-------------------+-----------------+----------------:
| 3      8     45   | 2   147     6   | 149   147  1479|
| 1267   167   1467 | 9   8       5   | 1467  1234 1347|
| 9      1267  1467 | 1   1347    134 | 5     2348 6   |
'-------------------'-----------------'----------------'
"""


def masks_of_grid(text: str) -> list[int]:
    tokens = [t for line in text.splitlines() if "|" in line for t in line.split() if t != "|"]
    return [sum(1 << (int(d) - 1) for d in t.strip("|")) for t in tokens]


MARKED = Puzzle.from_masks(masks_of_grid(GRID))


def cells(puzzle: Puzzle) -> list[str]:
    """n symbols a cell."""
    n = puzzle.n
    return [puzzle.line[i : i + n] for i in range(0, n**3, n)]


def lists(puzzle: Puzzle) -> list[list[int]]:
    return [[d for d in range(1, puzzle.n + 1) if m >> (d - 1) & 1] for m in puzzle.masks]


@st.composite
def marked(draw: st.DrawFn, largest: int = 16) -> Puzzle:
    """Puzzles with candidates, cells without any among them."""
    layout = draw(layouts(largest))
    n = layout.n
    rng = random.Random(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.1, 0.5, 0.9]))
    rest = draw(st.sampled_from([0.0, 0.3, 0.95]))  # of the cells are open to all digits
    return Puzzle.from_masks(
        [
            (1 << n) - 1
            if rng.random() < rest
            else sum(1 << d for d in range(n) if rng.random() < share)
            for _ in range(n * n)
        ],
        layout,
    )


@given(marked())
def test_written_and_read(puzzle: Puzzle) -> None:
    assert Puzzle.parse(puzzle.line, puzzle.layout) == puzzle
    assert Puzzle.parse(str(puzzle), puzzle.layout) == puzzle
    assert Puzzle.parse(str(puzzle)) == puzzle
    assert Puzzle.parse(write_grid(puzzle, borders=False), puzzle.layout) == puzzle
    for blank in ".0_*?-":
        assert Puzzle.parse(write_line(puzzle, blank=blank, name="name"), puzzle.layout) == puzzle
    assert eval(repr(puzzle), {"Puzzle": Puzzle, "Layout": Layout}) == puzzle
    assert pickle.loads(pickle.dumps(puzzle)) == puzzle
    if puzzle.candidates is not None:
        assert len(puzzle.line) == puzzle.n**3


@given(st.lists(marked(9), min_size=1, max_size=5), st.sampled_from(["line", "grid", "sdm"]))
def test_written_files(puzzles: list[Puzzle], style: str) -> None:
    stream = io.StringIO()
    assert write_puzzles(puzzles, stream, style) == len(puzzles)  # type: ignore[arg-type]
    assert [r.puzzle for r in read_puzzles(io.StringIO(stream.getvalue()))] == puzzles


def test_a_row_of_729_is_no_empty_board() -> None:
    assert parse_one("." * 729).dead_cells == tuple(range(81))
    assert parse_one("123456789" * 81) == Puzzle([0] * 81)


def test_sixty_four_symbols() -> None:
    """An 8×8 board, unless every symbol has its place and there are enough for a 4×4 board."""
    assert parse_one("." * 64).n == 8
    assert parse_one("1" + "." * 63).n == 8
    assert parse_one("1234" * 16) == Puzzle([0] * 16)
    four = Puzzle.from_masks([15, 3, *[15] * 14], Layout(2, 2))
    assert parse_one(four.line) == four
    assert parse_one(four.line, Layout(2, 2)) == four
    assert parse_one(four.line, Layout(2, 4)).n == 8
    assert parse_one("." * 64, Layout(2, 2)).dead_cells == tuple(range(16))
    assert parse_one("# layout: 2x2\n" + "." * 64).n == 4
    # one mark too few for a solution: an 8×8 board in any case
    few = Puzzle.from_masks([15, *[14] * 12, 15, 15, 14], Layout(2, 2))
    assert parse_one(few.line).n == 8


@given(pencil_masks(Layout(2, 2)))
def test_four_by_four_with_a_solution_needs_no_layout(drawn: tuple[list[int], Puzzle]) -> None:
    puzzle = Puzzle.from_masks(drawn[0], Layout(2, 2))
    assert parse_one(puzzle.line) == puzzle


@pytest.mark.parametrize("number", range(0, 81, 7))
def test_a_cell_lost_or_doubled_is_refused(number: int) -> None:
    tokens = ["".join(map(str, c)) for c in lists(MARKED)]
    for damaged in (
        tokens[:number] + tokens[number + 1 :],
        [*tokens[:number], tokens[number], *tokens[number:]],
    ):
        with pytest.raises(PuzzleFormatError):
            parse_one(" ".join(damaged))
        rows = [damaged[i : i + 9] for i in range(0, len(damaged), 9)]
        with pytest.raises(PuzzleFormatError):
            parse_one("\n".join(" ".join(r) for r in rows))


def test_a_slip_in_a_full_grid_is_no_candidate() -> None:
    """One cell with two digits is a slip; several cells are candidates."""
    solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    rows = [" ".join(solution[i : i + 9]) for i in range(0, 81, 9)]
    slipped = "\n".join([rows[0].replace("3", "34", 1), *rows[1:]])
    with pytest.raises(PuzzleFormatError, match="found '34'"):
        parse_one(slipped)
    assert parse_one(slipped.replace("6", "69", 1)).candidate_count == 4


def test_a_cell_a_line_is_refused() -> None:
    with pytest.raises(PuzzleFormatError, match="candidates of 9 cells"):
        list(read_puzzles(io.StringIO("\n".join(cells(MARKED)))))


def test_larger_boards() -> None:
    sixteen = Puzzle.from_masks([0b11, *[(1 << 16) - 1] * 255])
    assert len(sixteen.line) == 4096
    assert parse_one(sixteen.line) == sixteen
    assert parse_one(str(sixteen)) == sixteen
    assert sixteen.line.startswith("12..............123456789ABCDEFG")
    assert set(sixteen.line) == {".", *SYMBOLS[:16]}


def test_an_sdk_file_has_no_room_for_them() -> None:
    with pytest.raises(PuzzleFormatError, match="no candidates"):
        write_sdk(MARKED)
