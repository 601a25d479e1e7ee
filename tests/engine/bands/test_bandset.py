"""The set: marginals, samples, ranks and smaller sets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from oracles import Grid, searched
from test_bands_count import HOUSES, KNOWN, LONG, hints, random_masks

from bddsudoku.engine.bands import BandSet
from bddsudoku.jit.decorators import I64, U16


def add_up(marginals: I64, total: int) -> bool:
    """Each cell has one digit; each digit stands once in each row and column."""
    return all(bool((marginals.sum(axis=axis) == total).all()) for axis in range(3))


@cache
def small_boards() -> list[tuple[U16, list[Grid]]]:
    """Nine boards with at most 2,000 solutions, and these, found by search."""
    rng = np.random.default_rng(11)
    out: list[tuple[U16, list[Grid]]] = []
    while len(out) < 9:
        masks = random_masks(rng, len(out) % 3)
        found = searched(masks.tolist(), HOUSES, 2000)
        if found is not None and len(found) > 20:
            out.append((masks, found))
    return out


def small_sets(n: int) -> list[tuple[BandSet, list[Grid]]]:
    """The sets of up to nine small boards, with their solutions found by search."""
    return [(BandSet(masks), found) for masks, found in small_boards()[:n]]


def test_small_sets_are_the_searched_ones() -> None:
    for held, found in small_sets(9):
        assert held.count() == len(found)
        everything = held.unrank_many(range(len(found)))
        assert sorted(map(tuple, everything.tolist())) == sorted(found)
        assert [held.rank(grid) for grid in everything[::7]] == list(range(len(found)))[::7]


@pytest.mark.parametrize("puzzle", [KNOWN[0], KNOWN[4], KNOWN[7]])
def test_marginals_of_large_sets_add_up(puzzle: tuple[str, int]) -> None:
    held = BandSet(hints(puzzle[0]))
    marginals = held.marginals()
    assert add_up(marginals, puzzle[1])
    assert marginals.dtype == (np.int64 if puzzle[1] < 2**63 else object)
    assert held.count() == puzzle[1]


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", LONG)
def test_marginals_of_the_largest_sets_add_up(puzzle: tuple[str, int]) -> None:
    assert add_up(BandSet(hints(puzzle[0])).marginals(), puzzle[1])


@pytest.mark.parametrize("puzzle", [KNOWN[1], KNOWN[4], KNOWN[6]])
def test_rank_undoes_unrank(puzzle: tuple[str, int]) -> None:
    held = BandSet(hints(puzzle[0]))
    total = held.count()
    rng = np.random.default_rng(4)
    numbers = [0, total - 1, *(int(rng.random() * total) for _ in range(5))]
    grids = held.unrank_many(numbers)
    assert all(grid in held for grid in grids)
    assert [held.rank(grid) for grid in grids] == numbers


def test_samples_are_uniform() -> None:
    """Chi-square over 100,000 draws: within six standard deviations of its mean."""
    held, found = small_sets(1)[0]
    draws = 100_000
    drawn = held.sample(draws, np.random.default_rng(123))
    assert drawn.shape == (draws, 81)
    seen: dict[bytes, int] = {np.array(grid, dtype=np.uint8).tobytes(): 0 for grid in found}
    for grid in drawn:
        seen[grid.tobytes()] += 1
    expected = draws / len(found)
    chi = sum((n - expected) ** 2 / expected for n in seen.values())
    freedom = len(found) - 1
    assert abs(chi - freedom) < 6 * (2 * freedom) ** 0.5


def test_it_is_read_like_any_other_set() -> None:
    held, found = small_sets(1)[0]
    grids = held.to_numpy()
    assert sorted(map(tuple, grids.tolist())) == sorted(map(tuple, found))
    assert (held[3:9:2].to_numpy() == grids[3:9:2]).all()
    assert not held.masks.flags.writeable
    everything = BandSet([511] * 81)
    assert (next(iter(everything)) == everything.unrank(0)).all()
    with pytest.raises(MemoryError, match="do not fit"):
        everything.to_numpy()
