"""Going through a family set by set: enumeration, ranking and unranking.

The order of the sets is the diagram's own: of two sets, the one that holds the variable at the
first level where they differ comes first (high before low). Where the variables of a cell stand
together with ascending symbols, this is the lexicographic order of the grids along the order in
which the diagram reads the cells.

Sets are written as *rows*: level ``v`` writes ``value[v]`` at ``position[v]`` over a blank row. A
grid has one place a cell, a general family one place a level; text comes out by writing character
codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bddsudoku.diagrams.canonical import I64, U8, U16, U32, U64, AnyArray
from bddsudoku.diagrams.counting import Counts, add_to, to_limbs
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.jit import inlined, kernel


@dataclass(frozen=True)
class RowFormat:
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
def _fill(
    variable: U16,
    low: U32,
    high: U32,
    position: I64,
    value: U8,
    blank: U8,
    row: U8,
    stack: U32,
    state: I64,
    out: U8,
) -> int:
    """Write the next sets to ``out``; ``state`` is (depth, node or -1 at the end)."""
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
def _unrank(
    variable: U16,
    low: U32,
    high: U32,
    root: int,
    below: U64,
    ranks: U64,
    order: I64,
    position: I64,
    value: U8,
    out: U8,
) -> None:
    """Write the sets with given ranks, in an order that keeps caches warm; uses up ``ranks``."""
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
    variable: U16,
    low: U32,
    high: U32,
    root: int,
    below: U64,
    rows: U8,
    position: I64,
    value: U8,
    expected: I64,
    out: U64,
    found: U8,
) -> None:
    """Ranks of rows, and a flag for those that are in the family at all."""
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
        d, f = self._diagram, self._form
        return int(
            _fill(
                d.variable,
                d.low,
                d.high,
                f.position,
                f.value,
                f.blank,
                self._row,
                self._stack,
                self._state,
                out,
            )
        )


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
    d = counts.diagram
    out = np.tile(form.blank, (len(ranks), 1))
    order = np.argsort(ranks[:, -1]) if len(ranks) > 1 else np.zeros(len(ranks), dtype=np.int64)
    _unrank(
        d.variable,
        d.low,
        d.high,
        d.root,
        counts.below,
        ranks,
        order,
        form.position,
        form.value,
        out,
    )
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
    d = counts.diagram
    out = np.zeros((len(rows), counts.limbs), dtype=np.uint64)
    found = np.zeros(len(rows), np.uint8)
    _rank(
        d.variable,
        d.low,
        d.high,
        d.root,
        counts.below,
        np.ascontiguousarray(rows, dtype=np.uint8),
        form.position,
        form.value,
        np.ascontiguousarray(expected, dtype=np.int64),
        out,
        found,
    )
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
