"""Kernels for ranking: places inside one (a_p, a_q, a_t), and inside one band filling."""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.engine.bands.blocks import compatible
from bddsudoku.jit import kernel

__all__ = ["walk_fillings", "walk_structures"]


@kernel
def walk_structures(
    pb: Any, pc: Any, qb: Any, qc: Any, tb: Any, tc: Any, table_b: Any, table_c: Any,
    target: int, until: Any, out: Any,
) -> Any:  # fmt: skip
    """Walk the (b, c) of one a in order, adding up T_b * T_c.

    Stops at `until` = (i, j, k), places in the lists of stacks p, q, t, when target < 0; else at
    the entry whose interval holds `target`. The place goes to `out`.

    Returns:
        The sum before the place (at most 56**3 * 1728**2 < 2**39); -1 when it is never reached.
    """
    total = np.int64(0)
    for i in range(pb.shape[0]):
        for k in range(tb.shape[0]):
            for j in range(qb.shape[0]):
                value = np.int64(table_b[qb[j], pb[i], tb[k]])
                value *= np.int64(table_c[qc[j], pc[i], tc[k]])
                if target < 0:
                    here = i == until[0] and j == until[1] and k == until[2]
                else:
                    here = target < total + value
                if here:
                    out[0], out[1], out[2] = i, j, k
                    return total
                total += value
    return -1


@kernel
def walk_fillings(
    masks: Any, part: Any, orth: Any, struct: Any, columns: Any, target: int, until: Any, out: Any
) -> int:
    """Walk the row structures of a band with given column partitions, in order.

    Stops at row structure `until` when target < 0, else at number `target`; puts the row
    partitions into `out`.

    Returns:
        How many came before; -1 when it is never reached.
    """
    n = 0
    for e in range(orth.shape[1]):
        r = np.int64(orth[columns[0], e])
        if compatible(masks[0], part[r], part[columns[0]]):
            for k in range(56 * r, 56 * r + 56):
                r2, r3 = struct[k, 1], struct[k, 2]
                if compatible(masks[1], part[r2], part[columns[1]]) and compatible(
                    masks[2], part[r3], part[columns[2]]
                ):
                    named = r == until[0] and r2 == until[1]
                    if n == target or (target < 0 and named):
                        out[0], out[1], out[2] = r, r2, r3
                        return n
                    n += 1
    return -1
