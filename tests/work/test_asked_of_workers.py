"""What is asked of workers has the answers that are given here."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import bddsudoku.solver.bulk_solving as many
from bddsudoku.authoring import PuzzleRequest, generate
from bddsudoku.authoring.sufficient_subsets import (
    minimal_subsets,
    subset_answers,
    subset_answers_many,
)
from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver import (
    count,
    count_each,
    count_many,
    hint_impact,
    hint_impact_many,
    marginals,
    rule_impact,
    rule_impact_many,
    solve,
    solve_many,
    true_candidates_many,
)
from bddsudoku.work import Journal, Processes

DATA = Path(__file__).parents[2] / "data" / "seventeen.txt"
LINES = [
    words[0]
    for line in DATA.read_text(encoding="utf-8").splitlines()
    if (words := line.split()) and len(words[0]) == 81
][:15]
FOUR = "1....2.........4"
DIAGONAL = "1...............\ndiagonals"


def test_a_journal_of_hints_keeps_puzzle_by_puzzle(tmp_path: Path) -> None:
    puzzles = [Puzzle.parse(FOUR)] * 9 + [Puzzle.parse("1" + "." * 15)] * 9
    with Journal(tmp_path / "journal", {}) as journal:
        found = hint_impact_many(puzzles, journal=journal)
        for done in range(1, 17):
            next(found)
            assert len(journal) == len({str(puzzle) for puzzle in puzzles[:done]})
        assert len(list(found)) == 2


@pytest.fixture(autouse=True)
def _short_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "LIST_CHUNK", 7)


def test_lists(two: Processes) -> None:
    expected = count_many(LINES)
    assert count_many(LINES, client=two).tolist() == expected.tolist()
    assert list(count_each(iter(LINES), 2, client=two)) == np.minimum(expected, 2).tolist()
    assert count_many([], client=two).tolist() == []
    found, here = solve_many(LINES, client=two), solve_many(LINES)
    assert (found.counts == here.counts).all()
    assert (found.solutions == here.solutions).all()
    assert (true_candidates_many(LINES, client=two) == true_candidates_many(LINES)).all()


@pytest.mark.slow
def test_hints_and_rules(two: Processes) -> None:
    puzzles = [Puzzle.parse(text) for text in (*LINES[:3], FOUR, DIAGONAL, "." * 16)]
    expected = [hint_impact(puzzle) for puzzle in puzzles]
    assert list(hint_impact_many(puzzles, client=two)) == expected
    assert list(hint_impact_many(puzzles)) == expected
    rules = [rule_impact(puzzle) for puzzle in puzzles[3:]]
    assert list(rule_impact_many(puzzles[3:], client=two)) == rules


def test_minimal(two: Processes) -> None:
    puzzles = [Puzzle.parse(FOUR), Puzzle.parse("12..34......21..")]
    expected = [subset_answers(minimal_subsets(puzzle)) for puzzle in puzzles]
    assert list(subset_answers_many(puzzles, client=two)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [PuzzleRequest(), PuzzleRequest(layout=Layout(2, 2))])
def test_the_same_puzzles_are_made(two: Processes, wanted: PuzzleRequest) -> None:
    expected = [m.puzzle.line for m in islice(generate(wanted, 5), 4)]
    assert [m.puzzle.line for m in islice(generate(wanted, 5, client=two), 4)] == expected


@pytest.mark.slow
def test_one_puzzle(two: Processes, tmp_path: Path) -> None:
    puzzle = Puzzle.parse("." * 36)
    assert count(puzzle, client=two) == count(puzzle) == 28200960
    assert (marginals(puzzle) == solve(puzzle).marginals()).all()
    with Journal(tmp_path / "journal", {}) as journal:
        assert count(puzzle, journal=journal) == 28200960
        assert len(journal) >= 64
    with pytest.raises(BddSudokuError, match="cannot be named"):
        count(puzzle, "bands", client=two)
