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

Kernels that carry completions of pairs to block fillings: see :mod:`.fillings`.

From block fillings weighted by completions to counts for every cell and digit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandtable import Parallel, compatible_rows
from bddsudoku.engine.bands.kernels import add_both, add_times, relabelled
from bddsudoku.engine.bands.partitions import (
    COLUMN_ORDERS,
    PARTITIONS,
    Classes,
    mask_orders,
    tables,
)
from bddsudoku.engine.bands.plan import Plan
from bddsudoku.engine.bands.symmetry import Members, PairOrbits, canonical_pairs
from bddsudoku.jit import kernel, part

#: Orders of three columns.
ORDERS = 6

_ADD_FOUR, _ADD_EIGHT, _ADD_TWELVE = add_both[4], add_both[8], add_both[12]
_TIMES_TWO, _TIMES_SIX = add_times[2], add_times[6]


@part
def _collect(
    wide: Any, row: Any, times: Any, one: Any, other: Any, t_of: Any, t_turn: Any, t_halves: Any,
    place: Any, image: Any, index: Any, turned: Any,
) -> None:  # fmt: skip
    """Add W of one pair, turned by a symmetry of the board, to the sums by class of a_t."""
    for k in range(t_halves.shape[0]):
        first, second = t_halves[k, 0], t_halves[k, 1]
        value = row[place[image[first] * 84 + image[second]]] * times
        if value != 0:
            there = index[turned[first] * 84 + turned[second]]
            z = t_of[there]
            wide[z, one] += value
            wide[z, other] += value
            wide[z, t_turn[there]] += value


@part
def _partners(
    flat: Any, width: Any, classes: Any, lo: int, hi: int, n: int, s: Any, to: Any
) -> None:
    """s[to:to + n] = the sum of the first entries of some rows; the last row is all zero."""
    for k in range(to, to + n):
        s[k] = 0
    for k in range(lo, hi, 2):
        one = np.int64(classes[k]) * width
        other = np.int64(classes[k + 1]) * width if k + 1 < hi else flat.shape[0] - width
        if n == 12:
            _ADD_TWELVE(s, to, flat, one, other)
        elif n == 8:
            _ADD_EIGHT(s, to, flat, one, other)
        else:
            _ADD_FOUR(s, to, flat, one, other)


@part
def _carry(
    wide: Any, x: int, y: int, widths: Any, struct: Any, lists: Any, m: Any, s: Any, q_sum: Any,
    p_ptr: Any, p_rows: Any, p_acc: Any, q_ptr: Any, q_rows: Any, q_acc: Any,
    t_ptr: Any, t_classes: Any, t_acc: Any,
) -> None:  # fmt: skip
    """Add the sums of a pair of classes to every block filling (column, row) that takes part."""
    q_at = lists[0]
    met = lists[1]
    n_p, n_q, n_t = widths[0], widths[1], widths[2]
    start = 4 * ((n_p + n_q + 3) // 4)
    flat = wide.reshape(-1)
    sums = s.reshape(-1)
    t_sums = t_acc.reshape(-1)
    width = np.int64(wide.shape[1])
    q0 = q_ptr[y]
    q1 = q_ptr[y + 1]
    for e in range(q0, q1):
        q_at[q_rows[e]] = e - q0
        for j in range(n_q):
            q_sum[e - q0, j] = 0
    n_met = 0
    for e in range(p_ptr[x], p_ptr[x + 1]):
        r = int(p_rows[e])
        for n in range(56 * r, 56 * r + 56):
            there = q_at[struct[n, 1]]
            if there >= 0:
                r3 = struct[n, 2]
                if m[r3] == 0:
                    met[n_met] = r3
                    n_met += 1
                    _partners(
                        flat, width, t_classes, t_ptr[r3], t_ptr[r3 + 1], start, sums,
                        np.int64(r3) * 12,
                    )  # fmt: skip
                m[r3] += 1
                for j in range(n_p):
                    p_acc[e, j] += s[r3, j]
                for j in range(n_q):
                    q_sum[there, j] += s[r3, n_p + j]
    for e in range(q1 - q0):
        q_at[q_rows[q0 + e]] = -1
        for j in range(n_q):
            q_acc[q0 + e, j] += q_sum[e, j]
    for n in range(n_met):
        r3 = met[n]
        times = m[r3]
        m[r3] = 0
        for k in range(t_ptr[r3], t_ptr[r3 + 1]):
            at = np.int64(t_classes[k]) * width + start
            if n_t == 6:
                _TIMES_SIX(t_sums, 6 * k, flat, at, times)
            else:
                _TIMES_TWO(t_sums, 2 * k, flat, at, times)


@kernel
def spread_members(
    members: Any, rows: Any, keys: Any, pairs: Any, relabel: Any, turning: Any,
    own1: Any, own2: Any, weights: Any, w: Any,
    x_of: Any, y_of: Any, z_of: Any, p_turn: Any, q_turn: Any, t_turn: Any, widths: Any,
    t_halves: Any, place: Any, triples: Any, subset: Any, index: Any, struct: Any,
    stop: Any, done: Any, images: Any, lists: Any, m: Any, wide: Any, s: Any, q_sum: Any,
    p_ptr: Any, p_rows: Any, p_acc: Any, q_ptr: Any, q_rows: Any, q_acc: Any,
    t_ptr: Any, t_classes: Any, t_acc: Any,
) -> None:  # fmt: skip
    """Add the completions of some members, pair of classes by pair of classes.

    Those of members[n] are in row rows[n] of `w` (see
    :func:`bddsudoku.engine.bands.kernels.run_pairs`), and are taken `weights`
    times. `turning` (by pair) are symmetries of the board; own1, own2 (by pair) are the partitions
    that they make of it; where `keys` are equal, these have the same classes. `x_of`, `y_of`,
    `z_of` are classes of partitions, `p_turn` … places in `wide`: by the orders of columns in
    which they have them. `widths` (3,) says how many orders there are. Lists of p and q go by
    class, those of t by row partition: only the rows that a row structure meets are looked at.

    `stop[0]` ends the run early; `done[0]` counts members. Working memory: `images` (2, 84);
    `lists` (2, 1680), of which `lists[0]` is all -1 before and after; `m` (1680,), all zero before
    and after: how many row structures end in a row partition; `wide`: sums by class of a_t and the
    order of a_p, of a_q, of a_t; `s` (1680, 12): what is in `wide` for the partners of a row
    partition; `q_sum` (1680, 6).
    """
    lo = 0
    while lo < len(members) and stop[0] == 0:
        pair = pairs[members[lo]]
        x = x_of[own1[pair]]
        y = y_of[own2[pair]]
        wide[:] = 0
        hi = lo
        while hi < len(members) and keys[hi] == keys[lo]:
            pair = pairs[members[hi]]
            relabelled(relabel[members[hi]], triples, subset, images[0])
            relabelled(turning[pair], triples, subset, images[1])
            _collect(
                wide, w[rows[hi]], weights[pair], p_turn[own1[pair]], q_turn[own2[pair]], z_of,
                t_turn, t_halves, place, images[0], index, images[1],
            )  # fmt: skip
            hi += 1
        _carry(
            wide, x, y, widths, struct, lists, m, s, q_sum, p_ptr, p_rows, p_acc,
            q_ptr, q_rows, q_acc, t_ptr, t_classes, t_acc,
        )  # fmt: skip
        done[0] += hi - lo
        lo = hi


@kernel
def add_up(rows: Any, columns: Any, part: Any, sums: Any, out: Any) -> None:
    """out[i, j, order, digit] += sums[n, order] for the digit where row i and column j meet."""
    for n in range(len(rows)):
        for i in range(3):
            for j in range(3):
                bit = int(part[rows[n], i] & part[columns[n], j])
                digit = 0
                while bit >> digit > 1:
                    digit += 1
                for order in range(sums.shape[1]):
                    out[i, j, order, digit] += sums[n, order]


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


@dataclass(frozen=True)
class Images:
    """Symmetries of a plan's board: what its sums leave out.

    Attributes:
        stacks: in the roles p, q, t.
        columns: numbers of the `COLUMN_ORDERS` of each of these.
        rows: those of the outermost band's rows.
        groups: interchangeable digits.
        scale: what all sums are multiplied by.
    """

    stacks: tuple[int, int, int]
    columns: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    rows: NDArray[np.int64]
    groups: list[list[int]]
    scale: int

    @classmethod
    def of(cls, plan: Plan) -> Images:
        """Those of a plan that is not empty."""
        roles = plan.roles
        return cls(
            (roles.p, roles.q, roles.t),
            (plan.p_orders, plan.q_orders, plan.t_orders),
            plan.grid.row_orders(roles.a),
            plan.groups,
            plan.tb.scale * plan.tc.scale * len(plan.t_orders),
        )


def band_marginals(images: Images, blocks: NDArray[Any]) -> NDArray[Any]:
    """Marginals of the plan's outermost band: (3, 9, 9) Python ints, rows, columns, digits.

    The sums hold one row structure of each orbit of row permutations: the others follow by
    permuting rows. They hold one pair of each orbit, times its size. The group is a direct
    product (digits by groups, columns of each stack), so averaging over one factor after the
    other gives what the whole orbit would have given.

    Args:
        images: of the sums' plan.
        blocks: see :class:`bddsudoku.engine.bands.marginals.Gathered`: of all the plan's pairs,
            those of its parts added up.
    """
    out = np.zeros((3, 9, 9), dtype=object)
    for stack, orders, by_order in zip(images.stacks, images.columns, blocks, strict=True):
        block = sum(by_order[:, order, n] for n, order in enumerate(COLUMN_ORDERS))
        group = COLUMN_ORDERS[orders]
        mean = sum(block[:, order] for order in group)  # times len(group)
        factor = 6 // len(group)
        out[:, 3 * stack : 3 * stack + 3] = mean * factor
    rows_too = sum(out[order] for order in COLUMN_ORDERS[images.rows])
    common = lcm(*(len(group) for group in images.groups))
    averaged = np.zeros_like(out)
    for digits in images.groups:
        averaged[:, :, digits] = rows_too[:, :, digits].sum(axis=2, keepdims=True) * (
            common // len(digits)
        )
    exact = averaged * images.scale
    divided = exact // (6 * common)
    if (divided * (6 * common) != exact).any():
        raise AssertionError("marginals of an orbit do not divide evenly")
    return divided


def completed(out: NDArray[Any], total: int, way: bool, bands: Sequence[int]) -> NDArray[Any]:
    """Marginals of the whole board from those of the bands that were summed.

    Rows that may change places have equal parts of what is left of each column.

    Args:
        out: (9, 9, 9) Python ints, rows, columns, digits: those of the bands; changed.
        total: the number of solutions.
        way: whether these are bands of columns.
        bands: which of them were summed (see :func:`.roles.bands_to_sum`).

    Returns:
        [row, column, digit - 1]: int64 where the total is below 2**63, otherwise Python ints.
    """
    if len(bands) < 3:
        rest = [row for row in range(9) if row // 3 not in bands]
        left = np.full((9, 9), total, dtype=object) - out.sum(axis=0)
        if (left % len(rest) != 0).any():
            raise AssertionError("marginals of equal rows do not divide evenly")
        out[rest] = left // len(rest)
    out = out.transpose(1, 0, 2) if way else out
    return out.astype(np.int64) if total < 1 << 63 else out
