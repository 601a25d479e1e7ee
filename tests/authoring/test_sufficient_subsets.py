from __future__ import annotations

import time

import numpy as np
import pytest
from figures import FIGURE_1
from oracles import diagonals, four_by_four
from worlds import (
    cells_of,
    check_minimal,
    enough_by_counting,
    enough_by_listing,
    grid,
    seeds,
    thinned,
)

from bddsudoku import Context, Layout, Puzzle, count
from bddsudoku.authoring import minimal_subsets, subset_answers
from bddsudoku.authoring.sufficient_subsets import SubsetAnswers, Subsets
from bddsudoku.puzzle.sudoku.rules import Diagonals
from bddsudoku.sets.solutionset import SolutionSet

CLASSIC = Layout(3, 3)


def numbers_of(family: SolutionSet, cells: list[int], n: int) -> set[int]:
    """The members as numbers, bit i for the i-th cell."""
    assert (family.keys // n).tolist() == cells
    members: list[int] = (family.to_numpy() @ (1 << np.arange(len(cells)))).tolist()
    assert len(set(members)) == len(members)
    return set(members)


def check(puzzle: Puzzle) -> Subsets:
    found = minimal_subsets(puzzle)
    every, small = enough_by_counting(puzzle)
    assert found.exact
    assert cells_of(found.all) == every
    assert cells_of(found.minimal) == small
    assert found.all.count() == len(every)
    assert found.minimal.count() == len(small)
    return found


def check_listed(puzzle: Puzzle) -> None:
    every, small, cells = enough_by_listing(puzzle, four_by_four())
    found = minimal_subsets(puzzle)
    assert numbers_of(found.all, cells, 4) == every
    assert numbers_of(found.minimal, cells, 4) == small


@pytest.mark.parametrize("seed", seeds(2, 10))
def test_any_number_of_solutions(seed: int) -> None:
    """Random hints of a 4×4 grid: one solution, or dozens."""
    rng = np.random.default_rng(seed)
    whole = grid(Layout(2, 2), seed)
    for hints in range(17):
        gone = rng.permutation(16)[hints:].tolist()
        check_listed(whole.without(*gone))


@pytest.mark.parametrize("seed", range(2))
def test_all_subsets_of_puzzles_of_side_nine(seed: int) -> None:
    check(thinned(grid(CLASSIC, seed), 7, seed))


@pytest.mark.parametrize("seed", seeds(2, 6))
def test_all_subsets_of_puzzles_with_several_solutions(seed: int) -> None:
    puzzle = thinned(grid(CLASSIC, seed), 7, seed, solutions=2 + 40 * seed)
    found = check(puzzle)
    assert found.count == count(puzzle) > 1


def test_the_search_agrees_with_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is listed, few are asked about at a time: all rounds are gone through."""
    from bddsudoku.authoring import subset_search as minimal

    puzzle = thinned(grid(CLASSIC, 7), 10, 7)
    listed = minimal_subsets(puzzle)
    monkeypatch.setattr(minimal, "LISTED", 0)
    monkeypatch.setattr(minimal, "SEEDS", 1)
    monkeypatch.setattr(minimal, "MAX_FAILURES", 2)
    searched = minimal_subsets(puzzle)
    assert searched.minimal == listed.minimal
    assert searched.all == listed.all
    assert searched.unavoidable == listed.unavoidable
    whole = grid(Layout(2, 2), 1)
    check_listed(whole)
    check_listed(whole.without(0, 1, 2, 3, 4, 5, 6, 8, 10))


def test_contradictions() -> None:
    """Without a solution the minimal subsets are the smallest contradictions."""
    found = minimal_subsets(Puzzle.parse("11..1.........2."))
    assert found.count == 0
    assert cells_of(found.minimal) == {frozenset({0, 1}), frozenset({0, 4}), frozenset({1, 4})}


def test_no_hints() -> None:
    found = minimal_subsets(Puzzle([0] * 16))
    assert cells_of(found.minimal) == {frozenset()} == cells_of(found.all)
    assert subset_answers(found).minimal.smallest == 0


def test_rules_stay() -> None:
    """A 4×4 grid whose diagonals hold every digit: compared with all such grids."""
    lines = diagonals(4)
    held = [g for g in four_by_four() if all(len({g[c] for c in line}) == 4 for line in lines)]
    puzzle = Puzzle(held[5]).with_rule(Diagonals())
    every, small, cells = enough_by_listing(puzzle, held)
    found = minimal_subsets(puzzle)
    assert numbers_of(found.all, cells, 4) == every
    assert numbers_of(found.minimal, cells, 4) == small
    assert all(member.rules == puzzle.rules for member in found.minimal)
    plain = minimal_subsets(Puzzle(held[5]))
    assert found.all.count() > plain.all.count()


@pytest.fixture(scope="module")
def figure_1() -> tuple[Subsets, SubsetAnswers]:
    begin = time.monotonic()
    found = minimal_subsets(Puzzle.parse(FIGURE_1))
    assert time.monotonic() - begin < 50
    return found, subset_answers(found)


def test_figure_1(figure_1: tuple[Subsets, SubsetAnswers]) -> None:
    found, answers = figure_1
    assert answers.exact
    assert len(answers.necessary) == 8
    assert answers.subsets.count == 562756
    assert answers.minimal.count == 9865
    assert (answers.minimal.smallest, answers.minimal.largest) == (22, 28)
    assert answers.unavoidable == 1180
    assert sum(answers.subsets.sizes.values()) == 562756
    # the two families are each other's hitting sets
    assert found.unavoidable.hitting_sets() == SolutionSet(
        found.minimal.diagram, fixed=found.minimal.fixed
    )
    for puzzle in found.minimal.sample(20, 1):
        check_minimal(puzzle)
    stands = {str(hint.cell): hint.minimal for hint in answers.standing}
    assert stands["r2c2"] == 9865
    assert sum(stands.values()) == sum(len(puzzle.hints) for puzzle in found.minimal)


def test_bounds_hold_at_a_limit_of_nodes(figure_1: tuple[Subsets, SubsetAnswers]) -> None:
    _, exact = figure_1
    found = minimal_subsets(Puzzle.parse(FIGURE_1), Context(nodes=2000))
    answers = subset_answers(found)
    assert not found.exact
    assert answers.subsets.at_least <= exact.subsets.count <= answers.subsets.at_most
    assert answers.minimal.at_least <= exact.minimal.count
    assert answers.minimal.smallest_at_least <= exact.minimal.smallest
    assert answers.minimal.smallest_at_most >= exact.minimal.smallest
