"""Bringing two solution sets to common variables, and combining them there.

Sets of the same puzzle shape may come from different hints, allocations and engines: one knows a
variable as fixed that the other has on a level and a third does not know at all, and the levels
may stand in different orders. Both are lifted to the same list of variables first:

* what both have fixed stays fixed;
* a variable that only one set knows is false in all solutions of the other;
* a variable fixed in one set only becomes a level that is true throughout: one node on every arc
  that passes it (at the top, where it costs one node, if the other set does not know it);
* if the two orders contradict each other, the smaller diagram is reordered
  (:mod:`bddsudoku.solutions.reorder` tells the cost; everything else is linear). Mere comparisons
  look the members of the one set up in the other instead, as long as there are at most twenty
  million (some 2 microseconds each).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bddsudoku.solutions import product
from bddsudoku.solutions.counting import Counts
from bddsudoku.solutions.diagram import Diagram
from bddsudoku.solutions.reorder import merged_order, reorder
from bddsudoku.solutions.transform import lift

__all__ = ["Operand", "aligned", "are_disjoint", "combined", "is_subset"]

_SETS_TO_LIST = 20_000_000

_OPERATIONS = {
    "&": product.AND,
    "|": product.OR,
    "-": product.DIFFERENCE,
    "^": product.XOR,
}


class Operand(Protocol):
    """What has to be known of a set to combine it with another of the same space."""

    diagram: Diagram
    fixed: tuple[int, ...]

    @property
    def counts(self) -> Counts:
        """Counts below every node."""
        ...

    def count(self) -> int:
        """Number of solutions."""
        ...

    def members_in(self, other: Any) -> Iterator[NDArray[np.bool_]]:
        """For all solutions in order, batch by batch, which of them another set holds, too."""
        ...


def aligned(a: Operand, b: Operand) -> tuple[Diagram, Diagram, tuple[int, ...]]:
    """Both families over one list of variables, and what is true in all solutions of both."""
    shared = set(a.fixed) & set(b.fixed)
    labels_a, labels_b = a.diagram.labels.tolist(), b.diagram.labels.tolist()
    first, second = a.diagram, b.diagram
    if _weight(a) < _weight(b):
        order, agrees = merged_order(labels_b, labels_a)
        if not agrees:
            here = set(labels_a)
            first = reorder(first, [k for k in order if k in here], counts=a.counts)
    else:
        order, agrees = merged_order(labels_a, labels_b)
        if not agrees:
            here = set(labels_b)
            second = reorder(second, [k for k in order if k in here], counts=b.counts)
    known = set(order)
    alone = [k for k in (*a.fixed, *b.fixed) if k not in shared and k not in known]
    order = alone + order
    true_a = set(a.fixed) - shared
    true_b = set(b.fixed) - shared
    return lift(first, order, true_a), lift(second, order, true_b), tuple(sorted(shared))


def _weight(s: Operand) -> tuple[int, int]:
    """What reordering a set costs, roughly."""
    return min(s.count(), s.diagram.size * s.diagram.levels), s.diagram.size


def combined(a: Operand, b: Operand, operation: str) -> tuple[Diagram, tuple[int, ...]]:
    """Diagram and fixed variables of ``a & b``, ``a | b``, ``a - b`` or ``a ^ b``."""
    first, second, shared = aligned(a, b)
    return product.combine(first, second, _OPERATIONS[operation]), shared


def is_subset(a: Operand, b: Operand) -> bool:
    """Whether every solution of ``a`` is one of ``b``."""
    if a.fixed == b.fixed and a.diagram == b.diagram:
        return True
    if _lists_well(a, b):
        return all(found.all() for found in a.members_in(b))
    first, second, _ = aligned(a, b)
    return not product.holds_somewhere(first, second, product.DIFFERENCE)


def are_disjoint(a: Operand, b: Operand) -> bool:
    """Whether no solution is in both."""
    if b.count() < a.count():
        a, b = b, a
    if _lists_well(a, b):
        return not any(found.any() for found in a.members_in(b))
    first, second, _ = aligned(a, b)
    return not product.holds_somewhere(first, second, product.AND)


def _lists_well(a: Operand, b: Operand) -> bool:
    """Whether looking every member of ``a`` up in ``b`` beats bringing both to one order."""
    if a.count() > _SETS_TO_LIST or type(a) is not type(b):
        return False
    return not merged_order(a.diagram.labels.tolist(), b.diagram.labels.tolist())[1]
