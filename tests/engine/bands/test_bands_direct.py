"""Counts in one kernel: against dancing links, the sums of the bands, and what is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_bands_count import ALL, hints, moved, random_grid, random_masks

from bddsudoku.context import Context
from bddsudoku.engine import dlx
from bddsudoku.engine.bands import BandSet
from bddsudoku.engine.bands.many_hints import (
    DIRECT_HINTS,
    TOO_LARGE,
    direct_counts,
    direct_marginals,
)
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import U16
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


def by_sums(masks: U16) -> int:
    """The count without the kernel."""
    ranking = BandSet(masks)._ranking
    return ranking.sums.total if ranking else 0


def without(masks: U16, size: int, rng: np.random.Generator) -> U16:
    """Some hints taken away."""
    wider = masks.copy()
    wider[rng.permutation(np.flatnonzero(masks != ALL))[:size]] = ALL
    return wider


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_agrees_with_the_sums(kind: int) -> None:
    rng = np.random.default_rng(40 + kind)
    boards = np.array([random_masks(rng, kind) for _ in range(8)])
    counts = direct_counts(boards)
    assert (counts != TOO_LARGE).any()
    for masks, count in zip(boards, counts.tolist(), strict=True):
        assert count in (TOO_LARGE, by_sums(masks)), masks.tolist()


@given(seed=st.integers(0, 2**32), more=st.integers(0, 4))
@settings(max_examples=25, deadline=None)
def test_agrees_with_dancing_links(seed: int, more: int) -> None:
    """Hints gone from a puzzle with one solution, some candidates gone from open cells."""
    rng = np.random.default_rng(seed)
    masks = moved(without(hints(SEVENTEEN), 1 + more // 4, rng), rng)
    cut = rng.permutation(81)[: 10 * more]
    masks[cut] &= rng.integers(1, 512, len(cut)).astype(np.uint16) | masks[cut] >> 1
    (count,) = direct_counts(masks[None]).tolist()
    model = allocate(Puzzle.from_masks(masks.tolist(), Layout()), "candidates")
    found = dlx.count(model, node_limit=50_000)
    if found.done:
        assert count in (TOO_LARGE, found.count), masks.tolist()


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_shares_agree_with_the_sums(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bddsudoku.engine.bands.band_set.DIRECT_HINTS", 82)
    rng = np.random.default_rng(50 + kind)
    compared = 0
    while compared < 2:
        masks = random_masks(rng, kind)
        count, fractions = direct_marginals(masks)
        assert (fractions.sum(axis=2) == max(count, 0)).all()
        if count != TOO_LARGE:
            compared += 1
            assert (BandSet(masks).marginals() == fractions).all(), masks.tolist()


def test_moved_copies_count_the_same() -> None:
    """All orientations and roles of bands and stacks; the table of one in all."""
    rng = np.random.default_rng(5)
    for gone, expected in (((54,), 15085), ((54, 35), 2284505)):
        masks = hints(SEVENTEEN)
        masks[list(gone)] = ALL
        assert len(np.flatnonzero(masks != ALL)) >= DIRECT_HINTS
        boards = np.array([moved(masks, rng) for _ in range(20)])
        assert set(direct_counts(boards, jobs=1).tolist()) == {expected}
        assert set(direct_counts(boards, jobs=2).tolist()) == {expected}


def test_contradictions_and_full_grids() -> None:
    boards = np.full((5, 81), ALL, dtype=np.uint16)
    boards[0, [0, 8]] = 1
    boards[1, 40] = 0
    boards[2, :9] = ALL >> 1
    grid = random_grid(np.random.default_rng(2))
    boards[3] = 1 << (grid - 1)
    boards[4] = boards[3]
    boards[4, 1] = boards[3, 0]
    assert direct_counts(boards).tolist() == [0, 0, 0, 1, 0]
    assert direct_counts(boards[:0]).tolist() == []
    assert [direct_marginals(masks)[0] for masks in boards] == [0, 0, 0, 1, 0]
    assert direct_marginals(np.full(81, ALL, dtype=np.uint16))[0] == TOO_LARGE


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_may_end_the_work(threads: int) -> None:
    boards = np.array([hints(SEVENTEEN)] * 200)
    with pytest.raises(LimitReached):
        direct_counts(boards, jobs=threads, context=Context(time_limit=0))
