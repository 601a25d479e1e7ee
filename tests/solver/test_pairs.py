"""Pairs of cells over all solutions: a set without a diagram against one that has one."""

from __future__ import annotations

import random

import pytest
from strategies import shuffled_grid

from bddsudoku.engine.bands.band_set import BandSet
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.solver.dispatch import compile_set
from bddsudoku.solver.hint_analysis import common_properties


def some_puzzles(number: int) -> list[Puzzle]:
    rng = random.Random(11)
    grids = [shuffled_grid(Layout(), rng) for _ in range(number)]
    return [g.without(*rng.sample(range(81), rng.randint(44, 52))) for g in grids]


class Sampled:
    """A set that has no diagram, of any board."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.held = compile_set(puzzle)

    def __getattr__(self, name: str) -> object:
        if name.startswith("always"):
            raise AttributeError(name)
        return getattr(self.held, name)


@pytest.mark.parametrize("puzzle", some_puzzles(8), ids=lambda p: p.line)
def test_bands_find_the_pairs_of_a_diagram(puzzle: Puzzle) -> None:
    wanted = common_properties(puzzle, compile_set(puzzle))
    assert common_properties(puzzle, BandSet(puzzle.masks, decoder=SudokuDecoder(puzzle))) == wanted


@pytest.mark.parametrize(
    "line", ["1....2.........4", "12..............", "1...............", "." * 36]
)
def test_other_boards(line: str) -> None:
    puzzle = Puzzle.parse(line)
    assert common_properties(puzzle, Sampled(puzzle)) == common_properties(
        puzzle, compile_set(puzzle)
    )
