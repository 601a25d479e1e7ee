"""Counting: known totals, an independent search, symmetries, limits."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from oracles import houses, masks_of, searched
from strategies import shuffled_grid

from bddsudoku.engine.bands import count, predicted_cost
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.jit.decorators import I64, U16
from bddsudoku.puzzle.sudoku import Layout

HOUSES = houses(Layout())
EMPTY = 6_670_903_752_021_072_936_960
ALL = 511

_LINES = (Path(__file__).parents[3] / "data" / "few_hints.txt").read_text().splitlines()
_ALL = [(line.split()[0], int(line.split()[1])) for line in _LINES if line and line[0] != "#"]
KNOWN = [*_ALL[:5], _ALL[12], ("0" * 20 + "2" + "0" * 60, EMPTY // 9), _ALL[14]]
LONG = _ALL[5:12]


@pytest.mark.parametrize(("puzzle", "expected"), KNOWN)
def test_known_counts(puzzle: str, expected: int) -> None:
    assert count(hints(puzzle)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("puzzle", "expected"), LONG)
def test_known_counts_of_few_hints(puzzle: str, expected: int) -> None:
    assert count(hints(puzzle)) == expected


def hints(text: str) -> U16:
    """Masks of a puzzle's 81 digits, 0 for open cells."""
    return np.array(masks_of(map(int, text), 9), dtype=np.uint16)


def random_grid(rng: np.random.Generator) -> I64:
    """The 81 digits of a solved grid."""
    seed = int(rng.integers(2**32))
    return np.array(shuffled_grid(Layout(), random.Random(seed)).cells)


def scattered(held: int, cut: int, rng: np.random.Generator) -> U16:
    """Hints in random cells of a grid, and cells that have lost random candidates."""
    right = (1 << (random_grid(rng) - 1)).astype(np.uint16)
    masks = np.full(81, ALL, dtype=np.uint16)
    order = rng.permutation(81)
    masks[order[:held]] = right[order[:held]]
    where = order[held : held + cut]
    masks[where] = rng.integers(0, 512, cut).astype(np.uint16) | right[where]
    return masks


def random_masks(rng: np.random.Generator, kind: int) -> U16:
    """Masks with at least one solution, of three kinds: hints, loose masks, both."""
    grid = random_grid(rng)
    right = (1 << (grid - 1)).astype(np.uint16)
    order = rng.permutation(81)
    if kind == 0:
        masks = np.full(81, ALL, dtype=np.uint16)
        chosen = order[: rng.integers(22, 27)]
        masks[chosen] = right[chosen]
        return masks
    if kind == 1:  # digits in three pairs that may change places, and some loose candidates
        pairs = rng.permutation(9)[:6].reshape(3, 2)
        for one, other in pairs:
            right[(grid == one + 1) | (grid == other + 1)] = (1 << one) | (1 << other)
        unconstrained = (rng.random((81, 9)) < rng.uniform(0.05, 0.15)) @ (1 << np.arange(9))
        return (unconstrained.astype(np.uint16) | right).astype(np.uint16)
    masks = np.full(81, ALL, dtype=np.uint16)
    held, cut = order[:17], order[17 : rng.integers(28, 45)]
    masks[held] = right[held]
    unconstrained = rng.integers(0, 512, len(cut)) & rng.integers(0, 512, len(cut))
    masks[cut] = unconstrained.astype(np.uint16) | right[cut]
    return masks


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize(
    ("size", "limit"), [(16, 600), pytest.param(100, 20_000, marks=pytest.mark.slow)]
)
def test_agrees_with_search(kind: int, size: int, limit: int) -> None:
    rng = np.random.default_rng(kind)
    boards = [random_masks(rng, kind) for _ in range(size)]
    searches = [searched(masks.tolist(), HOUSES, limit) for masks in boards]
    assert sum(found is not None for found in searches) >= size // 4
    for masks, found in zip(boards, searches, strict=True):
        assert found is None or count(masks) == len(found), masks.tolist()


@pytest.mark.parametrize(
    ("cells", "mask"),
    [
        ([0, 8], 1),  # twice in a row
        ([40], 0),
        (range(9), ALL >> 1),  # no cell of row 1 takes digit 9, which no single sees
        (range(3, 9), ALL & ~0b1111),  # three cells of a row for four digits: blocks tell
    ],
)
def test_contradictions_count_zero(cells: list[int], mask: int) -> None:
    masks = np.full(81, ALL, dtype=np.uint16)
    masks[list(cells)] = mask
    assert count(masks) == 0


def moved(masks: U16, rng: np.random.Generator) -> U16:
    """Masks after a random transposition, permutation of lines within and of bands, relabelling."""
    square = masks.reshape(9, 9)
    if rng.random() < 0.5:
        square = square.T
    lines = [np.concatenate([3 * b + rng.permutation(3) for b in rng.permutation(3)]) for _ in "rc"]
    square = square[np.ix_(lines[0], lines[1])]
    digits = rng.permutation(9)
    bits = (square[:, :, None] >> np.arange(9)) & 1
    return (bits << digits).sum(axis=2).reshape(81).astype(np.uint16)


def test_moved_and_relabelled_copies_count_the_same() -> None:
    rng = np.random.default_rng(7)
    for held, cut in ((2, 0), (11, 0), (11, 9), (14, 30)):
        masks = scattered(held, cut, rng)
        expected = count(masks)
        for _ in range(2):
            assert count(moved(masks, rng)) == expected, masks.tolist()


def test_threads_do_not_change_the_count() -> None:
    masks, expected = hints(KNOWN[3][0]), KNOWN[3][1]
    assert count(masks, threads=1) == expected
    assert count(masks, threads=3) == expected


def test_a_tiny_memory_limit_says_so() -> None:
    masks = hints(KNOWN[4][0])
    with pytest.raises(LimitReached, match=r"needs .* MiB .* limit is 1\.0 MiB") as caught:
        count(masks, memory_limit=1 << 20)
    assert caught.value.limit == "memory"
    assert "\n" not in str(caught.value)


def test_what_progress_raises_ends_the_work() -> None:
    """No hint and no symmetry: hours of work, which the estimates say; it stops when told to."""
    rng = np.random.default_rng(5)
    masks = (ALL ^ (1 << rng.integers(0, 9, 81))).astype(np.uint16)
    masks[rng.permutation(81)[:40]] = 0b111010111
    assert predicted_cost(masks) > 60
    calls = 0

    def impatient(done: float, total: float) -> None:
        nonlocal calls
        calls += 1
        assert total > 1e12
        if calls > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count(masks, progress=impatient)
    assert calls > 1


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ([511] * 80, "81 candidate masks"),
        ([511] * 80 + [512], "r9c9: candidate mask from 0 to 511 expected, got 512"),
        ([1.5] * 81, "81 candidate masks"),
    ],
)
def test_bad_masks_are_refused(masks: list[int], message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message):
        count(masks)
