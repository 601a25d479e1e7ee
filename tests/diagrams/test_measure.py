"""Node counts of ZDDs and BDDs."""

from __future__ import annotations

import pytest
from families import diagram_of, families, family, naive_nodes
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.diagrams.measures import node_count
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.sets.solutionset import SolutionSet


@settings(deadline=None, max_examples=100)
@given(families(), st.lists(st.tuples(st.integers(0, 7), st.booleans()), max_size=4))
def test_node_counts_agree_with_the_different_subfamilies(drawn, extra) -> None:
    labels, sets = drawn
    diagram = diagram_of(labels, sets)
    keys = list(labels)
    true = []
    for i, (at, holds) in enumerate(extra):
        keys.insert(min(at, len(keys)), 100 + i)
        if holds:
            true.append(100 + i)
    longer = family(s | set(true) for s in sets)
    for kind in ("zdd", "bdd"):
        assert node_count(diagram, kind) == naive_nodes(labels, sets, kind)
        assert node_count(diagram, kind, variables=keys, true=true) == naive_nodes(
            keys, longer, kind
        )
    assert node_count(diagram, "cbdd", variables=keys, true=true) == naive_nodes(
        keys, longer, "cbdd"
    )
    solutions = SolutionSet(diagram, fixed=true)
    assert solutions.node_count("bdd", variables=keys) == naive_nodes(keys, longer, "bdd")


def test_a_unique_solution_has_one_bdd_node_a_variable() -> None:
    """Tateishi & Minato's 414 nodes for 35 hints: 9 × (81 - 35)."""
    diagram = Diagram.unit([])
    keys = range(9 * 46)
    true = range(0, 9 * 46, 9)
    assert node_count(diagram, "bdd", variables=keys, true=true) == 414
    assert node_count(diagram, "zdd", variables=keys, true=true) == 46


def test_wrong_lists_are_refused() -> None:
    diagram = diagram_of([1, 2], [[1], [2]])
    with pytest.raises(ModelError, match="key 2 is not in the list"):
        node_count(diagram, variables=[1, 3])
    with pytest.raises(ModelError, match="elsewhere"):
        node_count(diagram, variables=[2, 1])
    with pytest.raises(ValueError, match="zdd, bdd, cbdd"):
        node_count(diagram, "qmdd")
