"""Carrying completions to block fillings: huge shares, many rounds."""

from __future__ import annotations

import numpy as np
import pytest
from test_bands_count import scattered
from test_bands_frames import outline_of

from bddsudoku.engine.bands import count
from bddsudoku.engine.bands import marginals as fillings
from bddsudoku.engine.bands import summation as sums
from bddsudoku.engine.bands.band_plan import make_plan
from bddsudoku.engine.bands.marginals import band_marginals
from bddsudoku.engine.bands.summation import ThreadTeam
from bddsudoku.jit.decorators import U16, AnyArray


def marginals_by_definition(masks: U16, outer: int, threads: int = 2) -> AnyArray:
    plan = make_plan(outline_of(masks)._replace(outer=outer, transposed=False, marginals=True))
    found = sums.plan_sums(plan, ThreadTeam(threads))
    fractions = band_marginals(plan, found.blocks)
    assert (fractions.sum(axis=2) == found.total).all()
    return fractions


@pytest.mark.parametrize(("held", "cut"), [pytest.param(12, 20, marks=pytest.mark.slow), (16, 6)])
def test_rounds_and_sums_of_any_size_give_the_same(
    held: int, cut: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few completions kept at a time; sums that are added up again and again; members alone."""
    masks = scattered(held, cut, np.random.default_rng(held))
    total = count(masks)
    expected = [marginals_by_definition(masks, outer) for outer in range(3)]
    monkeypatch.setattr(sums, "ROWS_BYTES", 300_000)
    monkeypatch.setattr(fillings, "MAX_MEMBERS", total / 1000)
    again = [marginals_by_definition(masks, outer, threads=1) for outer in range(3)]
    assert all((a == b).all() for a, b in zip(expected, again, strict=True))
    monkeypatch.setattr(
        fillings, "MAX_MEMBERS", 1.0
    )  # every member has more: gathered once, multiplied
    assert (marginals_by_definition(masks, 1) == expected[1]).all()
