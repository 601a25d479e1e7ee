"""Minimal and maximal members and hitting sets, against enumeration of all subsets."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
from families import Family, diagram_of, families, family
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import number_of_sets, sets_of

from bddsudoku.context import Context
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.diagrams.zdd_apply import (
    all_hitting_sets,
    maximal,
    minimal,
    minimal_hitting_sets,
)
from bddsudoku.errors import LimitReached
from bddsudoku.sets.solutionset import SolutionSet


def subsets(universe: Iterable[int]) -> list[frozenset[int]]:
    keys = sorted(universe)
    return [frozenset(c) for k in range(len(keys) + 1) for c in combinations(keys, k)]


def least(sets: Family) -> Family:
    return frozenset(s for s in sets if not any(other < s for other in sets))


def greatest(sets: Family) -> Family:
    return frozenset(s for s in sets if not any(other > s for other in sets))


def hitting(universe: Iterable[int], sets: Family) -> Family:
    return frozenset(h for h in subsets(universe) if all(h & s for s in sets))


def check(labels: list[int], sets: Family) -> None:
    diagram = diagram_of(labels, sets)
    hits = hitting(labels, sets)
    assert sets_of(minimal(diagram)) == least(sets)
    assert sets_of(maximal(diagram)) == greatest(sets)
    assert sets_of(all_hitting_sets(diagram)) == hits
    assert sets_of(minimal_hitting_sets(diagram)) == least(hits)


@pytest.mark.parametrize("size", range(4))
def test_every_family_of_a_small_world(size: int) -> None:
    """All families over at most three variables: 2, 4, 16, 256."""
    members = subsets(range(size))
    for bits in range(1 << len(members)):
        check(list(range(size)), frozenset(s for i, s in enumerate(members) if bits >> i & 1))


@settings(deadline=None, max_examples=150)
@given(families())
def test_any_family(drawn: tuple[list[int], Family]) -> None:
    check(*drawn)


@settings(deadline=None, max_examples=60)
@given(families(), st.sets(st.sampled_from([50, 51, 52]), max_size=2))
def test_of_the_set_object(drawn: tuple[list[int], Family], fixed: set[int]) -> None:
    """Keys that all solutions hold belong to every one of them."""
    labels, sets = drawn
    whole = family(s | fixed for s in sets)
    found = SolutionSet(diagram_of(labels, sets), fixed=fixed)
    assert family(found.minimal()) == least(whole)
    assert family(found.maximal()) == greatest(whole)
    expected = least(hitting([*labels, *fixed], whole))
    assert family(found.hitting_sets()) == expected
    assert found.hitting_sets().count() == len(expected)
    # Berge: the hitting sets of the hitting sets are the minimal members
    assert family(found.hitting_sets().hitting_sets()) == least(whole)
    assert found.minimal() <= found
    sizes = [sum(len(s) == k for s in whole) for k in range(12)]
    assert found.sizes() == sizes[: max((len(s) + 1 for s in whole), default=0)]


def test_a_matching_is_hit_in_two_to_the_n_ways() -> None:
    n = 200
    sets = [[i, i + n] for i in range(n)]
    order = [k for pair in sets for k in pair]
    diagram = minimal_hitting_sets(diagram_of(order, family(sets)))
    assert number_of_sets(diagram) == 2**n
    assert SolutionSet(diagram).sizes() == [0] * n + [2**n]
    assert minimal_hitting_sets(diagram) == diagram_of(order, family(sets))
    assert number_of_sets(all_hitting_sets(diagram_of(order, family(sets)))) == 3**n


def test_thousands_of_levels() -> None:
    """As many calls within each other: a chain of 20,000 variables, each a member by itself."""
    n = 20_000
    variable = np.r_[0, 0, np.arange(n - 1, -1, -1)]
    low = np.r_[0, 0, 0, np.arange(2, n + 1)]
    diagram = Diagram.from_arrays(range(n), variable, low, np.ones(n + 2), n + 1)
    assert minimal(diagram) == diagram == maximal(diagram)
    assert number_of_sets(minimal_hitting_sets(diagram)) == 1
    assert minimal_hitting_sets(minimal_hitting_sets(diagram)) == diagram


def hard() -> Diagram:
    """Random sets of five among 70 keys: more minimal hitting sets than fit anywhere."""
    rng = np.random.default_rng(1)
    return diagram_of(
        range(70), family(rng.choice(70, 5, replace=False).tolist() for _ in range(200))
    )


def test_limits() -> None:
    with pytest.raises(LimitReached, match="takes more than 1000 nodes"):
        minimal_hitting_sets(hard(), context=Context(nodes=1000))
    with pytest.raises(LimitReached, match="nodes"):
        minimal_hitting_sets(hard(), context=Context(max_memory=1 << 20))
    begin = time.monotonic()
    with pytest.raises(LimitReached, match=r"time limit of 0\.5 s reached"):
        minimal_hitting_sets(hard(), context=Context(time_limit=0.5))
    assert time.monotonic() - begin < 10
    assert not [t for t in threading.enumerate() if isinstance(t, threading.Timer) and t.is_alive()]


@pytest.mark.parametrize("seed", range(6))
def test_families_of_twelve_variables(seed: int) -> None:
    """Enough nodes for every kind of pair to meet; compared over all subsets of the variables."""
    rng = np.random.default_rng(seed)
    sets = rng.random((40, 12)) < 0.25 + 0.05 * seed
    numbers = {int(n) for n in sets @ (1 << np.arange(12))}
    every = np.arange(1 << 12)
    hits = {int(s) for s in every[np.all([every & n != 0 for n in numbers], axis=0)]}
    least_hits = {s for s in hits if not any(s >> k & 1 and s ^ 1 << k in hits for k in range(12))}
    family = frozenset(frozenset(k for k in range(12) if n >> k & 1) for n in numbers)
    diagram = diagram_of(list(range(12)), family)
    for found, wanted in (
        (all_hitting_sets(diagram), hits),
        (minimal_hitting_sets(diagram), least_hits),
        (minimal(all_hitting_sets(diagram)), least_hits),
    ):
        assert {sum(1 << k for k in s) for s in sets_of(found)} == wanted
    assert sets_of(minimal(diagram)) == least(family)
    assert sets_of(maximal(diagram)) == greatest(family)
