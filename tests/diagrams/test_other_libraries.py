"""Conversion to and from dd, OxiDD and Graphviz."""

from __future__ import annotations

import dd.autoref
import pytest
from families import big_diagram, diagram_of, families
from hypothesis import given, settings

from bddsudoku.diagrams.measures import node_count, to_dot
from bddsudoku.diagrams.other_libraries import (
    from_dd,
    from_oxidd,
    from_zdd_lines,
    to_dd,
    to_oxidd,
    zdd_lines,
)
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError


def dd_manager(name: str):
    module = pytest.importorskip(f"dd.{name}")
    return module.ZDD() if name == "cudd_zdd" else module.BDD()


def oxidd_manager(name: str):
    module = pytest.importorskip(f"oxidd.{name}")
    return getattr(module, f"{name.upper()}Manager")(50_000, 50_000, 1)


DD = ["autoref", "cudd", "cudd_zdd"]
OXIDD = ["bdd", "bcdd", "zbdd"]


@pytest.mark.parametrize("name", DD)
@settings(deadline=None, max_examples=30)
@given(families())
def test_dd_and_back(name: str, drawn) -> None:
    diagram = diagram_of(*drawn)
    manager = dd_manager(name)
    node = to_dd(diagram, manager)
    if name != "cudd_zdd":
        assert len(node) == node_count(diagram, "cbdd") + 1
    assert from_dd(node) == diagram
    assert from_dd(node, {f"x{k}": k for k in drawn[0]}) == diagram


@pytest.mark.parametrize("name", OXIDD)
@settings(deadline=None, max_examples=30)
@given(families())
def test_oxidd_and_back(name: str, drawn) -> None:
    diagram = diagram_of(*drawn)
    function = to_oxidd(diagram, oxidd_manager(name))
    assert from_oxidd(function) == diagram
    kind = {"bdd": "bdd", "bcdd": "cbdd", "zbdd": "zdd"}[name]
    terminals = function.node_count() - node_count(diagram, kind)
    assert terminals in ((1,) if name == "bcdd" else (1, 2))
    if name == "zbdd":
        return
    assert function.sat_count(len(drawn[0])) == len(drawn[1])


@pytest.mark.parametrize("name", DD)
def test_deep_and_larger_diagrams(name: str) -> None:
    diagram = big_diagram(1500, 3, 1)
    manager = dd_manager(name)
    node = to_dd(diagram, manager, lambda key: f"v_{key}")
    assert from_dd(node, {f"v_{k}": k for k in range(1500)}) == diagram


def test_the_function_means_what_it_says() -> None:
    manager = dd.autoref.BDD()
    manager.declare("other")
    node = to_dd(diagram_of([1, 2, 3], [[1], [2, 3]]), manager, true=[8])
    expected = manager.add_expr(r"x8 /\ ((x1 /\ ~ x2 /\ ~ x3) \/ (~ x1 /\ x2 /\ x3))")
    assert node == expected
    # over more variables: the other variables are unconstrained
    keys = {"x1": 1, "x2": 2, "x3": 3, "x8": 8, "other": 0}
    assert from_dd(node, keys) == diagram_of(
        [0, 8, 1, 2, 3], [[8, 1], [8, 2, 3], [0, 8, 1], [0, 8, 2, 3]]
    )


@pytest.mark.parametrize("name", ["autoref", "cudd"])
def test_a_manager_with_another_order(name: str) -> None:
    manager = dd_manager(name)
    manager.declare("x3", "x1", "x2")
    node = to_dd(diagram_of([1, 2, 3], [[1], [2, 3], [3]]), manager)
    assert from_dd(node) == diagram_of([3, 1, 2], [[1], [2, 3], [3]])


def test_zdd_managers_keep_their_order() -> None:
    manager = dd_manager("cudd_zdd")
    manager.declare("x3", "x1", "x2")
    with pytest.raises(ModelError, match="another order"):
        to_dd(diagram_of([1, 2, 3], [[1]]), manager)
    zbdd = oxidd_manager("zbdd")
    zbdd.add_named_vars(["x3", "x1", "x2"])
    with pytest.raises(ModelError, match="another order"):
        to_oxidd(diagram_of([1, 2, 3], [[1]]), zbdd)


def test_variables_without_a_key_are_refused() -> None:
    manager = dd.autoref.BDD()
    manager.declare("a", "b")
    node = manager.add_expr(r"a /\ b")
    with pytest.raises(ModelError, match="has no key"):
        from_dd(node, {"b": 1})
    with pytest.raises(ModelError, match="no variable 'c'"):
        from_dd(node, {"a": 1, "b": 2, "c": 3})
    for key in (1.9, "2", None):
        with pytest.raises(ModelError, match=f"whole number as the key of 'b', found {key!r}"):
            from_dd(node, {"a": 1, "b": key})  # type: ignore[dict-item]


def test_dot() -> None:
    text = to_dot(diagram_of([1, 2], [[1], [2]]), lambda key: f'cell "{key}"')
    assert text.count("->") == 3
    assert text.count("dashed") == 1
    assert r"cell \"1\"" in text
    assert text.startswith("digraph")
    assert text.rstrip().endswith("}")
    assert "⊥" in to_dot(Diagram.empty([1]))
    with pytest.raises(ValueError, match="at most 10 are drawn"):
        to_dot(big_diagram(20, 4, 1), max_nodes=10)


@pytest.mark.parametrize("form", ["graphillion", "knuth"])
@settings(deadline=None, max_examples=30)
@given(families())
def test_a_zdd_as_text_and_back(form, drawn) -> None:
    diagram = diagram_of(*drawn)
    lines = list(zdd_lines(diagram, form))
    assert all(line.endswith("\n") for line in lines)
    assert from_zdd_lines(lines, diagram.labels.tolist()) == diagram


@pytest.mark.parametrize(
    ("text", "sets"),
    [
        ("B\n.", []),
        ("T\n.", [[]]),
        ("0", []),
        ("1", [[]]),
        ("0 3 B T\n1 2 B 0\n7 1 1 T\n.", [[1], [2, 3]]),  # KyotoDD numbers from 0
        ("#1:\n2:3,1\n#2:\n3:0,a\n#3:\na:0,1", [[1], [2, 3]]),  # Knuth's are hexadecimal
    ],
)
def test_zdds_of_other_programs(text: str, sets: list[list[int]]) -> None:
    assert from_zdd_lines(text.splitlines(), [1, 2, 3]) == diagram_of([1, 2, 3], sets)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends with the line '.'"),
        ("2 1 B T", "cut off"),
        ("2 1 B T\n2 1 T T\n.", "line 2: expected a new node"),
        ("2 x B T\n.", "line 1: expected a new node"),
        ("2 1 B T\nT\n.", "line 2: expected a new node"),
        ("2 1 B 5\n.", "there is no node 5"),
        ("2 1 B T\n3 2 B 2\n.", "child"),
        ("2 0 B T\n.", "outside 0 to"),
        ("#1\n2:3", "line 2: expected a new node"),
        ("1\n0", "line 1: expected a new node"),
    ],
)
def test_what_is_no_zdd(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_zdd_lines(text.splitlines())
