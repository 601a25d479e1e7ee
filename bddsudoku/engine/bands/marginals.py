"""From block fillings weighted by completions to counts for every cell and digit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.plan import Plan
from bddsudoku.engine.bands.tables import COLUMN_ORDERS

__all__ = ["Images", "band_marginals", "completed"]


@dataclass(frozen=True)
class Images:
    """Symmetries of a plan's board: what its sums leave out.

    Attributes:
        stacks: in the roles p, q, t.
        columns: numbers of the `COLUMN_ORDERS` of each of these.
        rows: those of the outermost band's rows.
        groups: interchangeable digits.
        scale: what all sums are multiplied by.
    """

    stacks: tuple[int, int, int]
    columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    rows: NDArray[np.int64]
    groups: list[list[int]]
    scale: int

    @classmethod
    def of(cls, plan: Plan) -> Images:
        """Those of a plan that is not empty."""
        roles = plan.roles
        return cls(
            (roles.p, roles.q, roles.t),
            (plan.p_orders, plan.q_orders, plan.t_orders),
            plan.grid.row_orders(roles.a),
            plan.groups,
            plan.tb.scale * plan.tc.scale * len(plan.t_orders),
        )


def band_marginals(images: Images, blocks: NDArray[Any]) -> NDArray[Any]:
    """Marginals of the plan's outermost band: (3, 9, 9) Python ints, rows, columns, digits.

    The sums hold one row structure of each orbit of row permutations: the others follow by
    permuting rows. They hold one pair of each orbit, times its size. The group is a direct
    product (digits by groups, columns of each stack), so averaging over one factor after the
    other gives what the whole orbit would have given.

    Args:
        images: of the sums' plan.
        blocks: see :class:`bddsudoku.engine.bands.fillings.Gathered`: of all the plan's pairs,
            those of its parts added up.
    """
    out = np.zeros((3, 9, 9), dtype=object)
    for stack, orders, by_order in zip(images.stacks, images.columns, blocks, strict=True):
        block = sum(by_order[:, order, n] for n, order in enumerate(COLUMN_ORDERS))
        group = COLUMN_ORDERS[orders]
        mean = sum(block[:, order] for order in group)  # times len(group)
        factor = 6 // len(group)
        out[:, 3 * stack : 3 * stack + 3] = mean * factor
    rows_too = sum(out[order] for order in COLUMN_ORDERS[images.rows])
    common = lcm(*(len(group) for group in images.groups))
    averaged = np.zeros_like(out)
    for digits in images.groups:
        averaged[:, :, digits] = rows_too[:, :, digits].sum(axis=2, keepdims=True) * (
            common // len(digits)
        )
    exact = averaged * images.scale
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
