"""Statements written in Python."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from formula_oracle import assignments, count

from bddsudoku import solver
from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.model.constraints import OneHot
from bddsudoku.puzzle.formula import Problem, all_different, all_of, any_of, largest, smallest


def solutions(problem: Problem) -> int:
    return count(problem.constraints, len(problem.names))


def test_operators_mean_what_they_mean_in_python() -> None:
    """On all values of two small integers, among them negative ones."""
    binary = [
        operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor,
        operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    ]  # fmt: skip
    for apply in [*binary, operator.floordiv, operator.mod]:
        for value in range(-9, 10):
            problem = Problem()
            n, m = problem.integer("n", range(-3, 4)), problem.integer("m", [-2, -1, 1, 2])
            problem.add(apply(n, m) == value)
            expected = sum(int(apply(x, y)) == value for x in range(-3, 4) for y in (-2, -1, 1, 2))
            assert solutions(problem) == expected, (apply, value)


@pytest.mark.parametrize(
    "apply",
    [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_,
     operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt, operator.ge],
)  # fmt: skip
def test_numbers_may_stand_on_either_side(apply: Callable[[Any, Any], Any]) -> None:
    for rule in (lambda n: apply(7, n), lambda n: apply(n, 2)):
        problem = Problem()
        problem.add(rule(problem.integer("n", [1, 2, 3])) == rule(2))
        assert solutions(problem) == sum(rule(v) == rule(2) for v in (1, 2, 3))


def test_truths_and_choices() -> None:
    for build, check in [
        (lambda a, b, c: ~a | b, lambda a, b, c: not a or b),
        (lambda a, b, c: a.iff(b), lambda a, b, c: a == b),
        (lambda a, b, c: a.then(b, c), lambda a, b, c: b if a else c),
        (lambda a, b, c: abs(a - b) == 1, lambda a, b, c: a != b),
        (lambda a, b, c: -a + +b == 0, lambda a, b, c: a == b),
        (lambda a, b, c: sum([a, b, c]) >= 2, lambda a, b, c: a + b + c >= 2),
        (lambda a, b, c: any_of(a, b) & all_of([b, c]), lambda a, b, c: b and c),
        (lambda a, b, c: largest(a, b) - smallest([b, c]) == 1,
         lambda a, b, c: max(a, b) - min(b, c) == 1),
        (lambda a, b, c: ~(a + b + c) == -3, lambda a, b, c: a + b + c == 2),
    ]:  # fmt: skip
        problem = Problem()
        problem.add(build(*problem.symbols("a b c")))
        assert solutions(problem) == sum(bool(check(*v)) for v in assignments(3))


def test_arrays() -> None:
    problem = Problem()
    x, y = problem.symbols("x[1..2][1..3] y")
    assert len(x) == 6
    assert problem.names[:2] == ["x[1][1]", "x[1][2]"]
    problem.add(sum(x) == 2).add(x[1][1] == x[1, 1]).add(sum(x[2]) == y)
    assert solutions(problem) == sum(
        sum(v[:6]) == 2 and sum(v[3:6]) == v[6] for v in assignments(7)
    )
    for index in [0, (1, 4), (1, 1, 1)]:
        with pytest.raises(IndexError):
            x[index]


def test_integers_that_differ() -> None:
    problem = Problem()
    q = [problem.integer(f"q{i}", range(1, 5)) for i in range(4)]
    problem.add(all_different(q), "column")
    problem.add(all_different(t + i for i, t in enumerate(q)), "rising")
    problem.add(all_different([t - i for i, t in enumerate(q)]), "falling")
    assert solver.count(problem) == 2
    assert all(isinstance(c, OneHot) for c in problem.constraints)


def test_projection() -> None:
    problem = Problem()
    a, x = problem.symbols("a x[1..2]")
    n = problem.integer("n", [0, 1, 2])
    problem.project(x, n).project("a")
    assert problem.projection == (0, 1, 2, 3, 4, 5)
    assert Problem().projection is None
    text = "symbol a b x[1..2]\ninteger n in 0..2\na + x[1] + (n == 1) >= 1\nproject x\nproject n"
    assert Problem.parse(text).projection == (2, 3, 4, 5, 6)
    with pytest.raises(ModelError, match="variable"):
        problem.project(a + 1)
    with pytest.raises(ModelError, match="name of a variable"):
        problem.project("zebra")


def test_what_is_refused() -> None:
    problem = Problem()
    a, b = problem.symbols("a b")
    (c,) = Problem().symbols("c")
    for error, words, wrong in [
        (TypeError, "no truth of its own", lambda: problem.add(0 <= a + b <= 1)),
        (TypeError, "Term or an integer", lambda: a + "b"),
        (TypeError, "statement", lambda: problem.add("a")),
        (TypeError, "unhashable", lambda: hash(a)),
        (ModelError, "one problem", lambda: a + c),
        (ModelError, "this problem", lambda: problem.add(c)),
        (ModelError, "never 0", lambda: problem.add(a // b == 1)),
        (ModelError, "declared already", lambda: problem.integer("a", [1])),
        (ModelError, "found none", lambda: problem.integer("n", [])),
        (PuzzleFormatError, "expected a name to declare", lambda: problem.symbols("")),
        (ModelError, "twice", lambda: problem.add(a, "f", "1").add(b, "f", "1")),
    ]:
        with pytest.raises(error, match=words):
            wrong()


def test_problems_can_be_pickled() -> None:
    problem = Problem.parse("symbol a b c\ninteger n in 0..2\na*b + c >= n\nall different(n, a)")
    again = pickle.loads(pickle.dumps(problem))
    assert again.constraints == problem.constraints
    assert again.statements == problem.statements
    again.add(True)


def test_decoder() -> None:
    problem = Problem.parse("symbol a\ninteger n in {3, 5}\nsymbol b\na + b == 1")
    decoder = problem.decoder()
    assert decoder.decode([0, 2]) == {"a": 1, "n": 5, "b": 0}
    assert list(decoder.encode({"a": 1, "n": 5, "b": 0})) == [0, 2]
    assert list(decoder.encode(["b"])) == [3]
    assert decoder.decode([0, 1, 2]) == {"a": 1, "n=3": 1, "n=5": 1, "b": 0}
    again = type(decoder).from_dict(decoder.to_dict())
    assert again.space == decoder.space
    for wrong in ({"n": 4}, {"z": 1}, {"a": 2}):
        with pytest.raises(PuzzleFormatError):
            decoder.encode(wrong)
    problem.project("n")
    assert problem.decoder().decode([2]) == {"n": 5}
    assert list(problem.decoder().encode({"n": 5})) == [2]


def test_sets_speak_of_names() -> None:
    """All that a set says by name is what its listed solutions say."""
    for low, high in ((1, 3), (2, 2), (3, 3), (4, 9)):
        problem = Problem()
        a, b = problem.symbols("a b")
        x = problem.integer("x", range(3))
        problem.add((a + b + x >= low) & (a + b + x <= high))
        found = solver.solve(problem)
        listed = [*found]
        held = [
            {"a": s["a"], "b": s["b"], **{f"x={v}": int(s["x"] == v) for v in range(3)}}
            for s in listed
        ]
        totals = {name: sum(one[name] for one in held) for name in problem.names}
        assert found.marginals_by_name() == totals
        whole = {name: int(k > 0) for name, k in totals.items() if listed and k in (0, len(listed))}
        assert found.backbone_by_name() == whole
        assert found.given({"a": 1, "x": 2}).count() == sum(
            s["a"] == 1 and s["x"] == 2 for s in listed
        )
        assert set(found.column_names()) <= set(problem.names)
    seen = solver.solve(problem.project("x"))
    assert list(seen.marginals_by_name()) == ["x=0", "x=1", "x=2"]


def test_terms_are_shown_with_names() -> None:
    problem = Problem()
    a, b = problem.symbols("a b")
    n = problem.integer("n", range(1, 4))
    shown = {
        "(a & b)": a & b,
        "((a + (2 * n)) == 3)": a + 2 * n == 3,
        "(a ? b : n)": a.then(b, n),
        "all_different(n, a, 3)": all_different(n, a, 3),
        "max(a, n)": largest(a, n),
        "!(a)": ~a,
    }
    assert {repr(term) for term in shown.values()} == {*shown}
    assert repr(sum([a] * 999)).endswith("…")
