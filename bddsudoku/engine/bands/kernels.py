"""Kernels that count a grid's completions, given which digits each column of two blocks has.

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

from typing import Any, NamedTuple, Self

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from bddsudoku.engine.bands.partition_pair_orbits import OrbitMembers, PairOrbits
from bddsudoku.engine.bands.partitions import PartitionTables
from bddsudoku.jit import inlined, kernel, subroutine
from bddsudoku.jit.decorators import I16, I32, I64, U16, AnyArray, Flags
from bddsudoku.jit.llvm_vectors import LONG, WORD, Vector, llvm_intrinsic

STEP = 32
"""Entries that are multiplied together: lengths are multiples of it."""


def _zero_vector_variable(builder: Any, element: ir.IntType, lanes: int) -> Any:
    made: Any = cgutils.alloca_once_value
    return made(builder, ir.Constant(ir.VectorType(element, lanes), None))


def _sum_neighbours(one: Vector, other: Vector) -> Vector:
    both = range(2 * len(one))
    return one.take(both[::2], other) + one.take(both[1::2], other)


@llvm_intrinsic()
def dot_four(builder, left, row, right, rows, steps, out):  # type: ignore[no-untyped-def]
    """Compute four dot products of one row of ``left`` with four rows of ``right``.

        out[n] = sum of left[row + k] * right[rows[n] + k] for k from 0 to STEP * steps - 1

    ``left`` and ``right`` are the entries of int16 arrays that begin on multiples of 64 bytes,
    ``row`` and ``rows`` are multiples of 32, ``steps`` is at least 1, and ``out`` is int32.
    """
    totals = [_zero_vector_variable(builder, WORD, STEP // 2) for _ in range(4)]
    starts = [builder.load(builder.gep(rows, [LONG(n)])) for n in range(4)]
    with cgutils.for_range(builder, steps) as loop:
        at = builder.mul(loop.index, LONG(STEP))

        def entries(data: Any, start: Any) -> Vector:
            found = Vector.load(builder, data, builder.add(start, at), STEP, align=64)
            return Vector(builder, builder.sext(found.value, ir.VectorType(WORD, STEP)))

        mine = entries(left, row)
        for total, start in zip(totals, starts, strict=True):
            product = mine * entries(right, start)
            # neighbours are added: what an instruction does together with the product
            more = product.take(range(0, STEP, 2)) + product.take(range(1, STEP, 2))
            builder.store((Vector(builder, builder.load(total)) + more).value, total)
    short = []
    for total in totals:
        whole = Vector(builder, builder.load(total))
        a, b, c, d = (whole.take(range(k, k + 4)) for k in range(0, STEP // 2, 4))
        short.append(a + b + (c + d))
    _sum_neighbours(_sum_neighbours(*short[:2]), _sum_neighbours(*short[2:])).store(out, 0)


#: Chunks of k are as long as a multiple of this: rows of operands begin on cache lines.
LANES = 64


class StackTriples(NamedTuple):
    """The ways to split digits among a stack's columns, grouped by the split in one of the bands.

    Attributes:
        ptr: (1681,) where the lists start.
        b, c: classes of the other bands' partitions.
        struct: (n, 3) the partitions of a, b and c.
    """

    ptr: I64
    b: I32
    c: I32
    struct: U16


class DotProducts(NamedTuple):
    """The pairs of operand rows, one row for each of two bands, that get a dot product.

    Attributes:
        ptr: where the lists start.
        c: class of c_t.
        a: place of a_t in the frame.
    """

    ptr: I64
    c: I32
    a: I32


class PairSumInput(NamedTuple):
    """The arrays that the kernels read to sum over pairs of digit partitions.

    Attributes:
        orbits, members: the pairs: of the board, and by the frame's orbits.
        p, q, t: structures of the stacks.
        a, b, c: tables of the bands, axes (p, q, t), (q, p, t), (q, p, t).
        classes: (3, 1680), the classes along the axes of table a.
        halves: (m, 3), the first two triples of the living a_t, by subset number, and their
            classes.
        place: (7056,), the place of a_t in the frame, by the numbers of its first two triples.
    """

    tables: PartitionTables
    orbits: PairOrbits
    members: OrbitMembers
    p: StackTriples
    q: StackTriples
    t: DotProducts
    a: I16
    b: I16
    c: I16
    classes: I32
    halves: U16
    place: I32


class DotWorkspace(NamedTuple):
    """Workspace of one thread for dot products.

    Attributes:
        x, y: operands of the dot products: (classes, length of a chunk).
        offsets, four, fours, image, wanted: scratch.
        stop: (1,), not 0 to end the work early.
        done: (1,), counts multiply-adds.
    """

    x: I16
    y: I16
    offsets: I64
    four: I32
    fours: I64
    image: I32
    wanted: Flags
    stop: I64
    done: I64

    @classmethod
    def allocate(
        cls, problem: PairSumInput, third_count: int, chunk: int, stop: AnyArray, done: AnyArray
    ) -> Self:
        """Allocate one thread's arrays for dot products of a given length."""
        x, y = (aligned_rows(table.shape[2], chunk) for table in (problem.b, problem.c))
        return cls(
            x,
            y,
            np.empty(8, dtype=np.int64),
            np.empty(4, dtype=np.int32),
            np.empty((8, max(problem.b.shape[2], problem.c.shape[2])), dtype=np.int64),
            np.empty(84, dtype=np.int32),
            np.empty(third_count, dtype=np.bool_),
            stop,
            done,
        )


def aligned_rows(rows: int, width: int) -> I16:
    """Allocate uninitialised rows that begin on cache line boundaries (64 bytes)."""
    space = np.empty(rows * width + 32, dtype=np.int16)
    shift = (-space.ctypes.data // 2) % 32
    return space[shift : shift + rows * width].reshape(rows, width)


@inlined
def _table_row(table, firsts, seconds, at):  # type: ignore[no-untyped-def]
    """The row of a band table for the pair number `at` of `firsts` and `seconds`."""
    return table[firsts[at // len(seconds)], seconds[at % len(seconds)]]


@subroutine
def _gather_operands(table, firsts, seconds, lo, n, width, fours, out):  # type: ignore[no-untyped-def]
    """Copy the operands of dot products from a band table into contiguous rows.

    out[u, k] = table[firsts[i], seconds[j], u] with i * len(seconds) + j = lo + k, for k < n;
    zero from there up to `width`.

    Four rows of the table are read together into a row of words with four entries each, which
    LLVM turns into vectors; of eight such rows each operand gets a cache line. Entries are not
    negative.
    """
    words, last = out.view(np.int64), lo + n - 1
    for k in range(0, n, 32):
        for m in range(min(8, (n - k + 3) // 4)):
            at = lo + k + 4 * m
            one = _table_row(table, firsts, seconds, at)
            two = _table_row(table, firsts, seconds, min(at + 1, last))
            three = _table_row(table, firsts, seconds, min(at + 2, last))
            four = _table_row(table, firsts, seconds, min(at + 3, last))
            row = fours[m]
            for u in range(len(one)):
                row[u] = (
                    np.int64(one[u])
                    | np.int64(two[u]) << 16
                    | np.int64(three[u]) << 32
                    | np.int64(four[u]) << 48
                )
        for u in range(table.shape[2]):
            for m in range(8):
                words[u, k // 4 + m] = fours[m, u]
    out[:, n:width] = 0


@inlined
def _add_dot_products(work, row, product_count, steps, sums):  # type: ignore[no-untyped-def]
    """Compute up to four dot products of operand rows, and add each to its sum."""
    for j in range(product_count, 4):
        work.offsets[j] = work.offsets[0]
    dot_four(work.x, row, work.y, work.offsets, steps, work.four)
    for j in range(product_count):
        sums[work.offsets[4 + j]] += work.four[j]


@subroutine
def _count_completions_by_third(problem, work, first, second, completions):  # type: ignore[no-untyped-def]
    """Given two blocks' digit partitions, count the completions for each one of the third block.

    Returns:
        The number of multiply-adds done.
    """
    p, q, t = problem.p, problem.q, problem.t
    p0, p1, q0, q1 = p.ptr[first], p.ptr[first + 1], q.ptr[second], q.ptr[second + 1]
    completions[:] = 0
    size = (p1 - p0) * (q1 - q0)
    wide, deep = np.int64(work.x.shape[1]), np.int64(work.y.shape[1])
    pieces = (size + wide - 1) // wide
    for piece in range(pieces):
        lo = size * piece // pieces
        n = size * (piece + 1) // pieces - lo
        steps = np.int64((n + STEP - 1) // STEP)
        _gather_operands(problem.b, q.b[q0:q1], p.b[p0:p1], lo, n, STEP * steps, work.fours, work.x)
        _gather_operands(problem.c, q.c[q0:q1], p.c[p0:p1], lo, n, STEP * steps, work.fours, work.y)
        for u in range(len(t.ptr) - 1):
            waiting = 0
            for e in range(t.ptr[u], t.ptr[u + 1]):
                if work.wanted[t.a[e]]:
                    work.offsets[waiting] = t.c[e] * deep
                    work.offsets[4 + waiting] = t.a[e]
                    waiting += 1
                    if waiting == 4:
                        _add_dot_products(work, u * wide, 4, steps, completions)
                        waiting = 0
            if waiting > 0:
                _add_dot_products(work, u * wide, waiting, steps, completions)
    return size * len(t.c)


@subroutine
def relabel_subsets(relabel, tables, out):  # type: ignore[no-untyped-def]
    """Relabel digits in all 84 3-subsets: fill out[s] with the number of the image of subset s."""
    for s in range(84):
        mask = 1 << relabel[tables.triples[s, 0]] | 1 << relabel[tables.triples[s, 1]]
        out[s] = tables.subset[mask | 1 << relabel[tables.triples[s, 2]]]


@inlined
def _relabel_subsets_for_pair(problem, work, member):  # type: ignore[no-untyped-def]
    """Write the relabelled 3-digit sets for a partition pair; return the row of band a's table."""
    relabel_subsets(problem.members.relabel[member], problem.tables, work.image)
    pair = problem.members.pairs[member]
    x = problem.classes[0, problem.orbits.firsts[pair]]
    return problem.a[x, problem.classes[1, problem.orbits.seconds[pair]]]


@kernel
def sum_pair_orbits(problem, work, orbit_numbers, completions, values):  # type: ignore[no-untyped-def]
    """Count the solutions for each pair of digit partitions; equivalent pairs share the work.

    `values` are without `plan.symmetry_factor`. The completions W of orbit_numbers[i] stay in
    row i of `completions`, as far as there are rows: else in the last. Members are those
    pairs of the board that the frame's symmetries take to the orbit's representative.
    """
    halves, members = problem.halves, problem.members
    row = 0
    for orbit in orbit_numbers:
        if work.stop[0] != 0:
            return
        work.wanted[:] = False
        for m in range(members.ptr[orbit], members.ptr[orbit + 1]):
            weight = _relabel_subsets_for_pair(problem, work, m)
            for k in range(len(halves)):
                if weight[halves[k, 2]] != 0:
                    frame_index = work.image[halves[k, 0]] * 84 + work.image[halves[k, 1]]
                    work.wanted[problem.place[frame_index]] = True
        mine = completions[row]
        work.done[0] += _count_completions_by_third(
            problem, work, members.firsts[orbit], members.seconds[orbit], mine
        )
        for m in range(members.ptr[orbit], members.ptr[orbit + 1]):
            weight = _relabel_subsets_for_pair(problem, work, m)
            total = np.int64(0)
            for k in range(len(halves)):
                times = np.int64(weight[halves[k, 2]])
                if times != 0:
                    frame_index = work.image[halves[k, 0]] * 84 + work.image[halves[k, 1]]
                    total += mine[problem.place[frame_index]] * times
            values[members.pairs[m]] = total
        if row + 1 < len(completions):
            row += 1
