"""One hard board shared out: parts of its outermost sums, which add up to the whole.

A sum over pairs of the outermost band's partitions is cut into parts of about equal work. All parts
of one sum need the same tables; a process makes them for the first of its parts and keeps them, the
last one's only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.bandset import MEMORY_LIMIT
from bddsudoku.engine.bands.marginals import band_marginals, completed
from bddsudoku.engine.bands.masks import as_masks, place_singles
from bddsudoku.engine.bands.parallel import Team
from bddsudoku.engine.bands.parts import fitting_plans
from bddsudoku.engine.bands.roles import bands_to_sum
from bddsudoku.engine.bands.sums import Prepared, prepare, sum_pairs
from bddsudoku.limits import Limits

__all__ = ["Part", "Shared", "share_out", "summed"]

Told = tuple[int, "NDArray[Any] | None"]
"""Solutions, and with marginals (3, 9, 9) Python ints: rows, columns and digits of the band."""


@dataclass(frozen=True)
class Part:
    """A part of one of a board's sums; the same in every process.

    Attributes:
        masks: 81 candidate masks, uint16.
        memory: bytes for the process.
        outer: the outermost band of marginals; None for a count.
        transposed: the orientation of marginals; None for a count.
        plan: number of the plan, where memory makes it several.
        number, of: which part of the plan's sum.
    """

    masks: bytes
    memory: int
    outer: int | None
    transposed: bool | None
    plan: int
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
    """

    parts: tuple[Part, ...]
    marginals: bool
    way: bool = False
    bands: tuple[int, ...] = field(default=())

    def count(self, told: Iterable[Told]) -> int:
        """The number of solutions, from what the parts tell, in any order."""
        return sum(total for total, _ in told)

    def whole(self, told: Sequence[tuple[Part, Told]]) -> NDArray[Any]:
        """The marginals, [row, column, digit - 1], from the parts in any order."""
        out = np.zeros((9, 9, 9), dtype=object)
        totals = dict.fromkeys(self.bands or (None,), 0)
        for part, (total, band) in told:
            totals[part.outer] += total
            if part.outer is not None and band is not None:
                out[3 * part.outer : 3 * part.outer + 3] += band
        if len(set(totals.values())) != 1:
            raise AssertionError(f"the sums of a board's bands do not agree: {totals}")
        return completed(out, next(iter(totals.values())), self.way, self.bands)


def share_out(
    masks: NDArray[np.uint16], parts: int, memory: int | None = None, *, marginals: bool = False
) -> Shared:
    """Cut the sums of a board into parts.

    Args:
        masks: 81 candidate masks.
        parts: at least so many, while there are pairs.
        memory: bytes for each process; by default :data:`.bandset.MEMORY_LIMIT`.
        marginals: whether these are wanted, or the number alone.

    Raises:
        LimitReached: the memory limit does not suffice.

    Cost: the plans, some 0.1 s for each sum.
    """
    singles = place_singles(as_masks(masks))
    if singles is None:
        return Shared((), marginals)
    key, room = singles.tobytes(), MEMORY_LIMIT if memory is None else memory
    way, bands = bands_to_sum(singles) if marginals else (False, [])
    sums: list[tuple[int | None, bool | None, int]] = []
    for outer in bands or [None]:
        turned = way if outer is not None else None
        plans = fitting_plans(
            singles, room, 1, marginals=outer is not None, outer=outer, transposed=turned
        )
        sums += [(outer, turned, number) for number, _ in enumerate(plans)]
    of = -(-parts // max(len(sums), 1))
    found = tuple(
        Part(key, room, outer, turned, plan, number, of)
        for outer, turned, plan in sums
        for number in range(of)
    )
    return Shared(found, marginals, way, tuple(bands))


_making = threading.Lock()
"""Two threads of one process do not make the same tables twice."""


@lru_cache(maxsize=1)
def _prepared(
    masks: bytes, memory: int, outer: int | None, transposed: bool | None, plan: int
) -> Prepared:
    singles = np.frombuffer(masks, dtype=np.uint16)
    plans = fitting_plans(
        singles, memory, 1, marginals=outer is not None, outer=outer, transposed=transposed
    )
    found, _ = next(islice(plans, plan, None))
    return prepare(found, Team())


def summed(part: Part, limits: Limits) -> Told:
    """What a part adds to the whole.

    Raises:
        LimitReached: the time is used up.

    Cost: the tables (0.1 to 1 s) for the first part of a sum in a process, then its share.
    """
    with _making:
        tables = _prepared(part.masks, part.memory, part.outer, part.transposed, part.plan)
    counting = part.outer is None
    found = sum_pairs(tables, Team(), limits.watch(), not counting, part=(part.number, part.of))
    return found.total, None if counting else band_marginals(found)
