"""Small MDDs of the search: what a look-up leaves of sets of classes, against all words."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from bddsudoku.engine.search.mdds import (
    CellMdd,
    _merge_equal_choices,
    is_tabulated,
    make_mdd_tables,
)
from bddsudoku.model.mdd import Mdd, mdd_from_level_steps


def some_mdd(rng: random.Random, choices: list[int]) -> Mdd:
    """The MDD of some random words; choice 0 never occurs."""
    words = [*product(*(range(1, n) for n in choices))]
    kept = {w for w in words if rng.random() < rng.choice((0.2, 0.8))} | {rng.choice(words)}
    prefixes = {w[:n] for w in kept for n in range(len(w) + 1)}
    return mdd_from_level_steps(
        choices, (), lambda level, w, k: (*w, k) if (*w, k) in prefixes else None
    )


@pytest.mark.parametrize("seed", range(60))
def test_what_is_left_is_the_union_of_the_words(seed: int) -> None:
    rng = random.Random(seed)
    choices = [rng.randint(2, 5) for _ in range(rng.randint(1, 4))]
    mdd = some_mdd(rng, choices)
    found = _merge_equal_choices(mdd)
    assert (found.lookup is None) == (sum(found.live) > 12)
    if found.lookup is None:
        return
    words = [w for w in product(*map(range, choices)) if mdd.accepts(w)]
    shifts = np.cumsum([0, *found.live]).tolist()
    bits = {
        sum(1 << shift + of[k] for shift, of, k in zip(shifts, found.of_choice, w, strict=False))
        for w in words
    }
    for some, left in enumerate(found.lookup.tolist()):
        union = 0
        for word in bits:
            union |= word if word & ~some == 0 else 0
        assert left == union


def total_not_divisible(divisor: int) -> Mdd:
    """The MDD of six digits whose sum the divisor does not divide."""

    def step(level: int, total: int, choice: int) -> int | None:
        total = (total + choice) % divisor
        return total if choice and (level < 5 or total) else None

    return mdd_from_level_steps([10] * 6, 0, step)


def test_which_mdds_are_propagated_by_a_look_up() -> None:
    few, many = total_not_divisible(2), total_not_divisible(9)
    assert (_merge_equal_choices(few).live, _merge_equal_choices(many).live) == ([2] * 6, [9] * 6)
    cells = tuple(range(6))
    digits = (tuple(range(1, 10)),) * 6
    assert is_tabulated(CellMdd(cells, few, digits))
    assert not is_tabulated(CellMdd((0, 1, 2, 3, 4, 0), few, digits))  # a cell is read twice
    assert not is_tabulated(CellMdd(cells, few, ((0, *range(1, 10)),) * 6))  # a value is no digit
    assert not is_tabulated(CellMdd(cells, many, digits))
    tables, live = make_mdd_tables([CellMdd(cells, m, digits) for m in (few, many)], 6, 0)
    assert tables.lookup_at.tolist() == [0, -1]
    assert len(tables.uses) == 6  # the look-up is woken as a relation is
    assert len(live) == 7  # words of the live states of one MDD only
