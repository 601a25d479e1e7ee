"""Which band is outermost, which stack plays which role, rows or columns: by predicted time.

The estimate looks at each block's own candidates and at structures of stacks, not at what blocks
do to each other along a band; it takes some ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.blocks import as_blocks, mask_orders
from bddsudoku.engine.bands.dots import STEP
from bddsudoku.engine.bands.masks import digit_classes, relax
from bddsudoku.engine.bands.tables import PARTITIONS, tables

__all__ = ["Roles", "best_roles"]

#: Multiply-adds that one core makes in a nanosecond (int16 pairs).
MADDS = 32
#: Nanoseconds for a dot product besides, for an entry of an operand, for a member's partition.
DOT, ENTRY, IMAGE = 2.0, 0.4, 3.0
#: Nanoseconds for a row structure that a pair's marginals look at.
ROWS = 4.0


@dataclass(frozen=True)
class Roles:
    """Bands a (outermost), b, c and stacks p and q (pairs), t (dot products)."""

    transposed: bool
    a: int
    b: int
    c: int
    p: int
    q: int
    t: int


@dataclass(frozen=True)
class _Stack:
    """One stack beside one outermost band: sizes with that band's masks and (frame) without.

    Attributes:
        structures, partitions: of the frame: structures of the stack, and a's partitions in them.
        living: a's partitions that its own masks allow.
        frame, orders: column permutations without and with a's masks.
        classes: classes of b's and c's partitions.
    """

    structures: float
    partitions: float
    living: float
    frame: int
    orders: int
    classes: float


def _alive(blocks: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Column partitions that each block's own masks seem to allow: band, stack, partition."""
    flat = blocks.reshape(9, 9)
    single = (flat & (flat - 1)) == 0
    placed = np.bitwise_or.reduce(np.where(single, flat, 0), axis=1)
    own = np.where(single, flat, flat & ~placed[:, None]).reshape(3, 3, 3, 3)
    columns = np.bitwise_or.reduce(own, axis=2)
    return np.asarray(((tables().part & ~columns[:, :, None, :]) == 0).all(axis=3))


def _stacks(blocks: NDArray[np.uint16]) -> list[list[_Stack]]:
    """Sizes by outermost band and stack."""
    alive = _alive(blocks)
    struct = tables().struct
    kept = [[len(mask_orders(blocks[b, s].T)) for s in range(3)] for b in range(3)]
    out: list[list[_Stack]] = [[], [], []]
    for s in range(3):
        fits = [alive[n, s][struct[:, n]] for n in range(3)]
        orders = len(mask_orders(blocks[:, s].transpose(2, 0, 1)))
        for a in range(3):
            rest = [n for n in range(3) if n != a]
            firsts = struct[fits[rest[0]] & fits[rest[1]], a]
            held = np.bincount(firsts, minlength=PARTITIONS) > 0
            out[a].append(
                _Stack(
                    float(max(len(firsts), 1)),
                    float(max(held.sum(), 1)),
                    float(max((held & alive[a, s]).sum(), 1)),
                    len(mask_orders(blocks[rest][:, s].transpose(2, 0, 1))),
                    orders,
                    sum(float(alive[n, s].sum()) / kept[n][s] for n in rest),
                )
            )
    return out


def _pairs(groups: list[list[int]]) -> float:
    """Orbits of pairs of partitions under relabelling, roughly."""
    return PARTITIONS**2 / prod(factorial(len(group)) for group in groups) + 20.0


def _nanoseconds(
    p: _Stack, q: _Stack, t: _Stack, groups: list[list[int]], frame: list[list[int]],
    rows: float,
) -> float:  # fmt: skip
    """Time of one core for the sums; with `rows` row structures to look at for each pair."""
    share = (p.living / PARTITIONS) * (q.living / PARTITIONS)
    pairs = max(_pairs(groups) * share / (p.orders * q.orders), 1.0)
    share = (p.partitions / PARTITIONS) * (q.partitions / PARTITIONS)
    orbits = max(_pairs(frame) * share / (p.frame * q.frame), 1.0)
    pairs, orbits = max(pairs, 1.0), min(orbits, pairs)
    products = (p.structures / p.partitions) * (q.structures / q.partitions)
    wanted = t.living / t.orders * pairs / orbits / (t.partitions / t.frame)
    dots = t.structures / t.frame * min(wanted, 1.0)
    padded = STEP * np.ceil(products / STEP)
    one = dots * (DOT + padded / MADDS) + ENTRY * products * t.classes
    return float(orbits * one + pairs * (2 * IMAGE * t.living / t.orders + ROWS * rows))


@lru_cache(maxsize=8)
def _ways(singles: bytes, transposed: bool) -> dict[tuple[int, int, bool], float]:
    """Predicted nanoseconds of all roles in one orientation: by band a, stack t, marginals."""
    relaxed = relax(np.frombuffer(singles, dtype=np.uint16))
    blocks = as_blocks(relaxed, transposed)
    stacks = _stacks(blocks)
    groups = digit_classes(relaxed)
    out = {}
    for a in range(3):
        rest = [n for n in range(3) if n != a]
        frame = digit_classes(blocks[rest].reshape(-1))
        held = (blocks[a] & (blocks[a] - 1)) == 0
        rows = 94080 / 36 / 3.0 ** held.sum()
        for t in range(3):
            p, q = (stacks[a][s] for s in range(3) if s != t)
            wide = 216 * stacks[a][t].living / PARTITIONS / stacks[a][t].orders
            for marginals in (False, True):
                more = rows * (1 + wide / 5) if marginals else 0.0
                out[a, t, marginals] = _nanoseconds(p, q, stacks[a][t], groups, frame, more)
    return out


def _best(key: bytes, way: bool, band: int, marginals: bool) -> tuple[float, int, int]:
    """Nanoseconds, band a and stack t of the best roles with an outermost band."""
    return min((_ways(key, way)[band, t, marginals], band, t) for t in range(3))


def best_roles(
    singles: NDArray[np.uint16],
    *,
    outer: int | None = None,
    transposed: bool | None = None,
    marginals: bool = False,
) -> tuple[bool, int, int, float]:
    """Orientation, band a and stack t of the least predicted time.

    Args:
        singles: 81 masks with singles placed.
        outer: the outermost band, if it has to be this one.
        transposed: the orientation, if it has to be this one.
        marginals: whether block fillings are summed, too.

    Returns:
        (transposed, a, t, nanoseconds of one core)
    """
    key = np.ascontiguousarray(singles).tobytes()
    ways = (False, True) if transposed is None else (transposed,)
    bands = range(3) if outer is None else (outer,)
    cost, a, t, way = min((*_best(key, w, band, marginals), w) for w in ways for band in bands)
    return way, a, t, cost


def bands_to_sum(singles: NDArray[np.uint16]) -> tuple[bool, list[int]]:
    """The bands whose marginals have to be summed, and the orientation that they are bands of.

    Rows of a band that have equal masks may change places, and so may bands whose rows all have.
    The marginals of bands of one such kind are equal in all rows: they are what the other bands
    leave of each column, in equal parts. Of the ways to leave out one kind, or none, this is the
    one of the least predicted time.

    Args:
        singles: 81 masks with singles placed.
    """
    key = np.ascontiguousarray(singles).tobytes()
    square = relax(singles).reshape(9, 9)
    found: list[tuple[float, bool, list[int]]] = []
    for way in (False, True):
        rows = [row.tobytes() for row in (square.T if way else square)]
        kinds = {rows[3 * n] for n in range(3) if len(set(rows[3 * n : 3 * n + 3])) == 1}
        for kind in (None, *sorted(kinds)):
            summed = [n for n in range(3) if set(rows[3 * n : 3 * n + 3]) != {kind}]
            cost = sum(_best(key, way, band, True)[0] for band in summed)
            found.append((cost, way, summed))
    _, way, summed = min(found)
    return way, summed
