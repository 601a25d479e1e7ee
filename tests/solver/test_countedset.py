"""Sets that are only counted, beside diagrams of the same solutions."""

from __future__ import annotations

import pytest

from bddsudoku import Model, Puzzle, solve
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.sets.countedset import CountedSet
from bddsudoku.solver import count_detailed
from bddsudoku.solver.question import make_question

SIX = Layout(2, 3)


class Counter:
    """Counts models, and how many."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, model: Model) -> int:
        self.asked += 1
        return count_detailed(model).count


def of(puzzle: Puzzle, counter: Counter | None = None) -> CountedSet:
    model = make_question(puzzle).model
    return CountedSet(model, SudokuDecoder(puzzle), counter or Counter())


PUZZLES = [
    Puzzle.parse("1..2....5.3...6.........2.......6..4", SIX),
    Puzzle.parse("1.......4.......", Layout(2, 2)),
    Puzzle.parse("12..............\ndiagonals\n"),
    Puzzle.parse("1...............\nthermo r4c1 r4c2 r4c3\n"),
    Puzzle.parse("11..............", Layout(2, 2)),
]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda p: p.line[:20])
def test_every_answer_is_that_of_a_diagram(puzzle: Puzzle) -> None:
    found, ordered = of(puzzle), solve(puzzle, engine="frontier")
    assert found.count() == ordered.count()
    assert (found.marginals() == ordered.marginals()).all()
    assert (found.true_candidates() == ordered.true_candidates()).all()
    assert (found.backbone() == ordered.backbone()).all()
    if not found:
        with pytest.raises(ValueError, match="nothing to draw"):
            found.sample(1)
        return
    total = found.count()
    assert all(row in ordered for row in found.sample(5, 7))
    lines = []
    for index in sorted({0, 1, total // 2, total - 1}):
        grid = found.unrank(index)
        lines.append(grid.line)
        assert grid in ordered
        assert found.rank(grid) == index
    assert lines == sorted(lines)
    assert "nonsense" not in found
    for cell, symbol in ((0, 1), (5, 2), (15, 3)):
        more = found.given({cell: symbol})
        assert more.count() == ordered.given({cell: symbol}).count()


def test_an_empty_board_needs_one_count() -> None:
    counter = Counter()
    found = of(Puzzle([0] * 36, SIX), counter)
    assert (found.marginals() == 28_200_960 // 6).all()
    assert counter.asked == 1


def test_symbols_that_no_hint_tells_apart_share_their_counts() -> None:
    counter = Counter()
    found = of(Puzzle.parse("1" + "." * 35, SIX), counter)
    marginals = found.marginals()
    assert (
        marginals == solve(Puzzle.parse("1" + "." * 35, SIX), engine="frontier").marginals()
    ).all()
    assert counter.asked <= 1 + 35  # of each open cell whether it has the 1
