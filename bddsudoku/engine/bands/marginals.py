"""From block fillings weighted by completions to counts for every cell and digit."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.sums import RowSums, Sums
from bddsudoku.engine.bands.tables import COLUMN_ORDERS, tables

__all__ = ["band_marginals", "completed"]


def _block(rows: RowSums) -> NDArray[Any]:
    """Sums by [row, column, digit] of one block, as Python ints.

    Limbs are carried first, so each low one is below 2**32 and there are fewer than 2**19
    entries: their sums stay below 2**51, those of the high limbs below the count / 2**32 < 2**41;
    float64 (bincount) holds both exactly.
    """
    part = tables().part
    digit_of = np.zeros(512, dtype=np.int64)
    digit_of[1 << np.arange(9)] = np.arange(9)
    low = (rows.acc[:, 0] & np.uint64(0xFFFFFFFF)).astype(np.float64)
    high = (rows.acc[:, 1] + (rows.acc[:, 0] >> np.uint64(32))).astype(np.float64)
    out = np.zeros((3, 3, 9), dtype=object)
    for i in range(3):
        for j in range(3):
            digit = digit_of[part[rows.rows, i] & part[rows.columns, j]]
            lows = np.bincount(digit, weights=low, minlength=9)
            highs = np.bincount(digit, weights=high, minlength=9)
            out[i, j] = [int(a) + (int(b) << 32) for a, b in zip(lows, highs, strict=True)]
    return out


def band_marginals(sums: Sums) -> NDArray[Any]:
    """Marginals of the plan's outermost band: (3, 9, 9) Python ints, rows, columns, digits.

    The sums hold one row structure of each orbit of row permutations: the others follow by
    permuting rows. They hold one pair of each orbit, times its size. The group is a direct
    product (digits by groups, columns of each stack), so averaging over one factor after the
    other gives what the whole orbit would have given.
    """
    plan = sums.plan
    roles = plan.roles
    out = np.zeros((3, 9, 9), dtype=object)
    orders = {roles.p: plan.p_orders, roles.q: plan.q_orders, roles.t: plan.t_orders}
    for stack, rows in zip((roles.p, roles.q, roles.t), sums.rows, strict=True):
        block = _block(rows)
        group = COLUMN_ORDERS[orders[stack]]
        mean = sum(block[:, order] for order in group)  # times len(group)
        factor = 6 // len(group)
        out[:, 3 * stack : 3 * stack + 3] = mean * factor
    rows_too = sum(out[order] for order in COLUMN_ORDERS[plan.grid.row_orders(roles.a)])
    common = lcm(*(len(group) for group in plan.groups))
    averaged = np.zeros_like(out)
    for digits in plan.groups:
        averaged[:, :, digits] = rows_too[:, :, digits].sum(axis=2, keepdims=True) * (
            common // len(digits)
        )
    scale = plan.tb.scale * plan.tc.scale * len(plan.t_orders)
    exact = averaged * scale
    divided = exact // (6 * common)
    if (divided * (6 * common) != exact).any():
        raise AssertionError("marginals of an orbit do not divide evenly")
    return divided


def completed(out: NDArray[Any], total: int, way: bool, bands: Sequence[int]) -> NDArray[Any]:
    """Marginals of the whole board from those of the bands that were summed.

    Rows that may change places have equal parts of what is left of each column.

    Args:
        out: (9, 9, 9) Python ints, rows, columns, digits: those of the bands; changed.
        total: the number of solutions.
        way: whether these are bands of columns.
        bands: which of them were summed (see :func:`.roles.bands_to_sum`).

    Returns:
        [row, column, digit - 1]: int64 where the total is below 2**63, otherwise Python ints.
    """
    if len(bands) < 3:
        rest = [row for row in range(9) if row // 3 not in bands]
        left = np.full((9, 9), total, dtype=object) - out.sum(axis=0)
        if (left % len(rest) != 0).any():
            raise AssertionError("marginals of equal rows do not divide evenly")
        out[rest] = left // len(rest)
    out = out.transpose(1, 0, 2) if way else out
    return out.astype(np.int64) if total < 1 << 63 else out
