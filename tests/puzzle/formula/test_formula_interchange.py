"""OPB and DIMACS CNF in and out, against counts by trying all assignments."""

from __future__ import annotations

import random
import re

import pytest
from conformance import dimacs_of
from formula_oracle import assignments, count
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku import solver
from bddsudoku.errors import ModelError, PuzzleFormatError
from bddsudoku.puzzle.formula import Problem, cnf_lines


def read_cnf(text: str) -> Problem:
    return Problem.parse(text, ending=".cnf")


def read_opb(text: str) -> Problem:
    return Problem.parse(text, ending=".opb")


def counted(problem: Problem) -> int:
    return count(problem.constraints, len(problem.names), problem.projection)


def clauses_hold(text: str, values: tuple[int, ...]) -> bool:
    """DIMACS by the letter: some literal of every clause is true."""
    _, clauses, _ = dimacs_of(text)
    return all(any(bool(values[abs(n) - 1]) == (n > 0) for n in clause) for clause in clauses)


def opb_holds(text: str, values: tuple[int, ...]) -> bool:
    """OPB by the letter."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("*"))
    for row in body.split(";")[:-1]:
        left, relation, bound = re.split(r"(>=|<=|=)", row)
        total = 0
        for weight, literal in re.findall(r"(\S+) (\S+)", left):
            bit = bool(values[int(literal.lstrip("~x")) - 1])
            total += int(weight) * (bit != literal.startswith("~"))
        if not {">=": total >= int(bound), "<=": total <= int(bound), "=": total == int(bound)}[
            relation
        ]:
            return False
    return True


LITERALS = st.integers(1, 6).flatmap(lambda v: st.sampled_from([v, -v]))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(LITERALS, max_size=5), max_size=8))
def test_any_cnf_means_what_it_says(clauses: list[list[int]]) -> None:
    text = f"p cnf 6 {len(clauses)}\n" + "".join(
        " ".join(map(str, [*c, 0])) + "\n" for c in clauses
    )
    problem = read_cnf(text)
    for values in assignments(6):
        assert all(c.holds(values) for c in problem.constraints) == clauses_hold(text, values)


TERMS = st.tuples(st.integers(-4, 4), LITERALS)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(TERMS, min_size=1, max_size=4),
            st.sampled_from([">=", "=", "<="]),
            st.integers(-5, 6),
        ),
        max_size=4,
    )
)
def test_any_opb_means_what_it_says(
    rows: list[tuple[list[tuple[int, int]], str, int]],
) -> None:
    lines = [f"* #variable= 6 #constraint= {len(rows)}"]
    for terms, relation, bound in rows:
        left = " ".join(
            f"{w:+d} {'~' if literal < 0 else ''}x{abs(literal)}" for w, literal in terms
        )
        lines.append(f"{left} {relation} {bound} ;")
    text = "\n".join(lines)
    problem = read_opb(text)
    assert len(problem.names) == 6
    for values in assignments(6):
        assert all(c.holds(values) for c in problem.constraints) == opb_holds(text, values)


def test_forms_of_cnf() -> None:
    assert counted(read_cnf("c hello\np cnf 3 2\n1 -2\n0 3 0\n")) == 3
    assert counted(read_cnf("p cnf 2 1\n0\n")) == 0
    assert counted(read_cnf("p cnf 2 2\n1 -1 0\n2 2 0\n")) == 2
    assert counted(read_cnf("p  cnf  3   1 \n 1 2 3 0\n%\n0\n\n")) == 7
    assert counted(read_cnf("p cnf 3 1\n1 2 0\nc p show 1\nc p show 3 0\n")) == 4
    assert counted(read_cnf("c ind 1 3 0\np cnf 3 1\n1 2 0\n")) == 4
    assert counted(read_cnf("p cnf 3 1\nc p show 0\n1 2 0\n")) == 1
    assert read_cnf("p cnf 3 1\n1 2 0\n").projection is None


def test_forms_of_opb() -> None:
    assert counted(read_opb("* #variable= 3 #constraint= 1\n+1 x1 +1 x2 = 1 ;")) == 4
    assert counted(read_opb("x + 2 ~y - 3 w <= 0;\n")) == sum(
        x + 2 * (not y) - 3 * w <= 0 for x, y, w in assignments(3)
    )
    assert counted(read_opb("* p show x1 0\n+1 x1\n +1 x2\n>= 1 ; +1 x3 >= 1 ;")) == 2
    assert read_opb("+1 b1 +1 a[2] >= 1 ;").names == ["b1", "a[2]"]
    objective = "min: +1 x1 +2 x2 ;\n+1 x1 +1 x2 >= 1 ;\n"
    with pytest.raises(PuzzleFormatError, match="objective"):
        read_opb(objective)
    assert counted(Problem.parse(objective, ending=".opb", ignore_objective=True)) == 3


def test_formats_are_recognised_without_a_name() -> None:
    assert Problem.parse("c x\nc y\np cnf 2 1\n1 2 0\n").names == ["x1", "x2"]
    assert Problem.parse("* #variable= 1 #constraint= 1\n+1 x1 >= 1 ;").names == ["x1"]
    assert Problem.parse("+1 x1 +1 x2 >= 1 ;").names == ["x1", "x2"]
    assert Problem.parse("symbol c\nc == 1").names == ["c"]
    assert Problem.parse("p cnf 2 1\n1 2 0\n", ending="DIMACS").names == ["x1", "x2"]
    with pytest.raises(ModelError, match=r"formula, opb, cnf, dimacs, found 'cnf.gz'"):
        Problem.parse("symbol a\na", ending="cnf.gz")


def random_problem(rng: random.Random) -> Problem:
    """Some of every kind of constraint over seven variables."""
    problem = Problem()
    x = list(problem.symbols("x[0..6]")[0])
    for _ in range(rng.randint(1, 4)):
        some = rng.sample(x, rng.randint(2, 7))
        kind = rng.randrange(6)
        if kind == 0:
            statement = sum(some) == 1
        elif kind == 1:
            statement = sum(some) <= 1
        elif kind == 2:
            statement = sum(rng.randint(-5, 5) * t for t in some) >= rng.randint(-5, 5)
        elif kind == 3:
            low = rng.randint(0, 3)
            total = sum(rng.randint(1, 4) * t for t in some)
            statement = (total >= low) & (total <= low + rng.randint(0, 6))
        elif kind == 4:
            a, b, c = rng.sample(x, 3)
            statement = a * b + 2 * c >= rng.randint(1, 3)
        else:
            a, b, c = rng.sample(x, 3)
            statement = (a ^ b ^ c).implies(sum(some) % 3 == rng.randint(0, 2))
        problem.add(statement)
    if rng.random() < 0.5:
        problem.project(*rng.sample(x, rng.randint(1, 5)))
    return problem


@pytest.mark.parametrize("seed", range(30))
def test_what_is_written_is_read_again_with_the_same_solutions(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng)
    expected = {
        values for values in assignments(7) if all(c.holds(values) for c in problem.constraints)
    }
    shown = problem.projection
    wanted = {tuple(v[i] for i in (shown or range(7))) for v in expected}
    text = "\n".join(cnf_lines(problem.names, problem.constraints, shown))
    again = Problem.parse(text)
    size = len(again.names)
    if size > 16:
        return
    full = [v for v in assignments(size) if clauses_hold(text, v)]
    # New variables are determined by the others: as many solutions, whatever is counted.
    assert len(full) == len(expected)
    assert {v[:7] for v in full} == expected
    assert [v for v in assignments(size) if all(c.holds(v) for c in again.constraints)] == full
    assert (again.projection is None) == (shown is None and size == 7)
    counted_here = again.projection or range(size)
    assert {tuple(v[i] for i in counted_here) for v in full} == wanted


def test_new_variables_only_where_there_are_many_clauses() -> None:
    small = Problem.parse("symbol a b c d\n2*a + 3*b + c + d >= 3\na*b | c^d")
    lines = list(cnf_lines(small.names, small.constraints))
    assert "p cnf 4 " in "\n".join(lines)
    assert not any("show" in line for line in lines)
    large = Problem.parse("symbol x[1..12]\nsum(x) == 6")
    lines = list(cnf_lines(large.names, large.constraints))
    assert "c p show 1 2 3 4 5 6 7 8 9 10 11 12 0" in lines
    again = read_cnf("\n".join(lines))
    assert len(again.names) > 12
    assert solver.count(again) == 924


@pytest.mark.parametrize("ending", ["formula", "cnf", "opb", ""])
@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_file_that_says_nothing_is_refused(ending: str, text: str) -> None:
    with pytest.raises(PuzzleFormatError, match=r"^line \d, column 1: expected .* found none$"):
        Problem.parse(text, ending=ending)


def test_a_header_says_something() -> None:
    assert counted(Problem.parse("p cnf 2 0\n", ending="cnf")) == 4
    assert counted(Problem.parse("* #variable= 2 #constraint= 0\n", ending="opb")) == 4
    for text in ("* a comment\n", "min: +1 x1 ;\n"):
        with pytest.raises(PuzzleFormatError, match=r"#variable= … #constraint= ….*found none"):
            Problem.parse(text, ending="opb", ignore_objective=True)


@pytest.mark.parametrize(
    ("text", "ending", "place"),
    [
        ("p cnf {n} 1\n1 0\n", "cnf", "line 1, column 1"),
        ("c p show {n} 0\np cnf 2 0\n", "cnf", "line 1, column 10"),
        ("symbol a\na == {n}\n", "formula", "line 2, column 6"),
    ],
)
def test_numbers_without_end_are_refused_with_their_place(
    text: str, ending: str, place: str
) -> None:
    with pytest.raises(PuzzleFormatError) as caught:
        Problem.parse(text.format(n="9" * 5000), ending=ending)
    assert str(caught.value).startswith(f"{place}: expected ")
    assert len(str(caught.value)) < 200
