"""Sums that follow from houses and cages: true in the grid from which the cages were read."""

from __future__ import annotations

import random

import pytest
from oracles import houses

from bddsudoku import Problem, Puzzle, count
from bddsudoku.context import UNLIMITED
from bddsudoku.engine.search.cells import bit_numbers
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.engine.search.linear_propagators import derive_sums
from bddsudoku.model.allocation import forward_check
from bddsudoku.puzzle.sudoku import Layout, allocate

GRID = [(3 * (r % 3) + r // 3 + c) % 9 + 1 for r in range(9) for c in range(9)]
HOUSES = houses(Layout())


def equation(cells: list[int] | range) -> tuple[int, int]:
    return sum(1 << c for c in cells), sum(GRID[c] for c in cells)


def random_cages(rng: random.Random) -> list[list[int]]:
    """Disjoint sets of up to five neighbouring cells."""
    free = {*range(81)}
    cages = []
    while free:
        cage = [rng.choice(sorted(free))]
        free.discard(cage[0])
        for _ in range(rng.randrange(5)):
            near = [
                c
                for c in sorted(free)
                if any(abs(c // 9 - o // 9) + abs(c % 9 - o % 9) == 1 for o in cage)
            ]
            if near:
                cage.append(rng.choice(near))
                free.discard(cage[-1])
        if rng.random() < 0.9:
            cages.append(cage)
    return cages


@pytest.mark.parametrize("seed", range(40))
def test_derived_sums_hold_in_the_grid(seed: int) -> None:
    cages = random_cages(random.Random(seed))
    derived = derive_sums([equation(house) for house in HOUSES], [equation(c) for c in cages])
    assert derived
    for plus, minus, total in derived:
        assert not plus & minus
        found = sum(GRID[c] for c in bit_numbers(plus)) - sum(GRID[c] for c in bit_numbers(minus))
        assert found == total


def test_innie_and_outie() -> None:
    row = [equation(HOUSES[0])]
    innie = derive_sums(row, [equation(range(4)), equation(range(4, 8))])
    assert innie == [(1 << 8, 0, GRID[8])]
    outie = derive_sums(row, [equation(range(4)), equation([*range(4, 9), 17])])
    assert outie == [(1 << 17, 0, GRID[17])]


def test_overlapping_sums_are_not_both_subtracted() -> None:
    row = [equation(HOUSES[0])]
    derived = derive_sums(row, [equation(range(5)), equation(range(4, 9))])
    assert derived == [(sum(1 << c for c in range(5, 9)), 0, sum(GRID[5:9]))]


def test_cages_over_two_rows_leave_one_cell() -> None:
    """Rows 1 and 2 but for r2c9 are in cages: a wrong digit there is refuted without a guess."""
    cages = [[c, c + 9] for c in range(8)] + [[8]]
    lines = [
        f"cage {equation(cage)[1]} " + " ".join(f"r{c // 9 + 1}c{c % 9 + 1}" for c in cage)
        for cage in cages
    ]
    board = ["." * 81, *lines]
    wrong = GRID[17] % 9 + 1
    board[0] = "." * 17 + str(wrong) + "." * 63
    model = forward_check(allocate(Puzzle.parse("\n".join(board))))
    search = ConstraintSearch(model, UNLIMITED)
    search.advance()
    assert (search.done, search.count, search.nodes) == (True, 0, 0)


def test_no_value_is_lost_where_two_have_one_weight() -> None:
    """The sum of w, x, v leaves weight 5 to y, which both of its values 1 and 2 have."""
    domains = {"w": (1, 3, 4), "x": (2, 3, 4), "v": (3, 4), "y": (1, 2, 3, 4)}
    names = [f"{c}{k}" for c, values in domains.items() for k in values]
    weight = {"1": 5, "2": 5, "3": 6, "4": 9}
    lines = [
        "symbol " + " ".join(names),
        *(" + ".join(n for n in names if n[0] == c) + " == 1" for c in domains),
        *(" + ".join(n for n in names if n[1] == k) + " == 1" for k in weight),
        " + ".join(f"{weight[n[1]]} * {n}" for n in names if n[0] != "y") + " == 20",
    ]
    problem = Problem.parse("\n".join(lines))
    assert count(problem, "search") == count(problem, "frontier") == 4
