"""Integer expressions against a plain recursive evaluator that knows C's rules by itself."""

from __future__ import annotations

import itertools
import pickle
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from puzzle.formula.formula_oracle import NoValueError, applied, called

from bddsudoku.errors import ModelError
from bddsudoku.model.expression import (
    Constant,
    Expression,
    Operation,
    Reference,
    as_linear,
    evaluate,
    support,
)
from bddsudoku.model.simplify import simplified_operation, substitute

Tree = Any  # an int, ("x", index) or (operator, tree, …)

UNARY = ["!", "~", "-"]
BINARY = ["/", "%", "<<", ">>", "->", "<->", "==", "!=", "<", "<=", ">", ">=", "-"]
NARY = ["+", "*", "&", "|", "^", "&&", "||", "min", "max"]


def oracle(tree: Tree, values: list[int]) -> int:
    """C's value of a tree; shares no code with the package."""
    if isinstance(tree, int):
        return tree
    op, *args = tree
    if op == "x":
        return values[args[0]]
    if op == "?:":
        return oracle(args[1] if oracle(args[0], values) else args[2], values)
    if op in ("min", "max"):
        return called(op, (oracle(a, values) for a in args))
    found, *more = [partial(oracle, a, values) for a in args]
    if op in UNARY and not more:
        return {"!": lambda v: int(v == 0), "~": lambda v: -v - 1, "-": lambda v: -v}[op](found())
    if op in ("&&", "||"):  # of one part, too, a truth
        more, found = [found, *more], partial(int, op == "&&")
    for part in more:
        found = applied(op, found, part)
    return found()


def build(tree: Tree) -> Expression:
    if isinstance(tree, int):
        return Constant(tree)
    op, *args = tree
    return Reference(args[0]) if op == "x" else simplified_operation(op, *map(build, args))


def grow(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.sampled_from(UNARY), inner),
        st.tuples(st.sampled_from(BINARY), inner, inner),
        st.lists(inner, min_size=1, max_size=4).flatmap(
            lambda args: st.sampled_from(NARY).map(lambda op: (op, *args))
        ),
        st.tuples(st.just("?:"), inner, inner, inner),
    )


LEAVES = st.one_of(
    st.integers(0, 4).map(lambda i: ("x", i)),
    st.integers(0, 4).map(lambda i: ("x", i)),
    st.integers(-3, 5),
)
TREES = st.recursive(LEAVES, grow, max_leaves=14)


def agree(tree: Tree, expression: Expression, values: list[int]) -> None:
    try:
        expected = oracle(tree, values)
    except NoValueError:
        assert not expression.defined
        with pytest.raises(ModelError, match="no value"):
            evaluate(expression, values)
    else:
        assert evaluate(expression, values) == expected
        if expression.defined:
            low, high = expression.low, expression.high
            assert low <= expected <= high


@settings(max_examples=200, deadline=None)
@given(TREES, st.integers(0, 31), st.integers(0, 31))
def test_values_are_those_of_c_before_and_after_substitution(
    tree: Tree, split: int, known: int
) -> None:
    try:
        expression = build(tree)
    except ModelError:
        with pytest.raises(ModelError, match="bits"):
            build(tree)
        return
    for values in itertools.product((0, 1), repeat=5):
        agree(tree, expression, list(values))
    some = {i: bool(known >> i & 1) for i in range(5) if split >> i & 1}
    rest = substitute(expression, some)
    assert not set(support(rest)) & set(some)
    if rest.defined or not expression.defined:
        for values in itertools.product((0, 1), repeat=5):
            agree(tree, rest, [int(some.get(i, v)) for i, v in enumerate(values)])
    assert substitute(expression, dict(enumerate([True] * 5))) is substitute(
        substitute(expression, {0: True, 3: True}), {1: True, 2: True, 4: True}
    )
    assert pickle.loads(pickle.dumps(expression)) is expression


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        LEAVES,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=5).map(lambda a: ("+", *a)),
            st.tuples(st.just("-"), inner, inner),
            st.tuples(st.just("*"), inner, st.integers(-3, 3)),
            st.tuples(
                st.just("?:"),
                st.integers(0, 4).map(lambda i: ("x", i)),
                st.integers(-3, 3),
                st.integers(-3, 3),
            ),
            st.tuples(st.just("!"), st.integers(0, 4).map(lambda i: ("x", i))),
        ),
        max_leaves=12,
    )
)
def test_sums_are_recognised(tree: Tree) -> None:
    found = as_linear(build(tree))
    assert found is not None
    weights, constant = found
    assert list(weights) == sorted(weights)
    assert 0 not in weights.values()
    for values in itertools.product((0, 1), repeat=5):
        assert constant + sum(w * values[v] for v, w in weights.items()) == oracle(
            tree, list(values)
        )


def test_what_lacks_a_value_is_not_dropped_unless_c_would_not_look() -> None:
    a, b = Reference(0), Reference(1)
    broken = simplified_operation("/", a, b)
    assert not broken.defined
    assert not simplified_operation("*", broken, 0).defined
    assert not simplified_operation("<=", broken, 100).defined
    guarded = simplified_operation("&&", b, simplified_operation("==", broken, 1))
    assert evaluate(guarded, [1, 0]) == 0
    assert substitute(guarded, {1: False}) is Constant(0)
    assert substitute(guarded, {1: True}) is a
    assert simplified_operation("/", a, simplified_operation("+", b, 1)).defined
    assert not simplified_operation("<<", a, simplified_operation("-", b)).defined


def test_values_of_any_size_up_to_a_cap() -> None:
    a = Reference(0)
    big = simplified_operation("<<", a, 4000)
    assert (big.low, big.high) == (0, 1 << 4000)
    assert evaluate(simplified_operation(">>", big, 3999), [1]) == 2
    for args in [("<<", a, 5000), ("*", big, big), ("<<", 1, 10**30), ("*", *[1 << 4000] * 50)]:
        with pytest.raises(ModelError, match="bits"):
            simplified_operation(*args)
    assert simplified_operation(">>", a, 10**30) is Constant(0)
    with pytest.raises(ModelError, match="bits"):
        Constant(1 << 5000)


def test_wrong_operators_and_operands() -> None:
    a = Reference(0)
    for op, args in [("**", (a, a)), ("/", (a,)), ("?:", (a, a)), ("!", (a, a)), ("min", ())]:
        with pytest.raises(ModelError):
            simplified_operation(op, *args)
    with pytest.raises(ModelError, match="position"):
        Reference(-1)
    with pytest.raises(ModelError, match="operator"):
        Operation("->", (a, a))
