"""Small MDDs of the search: what a look-up leaves of sets of classes, against all words."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from bddsudoku.engine.search.mdds import (
    _merge_equal_choices,
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
