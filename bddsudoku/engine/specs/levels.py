"""The levels of a model: what is decided one after the other (:mod:`bddsudoku.model.ordering`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.model.ordering import usual_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model.model import Model


@dataclass(frozen=True)
class Levels:
    """A model's variables, level by level.

    Attributes:
        sequence: int64 (variables,); positions in ``Model.variables``, level by level.
        first: int32 (levels + 1,); where each level's variables begin in ``sequence``.
        item: int64 (levels,); number of the level's constraint, -1 for a lone variable.
        level_of: int64 (variables,); the level of each variable.
        uncoverable: some constraint wants a variable and has none.
    """

    sequence: NDArray[np.int64]
    first: NDArray[np.int32]
    item: NDArray[np.int64]
    level_of: NDArray[np.int64]
    uncoverable: bool

    def __len__(self) -> int:
        return len(self.item)

    def groups(self) -> list[tuple[int, ...]]:
        """The positions of each level's variables."""
        ends = self.first.tolist()
        every = self.sequence.tolist()
        return [tuple(every[a:b]) for a, b in pairwise(ends)]


def levels_of(model: Model, order: Sequence[int] | None = None) -> Levels:
    """The levels of a model in an order.

    Args:
        model: a model under ``candidates`` or ``singles``.
        order: numbers of levels, every "exactly one" constraint once ("at most one" constraints
            may be there and are no levels); lone variables that it leaves out come last. By
            default :func:`bddsudoku.model.ordering.usual_order`.

    Raises:
        ModelError: the order names something twice or leaves a constraint out.
    """
    items = model.items
    given = list(usual_order(model)) if order is None else [int(number) for number in order]
    lone = set(model.loose)
    numbers = np.array(given, np.int64).reshape(-1)
    inside = (numbers >= 0) & (numbers < items.items)
    known = len(set(given)) == len(given) and all(
        n - items.items in lone for n in numbers[~inside].tolist()
    )
    if not known:
        raise ModelError("an item order names every item of the cover once")
    left_out = items.primary - np.count_nonzero(inside & (numbers < items.primary))
    if left_out:
        raise ModelError(f"the item order leaves out {left_out} of {items.primary} items")
    rest = sorted({items.items + v for v in lone} - set(given))
    numbers = np.concatenate([numbers, np.array(rest, np.int64)])
    levels = numbers[(numbers < items.primary) | (numbers >= items.items)]

    rank = np.full(items.items, len(levels), np.int64)
    first = np.full(items.options, len(levels), np.int64)
    places = np.arange(len(levels))
    exact = levels < items.primary
    rank[levels[exact]] = places[exact]
    first[levels[~exact] - items.items] = places[~exact]
    owner = np.repeat(np.arange(items.options), np.diff(items.indptr))
    np.minimum.at(first, owner, rank[items.indices])
    sequence = np.lexsort((np.arange(items.options), first))
    ranks, of_sorted = np.unique(first[sequence], return_inverse=True)
    level_of = np.empty(items.options, np.int64)
    level_of[sequence] = of_sorted
    starts = np.searchsorted(first[sequence], ranks)
    number_of = levels[ranks]
    covered = np.zeros(items.items, bool)
    covered[items.indices] = True
    return Levels(
        sequence,
        np.append(starts, items.options).astype(np.int32),
        np.where(number_of < items.items, number_of, -1),
        level_of,
        not bool(covered[: items.primary].all()),
    )
