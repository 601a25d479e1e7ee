"""Problems that are asked about in Python: through their projection, and covers and tilings."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bddsudoku import BddSudokuError, Model, Problem, check, compile_set, count, solve
from bddsudoku.puzzle.sudoku import Puzzle
from bddsudoku.sets import KeyDecoder
from bddsudoku.solver import iterate_solution_keys, make_question
from bddsudoku.solver.cube_and_conquer import count_in_parts
from bddsudoku.work import LocalRunner

LANGUAGE = "symbol a b c\n1\nproject a"
CNF = "c p show 1 0\np cnf 3 1\n1 2 3 0\n"
OPB = "* #variable= 3 #constraint= 1\n* p show x1 0\n+1 x1 +1 x2 +1 x3 >= 1 ;\n"


@pytest.mark.parametrize("text", [LANGUAGE, CNF, OPB])
def test_whoever_is_asked_looks_through_the_projection(text: str) -> None:
    problem = Problem.parse(text)
    (name,) = problem.names[:1]
    both = [{name: 0}, {name: 1}]
    assert count(problem) == count(problem, "frontier") == count(problem, "search") == 2
    for found in (solve(problem), compile_set(problem), solve(problem, "search")):
        assert found.count() == 2
        assert sorted(found, key=str) == both
        assert all(drawn in both for drawn in found.sample(5, 1))
    assert sorted(map(tuple, iterate_solution_keys(problem))) == [(), (0,)]
    assert len(list(iterate_solution_keys(problem, limit=1))) == 1
    verdict = check(problem)
    assert verdict.agree
    assert {run.count for run in verdict.runs} == {2}
    assert count_in_parts(problem, LocalRunner()).count == 2


CLAUSE = st.lists(st.sampled_from([k for k in range(-6, 7) if k]), min_size=1, max_size=3)


@given(st.lists(CLAUSE, max_size=6), st.sets(st.integers(1, 6)))
def test_projected_counts_are_those_of_brute_force(
    clauses: list[list[int]], seen: set[int]
) -> None:
    head = f"c p show {' '.join(map(str, sorted(seen)))} 0\np cnf 6 {len(clauses)}\n"
    problem = Problem.parse(head + "".join(f"{' '.join(map(str, c))} 0\n" for c in clauses))
    true = [
        tuple(values[v - 1] for v in sorted(seen))
        for values in product((False, True), repeat=6)
        if all(any(values[abs(k) - 1] == (k > 0) for k in c) for c in clauses)
    ]
    expected = {tuple(map(int, row)) for row in true}
    assert count(problem) == count_in_parts(problem, LocalRunner()).count == len(expected)
    assert {tuple(solution.values()) for solution in solve(problem)} == expected
    assert len({tuple(keys) for keys in iterate_solution_keys(problem)}) == len(expected)


def test_a_classic_board_is_looked_at_through_its_first_row() -> None:
    """Engines that hold boards of this kind without a diagram cannot project, and are not taken."""
    puzzle = Puzzle.parse(
        "000000010400000000020000000000050407008000300001090000300400200050100000000800000"
    )

    class FirstRow:
        projection = tuple(range(81))

        def model(self) -> Model:
            return make_question(puzzle).model

        def decoder(self) -> KeyDecoder:
            return KeyDecoder()

    rows = {grid.cells[:9] for grid in solve(puzzle)}
    assert 1 < len(rows) < count(puzzle)
    assert count(FirstRow()) == solve(FirstRow()).count() == len(rows)
    with pytest.raises(BddSudokuError, match="bands cannot project; take frontier"):
        solve(FirstRow(), "bands")


@pytest.mark.parametrize(
    ("text", "counted", "solutions"),
    [
        ("integer a in 2..2\nproject a", 1, [{"a": 2}]),
        ("integer a in 2..2\nsymbol b\na + b < 4\nproject a", 1, [{"a": 2}]),
        ("integer a in 2..2\nsymbol b\na + b < 4\nproject b", 2, [{"b": 0}, {"b": 1}]),
        ("integer q[1..2] in {3}\nsymbol b\nb\nproject q", 1, [{"q[1]": 3, "q[2]": 3}]),
        ("integer a c in 2..2\na == c\nproject a", 1, [{"a": 2}]),
    ],
)
def test_a_constant_is_projected(text: str, counted: int, solutions: list[dict[str, int]]) -> None:
    problem = Problem.parse(text)
    assert count(problem) == counted
    assert sorted(solve(problem), key=str) == solutions


def test_a_constant_is_projected_as_a_term() -> None:
    problem = Problem()
    n, b = problem.integer("n", [2]), problem.symbols("b")[0]
    problem.add(n + b < 4)
    assert list(solve(problem.project(n))) == [{"n": 2}]
    with pytest.raises(BddSudokuError, match="expected a variable"):
        problem.project(n + 1)
