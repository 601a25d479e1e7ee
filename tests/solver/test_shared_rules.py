"""Lists of boards with the rules of one file: counts by one prepared search."""

from __future__ import annotations

import random

import pytest

from bddsudoku import Puzzle, count
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
from bddsudoku.solver.puzzle_lists import RuleLines, count_puzzles

FILES = (
    "antiknight",
    "cage 5 r1c1 r1c2\nthermo r3c3 r2c3 r2c4",
    "any of (even r1c1; odd r2c2)\nsum >= 6 r3c1 r3c2 r4c4",
    "regions 1112 1222 3334 3444",
    "even r1c1 r1c2\nodd r1c3 r1c4",
)


def lines_of(text: str) -> RuleLines:
    return "rules.txt", tuple(enumerate(text.splitlines(), 1))


def boards(seed: str, number: int) -> list[Puzzle]:
    rng = random.Random(seed)
    found = []
    for _ in range(number):
        cells = [0] * 16
        for cell in rng.sample(range(16), rng.randint(0, 5)):
            cells[cell] = rng.randint(1, 4)
        masks = [rng.randint(1, 15) if rng.random() < 0.2 else 15 for _ in cells]
        found.append(Puzzle(cells, candidates=masks))
    return found


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("limit", [None, 2])
def test_counts_are_those_of_brute_force(text: str, limit: int | None) -> None:
    listed = boards(text, 40)
    records = count_puzzles([*map(PuzzleRecord, listed)], limit=limit, rules=lines_of(text))
    for puzzle, record in zip(listed, records, strict=True):
        alone = Puzzle.parse(f"{'.' * 16}\n{text}")
        whole = Puzzle.from_masks(puzzle.masks, alone.layout, alone.rules)
        wanted = count(whole, "brute-force")
        assert record["count"] == str(wanted if limit is None else min(wanted, limit))
        assert record["exact"] == (limit is None or wanted < limit)


def test_the_order_of_a_list_does_not_matter() -> None:
    rules = lines_of("antiknight\nthermo r1c1 r2c2 r3c3")
    records = [PuzzleRecord(puzzle) for puzzle in boards("order", 30)]
    forward = [r["why"] + r["count"] for r in count_puzzles(records, limit=3, rules=rules)]
    back = [r["why"] + r["count"] for r in count_puzzles(records[::-1], limit=3, rules=rules)]
    assert forward == back[::-1]


def test_refused() -> None:
    own = PuzzleRecord(Puzzle.parse("." * 16 + "\neven r1c1"), "list.txt", 7)
    with pytest.raises(PuzzleFormatError, match="line 7: expected a puzzle without rules"):
        list(count_puzzles([own], rules=lines_of("odd r1c2")))
    plain = PuzzleRecord(Puzzle.parse("." * 16))
    with pytest.raises(PuzzleFormatError, match=r"rules\.txt, line 2: .*r9c9 is not on a board"):
        list(count_puzzles([plain], rules=lines_of("odd r1c2\nodd r9c9")))
