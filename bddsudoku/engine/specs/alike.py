"""Which colours are alike from a level on, and the order in which they stand in a state.

Two colours are alike at a level when exchanging them maps what is left of the model to itself, up
to what states say: they have the same houses, may come to the same places, and every machine reads
them alike. A hint counts as long as it lies ahead; once it has been passed, the houses that it
fills say all that follows from it. So colours that are alike stay so, and those that are can stand
next to each other on all levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model.colours import Colouring
    from bddsudoku.model.machine import Machine

__all__ = ["Alike", "alike", "machine_columns"]


@dataclass(frozen=True, eq=False)
class Alike:
    """Classes of colours by level.

    Attributes:
        order: the colours, so that every class of every level is a range.
        low: int32 (levels + 1, colours); where the class of the colour at a position begins,
        high: int32 (levels + 1, colours); and ends.
        open: bool (levels, colours); whether the colour at a position may be chosen at the level,
            as far as states do not say.
    """

    order: tuple[int, ...]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    open: NDArray[np.bool_]

    @property
    def most(self) -> int:
        """Colours of the largest class on any level but the last."""
        return int((self.high - self.low)[:-1].max(initial=1))


def machine_columns(
    made: Machine, groups: Sequence[tuple[int, ...]], colour_of: Sequence[int], colours: int
) -> list[NDArray[np.int64]]:
    """For each layer of a machine the column that it reads when a colour is chosen."""
    out = []
    for layer, place in enumerate(made.places):
        column_of = {v: k for k, v in enumerate(made.levels[layer], 1)}
        columns = np.zeros(colours, np.int64)
        for v in groups[place]:
            columns[colour_of[v]] = column_of.get(v, 0)
        out.append(columns)
    return out


def alike(
    colouring: Colouring,
    sequence: Sequence[int],
    machines: Sequence[tuple[Machine, Sequence[NDArray[np.int64]]]],
) -> Alike:
    """The classes of a colouring.

    Args:
        colouring: of a model.
        sequence: its places in the order of the levels.
        machines: of the crossing constraints over these levels, each with its columns
            (:func:`machine_columns`).

    Cost: levels² times colours, in numpy.
    """
    levels, colours = len(sequence), colouring.colours
    level_of = np.empty(levels, np.int64)
    level_of[list(sequence)] = np.arange(levels)
    closed = ~colouring.allowed[list(sequence)]
    given = colouring.given[list(sequence)]
    for level in np.flatnonzero(given >= 0).tolist():
        closed[level] |= np.arange(colours) != given[level]
    houses = [np.sort(level_of[list(house)]) for house in colouring.houses]
    last = [int(house[-1]) for house in houses]
    at: list[list[int]] = [[] for _ in range(levels)]
    for number, house in enumerate(houses):
        for level in house.tolist():
            at[level].append(number)
    # what tells colours apart when a level is reached from below: rows of marks
    marks: list[list[bytes]] = [[] for _ in range(levels)]
    for number, end in enumerate(last):
        kind = colouring.has[number].astype(np.uint8) + colouring.exact[number]
        marks[end].append(kind.astype(np.int64).tobytes())
    for made, columns in machines:
        for layer, place in enumerate(made.places):
            table = made.layers.tables[layer][:, columns[layer]]
            _, which = np.unique(table, axis=1, return_inverse=True)
            marks[place].append(np.asarray(which, np.int64).reshape(-1).tobytes())
    classes = np.zeros((levels + 1, colours), np.int64)
    ahead = np.zeros((levels, colours), bool)  # closed by a hint of this level or a later one
    opened = np.zeros((levels, colours), bool)
    for level in range(levels - 1, -1, -1):
        colour = int(given[level])
        if colour >= 0:
            for number in at[level]:
                if colouring.has[number, colour]:
                    ahead[houses[number][houses[number] != level], colour] = True
        shut = closed | ahead
        opened[level] = ~shut[level]
        # without a hint here nothing has changed for later levels
        new = shut[level:] if colour >= 0 else shut[level : level + 1]
        rows = [classes[level + 1], *(np.frombuffer(m, np.int64) for m in marks[level])]
        told = np.vstack([*rows, np.packbits(new, axis=0)]).T.tolist()
        seen: dict[tuple[int, ...], int] = {}
        classes[level] = [seen.setdefault(tuple(row), len(seen)) for row in told]
    order = np.lexsort(np.vstack([np.arange(colours), classes]))
    low = np.empty((levels + 1, colours), np.int32)
    high = np.empty((levels + 1, colours), np.int32)
    for level in range(levels + 1):
        row = classes[level][order]
        starts = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        sizes = np.diff(np.append(starts, colours))
        low[level] = np.repeat(starts, sizes)
        high[level] = np.repeat(starts + sizes, sizes)
    return Alike(tuple(order.tolist()), low, high, opened[:, order])
