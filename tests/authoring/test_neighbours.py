"""Neighbours of a puzzle against brute force over all changes of its hints."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bddsudoku import Puzzle, PuzzleFormatError, count_many
from bddsudoku.authoring import neighbours
from bddsudoku.authoring.neighbourhood import _sets_of_one
from bddsudoku.cli import main
from bddsudoku.cli.examples import example_text
from bddsudoku.symmetry import canonical_many

PUZZLE = Puzzle.parse(example_text("puzzle.txt"))
GRID = "123456789456789123789123456231564897564897231897231564312645978645978312978312645"


def by_brute_force(puzzle: Puzzle, minus: int, plus: int) -> set[bytes]:
    """The canonical forms of the neighbours."""
    found = []
    for removed in combinations(puzzle.hints, minus):
        left = puzzle.without(*removed)
        for cells in combinations(left.open_cells, plus):
            for digits in product(range(1, 10), repeat=plus):
                if all(puzzle[cell] != d for cell, d in zip(cells, digits, strict=True)):
                    board = np.array(left.numbers, dtype=np.uint8)
                    board[[*cells]] = digits
                    found.append(board)
    boards = np.array(found, dtype=np.uint8)
    return forms(boards[count_many(boards, 2) == 1])


def forms(puzzles: object) -> set[bytes]:
    return {form.tobytes() for form in canonical_many(puzzles)}  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [1 << 15, 20])  # with more solutions, hints are tried one by one
def test_one_hint_for_one(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bddsudoku.authoring.neighbourhood.MOST_SOLUTIONS", most)
    found = [*neighbours(PUZZLE)]
    assert len(found) == 68
    assert forms(found) == by_brute_force(PUZZLE, 1, 1)
    for one in found:
        assert len(one.hints.items() - PUZZLE.hints.items()) == 1
        assert len(PUZZLE.hints.items() - one.hints.items()) == 1


GRID_WITHOUT_9 = Puzzle.parse("." + GRID[1:3] + "." + GRID[4:6] + "." + GRID[7:]).without(
    *(cell for cell in range(9, 27) if GRID[cell] in "147")
)
"""It has 12 solutions."""
TWO_MORE = PUZZLE.with_hints({"r1c1": 1, "r1c2": 4})


@pytest.mark.parametrize(
    ("puzzle", "minus", "plus"),
    [
        (GRID_WITHOUT_9, 0, 2),
        (GRID_WITHOUT_9, 0, 3),
        (GRID_WITHOUT_9, 0, 0),
        (TWO_MORE, 0, 0),
        (TWO_MORE, 2, 0),
        pytest.param(PUZZLE, 2, 1, marks=pytest.mark.slow),
    ],
)
def test_other_changes(puzzle: Puzzle, minus: int, plus: int) -> None:
    found = [*neighbours(puzzle, minus, plus)]
    assert all(one.hint_count == puzzle.hint_count + plus - minus for one in found)
    assert len(found) == len(forms(found))
    assert forms(found) == by_brute_force(puzzle, minus, plus)


@given(st.data())
def test_sets_of_one(data: st.DataObject) -> None:
    rows, number = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 3))
    bits = data.draw(st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=rows))
    has = np.array(bits, dtype=np.float32).reshape(-1, 5)
    found = {tuple(one) for one in _sets_of_one(has, number).tolist()}
    assert found == {s for s in combinations(range(5), number) if has[:, s].all(axis=1).sum() == 1}


def run(*arguments: str, code: int = 0) -> list[str]:
    done = CliRunner().invoke(main, ["neighbours", PUZZLE.line, *arguments])
    assert done.exit_code == code, done.output
    return done.stdout.splitlines()


def test_the_command_goes_on_where_it_stopped(tmp_path: Path) -> None:
    journal = tmp_path / "done"
    whole = run("--minimal", "--journal", str(journal))
    assert len(whole) == len(forms(whole)) == 42
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:9]), encoding="utf-8")
    assert run("--minimal", "--journal", str(journal)) == whole
    assert len(journal.read_text(encoding="utf-8").splitlines()) == len(lines)
    assert json.loads(run("--minimal", "--json")[0]) == {"puzzle": whole[0], "hints": 24}


@pytest.mark.parametrize("puzzle", [PUZZLE, GRID_WITHOUT_9.with_hint(0, 1)])
def test_hints_with_other_digits(puzzle: Puzzle) -> None:
    cells = combinations(puzzle.hints, 2) if puzzle.hint_count < 30 else []
    boards = [
        puzzle.with_hints(dict(zip(some, digits, strict=True)))
        for some in [*((cell,) for cell in puzzle.hints), *cells]
        for digits in product(range(1, 10), repeat=len(some))
        if all(puzzle[cell] != d for cell, d in zip(some, digits, strict=True))
    ]
    one = [b for b, number in zip(boards, count_many(boards, 2), strict=True) if number == 1]
    by_changes = [
        [b for b in one if len(b.hints.items() - puzzle.hints.items()) == k] for k in (1, 2)
    ]
    assert forms([*neighbours(puzzle, relabel=1)]) == forms(by_changes[0])
    if cells:
        assert forms([*neighbours(puzzle, relabel=2)]) == forms(by_changes[1])
    assert forms([*neighbours(PUZZLE, relabel=0)]) == forms([PUZZLE])


def test_minimal_neighbours_need_all_their_hints() -> None:
    for one in neighbours(PUZZLE, minimal=True):
        assert (count_many([one.without(cell) for cell in one.hints], 2) == 2).all()


@pytest.mark.slow
def test_two_hints_for_two() -> None:
    assert sum(1 for _ in neighbours(PUZZLE, 2, 2, jobs=2)) == 39_555


def test_what_is_refused() -> None:
    with pytest.raises(PuzzleFormatError, match="classic"):
        next(neighbours(Puzzle([0] * 16)))
    with pytest.raises(ValueError, match="0 to 3"):
        next(neighbours(PUZZLE, 4))
    with pytest.raises(ValueError, match="0 to 3"):
        next(neighbours(PUZZLE, relabel=-1))
    run("--plus", "4", code=2)
