"""Exact counts on a ZDD, and enumeration, ranking, unranking and uniform sampling of its sets.

Counts are integers of as many 64-bit limbs as the total needs.

``below[i]`` is the number of sets in the family of node ``i``; ``above[i]`` the number of paths
from the root to ``i``; the sums of their products are the marginals. Both passes are linear (Knuth,
TAOCP 7.1.4, algorithm C and the exercises on ZDDs). No count exceeds the total, because every path
to a node and every set below it belong to a different solution. Hence one width of integers, just
wide enough for the total, serves all of them; it is found by doubling until no carry is lost.

The *rank* of a set is its number in the diagram's order: of two sets, the one that contains the
variable at the first level where they differ comes first (high before low). Where the variables
of a cell are adjacent with ascending symbols, this is the lexicographic order of the grids along
the order in which the diagram reads the cells.

Sets are written as *rows* of bytes: level ``v`` writes ``value[v]`` at ``position[v]`` over a blank
row. A grid has one position per cell, a general family one per level; character codes as values
make text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd
from typing import NamedTuple

import numpy as np

from bddsudoku.diagrams.canonical import Nodes
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.decorators import I64, U8, U32, U64, AnyArray

_LIMB = 64


@inlined
def add_limbs(a: U64, b: U64, out: U64) -> bool:
    """Add two numbers of 64-bit limbs, ``out = a + b``; return False when a carry is lost."""
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
def _count_in_limbs(low: U32, high: U32, out: U64) -> bool:
    """Count the sets below each node in integers of 64-bit limbs; return False on overflow."""
    for k in range(out.shape[1]):
        out[0, k] = out[1, k] = 0
    out[1, 0] = 1
    for i in range(2, len(low)):
        fits = add_limbs(out[low[i]], out[high[i]], out[i])
        if not fits:
            return False
    return True


@kernel
def _marginals_modulo(nodes: Nodes, modulus: np.uint64, below: U64, above: U64, out: U64) -> None:
    """For every level write how many sets contain its variable, modulo a number below 2**32.

    Modulus 0 stands for 2**64. Sums of up to 2**32 numbers below 2**32 do not overflow.
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
    """Convert a row of 64-bit limbs, the least significant first, to a Python integer."""
    return int.from_bytes(np.ascontiguousarray(limbs, dtype="<u8").tobytes(), "little")


def to_limbs(numbers: Sequence[int], limbs: int) -> U64:
    """Convert Python integers to rows of 64-bit limbs, the least significant limb first.

    Raises:
        OverflowError: a number is negative or needs more limbs.
    """
    data = b"".join(int(x).to_bytes(8 * limbs, "little") for x in numbers)
    return np.frombuffer(data, dtype="<u8").reshape(-1, limbs).astype(np.uint64)


def from_residues(residues: Callable[[np.uint64], U64], bound: int) -> AnyArray:
    """Reconstruct numbers from their residues by the Chinese remainder theorem.

    Args:
        residues: returns the numbers modulo a given one below 2**32, or modulo 2**64 for 0.
        bound: an upper bound of the numbers.

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
        diagram: the diagram.
        below: uint64, shape (size, limbs), least significant limb first.
        total: number of sets in the whole family.

    Cost: one linear pass, 8 bytes per node and limb; some 10 ns per node while 64 bits suffice.
    """

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        limbs = 1
        below = np.empty((diagram.size, limbs), np.uint64)
        while not _count_in_limbs(diagram.low, diagram.high, below):
            # a family over so many variables never has more than 2**levels members
            limbs = min(2 * limbs, diagram.levels // _LIMB + 1)
            below = np.empty((diagram.size, limbs), np.uint64)
        self.total: int = from_limbs(below[diagram.root])
        needed = max(1, -(-self.total.bit_length() // _LIMB))
        self.below: U64 = below if needed == limbs else below[:, :needed].copy()

    def marginals(self) -> AnyArray:
        """For every level the number of sets that contain its variable, shape (levels,).

        int64 while the total is below 2**63, otherwise Python integers. One linear pass for the
        first 64 bits, and one for every 32 bits more.
        """
        d = self.diagram
        below = np.empty(d.size, np.uint64)

        def residues(modulus: np.uint64) -> U64:
            out = np.zeros(d.levels, np.uint64)
            _marginals_modulo(d.nodes, modulus, below, np.zeros(d.size, np.uint64), out)
            return out

        return from_residues(residues, self.total)


class RowFormat(NamedTuple):
    """How a set is written as bytes: the position and value of each level, and a blank row.

    Attributes:
        position: int64, shape (levels,); position that a level writes to.
        value: uint8, shape (levels,); byte that a level writes.
        blank: uint8, shape (width,); row of the empty set.
    """

    position: I64
    value: U8
    blank: U8


@kernel
def _write_next_rows(
    nodes: Nodes, row_format: RowFormat, row: U8, stack: U32, state: I64, out: U8
) -> int:
    """Write the next sets of a depth-first walk as rows to ``out``; return their number.

    ``state`` is (depth of the stack, next node or -1 at the end), updated for the next call.
    """
    variable, low, high, _ = nodes
    position, value, blank = row_format
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


@kernel
def _unrank(
    nodes: Nodes,
    counts: U64,
    row_format: RowFormat,
    ranks: U64,
    order: I64,
    out: U8,
    stack: U32,
    limbs: U64,
) -> int:
    """Write the set of rank ``ranks[k]`` to the row ``out[k]``, for each ``k`` in ``order``.

    A count is subtracted from a rank by adding it to the rank's complement, which loses a carry
    just when the rank is less than the count. ``limbs`` is working memory for two numbers. Returns
    the depth of the stack for the last set: the number of its true variables.
    """
    variable, low, high, root = nodes
    position, value, _ = row_format
    rest, less = limbs[0], limbs[1]
    depth = 0
    for k in order:
        for j in range(len(rest)):
            rest[j] = ~ranks[k, j]
        node = np.int64(root)
        depth = 0
        while node > 1:
            if add_limbs(rest, counts[high[node]], less):
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
    nodes: Nodes, counts: U64, row_format: RowFormat, rows: U8, sizes: I64, ranks: U64, member: U8
) -> None:
    """Compute the rank of the set in each row, and flag the rows whose sets are in the family."""
    variable, low, high, root = nodes
    position, value, _ = row_format
    for k in range(len(rows)):
        node = np.int64(root)
        taken = 0
        while node > 1:
            v = variable[node]
            if rows[k, position[v]] == value[v]:
                taken += 1
                node = np.int64(high[node])
            else:
                add_limbs(ranks[k], counts[high[node]], ranks[k])
                node = np.int64(low[node])
        # variables on levels that arcs skip are false in the family
        if node == 1 and taken == sizes[k]:
            member[k] = 1


def walk_rows(
    diagram: Diagram,
    row_format: RowFormat,
    batch_rows: int,
    set_count: int,
    start: int = 0,
    counts: Counts | None = None,
) -> Iterator[U8]:
    """Yield the sets of a family in the order of their ranks, as arrays of rows.

    Args:
        diagram: the family.
        row_format: format of the rows.
        batch_rows: greatest number of rows of an array; the array is reused for the next ones.
        set_count: number of sets; at most as many as there are from ``start`` on.
        start: rank of the first set.
        counts: counts of the diagram; needed unless ``start`` is 0.

    Memory: a stack of one node per level. Cost: one step per arc of a depth-first walk; some
    5 to 10 million 9×9 grids a second.
    """
    row, stack = row_format.blank.copy(), np.zeros(diagram.levels + 1, dtype=np.uint32)
    state = np.array([0, diagram.root], dtype=np.int64)
    if start and set_count:
        assert counts is not None, "starting inside a family needs its counts"
        rank = to_limbs([start], counts.below.shape[1])
        first = np.zeros(1, dtype=np.int64)
        limbs = np.empty((2, rank.shape[1]), np.uint64)
        depth = _unrank(
            diagram.nodes, counts.below, row_format, rank, first, row[None], stack, limbs
        )
        state[:] = (depth, 1)
    out = np.empty((min(batch_rows, set_count), len(row)), dtype=np.uint8)
    while set_count:
        k = int(_write_next_rows(diagram.nodes, row_format, row, stack, state, out[:set_count]))
        yield out[:k]
        set_count -= k


def unrank_rows(counts: Counts, row_format: RowFormat, ranks: U64) -> U8:
    """Write the sets with given ranks as rows of bytes; the inverse of :func:`rank_rows`.

    Args:
        counts: counts of the family's diagram.
        row_format: format of the rows.
        ranks: uint64, shape (n, limbs), all below the total.

    Returns:
        uint8, shape (n, width), in the order of ``ranks``.

    Cost: at most one node per level for each.
    """
    d = counts.diagram
    out = np.tile(row_format.blank, (len(ranks), 1))
    order = np.argsort(ranks[:, -1]) if len(ranks) > 1 else np.zeros(len(ranks), dtype=np.int64)
    stack = np.zeros(d.levels + 1, dtype=np.uint32)
    limbs = np.empty((2, ranks.shape[1]), np.uint64)
    _unrank(d.nodes, counts.below, row_format, ranks, order, out, stack, limbs)
    return out


def rank_rows(counts: Counts, row_format: RowFormat, rows: U8) -> tuple[U64, AnyArray]:
    """The ranks of sets given as rows of bytes, and which rows are members of the family.

    Args:
        counts: counts of the family's diagram.
        row_format: format of the rows.
        rows: uint8, shape (n, width).

    Returns:
        Ranks as uint64, shape (n, limbs), and bool, shape (n,), whether a row is a member; the
        ranks of other rows are undefined.
    """
    ranks = np.zeros((len(rows), counts.below.shape[1]), dtype=np.uint64)
    found = np.zeros(len(rows), np.uint8)
    expected = np.count_nonzero(rows != row_format.blank, axis=1)
    given = np.ascontiguousarray(rows, dtype=np.uint8)
    _rank(counts.diagram.nodes, counts.below, row_format, given, expected, ranks, found)
    return ranks, found.astype(bool)


def draw_ranks(total: int, n: int, rng: np.random.Generator) -> U64:
    """Draw independent, exactly uniform random numbers below ``total``.

    Random bits, as many as the total has, and rejection of numbers that are too large: neither a
    remainder nor floating point biases them.

    Returns:
        uint64, shape (n, limbs), as many limbs as the total needs.
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
        # strings of bytes, most significant first, compare as the numbers do
        texts = raw[:, ::-1].astype(">u8").view(f"S{8 * limbs}").reshape(-1)
        out = np.concatenate((out, raw[texts < bound]))
    return out[:n]
