"""Frames: what two bands leave alone; every role of bands and stacks gives the same sums."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from test_bands_count import KNOWN, hints, moved, scattered

from bddsudoku.engine.bands import BandSet, count
from bddsudoku.engine.bands.band_plan import BandPlan, PlanInput, make_plan
from bddsudoku.engine.bands.marginals import band_marginals
from bddsudoku.engine.bands.summation import ThreadTeam, plan_sums
from bddsudoku.jit.decorators import U16


def outline_of(masks: U16) -> PlanInput:
    plan_input = PlanInput.from_masks(masks)
    assert plan_input is not None
    return plan_input


def plan_of(plan_input: PlanInput, framed: bool) -> BandPlan:
    """A plan; with the board's own symmetries alone if it is not framed."""
    plan = make_plan(plan_input)
    return plan if framed else BandPlan(plan.plan_input, plan.board, plan.board, plan.roles)


def test_every_role_gives_the_count() -> None:
    masks, expected = hints(KNOWN[2][0]), KNOWN[2][1]
    for outer, way in product(range(3), (False, True)):
        framed = way == (outer == 1)
        plan = plan_of(outline_of(masks)._replace(outer=outer, transposed=way), framed)
        assert plan_sums(plan, ThreadTeam(2)).total == expected, (outer, way, framed)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_marginals_with_frames_and_without(seed: int) -> None:
    rng = np.random.default_rng(seed)
    masks = scattered(12, 4 * seed, rng)
    for outer in range(3):
        found = []
        for framed in (False, True):
            wanted = outline_of(masks)._replace(outer=outer, transposed=False, marginals=True)
            plan = plan_of(wanted, framed)
            sums = plan_sums(plan, ThreadTeam(2))
            found.append(band_marginals(plan, sums.blocks))
            assert (found[-1].sum(axis=2) == sums.total).all()
        assert (found[0] == found[1]).all(), masks.tolist()


@pytest.mark.parametrize(("held", "cut"), [pytest.param(5, 0, marks=pytest.mark.slow), (12, 30)])
def test_moved_boards_have_moved_marginals(held: int, cut: int) -> None:
    """Counts are the same; so are the numbers of solutions, cell by cell, in some order."""
    rng = np.random.default_rng(held)
    masks = scattered(held, cut, rng)
    whole = BandSet(masks).marginals()
    assert (whole.sum(axis=2) == count(masks)).all()
    other = BandSet(moved(masks, rng)).marginals()
    assert sorted(whole.ravel().tolist()) == sorted(other.ravel().tolist())
    cell = int(np.argmax([mask.bit_count() for mask in masks.tolist()]))
    digit = int(np.argmax(whole.reshape(81, 9)[cell]))
    child = masks.copy()
    child[cell] = 1 << digit
    assert count(child) == whole.reshape(81, 9)[cell, digit]
