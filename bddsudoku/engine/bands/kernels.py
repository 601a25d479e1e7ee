"""The inner loops: completions of one pair of column partitions of the outermost band.

Notation: the outermost band is a, the others b and c; the stacks are taken in the roles p, q
and t. For a fixed pair (a_p, a_q) the completions of each a_t are

    W(a_t) = sum over structures (a_t, b_t, c_t) of  sum over k  X[b_t, k] * Y[c_t, k]

where k runs over the pairs of structures (a_p, b_p, c_p), (a_q, b_q, c_q), X[b_t, k] is
T_b(b_p, b_q, b_t) and Y[c_t, k] is T_c(c_p, c_q, c_t): dot products of contiguous int16 arrays,
which compile to multiply-and-add-pairs instructions.

Bounds. T <= 1728. A dot product is taken over chunks of k whose length times max X times max Y
stays below 2**31 (int32 holds it); W <= 56**3 * 1728**2 < 2**39; the sum of W * T_a over a_t,
at most 3136 * 94080 * 1728**3 < 1.6e18 < 2**63.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.engine.bands.dots import STEP, dot_four
from bddsudoku.engine.bands.turning import fetch, turn_eight
from bddsudoku.jit import kernel, part

__all__ = ["LANES", "pair_values", "relabelled", "run_pairs"]

#: Chunks of k are as long as a multiple of this: rows of operands begin on cache lines.
LANES = 64


@part
def _lay_out(
    flat: Any, shape: Any, firsts: Any, seconds: Any, n2: int, lo: int, n: int, width: Any,
    offsets: Any, out: Any,
) -> None:  # fmt: skip
    """out[u, k] = table[firsts[i], seconds[j], u] with i * n2 + j = lo + k.

    For k < n; zero from there up to `width`. `flat` are the entries of the table, with a row of
    zeros behind them.
    """
    _, wide, deep = shape
    end = np.int64(shape[0]) * wide * deep
    for k in range(-8, width, 8):
        for m in range(8):
            offsets[m] = offsets[8 + m]
            at = lo + k + 8 + m
            row = np.int64(firsts[min(at, lo + n - 1) // n2]) * wide + seconds[at % n2]
            offsets[8 + m] = row * deep if k + 8 + m < n else end
        for u in range(0, deep, 8):
            if u % 32 == 0:
                for m in range(8, 16):
                    fetch(flat, offsets[m] + u)
            if k >= 0:
                turn_eight(
                    flat, offsets[0], offsets[1], offsets[2], offsets[3], offsets[4], offsets[5],
                    offsets[6], offsets[7], u, out, out.shape[1], k,
                )  # fmt: skip


@part
def pair_values(
    flat_b: Any, shape_b: Any, flat_c: Any, shape_c: Any,
    p_b: Any, p_c: Any, q_b: Any, q_c: Any, chunk: int,
    t_ptr: Any, t_c: Any, t_a: Any, wanted: Any, x: Any, y: Any, offsets: Any, four: Any, w: Any,
) -> None:  # fmt: skip
    """Fill w[a_t] for one pair; `p_b` … `q_c` are the classes along the structures of a_p, a_q.

    Only those a_t are summed that are `wanted`.
    """
    for k in range(w.shape[0]):
        w[k] = 0
    n1 = p_b.shape[0]
    size = n1 * q_b.shape[0]
    pieces = (size + chunk - 1) // chunk
    left, right = x.reshape(-1), y.reshape(-1)
    wide, deep = np.int64(x.shape[1]), np.int64(y.shape[1])
    for piece in range(pieces):
        lo = size * piece // pieces
        n = size * (piece + 1) // pieces - lo
        steps = np.int64((n + STEP - 1) // STEP)
        _lay_out(flat_b, shape_b, q_b, p_b, n1, lo, n, STEP * steps, offsets, x)
        _lay_out(flat_c, shape_c, q_c, p_c, n1, lo, n, STEP * steps, offsets, y)
        for u in range(t_ptr.shape[0] - 1):
            waiting = 0
            for e in range(t_ptr[u], t_ptr[u + 1]):
                if wanted[t_a[e]]:
                    offsets[waiting] = t_c[e] * deep
                    offsets[4 + waiting] = t_a[e]
                    waiting += 1
                    if waiting == 4:
                        dot_four(
                            left, u * wide, right,
                            offsets[0], offsets[1], offsets[2], offsets[3], steps, four,
                        )  # fmt: skip
                        for j in range(4):
                            w[offsets[4 + j]] += four[j]
                        waiting = 0
            if waiting > 0:
                for j in range(waiting, 4):
                    offsets[j] = offsets[0]
                dot_four(
                    left, u * wide, right,
                    offsets[0], offsets[1], offsets[2], offsets[3], steps, four,
                )  # fmt: skip
                for j in range(waiting):
                    w[offsets[4 + j]] += four[j]


@part
def relabelled(relabel: Any, triples: Any, subset: Any, out: Any) -> None:
    """out[s] = number of the 3-subset that subset s becomes."""
    for s in range(84):
        mask = 1 << relabel[triples[s, 0]] | 1 << relabel[triples[s, 1]]
        out[s] = subset[mask | 1 << relabel[triples[s, 2]]]


@kernel
def run_pairs(
    at: Any, lo: int, hi: int, firsts: Any, seconds: Any, values: Any, stop: Any, done: Any,
    ptr: Any, pairs: Any, relabel: Any, own1: Any, own2: Any, ta: Any, a_class: Any,
    t_halves: Any, place: Any, triples: Any, subset: Any,
    flat_b: Any, shape_b: Any, flat_c: Any, shape_c: Any,
    p_ptr: Any, p_b: Any, p_c: Any, q_ptr: Any, q_b: Any, q_c: Any,
    t_ptr: Any, t_c: Any, t_a: Any, chunk: int,
    x: Any, y: Any, offsets: Any, four: Any, w: Any, image: Any, wanted: Any,
) -> None:  # fmt: skip
    """Completions of the orbits at[lo] … at[hi - 1], and values of their members.

    W of orbit at[i] stays in row i - lo of `w`, as far as there are rows: else in the last.
    `stop[0]` ends the run early; `done[0]` counts multiply-adds.

    The orbit's representative is (firsts, seconds); its members are ptr[at[i]] …
    ptr[at[i] + 1] - 1: places in own1, own2 (their partitions) and `values` (which become the sum
    of W * T_a). `a_class` (2, 1680) are the classes of T_a; `t_halves` (m, 3) are the first two
    triples of the living a_t, by subset number, and their classes; `place` (7056,) says which a_t
    of the frame two triples make. Working memory: `x` and `y`, with rows for all classes and
    seven more; `offsets` (16,) int64; `four` (4,) int32; `image` (84,); `wanted` (as wide as `w`).
    """
    row = 0
    for i in range(lo, hi):
        if stop[0] != 0:
            return
        a1 = firsts[at[i]]
        a2 = seconds[at[i]]
        for k in range(wanted.shape[0]):
            wanted[k] = False
        for m in range(ptr[at[i]], ptr[at[i] + 1]):
            relabelled(relabel[m], triples, subset, image)
            weight = ta[a_class[0, own1[pairs[m]]], a_class[1, own2[pairs[m]]]]
            for k in range(t_halves.shape[0]):
                if weight[t_halves[k, 2]] != 0:
                    here = place[image[t_halves[k, 0]] * 84 + image[t_halves[k, 1]]]
                    wanted[here] = True
        mine = w[row]
        p0, p1 = p_ptr[a1], p_ptr[a1 + 1]
        q0, q1 = q_ptr[a2], q_ptr[a2 + 1]
        pair_values(
            flat_b, shape_b, flat_c, shape_c,
            p_b[p0:p1], p_c[p0:p1], q_b[q0:q1], q_c[q0:q1], chunk,
            t_ptr, t_c, t_a, wanted, x, y, offsets, four, mine,
        )  # fmt: skip
        for m in range(ptr[at[i]], ptr[at[i] + 1]):
            relabelled(relabel[m], triples, subset, image)
            weight = ta[a_class[0, own1[pairs[m]]], a_class[1, own2[pairs[m]]]]
            total = np.int64(0)
            for k in range(t_halves.shape[0]):
                times = np.int64(weight[t_halves[k, 2]])
                if times != 0:
                    here = place[image[t_halves[k, 0]] * 84 + image[t_halves[k, 1]]]
                    total += mine[here] * times
            values[pairs[m]] = total
        done[0] += (p1 - p0) * (q1 - q0) * t_c.shape[0]
        if row + 1 < w.shape[0]:
            row += 1
