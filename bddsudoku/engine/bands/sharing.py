"""One hard board shared out: parts of its outermost sums, which add up to the whole.

A sum over pairs of the outermost band's partitions is cut into pieces of about equal work. Where
symmetries leave few pairs to visit, what is summed for each of them, the band's partitions in the
third stack, is cut, too. All parts of one sum need the same tables; a process makes them for the
first of its parts and keeps them, the last one's only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Context
from bddsudoku.engine.bands.marginals import Images, band_marginals, completed
from bddsudoku.engine.bands.masks import as_masks, place_singles
from bddsudoku.engine.bands.plan import allowed_memory, bands_to_sum, fitting_plans, make_plan
from bddsudoku.engine.bands.sums import Prepared, Team, prepare, sum_pairs

FINE = 4
"""Pieces of the work for each part."""

Summed = tuple[int, "NDArray[Any] | None"]
"""Solutions, and with marginals the block fillings gathered
(:attr:`bddsudoku.engine.bands.marginals.Gathered.blocks`)."""


@dataclass(frozen=True)
class Part:
    """A part of one of a board's sums; the same in every process.

    Attributes:
        masks: 81 candidate masks of the sum's plan, uint16.
        outer, transposed, framed: of the plan (see :func:`.plan.make_plan`).
        marginals: whether those of the outermost band are wanted.
        number, of: which part of the plan's sum.
    """

    masks: bytes
    outer: int
    transposed: bool
    framed: bool
    marginals: bool
    number: int
    of: int


@dataclass(frozen=True)
class Shared:
    """A board's parts, and how they are put together.

    Attributes:
        parts: what has to be summed.
        marginals: whether these are wanted.
        way: orientation of the bands.
        bands: those whose marginals are summed.
        images: with marginals, what the sums leave out: by masks and outermost band of the parts.
    """

    parts: tuple[Part, ...]
    marginals: bool
    way: bool = False
    bands: tuple[int, ...] = ()
    images: Mapping[tuple[bytes, int], Images] = field(default_factory=dict)

    def count(self, told: Iterable[Summed]) -> int:
        """The number of solutions, from what the parts tell, in any order."""
        return sum(total for total, _ in told)

    def whole(self, told: Sequence[tuple[Part, Summed]]) -> NDArray[Any]:
        """The marginals, [row, column, digit - 1], from the parts in any order."""
        out = np.zeros((9, 9, 9), dtype=object)
        totals: dict[int, int] = {}
        sums: dict[tuple[bytes, int], NDArray[Any]] = {}
        for part, (total, blocks) in told:
            outer = part.outer if part.marginals else -1
            totals[outer] = totals.get(outer, 0) + total
            if blocks is not None:
                plan = part.masks, outer
                sums[plan] = sums[plan] + blocks if plan in sums else blocks
        for plan, blocks in sums.items():
            band = slice(3 * plan[1], 3 * plan[1] + 3)
            out[band] += band_marginals(self.images[plan], blocks)
        if len(set(totals.values())) > 1:
            raise AssertionError(f"the sums of a board's bands do not agree: {totals}")
        return completed(out, next(iter(totals.values()), 0), self.way, self.bands)


def share_out(
    masks: NDArray[np.uint16], parts: int, memory: int | None = None, *, marginals: bool = False
) -> Shared:
    """Cut the sums of a board into parts.

    Args:
        masks: 81 candidate masks.
        parts: at least so many, while there are pairs.
        memory: bytes for each process; by default as for :class:`.bandset.BandSet`.
        marginals: whether these are wanted, or the number alone.

    Raises:
        LimitReached: the memory limit does not suffice.

    Cost: the plans, some 0.1 s for each sum.
    """
    singles = place_singles(as_masks(masks))
    if singles is None:
        return Shared((), marginals)
    room = allowed_memory(memory)
    way, bands = bands_to_sum(singles) if marginals else (False, [])
    outermost: list[int | None] = [*bands] or [None]
    plans: list[tuple[bytes, int, bool, bool]] = []
    images: dict[tuple[bytes, int], Images] = {}
    for outer in outermost:
        for plan, _ in fitting_plans(
            singles,
            room,
            1,
            marginals=outer is not None,
            outer=outer,
            transposed=way if outer is not None else None,
        ):
            roles = plan.roles
            key = plan.singles.tobytes()
            plans.append((key, roles.a, roles.transposed, not plan.frame.own))
            if bands:
                images[key, roles.a] = Images.of(plan)
    of = -(-parts // max(len(plans), 1))
    found = tuple(Part(*plan, bool(bands), number, of) for plan in plans for number in range(of))
    return Shared(found, marginals, way, tuple(bands), images)


_making = threading.Lock()
"""Two threads of one process do not make the same tables twice."""


@lru_cache(maxsize=1)
def _prepared(
    masks: bytes, outer: int, transposed: bool, framed: bool, marginals: bool
) -> Prepared:
    plan = make_plan(
        np.frombuffer(masks, dtype=np.uint16),
        outer=outer,
        transposed=transposed,
        marginals=marginals,
        framed=framed,
    )
    return prepare(plan, Team(), marginals=marginals)


def summed(part: Part, context: Context) -> Summed:
    """What a part adds to the whole.

    Raises:
        LimitReached: the time is used up.

    Cost: the tables (0.1 to 1 s) for the first part of a sum in a process, then its share.
    """
    with _making:
        tables = _prepared(part.masks, part.outer, part.transposed, part.framed, part.marginals)
    pieces = tables.pairs.cut(FINE * part.of)
    size, slices = len(pieces), 1
    if size < part.of:
        slices = min(-(-FINE * part.of // size), len(tables.halves))
    total, blocks = 0, None
    for n in range(slices):
        if slices == 1:
            mine = pieces[part.number :: part.of]
        else:  # few slices for each part: every one takes some preparation
            first = n * size
            mine = [
                piece
                for k, piece in enumerate(pieces, first)
                if k * part.of // (slices * size) == part.number
            ]
        if not mine:
            continue
        where = np.concatenate([np.arange(piece.start, piece.stop) for piece in mine])
        some = np.ascontiguousarray(tables.halves[n::slices])
        wanted = replace(tables, pairs=tables.pairs[where], halves=some)
        found = sum_pairs(wanted, Team(), context.silent.report)
        total += found.total
        if part.marginals:
            blocks = found.blocks if blocks is None else blocks + found.blocks
    return total, blocks
