"""Statements to look at."""

from __future__ import annotations

import random

import pytest
from formula_oracle import assignments

from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.model.expression import Reference
from bddsudoku.model.simplify import simplified_operation
from bddsudoku.puzzle.formula import Problem
from bddsudoku.puzzle.formula.sop_and_karnaugh_map import (
    bdd_size,
    irredundant_prime_products,
    karnaugh_map,
    sum_of_products,
)


def parsed_statement(text: str, names: str = "a b c d") -> tuple[Problem, object]:
    problem = Problem.parse(f"symbol {names}\n{text}")
    return problem, problem.statements[0].value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a + b + c == 1)", "(a & !b & !c) | (!a & b & !c) | (!a & !b & c)"),  # the paper's
        ("a & b | c", "(a & b) | c"),
        ("a + b <= 1", "!a | !b"),
        ("a & !b & c", "a & !b & c"),
        ("a", "a"),
        ("a + b", "a | b"),
        ("a & b == 3", "0"),
        ("a == a", "1"),
    ],
)
def test_sums_of_products(text: str, expected: str) -> None:
    problem, f = parsed_statement(text)
    assert sum_of_products(f, problem.names) == expected


def test_products_of_integers() -> None:
    problem = Problem.parse("integer n in 0..2\nsymbol b\nn == 1 | b")
    (said_,) = problem.statements
    assert sum_of_products(said_.expression, problem.names) == "(n != 0 & n == 1) | b"


def covers(product: tuple[tuple[int, bool], ...], values: tuple[int, ...]) -> bool:
    return all(bool(values[v]) == true for v, true in product)


def test_covers_are_exact_prime_and_irredundant() -> None:
    """For random functions of five variables; and the negated ones say the opposite."""
    rng = random.Random(1)
    problem = Problem()
    x = list(problem.symbols("x[0..4]")[0])
    for _ in range(60):
        density = rng.choice([0.1, 0.5, 0.9])
        true = {v for v in assignments(5) if rng.random() < density}
        minterms = [
            sum((xi if bit else 1 - xi) for xi, bit in zip(x, v, strict=True)) == 5 for v in true
        ]
        total = sum(minterms, start=x[0] * 0) >= 1
        f = total.expression
        found = irredundant_prime_products(f)
        opposite = irredundant_prime_products(f, negated=True)
        for v in assignments(5):
            assert any(covers(p, v) for p in found) == (v in true)
            assert any(covers(p, v) for p in opposite) == (v not in true)
        for k, p in enumerate(found):
            for literal in p:
                wider = tuple(q for q in p if q != literal)
                assert any(covers(wider, v) for v in assignments(5) if v not in true), "not prime"
            rest = found[:k] + found[k + 1 :]
            assert any(
                covers(p, v) and not any(covers(q, v) for q in rest) for v in assignments(5)
            ), "redundant"


def test_maps() -> None:
    problem, f = parsed_statement("a*b + 2*c - d")
    text = karnaugh_map(f, problem.names)
    lines = [line.split() for line in text.splitlines()]
    assert lines[0] == ["a", "b", "\\", "c", "d", "00", "01", "11", "10"]
    for line in lines[1:]:
        for column, cell in zip(lines[0][5:], line[1:], strict=True):
            a, b, c, d = (int(bit) for bit in line[0] + column)
            assert int(cell) == a * b + 2 * c - d
    assert [line[0] for line in lines[1:]] == ["00", "01", "11", "10"]
    one, g = parsed_statement("a")
    assert karnaugh_map(g, one.names).split() == ["a", "0", "1", "0", "1"]
    seven, h = parsed_statement("sum(x)", "x[1..7]")
    with pytest.raises(PuzzleFormatError, match="at most 6 variables"):
        karnaugh_map(h, seven.names)
    assert "-" in karnaugh_map(simplified_operation("/", Reference(0), Reference(1)), problem.names)


def test_sizes() -> None:
    for k in (2, 5, 9):
        _, f = parsed_statement("sum(x) == 1", f"x[1..{k}]")
        assert bdd_size(f) == 2 * k - 2
    _, f = parsed_statement("a ^ b ^ c ^ d")
    assert bdd_size(f) == 4


def test_what_is_too_large_is_said_so() -> None:
    problem, f = parsed_statement("sum(x) == 10", "x[1..20]")
    assert sum_of_products(f, problem.names) == "… (more than 100 products)"
    with pytest.raises(LimitReached):
        irredundant_prime_products(f, 50)
    wide, g = parsed_statement("sum(x) >= 1", "x[1..500]")
    assert "200 variables" in sum_of_products(g, wide.names)
