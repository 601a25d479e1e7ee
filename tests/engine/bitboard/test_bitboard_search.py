"""Counts, solutions and true candidates of the 9×9 engine, against engines that share no code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from conformance import masked_model
from hypothesis import given
from hypothesis import strategies as st
from random_boards import CLASSIC, boards, masks_of, random_grids, random_masks, random_puzzles

from bddsudoku.context import Context
from bddsudoku.engine import bands, dlx
from bddsudoku.engine.bitboard import (
    BitboardSearch,
    count_many,
    solve_many,
    true_candidates,
)
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku import Puzzle
from bddsudoku.work.resources import MAX_SLICE

P17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
P16 = "000000010400000000020000000000050407008000300001090000000400200050100000000806000"
EMPTY = "0" * 81
HARD = [
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    ".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....",
    "1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1",
    ".......12........3..23..4....18....5.6..7.8.......9.....85.....9...4.5..47...6...",
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
]
"""One solution each, among the hardest known."""


@cache
def material() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grids; puzzles with one solution and with up to 2,000; candidate masks."""
    rng = np.random.default_rng(3)
    drawn = random_grids(400, 3)
    puzzles = [random_puzzles(drawn[:150], 1, rng), random_puzzles(drawn[150:], 2000, rng)]
    masks = [random_masks(drawn[:100], density, rng) for density in (0.3, 0.45, 0.5)]
    return drawn, np.concatenate(puzzles), np.concatenate(masks)


def grids() -> np.ndarray:
    return material()[0]


def puzzles() -> np.ndarray:
    return material()[1]


def by_dlx(masks: np.ndarray, limit: int | None = None) -> int:
    return dlx.count(masked_model(masks.tolist(), CLASSIC), limit=limit).count


def well_formed(grids: np.ndarray) -> bool:
    """Whether all are solutions of the empty board."""
    return all(Puzzle(g.tolist(), CLASSIC).is_solution for g in grids)


# Counts


def test_random_puzzles() -> None:
    tally = count_many(puzzles())
    assert tally.exact.all()
    assert tally.counts.tolist() == [by_dlx(m) for m in masks_of(puzzles())]
    assert (count_many(masks_of(puzzles())).counts == tally.counts).all()
    for puzzle, found in list(zip(puzzles(), tally.counts, strict=True))[::40]:
        assert bands.count(masks_of(puzzle)) == found


def test_random_masks() -> None:
    tally = count_many(material()[2], 5000)
    assert tally.counts.tolist() == [by_dlx(m, 5000) for m in material()[2]]
    assert len(set(tally.counts.tolist())) > 30
    for masks, found, exact in list(zip(material()[2], tally.counts, tally.exact, strict=True))[
        ::50
    ]:
        if exact:
            assert bands.count(masks) == found


@given(st.integers(0, 2**32))
def test_masks_that_need_not_have_a_solution(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masks = random_masks(grids()[seed % 400][None], 0.5, rng)
    cells = rng.integers(0, 81, rng.integers(0, 8))
    masks[0, cells] = rng.integers(0, 512, len(cells))
    assert count_many(masks, 500).counts[0] == by_dlx(masks[0], 500)


def test_the_hardest() -> None:
    """The last has no solution: a million nodes for programs that branch on cells alone."""
    line = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."
    tally = count_many(boards(*HARD, line))
    assert tally.counts.tolist() == [1] * len(HARD) + [0]
    assert tally.exact.all()
    assert tally.nodes.max() < 1000


def test_contradictions() -> None:
    clashes = np.repeat(grids()[:1], 3, axis=0)
    for board, cell in zip(clashes, (0, 40, 80), strict=True):
        board[cell] = board[cell] % 9 + 1
    lone = np.full((82, 81), 511, np.uint16)
    lone[np.arange(81), np.arange(81)] = 0
    assert count_many(clashes).counts.tolist() == [0] * 3
    assert count_many(lone, 1).counts.tolist() == [0] * 81 + [1]


# Limits


def test_limit() -> None:
    two = boards(P16, P17, EMPTY)
    for limit in (1, 2, 15_084, 15_085, 15_086):
        tally = count_many(two, limit)
        assert tally.counts.tolist() == [min(limit, 15_085), 1, limit]
        assert not tally.exact[2]
        if limit < 15_085:
            assert not tally.exact[0]
        if limit > 15_085:
            assert tally.exact[0]
    assert not count_many(two, 0).counts.any()
    assert not count_many(two, 0).exact.any()


def test_nodes() -> None:
    free = count_many(boards(P16, P17, *HARD))
    assert free.nodes[0] > 15_085
    assert free.nodes[1] == 1
    for most in (1, 10, int(free.nodes[2]), int(free.nodes[2]) - 1):
        tally = count_many(boards(P16, P17, *HARD), max_nodes=most)
        assert (tally.nodes == np.minimum(free.nodes, most)).all()
        assert (tally.exact == (free.nodes <= most)).all()
        assert (tally.counts <= free.counts).all()
        assert (tally.counts[tally.exact] == free.counts[tally.exact]).all()


def test_time() -> None:
    empty = boards(EMPTY)
    for jobs in (1, 2):
        with pytest.raises(LimitReached):
            count_many(np.repeat(empty, 3, axis=0), jobs=jobs, context=Context(time_limit=0.1))
    with pytest.raises(LimitReached, match="solutions"):
        BitboardSearch(empty[0]).run(Context(time_limit=0.1))


def test_progress_and_threads() -> None:
    many = np.concatenate([puzzles()] * 12)
    want = count_many(many, jobs=1)
    assert len(many) > 4 * MAX_SLICE
    for jobs in (1, 2, 3):
        known: list[float] = []

        def note(done: float, size: float, known: list[float] = known) -> None:
            assert size == len(many)
            known.append(done)

        tally = solve_many(many, None, jobs=jobs, context=Context(progress=note))
        assert (tally.counts == want.counts).all()
        assert (tally.nodes == want.nodes).all()
        assert tally.exact.all()
        assert known == sorted(known)
        if jobs == 1:
            assert known[-1] == len(many)
    assert not [t for t in threading.enumerate() if t.name.startswith("ThreadPool")]


# Solutions


def solutions(board: np.ndarray) -> np.ndarray:
    """All solutions of a board, a batch at a time."""
    search, parts = BitboardSearch(board), [grids()[:0]]
    while not search.done:
        parts.append(search.next_rows(1000))
    return np.concatenate(parts)


def test_all_solutions_in_batches() -> None:
    board = boards(P16)[0]
    found = solutions(board)
    assert len(found) == 15_085
    assert len(np.unique(found, axis=0)) == 15_085
    assert well_formed(found[::500])
    assert ((board == 0) | (found == board)).all()
    assert len(solutions(boards("11" + "0" * 79)[0])) == 0
    assert (solutions(grids()[0]) == grids()[:1]).all()
    assert (solve_many(grids()).nodes == 1).all()


@given(st.integers(1, 40), st.integers(1, 30), st.integers(0, 399))
def test_a_search_goes_on_where_it_stopped(nodes: int, size: int, which: int) -> None:
    board = puzzles()[which]
    whole = solutions(board)
    search, parts, before = BitboardSearch(board), [grids()[:0]], 0
    while not search.done:
        parts.append(search.next_rows(size, nodes))
        assert before <= search.nodes <= before + nodes
        assert search.count == sum(map(len, parts))
        before = search.nodes
    assert (np.concatenate(parts) == whole).all()
    assert search.count == len(whole)
    assert search.nodes == count_many(board[None]).nodes[0]
    counting = BitboardSearch(board)
    while not counting.done:
        counting.advance(None, counting.nodes + nodes)
    assert (counting.count, counting.nodes) == (search.count, search.nodes)


# True candidates


def held_by(found: np.ndarray) -> np.ndarray:
    """How many of some grids have each digit in each cell."""
    return (found[:, :, None] == np.arange(1, 10)).sum(axis=0)


def test_true_candidates() -> None:
    some = puzzles()[::2]
    masks = true_candidates(some)
    for board, mask in zip(some, masks, strict=True):
        held = held_by(solutions(board))
        assert ((mask[:, None] >> np.arange(9) & 1) == (held > 0)).all()
    assert (true_candidates(some, jobs=2) == masks).all()


def test_true_candidates_of_masks_without_solutions_and_without_hints() -> None:
    rng = np.random.default_rng(8)
    some = random_masks(grids()[:40], 0.48, rng)
    some[::4, 40] = 0
    for board, mask in zip(some, true_candidates(some), strict=True):
        held = held_by(solutions(board))
        assert ((mask[:, None] >> np.arange(9) & 1) == (held > 0)).all()
    assert (true_candidates(boards(EMPTY, "11" + "0" * 79)) == [[511] * 81, [0] * 81]).all()


# What is taken


@pytest.mark.parametrize("asked", [count_many, solve_many, true_candidates])
@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((2, 80), np.uint8),
        np.zeros(81, np.uint8),
        np.zeros((2, 81), np.float64),
        np.full((2, 81), -1, np.int64),
        np.full((2, 81), 512, np.uint16),
    ],
)
def test_what_is_no_board(asked: Callable[..., object], wrong: np.ndarray) -> None:
    with pytest.raises(PuzzleFormatError, match="expected"):
        asked(wrong)


def test_no_boards_and_strange_strides() -> None:
    assert count_many(np.zeros((0, 81), np.uint8)).counts.shape == (0,)
    assert true_candidates(np.zeros((0, 81), np.uint16)).shape == (0, 81)
    wide = np.zeros((400, 100), np.uint8)
    wide[:, 10:91] = puzzles()
    assert (count_many(wide[:, 10:91]).counts == count_many(puzzles()).counts).all()
    assert (count_many(puzzles()[::-3]).counts == count_many(puzzles()).counts[::-3]).all()
