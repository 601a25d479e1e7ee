"""Which block fillings of the outermost band complete to how many solutions.

A pair (a_p, a_q) comes with its completions W by a_t. They belong to every filling of band a with
these column partitions, and a block filling is a row partition with a column partition. Whether a
row partition fits a column partition knows nothing of the order of columns that look alike to the
block: so pairs are gathered by the *classes* of a_p and a_q (see `Classes`), with sums of W by the
class of a_t, and row structures are looked at once for each pair of classes. The order of the
columns must be known only in the block whose cells are asked for: sums are kept apart by the order
in which a_p has its class, by that of a_q, and by that of a_t.

Bounds. Arithmetic is that of int64 modulo 2**64, and what is read in the end, solutions with a
block filling, is below `MOST`: before a thread could have gathered more, its sums are added up as
Python integers. A pair whose own solutions, over its whole orbit, are more is gathered once, which
are at most 3136 * 94080 * 1728**3 < 1.6e18, and then multiplied.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import Parallel, compatible_rows
from bddsudoku.engine.bands.blocks import Classes, mask_orders
from bddsudoku.engine.bands.frames import Members
from bddsudoku.engine.bands.orbits import PairOrbits, canonical_pairs
from bddsudoku.engine.bands.plan import Plan
from bddsudoku.engine.bands.spreading import ORDERS, add_up, spread_members
from bddsudoku.engine.bands.tables import PARTITIONS, tables

__all__ = ["Fillings", "Gathered", "Piece", "Turned", "fillings_of", "pieces_of", "turned"]

#: Solutions that a thread gathers before it adds them up.
MOST = float(1 << 62)
#: Nanoseconds for a member and for a pair of classes, roughly; they matter by their ratio.
_MEMBER, _PAIR = 2000.0, 50000.0

_SPREAD: Callable[..., None] = spread_members
_ADD_UP: Callable[..., None] = add_up


@dataclass(frozen=True)
class _Stack:
    """Block fillings of one stack, a column partition of each class.

    Attributes:
        columns, rows: (entries,) partition numbers.
        ptr: where the lists start, by class (stacks p, q) or by row partition (t).
        keys: (entries,) what the lists hold: row partitions, or classes (t).
        orders: numbers of the `COLUMN_ORDERS` that make one of a class of another.
        turn: (1680,) by which of them a living partition comes of its class's representative.
    """

    columns: NDArray[np.int64]
    rows: NDArray[np.int64]
    ptr: NDArray[np.int64]
    keys: NDArray[np.uint16]
    orders: NDArray[np.int64]
    turn: NDArray[np.int64]


def _turns(classes: Classes, orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of some `COLUMN_ORDERS` makes a partition of its class's representative."""
    turn = np.zeros(PARTITIONS, dtype=np.int64)
    for n, order in enumerate(orders):
        turn[tables().reorder[order][classes.reps]] = n
    return turn


@dataclass(frozen=True)
class Fillings:
    """Block fillings of band a, by stack in the roles p, q and t."""

    plan: Plan
    stacks: tuple[_Stack, _Stack, _Stack]

    @property
    def nbytes(self) -> int:
        """Bytes that a thread gathers into."""
        return 8 * ORDERS * sum(len(stack.keys) for stack in self.stacks)

    @property
    def widths(self) -> tuple[int, int, int]:
        """How many orders of columns there are in each stack."""
        p, q, t = (len(stack.orders) for stack in self.stacks)
        return p, q, t


def fillings_of(plan: Plan) -> Fillings:
    """The block fillings of a plan's band a.

    One row structure of each orbit of row permutations is looked at, told by its partition in
    stack p; `band_marginals` adds the others.
    """
    a, roles, grid = plan.roles.a, plan.roles, plan.grid
    orders = grid.row_orders(a)
    canonical = tables().reorder[orders].min(axis=0) == np.arange(PARTITIONS)
    out = []
    sides = zip((roles.p, roles.q, roles.t), (plan.ta.x, plan.ta.y, plan.ta.z), strict=True)
    for stack, classes in sides:
        alive = grid.rows[a, stack]
        alive = alive & canonical if stack == roles.p else alive
        ptr, rows = compatible_rows(grid.masks[a, stack], alive, classes.reps)
        places = np.repeat(np.arange(classes.size), np.diff(ptr))
        wide = rows.astype(np.int64)
        if stack == roles.t:
            order = np.argsort(wide, kind="stable")
            places, wide = places[order], wide[order]
            ptr = np.searchsorted(wide, np.arange(PARTITIONS + 1)).astype(np.int64)
        keys = (places if stack == roles.t else wide).astype(np.uint16)
        columns = classes.reps[places].astype(np.int64)
        ways = mask_orders(grid.masks[a, stack].T)
        out.append(_Stack(columns, wide, ptr, keys, ways, _turns(classes, ways)))
    p, q, t = out
    return Fillings(plan, (p, q, t))


@dataclass(frozen=True)
class Turned:
    """Pairs turned by symmetries of the board, so that more of them have the same classes.

    Attributes:
        keys: (n,) the same for pairs of the same classes.
        turning: (n, 9) uint8, what becomes of each digit.
        firsts, seconds: (n,) the partitions that come of it.
    """

    keys: NDArray[np.int64]
    turning: NDArray[np.uint8]
    firsts: NDArray[np.int16]
    seconds: NDArray[np.int16]


def turned(fillings: Fillings, orbits: PairOrbits, run: Parallel) -> Turned:
    """Turn the pairs of a plan: marginals are averaged over the board's symmetries anyway."""
    plan, t = fillings.plan, tables()
    p, q, _ = fillings.stacks
    if len(plan.groups) == 9:
        keys = plan.ta.x.of[orbits.firsts] * np.int64(PARTITIONS) + plan.ta.y.of[orbits.seconds]
        same = np.tile(np.arange(9, dtype=np.uint8), (len(keys), 1))
        firsts, seconds = (o.astype(np.int16) for o in (orbits.firsts, orbits.seconds))
        return Turned(keys, same, firsts, seconds)
    keys, turning = canonical_pairs(
        orbits.firsts, orbits.seconds, p.orders, q.orders, plan.groups, run, relabel=True
    )
    made = []
    for numbers in (orbits.firsts, orbits.seconds):
        one, two = np.zeros((2, len(numbers)), dtype=np.int64)
        for digit in range(9):
            bit = np.int64(1) << turning[:, digit].astype(np.int64)
            one += bit * (t.column[numbers, digit] == 0)
            two += bit * (t.column[numbers, digit] == 1)
        made.append(t.index[t.subset[one].astype(np.int64) * 84 + t.subset[two]])
    return Turned(keys, turning, made[0], made[1])


@dataclass(frozen=True)
class Piece:
    """Members that one call gathers, with rows of their completions; so many `times` in the end."""

    members: NDArray[np.int64]
    rows: NDArray[np.int64]
    keys: NDArray[np.int64]
    times: int
    total: float


def pieces_of(
    pairs_turned: Turned,
    orbits: PairOrbits,
    frame: Members,
    values: NDArray[np.int64],
    at: NDArray[np.int64],
    pieces: int,
) -> list[Piece]:
    """Members of some orbits that have solutions, those of a pair of classes together.

    Args:
        pairs_turned: see :func:`turned`.
        orbits, frame, values: see :class:`bddsudoku.engine.bands.sums.Sums`.
        at: places of orbits in the frame; completions of orbit at[n] are in row n.
        pieces: how many of about equal work, or some more.
    """
    sizes = np.diff(frame.ptr)[at]
    rows = np.repeat(np.arange(len(at)), sizes)
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    members = np.arange(len(rows)) - np.repeat(first - frame.ptr[at], sizes)
    pairs = frame.pairs[members]
    alive = values[pairs] != 0
    members, rows, pairs = members[alive], rows[alive], pairs[alive]
    key = pairs_turned.keys[pairs]
    order = np.argsort(key, kind="stable")
    members, rows, pairs, key = members[order], rows[order], pairs[order], key[order]
    totals = values[pairs].astype(np.float64) * orbits.weights[pairs]
    big = totals >= MOST / 2
    out = [
        Piece(
            members[n : n + 1],
            rows[n : n + 1],
            key[n : n + 1],
            int(orbits.weights[pairs[n]]),
            0.0,
        )
        for n in np.flatnonzero(big)
    ]
    members, rows, key, totals = members[~big], rows[~big], key[~big], totals[~big]
    if not len(members):
        return out
    cost = np.cumsum(_MEMBER + _PAIR * (np.diff(key, prepend=-1) != 0))
    part = (cost * (pieces / cost[-1])).astype(np.int64)
    sums = np.cumsum(totals)
    part += (sums / (MOST / 2)).astype(np.int64) * (pieces + 1)
    cuts = np.flatnonzero(np.diff(part, prepend=part[0]))
    for lo, hi in zip([0, *cuts], [*cuts, len(members)], strict=True):
        total = float(totals[lo:hi].sum())
        out.append(Piece(members[lo:hi], rows[lo:hi], key[lo:hi], 1, total))
    return out


class Gathered:
    """What one thread has gathered.

    Attributes:
        blocks: (3, 3, 3, 6, 9) Python ints, by stack (p, q, t), row, column of the class's
            representative, order in which the columns stand, digit.
    """

    def __init__(self, fillings: Fillings) -> None:
        self._fillings = fillings
        stacks, (p, q, t) = fillings.stacks, fillings.widths
        # t's sums go by twos, those of partners by fours
        wide = [p, q, t + t % 2]
        self._sums = [
            np.zeros((len(s.keys), n), dtype=np.int64) for s, n in zip(stacks, wide, strict=True)
        ]
        start = -(-(p + q) // 4) * 4
        self._turns = [s.turn + n for s, n in zip(stacks, (0, p, start), strict=True)]
        self._widths = np.array(fillings.widths, dtype=np.int64)
        self._total = 0.0
        self.blocks = np.zeros((3, 3, 3, ORDERS, 9), dtype=object)
        lists = np.full((2, PARTITIONS), -1, dtype=np.int32)
        self._space = (
            np.empty((2, 84), dtype=np.int32),
            lists,
            np.zeros(PARTITIONS, dtype=np.int64),
            np.empty((fillings.plan.ta.z.size + 1, start + wide[2]), dtype=np.int64),
            np.empty((PARTITIONS, 2 * ORDERS), dtype=np.int64),
            np.empty((PARTITIONS, ORDERS), dtype=np.int64),
        )

    def finish(self, times: int = 1) -> None:
        """Add up what was gathered, so many times."""
        part = tables().part
        for stack, sums, block in zip(self._fillings.stacks, self._sums, self.blocks, strict=True):
            found = np.zeros((3, 3, sums.shape[1], 9), dtype=np.int64)
            _ADD_UP(stack.rows, stack.columns, part, sums, found)
            block[:, :, stack.orders] += found[:, :, : len(stack.orders)].astype(object) * times
            sums[:] = 0
        self._total = 0.0

    def gather(
        self,
        piece: Piece,
        frame: Members,
        orbits: PairOrbits,
        pairs: Turned,
        images: tuple[NDArray[np.int16], NDArray[np.int32]],
        w: NDArray[np.int64],
        stop: NDArray[np.int64],
        done: NDArray[np.int64],
    ) -> None:
        """Add the completions (rows of `w`) of a piece's members to block fillings.

        `images` are those of the plan (:attr:`.Plan.images`), or of some a_t alone.
        `stop[0]` ends it early; `done[0]` counts members.
        """
        if piece.times != 1 or self._total + piece.total > MOST:
            self.finish()
        plan, t = self._fillings.plan, tables()
        p, q, s = self._fillings.stacks
        halves, place = images
        weights = orbits.weights if piece.times == 1 else np.ones_like(orbits.weights)
        _SPREAD(
            piece.members, piece.rows, piece.keys, frame.pairs, frame.relabel, pairs.turning,
            pairs.firsts, pairs.seconds, weights, w,
            plan.ta.x.of, plan.ta.y.of, plan.ta.z.of, *self._turns, self._widths,
            halves.view(np.uint16), place, t.triples, t.subset, t.index,
            t.struct.view(np.uint16), stop, done, *self._space,
            p.ptr, p.keys, self._sums[0], q.ptr, q.keys, self._sums[1],
            s.ptr, s.keys, self._sums[2],
        )  # fmt: skip
        self._total += piece.total
        if piece.times != 1:
            self.finish(piece.times)
