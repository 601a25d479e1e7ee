from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.errors import ModelError
from bddsudoku.solutions.decoder import KeyDecoder
from bddsudoku.solutions.diagram import Diagram
from bddsudoku.solutions.listed import diagram_of_rows
from bddsudoku.solutions.solutionset import SolutionSet


@st.composite
def equal_sized_families(draw: st.DrawFn) -> tuple[int, int, list[list[int]]]:
    levels = draw(st.integers(1, 8))
    size = draw(st.integers(1, levels))
    sets = st.sets(st.integers(0, levels - 1), min_size=size, max_size=size)
    return levels, size, [sorted(s) for s in draw(st.lists(sets, min_size=1, max_size=12))]


@settings(deadline=None, max_examples=60)
@given(equal_sized_families())
def test_the_diagram_holds_just_the_listed_sets(case: tuple[int, int, list[list[int]]]) -> None:
    levels, _, rows = case
    labels = [10 * level for level in range(levels)]
    found = SolutionSet(diagram_of_rows(labels, rows), KeyDecoder())
    expected = {tuple(labels[level] for level in row) for row in rows}
    assert {tuple(s) for s in found} == expected
    assert found.count() == len(expected)


def test_constants() -> None:
    assert diagram_of_rows([1, 2], np.empty((1, 0))) == Diagram.unit([1, 2])
    assert diagram_of_rows([1, 2], np.empty((0, 2))) == Diagram.empty([1, 2])


@pytest.mark.parametrize("rows", [[[1, 0]], [[0, 2]], [[-1, 0]], [[0, 0]]])
def test_bad_rows(rows: list[list[int]]) -> None:
    with pytest.raises(ModelError, match="ascending levels"):
        diagram_of_rows([1, 2], rows)
