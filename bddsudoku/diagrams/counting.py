"""Exact counts on a diagram, and its sets one by one: enumerated, ranked, unranked, drawn.

Counts are integers of as many 64-bit limbs as the total needs.

``below[i]`` is the number of sets in the family of node ``i``; ``above[i]`` the number of paths
from the root to ``i``. Both passes are linear (Knuth, TAOCP 7.1.4, algorithms C and the exercises
on ZDDs). No count exceeds the total: a node's family is non-empty, so every path to it and every
set below it belongs to at least one solution of its own. Hence one width of integers, just wide
enough for the total, serves all of them; it is found by doubling until no carry is lost.

The sets of a family have numbers, too, in the diagram's own order: of two sets, the one that holds
the variable at the first level where they differ comes first (high before low). Where the variables
of a cell stand together with ascending symbols, this is the lexicographic order of the grids along
the order in which the diagram reads the cells.

Sets are written as *rows*: level ``v`` writes ``value[v]`` at ``position[v]`` over a blank row. A
grid has one place a cell, a general family one place a level; text comes out by writing character
codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bddsudoku.diagrams.canonical import I64, U8, U16, U32, U64, AnyArray, Nodes
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.jit import inlined, kernel, part

_LIMB = 64


@kernel
def _below_one(low: U32, high: U32, out: U64) -> bool:
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


@part
def add_to(target: U64, source: U64) -> bool:
    """``target += source``; False when a carry is lost."""
    carry = np.uint64(0)
    for k in range(len(target)):
        a = target[k]
        s = a + source[k]
        over = np.uint64(1) if s < a else np.uint64(0)
        t = s + carry
        if t < s:
            over = np.uint64(1)
        target[k] = t
        carry = over
    return bool(carry == 0)


@kernel
def _below_many(low: U32, high: U32, out: U64) -> bool:
    """Counts in several limbs, least significant first; False when they do not fit."""
    for k in range(out.shape[1]):
        out[0, k] = out[1, k] = 0
    out[1, 0] = 1
    for i in range(2, len(low)):
        for k in range(out.shape[1]):
            out[i, k] = out[low[i], k]
        if not add_to(out[i], out[high[i]]):
            return False
    return True


@kernel
def _above(low: U32, high: U32, root: int, out: U64) -> None:
    """Paths from the root to every node; paths to ⊥ are not counted (they may be too many)."""
    out[root, 0] = 1
    for i in range(len(low) - 1, 1, -1):
        if low[i]:
            add_to(out[low[i]], out[i])
        add_to(out[high[i]], out[i])


@inlined
def _multiply_add(target: U64, a: U64, b: U64) -> None:
    """``target += a * b``, all of the same width; the result is known to fit."""
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    limbs = len(target)
    for i in range(limbs):
        if a[i] == 0:
            continue
        ah = a[i] >> half
        al = a[i] & mask
        carry = np.uint64(0)
        for j in range(limbs - i):
            bh = b[j] >> half
            bl = b[j] & mask
            ll = al * bl
            lh = al * bh
            hl = ah * bl
            mid = (ll >> half) + (lh & mask) + (hl & mask)
            product_low = (ll & mask) | (mid << half)
            product_high = ah * bh + (lh >> half) + (hl >> half) + (mid >> half)
            s = target[i + j] + product_low
            if s < product_low:
                product_high += np.uint64(1)
            t = s + carry
            if t < s:
                product_high += np.uint64(1)
            target[i + j] = t
            carry = product_high


@kernel
def _marginals_one(
    variable: U16, low: U32, high: U32, root: int, below: U64, above: U64, out: U64
) -> None:
    """Per level, the number of sets that hold its variable; one limb. One pass downwards."""
    above[root] = 1
    for i in range(len(low) - 1, 1, -1):
        a = above[i]
        above[low[i]] += a
        above[high[i]] += a
        out[variable[i], 0] += a * below[high[i], 0]


@kernel
def _marginals_many(variable: U16, high: U32, above: U64, below: U64, out: U64) -> None:
    for i in range(2, len(high)):
        _multiply_add(out[variable[i]], above[i], below[high[i]])


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


def _exact(limbs: U64, total: int) -> NDArray[Any]:
    """Rows of limbs as int64 where the total allows it, otherwise as Python integers."""
    if total < 1 << 63:
        return limbs[:, 0].astype(np.int64)
    out = np.empty(len(limbs), dtype=object)
    for i, row in enumerate(limbs):
        out[i] = from_limbs(row)
    return out


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
        fits = _below_one(diagram.low, diagram.high, below)
        limbs = 1
        while not fits:
            # a family over so many variables never has more than 2**levels members
            limbs = min(2 * limbs, diagram.levels // _LIMB + 1)
            below = np.empty((diagram.size, limbs), np.uint64)
            fits = _below_many(diagram.low, diagram.high, below)
        self.total = from_limbs(below[diagram.root])
        needed = max(1, -(-self.total.bit_length() // _LIMB))
        self.below = below if needed == limbs else below[:, :needed].copy()

    @property
    def limbs(self) -> int:
        """Width of the integers, in 64-bit limbs."""
        return int(self.below.shape[1])

    def __getitem__(self, node: int) -> int:
        """Number of sets in the family of a node."""
        return from_limbs(self.below[node])

    def above(self) -> U64:
        """Number of paths from the root to every node: uint64, shape (size, limbs).

        The entry of ⊥ is left 0.
        """
        d = self.diagram
        out = np.zeros((d.size, self.limbs), np.uint64)
        _above(d.low, d.high, d.root, out)
        return out

    def marginals(self) -> AnyArray:
        """For every level the number of sets that hold its variable, shape (levels,).

        int64 while the total stays below 2**63, otherwise Python integers. One linear pass.
        """
        d = self.diagram
        raw = np.zeros((d.levels, self.limbs), np.uint64)
        if self.limbs == 1:
            # Paths to ⊥ may wrap around in uint64; nothing reads them.
            above = np.zeros(d.size, np.uint64)
            _marginals_one(d.variable, d.low, d.high, d.root, self.below, above, raw)
        else:
            _marginals_many(d.variable, d.high, self.above(), self.below, raw)
        return _exact(raw, self.total)


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
def _fill(nodes: Nodes, form: RowFormat, row: U8, stack: U32, state: I64, out: U8) -> int:
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


@inlined
def _less(a: U64, b: U64) -> bool:
    """``a < b`` for integers in limbs."""
    for k in range(len(a) - 1, -1, -1):
        if a[k] != b[k]:
            return bool(a[k] < b[k])
    return False


@inlined
def _subtract(a: U64, b: U64) -> None:
    """``a -= b``, known not to go below 0."""
    borrow = np.uint64(0)
    for k in range(len(a)):
        d = a[k] - b[k]
        over = np.uint64(1) if a[k] < b[k] else np.uint64(0)
        if d < borrow:
            over = np.uint64(1)
        a[k] = d - borrow
        borrow = over


@kernel
def _unrank(nodes: Nodes, below: U64, form: RowFormat, ranks: U64, order: I64, out: U8) -> None:
    """Write the sets with given ranks, in an order that keeps caches warm; uses up ``ranks``."""
    variable, low, high, root = nodes
    position, value, _ = form
    for k in order:
        rest = ranks[k]
        node = np.int64(root)
        while node > 1:
            hi = np.int64(high[node])
            if _less(rest, below[hi]):
                v = variable[node]
                out[k, position[v]] = value[v]
                node = hi
            else:
                _subtract(rest, below[hi])
                node = np.int64(low[node])


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
                add_to(out[k], below[high[node]])
                node = np.int64(low[node])
        # variables on levels that were skipped are false in the family
        if node == 1 and taken == expected[k]:
            found[k] = 1


class Walker:
    """Enumerates a family in its order, in batches of rows.

    Args:
        diagram: the family.
        form: how rows look.
        counts: needed to start elsewhere than at the first set.
        start: rank to start from.

    Memory: a stack of one node a level. Cost: one visit of a node for every arc gone along; some
    5 to 10 million 9×9 grids a second.
    """

    __slots__ = ("_diagram", "_form", "_row", "_stack", "_state")

    def __init__(
        self, diagram: Diagram, form: RowFormat, counts: Counts | None = None, start: int = 0
    ) -> None:
        self._diagram = diagram
        self._form = form
        self._row = form.blank.copy()
        self._stack = np.zeros(diagram.levels + 1, dtype=np.uint32)
        self._state = np.array([0, diagram.root], dtype=np.int64)
        if start:
            if counts is None:
                raise ValueError("starting inside a family needs its counts")
            self._seek(counts, start)

    def _seek(self, counts: Counts, start: int) -> None:
        """Put the stack where it stands just before the set of a given rank."""
        d = self._diagram
        if start >= counts.total:
            self._state[:] = (0, -1)
            return
        node, depth = d.root, 0
        while node > 1:
            here = counts[int(d.high[node])]
            if start < here:
                v = d.variable[node]
                self._row[self._form.position[v]] = self._form.value[v]
                self._stack[depth] = node
                depth += 1
                node = int(d.high[node])
            else:
                start -= here
                node = int(d.low[node])
        self._state[:] = (depth, node)

    def fill(self, out: U8) -> int:
        """Write the next sets to the rows of ``out``; returns how many (fewer at the end only)."""
        nodes = self._diagram.nodes
        return int(_fill(nodes, self._form, self._row, self._stack, self._state, out))


def unrank_rows(counts: Counts, form: RowFormat, ranks: U64) -> U8:
    """Rows of the sets with given ranks.

    Args:
        counts: of the family.
        form: how rows look.
        ranks: uint64, shape (n, limbs), all below the total; used up.

    Returns:
        uint8, shape (n, width), in the order of ``ranks``.

    Cost: at most one node a level for each.
    """
    out = np.tile(form.blank, (len(ranks), 1))
    order = np.argsort(ranks[:, -1]) if len(ranks) > 1 else np.zeros(len(ranks), dtype=np.int64)
    _unrank(counts.diagram.nodes, counts.below, form, ranks, order, out)
    return out


def rank_rows(
    counts: Counts, form: RowFormat, rows: U8, expected: AnyArray
) -> tuple[U64, AnyArray]:
    """Ranks of rows.

    Args:
        counts: of the family.
        form: how rows look.
        rows: uint8, shape (n, width).
        expected: number of the diagram's variables that each row is known to hold.

    Returns:
        Ranks as uint64, shape (n, limbs), and a bool array that tells which rows are members;
        the rank of the others means nothing.
    """
    out = np.zeros((len(rows), counts.limbs), dtype=np.uint64)
    found = np.zeros(len(rows), np.uint8)
    given = np.ascontiguousarray(rows, dtype=np.uint8)
    sizes = np.ascontiguousarray(expected, dtype=np.int64)
    _rank(counts.diagram.nodes, counts.below, form, given, sizes, out, found)
    return out, found.astype(bool)


def draw_ranks(total: int, n: int, rng: np.random.Generator) -> U64:
    """Independent numbers below ``total``, every one exactly as likely as any other.

    uint64, shape (n, limbs), as many limbs as the total needs.

    Random bits, as many as the total has, and rejection of what is too large: no remainder and no
    floating point enter, so nothing is biased.
    """
    limbs = -(-total.bit_length() // 64)
    bits = (total - 1).bit_length()
    whole, part = divmod(bits, 64)
    bound = to_limbs([total], limbs)[0] if total < 1 << 64 * limbs else None
    out = np.empty((n, limbs), dtype=np.uint64)
    have = 0
    while have < n:
        raw = np.zeros((max(16, 2 * (n - have)), limbs), dtype=np.uint64)
        if whole:
            raw[:, :whole] = rng.integers(
                0, 1 << 64, size=(len(raw), whole), dtype=np.uint64, endpoint=False
            )
        if part:
            raw[:, whole] = rng.integers(0, 1 << part, size=len(raw), dtype=np.uint64)
        if bound is not None:
            below = np.zeros(len(raw), dtype=bool)
            equal = np.ones(len(raw), dtype=bool)
            for k in range(limbs - 1, -1, -1):
                below |= equal & (raw[:, k] < bound[k])
                equal &= raw[:, k] == bound[k]
            raw = raw[below]
        taken = raw[: n - have]
        out[have : have + len(taken)] = taken
        have += len(taken)
    return out
