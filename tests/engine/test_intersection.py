"""Intersections of MDDs over the same cells, against enumeration of all words."""

from __future__ import annotations

import random
from itertools import pairwise, product

import numpy as np
import pytest

from bddsudoku import Puzzle, count
from bddsudoku.context import UNLIMITED
from bddsudoku.engine.search import intersection
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.engine.search.intersection import intersect_mdds
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.model.mdd import Mdd, reduce_mdd
from bddsudoku.model.propagation import forward_check
from bddsudoku.puzzle.sudoku import allocate

LEVELS, CHOICES = 5, 4
WORDS = [*product(range(CHOICES), repeat=LEVELS)]
CELLS = tuple(range(10, 10 + LEVELS))
COLUMNS = (tuple(range(CHOICES)),) * LEVELS


def random_mdd(rng: random.Random, share: float) -> Mdd:
    """An MDD of some random words; no two of its layers have the same states."""
    held = {word for word in WORDS if rng.random() < share}
    layers = [sorted({word[:i] for word in WORDS}) for i in range(LEVELS + 1)]
    tables = [
        np.array(
            [[below.index((*word, k)) for k in range(CHOICES)] for word in layer], dtype=np.int32
        )
        for layer, below in pairwise(layers)
    ]
    return reduce_mdd(tables, np.array([word in held for word in layers[-1]]))


@pytest.fixture
def without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intersection, "_MAX_GROWTH", 1_000)
    monkeypatch.setattr(intersection, "is_tabulated", lambda one: False)
    intersection._intersection.cache_clear()


@pytest.mark.parametrize("share", [0.01, 0.2, 0.9])
@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.usefixtures("without_limits")
def test_words_of_both(share: float, is_reversed: bool) -> None:
    rng = random.Random(int(100 * share))
    for _ in range(5):
        a, b = random_mdd(rng, share), random_mdd(rng, share)
        cells = CELLS[::-1] if is_reversed else CELLS
        (found,) = intersect_mdds([CellMdd(CELLS, a, COLUMNS), CellMdd(cells, b, COLUMNS)])
        assert found.cells == CELLS
        step = -1 if is_reversed else 1
        for word in WORDS:
            assert found.mdd.accepts(word) == (a.accepts(word) and b.accepts(word[::step]))


CLUES = ["3 r1c0", "2 r1c7", "2 r2c0", "4 r2c7", "3 r0c3", "2 r7c3"]


def test_two_clues_of_a_line() -> None:
    lines = [f"skyscraper {clue}" for clue in CLUES]
    puzzle = Puzzle.parse("\n".join(["." * 36, *lines]))
    model = forward_check(allocate(puzzle))
    search = ConstraintSearch(model, UNLIMITED)
    mdds = search._problem.tables.mdds
    assert len({*mdds.owner.tolist()}) == 3
    assert count(puzzle, "search") == count(puzzle, "frontier") == 73_522
