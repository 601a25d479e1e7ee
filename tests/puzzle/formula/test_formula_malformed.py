"""Malformed and large files: refused in one line with line and column, or read; nothing hangs."""

from __future__ import annotations

import time

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.formula import Problem

D = "symbol a b c x[1..9]\ninteger n in 0..9\n"
"""Declarations before a statement in line 3."""

LANGUAGE = {
    # tokens
    "unknown sign": (D + "a $ b", 3, 3, "'$'"),
    "NUL": (D + "a \0 b", 3, 3, "U+0000"),
    "open quote": (D + 'a + "b', 3, 5, "closing quote"),
    "fraction": (D + "a == 1.5", 3, 6, "integer"),
    "octal": (D + "a == 010", 3, 6, "leading 0"),
    "huge number": (D + "a == " + "9" * 5000, 3, 6, "digits"),
    "power": (D + "a ** 2 == 1", 3, 3, "no powers"),
    "arrow of maths": (D + "a => b", 3, 3, "'->'"),
    "long name": (D + "b" * 5000, 3, 1, "at most 1,000 characters"),
    # brackets
    "open bracket": (D + "(a + b == 1", 3, 1, "matching ')'"),
    "closed only": (D + "a + b) == 1", 3, 6, "no bracket is open"),
    "crossed": (D + "(a + x[1)] == 1", 3, 9, "']'"),
    "100,000 brackets": (D + "(" * 100_000 + "a" + ")" * 100_000, 3, 101, "at most 100 brackets"),
    "100,000 signs": (D + "!" * 100_000 + "a", 3, 1, "less deep"),
    "brackets full of operators": (
        D + "a|b^a&b==a<b<<1+a*-(" * 99 + "a" + ")" * 99,
        3,
        1,
        "less deep",
    ),
    "semicolon in brackets": (D + "(a; b)", 3, 3, "')'"),
    # operands and operators
    "operator first": (D + "* a == 1", 3, 1, "found '*'"),
    "operator last": (D + "a +", 3, 4, "the end of the line"),
    "two names": (D + "a b", 3, 3, "found 'b'"),
    "chained comparison": (D + "0 < a + b < 2", 3, 11, "do not chain"),
    "no colon": (D + "a ? b", 3, 6, "':'"),
    "call of a name": (D + "a(1)", 3, 2, "found '('"),
    "all different of one": (D + "all different(n)", 3, 1, "two values"),
    "word of the language": (D + "symbol for", 3, 8, "a word of the language"),
    "command": (D + "print a", 3, 1, "command"),
    "nothing": ("", 1, 1, "found none"),
    # names
    "unknown name": (D + "a + z == 1", 3, 5, "declared name"),
    "misspelt name": ("symbol apple\naple", 2, 1, "is it 'apple'?"),
    "declared twice": (D + "symbol a", 3, 8, "declared already"),
    "defined twice": (D + "F = a\nF = b", 4, 1, "declared already"),
    "assigned variable": (D + "a = 1", 3, 1, "to compare, write '=='"),
    "name twice": (D + "cage A: a\ncage A: b", 4, 9, "twice"),
    "array as statement": (D + "x", 3, 1, "the array x"),
    "index out of range": (D + "x[10]", 3, 2, "from 1 to 9, found 10"),
    "index that varies": (D + "x[n]", 3, 2, "depends on variables"),
    "project what is none": (D + "F = a + b\nproject F", 4, 9, "variable"),
    # ranges, loops, tables
    "declaration of nothing": ("symbol", 1, 7, "a name to declare"),
    "empty domain": ("integer k in 3..1", 1, 14, "found none"),
    "size for a range": ("symbol y[9]", 1, 10, "range such as 1..9"),
    "for over nothing": (D + "x[i] for i in 3..2", 3, 15, "at least one round"),
    "for without range": (D + "x[i] for i in", 3, 14, "the end of the line"),
    "pairs from a range": (D + "x[i] for i, j in 1..3", 3, 18, "elements of 2"),
    "for of 10^12 rounds": (D + "a for i in 1..1000000000000", 3, 12, "longer one"),
    "sum of 10^12": (D + "sum(i for i in 1..1000000, j in 1..1000000) == a", 3, 33, "steps"),
    "10^12 variables": ("symbol y[1..1000000][1..1000000]", 1, 8, "1,000,000 variables"),
    "domain of 10^12": ("integer k in 0..1000000000000", 1, 14, "longer one"),
    "table too short": ("w[1..3] = {1, 2}", 1, 11, "3 numbers, found 2"),
    "items, then all of them": (D + "F[1] = a\nF = b", 4, 1, "declared already"),
    "loops too deep": (D + "sum(" * 60 + "1" + " for i in 1..1)" * 60, 3, 77, "at most 40 loops"),
    # values
    "division by zero": (D + "a / 0 == 1", 3, 3, "other than 0"),
    "division by what may be 0": (D + "a / (b + c) == 1", 3, 1, "0 when b = 0, c = 0"),
    "division within a count": (D + "x[2] & 2 | n < b << b / n - 1", 3, 1, "0 when n = 0"),
    "negative shift": (D + "a << (b - 1) == 1", 3, 1, "-1 when b = 0"),
    "huge shift": (D + "1 << 100000 == a", 3, 3, "bits"),
    "overflow": (D + "((1 << 4000) + a) * ((1 << 4000) + b) == 1", 3, 19, "bits"),
    "minimum of nothing": (D + "min(i for i in 2..1) == 0", 3, 1, "found none"),
}

CNF = {
    "no header": ("1 2 0\n", 1, 1, "before the clauses"),
    "empty": ("", 1, 1, "found none"),
    "two headers": ("p cnf 1 0\np cnf 1 0\n", 2, 1, "another"),
    "literal out of range": ("c hello\np cnf 3 2\n1 -2 0\n2 4 0\n", 4, 3, "found 4"),
    "word": ("p cnf 3 1\n1 two 0\n", 2, 3, "found 'two'"),
    "xor clause": ("p cnf 3 1\nx1 2 0\n", 2, 1, "XOR"),
    "too few clauses": ("p cnf 3 2\n1 2 0\n", 1, 1, "2 clauses, found 1"),
    "too many clauses": ("p cnf 3 1\n1 2 0\n3 0\n", 3, 1, "found more"),
    "weights": ("c t wmc\np cnf 3 1\nc p weight 1 0.5 0\n1 2 0\n", 1, 1, "weights"),
    "factor of a preprocessor": ("p cnf 1 1\n1 0\nc MUST MULTIPLY BY 2**3 0\n", 3, 1, "MUST"),
    "show out of range": ("p cnf 3 1\nc p show 1 4 0\n1 2 0\n", 2, 12, "found '4'"),
    "10^12 variables": ("p cnf 1000000000 1\n1 0\n", 1, 1, "at most 1,000,000 variables"),
}

OPB = {
    "no relation": ("+1 x1 +1 x2 ;", 1, 13, "'>='"),
    "no semicolon": ("+1 x1 >= 1\n", 1, 1, "';'"),
    "product": ("+1 x1 x2 >= 1 ;", 1, 7, "products of variables are not supported"),
    "objective": ("* #variable= 1 #constraint= 1\nmin: +1 x1 ;\n+1 x1 >= 1 ;", 2, 1, "objective"),
    "wrong constraints": ("* #variable= 1 #constraint= 2\n+1 x1 >= 1 ;", 1, 3, "found 1"),
    "huge number": ("+" + "9" * 5000 + " x1 >= 1 ;", 1, 1, "digits"),
}

CASES = [
    pytest.param(text, ending, line, column, words, id=f"{ending[1:]}: {name}")
    for ending, table in ((".formula", LANGUAGE), (".cnf", CNF), (".opb", OPB))
    for name, (text, line, column, words) in table.items()
]


@pytest.mark.parametrize(("text", "ending", "line", "column", "words"), CASES)
def test_a_malformed_file_is_refused_with_its_place(
    text: str, ending: str, line: int, column: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bddsudoku.puzzle.formula.interpreter.MAX_STEPS", 50_000)
    started = time.process_time()
    with pytest.raises(PuzzleFormatError) as caught:
        Problem.parse(text, "file", ending=ending)
    assert time.process_time() - started < 20
    message = str(caught.value)
    assert message.startswith(f"file, line {line}, column {column}: expected ")
    assert (caught.value.line, caught.value.column) == (line, column)
    assert words in message
    assert "\n" not in message
    assert len(message) < 400


MB = 10_000_000
READ = {
    "brackets": "symbol a\n" + "(1 + " * 99 + "a" + ")" * 99 + " == 100",
    "nots": "symbol a\n" + "!" * 101 + "a",
    "signs": "symbol a\n" + "- " * 101 + "a == -1",
    "choices": "symbol a b\n" + "a ? 1 : " * 10_000 + "b",
    "implications": "symbol a b\n" + "a -> " * 20_000 + "b",
    "a long sum": "symbol a b\n" + "a - " * 20_000 + "b == -19998",
    "a long comment": "symbol a\n#" + "x" * MB + "\na",
    "many lines": "symbol x[0..99]\n"
    + "\n".join(f"x[{i % 100}] + x[{i * 7 % 100}] <= 1" for i in range(8_000)),
}
REFUSED = {
    "a sum": ("symbol a\n", "a + "),
    "brackets": ("", "("),
    "a name": ("", "a"),
    "digits": ("", "9"),
    "quotes": ("", '"'),
    "blanks": ("", " "),
    "minus": ("", "-"),
    "'for'": ("a ", "for "),
}


@pytest.mark.parametrize("name", READ)
def test_long_statements_are_read(name: str) -> None:
    started = time.process_time()
    problem = Problem.parse(READ[name], ending=".formula")
    assert time.process_time() - started < 30
    assert problem.constraints or name == "many lines"


@pytest.mark.parametrize("size", [MB // 100, pytest.param(MB, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", REFUSED)
def test_megabytes_on_one_line_are_refused(name: str, size: int) -> None:
    begin, again = REFUSED[name]
    started = time.process_time()
    with pytest.raises(PuzzleFormatError) as caught:
        Problem.parse(begin + again * (size // len(again)), "f", ending=".formula")
    assert time.process_time() - started < 30
    assert caught.value.line is not None
    assert caught.value.column is not None
    assert len(str(caught.value)) < 300
