"""Kernels that count a grid's completions, given which digits each column of two blocks has.

Notation: the outermost band is a, the others b and c; the stacks are taken in the roles p, q
and t. For a fixed pair (a_p, a_q) the completions of each a_t are

    W(a_t) = sum over structures (a_t, b_t, c_t) of  sum over k  X[b_t, k] * Y[c_t, k]

where k runs over the pairs of structures (a_p, b_p, c_p), (a_q, b_q, c_q), X[b_t, k] is
T_b(b_p, b_q, b_t) and Y[c_t, k] is T_c(c_p, c_q, c_t): dot products of contiguous int16 arrays.

Bounds. T <= 1728. A dot product is taken over chunks of k whose length times max X times max Y
stays below 2**31 (int32 holds it); W <= 56**3 * 1728**2 < 2**39; the sum of W * T_a over a_t,
at most 3136 * 94080 * 1728**3 < 1.6e18 < 2**63.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from bddsudoku.engine.bands.partition_pair_orbits import OrbitMembers, PairOrbits
from bddsudoku.engine.bands.partitions import PartitionTables
from bddsudoku.jit import inlined, kernel, subroutine
from bddsudoku.jit.decorators import I16, I32, I64, U16, AnyArray, Flags

CHUNK = 64
"""Lengths of dot products are multiples of this, but for the last of a sum."""


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
        fours, image, wanted: scratch.
        stop: (1,), not 0 to end the work early.
        done: (1,), counts multiply-adds.
    """

    x: I16
    y: I16
    fours: I64
    image: I32
    wanted: Flags
    stop: I64
    done: I64

    @classmethod
    def allocate(
        cls, problem: PairSumInput, third_count: int, chunk: int, stop: AnyArray, done: AnyArray
    ) -> Self:
        """Allocate one thread's arrays for dot products of a given length.

        Rows are somewhat longer: powers of two would all begin at the same place of the cache.
        """
        rows = problem.b.shape[2], problem.c.shape[2]
        x, y = (_aligned_rows(count, chunk + CHUNK // 2) for count in rows)
        return cls(
            x,
            y,
            np.empty((8, max(rows)), dtype=np.int64),
            np.empty(84, dtype=np.int32),
            np.empty(third_count, dtype=np.bool_),
            stop,
            done,
        )


def _aligned_rows(rows: int, width: int) -> I16:
    """Allocate rows that begin on cache lines: else every second vector lies on two of them."""
    space = np.empty(rows * width + 32, dtype=np.int16)
    shift = -space.ctypes.data % 64 // 2
    return space[shift : shift + rows * width].reshape(rows, width)


@inlined
def _padded_length(n):  # type: ignore[no-untyped-def]
    """The length of dot products with zeros behind n operands: a multiple of CHUNK."""
    return (n + CHUNK - 1) // CHUNK * CHUNK


@inlined
def _table_row(table, firsts, seconds, at):  # type: ignore[no-untyped-def]
    """The row of a band table for the pair number `at` of `firsts` and `seconds`."""
    return table[firsts[at // len(seconds)], seconds[at % len(seconds)]]


@subroutine
def _gather_operands(table, firsts, seconds, lo, n, fours, out):  # type: ignore[no-untyped-def]
    """Copy the operands of dot products from a band table into contiguous rows.

    out[u, k] = table[firsts[i], seconds[j], u] with i * len(seconds) + j = lo + k, for k < n;
    zero from there up to the length of the dot products.

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
    out[:, n : _padded_length(n)] = 0


@subroutine
def _dot_product(left, right, size):  # type: ignore[no-untyped-def]
    """The dot product of the first entries of two int16 arrays, which an int32 holds."""
    total = np.int32(0)
    for k in range(size):
        total = np.int32(total + np.int32(np.int32(left[k]) * np.int32(right[k])))
    return total


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
    longest = work.x.shape[1] - CHUNK // 2
    pieces = (size + longest - 1) // longest
    for piece in range(pieces):
        lo = size * piece // pieces
        n = size * (piece + 1) // pieces - lo
        _gather_operands(problem.b, q.b[q0:q1], p.b[p0:p1], lo, n, work.fours, work.x)
        _gather_operands(problem.c, q.c[q0:q1], p.c[p0:p1], lo, n, work.fours, work.y)
        length = _padded_length(n)
        for u in range(len(t.ptr) - 1):
            for e in range(t.ptr[u], t.ptr[u + 1]):
                if work.wanted[t.a[e]]:
                    completions[t.a[e]] += _dot_product(work.x[u], work.y[t.c[e]], length)
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
