"""From block fillings weighted by completions to counts for every cell and digit."""

from __future__ import annotations

from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.sums import Sums
from bddsudoku.engine.bands.tables import COLUMN_ORDERS

__all__ = ["band_marginals"]


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
    for stack, by_order in zip((roles.p, roles.q, roles.t), sums.blocks, strict=True):
        block = sum(by_order[:, order, n] for n, order in enumerate(COLUMN_ORDERS))
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
