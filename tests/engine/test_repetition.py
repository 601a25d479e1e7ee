"""MDDs without equal values of cells that differ, against enumeration of all words."""

from __future__ import annotations

import random
from itertools import combinations, product

import numpy as np
import pytest

from bddsudoku.engine.search import repetition
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.repetition import without_repetitions
from bddsudoku.model.mdd import Mdd, reduce_mdd

Word = tuple[int, ...]


def some_mdd(rng: random.Random, levels: int, choices: int) -> Mdd:
    """An MDD that accepts a random set of words."""
    words = [w for w in product(range(choices), repeat=levels) if rng.random() < 0.7]
    tables: list[dict[Word, list[int]]] = [{(): [-1] * choices}]
    for i in range(levels):
        after: dict[Word, list[int]] = {}
        for prefix, row in tables[i].items():
            for k in {w[i] for w in words if w[:i] == prefix}:
                row[k] = len(after)
                after[*prefix, k] = [-1] * choices
        tables.append(after)
    return reduce_mdd([np.array([*layer.values()], np.int32) for layer in tables[:-1]])


@pytest.mark.parametrize("seed", range(40))
def test_equal_values_are_excluded_and_no_others(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    levels, values = rng.randint(3, 5), 3
    # Choice 0 of a level stands for all values that it does not name: they exclude nothing.
    named = [values if rng.random() < 0.7 else 2 for _ in range(levels)]
    # Or the cell has no such value, whose choice says nothing then.
    domain = [(1 << (n if rng.random() < 0.5 else values)) - 1 for n in named]
    columns = tuple(
        (*range(1, n + 1), *(1 - (of >> k & 1) for k in range(n, values)))
        for n, of in zip(named, domain, strict=True)
    )
    pairs = {p for p in combinations(range(levels), 2) if rng.random() < 0.6}
    differ = [0] * levels
    for i, j in pairs:
        differ[i] |= 1 << j
        differ[j] |= 1 << i
    one = CellMdd(tuple(range(levels)), some_mdd(rng, levels, values + 1), columns)
    too_wide = seed % 4 == 0
    too_large = seed % 4 == 1  # a product of all levels
    monkeypatch.setattr(repetition, "_MAX_WIDTH", 3 if too_wide else 1_000)
    monkeypatch.setattr(repetition, "_MAX_GROWTH", 0 if too_large else 1_000)
    repetition._restrict_by_cliques.cache_clear()
    found = without_repetitions(one, differ, domain).mdd
    repetition._restrict_by_cliques.cache_clear()
    for word in product(range(values + 1), repeat=levels):
        repeats = any(0 < word[i] == word[j] <= min(named[i], named[j]) for i, j in pairs)
        if too_wide or too_large:  # never more than before, and no word without repetition is lost
            assert one.mdd.accepts(word) >= found.accepts(word)
            assert found.accepts(word) or repeats or not one.mdd.accepts(word)
        else:
            assert found.accepts(word) == (one.mdd.accepts(word) and not repeats)
