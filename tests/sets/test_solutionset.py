from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from families import diagram_of, families, family, in_order, power_set
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.sets.decoder import KeyDecoder
from bddsudoku.sets.solutionset import SolutionSet

FIXED = st.sets(st.integers(50, 53))


def made(drawn, fixed=()) -> tuple[SolutionSet, list[frozenset[int]]]:
    """The set, and its solutions in order."""
    labels, sets = drawn
    ordered = [s | set(fixed) for s in in_order(labels, sets)]
    return SolutionSet(diagram_of(labels, sets), fixed=fixed), ordered


def held(solutions) -> list[frozenset[int]]:
    return [frozenset(s) for s in solutions]


@settings(deadline=None, max_examples=80)
@given(families(), FIXED)
def test_it_is_the_sequence_of_its_solutions(drawn, fixed) -> None:
    s, expected = made(drawn, fixed)
    assert s.count() == len(expected)
    assert bool(s) == bool(expected)
    assert held(s) == expected
    for i, solution in enumerate(expected):
        assert solution in s
        assert s.rank(solution) == i
        assert frozenset(s.unrank(i)) == frozenset(s[i]) == solution
        assert frozenset(s[i - len(expected)]) == solution
        assert solution | {99} not in s
        if fixed:
            assert solution - fixed not in s
    for i in (len(expected), -len(expected) - 1):
        with pytest.raises(IndexError):
            s[i]
    everything = itertools.chain.from_iterable(
        itertools.combinations(drawn[0], k) for k in range(4)
    )
    absent = [frozenset(x) | fixed for x in everything if frozenset(x) | fixed not in expected]
    assert not any(x in s for x in absent)
    if absent:
        with pytest.raises(ValueError, match="not one of"):
            s.rank(absent[0])


@settings(deadline=None, max_examples=60)
@given(families(), st.slices(30), st.slices(10))
def test_slices_are_those_of_a_list(drawn, part, again) -> None:
    s, expected = made(drawn, {50})
    view = s[part]
    assert view.count() == len(expected[part])
    assert bool(view) == bool(expected[part])
    assert held(view) == expected[part]
    assert held(view[again]) == expected[part][again]
    assert view.to_numpy().shape == (len(expected[part]), len(s.keys))
    for i, solution in enumerate(expected[part]):
        assert frozenset(view[i]) == solution
        assert solution in view
    for solution in set(expected) - set(expected[part]):
        assert solution not in view


@settings(deadline=None, max_examples=80)
@given(families(), FIXED)
def test_marginals_and_what_follows_from_them(drawn, fixed) -> None:
    s, expected = made(drawn, fixed)
    assert s.keys.tolist() == sorted([*drawn[0], *fixed])
    expected_counts = [sum(k in x for x in expected) for k in s.keys.tolist()]
    assert s.marginals().tolist() == expected_counts
    assert s.true_candidates().tolist() == [c > 0 for c in expected_counts]
    always = set.intersection(*map(set, expected)) if expected else set()
    assert set(s.backbone().tolist()) == always
    meet = s.cooccurrences()
    for (i, a), (j, b) in itertools.product(enumerate(s.keys.tolist()), repeat=2):
        assert meet[i, j] == any(a in x and b in x for x in expected)
    rows = s.to_numpy()
    assert rows.shape == (len(expected), len(s.keys))
    assert [frozenset(s.keys[r != 0].tolist()) for r in rows] == expected


def test_pairs_across_words_of_64_levels() -> None:
    rng = random.Random(5)
    sets = [frozenset(rng.sample(range(200), 9)) for _ in range(60)]
    s = SolutionSet(diagram_of(list(range(200)), sets))
    meet = np.zeros((200, 200), dtype=bool)
    for x in sets:
        for a in x:
            meet[a, list(x)] = True
    assert np.array_equal(s.cooccurrences(), meet)


@settings(deadline=None, max_examples=80)
@given(
    families(), FIXED, st.sets(st.sampled_from([0, 1, 2, 3, 4, 50, 51, 77]), max_size=3), st.data()
)
def test_restriction(drawn, fixed, true, data) -> None:
    s, expected = made(drawn, fixed)
    false = data.draw(st.sets(st.sampled_from([0, 1, 2, 5, 6, 52, 78]), max_size=3))
    narrower = s.restrict(true, false)
    wanted = [x for x in expected if true <= x and not false & x]
    assert held(narrower) == wanted
    assert narrower.count() == len(wanted)
    assert narrower <= s


@settings(deadline=None, max_examples=80)
@given(families(), FIXED, st.lists(st.integers(-9, 9), min_size=60, max_size=60), st.booleans())
def test_lightest_and_heaviest(drawn, fixed, numbers, whole) -> None:
    s, expected = made(drawn, fixed)
    weights = {k: numbers[k] if whole else numbers[k] / 4 for k in s.keys.tolist()}
    if not expected:
        with pytest.raises(ValueError, match="empty"):
            s.minimum(weights)
        return
    sums = [sum(weights[k] for k in x) for x in expected]
    value, solution = s.minimum(weights)
    assert value == min(sums)
    assert frozenset(solution) == expected[sums.index(min(sums))]
    value, solution = s.maximum([weights[k] for k in s.keys.tolist()])
    assert value == max(sums)
    assert frozenset(solution) == expected[sums.index(max(sums))]
    assert isinstance(value, int if whole else float)


def test_weights_that_make_no_sense() -> None:
    s, _ = made(([1, 2], family([[1], [2]])))
    with pytest.raises(ValueError, match="expected 2 weights"):
        s.minimum([1, 2, 3])
    with pytest.raises(ValueError, match="finite"):
        s.minimum([1.0, math.nan])
    with pytest.raises(OverflowError):
        s.minimum([1 << 70, 1])
    assert s.minimum([(1 << 61) - 1, 1]) == (1, (2,))


def test_samples_are_uniform() -> None:
    rng = random.Random(1)
    sets = {frozenset(rng.sample(range(12), rng.randrange(8))) for _ in range(120)}
    s, expected = made((list(range(12)), frozenset(sets)))
    n, freedom = 60_000, len(expected) - 1
    rows, counts = np.unique(s.sample_rows(n, 7), axis=0, return_counts=True)
    assert {frozenset(s.decode_row(row)) for row in rows} == set(expected)
    chi2 = float(((counts - n / len(expected)) ** 2 / (n / len(expected))).sum())
    # five standard deviations of the chi-square distribution
    assert abs(chi2 - freedom) < 5 * math.sqrt(2 * freedom)
    assert s.sample(3, 11) == s.sample(3, np.random.default_rng(11))
    assert s.sample(0) == []


def test_samples_of_huge_sets_use_all_their_bits() -> None:
    s = SolutionSet(power_set(200))
    # without the last set: a total that is no power of two
    s = s - SolutionSet(Diagram.unit(range(200)))
    assert s.count() == 2**200 - 1
    rows = s.sample_rows(4000, 3)
    share = rows.mean(axis=0)
    assert (abs(share - 0.5) < 5 * 0.5 / math.sqrt(4000)).all()
    # neighbouring variables are independent
    agree = (rows[:, 1:] == rows[:, :-1]).mean(axis=0)
    assert (abs(agree - 0.5) < 5 * 0.5 / math.sqrt(4000)).all()
    for rank in (0, 1, 2**64 - 1, 2**64, 2**128 + 12345, 2**200 - 2):
        assert s.rank(s.unrank(rank)) == rank
    assert held(s[2**150 : 2**150 + 3]) == [
        frozenset(s.unrank(r)) for r in range(2**150, 2**150 + 3)
    ]
    assert s[:: -(2**190)].count() == 1024
    assert s.marginals()[0] == 2**199


def test_no_variables_and_one_solution() -> None:
    one, settled = SolutionSet(Diagram.unit()), SolutionSet(Diagram.unit(), fixed=[3])
    assert list(one) == one.sample(1, 0) == [()]
    assert one.rank(()) == 0
    assert one.to_numpy().shape == (1, 0)
    assert one.cooccurrences().shape == (0, 0)
    assert one.minimum({}) == (0, ())
    assert list(settled) == [(3,)]
    assert set(one | settled) == {(), (3,)}
    assert not one & settled


def test_too_many_for_an_array() -> None:
    s = SolutionSet(power_set(70))
    assert s.count() == 2**70
    with pytest.raises(MemoryError, match="export streams"):
        s.to_numpy()
    assert next(iter(s)) == tuple(range(70))
    with pytest.raises(TypeError):
        len(s)


def test_sets_of_different_spaces_do_not_mix() -> None:
    a = SolutionSet(Diagram.unit([1]), KeyDecoder("edges of one board"))
    b = SolutionSet(Diagram.unit([1]), KeyDecoder("edges of another"))
    assert a != b
    with pytest.raises(ModelError, match="different puzzles"):
        a & b
    with pytest.raises(TypeError):
        a | {()}
    assert a != {()}
    with pytest.raises(ModelError, match="key 1 is fixed"):
        SolutionSet(Diagram.unit([1]), fixed=[1])
    for thing in (None, "nonsense", 3, ["x"], [1, 1.5, "y"]):
        assert thing not in a
