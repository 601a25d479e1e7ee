"""Exact counts on a diagram, and its sets one by one: enumerated, ranked, unranked, drawn.

Counts are integers of as many 64-bit limbs as the total needs.

``below[i]`` is the number of sets in the family of node ``i``; ``above[i]`` the number of paths
from the root to ``i``: the products of both add up to marginals. Both passes are linear (Knuth,
TAOCP 7.1.4, algorithms C and the exercises on ZDDs). No count exceeds the total: a node's family is
non-empty, so every path to it and every set below it belongs to at least one solution of its own.
Hence one width of integers, just wide enough for the total, serves all of them; it is found by
doubling until no carry is lost.

The sets of a family have numbers, too, in the diagram's own order: of two sets, the one that holds
the variable at the first level where they differ comes first (high before low). Where the variables
of a cell stand together with ascending symbols, this is the lexicographic order of the grids along
the order in which the diagram reads the cells.

Sets are written as *rows*: level ``v`` writes ``value[v]`` at ``position[v]`` over a blank row. A
grid has one place a cell, a general family one place a level; text comes out by writing character
codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from bddsudoku.diagrams.canonical import Nodes
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.jit import allocating_kernel, inlined, kernel
from bddsudoku.jit.decorators import I64, U8, U32, U64, AnyArray

_LIMB = 64


@inlined
def _add_limbs(a: U64, b: U64, out: U64) -> bool:
    """``out = a + b``; False when a carry is lost."""
    carry = np.uint64(0)
    for k in range(len(a)):
        s = a[k] + b[k]
        over = np.uint64(1) if s < a[k] else np.uint64(0)
        t = s + carry
        if t < s:
            over = np.uint64(1)
        out[k] = t
        carry = over
    return bool(carry == 0)


@kernel
def _count_in_one_limb(low: U32, high: U32, out: U64) -> bool:
    """Counts in one limb; False when they do not fit."""
    out[0, 0] = 0
    out[1, 0] = 1
    for i in range(2, len(low)):
        a = out[low[i], 0]
        s = a + out[high[i], 0]
        if s < a:
            return False
        out[i, 0] = s
    return True


@kernel
def _count_in_limbs(low: U32, high: U32, out: U64) -> bool:
    """Counts in limbs, least significant first; False when they do not fit."""
    for k in range(out.shape[1]):
        out[0, k] = out[1, k] = 0
    out[1, 0] = 1
    for i in range(2, len(low)):
        fits = _add_limbs(out[low[i]], out[high[i]], out[i])
        if not fits:
            return False
    return True


@kernel
def _marginals_modulo(nodes: Nodes, modulus: np.uint64, below: U64, above: U64, out: U64) -> None:
    """Per level, the number of sets that hold its variable, modulo a number below 2**32.

    With modulus 0 modulo 2**64. The sums of many numbers below 2**32 do not reach 2**64.
    """
    variable, low, high, root = nodes
    below[0] = 0
    below[1] = 1
    for i in range(2, len(low)):
        s = below[low[i]] + below[high[i]]
        if modulus and s >= modulus:
            s -= modulus
        below[i] = s
    above[root] = 1
    for i in range(len(low) - 1, 1, -1):
        a = above[i]
        if modulus:
            a %= modulus
        above[low[i]] += a
        above[high[i]] += a
        a *= below[high[i]]
        out[variable[i]] += a % modulus if modulus else a


def from_limbs(limbs: U64) -> int:
    """The integer that one row of limbs stands for."""
    return int.from_bytes(np.ascontiguousarray(limbs, dtype="<u8").tobytes(), "little")


def to_limbs(numbers: Sequence[int], limbs: int) -> U64:
    """Integers as uint64, shape (len(numbers), limbs), least significant limb first.

    Raises:
        OverflowError: a number is negative or needs more limbs.
    """
    data = b"".join(int(x).to_bytes(8 * limbs, "little") for x in numbers)
    return np.frombuffer(data, dtype="<u8").reshape(-1, limbs).astype(np.uint64)


def from_residues(residues: Callable[[np.uint64], U64], bound: int) -> AnyArray:
    """Numbers from what remains of them after division (the Chinese remainder theorem).

    Args:
        residues: the numbers modulo another one below 2**32; modulo 2**64 for 0.
        bound: none is greater.

    Returns:
        int64 where the bound allows it, otherwise Python integers.
    """
    found = residues(np.uint64(0))
    if bound < 1 << 63:
        return found.astype(np.int64)
    whole: AnyArray = found.astype(object)
    product, modulus = 1 << 64, 1 << 32
    while product <= bound:
        modulus -= 1
        if gcd(product, modulus) == 1:
            rest = (residues(np.uint64(modulus)) % np.uint64(modulus)).astype(object) - whole
            whole += rest * pow(product, -1, modulus) % modulus * product
            product *= modulus
    return whole


class Counts:
    """The number of sets below every node of a diagram.

    Attributes:
        diagram: the diagram counted.
        below: uint64, shape (size, limbs), least significant limb first.
        total: number of sets in the whole family.

    Cost: one linear pass, 8 bytes a node and limb; some 10 ns a node while 64 bits suffice.
    """

    __slots__ = ("below", "diagram", "total")

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        below = np.empty((diagram.size, 1), np.uint64)
        fits = _count_in_one_limb(diagram.low, diagram.high, below)
        limbs = 1
        while not fits:
            # a family over so many variables never has more than 2**levels members
            limbs = min(2 * limbs, diagram.levels // _LIMB + 1)
            below = np.empty((diagram.size, limbs), np.uint64)
            fits = _count_in_limbs(diagram.low, diagram.high, below)
        self.total = from_limbs(below[diagram.root])
        needed = max(1, -(-self.total.bit_length() // _LIMB))
        self.below = below if needed == limbs else below[:, :needed].copy()

    def marginals(self) -> AnyArray:
        """For every level the number of sets that hold its variable, shape (levels,).

        int64 while the total stays below 2**63, otherwise Python integers. A linear pass for 64
        bits, and one for every 32 bits more.
        """
        d = self.diagram
        below = np.empty(d.size, np.uint64)

        def residues(modulus: np.uint64) -> U64:
            out = np.zeros(d.levels, np.uint64)
            _marginals_modulo(d.nodes, modulus, below, np.zeros(d.size, np.uint64), out)
            return out

        return from_residues(residues, self.total)


class RowFormat(NamedTuple):
    """How a set becomes a row of bytes.

    Attributes:
        position: int64, shape (levels,); place that a level writes to.
        value: uint8, shape (levels,); what it writes.
        blank: uint8, shape (width,); the row before anything is written.
    """

    position: I64
    value: U8
    blank: U8


@kernel
def _write_next_rows(
    nodes: Nodes, form: RowFormat, row: U8, stack: U32, state: I64, out: U8
) -> int:
    """Write the next sets to ``out``; ``state`` is (depth, node or -1 at the end)."""
    variable, low, high, _ = nodes
    position, value, blank = form
    depth = state[0]
    node = state[1]
    width = len(row)
    k = 0
    while k < len(out) and node >= 0:
        while node > 1:
            stack[depth] = node
            depth += 1
            v = variable[node]
            row[position[v]] = value[v]
            node = np.int64(high[node])
        if node == 1:
            for j in range(width):
                out[k, j] = row[j]
            k += 1
        if depth == 0:
            node = np.int64(-1)
        else:
            depth -= 1
            at = stack[depth]
            p = position[variable[at]]
            row[p] = blank[p]
            node = np.int64(low[at])
    state[0] = depth
    state[1] = node
    return k


@allocating_kernel
def _unrank(
    nodes: Nodes, below: U64, form: RowFormat, ranks: U64, order: I64, out: U8, stack: U32
) -> int:
    """Write the sets with given ranks, in an order that keeps caches warm.

    To add a count to a rank's complement takes it from the rank, and loses a carry just where the
    rank is less. Returns how many nodes of the last set are on the stack: those whose variable is
    true.
    """
    variable, low, high, root = nodes
    position, value, _ = form
    rest = np.empty(below.shape[1], np.uint64)
    less: Any = np.empty(below.shape[1], np.uint64)
    depth = 0
    for k in order:
        for j in range(len(rest)):
            rest[j] = ~ranks[k, j]
        node = np.int64(root)
        depth = 0
        while node > 1:
            if _add_limbs(rest, below[high[node]], less):
                rest, less = less, rest
                node = np.int64(low[node])
            else:
                out[k, position[variable[node]]] = value[variable[node]]
                stack[depth] = node
                depth += 1
                node = np.int64(high[node])
    return depth


@kernel
def _rank(
    nodes: Nodes, below: U64, form: RowFormat, rows: U8, expected: I64, out: U64, found: U8
) -> None:
    """Ranks of rows, and a flag for those that are in the family at all."""
    variable, low, high, root = nodes
    position, value, _ = form
    for k in range(len(rows)):
        node = np.int64(root)
        taken = 0
        while node > 1:
            v = variable[node]
            if rows[k, position[v]] == value[v]:
                taken += 1
                node = np.int64(high[node])
            else:
                _add_limbs(out[k], below[high[node]], out[k])
                node = np.int64(low[node])
        # variables on levels that were skipped are false in the family
        if node == 1 and taken == expected[k]:
            found[k] = 1


def walk_rows(
    diagram: Diagram,
    form: RowFormat,
    size: int,
    number: int,
    start: int = 0,
    counts: Counts | None = None,
) -> Iterator[U8]:
    """The sets of a family in its order, as rows.

    Args:
        diagram: the family.
        form: how rows look.
        size: rows in an array at most; the array is used again for the next ones.
        number: of sets wanted; there are as many from the start.
        start: rank of the first one.
        counts: of the diagram; needed to start elsewhere than at the first set.

    Memory: a stack of one node a level. Cost: one visit of a node for every arc gone along; some
    5 to 10 million 9×9 grids a second.
    """
    row, stack = form.blank.copy(), np.zeros(diagram.levels + 1, dtype=np.uint32)
    state = np.array([0, diagram.root], dtype=np.int64)
    if start and number:
        assert counts is not None, "starting inside a family needs its counts"
        rank = to_limbs([start], counts.below.shape[1])
        first = np.zeros(1, dtype=np.int64)
        depth = _unrank(diagram.nodes, counts.below, form, rank, first, row[None], stack)
        state[:] = (depth, 1)
    out = np.empty((min(size, number), len(row)), dtype=np.uint8)
    while number:
        k = int(_write_next_rows(diagram.nodes, form, row, stack, state, out[:number]))
        yield out[:k]
        number -= k


def unrank_rows(counts: Counts, form: RowFormat, ranks: U64) -> U8:
    """Rows of the sets with given ranks.

    Args:
        counts: of the family.
        form: how rows look.
        ranks: uint64, shape (n, limbs), all below the total.

    Returns:
        uint8, shape (n, width), in the order of ``ranks``.

    Cost: at most one node a level for each.
    """
    d = counts.diagram
    out = np.tile(form.blank, (len(ranks), 1))
    order = np.argsort(ranks[:, -1]) if len(ranks) > 1 else np.zeros(len(ranks), dtype=np.int64)
    stack = np.zeros(d.levels + 1, dtype=np.uint32)
    _unrank(d.nodes, counts.below, form, ranks, order, out, stack)
    return out


def rank_rows(counts: Counts, form: RowFormat, rows: U8) -> tuple[U64, AnyArray]:
    """Ranks of rows.

    Args:
        counts: of the family.
        form: how rows look.
        rows: uint8, shape (n, width).

    Returns:
        Ranks as uint64, shape (n, limbs), and a bool array that tells which rows are members;
        the rank of the others means nothing.
    """
    ranks = np.zeros((len(rows), counts.below.shape[1]), dtype=np.uint64)
    found = np.zeros(len(rows), np.uint8)
    expected = np.count_nonzero(rows != form.blank, axis=1)
    given = np.ascontiguousarray(rows, dtype=np.uint8)
    _rank(counts.diagram.nodes, counts.below, form, given, expected, ranks, found)
    return ranks, found.astype(bool)


def draw_ranks(total: int, n: int, rng: np.random.Generator) -> U64:
    """Independent numbers below ``total``, every one exactly as likely as any other.

    uint64, shape (n, limbs), as many limbs as the total needs.

    Random bits, as many as the total has, and rejection of what is too large: no remainder and no
    floating point enter, so nothing is biased.
    """
    limbs = -(-total.bit_length() // 64)
    whole, part = divmod((total - 1).bit_length(), 64)
    bound = total.to_bytes(8 * limbs, "big")
    out = np.empty((0, limbs), dtype=np.uint64)
    while len(out) < n:
        raw = np.zeros((max(16, 2 * (n - len(out))), limbs), dtype=np.uint64)
        raw[:, :whole] = rng.integers(0, 1 << 64, size=(len(raw), whole), dtype=np.uint64)
        if part:
            raw[:, whole] = rng.integers(0, 1 << part, size=len(raw), dtype=np.uint64)
        # as strings of bytes, the most significant first, they stand in the order of numbers
        texts = raw[:, ::-1].astype(">u8").view(f"S{8 * limbs}").reshape(-1)
        out = np.concatenate((out, raw[texts < bound]))
    return out[:n]
