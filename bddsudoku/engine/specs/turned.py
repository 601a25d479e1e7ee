"""Houses that are alike at a level of a colouring, such as columns with the same rows ahead.

Exchanging two of them maps the places ahead to each other, so that states whose bits are exchanged
can be completed in as many ways. What is asked of the places: every colour is allowed there, and
none was told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.specs.sorted_step import TurnParams

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model.colours import Colouring

__all__ = ["Turns", "turned_bits"]


@dataclass(frozen=True, eq=False)
class Turns:
    """Classes of alike bits by level.

    Attributes:
        params: for the step.
        named: bool (levels,); no house of the level's place has been exchanged by then.
        most: bits of the largest class; 1 where there is none.
    """

    params: TurnParams
    named: NDArray[np.bool_]
    most: int


def turned_bits(
    colouring: Colouring,
    sequence: Sequence[int],
    bit: NDArray[np.int64],
    alone: NDArray[np.bool_] | None,
) -> Turns:
    """The classes of a colouring's houses.

    Args:
        colouring: of a model.
        sequence: its places in the order of the levels.
        bit: int64 (houses,); the bit of each.
        alone: bool (houses,); whether the bit is no other house's; None to exchange nothing.

    Cost: some microseconds for every level, house and place of a house.
    """
    levels = len(sequence)
    level_of = {place: level for level, place in enumerate(sequence)}
    houses = [sorted(level_of[place] for place in house) for house in colouring.houses]
    of_level: list[set[int]] = [set() for _ in range(levels)]
    for f, house in enumerate(houses):
        for level in house:
            of_level[level].add(f)
    plain = (colouring.allowed.all(axis=1) & (colouring.given < 0))[list(sequence)].tolist()
    kind = [(colouring.has[f].tobytes(), colouring.exact[f].tobytes()) for f in range(len(houses))]
    usable = alone is not None and not colouring.crossing
    turns = np.zeros(levels + 2, np.int32)
    rest = np.full(levels + 1, ~np.uint64(0))
    named = np.ones(levels, bool)
    ends, bits, masks = [0], list[int](), list[int]()
    exchanged: set[int] = set()
    for level in range(levels):
        groups: dict[object, list[int]] = {}
        for f, house in enumerate(houses) if usable else ():
            if house[0] >= level or house[-1] < level or not alone[f]:  # type: ignore[index]
                continue
            ahead = [s for s in house if s >= level]
            if all(plain[s] for s in ahead):
                seen = Counter(frozenset(of_level[s] - {f}) for s in ahead)
                groups.setdefault((kind[f], frozenset(seen.items())), []).append(f)
        for group in groups.values():
            if len(group) > 1:
                exchanged.update(group)
                mine = sorted(int(bit[f]) for f in group)
                bits += mine
                ends.append(len(bits))
                masks.append(sum(1 << b for b in mine))
                rest[level] &= ~np.uint64(masks[-1])
        turns[level + 1] = len(masks)
        named[level] = exchanged.isdisjoint(of_level[level])
    turns[levels + 1] = len(masks)
    params = TurnParams(
        turns,
        np.array(ends, np.int32),
        np.array(bits or [0], np.int32),
        np.array(masks or [0], np.uint64),
        rest,
    )
    return Turns(params, named, int(np.diff(ends).max(initial=1)))
