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
    "escape": ("\x1b[0m", 1, 1, "U+001B"),
    "open quote": (D + 'a + "b', 3, 5, "closing quote"),
    "empty quotes": (D + 'a + ""', 3, 5, "name between the quotes"),
    "fraction": (D + "a == 1.5", 3, 6, "integer"),
    "octal": (D + "a == 010", 3, 6, "leading 0"),
    "letters in a number": (D + "a == 12ab", 3, 6, "integer"),
    "wide digits": (D + "a == １", 3, 6, "integer"),
    "huge number": (D + "a == " + "9" * 5000, 3, 6, "digits"),
    "huge hexadecimal": (D + "a == 0x1" + "0" * 2000, 3, 6, "bits"),
    "power": (D + "a ** 2 == 1", 3, 3, "no powers"),
    "arrow of maths": (D + "a => b", 3, 3, "'->'"),
    "double arrow": (D + "a <=> b", 3, 3, "'<->'"),
    "walrus": (D + "F := a", 3, 3, "'='"),
    "long name": (D + "b" * 5000, 3, 1, "at most 1,000 characters"),
    # brackets
    "open bracket": (D + "(a + b == 1", 3, 1, "matching ')'"),
    "open at the end of all": (D + "sum(x[1]\n\n\n", 3, 4, "matching ')'"),
    "closed only": (D + "a + b) == 1", 3, 6, "no bracket is open"),
    "crossed": (D + "(a + x[1)] == 1", 3, 9, "']'"),
    "empty brackets": (D + "a + ()", 3, 6, "found ')'"),
    "100,000 brackets open": (D + "(" * 100_000 + "a", 3, 100_000, "matching ')'"),
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
    "operators in a row": (D + "a & | b", 3, 5, "found '|'"),
    "two names": (D + "a b", 3, 3, "found 'b'"),
    "single equals": (D + "a + b = 1", 3, 7, "'=='"),
    "chained comparison": (D + "0 < a + b < 2", 3, 11, "do not chain"),
    "chained equality": (D + "a == b == c", 3, 8, "do not chain"),
    "no colon": (D + "a ? b", 3, 6, "':'"),
    "no question": (D + "(a : b)", 3, 4, "found ':'"),
    "call of a name": (D + "a(1)", 3, 2, "found '('"),
    "call without brackets": (D + "sum x[1]", 3, 5, "'(' after 'sum'"),
    "call of nothing": (D + "max()", 3, 5, "found ')'"),
    "all different of one": (D + "all different(n)", 3, 1, "two values"),
    "index of brackets": (D + "(a)[1]", 3, 4, "found '['"),
    "word of the language": (D + "symbol for", 3, 8, "a word of the language"),
    "command": (D + "print a", 3, 1, "command"),
    "include": (D + 'include "other"', 3, 1, "cannot include"),
    "nothing": ("", 1, 1, "found none"),
    "comments alone": ("# nothing\n// at all", 2, 10, "found none"),
    # names
    "unknown name": (D + "a + z == 1", 3, 5, "declared name"),
    "misspelt name": ("symbol apple\naple", 2, 1, "is it 'apple'?"),
    "used too soon": ("a + b == 1\nsymbol a b", 1, 1, "declared name"),
    "declared twice": (D + "symbol a", 3, 8, "declared already"),
    "defined twice": (D + "F = a\nF = b", 4, 1, "declared already"),
    "assigned variable": (D + "a = 1", 3, 1, "to compare, write '=='"),
    "assigned item": (D + "x[1] = 1", 3, 1, "declared already"),
    "loop over a name": (D + "x[1] for a in 1..3", 3, 10, "declared already"),
    "name twice": (D + "cage A: a\ncage A: b", 4, 9, "twice"),
    "array as statement": (D + "x", 3, 1, "the array x"),
    "array as number": (D + "x + 1 == 2", 3, 3, "an index after x"),
    "index out of range": (D + "x[10]", 3, 2, "from 1 to 9, found 10"),
    "index of a plain name": (D + "a[1]", 3, 2, "plain name"),
    "index that varies": (D + "x[n]", 3, 2, "depends on variables"),
    "project what is none": (D + "F = a + b\nproject F", 4, 9, "variable"),
    "project unknown": (D + "project q", 3, 9, "declared name"),
    # ranges, loops, tables
    "declaration of nothing": ("symbol", 1, 7, "a name to declare"),
    "integer without domain": ("integer k", 1, 10, "'in'"),
    "empty domain": ("integer k in 3..1", 1, 14, "found none"),
    "empty index": ("symbol y[3..1]", 1, 10, "empty range"),
    "size for a range": ("symbol y[9]", 1, 10, "range such as 1..9"),
    "range that varies": (D + "a for i in 1..n", 3, 15, "depends on variables"),
    "for over nothing": (D + "x[i] for i in 3..2", 3, 15, "at least one round"),
    "for without in": (D + "x[i] for i = 1..3", 3, 12, "'in'"),
    "for without range": (D + "x[i] for i in", 3, 14, "the end of the line"),
    "if without for": (D + "a if 1", 3, 3, "'for' before 'if'"),
    "for of a name": (D + "x[i] for i in a", 3, 15, "name of a set"),
    "pairs from a range": (D + "x[i] for i, j in 1..3", 3, 18, "elements of 2"),
    "condition that varies": (D + "x[i] for i in 1..3 if a", 3, 23, "depends on variables"),
    "for of 10^12 rounds": (D + "a for i in 1..1000000000000", 3, 12, "longer one"),
    "for in for of 10^12": (D + "a for i in 1..1000000, j in 1..1000000", 3, 1, "steps"),
    "sum of 10^12": (D + "sum(i for i in 1..1000000, j in 1..1000000) == a", 3, 33, "steps"),
    "10^12 variables": ("symbol y[1..1000000][1..1000000]", 1, 8, "1,000,000 variables"),
    "domain of 10^12": ("integer k in 0..1000000000000", 1, 14, "longer one"),
    "table too short": ("w[1..3] = {1, 2}", 1, 11, "3 numbers, found 2"),
    "table of pairs": ("w[1..2] = {(1, 2), (3, 4)}", 1, 11, "plain numbers"),
    "definition without index": (D + "F = x[i] for i in 1..3", 3, 1, "an index after"),
    "items, then all of them": (D + "F[1] = a\nF = b", 4, 1, "declared already"),
    "item defined twice": (D + "F[1] = a for i in 1..2", 3, 1, "is taken"),
    "loops too deep": (D + "sum(" * 60 + "1" + " for i in 1..1)" * 60, 3, 77, "at most 40 loops"),
    # values
    "division by zero": (D + "a / 0 == 1", 3, 3, "other than 0"),
    "remainder by zero": (D + "F = 4 % (3 - 3)", 3, 7, "other than 0"),
    "division by what may be 0": (D + "a / (b + c) == 1", 3, 3, "0 when b = 0, c = 0"),
    "division by an integer": (D + "12 % n == a", 3, 4, "0 when n = 0"),
    "division within a count": (D + "x[2] & 2 | n < b << b / n - 1", 3, 23, "0 when n = 0"),
    "negative shift": (D + "a << (b - 1) == 1", 3, 3, "-1 when b = 0"),
    "shift by minus one": (D + "a >> -1", 3, 3, "found -1"),
    "huge shift": (D + "1 << 100000 == a", 3, 3, "bits"),
    "shift by much": (D + "a << (1 << 20 * b) == 3", 3, 3, "bits"),
    "overflow": (D + "((1 << 4000) + a) * ((1 << 4000) + b) == 1", 3, 19, "bits"),
    "minimum of nothing": (D + "min(i for i in 2..1) == 0", 3, 1, "found none"),
}

CNF = {
    "no header": ("1 2 0\n", 1, 1, "before the clauses"),
    "empty": ("", 1, 1, "found none"),
    "other header": ("p wcnf 3 2 10\n1 0\n", 1, 3, "'cnf'"),
    "header without counts": ("p cnf 3\n", 1, 1, "VARIABLES CLAUSES"),
    "header of words": ("p cnf three two\n", 1, 1, "VARIABLES CLAUSES"),
    "two headers": ("p cnf 1 0\np cnf 1 0\n", 2, 1, "another"),
    "literal out of range": ("c hello\np cnf 3 2\n1 -2 0\n2 4 0\n", 4, 3, "found 4"),
    "negative out of range": ("p cnf 3 1\n-1 -17 0\n", 2, 4, "found -17"),
    "word": ("p cnf 3 1\n1 two 0\n", 2, 3, "found 'two'"),
    "fraction": ("p cnf 3 1\n1 2.5 0\n", 2, 3, "found '2.5'"),
    "xor clause": ("p cnf 3 1\nx1 2 0\n", 2, 1, "XOR"),
    "too few clauses": ("p cnf 3 2\n1 2 0\n", 1, 1, "2 clauses, found 1"),
    "too many clauses": ("p cnf 3 1\n1 2 0\n3 0\n", 3, 1, "found more"),
    "open clause": ("p cnf 3 1\n1 2\n", 2, 1, "0 at the end"),
    "weights": ("c t wmc\np cnf 3 1\nc p weight 1 0.5 0\n1 2 0\n", 1, 1, "weights"),
    "weights of miniC2D": ("p cnf 1 1\nc weights 0.4 0.6\n1 0\n", 2, 1, "weights"),
    "factor of a preprocessor": ("p cnf 1 1\n1 0\nc MUST MULTIPLY BY 2**3 0\n", 3, 1, "MUST"),
    "projection of dsharp": ("p cnf 5 0\ncr 1 2 0\n", 2, 1, "found 'cr'"),
    "projection of 2020": ("p cnf 5 0\nc vp 1 2 0\n", 2, 1, "found 'vp 1 2 0'"),
    "show a negation": ("p cnf 5 0\nc p show -1\n", 2, 10, "from 1 to 5, found -1"),
    "show out of range": ("p cnf 3 1\nc p show 1 4 0\n1 2 0\n", 2, 12, "found 4"),
    "show a word": ("p cnf 3 1\nc p show a 0\n1 2 0\n", 2, 10, "found 'a'"),
    "NUL": ("p cnf 3 1\n1 \0 0\n", 2, 3, "literal"),
    "10^12 variables": ("p cnf 1000000000 1\n1 0\n", 1, 1, "at most 1,000,000 variables"),
}

OPB = {
    "no relation": ("+1 x1 +1 x2 ;", 1, 13, "'>='"),
    "unknown relation": ("+1 x1 +1 x2 != 1 ;", 1, 13, "'>='"),
    "no bound": ("+1 x1 >= ;", 1, 10, "an integer"),
    "bound of a name": ("+1 x1 >= x2 ;", 1, 10, "an integer"),
    "two bounds": ("+1 x1 >= 1 2 ;", 1, 10, "an integer and ';'"),
    "no semicolon": ("+1 x1 >= 1\n", 1, 1, "';'"),
    "no variable": ("+1 x1 +2 >= 1 ;", 1, 10, "a variable"),
    "fraction": ("+1.5 x1 >= 1 ;", 1, 2, "an integer"),
    "bad sign": ("+1 x1 $ >= 1 ;", 1, 7, "an integer or a variable"),
    "objective": ("* #variable= 1 #constraint= 1\nmin: +1 x1 ;\n+1 x1 >= 1 ;", 2, 1, "objective"),
    "soft": ("soft: 6 ;\n[2] +1 x1 >= 1 ;", 1, 1, "soft"),
    "wrong constraints": ("* #variable= 1 #constraint= 2\n+1 x1 >= 1 ;", 1, 3, "found 1"),
    "wrong variables": ("* #variable= 3 #constraint= 1\n+1 a +1 b >= 1 ;", 1, 3, "found 2"),
    "too few declared": ("* #variable= 1 #constraint= 1\n+1 x1 +1 x2 >= 1 ;", 2, 10, "x1 to x1"),
    "huge number": ("+" + "9" * 5000 + " x1 >= 1 ;", 1, 1, "digits"),
    "numbered projection": ("* ind 1 2 0\n+1 x1 >= 1 ;", 1, 1, "found 'ind 1 2 0'"),
    "weight": ("* p weight x1 0.5\n+1 x1 >= 1 ;", 1, 1, "weights"),
    "show unknown": ("* p show x7 0\n+1 x1 >= 1 ;", 1, 10, "found 'x7'"),
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
    "NUL": ("", "\0"),
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
