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

Four dot products at a time, as vector instructions that numba does not find.

Eight rows of a table turned into columns, as vector instructions that numba does not have.

Adding some int64 that stand side by side, as vector instructions that numba does not find.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from bddsudoku.jit import kernel, part

STEP = 32
"""Entries that are multiplied together: lengths are multiples of it."""
_WORD, _HALF, _LONG = ir.IntType(32), ir.IntType(16), ir.IntType(64)
_HALVES = ir.VectorType(_HALF, STEP)
_WHOLE = ir.VectorType(_WORD, STEP)
_SUMS = ir.VectorType(_WORD, STEP // 2)


def _lanes(builder: Any, one: ir.Value, other: ir.Value, lanes: range | list[int]) -> ir.Value:
    mask = ir.Constant(ir.VectorType(_WORD, len(lanes)), list(lanes))
    return builder.shuffle_vector(one, other, mask)


def _folded(builder: Any, one: ir.Value, other: ir.Value) -> ir.Value:
    """Sums of neighbours, of one vector and then of the other."""
    width = one.type.count + other.type.count
    even = _lanes(builder, one, other, range(0, width, 2))
    return builder.add(even, _lanes(builder, one, other, range(1, width, 2)))


def _four(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    row, *rows, steps = (arguments[n] for n in (1, 3, 4, 5, 6, 7))

    def start(position: int) -> Any:
        kind = signature.args[position]
        return context.make_array(kind)(context, builder, arguments[position]).data

    lefts, rights = start(0), start(2)
    before = builder.block
    body, after = builder.append_basic_block("dots"), builder.append_basic_block("dotted")
    builder.branch(body)
    builder.position_at_end(body)
    n = builder.phi(_LONG)
    sums = [builder.phi(_SUMS) for _ in rows]
    n.add_incoming(_LONG(0), before)
    at = builder.mul(n, _LONG(STEP))

    def entries(data: Any, offset: Any) -> Any:
        pointer = builder.gep(data, [builder.add(offset, at)])
        loaded = builder.load(builder.bitcast(pointer, _HALVES.as_pointer()), align=64)
        return builder.sext(loaded, _WHOLE)

    mine = entries(lefts, row)
    for total, other in zip(sums, rows, strict=True):
        product = builder.mul(mine, entries(rights, other))
        # neighbours are added: what an instruction does together with the product
        even = _lanes(builder, product, product, range(0, STEP, 2))
        odd = _lanes(builder, product, product, range(1, STEP, 2))
        total.add_incoming(ir.Constant(_SUMS, None), before)
        total.add_incoming(builder.add(total, builder.add(even, odd)), body)
    following = builder.add(n, _LONG(1))
    n.add_incoming(following, body)
    finals = [total.incomings[1][0] for total in sums]
    builder.cbranch(builder.icmp_signed("<", following, steps), body, after)
    builder.position_at_end(after)
    short = []
    for total in finals:
        quarters = [_lanes(builder, total, total, range(k, k + 4)) for k in range(0, STEP // 2, 4)]
        one, two = builder.add(*quarters[:2]), builder.add(*quarters[2:])
        short.append(builder.add(one, two))
    found = _folded(builder, _folded(builder, *short[:2]), _folded(builder, *short[2:]))
    target = builder.bitcast(start(8), found.type.as_pointer())
    builder.store(found, target, align=4)
    return context.get_dummy_value()


def _dot_four(typing_context, left, row, right, a, b, c, d, steps, out):  # type: ignore[no-untyped-def]
    """Typing: positions are int64."""
    whole = types.int64
    return types.void(left, whole, right, whole, whole, whole, whole, whole, out), _four


dot_four: Any = intrinsic(_dot_four)
"""``dot_four(left, row, right, a, b, c, d, steps, out)``: for the four r of (a, b, c, d)

    out[…] = sum of left[row + k] * right[r + k] for k from 0 to STEP * steps - 1

``left`` and ``right`` are C-contiguous int16 that begin on multiples of 64 bytes, rows are
multiples of 32, ``steps`` is at least 1, and ``out`` (4,) int32 holds the sums. Nothing is checked.
"""


EIGHT = 8
"""Rows that are turned at a time, and their entries."""
_HALF_ROW = ir.IntType(16)
_VECTOR = ir.VectorType(_HALF_ROW, EIGHT)
_LOW = [lane for n in range(EIGHT // 2) for lane in (n, EIGHT + n)]
_HIGH = [lane + EIGHT // 2 for lane in _LOW]


def _shuffled(builder: Any, one: ir.Value, other: ir.Value, lanes: list[int]) -> ir.Value:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), EIGHT), lanes)
    return builder.shuffle_vector(one, other, mask)


def _turn(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Rows that are half of all apart are interleaved, three times over."""
    flat, *offsets, entry, out, stride, column = arguments
    data = context.make_array(signature.args[0])(context, builder, flat).data
    rows = []
    for offset in offsets:
        pointer = builder.gep(data, [builder.add(offset, entry)])
        rows.append(builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=2))
    for _ in range(3):
        pairs = [(rows[n], rows[n + EIGHT // 2]) for n in range(EIGHT // 2)]
        rows = [_shuffled(builder, *pair, lanes) for pair in pairs for lanes in (_LOW, _HIGH)]
    target = context.make_array(signature.args[10])(context, builder, out).data
    for n, row in enumerate(rows):
        line = builder.add(entry, ir.Constant(ir.IntType(64), n))
        pointer = builder.gep(target, [builder.add(builder.mul(line, stride), column)])
        builder.store(row, builder.bitcast(pointer, _VECTOR.as_pointer()), align=2 * EIGHT)
    return context.get_dummy_value()


def _turn_eight(  # type: ignore[no-untyped-def]
    typing_context, flat, a, b, c, d, e, f, g, h, entry, out, stride, column
):
    """Typing: positions are int64."""
    whole = [types.int64] * 9
    return types.void(flat, *whole, out, types.int64, types.int64), _turn


def _prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    flat, at = arguments
    data = context.make_array(signature.args[0])(context, builder, flat).data
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    told = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    where = builder.bitcast(builder.gep(data, [at]), byte)
    builder.call(told, [where, word(0), word(3), word(1)])  # to read, into all caches, data
    return context.get_dummy_value()


def _fetch(typing_context, flat, at):  # type: ignore[no-untyped-def]
    """Typing: the position is int64."""
    return types.void(flat, types.int64), _prefetch


fetch: Any = intrinsic(_fetch)
"""``fetch(flat, at)``: the cache line of ``flat[at]`` is wanted soon."""
turn_eight: Any = intrinsic(_turn_eight)
"""``turn_eight(flat, a, …, h, entry, out, stride, column)``: for n and k from 0 to 7

    out[(entry + n) * stride + column + k] = flat[(a, …, h)[k] + entry + n]

``flat`` and ``out`` are C-contiguous int16; ``out`` begins on a multiple of 16 bytes, and
``stride`` and ``column`` are multiples of 8. Nothing is checked.
"""


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


_LANE = ir.IntType(64)


def _vector(context: Any, builder: Any, kind: Any, flat: Any, at: Any, width: int) -> Any:
    """A pointer to so many entries of a flat array."""
    data = context.make_array(kind)(context, builder, flat).data
    pointer = builder.gep(data, [at])
    return builder.bitcast(pointer, ir.VectorType(_LANE, width).as_pointer())


def _both(width: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, to, flat, one, other = arguments
        kinds = signature.args
        target = _vector(context, builder, kinds[0], out, to, width)
        total = builder.load(target, align=8)
        for at in (one, other):
            source = _vector(context, builder, kinds[2], flat, at, width)
            total = builder.add(total, builder.load(source, align=8))
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    def typed(typing_context, out, to, flat, one, other):  # type: ignore[no-untyped-def]
        return types.void(out, types.int64, flat, types.int64, types.int64), code

    return intrinsic(typed)


def _times(width: int) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, to, flat, at, times = arguments
        kinds = signature.args
        target = _vector(context, builder, kinds[0], out, to, width)
        source = _vector(context, builder, kinds[2], flat, at, width)
        spread = ir.Constant(ir.VectorType(_LANE, width), ir.Undefined)
        for lane in range(width):
            spread = builder.insert_element(spread, times, ir.IntType(32)(lane))
        product = builder.mul(builder.load(source, align=8), spread)
        builder.store(builder.add(builder.load(target, align=8), product), target, align=8)
        return context.get_dummy_value()

    def typed(typing_context, out, to, flat, at, times):  # type: ignore[no-untyped-def]
        return types.void(out, types.int64, flat, types.int64, types.int64), code

    return intrinsic(typed)


add_both: dict[int, Any] = {width: _both(width) for width in (4, 8, 12)}
"""By width: ``add_both(out, to, flat, one, other)``, for all k below the width

    out[to + k] += flat[one + k] + flat[other + k]

Both are C-contiguous int64. Nothing is checked.
"""
add_times: dict[int, Any] = {width: _times(width) for width in (2, 6)}
"""By width: ``add_times(out, to, flat, at, times)``: out[to + k] += flat[at + k] * times."""
