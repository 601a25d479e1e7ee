"""Constraints on cells in the constraint search, against enumeration of the cells' values."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product

import pytest
from automata import automaton
from oracles import houses

from bddsudoku import Problem, Puzzle
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.protocol import ListingEngine, find_engine
from bddsudoku.engine.search.domain_reduction import bit_numbers
from bddsudoku.engine.search.engine import ConstraintSearch, SearchEngine
from bddsudoku.engine.search.linear_propagators import derive_sums
from bddsudoku.model import Constraint, Linear, Model, OneHot, Variable, substitute
from bddsudoku.model.allocation import forward_check
from bddsudoku.puzzle.sudoku import Layout, allocate
from bddsudoku.puzzle.sudoku.rules import rule_from_line

Cells = Sequence[Sequence[int]]
"""The variables of each cell, by value."""


def linear(rng: random.Random, label: str, weights: dict[int, int]) -> Linear:
    """A weighted sum between bounds near the sum of some values."""
    variables = tuple(sorted(weights))
    low, high = sorted(sum(rng.sample([*weights.values()], len(weights) // 3)) for _ in range(2))
    bounds = rng.choice(((low, low), (low, low), (low, high), (low, None), (None, high)))
    return Linear("linear", label, variables, tuple(weights[v] for v in variables), *bounds)


def counting(rng: random.Random, cells: Cells, label: str) -> Constraint:
    """Cells with certain values minus cells with others, a multiple of a unit, between bounds."""
    unit = rng.choice((1, 1, 3))
    weights: dict[int, int] = {}
    for of in cells:
        values = rng.sample(of, rng.choice((1, 1, 1, 2, 3)))
        weights |= dict.fromkeys(values, rng.choice((unit, -unit)))
    return linear(rng, label, weights)


def adding(rng: random.Random, cells: Cells, label: str) -> Constraint:
    """A sum of numbers; each cell may count with a factor of its own, or have own numbers."""
    unit = rng.choice((1, 1, 2, 10, -1))
    numbers = rng.choice((range(len(cells[0])), rng.sample(range(6), len(cells[0]))))
    weights: dict[int, int] = {}
    for of in cells:
        factor = unit * rng.choice((1, 1, 1, 1, -1, 2))
        weights |= {v: factor * n for v, n in zip(of, numbers, strict=True)}
    return linear(rng, label, weights)


def containing(rng: random.Random, cells: Cells, label: str) -> Constraint:
    """A word with one of some values in it."""
    wanted = frozenset(rng.sample(range(1, 4), rng.randint(1, 2)))

    def step(seen: bool, s: int) -> bool | None:
        return seen or s in wanted if s else None

    return automaton("some", label, cells, False, step, bool)


def alternating(rng: random.Random, cells: Cells, label: str) -> Constraint:
    """A word that counts some values; in whatever order, and perhaps without repetition."""
    counted = rng.sample(range(1, 4), rng.choice((1, 1, 2)))
    counts = {rng.randint(0, len(cells)) for _ in range(rng.randint(1, 3))}
    repeats = rng.random() < 0.5

    def step(seen: tuple[int, ...], s: int) -> tuple[int, ...] | None:
        return tuple(sorted((*seen, s))) if s and (repeats or s not in seen) else None

    return automaton(
        "count",
        label,
        cells,
        (),
        step,
        lambda seen: sum(s in counted for s in seen) in counts,
        commutative=True,
    )


def cells_and_groups(
    rng: random.Random, count: int, values: int
) -> tuple[tuple[Variable, ...], list[OneHot]]:
    """Cells that differ within up to three random groups.

    Cells and houses may be stated; a name of a house that stands twice is no promise.
    """
    stated = rng.random() < 0.6
    variables = tuple(
        Variable(f"x{v}", v, *(divmod(v, values) if stated else ())) for v in range(values * count)
    )
    one_hots = [
        OneHot("cell", f"{c}", tuple(range(values * c, values * c + values))) for c in range(count)
    ]
    for g in range(rng.randint(0, 3)):
        group = sorted(rng.sample(range(count), rng.randint(2, min(count, values))))
        house = rng.choice(("", "a", f"{g}"))
        exactly = len(group) == values and rng.random() < 0.5
        one_hots += [
            OneHot("group", f"{g} {k}", tuple(values * c + k for c in group), 1, not exactly, house)
            for k in rng.sample(range(values), rng.choice((1, values, values)))
        ]
    return variables, one_hots


@pytest.mark.parametrize("seed", range(240))
def test_no_solution_is_lost_and_none_is_added(seed: int) -> None:
    rng = random.Random(seed)
    cell_count, values = rng.choice(((3, 3), (4, 3), (5, 3), (4, 4), (6, 3), (5, 4)))
    variables, constraints = cells_and_groups(rng, cell_count, values)
    every = [c.variables for c in constraints[:cell_count]]
    others: list[Constraint] = []
    for i in range(rng.randint(1, 3)):
        kind = rng.choice((counting, adding, containing, alternating))
        others.append(kind(rng, rng.sample(every, rng.randint(2, cell_count)), f"{i}"))
    model = Model(variables, (*constraints, *others))
    known = [rng.choice(of) for of in rng.sample(every, rng.choice((0, 0, 1, 2)))]
    wanted = {
        frozenset(chosen)
        for chosen in product(*every)
        if {*known} <= {*chosen}
        and all(c.holds([v in chosen for v in range(len(variables))]) for c in model.constraints)
    }
    model = substitute(model, known, settle=("cell",) if rng.random() < 0.5 else ())
    found = SearchEngine().solutions(model, Context())
    assert {frozenset(keys.tolist()) for keys in found} == wanted


def test_cells_that_differ_decide_a_shaft_at_the_root() -> None:
    """Rows 2 and 3 without a cell have a sum of 81 to 89: possible for a pill of two cells only."""
    shaft = " ".join(f"r{r}c{c}" for r in (2, 3) for c in range(1, 10) if r + c < 12)
    for pill, wanted in (("r1c1 r1c2", 1), ("r1c1", 0)):
        puzzle = Puzzle([0] * 81, rules=[rule_from_line(f"arrow {pill} > {shaft}")])
        found = SearchEngine().solutions(allocate(puzzle), Context(), limit=1, node_limit=200)
        assert len(list(found)) == wanted


# Sums that follow from houses and cages: true in the grid from which the cages were read.

GRID = [(3 * (r % 3) + r // 3 + c) % 9 + 1 for r in range(9) for c in range(9)]


def equation(cells: Sequence[int]) -> tuple[int, int]:
    return sum(1 << c for c in cells), sum(GRID[c] for c in cells)


@pytest.mark.parametrize("seed", range(20))
def test_derived_sums_hold_in_the_grid(seed: int) -> None:
    rng = random.Random(seed)
    cages = []
    for c in rng.sample(range(81), 60):  # overlapping: not both are subtracted
        near = [c, c + 1, c + 9, c + 10, c + 18, c + 19][: rng.randint(1, 6)]
        cages.append([cell for cell in near if cell < 81])
    derived = derive_sums([equation(house) for house in houses(Layout())], [*map(equation, cages)])
    assert derived
    for plus, minus, total in derived:
        assert not plus & minus
        found = sum(GRID[c] for c in bit_numbers(plus)) - sum(GRID[c] for c in bit_numbers(minus))
        assert found == total


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


# Leftovers of irregular regions


@pytest.mark.parametrize("seed", range(12))
def test_leftovers_keep_the_count(seed: int) -> None:
    rng = random.Random(seed)
    regions = [c // 12 * 2 + c % 6 // 3 for c in range(36)]
    for _ in range(3):
        a, b = rng.sample(range(36), 2)
        regions[a], regions[b] = regions[b], regions[a]
    empty = Puzzle([0] * 36, Layout.jigsaw(regions))
    dlx = find_engine("dlx")
    assert isinstance(dlx, ListingEngine)
    for grid in dlx.solutions(allocate(empty), Context(), limit=3, seed=seed):
        for wrong in (0, 0, 1):
            puzzle = empty
            for i, key in enumerate(rng.sample(grid.tolist(), rng.randint(8, 14))):
                puzzle = puzzle.with_hint(key // 6, (key + (i == 0) * wrong) % 6 + 1)
            model = forward_check(allocate(puzzle))
            assert SearchEngine().count(model, Context()) == dlx.count(model, Context())


def test_leftovers_decide_a_jigsaw_at_the_root() -> None:
    """Columns 7 to 9 leave r1c7, r1c8 and r2c8 to the regions, which have 4 in their stead."""
    regions = "000001112330101212300111222333444552663444522633444555666777885676787855677788888"
    hints = [0] * 81
    hints[6], hints[7], hints[16], hints[67] = 1, 2, 3, 4
    search = ConstraintSearch(
        allocate(Puzzle(hints, Layout.jigsaw([int(c) for c in regions]))), UNLIMITED
    )
    search.advance()
    assert (search.done, search.count, search.nodes) == (True, 0, 0)


def test_integers_of_a_formula_have_derived_sums() -> None:
    """3 to 11 add up to 63, not to 24 + 30 + 7: refuted without a guess."""
    lines = ["integer x[1..9] in 3..11", "all different(x)", "x[1] + x[2] + x[3] + x[8] == 24"]
    text = "\n".join([*lines, "x[4] + x[5] + x[6] + x[7] == 30", "x[9] == 7"])
    search = ConstraintSearch(forward_check(Problem.parse(text).model()), UNLIMITED)
    search.advance()
    assert (search.done, search.count, search.nodes) == (True, 0, 0)
