"""Canonical forms against brute force over all symmetries, and random isomorphs."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bddsudoku import Layout, LimitReached, Puzzle, PuzzleFormatError, solve, solve_many
from bddsudoku.jit.decorators import U8
from bddsudoku.symmetry import canonical_form, canonical_many, is_isomorphic

DATA = Path(__file__).parents[2] / "data"
SHAPES = [(2, 2), (2, 3), (3, 2)]


def orders(size: int, number: int) -> list[list[int]]:
    """All orders of the lines of some bands of one size."""
    return [
        [band * size + line for band, lines in zip(bands, inner, strict=True) for line in lines]
        for bands in permutations(range(number))
        for inner in product(permutations(range(size)), repeat=number)
    ]


@cache
def symmetries(height: int, width: int) -> U8:
    """All symmetries of the cells of a board: the cell that comes to each cell."""
    n = height * width
    cells = np.arange(n * n, dtype=np.uint8).reshape(n, n)
    boards = [cells, cells.T] if height == width else [cells]
    found = [
        board[np.ix_(rows, columns)].reshape(-1)
        for board in boards
        for rows in orders(height, width)
        for columns in orders(width, height)
    ]
    return np.array(found)


def relabelled(line: list[int]) -> tuple[int, ...]:
    labels = {0: 0}
    return tuple(labels.setdefault(digit, len(labels)) for digit in line)


def by_brute_force(cells: tuple[int, ...], height: int, width: int) -> tuple[tuple[int, ...], int]:
    """The least line and the number of symmetries that lead to it."""
    lines = [relabelled(line) for line in np.array(cells)[symmetries(height, width)].tolist()]
    return min(lines), lines.count(min(lines))


@st.composite
def boards(draw: st.DrawFn) -> Puzzle:
    """Small boards whose hints do not clash, many of them with symmetries."""
    height, width = draw(st.sampled_from(SHAPES))
    layout = Layout(height, width)
    puzzle = Puzzle([0] * layout.cell_count, layout)
    cells = st.integers(0, layout.cell_count - 1)
    for cell, digit in draw(st.lists(st.tuples(cells, st.integers(1, layout.n)), max_size=40)):
        more = puzzle.with_hint(cell, digit)
        puzzle = puzzle if any(more.clashes()) else more
    return puzzle


@given(boards())
def test_small_boards(puzzle: Puzzle) -> None:
    layout = puzzle.layout
    form = canonical_form(puzzle)
    expected = by_brute_force(puzzle.cells, layout.box_rows, layout.box_columns)
    assert (form.puzzle.cells, form.automorphisms) == expected
    assert form.symmetry.apply(puzzle) == form.puzzle == puzzle.canonical()


@given(st.sampled_from(SHAPES), st.integers(0, 2**36 - 1))
def test_small_patterns(shape: tuple[int, int], bits: int) -> None:
    layout = Layout(*shape)
    cells = [bits >> cell & 1 for cell in range(layout.cell_count)]
    found = canonical_form(Puzzle(cells, layout), pattern=True)
    assert (found.puzzle.cells, found.automorphisms) == by_brute_force(tuple(cells), *shape)


def shuffled(board: U8, height: int, width: int, random: np.random.Generator) -> U8:
    """A random board that differs by a symmetry."""
    n = height * width
    grid = board.reshape(n, n)
    if height == width and random.random() < 0.5:
        grid = grid.T
    lines = [
        np.concatenate([band * size + random.permutation(size) for band in random.permutation(k)])
        for size, k in ((height, width), (width, height))
    ]
    labels = np.array([0, *(random.permutation(n) + 1)], dtype=np.uint8)
    return labels[grid[np.ix_(*lines)]].reshape(-1)


def classic_boards() -> U8:
    """200 puzzles with 17 hints and their solutions."""
    lines = (DATA / "seventeen_hints.txt").read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if not line.startswith("#")]
    solved = solve_many(texts)
    hints = np.array([Puzzle.parse(text[:81]).numbers for text in texts], dtype=np.uint8)
    return np.concatenate([hints, solved.solutions])


@pytest.mark.parametrize(
    ("grids", "rounds"), [(0, 2), pytest.param(600, 100, marks=pytest.mark.slow)]
)
def test_random_isomorphs_return_to_their_forms(grids: int, rounds: int) -> None:
    random, base = np.random.default_rng(1), classic_boards()
    if grids:
        more = solve("." * 81).sample(grids, 1).reshape(-1, 81).astype(np.uint8)
        base = np.concatenate([base, more])
    forms = canonical_many(base)
    assert len(np.unique(forms, axis=0)) == len(base) == 400 + grids
    for _ in range(rounds):
        others = np.array([shuffled(board, 3, 3, random) for board in base])
        assert (canonical_many(others) == forms).all()


@pytest.mark.parametrize("shape", [(2, 4), (3, 4), (4, 4), (3, 3), (2, 5)])
def test_larger_boards(shape: tuple[int, int]) -> None:
    random, (height, width) = np.random.default_rng(2), shape
    n = height * width
    grid = [[(r % height * width + r // height + c) % n + 1 for c in range(n)] for r in range(n)]
    for share in (0, 0.2, 0.5, 0.99, 1):
        cells = np.where(random.random((n, n)) < share, grid, 0).astype(np.uint8).reshape(-1)
        puzzle = Puzzle(cells, Layout(*shape))
        form = canonical_form(puzzle)
        assert form.symmetry.apply(puzzle) == form.puzzle == canonical_form(form.puzzle).puzzle
        other = Puzzle(shuffled(cells, *shape, random), Layout(*shape))
        assert is_isomorphic(puzzle, other)
        assert canonical_form(other).automorphisms == form.automorphisms


def test_known_numbers_of_automorphisms() -> None:
    empty, most = (
        Puzzle([0] * 81),
        "123456789456789123789123456231564897564897231897231564312645978645978312978312645",
    )
    assert canonical_form(empty).automorphisms == 2 * 6**8
    assert canonical_form(Puzzle.parse(most)).automorphisms == 648  # no grid has more


@pytest.mark.parametrize("line", ["1.....2.........", "1234341221434321", "12..34.........."])
def test_automorphisms_are_the_symmetries_of_the_puzzle(line: str) -> None:
    puzzle = Puzzle.parse(line)
    absent = 4 - len({*puzzle.hints.values()})  # which may be exchanged, too
    assert puzzle.symmetries().order == canonical_form(puzzle).automorphisms * factorial(absent)


def test_a_different_digit_is_another_puzzle() -> None:
    puzzle = Puzzle.parse("12..34..........")
    assert not is_isomorphic(puzzle, puzzle.with_hint(15, 1))
    assert not is_isomorphic(Puzzle([0] * 36, Layout(2, 3)), Puzzle([0] * 36, Layout(3, 2)))


def test_what_has_no_form() -> None:
    with pytest.raises(PuzzleFormatError, match="not clash"):
        Puzzle([1, 1] + [0] * 14).canonical()
    with pytest.raises(LimitReached, match="more than 100,000 symmetries"):
        Puzzle([0] * 81, candidates=[3] + [511] * 80).canonical()


def test_lists_say_which_puzzle_has_no_form() -> None:
    empty = "." * 81
    assert canonical_many([]).shape == (0, 81)
    for bad, text in (
        ("11" + "." * 79, "puzzle 1: .*clash"),
        ("1...............", "puzzle 1: .*9x9"),
    ):
        with pytest.raises(PuzzleFormatError, match=text):
            canonical_many([empty, bad])
