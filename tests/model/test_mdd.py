"""MDDs: sums, step functions, restriction, against plain enumeration."""

from __future__ import annotations

import pickle
import random
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bddsudoku.errors import LimitReached
from bddsudoku.model.mdd import (
    Mdd,
    WidthLimit,
    empty_mdd,
    mdd_from_automaton,
    mdd_from_level_steps,
    reduce_mdd,
)
from bddsudoku.model.to_mdd import weighted_sum_mdd


def language(mdd: Mdd) -> set[tuple[int, ...]]:
    """All accepted words."""
    return {w for w in product(*map(range, mdd.choices)) if mdd.accepts(w)}


def residuals(mdd: Mdd) -> list[int]:
    """The number of distinct nonempty residual languages after each number of choices."""
    found = []
    for depth in range(mdd.length):
        rests: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        for word in language(mdd):
            rests.setdefault(word[:depth], set()).add(word[depth:])
        found.append(len({frozenset(r) for r in rests.values()}))
    return found


def random_mdd(rng: random.Random, length: int, choices: int) -> Mdd:
    states = rng.randint(1, 4)
    step = {
        (s, x): rng.choice([None, *range(states)]) for s in range(states) for x in range(choices)
    }
    accepting = {s for s in range(states) if rng.random() < 0.6}
    return mdd_from_automaton(
        length, range(choices), 0, lambda s, x: step[s, x], accepting.__contains__
    )


@given(st.data())
def test_sums_accept_what_adds_up_and_are_minimal(data: st.DataObject) -> None:
    scale = data.draw(st.sampled_from([1, 2, 10**25]))
    weights = data.draw(st.lists(st.lists(st.integers(-5, 5), min_size=1, max_size=3), max_size=5))
    bound = st.none() | st.integers(-12, 12)
    low, high = data.draw(bound), data.draw(bound)
    mdd = weighted_sum_mdd(
        [[w * scale for w in row] for row in weights],
        None if low is None else low * scale,
        None if high is None else high * scale,
    )
    wanted = set()
    for word in product(*(range(len(row)) for row in weights)):
        total = sum(row[k] for row, k in zip(weights, word, strict=True))
        if (low is None or low <= total) and (high is None or total <= high):
            wanted.add(word)
    assert language(mdd) == wanted
    assert mdd.count() == len(wanted)
    if wanted:
        assert list(mdd.widths[:-1]) == residuals(mdd)
        assert reduce_mdd(mdd.tables) == mdd


@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(1, 3))
def test_step_functions_yield_minimal_mdds(seed: int, length: int, choices: int) -> None:
    rng = random.Random(seed)
    mdd = random_mdd(rng, length, choices)
    words = language(mdd)
    assert mdd.count() == len(words)
    assert mdd.is_empty == (not words)
    assert mdd.is_full == (len(words) == choices**length)
    if words:
        assert list(mdd.widths[:-1]) == residuals(mdd)
    # The same language from its words, one state a word.
    again = mdd_from_level_steps(
        [choices] * length,
        frozenset(words),
        lambda level, left, x: frozenset(w for w in left if w[level] == x) or None,
    )
    if words:
        assert again == mdd
        assert hash(again) == hash(mdd)
    assert pickle.loads(pickle.dumps(mdd)) == mdd


def test_no_levels() -> None:
    assert not empty_mdd([]).accepts([])
    assert reduce_mdd([]).accepts([])
    assert reduce_mdd([]) != empty_mdd([])
    assert reduce_mdd([]).is_full
    assert weighted_sum_mdd([], 0, 0) == reduce_mdd([])
    assert weighted_sum_mdd([], 1, None) == empty_mdd([])


def test_the_width_limit_names_what_is_too_wide() -> None:
    with pytest.raises(
        LimitReached, match=r"knapsack k: 16 states at layer 4, 8 allowed"
    ) as caught:
        weighted_sum_mdd([[0, 3**i] for i in range(8)], 3, 3000, WidthLimit(8, "knapsack k"))
    assert caught.value.limit == "states"
    assert caught.value.details == {"level": 4, "states": 16}
    with pytest.raises(LimitReached, match="automaton: 10 states at layer 1, 9 allowed"):
        mdd_from_automaton(3, range(10), (), lambda s, x: (*s, x), lambda s: True, WidthLimit(9))


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 3))
def test_any_tables_are_reduced(seed: int, length: int, choices: int) -> None:
    """Tables with dead, equal and unreachable states."""
    rng = random.Random(seed)
    widths = [rng.randint(1, 5) for _ in range(length + 1)]
    tables = [
        np.array(
            [[rng.randrange(-1, below) for _ in range(choices)] for _ in range(width)], np.int32
        )
        for width, below in pairwise(widths)
    ]
    accepting = np.array([rng.random() < 0.6 for _ in range(widths[-1])])
    wanted = set()
    for word in product(range(choices), repeat=length):
        state = 0
        for table, x in zip(tables, word, strict=True):
            state = int(table[state, x]) if state >= 0 else -1
        if state >= 0 and accepting[state]:
            wanted.add(word)
    mdd = reduce_mdd(tables, accepting)
    assert language(mdd) == wanted
    if wanted:
        assert list(mdd.widths[:-1]) == residuals(mdd)
        assert reduce_mdd(mdd.tables) == mdd
