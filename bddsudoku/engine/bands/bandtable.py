"""T_b: how many fillings a band has, by the column partitions of its three blocks.

T_b(x, y, z) sums over the band's row structures (r1, r2, r3) the product of three
compatibility tests. It is kept dense over column *classes* (see `Classes`), so blocks with at
most one hint have 280 of them instead of 1680.

Two ways of filling it, of which the cheaper is taken: straight over the living row structures
(many hints), or only for one x of each orbit of the digits that the band's hints leave
interchangeable, all others by relabelling (few hints: a free band has a single orbit).

Bound: two orthogonal structures fix a band, and for the empty band no (x, y, z) has more than
1,728 fillings; masks only take some away. So int16 holds every entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.masks import digit_classes
from bddsudoku.engine.bands.partitions import PARTITIONS, Classes, Grid, classes, compatible, tables
from bddsudoku.jit import kernel

#: Entries that are read together, also behind the last one.
_VECTOR = 8

Parallel = Callable[[Callable[..., None], list[tuple[Any, ...]]], None]


@kernel
def _compatible_rows(
    block: Any, part: Any, orth: Any, alive: Any, columns: Any, ptr: Any, out: Any
) -> int:
    n = 0
    for k in range(columns.shape[0]):
        c = columns[k]
        for m in range(orth.shape[1]):
            r = orth[c, m]
            if alive[r] and compatible(block, part[r], part[c]):
                out[n] = r
                n += 1
        ptr[k + 1] = n
    return n


def compatible_rows(
    block: NDArray[np.uint16], alive: NDArray[np.bool_], columns: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Living row partitions that are compatible with each column partition, as (ptr, rows)."""
    t = tables()
    ptr = np.zeros(len(columns) + 1, dtype=np.int64)
    out = np.empty(len(columns) * t.orth.shape[1], dtype=np.int16)
    n = _compatible_rows(block, t.part, t.orth, alive, columns, ptr, out)
    return ptr, out[:n].copy()


def _by_row(
    ptr: NDArray[np.int64], rows: NDArray[np.int16]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Turn lists of rows by column around: columns (positions) by row partition."""
    of = np.repeat(np.arange(len(ptr) - 1, dtype=np.int32), np.diff(ptr))
    order = np.argsort(rows, kind="stable")
    back = np.zeros(PARTITIONS + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=PARTITIONS), out=back[1:])
    return back, of[order]


@kernel
def _fill(
    table: Any, lo: int, hi: int, xptr: Any, xrows: Any, sptr: Any, struct: Any,
    yptr: Any, ys: Any, zptr: Any, zs: Any,
) -> None:  # fmt: skip
    """Add up table[lo:hi] over structures (r_x, r_y, r_z) that are sorted by r_x."""
    for x in range(lo, hi):
        for k in range(xptr[x], xptr[x + 1]):
            r = xrows[k]
            for n in range(sptr[r], sptr[r + 1]):
                ry, rz = struct[n, 1], struct[n, 2]
                for i in range(yptr[ry], yptr[ry + 1]):
                    line = table[x, ys[i]]
                    for j in range(zptr[rz], zptr[rz + 1]):
                        line[zs[j]] += np.int16(1)


@kernel
def _expand(
    table: Any, lo: int, hi: int, seed: Any, seed_of: Any, relabel: Any,
    yreps: Any, zreps: Any, yclass: Any, zclass: Any, part: Any, subset: Any, index: Any,
    image: Any, renamed: Any,
) -> None:  # fmt: skip
    """table[x, y, z] = seed[seed_of[x], d(y), d(z)] with the digits relabelled by d of x.

    Working memory: `image` (512,), `renamed` (2, 1680), both int32.
    """
    ynew = renamed[0]
    znew = renamed[1]
    image[0] = 0
    for x in range(lo, hi):
        for m in range(1, 512):
            low = m & -m
            d = 0
            while low >> d != 1:
                d += 1
            image[m] = image[m ^ low] | (1 << relabel[x, d])
        for k in range(yreps.shape[0]):
            p = yreps[k]
            ynew[k] = yclass[
                index[subset[image[part[p, 0]]] * np.int64(84) + subset[image[part[p, 1]]]]
            ]
        for k in range(zreps.shape[0]):
            p = zreps[k]
            znew[k] = zclass[
                index[subset[image[part[p, 0]]] * np.int64(84) + subset[image[part[p, 1]]]]
            ]
        for k in range(yreps.shape[0]):
            source = seed[seed_of[x], ynew[k]]
            target = table[x, k]
            for j in range(zreps.shape[0]):
                target[j] = source[znew[j]]


@dataclass(frozen=True)
class BandRows:
    """Everything that one way of filling needs: classes of three blocks and row structures."""

    x: NDArray[np.int32]
    y: Classes
    z: Classes
    xlists: tuple[NDArray[np.int64], NDArray[np.int16]]
    ylists: tuple[NDArray[np.int64], NDArray[np.int32]]
    zlists: tuple[NDArray[np.int64], NDArray[np.int32]]
    struct: NDArray[np.int16]
    sptr: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Entries along x, y and z."""
        return len(self.x), self.y.size, self.z.size

    @property
    def cost(self) -> float:
        """Increments that `_fill` makes for all of x."""
        ylen, zlen = np.diff(self.ylists[0]), np.diff(self.zlists[0])
        per = ylen[self.struct[:, 1]].astype(np.float64) * zlen[self.struct[:, 2]]
        by_row = np.bincount(self.struct[:, 0], weights=per, minlength=PARTITIONS)
        return float(by_row[self.xlists[1]].sum())

    def fill(self, table: NDArray[np.int16], run: Parallel) -> None:
        """Add the counts into a zeroed table."""
        step = max(1, len(self.x) // 64)
        tail = (*self.xlists, self.sptr, self.struct, *self.ylists, *self.zlists)
        bounds = range(0, len(self.x), step)
        run(_fill, [(table, lo, min(lo + step, len(self.x)), *tail) for lo in bounds])


def _band_rows(
    masks: NDArray[np.uint16],
    rows: NDArray[np.bool_],
    columns: NDArray[np.bool_],
    x: NDArray[np.int32] | None,
    orders: NDArray[np.int64],
) -> BandRows:
    """Lists for a band whose blocks stand in the order x, y, z (first axis of each argument)."""
    t = tables()
    struct = t.struct
    # One row structure of each orbit of the row permutations that leave the masks alone. They
    # act freely (the three triples differ), so the table comes out divided by their number.
    canonical = t.reorder[orders].min(axis=0) == np.arange(PARTITIONS)
    keep = (rows[0] & canonical)[struct[:, 0]]
    keep &= rows[1][struct[:, 1]]
    keep &= rows[2][struct[:, 2]]
    struct = struct[keep]
    sptr = np.searchsorted(struct[:, 0], np.arange(PARTITIONS + 1)).astype(np.int64)
    first = rows[0] & canonical
    if x is None:
        x = classes(masks[0], columns[0]).reps
    y, z = classes(masks[1], columns[1]), classes(masks[2], columns[2])
    return BandRows(
        x,
        y,
        z,
        compatible_rows(masks[0], first, x),
        _by_row(*compatible_rows(masks[1], rows[1], y.reps)),
        _by_row(*compatible_rows(masks[2], rows[2], z.reps)),
        struct,
        sptr,
    )


def _line_up(partition: NDArray[np.uint8], groups: list[list[int]]) -> NDArray[np.uint8]:
    """Relabelling that sorts the digits of each group by their position in a partition."""
    image = np.empty(9, dtype=np.uint8)
    for group in groups:
        image[sorted(group, key=lambda d: (int(partition[d]), d))] = sorted(group)
    return image


@dataclass(frozen=True)
class TablePlan:
    """How T of one band will be filled.

    Attributes:
        x, y, z: classes of the three blocks, in the order asked for.
        scale: what every entry has to be multiplied by (row permutations divided out).
        cost: table increments, as a measure of time (some 1e9 a second and core).
        scratch: bytes needed beyond the table itself while filling.
    """

    x: Classes
    y: Classes
    z: Classes
    scale: int
    cost: float
    scratch: int
    direct: BandRows
    seeds: BandRows | None
    seed_of: NDArray[np.int32]
    relabel: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        """Bytes of the finished table."""
        return 2 * self.x.size * self.y.size * self.z.size

    def _zeros(self) -> NDArray[np.int16]:
        """An empty table, with a row of zeros and room for a vector behind it: see `flat_table`."""
        shape = self.x.size, self.y.size, self.z.size
        flat = np.zeros(prod(shape) + self.z.size + _VECTOR, dtype=np.int16)
        return flat[: prod(shape)].reshape(shape)

    def build(self, run: Parallel) -> NDArray[np.int16]:
        """The table, int16 of shape (x, y, z) classes; `run` maps kernel calls onto threads."""
        table = self._zeros()
        if self.seeds is None:
            self.direct.fill(table, run)
            return table
        seeds = np.zeros(self.seeds.shape, dtype=np.int16)
        self.seeds.fill(seeds, run)
        t = tables()
        tail: tuple[Any, ...] = (seeds, self.seed_of, self.relabel, self.y.reps, self.z.reps)
        tail += (self.seeds.y.of, self.seeds.z.of, t.part, t.subset, t.index)
        step = max(1, self.x.size // 16)
        bounds = range(0, self.x.size, step)
        calls = []
        for lo in bounds:
            memory = np.empty(512, dtype=np.int32), np.empty((2, PARTITIONS), dtype=np.int32)
            calls.append((table, lo, min(lo + step, self.x.size), *tail, *memory))
        run(_expand, calls)
        return table


def flat_table(table: NDArray[np.int16]) -> NDArray[np.int16]:
    """The entries of a finished table, the zeros behind it among them."""
    base = table.base
    assert isinstance(base, np.ndarray)
    return base


def plan_table(grid: Grid, band: int, stacks: tuple[int, int, int]) -> TablePlan:
    """Choose the cheaper way to fill T of a band, with its axes in the order of `stacks`."""
    order = list(stacks)
    masks = grid.masks[band][order]
    orders = grid.row_orders(band)
    direct = _band_rows(masks, grid.rows[band][order], grid.columns[band][order], None, orders)
    x = classes(masks[0], grid.columns[band][order[0]])
    cost, seeds = direct.cost, None
    seed_of, relabel = np.zeros(0, dtype=np.int32), np.zeros((0, 9), dtype=np.uint8)
    groups = digit_classes(masks.reshape(27))
    if cost > 3e6 and len(groups) < 9:
        t = tables()
        relabel = np.stack([_line_up(t.column[p], groups) for p in x.reps])
        lined = np.zeros((x.size, 3), dtype=np.int64)
        for d in range(9):
            np.bitwise_or.at(
                lined,
                (np.arange(x.size), t.column[x.reps, d].astype(np.int64)),
                1 << relabel[:, d].astype(np.int64),
            )
        number = t.index[t.subset[lined[:, 0]].astype(np.int64) * 84 + t.subset[lined[:, 1]]]
        reps, inverse = np.unique(number, return_inverse=True)
        seed_of = inverse.astype(np.int32)
        # Relabelling takes living classes anywhere, so the seeds cover all that this band's own
        # masks allow, whatever the other bands have pruned.
        everything = np.ones((3, PARTITIONS), dtype=np.bool_)
        free = _band_rows(masks, everything, everything, reps.astype(np.int32), orders)
        expand = 2.0 * direct.shape[0] * direct.shape[1] * direct.shape[2]
        if free.cost + expand < cost:
            cost, seeds = free.cost + expand, free
    scratch = 0 if seeds is None else 2 * int(np.prod(seeds.shape))
    return TablePlan(
        x, direct.y, direct.z, len(orders), cost, scratch, direct, seeds, seed_of, relabel
    )
