"""Every rule on boards of other shapes and digits, against tests of all or many grids."""

from __future__ import annotations

import random
from itertools import product

import pytest
from agreement import agreed_grids, constraints_hold
from grids import every_grid, layout_houses, random_grids
from recipes import names, random_rules

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line

SHAPES = {
    "2x3": Layout.of_shape(2, 3),
    "2x3, 0-2": Layout.of_shape(2, 3, (0, 2)),
    "3x2, 1-5": Layout.of_shape(3, 2, (1, 5)),
    "4x4, 0-3": Layout.of_shape(4, 4, (0, 3)),
    "3x4, 0-4": Layout.of_shape(3, 4, (0, 4)),
    "4x4, 2-7 in blocks": Layout.of_shape(4, 4, (2, 7)),
    "4x5": Layout.of_shape(4, 5),
    "4x6 in blocks": Layout.of_shape(4, 6),
    "6x6, 0-5": Layout.of_shape(6, 6, (0, 5)),
    "6x6, 0-8 in blocks of 9": Layout.of_shape(6, 6, (0, 8), 9),
    "6x9": Layout.of_shape(6, 9),
    "4x4": Layout(2, 2),
    "6x6": Layout(2, 3),
    "6x6, high blocks": Layout(3, 2),
    "9x9": Layout(),
    "3x3 with two regions": Layout(1, 3, (0, 0, 1, 0, 1, 1, 1, -1, -1), digits=(0, 3)),
    "3x5 with a house": Layout(1, 5, (), ((0, 6, 12),), shape=(3, 5)),
}
QUICK = ["2x3, 0-2", "4x4, 0-3", "3x4, 0-4", "4x5", "3x3 with two regions", "6x6", "9x9"]
TINY = [name for name, layout in SHAPES.items() if layout.cell_count < 13]


def brute_force(layout: Layout) -> int:
    """The number of grids among all sequences of digits, with houses tested here."""
    houses = layout_houses(layout)
    return sum(
        all(len({cells[c] for c in house}) == len(house) for house in houses)
        for cells in product(layout.values, repeat=layout.cell_count)
    )


def placements(name: str, shape: str, number: int) -> list[Rule]:
    layout = SHAPES[shape]
    grids = [*every_grid(layout)] if shape in TINY else random_grids(layout, 12, name)
    return random_rules(name, layout, number, grids, shape)


@pytest.mark.parametrize("shape", ["2x3", "2x3, 0-2", "3x2, 1-5"])
def test_the_grids_themselves(shape: str) -> None:
    layout = SHAPES[shape]
    assert len(agreed_grids(Puzzle([layout.blank] * layout.cell_count, layout))) == brute_force(
        layout
    )


def check_constraints(name: str, shape: str, grid_count: int, number: int) -> None:
    grids = random_grids(SHAPES[shape], grid_count, name)
    for rule in placements(name, shape, number):
        for grid in grids:
            assert constraints_hold(rule, grid) == rule.holds(grid), (rule.text, grid.text)


@pytest.mark.parametrize("name", names())
def test_constraints_are_the_definition(name: str) -> None:
    for shape in QUICK:
        check_constraints(name, shape, 30, 2)


def check_engines(name: str, shape: str, number: int) -> None:
    layout, rng = SHAPES[shape], random.Random(f"{name} {shape}")
    for rule in placements(name, shape, number):
        grid = random_grids(layout, 1, rng.randrange(10**6))[0]
        size = layout.cell_count
        hints = rng.sample(range(size), max(0, size - 9))
        puzzle = Puzzle([layout.blank] * size, layout, rules=[rule])
        puzzle = puzzle.with_hints({cell: grid[cell] for cell in hints})
        assert Puzzle.parse(puzzle.text) == puzzle
        agreed_grids(puzzle)


@pytest.mark.parametrize("name", names())
def test_engines_agree(name: str) -> None:
    for shape in QUICK[:5]:
        check_engines(name, shape, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_constraints_are_the_definition_on_every_shape(name: str) -> None:
    for shape in SHAPES:
        check_constraints(name, shape, 60, 8)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", names())
def test_engines_agree_on_many_boards(name: str, shape: str) -> None:
    check_engines(name, shape, 12)


@pytest.mark.parametrize(
    ("line", "shape", "message"),
    [
        ("antitaxicab", "4x4, 0-3", "without the digit 0"),
        ("dutchflatmates", "4x4, 0-3", "digits from 1 on"),
        ("diagonal", "4x5", "do not end in its corners"),
        ("windoku", "4x5", "no usual blocks"),
        ("cage 10 r1c1 r1c2", "2x3, 0-2", "from 1 to 3"),
        ("quadruple 3 r1c1 r1c2 r2c1 r2c2", "2x3, 0-2", "a digit from 0 to 2"),
        ('regex "3" r1c1', "2x3, 0-2", "expected digits 0 to 2"),
        ("sandwich 3 r0c2", "2x3", "expected a sum that is 0, found 3"),
        ("arrow r1c1 r2c2", "2x3", "expected cells after '>'"),
        ("xsum 3 r0c7", "4x5", "beside a row or column"),
        ("thermo r1c1 r5c1", "4x5", "not on a board of 4x5"),
    ],
)
def test_refused(line: str, shape: str, message: str) -> None:
    layout = SHAPES[shape]
    with pytest.raises(PuzzleFormatError, match=message):
        Puzzle([layout.blank] * layout.cell_count, layout, rules=[rule_from_line(line)])
