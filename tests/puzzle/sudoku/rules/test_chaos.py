"""Regions to be found, against every division of a 4x4 board and every Latin square."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import product

import numpy as np
import pytest
from grids import all_grids, dissections, random_grid

from bddsudoku.context import Context
from bddsudoku.engine.search.engine import SearchEngine
from bddsudoku.jit.decorators import AnyArray
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.iss import read_iss, write_iss
from bddsudoku.puzzle.sudoku.rules import Rule, rule_from_line

HEAD = "# digits: 1-{0}\n# shape: {0}x{0}\n# layout: 1x{0}\n# cells: CC {0}x{0} 1-{0}\n"


def board(n: int, rules: str = "") -> Puzzle:
    """A board without blocks, with regions to be found."""
    rows = "\n".join(["." * n] * n)
    return Puzzle.parse(f"{HEAD.format(n)}{rows}\nregions none\nchaos\n{rules}")


@cache
def solutions() -> list[Puzzle]:
    """Every Latin square with every division into connected regions without a repeated digit."""
    empty = board(4)
    latin = [*map(tuple, _latin_squares(()))]
    found = []
    for regions in dissections(4):
        numbers = [1 + [*dict.fromkeys(regions)].index(r) for r in regions]
        found += [
            Puzzle([*grid, *numbers], empty.layout)
            for grid in latin
            if len({*zip(regions, grid, strict=True)}) == 16
        ]
    return found


def _latin_squares(filled: tuple[int, ...]) -> list[tuple[int, ...]]:
    if len(filled) == 16:
        return [filled]
    row, column = divmod(len(filled), 4)
    seen = {*filled[4 * row :], *filled[column::4]}
    return [more for d in {1, 2, 3, 4} - seen for more in _latin_squares((*filled, d))]


def search_count(puzzle: Puzzle) -> int:
    return SearchEngine().count(allocate(puzzle), Context())


def test_number_of_boards() -> None:
    """Jigsaws over all divisions: 72 with side 3, 13,872 with side 4."""
    assert search_count(board(3)) == 72
    assert search_count(board(4)) == len(solutions()) == 13_872


def clue(rng: random.Random, n: int = 4) -> Rule:
    """A random rule on grid and regions."""
    cells = [*product(range(1, n + 1), repeat=2)]
    grid = [f"r{r}c{c}" for r, c in cells]
    regions = [f"CC{c}" if r == 1 else f"CCr{r}c{c}" for r, c in cells]
    control, a, b, c, d = rng.choice(grid), *rng.sample(regions, 4)
    lines = (
        f"chaosarrow {rng.randrange(2)} {control} > {a} {b} {c}",
        f"chaosarrow 0 {control} > {a} {b} {a} {c} {d}",
        f"chaosarrow {rng.randrange(2)} {control} > {a} {b} {a} {c} {a} {d}",
        f"samevalues 2 {a} {b}",
        f"countdistinct {control} > {a} {b} {c}",
        f"connected {rng.randint(1, 4)} {rng.randint(1, 4)} size 4 CC",
        f"thermo {control} {a}",
        "antiknight",
    )
    return rule_from_line(rng.choice(lines))


def agree(seed: int) -> int:
    """Count a random board by the search and among all boards; return the count."""
    rng = random.Random(seed)
    some = rng.choice(solutions())
    puzzle = board(4)
    for _ in range(rng.randint(0, 3)):
        try:
            puzzle = puzzle.with_rule(clue(rng))
        except ValueError:  # a digit named twice
            continue
    hints = rng.sample(range(32), rng.choice((0, 2, 5, 8)))
    puzzle = puzzle.with_hints({cell: some.numbers[cell] for cell in hints})
    expected = sum(
        all(one.numbers[cell] == some.numbers[cell] for cell in hints)
        and all(rule.holds(one) for rule in puzzle.rules)
        for one in solutions()
    )
    assert search_count(puzzle) == expected, puzzle.text
    assert Puzzle.parse(puzzle.text) == puzzle
    return expected


def test_some_boards_with_clues() -> None:
    found = [agree(seed) for seed in range(5)]
    assert max(found) > 1


@pytest.mark.slow
def test_many_boards_with_clues() -> None:
    assert {0, 1} <= {agree(seed) for seed in range(5, 320)}


@cache
def divisions(n: int) -> AnyArray:
    """Every division of n x n cells, numbered from 0 in the order of first cells."""
    return np.array([*dissections(n)], dtype=np.int64)


def larger_board(seed: int) -> int:
    """Count a random board of side 5 by the search, and by all divisions; return the count."""
    rng = random.Random(seed)
    n, size = 5, 25
    latin = random_grid(Layout.latin(n), rng).numbers
    hidden = rng.sample(range(size), rng.choice((0, 0, 4, 8)))
    partly = [0 if c in hidden else d for c, d in enumerate(latin)]
    every = divisions(n)

    def fitting(grid: Sequence[int]) -> AnyArray:
        """The divisions of which no region holds a digit twice."""
        codes = every * n + (np.array(grid) - 1)
        return every[np.bitwise_or.reduce(1 << codes, axis=1) == (1 << size) - 1]

    some = [*fitting(latin), rng.choice(every)][0] + 1
    shown = rng.sample(range(size), rng.choice((0, 0, 2, 6)))
    puzzle = board(n).with_hints({c: d for c, d in enumerate(partly) if d})
    puzzle = puzzle.with_hints({size + c: int(some[c]) for c in shown})
    for _ in range(rng.randint(0, 2)):
        with suppress(ValueError):  # a digit named twice
            puzzle = puzzle.with_rule(clue(rng, n))
    expected = 0
    for grid in all_grids(Puzzle(partly, Layout.latin(n))):
        found = fitting(grid.numbers) + 1
        for regions in found[(found[:, shown] == some[shown]).all(axis=1)].tolist():
            filled = Puzzle([*grid.numbers, *regions], puzzle.layout)
            expected += all(rule.holds(filled) for rule in puzzle.rules)
    assert search_count(puzzle) == expected, puzzle.text
    return expected


@pytest.mark.slow
def test_larger_boards() -> None:
    counts = [larger_board(seed) for seed in range(300)]
    assert {0, 1} <= {*counts}
    assert max(counts) > 20


def test_strings_come_back() -> None:
    string = (
        ".Shape~4x4.NoBoxes.~R1C1_1~CC16_4.ChaosConstruction.ChaosArrow~R2C2.ChaosCount~R1C4"
        ".ChaosArrow~R3C3~1~CC11~CC10~CC9.ConnectedValues~CC~1~4.AllDifferent~CC1~CC16"
    )
    puzzle = read_iss(string)
    assert [rule.text for rule in puzzle.rules][:3] == [
        "chaos",
        "chaosarrow 0 r2c2 > CCr2c2 CC2 CCr2c2 CCr2c1 CCr2c2 CCr2c3 CCr2c4 CCr2c2 CCr3c2 CCr4c2",
        "chaosarrow 0 r1c4 > CC4 CC3 CC4 CCr2c3 CC4 CCr2c4",
    ]
    assert read_iss(write_iss(puzzle)) == puzzle
    assert Puzzle.parse(puzzle.text) == puzzle
    wide = read_iss(".Shape~4x6.NoBoxes.RegionSize~4.ChaosConstruction")
    assert [rule.text for rule in wide.rules] == ["chaos 4"]
    assert read_iss(write_iss(wide)) == wide
    with pytest.raises(ValueError, match="has the cells CC where regions are to be found"):
        write_iss(puzzle.without(*puzzle.rules))
    with pytest.raises(ValueError, match=r"anyof .*regions to be found are no alternative"):
        search_count(board(4, "anyof (chaos) (antiknight)"))
    plain = Layout(2, 2)
    with pytest.raises(ValueError, match="no cells are called CC"):
        rule_from_line("chaos").check(plain)
