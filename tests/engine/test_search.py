"""The search engine: counts, first solutions, limits, seeds and supports."""

from __future__ import annotations

import random

import pytest
from automata import automaton
from model.random_constraints import random_model
from oracles import by_enumeration

from bddsudoku.context import Context
from bddsudoku.engine.protocol import choose_listing_engine, find_engine
from bddsudoku.engine.search.engine import ConstraintSearch, SearchEngine
from bddsudoku.errors import LimitReached
from bddsudoku.model import Model, Variable, forward_check
from bddsudoku.model.constraints import OneHot
from bddsudoku.puzzle import Problem
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.rules import rule_from_line
from bddsudoku.solver import solve


@pytest.mark.parametrize("seed", range(80))
def test_counts_solutions_and_supports_of_small_models(seed: int) -> None:
    model = random_model(random.Random(seed), 9)
    wanted = by_enumeration(model)
    lister = find_engine("search")
    assert isinstance(lister, SearchEngine)
    found = [frozenset(keys.tolist()) for keys in lister.solutions(model, Context())]
    assert len(found) == len(set(found))
    assert set(found) == wanted
    for limit in (0, 1, 3):
        first = [frozenset(k.tolist()) for k in lister.solutions(model, Context(), limit=limit)]
        assert len(first) == min(limit, len(wanted))
        assert set(first) <= wanted
    shuffled = [frozenset(k.tolist()) for k in lister.solutions(model, Context(), seed=seed)]
    assert sorted(map(sorted, shuffled)) == sorted(map(sorted, wanted))
    assert lister.count(model, Context()) == len(wanted)
    assert set(lister.supports(model, Context()).tolist()) == set().union(*wanted)


QUEENS = """
n = 8
symbol q[1..n][1..n]
row: sum(q[r][c] for c in 1..n) == 1 for r in 1..n
column: sum(q[r][c] for r in 1..n) == 1 for c in 1..n
q[r][c] + q[r + k][c + k] <= 1 for r in 1..n, c in 1..n, k in 1..n if r + k <= n && c + k <= n
q[r][c] + q[r + k][c - k] <= 1 for r in 1..n, c in 1..n, k in 1..n if r + k <= n && c - k >= 1
"""


def test_limits_end_a_search() -> None:
    model, search = Problem.parse(QUEENS).model(), SearchEngine()
    assert search.count(model, Context()) == 92
    few = ConstraintSearch(forward_check(model), Context())
    few.advance(None, 50)
    assert not few.done
    assert few.count < 92
    assert len(list(search.solutions(model, Context(), limit=5))) == 5
    with pytest.raises(LimitReached, match="nodes limit reached by search after"):
        list(search.solutions(model, Context(), node_limit=50))
    assert len(search.supports(model, Context())) == 64  # every square holds a queen somewhere


def test_variables_in_no_constraint_take_both_values() -> None:
    variables = tuple(Variable(f"x{i}", i) for i in range(74))
    model, search = Model(variables, (OneHot("pair", "a", (0, 1)),)), SearchEngine()
    assert search.count(model, Context()) == 2 << 72
    first = {tuple(keys.tolist()) for keys in search.solutions(model, Context(), limit=5)}
    assert len(first) == 5


def test_progress_may_stop_it() -> None:
    model = Problem.parse("symbol x[1..40]\nsum(x[i] for i in 1..40) == 20").model()

    def stop(done: float, total: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SearchEngine().count(model, Context(progress=stop))
    with pytest.raises(LimitReached, match=r"time limit of 0\.2 s reached by search"):
        list(SearchEngine().solutions(model, Context(time_limit=0.2)))


def test_boards_that_share_houses_share_nothing_else() -> None:
    """Rules of one puzzle leave no trace in what is kept of its board."""
    rows = ("123456789", "456789123", "789123456")
    solved = "".join(row[k:] + row[:k] for k in range(3) for row in rows)
    hints = {cell: int(digit) for cell, digit in enumerate(solved) if cell > 26}
    plain = Puzzle([0] * 81).with_hints(hints)
    grids = [*solve(plain)]
    wanted = SearchEngine().count(allocate(plain), Context())
    assert wanted == len(grids) > 1
    for line in (
        "lookandsay 1 1 r1c1 r1c2 r5c5",
        "cage 9 r1c1 r2c2",
        "antiknight",
        "thermo r1c1 r1c2 r1c3",
    ):
        other = plain.with_rule(rule_from_line(line))
        expected = sum(other.with_hints(dict(enumerate(g.cells))).is_solution for g in grids)
        assert SearchEngine().count(allocate(other), Context()) == expected
        assert SearchEngine().count(allocate(plain), Context()) == wanted


def test_large_boards_are_searched_and_small_ones_covered() -> None:
    for size, name in ((8, "dlx"), (16, "search")):
        puzzle = Puzzle([0] * size**2, Layout.of_size(size))
        assert choose_listing_engine(allocate(puzzle)).name == name


def test_known_cells_of_a_cage_that_repeat_a_digit() -> None:
    """The set of known digits does not show that two are equal."""
    grid = "1234341221434321"
    cage = rule_from_line("cage r1c1 r1c2 r2c3 r4c4")  # 1, 2, 1, 1
    for hints in (grid, "." + grid[1:], grid[:1] + "." + grid[2:]):
        model = allocate(Puzzle.parse(hints).with_rule(cage))
        assert SearchEngine().count(model, Context()) == 0
    lines = rule_from_line("renban r1c1 r1c2 r2c3 r4c4")
    model = allocate(Puzzle.parse(grid[:1] + "." + grid[2:]).with_rule(lines))
    assert SearchEngine().count(model, Context()) == 0


@pytest.mark.parametrize("name", ["six groups", "a wide group"])
def test_groups_of_several_cells(name: str) -> None:
    """What an automaton reads together need be no cell: it is repeated by a cell of its own."""
    n = 70 if name == "a wide group" else 6
    items = [OneHot("item", str(i), (2 * i, 2 * i + 1)) for i in range(n)]
    group = tuple(range(0, 2 * n, 2))
    read = automaton("one", "", [group], 0, lambda _, s: s, lambda s: s % 2 == 1)
    model = Model(tuple(Variable(f"v{i}", i) for i in range(2 * n)), (*items, read))
    found = [keys.tolist() for keys in SearchEngine().solutions(model, Context())]
    assert len(found) == n // 2
    assert all(sum(key % 2 == 0 for key in keys) == 1 for keys in found)
