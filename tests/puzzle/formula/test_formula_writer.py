"""Models as files of the language, read back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from formula_oracle import assignments
from test_formula_interchange import random_problem

from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Formula, Linear, OneHot
from bddsudoku.model.expression import Reference
from bddsudoku.model.simplify import operation
from bddsudoku.puzzle.exact_cover import ExactCover
from bddsudoku.puzzle.formula import Problem
from bddsudoku.puzzle.formula.text import write
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle

DATA = Path(__file__).parents[3] / "data"

EVERYTHING = """symbol a b c x[1..3][0..1] "for" "x y"
integer n m in -1..2
integer q[1..2] in {1, 2, 7}
row 1: a + b + c == 1
a + b <= 1
1 <= a - 2*b + c & a - 2*b + c <= 2
F = a*b + c*n - 3
F * F - F << 2 >= c ? 3 : -4 - n*m
all different(q)
n * m == q[1]
(a ^ b ^ c) | !(n == 2)
x[1][0] -> "x y" & "for"
max(n, m, a) - -3*a*b / (n+3) == 2 || min(n, m) % 2 == a
"sum" "a\tb": a <-> b | c
"word 7": (a + b << n + 1) > 5 >> m + 1 ^ 3
a && 6 / (a + b) == 3
project q a
"""


def read_back(problem: Problem) -> Problem:
    return Problem.parse(
        "\n".join(write(problem.names, problem.constraints, problem.projection, ["hello"]))
    )


def test_all_that_the_language_has_comes_back() -> None:
    problem = Problem.parse(EVERYTHING)
    again = read_back(problem)
    assert again.names == problem.names
    assert again.constraints == problem.constraints
    assert again.projection == problem.projection
    assert list(again.integers) == list(problem.integers)


def test_the_examples_come_back() -> None:
    for path in sorted((DATA / "formula").glob("*.formula")):
        problem = Problem.read(path)
        again = read_back(problem)
        assert (again.names, again.constraints) == (problem.names, problem.constraints), path


@pytest.mark.parametrize("allocation", ["paper", "candidates", "singles"])
@pytest.mark.parametrize("hints", ["35", "18"])
def test_puzzles_of_the_paper_come_back(hints: str, allocation: str) -> None:
    model = allocate(Puzzle.parse((DATA / "paper" / f"{hints}.txt").read_text()), allocation)
    names = [v.name for v in model.variables]
    again = Problem.parse("\n".join(write(names, model.constraints)))
    assert again.names == names
    assert tuple(again.constraints) == tuple(c for c in model.constraints if not c.is_trivial)


def test_a_cover_comes_back() -> None:
    model = ExactCover.read(DATA / "cover" / "seven_items.dlx").model()
    names = [v.name for v in model.variables]
    again = Problem.parse("\n".join(write(names, model.constraints)))
    assert tuple(again.constraints) == model.constraints


@pytest.mark.parametrize("seed", range(60))
def test_random_problems_come_back(seed: int) -> None:
    problem = random_problem(random.Random(seed))
    again = read_back(problem)
    assert again.names == problem.names
    assert again.constraints == problem.constraints
    assert again.projection == problem.projection


def test_constraints_that_no_statement_makes_mean_the_same() -> None:
    x = [Reference(v) for v in range(3)]
    kinds = [
        OneHot("f", "1", (0, 1), -1),
        OneHot("f", "2", (0, 1), 0, at_most=True),
        Linear("f", "3", (0, 1, 2), (-2, 4, 6), -2, 4),
        Linear("f", "4", (0, 1), (1, 1), 3, None),
        Linear("f", "5", (0, 1), (1, 0), 1, None),
        Linear("f", "6", (0, 1), (1, -1), None, None),
        Linear("f", "7", (), (), 1, None),
        Formula("f", "8", operation("+", *x)),
        Formula("f", "9", operation(">=", operation("+", *x), 2)),
        Formula("f", "10", operation("-", operation("+", x[0], x[1]), x[2])),
    ]
    for c in kinds:
        again = Problem.parse("\n".join(write(["a", "b", "c"], [c])))
        for values in assignments(3):
            assert all(d.holds(values) for d in again.constraints) == c.holds(values), c


def test_nothing_left_to_say() -> None:
    assert Problem.parse("\n".join(write([], []))).names == []
    text = "\n".join(write([], [OneHot("cell", "a", (), 0), OneHot("cell", "b", ())]))
    assert Problem.parse(text).constraints == [OneHot("cell", "b", ())]


def test_shared_parts_are_written_once() -> None:
    e = operation("+", Reference(0), Reference(1), 1)
    for _ in range(60):
        e = operation("+", operation("*", e, e), e)
        e = operation("%", e, 1000)
    statement = Formula("f", "1", operation("==", e, 7))
    text = "\n".join(write(["a", "b"], [statement]))
    assert len(text) < 10_000
    assert Problem.parse(text).constraints == [statement]


@pytest.mark.parametrize("operators", ["+*", "^+", "*-"])
def test_deep_formulas_come_back(operators: str) -> None:
    e = Reference(0)
    for k in range(1000):
        e = operation(operators[k % 2], operation("+", e, 2), Reference(k % 4) if k % 7 else 3)
        e = operation("%", e, 50)
    statement = Formula("f", "1", operation("==", e, 2))
    text = "\n".join(write(["a", "b", "c", "d"], [statement]))
    assert Problem.parse(text).constraints == [statement]


def test_what_cannot_be_written() -> None:
    with pytest.raises(ModelError, match="quotes"):
        list(write(['a"b'], []))
    with pytest.raises(ModelError, match="label"):
        list(write(["a"], [OneHot("f", 'a"b', (0,))]))
