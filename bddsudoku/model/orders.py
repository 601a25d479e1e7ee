"""Orders of a model's levels worth trying, for models of which nothing more is known.

A *level* is what is decided at once: an "exactly one" constraint with those of its variables that
no earlier level holds, or a lone variable that stands in no such constraint. Orders name levels by
numbers: constraint ``i`` of ``model.items`` is ``i``; lone variable ``v`` is ``items + v``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model.model import Model

__all__ = ["proposed_orders", "touches", "usual_order"]

_MANY = 3000
"""Levels beyond which looking at an order costs more than it could save."""


def usual_order(model: Model) -> tuple[int, ...]:
    """The order of the model itself: every level where its first variable stands.

    Pure covers go by their constraints, in the order in which they are given.
    """
    items = model.items
    if not model.loose:
        return tuple(range(items.primary))
    first = np.full(items.items, len(model.variables), np.int64)
    owner = np.repeat(np.arange(items.options), np.diff(items.indptr))
    np.minimum.at(first, items.indices, owner)
    named = [(int(first[i]), i) for i in range(items.primary)]
    named += [(v, items.items + v) for v in model.loose]
    return tuple(number for _, number in sorted(named))


def touches(model: Model) -> NDArray[np.int64]:
    """Which constraint touches which variable: pairs (variable, constraint), shape (any, 2).

    Constraints that have nothing left to say are passed over; numbers are positions among the
    others.
    """
    live = [c for c in model.constraints if not c.is_trivial]
    pairs = [(v, i) for i, c in enumerate(live) for v in c.variables]
    return np.array(pairs, np.int64).reshape(-1, 2)


def proposed_orders(model: Model) -> dict[str, tuple[int, ...]]:
    """Orders by name: ``model``, ``reversed``, ``greedy``, ``spread``.

    ``greedy`` always takes the level after which the fewest constraints are half done; ``spread``
    goes from neighbour to neighbour, away from a level at the rim (Cuthill and McKee, 1969).
    Cost: levels² times constraints for the greedy one, in numpy; it is left out where that
    is much.
    """
    usual = usual_order(model)
    if not 3 <= len(usual) <= _MANY:
        return {"model": usual}
    matrix = _uses(model, usual)
    found = {"model": usual, "reversed": usual[::-1]}
    found["spread"] = tuple(usual[i] for i in _spread(matrix))
    if len(usual) * matrix.size <= 2e9:
        found["greedy"] = tuple(usual[i] for i in _greedy(matrix))
    return found


def _uses(model: Model, order: tuple[int, ...]) -> NDArray[np.int32]:
    """How many variables of a level (row) each constraint (column) touches."""
    items = model.items
    pairs = touches(model)
    level_of = np.zeros(len(model.variables), np.int64)
    place = {number: at for at, number in enumerate(order)}
    owner = np.repeat(np.arange(items.options), np.diff(items.indptr))
    level_of[:] = len(order)
    for v, item in zip(owner.tolist(), items.indices.tolist(), strict=True):
        level_of[v] = min(level_of[v], place.get(item, len(order)))
    for v in model.loose:
        level_of[v] = place[items.items + v]
    columns = int(pairs[:, 1].max(initial=-1)) + 1
    matrix = np.zeros((len(order), columns), np.int32)
    np.add.at(matrix, (level_of[pairs[:, 0]], pairs[:, 1]), 1)
    return matrix


def _greedy(uses: NDArray[np.int32]) -> list[int]:
    total = uses.sum(axis=0)
    passed = np.zeros_like(total)
    left = np.ones(len(uses), bool)
    order: list[int] = []
    for _ in range(len(uses)):
        after = passed + uses
        half = ((after > 0) & (after < total)).sum(axis=1)
        level = int(np.argmin(np.where(left, half, uses.shape[1] + 1)))
        order.append(level)
        left[level] = False
        passed = passed + uses[level]
    return order


def _spread(uses: NDArray[np.int32]) -> list[int]:
    touched = (uses > 0).astype(np.float32)
    near = touched @ touched.T > 0
    degree = near.sum(axis=1)
    left = set(range(len(uses)))
    order: list[int] = []
    while left:
        queue = [min(left, key=lambda level: (degree[level], level))]
        left.discard(queue[0])
        for level in queue:
            found = [n for n in np.flatnonzero(near[level]).tolist() if n in left]
            left.difference_update(found)
            queue += sorted(found, key=lambda n: (degree[n], n))
        order += queue
    return order
