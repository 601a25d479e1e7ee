"""Intersections of MDDs over the same cells, against enumeration of all words."""

from __future__ import annotations

import random
from itertools import pairwise, product

import numpy as np
import pytest

from bddsudoku import Puzzle, count
from bddsudoku.context import UNLIMITED
from bddsudoku.engine.search import intersection, repetition
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.engine.search.intersection import intersect_mdds
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.model.mdd import Mdd, mdd_from_automaton, reduce_mdd
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


@pytest.mark.usefixtures("without_limits")
def test_nothing_is_common() -> None:
    rng = random.Random(1)
    none = random_mdd(rng, 0)
    some = random_mdd(rng, 0.5)
    for pair in ((none, some), (some, none)):
        (found,) = intersect_mdds([CellMdd(CELLS, one, COLUMNS) for one in pair])
        assert found.mdd.is_empty


def test_what_is_left_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(2)
    a, b = (CellMdd(CELLS, random_mdd(rng, 0.3), COLUMNS) for _ in range(2))
    others = ((*range(1, CHOICES), 0), *COLUMNS[1:])
    intersection._intersection.cache_clear()
    assert len(intersect_mdds([a, b])) == 1
    assert len(intersect_mdds([a, b._replace(cells=(*CELLS[1:], CELLS[0]))])) == 2
    assert len(intersect_mdds([a, b._replace(columns=others)])) == 2
    few = mdd_from_automaton(LEVELS, range(CHOICES), 0, lambda s, x: s + (x > 1), (2).__eq__)
    assert len(intersect_mdds([a, CellMdd(CELLS, few, COLUMNS)])) == 2  # one look-up suffices
    for name, limit in {"_MAX_SET": 3, "_MAX_WIDTH": 3, "_MAX_GROWTH": 0.1}.items():
        with monkeypatch.context() as patch:
            patch.setattr(repetition if name == "_MAX_WIDTH" else intersection, name, limit)
            intersection._intersection.cache_clear()
            assert len(intersect_mdds([a, b])) == 2
    intersection._intersection.cache_clear()


CLUES = ["3 r1c0", "2 r1c7", "2 r2c0", "4 r2c7", "3 r0c3", "2 r7c3"]


def test_two_clues_of_a_line() -> None:
    lines = [f"skyscraper {clue}" for clue in CLUES]
    puzzle = Puzzle.parse("\n".join(["." * 36, *lines]))
    model = forward_check(allocate(puzzle))
    search = ConstraintSearch(model, UNLIMITED)
    mdds = search._problem.tables.mdds
    assert len({*mdds.owner.tolist()}) == 3
    assert count(puzzle, "search") == count(puzzle, "frontier") == 73_522
