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

from bddsudoku.jit import inlined, kernel, part

__all__ = ["LANES", "pair_values", "run_pairs", "spread_pairs"]

#: Chunks of k are padded with zeros to a multiple of this, so that no scalar tail is left.
LANES = 64


@part
def _gather(table: Any, firsts: Any, n: int, seconds: Any, lo: int, n2: int, out: Any) -> None:
    """out[i, u, k] = table[firsts[i], u, seconds[lo + k]]."""
    for i in range(n):
        for u in range(table.shape[1]):
            row = table[firsts[i], u]
            for k in range(n2):
                out[i, u, k] = row[seconds[lo + k]]


@part
def _lay_out(slabs: Any, at: Any, lo: int, m: int, n2: int, width: int, out: Any) -> None:
    """out[u, i * n2 + k] = slabs[at[lo + i], u, k], padded with zeros up to `width`."""
    for i in range(m):
        slab = slabs[at[lo + i]]
        for u in range(slab.shape[0]):
            source = slab[u]
            target = out[u]
            for k in range(n2):
                target[i * n2 + k] = source[k]
    for u in range(out.shape[0]):
        for k in range(m * n2, width):
            out[u, k] = 0


@part
def pair_values(
    p_b: Any, p_c: Any, n1: int, n2: int, chunk: int, slabs_b: Any, slabs_c: Any,
    t_ptr: Any, t_c: Any, t_a: Any, wanted: Any, x: Any, y: Any, w: Any,
) -> None:  # fmt: skip
    """Fill w[a_t] for one pair; `p_b`, `p_c` say which slabs belong to the structures of a_p.

    Only those a_t are summed that are `wanted`.
    """
    for k in range(w.shape[0]):
        w[k] = 0
    pieces = (n1 * n2 + chunk - 1) // chunk
    step = (n1 + pieces - 1) // pieces
    if step * n2 > chunk:
        step = chunk // n2
    if step < 1:
        step = 1
    lo = 0
    while lo < n1:
        m = step
        if m > n1 - lo:
            m = n1 - lo
        lanes = (m * n2 + 63) // 64
        _lay_out(slabs_b, p_b, lo, m, n2, 64 * lanes, x)
        _lay_out(slabs_c, p_c, lo, m, n2, 64 * lanes, y)
        for u in range(t_ptr.shape[0] - 1):
            left = x[u]
            for e in range(t_ptr[u], t_ptr[u + 1]):
                if wanted[t_a[e]]:
                    right = y[t_c[e]]
                    acc = np.int32(0)
                    for k in range(64 * lanes):  # so that no tail is compiled
                        acc = np.int32(acc + np.int32(left[k]) * np.int32(right[k]))
                    w[t_a[e]] += acc
        lo += m


@part
def relabelled(relabel: Any, triples: Any, subset: Any, out: Any) -> None:
    """out[s] = number of the 3-subset that subset s becomes."""
    for s in range(84):
        mask = 1 << relabel[triples[s, 0]] | 1 << relabel[triples[s, 1]]
        out[s] = subset[mask | 1 << relabel[triples[s, 2]]]


@kernel
def run_pairs(
    a2: int, at: Any, firsts: Any, lo: int, hi: int, values: Any, stop: Any, done: Any,
    ptr: Any, pairs: Any, relabel: Any, own1: Any, own2: Any, ta: Any, a_class: Any,
    t_halves: Any, place: Any, triples: Any, subset: Any,
    tb: Any, tc: Any, p_ptr: Any, p_b: Any, p_c: Any, q_ptr: Any, q_b: Any, q_c: Any,
    t_ptr: Any, t_c: Any, t_a: Any, chunk: int,
    slabs_b: Any, slabs_c: Any, x: Any, y: Any, w: Any, lists: Any, wanted: Any,
) -> None:  # fmt: skip
    """Completions of the orbits (firsts[i], a2), for i in lo … hi - 1, and values of their members.

    A thread makes all calls for one a2 one after the other, from lo = 0 on. W of the i-th orbit
    stays in row i - lo of `w`, as far as there are rows: else in the last. `stop[0]` ends the run
    early; `done[0]` counts multiply-adds.

    The members of orbit i are ptr[at[i]] … ptr[at[i] + 1] - 1: places in own1, own2 (their
    partitions) and `values` (which become the sum of W * T_a). `a_class` (3, 1680) are the classes
    of T_a; `t_halves` (m, 3) are the first two triples of the living a_t, by subset number, and
    their classes; `place` (7056,) says which a_t of the frame two triples make. Working memory:
    `lists` (7, 1680), `wanted`.
    """
    lo2 = q_ptr[a2]
    n2 = q_ptr[a2 + 1] - lo2
    # Slabs for exactly those b_p (c_p) that some a_p of this batch needs.
    place_b = lists[0]
    place_c = lists[1]
    need_b = lists[2]
    need_c = lists[3]
    at_b = lists[4]
    at_c = lists[5]
    image = lists[6]
    if lo == 0:
        nb = 0
        nc = 0
        for k in range(lists.shape[1]):
            place_b[k] = -1
            place_c[k] = -1
        for i in range(firsts.shape[0]):
            for e in range(p_ptr[firsts[i]], p_ptr[firsts[i] + 1]):
                if place_b[p_b[e]] < 0:
                    place_b[p_b[e]] = nb
                    need_b[nb] = p_b[e]
                    nb += 1
                if place_c[p_c[e]] < 0:
                    place_c[p_c[e]] = nc
                    need_c[nc] = p_c[e]
                    nc += 1
        _gather(tb, need_b, nb, q_b, lo2, n2, slabs_b)
        _gather(tc, need_c, nc, q_c, lo2, n2, slabs_c)
    row = 0
    for i in range(lo, hi):
        if stop[0] != 0:
            return
        a1 = firsts[i]
        n1 = p_ptr[a1 + 1] - p_ptr[a1]
        for k in range(n1):
            at_b[k] = place_b[p_b[p_ptr[a1] + k]]
            at_c[k] = place_c[p_c[p_ptr[a1] + k]]
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
        pair_values(
            at_b, at_c, n1, n2, chunk, slabs_b, slabs_c, t_ptr, t_c, t_a, wanted, x, y, mine
        )
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
        done[0] += n1 * n2 * t_c.shape[0]
        if row + 1 < w.shape[0]:
            row += 1


@inlined
def _add(acc: Any, row: Any, value: Any, times: Any) -> None:
    """acc[row] += value * times in two limbs of 32 and 64 bits.

    value < 2**53 and times < 2**22, so each product of a half fits 64 bits; a low limb grows by
    less than 2**32 a call and is called fewer than 2**32 times.
    """
    v = np.uint64(value)
    t = np.uint64(times)
    low = np.uint64(0xFFFFFFFF)
    lo = (v & low) * t
    acc[row, 0] += lo & low
    acc[row, 1] += (v >> np.uint64(32)) * t + (lo >> np.uint64(32))


@kernel
def spread_pairs(
    at: Any, lo: int, hi: int, ptr: Any, pairs: Any, relabel: Any, own1: Any, own2: Any,
    weights: Any, values: Any, w: Any, t_halves: Any, place: Any, triples: Any, subset: Any,
    struct: Any, stop: Any, lists: Any, sums: Any,
    p_ptr: Any, p_rows: Any, p_acc: Any, q_ptr: Any, q_rows: Any, q_acc: Any,
    t_ptr: Any, t_places: Any, t_acc: Any,
) -> None:  # fmt: skip
    """Add the completions of some pairs to every block filling (column, row) that takes part.

    The pairs are the members of the orbits at[lo] … at[hi - 1], whose W are the rows of `w` (see
    :func:`run_pairs`), each of them `weights` times over.

    s[r_t] sums W over compatible a_t (at most 216 * 2**39 < 2**47) and m[r_t] counts the row
    structures that end in r_t (at most 56), so the sums handed to `_add` stay below 2**53.
    Lists of p and q go by column partition, those of t by row partition: only the rows that a
    row structure of the pair meets are looked at. Working memory: `lists` (3, 1680), of which
    `lists[0]` is all -1 before and after; `sums` (4, 1680), of which m = `sums[1]` is all zero
    before and after.
    """
    q_at = lists[0]
    met = lists[1]
    image = lists[2]
    s = sums[0]
    m = sums[1]
    q_sum = sums[2]
    mine = sums[3]
    for i in range(lo, hi):
        for member in range(ptr[at[i]], ptr[at[i] + 1]):
            pair = pairs[member]
            if values[pair] == 0:
                continue
            if stop[0] != 0:
                return
            times = weights[pair]
            relabelled(relabel[member], triples, subset, image)
            for k in range(t_halves.shape[0]):
                here = place[image[t_halves[k, 0]] * 84 + image[t_halves[k, 1]]]
                mine[k] = w[i - lo, here]
            q0 = q_ptr[own2[pair]]
            q1 = q_ptr[own2[pair] + 1]
            for e in range(q0, q1):
                q_at[q_rows[e]] = e - q0
                q_sum[e - q0] = 0
            n_met = 0
            for e in range(p_ptr[own1[pair]], p_ptr[own1[pair] + 1]):
                r = int(p_rows[e])
                total = 0
                for n in range(56 * r, 56 * r + 56):
                    there = q_at[struct[n, 1]]
                    if there >= 0:
                        r3 = struct[n, 2]
                        if m[r3] == 0:
                            met[n_met] = r3
                            n_met += 1
                            s[r3] = 0
                            for k in range(t_ptr[r3], t_ptr[r3 + 1]):
                                s[r3] += mine[t_places[k]]
                        m[r3] += 1
                        total += s[r3]
                        q_sum[there] += s[r3]
                if total != 0:
                    _add(p_acc, e, total, times)
            for e in range(q1 - q0):
                q_at[q_rows[q0 + e]] = -1
                if q_sum[e] != 0:
                    _add(q_acc, q0 + e, q_sum[e], times)
            for n in range(n_met):
                r3 = met[n]
                if s[r3] != 0:
                    for k in range(t_ptr[r3], t_ptr[r3 + 1]):
                        if mine[t_places[k]] != 0:
                            _add(t_acc, k, mine[t_places[k]] * m[r3], times)
                m[r3] = 0
