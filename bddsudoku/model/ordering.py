"""Level orders for compiling a model's diagram.

A *level* is one choice: an "exactly one" constraint with those of its variables that are in no
earlier level, or an unconstrained variable. An order lists levels by number: item ``i`` of the
model's matrix (:attr:`.Model.one_hot_matrix`) is ``i``; unconstrained variable ``v`` is
``items + v``. The heuristics here know nothing of the puzzle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.model.allocation import forward_check
from bddsudoku.model.model import Model, Orders, Origin, PuzzleDefinition

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64

_MAX_LEVELS = 3000
"""Number of levels beyond which a heuristic order costs more time than it could save."""


def default_order(model: Model) -> tuple[int, ...]:
    """The default order of a model's levels, by the position of their first variables.

    The levels of an exact-cover problem are in the order of its constraints.
    """
    items = model.one_hot_matrix
    if not model.variables_outside_exact_items:
        return tuple(range(items.primary))
    first = np.full(items.items, len(model.variables), np.int64)
    np.minimum.at(first, items.indices, items.option_of)
    named = [(int(first[i]), i) for i in range(items.primary)]
    named += [(v, items.items + v) for v in model.variables_outside_exact_items]
    return tuple(number for _, number in sorted(named))


def variable_constraint_pairs(model: Model) -> I64:
    """All pairs of a variable and a nontrivial constraint on it, as an array with two columns.

    Constraints are numbered by their positions among the nontrivial ones.
    """
    live = [c for c in model.constraints if not c.is_trivial]
    pairs = [(v, i) for i, c in enumerate(live) for v in c.variables]
    return np.array(pairs, np.int64).reshape(-1, 2)


def heuristic_orders(model: Model) -> dict[str, tuple[int, ...]]:
    """Heuristic orders of a model's levels: ``model``, ``reversed``, ``greedy``, ``spread``.

    ``greedy`` is :func:`greedy_order`; ``spread`` is the breadth-first order of Cuthill and McKee
    (1969) on the graph of levels that share a constraint.
    Cost: levels² times constraints for the greedy one, in numpy; it is omitted for large models.
    """
    usual = default_order(model)
    if not 3 <= len(usual) <= _MAX_LEVELS:
        return {"model": usual}
    matrix = _level_constraint_matrix(model, usual)
    found = {"model": usual, "reversed": usual[::-1]}
    found["spread"] = tuple(usual[i] for i in _cuthill_mckee_order(matrix))
    if len(usual) * matrix.size <= 2e9:
        found["greedy"] = tuple(usual[i] for i in greedy_order(matrix))
    return found


def _level_constraint_matrix(model: Model, order: tuple[int, ...]) -> I32:
    """A matrix of how many variables a level (row) and a nontrivial constraint (column) share."""
    items = model.one_hot_matrix
    pairs = variable_constraint_pairs(model)
    level_of = np.full(len(model.variables), len(order), np.int64)
    place = {number: at for at, number in enumerate(order)}
    for v, item in zip(items.option_of.tolist(), items.indices.tolist(), strict=True):
        level_of[v] = min(level_of[v], place.get(item, len(order)))
    for v in model.variables_outside_exact_items:
        level_of[v] = place[items.items + v]
    columns = int(pairs[:, 1].max(initial=-1)) + 1
    matrix = np.zeros((len(order), columns), np.int32)
    np.add.at(matrix, (level_of[pairs[:, 0]], pairs[:, 1]), 1)
    return matrix


def greedy_order(incidence: I32) -> list[int]:
    """The order that at each step takes the level after which the fewest constraints are active.

    A constraint is active while it has variables both among the levels taken and among the others.

    Args:
        incidence: number of variables that a level (row) and a constraint (column) share.
    """
    total = incidence.sum(axis=0)
    passed = np.zeros_like(total)
    left = np.ones(len(incidence), bool)
    order: list[int] = []
    for _ in range(len(incidence)):
        after = passed + incidence
        half = ((after > 0) & (after < total)).sum(axis=1)
        level = int(np.argmin(np.where(left, half, incidence.shape[1] + 1)))
        order.append(level)
        left[level] = False
        passed = passed + incidence[level]
    return order


def _cuthill_mckee_order(incidence: I32) -> list[int]:
    """The order of Cuthill and McKee: breadth first from a level of least degree."""
    touched = (incidence > 0).astype(np.float32)
    near = touched @ touched.T > 0
    degree = near.sum(axis=1)
    left = set(range(len(incidence)))
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


@dataclass(frozen=True)
class DefinitionOrigin(Origin):
    """The origin of a model whose puzzle has a definition but advises no orders of its own.

    Attributes:
        definition: the puzzle's definition.
    """

    definition: PuzzleDefinition

    def puzzle_definition(self) -> PuzzleDefinition:
        """Return the puzzle's definition for the brute-force count."""
        return self.definition

    def item_orders(self, model: Model) -> Orders:
        """The default order, named ``model``, of an exact-cover problem; otherwise no order."""
        return {} if model.why_no_cover is not None else {"model": default_order(model)}


def item_orders(model: Model) -> Orders:
    """Named item orders to try for a model: those of its puzzle, or else heuristic ones."""
    return model.cached(_uncached_item_orders)


def _uncached_item_orders(model: Model) -> Orders:
    return model.origin.item_orders(model) or heuristic_orders(model)


def item_order(model: Model, name: str) -> Sequence[int]:
    """Find an item order by name, first among the puzzle's orders, then among the heuristic ones.

    Raises:
        ModelError: there is no such order.
    """
    found = model.origin.item_order(model, name)
    if found is not None:
        return found
    known = heuristic_orders(model)
    if name not in known:
        raise ModelError(f"no item order is called {name!r}; there are {', '.join(known)}")
    return known[name]


def orders_for_value_symmetry(model: Model) -> Orders:
    """Item orders to try, by name, for counts that use value symmetry (interchangeable values).

    Returns:
        Name → positions in ``model.original.constraints`` of "exactly one" constraints.
    """
    every = model.original
    base = forward_check(every)  # its constraints keep their positions
    restricting = [*every.other_constraints, *(c for c in every.one_hots if c.total < 1)]
    marked = {key for key, _ in model.assumptions}
    marked |= {every.variables[v].key for c in restricting for v in c.variables}
    of = base.one_hot_matrix.constraint_of.tolist()
    orders = model.origin.orders_for_value_symmetry(base, sorted(marked)) or item_orders(base)
    return {
        name: tuple(of[i] for i in order if i < base.one_hot_matrix.primary)
        for name, order in orders.items()
    }
