"""Registers that items of an exact cover share."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bddsudoku.engine.specs.levels import equal_facts
from bddsudoku.engine.specs.product import model_spec
from bddsudoku.model import Model, OneHot, Variable


@pytest.mark.parametrize("seed", range(200))
def test_the_holder_always_says_the_same(seed: int) -> None:
    """For every item and level while it is open: passed options, its own and its holder's."""
    rng = random.Random(seed)
    options, count = rng.randint(1, 8), rng.randint(1, 9)
    level_of = sorted(rng.randrange(5) for _ in range(options))
    touched = [
        sorted(rng.sample(range(options), rng.randint(1, min(3, options)))) for _ in range(count)
    ]
    entries = [(item, k) for item in range(count) for k in touched[item]]
    rng.shuffle(entries)
    items, ks = (np.array(column, np.int64) for column in zip(*entries, strict=True))
    holder = equal_facts(items, ks, np.array(level_of)[ks], count)
    for item in range(count):
        held = touched[int(holder[item])]
        last = level_of[touched[item][-1]]
        for level in range(last + 1):
            passed = [k for k in touched[item] if level_of[k] < level]
            if passed:
                assert passed == [k for k in held if level_of[k] < level]
        assert holder[holder[item]] == holder[item]


def test_a_piece_is_one_fact_however_much_it_threatens() -> None:
    cells = [OneHot("cell", str(c), (2 * c, 2 * c + 1)) for c in range(10)]
    pairs = [
        OneHot("apart", f"{a} {b}", (2 * a, 2 * b), 1, True)
        for a in range(10) for b in range(a + 1, 10)
    ]  # fmt: skip
    model = Model(tuple(Variable(f"v{k}", k) for k in range(20)), (*cells, *pairs))
    holder = equal_facts(*_entries(model))
    live = {int(holder[i]) for i, c in enumerate((*cells, *pairs)) if c.family == "apart"}
    assert len(live) == 9
    assert model_spec(model).key_words == 1


def _entries(model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:  # type: ignore[type-arg]
    pairs = [(i, v) for i, c in enumerate(model.constraints) for v in c.variables]
    items, options = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    return items, options, options // 2, len(model.constraints)
