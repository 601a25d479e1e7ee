"""ZDDs from arbitrary arrays: reduction, canonical numbering, rejected arrays."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from families import big_diagram, diagram_of, families, family
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import sets_of

from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError


@settings(deadline=None, max_examples=80)
@given(families(), st.randoms(use_true_random=False))
def test_any_arrays_of_a_family_become_the_same_canonical_ones(drawn, random) -> None:
    labels, sets = drawn
    diagram = diagram_of(labels, sets)
    assert sets_of(diagram) == sets
    # nodes in another order, some twice, some useless, some out of reach
    size = diagram.size
    low, high = diagram.low.tolist(), diagram.high.tolist()
    variable = diagram.variable.tolist()
    twins = {i: i for i in range(size)}
    for i in range(2, size):
        if random.random() < 0.5:
            twins[i] = len(variable)
            variable.append(variable[i])
            low.append(low[i])
            high.append(twins[high[i]])
    if labels:
        variable.append(0)
        low.append(diagram.root if diagram.variable[diagram.root] > 0 else 0)
        high.append(0)
    root = twins[diagram.root]
    order = list(range(2, len(variable)))
    random.shuffle(order)
    place = {0: 0, 1: 1} | {old: new for new, old in enumerate(order, 2)}
    shuffled = Diagram.from_arrays(
        labels,
        [0, 0] + [variable[i] for i in order],
        [0, 0] + [place[low[i]] for i in order],
        [0, 0] + [place[high[i]] for i in order],
        place[root],
    )
    assert shuffled == diagram
    assert hash(shuffled) == hash(diagram)


@pytest.mark.parametrize("width", [10, 1_000, 30_000])
def test_wide_levels_are_sorted_as_narrow_ones(width: int) -> None:
    """Few, more and many enough nodes on a level for each of the ways of sorting."""
    diagram = big_diagram(5, width, 1)
    rng = np.random.default_rng(width)
    order = np.concatenate(([0, 1], 2 + rng.permutation(diagram.size - 2)))
    place = np.argsort(order)
    shuffled = Diagram.from_arrays(
        diagram.labels,
        diagram.variable[order],
        place[diagram.low[order]],
        place[diagram.high[order]],
        place[diagram.root],
    )
    assert shuffled == diagram


@pytest.mark.parametrize("labels", [(), (5,), (5, 3)])
def test_constants(labels: tuple[int, ...]) -> None:
    empty, unit = Diagram.empty(labels), Diagram.unit(labels)
    assert sets_of(empty) == frozenset()
    assert sets_of(unit) == family([[]])
    assert empty.is_empty
    assert not unit.is_empty
    assert empty.size == unit.size == 2
    assert empty != unit
    assert empty.profile().tolist() == [0] * len(labels)


def test_a_node_over_an_empty_family_vanishes_with_all_above_it() -> None:
    # 2 = (high 0), 3 = (low 0, high 2): both mean nothing at all
    diagram = Diagram.from_arrays([1, 2, 3], [0, 0, 2, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 2, 3], 4)
    assert diagram == Diagram.unit([1, 2, 3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1], [2, 2], [0, 1], [0, 1], 0), "different keys"),
        (([1], [1, 1, 0], [0, 1, 0], [0, 1, 3], 2), "node 2"),
        (([1, 2], [0, 0, 1, 1], [0, 1, 0, 2], [0, 1, 1, 1], 3), "node 3"),
        (([1], [1, 1, 0], [0, 1], [0, 1, 1], 2), "one entry a node"),
        (([1], [1, 1, -1], [0, 1, 0], [0, 1, 1], 2), "outside"),
        ((range(70_000), [0, 0], [0, 1], [0, 1], 0), "at most"),
    ],
)
def test_wrong_arrays_are_refused(arguments, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Diagram.from_arrays(*arguments)


def test_frozen_and_picklable() -> None:
    diagram = diagram_of([1, 2], [[1], [2]])
    with pytest.raises(AttributeError, match="cannot assign"):
        diagram.root = 0
    for array in (diagram.labels, diagram.variable, diagram.low, diagram.high):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert pickle.loads(pickle.dumps(diagram)) == diagram
    assert "2 variables" in repr(diagram)
