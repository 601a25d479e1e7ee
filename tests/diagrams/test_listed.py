"""ZDDs of listed sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import sets_of

from bddsudoku.diagrams.zdd import Diagram, diagram_of_rows, diagram_of_solutions
from bddsudoku.errors import ModelError


@st.composite
def listed_families(draw: st.DrawFn) -> tuple[int, list[list[int]]]:
    levels = draw(st.integers(1, 8))
    smallest = draw(st.integers(0, levels))
    sets = st.sets(st.integers(0, levels - 1), min_size=smallest)
    return levels, [sorted(s) for s in draw(st.lists(sets, min_size=1, max_size=12))]


@settings(deadline=None, max_examples=100)
@given(listed_families())
def test_the_diagram_holds_just_the_listed_sets(case: tuple[int, list[list[int]]]) -> None:
    levels, sets = case
    labels = [10 * level for level in range(levels)]
    size = max(map(len, sets))
    rows = [[*s, *[levels] * (size - len(s))] for s in sets]
    expected = {frozenset(labels[level] for level in s) for s in sets}
    diagram = diagram_of_rows(labels, np.array(rows, dtype=np.int64).reshape(len(sets), size))
    assert sets_of(diagram) == expected
    keys = (np.array([labels[level] for level in s] + [99]) for s in sets)
    assert diagram_of_solutions(labels, keys, [99]) == diagram


def test_constants() -> None:
    assert diagram_of_rows([1, 2], np.empty((1, 0))) == Diagram.unit([1, 2])
    assert diagram_of_rows([1, 2], np.empty((0, 2))) == Diagram.empty([1, 2])


@pytest.mark.parametrize("rows", [[[1, 0]], [[0, 3]], [[2, 0]], [[-1, 0]], [[0, 0]]])
def test_bad_rows(rows: list[list[int]]) -> None:
    with pytest.raises(ModelError, match="ascending levels"):
        diagram_of_rows([1, 2], rows)
