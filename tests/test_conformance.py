"""One suite, every engine: counts, solution lists, and the very arrays of the diagrams."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from conformance import (
    LISTED,
    SETTINGS,
    agree,
    answer,
    diagonal_model,
    latin_model,
    masked_model,
    takers,
    toy_engines,
    toys,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import (
    diagonals,
    exhaustive,
    fillings,
    four_by_four,
    four_by_four_with,
    houses,
    keys_of,
    masks_of,
)
from strategies import exact_covers, model_of, models, pencil_masks, puzzles, solved_puzzles

from bddsudoku.engine import bands
from bddsudoku.engine.conjunction import available_backends, build
from bddsudoku.engine.frontier import compile_spec
from bddsudoku.engine.protocol import Engine, engines
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.model import Model, unit_propagate
from bddsudoku.model.schedules import make_puzzle_schedule
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.sets.gridset import GridSet

FOUR = Layout(2, 2)
ENGINES = [*engines(), *SETTINGS]


def test_every_kind_of_board_has_its_engines() -> None:
    def names(model: Model) -> set[str]:
        return {e.name for e in takers(model, patience=2)}

    everything = {e.name for e in ENGINES}
    assert {f"conjunction-{b}" for b in available_backends()} < everything
    nine = allocate(Puzzle([1] * 81), "candidates")
    assert names(nine) == everything
    four = allocate(Puzzle([0] * 16), "candidates")
    assert names(four) == everything - {"bands", "bitboard", "singles"}
    by_hand = Model(four.variables, four.constraints)
    assert names(by_hand) == everything - {"bands", "bitboard", "singles", "brute-force"}


# 4×4, exhaustively


def test_the_reference() -> None:
    assert len(four_by_four()) == len(set(four_by_four())) == 288
    assert all(Puzzle(g, FOUR).is_solution for g in four_by_four())
    assert set(fillings([15] * 16, houses(FOUR))) == set(four_by_four())


@pytest.mark.parametrize("engine", ENGINES, ids=lambda e: e.name)
@pytest.mark.parametrize("allocation", ["paper", "candidates", "singles"])
def test_empty_four_by_four(engine: Engine, allocation: str) -> None:
    model = allocate(Puzzle([0] * 16), allocation)
    if engine.refuses(model) is None:
        assert answer(engine, model) == (288, four_by_four_with({}))
    else:
        assert engine.name in ("bands", "bitboard", "singles")


def check_four(hints: dict[int, int], allocation: str) -> None:
    cells = [hints.get(c, 0) for c in range(16)]
    expected = four_by_four_with(hints)
    model = allocate(Puzzle(cells, FOUR), allocation)
    assert agree(model, patience=0, expected=len(expected)) == expected


def test_every_single_hint() -> None:
    for cell in range(16):
        for digit in range(1, 5):
            assert len(four_by_four_with({cell: digit})) == 72
            check_four({cell: digit}, "singles" if (cell + digit) % 2 else "candidates")


@pytest.mark.parametrize("size", range(2, 17))
def test_samples_of_every_number_of_hints(size: int) -> None:
    """Hints of a grid, and hints of no grid (clashing ones among them)."""
    rng = random.Random(size)
    for allocation in ("candidates", "singles"):
        for _ in range(3):
            grid = rng.choice(four_by_four())
            cells = rng.sample(range(16), size)
            check_four({c: grid[c] for c in cells}, allocation)
            wild = {c: grid[c] for c in cells}
            wild[rng.choice(cells)] = rng.randint(1, 4)
            check_four(wild, allocation)


@pytest.mark.slow
def test_every_pair_of_hints() -> None:
    for a, b in combinations(range(16), 2):
        for x in range(1, 5):
            for y in range(1, 5):
                check_four({a: x, b: y}, "candidates" if x < y else "singles")


# Larger boards


@pytest.mark.parametrize("layout", [Layout(2, 3), Layout(3, 2)])
@settings(max_examples=9)
@given(st.data(), st.sampled_from(["candidates", "singles"]))
def test_six_by_six(layout: Layout, data: st.DataObject, allocation: str) -> None:
    check_solved(*data.draw(solved_puzzles(layout, hints=(10, 20))), allocation)


@settings(max_examples=2)
@given(solved_puzzles(Layout(3, 3), hints=(30, 40)), st.sampled_from(["candidates", "singles"]))
def test_nine_by_nine(pair: tuple[Puzzle, Puzzle], allocation: str) -> None:
    check_solved(*pair, allocation)


@settings(max_examples=8)
@given(st.sampled_from([Layout(2, 4), Layout(2, 5), Layout(3, 4)]).flatmap(
    lambda lay: solved_puzzles(lay, hints=(lay.cell_count * 55 // 100, lay.cell_count))
))  # fmt: skip
def test_other_sizes(pair: tuple[Puzzle, Puzzle]) -> None:
    check_solved(*pair, "singles")


def check_solved(puzzle: Puzzle, solution: Puzzle, allocation: str) -> None:
    model = allocate(puzzle, allocation)
    found = agree(model, patience=len(model.variables) <= 60)
    known = frozenset(c * puzzle.n + d - 1 for c, d in solution.hints.items())
    if found is not None:
        assert known in found
        decoder = SudokuDecoder(puzzle)
        for keys in list(found)[:20]:
            grid = decoder.decode(sorted(keys))
            assert grid.is_solution
            assert all(grid[c] == d for c, d in puzzle.hints.items())


@settings(max_examples=15)
@given(puzzles(largest=9))
def test_wild_hints(puzzle: Puzzle) -> None:
    if any(puzzle.clashes()):
        for allocation in ("candidates", "singles"):
            model = allocate(puzzle, allocation)
            assert agree(model, expected=0) == frozenset()


@settings(max_examples=12)
@given(pencil_masks(Layout(3, 3), extra=(0, 2)))
def test_pencil_marks(known: tuple[list[int], Puzzle]) -> None:
    masks, solution = known
    model = masked_model(masks, Layout(3, 3))
    found = agree(model, patience=0)
    assert found is None or frozenset(c * 9 + d - 1 for c, d in solution.hints.items()) in found


@settings(max_examples=20)
@given(pencil_masks(Layout(2, 3), extra=(1, 4)))
def test_pencil_marks_six_by_six(known: tuple[list[int], Puzzle]) -> None:
    agree(masked_model(known[0], Layout(2, 3)), patience=0)


# Models that are no plain Sudoku


def with_diagonals(puzzle: Puzzle) -> set[frozenset[int]]:
    """The solutions of a puzzle whose diagonals hold every digit, by plain search."""
    groups = houses(puzzle.layout) + diagonals(puzzle.n)
    return {keys_of(g, puzzle.n) for g in fillings(masks_of(puzzle.cells, puzzle.n), groups)}


@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("allocation", ["candidates", "singles"])
def test_diagonals_of_four_by_four(at_most: bool, allocation: str) -> None:
    """The diagonals hold as many cells as there are digits: "at most once" is "once"."""
    for hints in ({}, {0: 1}, {0: 1, 5: 2}, {0: 1, 15: 1}, {3: 4, 6: 2, 8: 3}):
        puzzle = Puzzle([hints.get(c, 0) for c in range(16)], FOUR)
        expected = with_diagonals(puzzle)
        model = diagonal_model(puzzle, at_most=at_most, allocation=allocation)
        assert agree(model, expected=len(expected)) == expected


@settings(max_examples=8)
@given(solved_puzzles(Layout(2, 3), hints=(9, 16)), st.booleans())
def test_diagonals_of_six_by_six(pair: tuple[Puzzle, Puzzle], at_most: bool) -> None:
    expected = with_diagonals(pair[0])
    found = agree(diagonal_model(pair[0], at_most=at_most), patience=0, expected=len(expected))
    assert found == (expected if len(expected) <= LISTED else None)


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 12), (4, 576)])
def test_latin_squares(n: int, count: int) -> None:
    agree(latin_model(n), patience=2, expected=count)
    agree(unit_propagate(latin_model(n)), expected=count)


@settings(max_examples=25)
@given(models(options=10))
def test_any_small_model(model: Model) -> None:
    """With and without covers, with optional items, with items that nothing covers."""
    expected = exhaustive(model)
    for variant in (model, unit_propagate(model)):
        assert agree(variant, expected=len(expected)) == expected


@settings(max_examples=30)
@given(exact_covers())
def test_models_with_a_known_cover(known: tuple[Model, list[int]]) -> None:
    model, cover = known
    keys = frozenset(model.variables[v].key for v in cover)
    for variant in (model, unit_propagate(model)):
        found = agree(variant)
        assert found is None or keys in found


@pytest.mark.parametrize(
    ("model", "count"),
    [
        (model_of([], 0), 1),
        (model_of([], 1), 0),
        (model_of([], 0, 2), 1),
        (model_of([[0]], 1), 1),
        (model_of([[0], [0]], 1), 2),
        (model_of([[0], [0, 1]], 2), 1),
        (model_of([[0, 2], [1, 2]], 2, 1), 0),
        (model_of([[0, 2], [1], [1, 2]], 2, 1), 1),
    ],
)
def test_corners(model: Model, count: int) -> None:
    agree(model, patience=2, expected=count)


# Diagrams and sets


@settings(max_examples=8)
@given(solved_puzzles(Layout(3, 3), hints=(28, 36)), st.sampled_from(["candidates", "singles"]))
def test_two_roads_to_the_same_diagram(pair: tuple[Puzzle, Puzzle], allocation: str) -> None:
    """Frontier and conjunction end in the very same arrays, whatever the schedule."""
    puzzle, _ = pair
    model = allocate(puzzle, allocation)
    frontier = compile_spec(model_spec(model)).diagram
    for number in (2, 3):
        built = build(model, make_puzzle_schedule(model, number)).diagram()
        for part in ("labels", "variable", "low", "high"):
            assert np.array_equal(getattr(frontier, part), getattr(built, part)), part
        assert frontier.root == built.root


def family_of(puzzle: Puzzle) -> GridSet:
    model = allocate(puzzle, "singles")
    diagram = compile_spec(model_spec(model)).diagram
    return GridSet(diagram, SudokuDecoder(puzzle), fixed=[v.key for v in model.fixed])


@settings(max_examples=15)
@given(solved_puzzles(Layout(3, 3), hints=(23, 34)), st.integers(0, 2**32))
def test_two_kinds_of_sets(pair: tuple[Puzzle, Puzzle], seed: int) -> None:
    """A diagram's set and the bands' set answer every question of the protocol alike."""
    puzzle, solution = pair
    n = puzzle.n
    masks = [1 << d - 1 if d else 511 for d in puzzle.cells]
    one, two = family_of(puzzle), bands.BandSet(masks)
    assert isinstance(one, GridFamily)
    assert isinstance(two, GridFamily)
    count = one.count()
    assert two.count() == count > 0
    assert np.array_equal(one.marginals(), two.marginals())
    assert int(np.sum(one.marginals())) == count * n * n
    assert np.array_equal(one.true_candidates(), two.true_candidates())
    assert np.array_equal(one.backbone(), two.backbone())
    grid = np.array(solution.cells, dtype=np.uint8)
    rng = np.random.default_rng(seed)
    for family in (one, two):
        assert grid in family
        assert np.array_equal(cells_of(family.unrank(family.rank(grid))), grid)
        wrong = grid.copy()
        wrong[:2] = wrong[1::-1]
        assert wrong not in family
        for row in family.sample(5, rng):
            assert row in one
            assert row in two
        for index in {0, count - 1, int(rng.integers(count))}:
            assert family.rank(family.unrank(index)) == index
    cell = int(rng.choice(puzzle.open_cells))
    for digit in range(1, n + 1):
        left = int(one.marginals()[cell // n, cell % n, digit - 1])
        assert one.given({cell: digit}).count() == two.given({cell: digit}).count() == left


def cells_of(grid: object) -> np.ndarray:
    """The cells of what an ``unrank`` gives: a Puzzle or an array."""
    cells = grid.cells if isinstance(grid, Puzzle) else grid
    return np.asarray(cells, dtype=np.uint8).ravel()


# Toys


@pytest.mark.parametrize(
    ("puzzle", "count"), [example for toy in toys() for example in getattr(toy, "EXAMPLES", ())]
)
def test_puzzles_that_are_one_file(puzzle: Any, count: int) -> None:
    with toy_engines():
        agree(puzzle.model(), patience=2, expected=count)
