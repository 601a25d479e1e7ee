"""Small boards: their numbers of grids, and every rule, by every engine, against all grids."""

from __future__ import annotations

import pytest
from agreement import agreed_grids, constraints_hold, expected_grids, procedure_grids
from grids import dissections, every_grid, symmetric_dissections
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import four_by_four
from recipes import names, random_rules, rules

from bddsudoku.puzzle.sudoku import Layout, Puzzle, empty_board_model
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.solver import count

SMALL = Layout(2, 2)
EMPTY = Puzzle([0] * 16)
NEVER = {"antiking", "antitaxicab", "globalmod", "nonconsecutive"}
"""Rules that no grid of 4x4 obeys; others do not fit the board at all."""


def placements(name: str, number: int, seed: object = "") -> list[Rule]:
    return random_rules(name, SMALL, number, [*every_grid(SMALL)], seed)


def test_the_grids_themselves() -> None:
    assert {grid.cells for grid in every_grid(SMALL)} == {*four_by_four()}
    assert [len({*dissections(n)}) for n in (1, 2, 3, 4)] == [1, 2, 10, 117]
    assert agreed_grids(EMPTY) == {*four_by_four()}


@pytest.mark.parametrize("name", names())
def test_constraints_are_the_definition(name: str) -> None:
    seen = set()
    for rule in placements(name, 24):
        holding = [rule.holds(grid) for grid in every_grid(SMALL)]
        assert [constraints_hold(rule, grid) for grid in every_grid(SMALL)] == holding, rule.text
        seen.update(holding)
    assert seen == ({False} if name in NEVER else {True, False} if seen else set())


@pytest.mark.parametrize("name", names())
def test_engines_agree_on_every_rule(name: str) -> None:
    for rule in placements(name, 5, "engines"):
        agreed_grids(EMPTY.with_rule(rule))


@pytest.mark.parametrize("name", names())
def test_bdds_of_three_procedures(name: str) -> None:
    for procedure, rule in enumerate(placements(name, 3, "procedures"), 1):
        puzzle = EMPTY.with_rule(rule)
        assert procedure_grids(puzzle, procedure) == expected_grids(puzzle), puzzle.text


@settings(max_examples=25)
@given(st.data())
def test_rules_on_boards_of_any_blocks(data: st.DataObject) -> None:
    cut = data.draw(st.sampled_from([*dissections(4)]))
    extra = Layout(2, 2, extra=((0, 5, 10, 15),))
    boards = [Layout.jigsaw(cut), Layout.latin(3), Layout.latin(4), extra]
    layout = data.draw(st.sampled_from(boards))
    grids = every_grid(layout)
    grid = data.draw(st.sampled_from(grids)) if grids else None
    chosen = data.draw(st.lists(rules(layout, grid), min_size=1, max_size=3))
    agreed_grids(
        Puzzle([layout.blank] * layout.cell_count, layout, rules=chosen),
        ("frontier", "search", "dlx"),
    )


# Numbers of grids: jigsaws over all dissections, Latin squares

JIGSAWS = [1, 4, 72, 13872, 11762160]
"""Grids of n x n over all dissections into n connected regions (OEIS A172477 counts regions)."""


def jigsaws(n: int, engine: str) -> int:
    total = 0
    left = {*dissections(n)}
    while left:
        symmetric = symmetric_dissections(next(iter(left)), n)
        assert symmetric <= left
        left -= symmetric
        model = empty_board_model(Layout.jigsaw(symmetric.pop()))
        total += (1 + len(symmetric)) * count(model, engine)
    return total


@pytest.mark.parametrize("engine", ["frontier", "search", "dlx"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_jigsaws(n: int, engine: str) -> None:
    assert jigsaws(n, engine) == JIGSAWS[n - 1]


@pytest.mark.slow
def test_jigsaws_of_five() -> None:
    assert jigsaws(5, "frontier") == JIGSAWS[4]
