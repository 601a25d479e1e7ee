"""Rules about cells, dots, lines and arrows: engines against plain tests of filled grids."""

from __future__ import annotations

import random

import pytest
from agreement import agreed_grids, constraints_hold
from grids import every_grid
from strategies import shuffled_grid

from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.rules import (
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


TRUE = """
even r1c2 r2c1
odd r1c1 r9c9
minimum r1c1  # 1 beside 2 and 4
minimum r1c1 r1c2  # 2 beside 3 and 5, the 1 is among them
maximum r1c9  # 9 beside 8 and 3
maximum r3c3  # 9 beside 6, 8, 1, 1
maximum r1c8 r1c9
difference r1c1 r1c2
difference 3 r1c1 r2c1
difference 3 r2c1 r1c1
ratio r1c1 r1c2
ratio r1c2 r1c1
ratio 4 r1c1 r2c1
xv v r1c2 r1c3
xv x r2c6 r2c7  # 9 + 1
negative xv 18
thermo r1c1 r1c2 r1c3 r2c4
slowthermo r1c5 r2c4 r3c3  # 5 7 9
slowthermo r3c4 r4c3
palindrome r3c4 r4c3
palindrome r3c4 r4c4 r4c3
renban r1c3 r1c1 r1c2
whispers 2 r2c6 r2c7 r3c6
whispers r3c3 r3c4 r2c4  # 9 1 7
nabner r1c1 r2c1 r3c1  # 1 4 7
entropic r1c1 r2c1 r3c1
entropic r1c1 r2c2 r3c3 r3c4 r4c4  # 1 5 9 1 5
modular r1c1 r1c2 r1c3 r1c4
modular 2 r1c1 r1c2 r1c3
between r1c1 r1c2 r1c3
between r1c3 r1c2 r1c1
doublearrow r1c1 r1c2 r2c2 r2c3  # 2 + 5 = 1 + 6
zipper r1c1 r1c3 r1c2  # 1 + 2 = 3
zipper r1c2 r2c2 r1c3  # 2 + 3 = 5
zipper r1c1 r1c2 r1c3 r1c4  # 1 + 4 = 2 + 3
regionsum r1c2 r2c2 r2c4  # 2 + 5 = 7
regionsum r1c1 r2c2 r3c2
arrow r1c3 > r1c2 r1c1
arrow r1c1 r1c2 > r2c1 r3c2  # 12 = 4 + 8
arrow r1c2 r1c1 > r2c1 r3c2
"""
FALSE = """
even r1c2 r1c1
odd r1c1 r1c4
minimum r1c2
maximum r1c8
difference r1c1 r2c1
ratio r1c2 r1c3
xv x r4c6 r5c6
xv x r2c4 r2c5
negative ratio
negative xv 17  # 8 9
negative difference 4 8
thermo r1c1 r2c1 r1c2
slowthermo r1c1 r2c2 r2c1
slowthermo r6c6 r7c7 r8c6
thermo r3c4 r4c3  # 1 1
palindrome r3c4 r4c4 r5c4
renban r2c3 r2c2 r3c2  # 6 5 8
renban r3c4 r4c3
whispers r2c6 r2c7 r3c6  # 9 1 3
nabner r1c1 r2c1 r1c2
nabner r3c4 r4c3
entropic r1c1 r1c2
modular r1c1 r2c1
modular 4 r1c1 r1c2 r1c3 r2c4 r2c5  # 1 2 3 3 0
between r1c1 r1c3 r1c2
between r1c2 r1c1 r2c2
doublearrow r1c1 r1c2 r2c1
zipper r1c1 r1c2 r1c3
zipper r1c1 r1c3 r1c2 r1c1
regionsum r1c3 r1c4
regionsum r1c1 r1c2 r1c3 r1c4
regionsum r2c1 r2c2 r3c3 r3c4 r4c4
regionsum r3c6 r4c7
regionsum r1c3 r2c4 r2c3 r1c4  # 3 | 7 | 6 | 4
arrow r1c3 > r1c2 r2c2
arrow r1c1 r1c2 r1c3 > r2c1 r3c2
"""
"""Rules that hold in ``PLAIN`` and that do not, with the digits in question."""


def test_definitions() -> None:
    for text, truth in ((TRUE, True), (FALSE, False)):
        for line in text.strip().splitlines():
            assert rule_from_line(line.partition("  #")[0]).holds(PLAIN) is truth, line


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
