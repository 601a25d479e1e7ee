"""Kernels that carry completions of pairs to block fillings: see :mod:`.fillings`."""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.engine.bands.kernels import relabelled
from bddsudoku.engine.bands.lanes import add_both, add_times
from bddsudoku.jit import kernel, part

__all__ = ["ORDERS", "add_up", "spread_members"]

#: Orders of three columns.
ORDERS = 6

_ADD_FOUR, _ADD_EIGHT, _ADD_TWELVE = add_both[4], add_both[8], add_both[12]
_TIMES_TWO, _TIMES_SIX = add_times[2], add_times[6]


@part
def _collect(
    wide: Any, row: Any, times: Any, one: Any, other: Any, t_of: Any, t_turn: Any, t_halves: Any,
    place: Any, image: Any, index: Any, turned: Any,
) -> None:  # fmt: skip
    """Add W of one pair, turned by a symmetry of the board, to the sums by class of a_t."""
    for k in range(t_halves.shape[0]):
        first, second = t_halves[k, 0], t_halves[k, 1]
        value = row[place[image[first] * 84 + image[second]]] * times
        if value != 0:
            there = index[turned[first] * 84 + turned[second]]
            z = t_of[there]
            wide[z, one] += value
            wide[z, other] += value
            wide[z, t_turn[there]] += value


@part
def _partners(
    flat: Any, width: Any, classes: Any, lo: int, hi: int, n: int, s: Any, to: Any
) -> None:
    """s[to:to + n] = the sum of the first entries of some rows; the last row is all zero."""
    for k in range(to, to + n):
        s[k] = 0
    for k in range(lo, hi, 2):
        one = np.int64(classes[k]) * width
        other = np.int64(classes[k + 1]) * width if k + 1 < hi else flat.shape[0] - width
        if n == 12:
            _ADD_TWELVE(s, to, flat, one, other)
        elif n == 8:
            _ADD_EIGHT(s, to, flat, one, other)
        else:
            _ADD_FOUR(s, to, flat, one, other)


@part
def _carry(
    wide: Any, x: int, y: int, widths: Any, struct: Any, lists: Any, m: Any, s: Any, q_sum: Any,
    p_ptr: Any, p_rows: Any, p_acc: Any, q_ptr: Any, q_rows: Any, q_acc: Any,
    t_ptr: Any, t_classes: Any, t_acc: Any,
) -> None:  # fmt: skip
    """Add the sums of a pair of classes to every block filling (column, row) that takes part."""
    q_at = lists[0]
    met = lists[1]
    n_p, n_q, n_t = widths[0], widths[1], widths[2]
    start = 4 * ((n_p + n_q + 3) // 4)
    flat = wide.reshape(-1)
    sums = s.reshape(-1)
    t_sums = t_acc.reshape(-1)
    width = np.int64(wide.shape[1])
    q0 = q_ptr[y]
    q1 = q_ptr[y + 1]
    for e in range(q0, q1):
        q_at[q_rows[e]] = e - q0
        for j in range(n_q):
            q_sum[e - q0, j] = 0
    n_met = 0
    for e in range(p_ptr[x], p_ptr[x + 1]):
        r = int(p_rows[e])
        for n in range(56 * r, 56 * r + 56):
            there = q_at[struct[n, 1]]
            if there >= 0:
                r3 = struct[n, 2]
                if m[r3] == 0:
                    met[n_met] = r3
                    n_met += 1
                    _partners(
                        flat, width, t_classes, t_ptr[r3], t_ptr[r3 + 1], start, sums,
                        np.int64(r3) * 12,
                    )  # fmt: skip
                m[r3] += 1
                for j in range(n_p):
                    p_acc[e, j] += s[r3, j]
                for j in range(n_q):
                    q_sum[there, j] += s[r3, n_p + j]
    for e in range(q1 - q0):
        q_at[q_rows[q0 + e]] = -1
        for j in range(n_q):
            q_acc[q0 + e, j] += q_sum[e, j]
    for n in range(n_met):
        r3 = met[n]
        times = m[r3]
        m[r3] = 0
        for k in range(t_ptr[r3], t_ptr[r3 + 1]):
            at = np.int64(t_classes[k]) * width + start
            if n_t == 6:
                _TIMES_SIX(t_sums, 6 * k, flat, at, times)
            else:
                _TIMES_TWO(t_sums, 2 * k, flat, at, times)


@kernel
def spread_members(
    members: Any, rows: Any, keys: Any, pairs: Any, relabel: Any, turning: Any,
    own1: Any, own2: Any, weights: Any, w: Any,
    x_of: Any, y_of: Any, z_of: Any, p_turn: Any, q_turn: Any, t_turn: Any, widths: Any,
    t_halves: Any, place: Any, triples: Any, subset: Any, index: Any, struct: Any,
    stop: Any, done: Any, images: Any, lists: Any, m: Any, wide: Any, s: Any, q_sum: Any,
    p_ptr: Any, p_rows: Any, p_acc: Any, q_ptr: Any, q_rows: Any, q_acc: Any,
    t_ptr: Any, t_classes: Any, t_acc: Any,
) -> None:  # fmt: skip
    """Add the completions of some members, pair of classes by pair of classes.

    Those of members[n] are in row rows[n] of `w` (see
    :func:`bddsudoku.engine.bands.kernels.run_pairs`), and are taken `weights`
    times. `turning` (by pair) are symmetries of the board; own1, own2 (by pair) are the partitions
    that they make of it; where `keys` are equal, these have the same classes. `x_of`, `y_of`,
    `z_of` are classes of partitions, `p_turn` … places in `wide`: by the orders of columns in
    which they have them. `widths` (3,) says how many orders there are. Lists of p and q go by
    class, those of t by row partition: only the rows that a row structure meets are looked at.

    `stop[0]` ends the run early; `done[0]` counts members. Working memory: `images` (2, 84);
    `lists` (2, 1680), of which `lists[0]` is all -1 before and after; `m` (1680,), all zero before
    and after: how many row structures end in a row partition; `wide`: sums by class of a_t and the
    order of a_p, of a_q, of a_t; `s` (1680, 12): what is in `wide` for the partners of a row
    partition; `q_sum` (1680, 6).
    """
    lo = 0
    while lo < len(members) and stop[0] == 0:
        pair = pairs[members[lo]]
        x = x_of[own1[pair]]
        y = y_of[own2[pair]]
        wide[:] = 0
        hi = lo
        while hi < len(members) and keys[hi] == keys[lo]:
            pair = pairs[members[hi]]
            relabelled(relabel[members[hi]], triples, subset, images[0])
            relabelled(turning[pair], triples, subset, images[1])
            _collect(
                wide, w[rows[hi]], weights[pair], p_turn[own1[pair]], q_turn[own2[pair]], z_of,
                t_turn, t_halves, place, images[0], index, images[1],
            )  # fmt: skip
            hi += 1
        _carry(
            wide, x, y, widths, struct, lists, m, s, q_sum, p_ptr, p_rows, p_acc,
            q_ptr, q_rows, q_acc, t_ptr, t_classes, t_acc,
        )  # fmt: skip
        done[0] += hi - lo
        lo = hi


@kernel
def add_up(rows: Any, columns: Any, part: Any, sums: Any, out: Any) -> None:
    """out[i, j, order, digit] += sums[n, order] for the digit where row i and column j meet."""
    for n in range(len(rows)):
        for i in range(3):
            for j in range(3):
                bit = int(part[rows[n], i] & part[columns[n], j])
                digit = 0
                while bit >> digit > 1:
                    digit += 1
                for order in range(sums.shape[1]):
                    out[i, j, order, digit] += sums[n, order]
