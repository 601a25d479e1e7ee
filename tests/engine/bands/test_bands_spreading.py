"""Carrying completions to block fillings: huge shares, many rounds, and the instructions for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_bands_count import ALL
from test_bands_frames import outline_of, strewn

from bddsudoku.engine.bands import BandSet, count, sums
from bddsudoku.engine.bands import marginals as fillings
from bddsudoku.engine.bands.instructions import STEP, add_times, dot_four, sum_rows
from bddsudoku.engine.bands.kernels import operands
from bddsudoku.engine.bands.marginals import band_marginals
from bddsudoku.engine.bands.plan import make_plan
from bddsudoku.engine.bands.sums import Team
from bddsudoku.jit import kernel


def shares_of(masks: NDArray[np.uint16], outer: int, threads: int = 2) -> NDArray[Any]:
    plan = make_plan(outline_of(masks)._replace(outer=outer, transposed=False, marginals=True))
    found = sums.take_sums(plan, Team(threads))
    shares = band_marginals(plan, found.blocks)
    assert (shares.sum(axis=2) == found.total).all()
    return shares


@pytest.mark.parametrize(("held", "cut"), [pytest.param(12, 20, marks=pytest.mark.slow), (16, 6)])
def test_rounds_and_sums_of_any_size_give_the_same(
    held: int, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few completions kept at a time; sums that are added up again and again; members alone."""
    masks = strewn(held, cut, np.random.default_rng(held))
    total = count(masks)
    expected = [shares_of(masks, outer) for outer in range(3)]
    monkeypatch.setattr(sums, "ROWS_BYTES", 300_000)
    monkeypatch.setattr(fillings, "MOST", total / 1000)
    again = [shares_of(masks, outer, threads=1) for outer in range(3)]
    assert all((a == b).all() for a, b in zip(expected, again, strict=True))
    monkeypatch.setattr(fillings, "MOST", 1.0)  # every member has more: gathered once, multiplied
    assert (shares_of(masks, 1) == expected[1]).all()


def test_shares_that_no_word_holds() -> None:
    """One digit is barred from two cells: there are more solutions than 2**64."""
    masks = np.full(81, ALL, dtype=np.uint16)
    masks[[0, 31]] &= ~np.uint16(256)
    total = count(masks)
    assert total > 1 << 64
    shares = BandSet(masks).marginals()
    for axis in range(3):
        assert (shares.sum(axis=axis) == total).all()
    child = masks.copy()
    child[40] = 256
    assert shares[4, 4, 8] == count(child)
    child[40] = 1
    assert shares[4, 4, 0] == count(child)


@kernel
def _four(left: Any, row: Any, right: Any, rows: Any, steps: Any, out: Any) -> None:
    dot_four(left, row, right, rows, steps, out)


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_four_dot_products(steps: int) -> None:
    rng = np.random.default_rng(steps)
    left, right = operands(3, 8 * STEP), operands(6, 8 * STEP)
    for array in (left, right):
        array[:] = rng.integers(-1728, 1729, array.shape)
    out = np.zeros(4, dtype=np.int32)
    chosen = np.array([5, 0, 2, 2])
    _four(left, 8 * STEP, right, chosen * 8 * STEP, steps, out)
    held = slice(0, STEP * steps)
    products = right[chosen][:, held].astype(np.int64) @ left[1, held].astype(np.int64)
    assert out.tolist() == products.tolist()


_FOUR, _EIGHT, _TWELVE = sum_rows[4], sum_rows[8], sum_rows[12]
_TWO, _SIX = add_times[2], add_times[6]


@kernel
def _lanes(out: Any, source: Any, rows: Any, times: Any) -> None:
    _FOUR(source, 3, rows, 1, 4, out[0], 1)
    _EIGHT(source, 1, rows, 0, 2, out[1], 0)
    _TWELVE(source, 4, rows, 2, 2, out[2], 2)
    _TWO(out[3], 7, source, 4, times)
    _SIX(out[4], 3, source, 1, times)


def test_lanes() -> None:
    rng = np.random.default_rng(3)
    source = rng.integers(-(1 << 60), 1 << 60, 20)
    out = rng.integers(-100, 100, (5, 20))
    expected = out.copy()
    expected[0, 1:5] = source[6:10] + source[0:4] + source[15:19]
    expected[1, :8] = source[3:11] + source[2:10]
    expected[2, 2:14] = 0
    expected[3, 7:9] += source[4:6] * 7
    expected[4, 3:9] += source[1:7] * 7
    _lanes(out, source, np.array([3, 2, 0, 5], dtype=np.uint16), 7)
    assert (out == expected).all()
