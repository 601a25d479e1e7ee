"""Small boards: their numbers of grids, and every rule, by every engine, against all grids."""

from __future__ import annotations

import random

import pytest
from agreement import agreed_grids, constraints_hold, expected_grids, procedure_grids
from grids import dissections, every_grid, random_grids, symmetric_dissections
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import four_by_four
from recipes import RECIPES, names, random_rules, rules

from bddsudoku.puzzle.sudoku import Layout, Puzzle, empty_board_model
from bddsudoku.puzzle.sudoku.rules import Rule, known_rules
from bddsudoku.solver import count

SMALL = Layout(2, 2)
EMPTY = Puzzle([0] * 16)
NEVER = {"antiking", "antitaxicab", "globalmod", "nonconsecutive"}
"""Rules that no grid of 4x4 obeys; others do not fit the board at all."""


def placements(name: str, number: int, seed: object = "") -> list[Rule]:
    return random_rules(name, SMALL, number, [*every_grid(SMALL)], seed)


def test_every_rule_has_a_recipe() -> None:
    assert known_rules().keys() <= RECIPES.keys()


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


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "number", "most_hints"), [((2, 2), 200, 4), ((2, 3), 50, 20)])
@pytest.mark.parametrize("name", names())
def test_engines_agree_on_many_boards(
    name: str, shape: tuple[int, int], number: int, most_hints: int
) -> None:
    rng = random.Random(name)
    layout = Layout(*shape)
    n, grids = layout.n, random_grids(layout, 60, name)
    for rule in random_rules(name, layout, number, grids, "many"):
        grid = rng.choice(grids)
        size = rng.randint(max(most_hints - 4, 0), most_hints)
        hints = {cell: grid[cell] for cell in rng.sample(range(n * n), size)}
        puzzle = Puzzle([0] * (n * n), layout, rules=[rule]).with_hints(hints)
        agreed_grids(puzzle, ("frontier", "search", "dlx", "brute-force"))


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


@pytest.mark.parametrize("shape", [(2, 3), (3, 2)])
@pytest.mark.parametrize("name", names())
def test_rules_on_six_by_six(name: str, shape: tuple[int, int]) -> None:
    layout = Layout(*shape)
    grids = random_grids(layout, 8, name)
    rng = random.Random(name)
    for rule in random_rules(name, layout, 2, grids):
        grid = next((grid for grid in grids if rule.holds(grid)), grids[0])
        hints = {cell: grid[cell] for cell in rng.sample(range(36), 16)}
        puzzle = Puzzle([0] * 36, layout, rules=[rule]).with_hints(hints)
        assert (grid.numbers in agreed_grids(puzzle, ("frontier", "search", "dlx"))) == rule.holds(
            grid
        )


# Numbers of grids: jigsaws over all dissections, Latin squares

JIGSAWS = [1, 4, 72, 13872, 11762160]
"""Grids of n x n over all dissections into n connected regions (OEIS A172477 counts regions)."""
LATIN = [1, 2, 12, 576, 161280, 812851200]
"""OEIS A002860."""


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


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_latin_squares(n: int) -> None:
    model = empty_board_model(Layout.latin(n))
    assert count(model, "frontier") == LATIN[n - 1]
    if n < 5:
        assert count(model, "dlx") == count(model, "search") == LATIN[n - 1]


@pytest.mark.slow
def test_latin_squares_of_six() -> None:
    assert count(empty_board_model(Layout.latin(6)), "frontier") == LATIN[5]
