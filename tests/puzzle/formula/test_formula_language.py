"""What files in the language mean, against an evaluator that reads the text by itself."""

from __future__ import annotations

from math import factorial

import pytest
from formula_oracle import LEVELS, NoValueError, assignments, count, evaluate
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku import count as solver_count
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.constraints import Formula, Linear, OneHot
from bddsudoku.puzzle.formula import Problem

NAMES = ["a", "b", "c", "d", "e"]
OPERATORS = [op for level in LEVELS for op in level]


def expressions() -> st.SearchStrategy[str]:
    """Texts with few brackets, so that precedence decides. Comparisons get brackets."""
    leaves = st.one_of(st.sampled_from(NAMES), st.integers(0, 5).map(str))

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        bracketed = inner.map(lambda t: f"({t})")
        operand = st.one_of(inner, bracketed)
        return st.one_of(
            st.tuples(operand, st.sampled_from(OPERATORS), operand).map(" ".join),
            st.tuples(st.sampled_from("!-+"), bracketed).map("".join),
            st.tuples(operand, operand, operand).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
            st.tuples(
                st.sampled_from(["sum", "min", "max", "any", "all"]),
                st.lists(inner, min_size=1, max_size=3),
            ).map(lambda t: f"{t[0]}({', '.join(t[1])})"),
            inner.map(lambda t: f"abs({t})"),
        )

    return st.recursive(leaves, grow, max_leaves=12)


def lacks_value(text: str, values: tuple[int, ...]) -> bool:
    try:
        evaluate(text, dict(zip(NAMES, values, strict=True)))
    except NoValueError:
        return True
    return False


@settings(max_examples=200, deadline=None)
@given(expressions())
def test_statements_hold_where_the_text_says_so(text: str) -> None:
    try:
        problem = Problem.parse(f"symbol {' '.join(NAMES)}\n{text}")
    except PuzzleFormatError as error:
        message = str(error)
        if "other than 0" in message or "from 0 on" in message:
            return  # dividing by the number 0 itself is refused wherever it stands
        if "never" in message:
            # What divides by what may be 0 is refused, and only that.
            assert any(map(lacks_value, [text] * 2 ** len(NAMES), assignments(len(NAMES))))
        else:
            assert "do not chain" in message or "bits" in message
        return
    for values in assignments(len(NAMES)):
        value = evaluate(text, dict(zip(NAMES, values, strict=True))) != 0
        assert all(c.holds(values) for c in problem.constraints) == value


COUNTED = {
    "the paper's own": ("symbol a b c\nF = (a + b + c == 1)", 3),
    "definitions alone mean the last": ("symbol a b\nF = a & b\nG = !F", 3),
    "a definition beside statements": ("symbol a b\nF = a & b\na | b", 3),
    "arithmetic": ("symbol a b c\na*b + c >= 2", 1),
    "bits": ("symbol a b\n(2*a + b & 3 ^ 1) == 2", 1),
    "truncated division": ("symbol a\n(1 - 8*a) / 2 == -3", 1),
    "remainder's sign": ("symbol a\n(1 - 8*a) % 2 == -1", 1),
    "not of a truth": ("symbol a b\n~a | b", 3),
    "complement of a number": ("symbol a b\n~(a + b) == -3", 1),
    "choice": ("symbol a b c\na ? b : c", 4),
    "chain of choices": ("symbol a b\n(a ? 1 : b ? 2 : 3) == 3", 1),
    "implication groups to the right": ("symbol a b c\na -> b -> c", 7),
    "equivalence": ("symbol a b c\na <-> b <-> c", 4),
    "any and all": ("symbol x[1..4]\nany(x) & !all(x[i] for i in 1..4)", 14),
    "arrays": ("symbol x[1..2][1..3]\nsum(x) == 2\nsum(x[1]) == 1", 9),
    "quoted names": ('symbol "a b" "for"\n"a b" -> "for"', 3),
    "unicode names": ("symbol 左 右\n左 ^ 右", 2),
    "brackets over lines": ("symbol a b\n(a\n + b\n) == 1", 2),
    "loops on the next line": ("symbol x[1..3]\nx[i] | x[i + 1]\n  for i in 1..2", 5),
    "byte order mark": ("\ufeffsymbol a\na", 1),
    "loops": ("symbol x[1..4]\nx[i] + x[j] <= 1 for i in 1..4, j in i+1..4", 5),
    "nested sums": ("symbol x[1..3]\nsum(sum(j*x[i] for j in 1..i) for i in 1..3) == 4", 1),
    "sum of nothing": ("symbol x[1..2]\nsum(x[j] for j in i+1..2) == 0 for i in 1..2", 2),
    "sets": ("symbol x[1..5]\nx[i] for i in {1, 3, 5}", 4),
    "tables": ("w[1..3] = {2, 3, 5}\nsymbol x[1..3]\nsum(w[i]*x[i] for i in 1..3) == 5", 2),
    "indexed definitions": ("symbol x[1..3]\nS[i] = x[i]^x[i+1] for i in 1..2\nS[1]; !S[2]", 2),
    "conditions skip what is not there": (
        "symbol x[1..3]\n(i > 1 ? x[i-1] : 0) + x[i] >= 1 for i in 1..3\n"
        "i == 1 || x[i-1] | x[i] for i in 1..3",
        3,
    ),
    "integer variables": ("integer n m in 0..3\nn + m == 3\nn < m", 2),
    "a domain with gaps": ("integer n in {1, 5, 7}\nn % 4 == 3 | n == 5", 2),
    "negative values": ("integer n in -2..2\nn * n == 4", 2),
    "values as Booleans": ('integer n in 0..3\nsymbol b\n"n=2" + b == 1', 4),
    "all different": ("integer q[1..3] in 1..3\nall different(q)", 6),
    "alldifferent with room": ("integer q[1..3] in 1..4\nalldifferent(q)", 24),
    "all different without room": ("integer q[1..3] in 1..2\nall different(q)", 0),
    "all different of one variable twice": ("integer a in 1..4\nall different(a, 5 - a, 1)", 2),
    "all different in a formula": ("integer a b in 1..2\nsymbol c\nc <-> all different(a, b)", 4),
    "a relation with a hole": ("integer a b in 1..3\na != 2 | b != 2", 8),
    "guarded division": ("integer y in 0..3\ny != 0 && 6 / y == 3", 1),
    "division that cannot fail": ("symbol a b\n6 / (2*a - 1) == 6 | b", 3),
    "always": ("symbol a\n1 == 1", 2),
    "never": ("symbol a\na > 1", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_what_a_file_means(name: str) -> None:
    text, expected = COUNTED[name]
    problem = Problem.parse(text)
    assert len(problem.names) <= 14
    assert count(problem.constraints, len(problem.names)) == expected


KINDS = {
    "a + b + c == 1": [OneHot("line", "2", (0, 1, 2))],
    "0 + a + 1 + b == 1": [OneHot("line", "2", (0, 1), 0)],
    "!a | !b": [OneHot("line", "2", (0, 1), at_most=True)],
    "a ^ b": [OneHot("line", "2", (0, 1))],
    "a & !b": [OneHot("line", "2 #1", (0,)), OneHot("line", "2 #2", (1,), 0)],
    "a + b > 2": [OneHot("line", "2", ())],
    "a | b | c": [Linear("line", "2", (0, 1, 2), (1, 1, 1), 1, None)],
    "3*a + 6*b - 9*c >= 4": [Linear("line", "2", (0, 1, 2), (1, 2, -3), 2, None)],
    "4*a + 2*b + 2*c != 3": [],
}


@pytest.mark.parametrize("text", KINDS)
def test_statements_become_the_simplest_constraints(text: str) -> None:
    assert Problem.parse(f"symbol a b c\n{text}").constraints == KINDS[text]


def test_all_different_beside_a_number_is_one_hot() -> None:
    terms = ", ".join(f"x[{i}]" for i in range(1, 13))
    problem = Problem.parse(f"integer x[1..12] in 0..12\nall different({terms}, 0)")
    assert {type(c) for c in problem.constraints} == {OneHot}
    assert len(problem.constraints) == 12 + 13  # a variable each, a value each
    assert solver_count(problem) == factorial(12)


def test_the_rest_are_formulas() -> None:
    for text in ("a*b + c >= 2", "a ^ b ^ c", "a + b + c != 2", "a <-> b & c"):
        (found,) = Problem.parse(f"symbol a b c\n{text}").constraints
        assert isinstance(found, Formula)


def test_names_of_statements() -> None:
    problem = Problem.parse(
        """symbol x[1..2][1..2]
integer n in 1..2
row: sum(x[r]) == 1 for r in 1..2
cage A 3: x[1][1]
"odd family" "any label": x[1][2]
x[2][1] | n == 1
x[r][1] | x[r][2]
  for r in 1..2
row: x[r][r] for r in {2}
cage: x[1][1]
n == 1; n == 1"""
    )
    assert [(c.family, c.label) for c in problem.constraints] == [
        ("integer", "n"), ("row", "1"), ("row", "2"), ("cage", "A 3"), ("odd family", "any label"),
        ("line", "6"), ("line", "7 1"), ("line", "7 2"), ("row", "2 (2)"), ("cage", "10"),
        ("line", "11"), ("line", "11 (2)"),
    ]  # fmt: skip
    assert [s.line for s in problem.statements] == [3, 3, 4, 5, 6, 7, 7, 9, 10, 11, 11]


def test_a_file_of_definitions_says_which_one_is_meant() -> None:
    problem = Problem.parse("symbol a b\nF = a & b\nG = a | b")
    assert problem.notes == ["no statement stands alone, so G is taken for the constraint"]
    assert Problem.parse("symbol a b\nF = a & b\na").notes == []


@pytest.mark.parametrize("domain", ["0..3", "{0, 2, 5}"])
@pytest.mark.parametrize(
    "text",
    ["n < m", "n + 2*m == 4", "n*m <= 3 -> m > 1", "(n & m) == 0", "n % (m + 1) != 1",
     "n == m | n == 2", "!(n <= m)", "n - m != 2 & m != 2", "max(n, m) == 2", "n ^ m"],
)  # fmt: skip
def test_relations_of_two_integers(domain: str, text: str) -> None:
    problem = Problem.parse(f"integer n m in {domain}\n{text}")
    assert all(isinstance(c, OneHot) for c in problem.constraints)
    values = [0, 1, 2, 3] if domain == "0..3" else [0, 2, 5]
    expected = sum(evaluate(text, {"n": n, "m": m}) != 0 for n in values for m in values)
    assert count(problem.constraints, len(problem.names)) == expected


def test_three_integers_and_booleans_together() -> None:
    text = "b ? n * m == k : n + m + k == 4"
    problem = Problem.parse(f"symbol b\ninteger n m k in 0..3\n{text}")
    expected = sum(
        evaluate(text, {"b": b, "n": n, "m": m, "k": k}) != 0
        for b in (0, 1) for n in range(4) for m in range(4) for k in range(4)
    )  # fmt: skip
    assert count(problem.constraints, len(problem.names)) == expected
