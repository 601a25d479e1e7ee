"""What bands b and c leave alone: completions are the same for more pairs than solutions are.

The completions W(a_p, a_q, a_t) of a filling of band a know of that band nothing but its column
partitions: hints of band a have no say in them. So W is kept by every relabelling of digits, and
by every permutation of columns, that leaves the masks of the bands b and c alone, which are more
than those of the whole board. This group is the *frame*. W is taken for one pair (a_p, a_q) of
each of its orbits; a *member* of the orbit is a pair of living partitions (one of each orbit under
the symmetries of the board), with the relabelling that takes it to the orbit's representative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.blocks import Grid, mask_orders
from bddsudoku.engine.bands.masks import digit_classes
from bddsudoku.engine.bands.orbits import PairOrbits, canonical_pairs
from bddsudoku.engine.bands.tables import FULL, PARTITIONS, tables

__all__ = ["Frame", "Members", "members_of", "without_band"]


def without_band(masks: NDArray[np.uint16], band: int, transposed: bool) -> NDArray[np.uint16]:
    """81 masks with all candidates in a band (a stack, if transposed)."""
    square = masks.reshape(9, 9).copy()
    piece = slice(3 * band, 3 * band + 3)
    if transposed:
        square[:, piece] = FULL
    else:
        square[piece] = FULL
    return square.reshape(81)


@dataclass(frozen=True)
class Frame:
    """Symmetries of the bands b and c, and the partitions of stack t up to them.

    Attributes:
        grid: the blocks as the bands b and c allow them.
        groups: interchangeable digits.
        orders: column permutations of each stack.
        t_reps: partitions a_t, one per orbit of stack t's column permutations.
        t_place: (1680,) int32, place in `t_reps` of each partition's orbit; none for dead ones.
        own: whether they are the symmetries of the whole board.
    """

    grid: Grid
    groups: list[list[int]]
    orders: list[NDArray[np.int64]]
    t_reps: NDArray[np.int64]
    t_place: NDArray[np.int32]
    own: bool

    @classmethod
    def of(cls, grid: Grid, others: Grid | None, band: int, t: int) -> Frame:
        """The frame of a band.

        Args:
            grid: the whole board.
            others: the same, with all candidates in that band; None for the board's own
                symmetries, whose tables are smaller.
            band: the outermost band.
            t: the stack of the dot products.
        """
        rest = [n for n in range(3) if n != band]
        groups = digit_classes(grid.masks.reshape(-1))
        orders = [grid.column_orders(s) for s in range(3)]
        held = grid
        if others is not None:
            wider = digit_classes(others.masks[rest].reshape(-1))
            more = [mask_orders(others.masks[rest][:, s].transpose(2, 0, 1)) for s in range(3)]
            if len(wider) < len(groups) or any(
                len(mine) > len(own) for mine, own in zip(more, orders, strict=True)
            ):
                groups, orders, held = wider, more, others
        canonical = tables().reorder[orders[t]].min(axis=0)
        alive = held.columns[band, t] & (canonical == np.arange(PARTITIONS))
        t_reps = np.nonzero(alive)[0]
        t_place = np.searchsorted(t_reps, canonical).astype(np.int32)
        return cls(held, groups, orders, t_reps, t_place, held is grid)


@dataclass(frozen=True)
class Members:
    """Orbits of a frame that have living pairs.

    Attributes:
        firsts, seconds: (n,) int32, partition numbers of the representatives.
        ptr: (n + 1,) int64, where the members of each begin.
        pairs: (m,) int64, the members as places in the board's own :class:`PairOrbits`.
        relabel: (m, 9) uint8, which digit of the representative each digit of a member becomes.
    """

    firsts: NDArray[np.int32]
    seconds: NDArray[np.int32]
    ptr: NDArray[np.int64]
    pairs: NDArray[np.int64]
    relabel: NDArray[np.uint8]


def members_of(
    orbits: PairOrbits,
    frame: Frame,
    p: int,
    q: int,
    run: Callable[[Callable[..., None], list[tuple[Any, ...]]], None],
) -> Members:
    """Sort the pairs of a board into the orbits of a frame."""
    size = len(orbits.firsts)
    if frame.own:
        ptr = np.arange(size + 1)
        same = np.tile(np.arange(9, dtype=np.uint8), (size, 1))
        return Members(orbits.firsts, orbits.seconds, ptr, ptr[:-1], same)
    keys, relabel = canonical_pairs(
        orbits.firsts,
        orbits.seconds,
        frame.orders[p],
        frame.orders[q],
        frame.groups,
        run,
        relabel=True,
    )
    order = np.argsort(keys, kind="stable")
    reps, sizes = np.unique(keys, return_counts=True)
    return Members(
        (reps % PARTITIONS).astype(np.int32),
        (reps // PARTITIONS).astype(np.int32),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        order.astype(np.int64),
        np.ascontiguousarray(relabel[order]),
    )
