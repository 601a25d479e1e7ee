"""Rules about cells, dots, lines and arrows: engines against plain tests of filled grids."""

from __future__ import annotations

import random

import pytest
from agreement import agreed_grids, constraints_hold
from grids import every_grid
from strategies import shuffled_grid

from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import (
    XV,
    Difference,
    Modular,
    Ratio,
    Whispers,
    cells,
    rule_from_line,
)

SMALL = [
    "whispers 2 r1c1 r2c2 r3c1 r1c1",
    "whispers 3 r1c1 r1c2 r2c2 r2c1 r1c1",
    "whispers 1 r1c1 r2c2 r1c1 r3c4 r4c1 r3c4",
    "modular 3 r1c1 r2c2 r1c1",
    "modular 2 r1c1 r2c2 r3c3 r4c2 r3c1 r2c2 r1c1",
    "modular 4 r1c1 r2c2 r3c3 r3c4 r4c4",
    "renban r1c1 r2c2 r3c1 r1c1",
    "renban r1c1 r1c2 r1c3 r1c4 r2c4",
    "nabner r1c1 r3c3 r1c1",
    "palindrome r1c1 r2c2 r1c1",
    "palindrome r1c1 r2c2 r4c3 r1c1 r3c3",
    "thermo r1c1 r1c2 r1c3 r1c4 r2c4",
    "thermo r1c1 r3c4 r2c2",
    "arrow r1c1 > r3c3 r4c2",
    "arrow r1c1 r1c2 > r2c2 r2c3 r3c3 r3c4 r4c4",
    "negative difference 1 2 r1c1 r1c2 r2c2 r3c2",
    "negative ratio 4",
]
"""Rules that no recipe draws: lines that return to a cell, have gaps, or are longer than a side."""


@pytest.mark.parametrize("line", SMALL)
def test_engines_on_small_boards(line: str) -> None:
    rule = rule_from_line(line)
    for grid in every_grid(Layout(2, 2)):
        assert constraints_hold(rule, grid) == rule.holds(grid)
    agreed_grids(Puzzle([0] * 16, rules=[rule]), ("frontier", "search"))


PLAIN = Puzzle.parse("""
1 2 3 4 5 6 7 8 9
4 5 6 7 8 9 1 2 3
7 8 9 1 2 3 4 5 6
2 3 1 5 6 4 8 9 7
5 6 4 8 9 7 2 3 1
8 9 7 2 3 1 5 6 4
3 1 2 6 4 5 9 7 8
6 4 5 9 7 8 3 1 2
9 7 8 3 1 2 6 4 5
""")


@pytest.mark.parametrize(
    ("line", "truth"),
    [
        ("even r1c2 r2c1", True),
        ("even r1c2 r1c1", False),
        ("odd r1c1 r9c9", True),
        ("odd r1c1 r1c4", False),
        ("minimum r1c1", True),  # 1 beside 2 and 4
        ("minimum r1c2", False),
        ("minimum r1c1 r1c2", True),  # 2 beside 3 and 5, the 1 is among them
        ("maximum r1c9", True),  # 9 beside 8 and 3
        ("maximum r3c3", True),  # 9 beside 6, 8, 1, 1
        ("maximum r1c8", False),
        ("maximum r1c8 r1c9", True),
        ("difference r1c1 r1c2", True),
        ("difference 3 r1c1 r2c1", True),
        ("difference 3 r2c1 r1c1", True),
        ("difference r1c1 r2c1", False),
        ("ratio r1c1 r1c2", True),
        ("ratio r1c2 r1c1", True),
        ("ratio 4 r1c1 r2c1", True),
        ("ratio r1c2 r1c3", False),
        ("xv v r1c2 r1c3", True),
        ("xv x r4c6 r5c6", False),
        ("xv x r2c4 r2c5", False),
        ("xv x r2c6 r2c7", True),  # 9 + 1
        ("negative ratio", False),
        ("negative xv 17", False),  # 8 9
        ("negative xv 18", True),
        ("negative difference 4 8", False),
        ("thermo r1c1 r1c2 r1c3 r2c4", True),
        ("thermo r1c1 r2c1 r1c2", False),
        ("slowthermo r1c1 r2c2 r2c1", False),
        ("slowthermo r6c6 r7c7 r8c6", False),
        ("slowthermo r1c5 r2c4 r3c3", True),  # 5 7 9
        ("thermo r3c4 r4c3", False),  # 1 1
        ("slowthermo r3c4 r4c3", True),
        ("palindrome r3c4 r4c3", True),
        ("palindrome r3c4 r4c4 r4c3", True),
        ("palindrome r3c4 r4c4 r5c4", False),
        ("renban r1c3 r1c1 r1c2", True),
        ("renban r2c3 r2c2 r3c2", False),  # 6 5 8
        ("renban r3c4 r4c3", False),
        ("whispers r2c6 r2c7 r3c6", False),  # 9 1 3
        ("whispers 2 r2c6 r2c7 r3c6", True),
        ("whispers r3c3 r3c4 r2c4", True),  # 9 1 7
        ("nabner r1c1 r2c1 r3c1", True),  # 1 4 7
        ("nabner r1c1 r2c1 r1c2", False),
        ("nabner r3c4 r4c3", False),
        ("entropic r1c1 r2c1 r3c1", True),
        ("entropic r1c1 r2c2 r3c3 r3c4 r4c4", True),  # 1 5 9 1 5
        ("entropic r1c1 r1c2", False),
        ("modular r1c1 r1c2 r1c3 r1c4", True),
        ("modular r1c1 r2c1", False),
        ("modular 2 r1c1 r1c2 r1c3", True),
        ("modular 4 r1c1 r1c2 r1c3 r2c4 r2c5", False),  # 1 2 3 3 0
        ("between r1c1 r1c2 r1c3", True),
        ("between r1c3 r1c2 r1c1", True),
        ("between r1c1 r1c3 r1c2", False),
        ("between r1c2 r1c1 r2c2", False),
        ("doublearrow r1c1 r1c2 r2c1", False),
        ("doublearrow r1c1 r1c2 r2c2 r2c3", True),  # 2 + 5 = 1 + 6
        ("zipper r1c1 r1c3 r1c2", True),  # 1 + 2 = 3
        ("zipper r1c1 r1c2 r1c3", False),
        ("zipper r1c1 r1c3 r1c2 r1c1", False),
        ("zipper r1c2 r2c2 r1c3", True),  # 2 + 3 = 5
        ("zipper r1c1 r1c2 r1c3 r1c4", True),  # 1 + 4 = 2 + 3
        ("regionsum r1c3 r1c4", False),
        ("regionsum r1c1 r1c2 r1c3 r1c4", False),
        ("regionsum r2c1 r2c2 r3c3 r3c4 r4c4", False),
        ("regionsum r3c6 r4c7", False),
        ("regionsum r1c3 r2c4 r2c3 r1c4", False),  # 3 | 7 | 6 | 4
        ("regionsum r1c2 r2c2 r2c4", True),  # 2 + 5 = 7
        ("regionsum r1c1 r2c2 r3c2", True),
        ("arrow r1c3 > r1c2 r1c1", True),
        ("arrow r1c3 > r1c2 r2c2", False),
        ("arrow r1c1 r1c2 > r2c1 r3c2", True),  # 12 = 4 + 8
        ("arrow r1c2 r1c1 > r2c1 r3c2", True),
        ("arrow r1c1 r1c2 r1c3 > r2c1 r3c2", False),
    ],
)  # fmt: skip
def test_definitions(line: str, truth: bool) -> None:
    assert rule_from_line(line).holds(PLAIN) is truth


def test_values_have_defaults() -> None:
    pair = cells("r1c1 r1c2")
    assert rule_from_line("difference r1c1 r1c2") == Difference(pair, 1)
    assert rule_from_line("ratio r1c1 r1c2") == Ratio(pair, 2)
    assert rule_from_line("modular r1c1 r1c2") == Modular(pair, 3)
    assert rule_from_line("xv X r1c1 r1c2") == XV(pair, "x")
    german, dutch = Whispers(pair), Whispers(pair, 4)
    assert (german.text, dutch.text) == ("whispers r1c1 r1c2", "whispers 4 r1c1 r1c2")


def test_split_constraints_are_equivalent() -> None:
    rng = random.Random(5)
    layout, big = Layout(), Layout(4, 4)
    found = set()
    for line, board in (
        ("zipper " + " ".join(f"r{i}c{i}" for i in range(1, 9)), layout),
        ("arrow r1c1 r1c2 > r2c2 r3c3 r4c4 r5c5 r6c6 r7c7", layout),
        ("renban " + " ".join(f"r{i}c{i}" for i in range(1, 10)), big),
        ("nabner " + " ".join(f"r{i}c{i}" for i in range(1, 6)), Layout(5, 5)),
        ("nabner r1c1 r2c2 r3c3 r4c4", Layout(5, 5)),
    ):
        rule = rule_from_line(line)
        for _ in range(60):
            grid = shuffled_grid(board, rng)
            assert constraints_hold(rule, grid) == rule.holds(grid)
            found.add((rule.name, rule.holds(grid)))
    assert len(found) > 4


def test_mdds_are_small() -> None:
    """Widths of MDDs on 9×9 boards, which multiply in products with other constraints."""
    for line, most in (
        ("thermo r1c1 r2c1 r3c1 r4c1 r5c1", 5),
        ("whispers r1c1 r2c2 r3c4 r4c5 r5c7", 9),
        ("renban r1c1 r2c2 r3c3 r4c4 r5c5", 60),
        ("entropic r1c1 r2c2 r3c3 r4c4 r5c5", 6),
        ("between r1c1 r2c2 r3c3 r4c4 r5c5", 72),
    ):
        for made in rule_from_line(line).constraints(Layout()):
            assert isinstance(made, Automaton)
            assert made.mdd.width <= most, line
