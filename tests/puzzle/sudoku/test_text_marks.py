"""Candidates as text: reading, writing, distinction from boards, errors."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from strategies import pencil_masks

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.text import parse_one, read_puzzles, write_sdk

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
    """The candidates of a puzzle as n symbols for each cell."""
    n = puzzle.n
    return [puzzle.line[i : i + n] for i in range(0, n**3, n)]


def lists(puzzle: Puzzle) -> list[list[int]]:
    return [[d for d in range(1, puzzle.n + 1) if m >> (d - 1) & 1] for m in puzzle.masks]


def test_a_row_of_729_is_no_empty_board() -> None:
    assert parse_one("." * 729).dead_cells == tuple(range(81))
    assert parse_one("123456789" * 81) == Puzzle([0] * 81)


def test_sixty_four_symbols() -> None:
    """64 symbols are an 8×8 board, unless they can be the candidates of a 4×4 board."""
    assert parse_one("." * 64).n == 8
    assert parse_one("1" + "." * 63).n == 8
    four = Puzzle.from_masks([15, 3, *[15] * 14], Layout(2, 2))
    assert parse_one(four.line, Layout(2, 2)) == parse_one(f"# layout: 2x2\n{four.line}") == four
    assert parse_one(four.line, Layout(2, 4)).n == 8
    assert parse_one("." * 64, Layout(2, 2)).dead_cells == tuple(range(16))
    # one mark too few for a solution: an 8×8 board in any case
    few = Puzzle.from_masks([15, *[14] * 12, 15, 15, 14], Layout(2, 2))
    assert parse_one(few.line).n == 8


@given(pencil_masks(Layout(2, 2)))
def test_candidates_of_a_four_by_four_with_a_solution_need_a_layout(
    drawn: tuple[list[int], Puzzle],
) -> None:
    puzzle = Puzzle.from_masks(drawn[0], Layout(2, 2))
    with pytest.raises(PuzzleFormatError, match="4x4 board or an 8x8 board"):
        parse_one(puzzle.line)
    assert parse_one(puzzle.line, Layout(2, 2)) == puzzle


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


def test_sdk_files_refuse_candidates() -> None:
    with pytest.raises(PuzzleFormatError, match="no candidates"):
        write_sdk(MARKED)
