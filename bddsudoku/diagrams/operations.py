"""Bringing two solution sets to common variables, and combining them there.

Sets of the same puzzle shape may come from different hints, allocations and engines: one knows a
variable as fixed that the other has on a level and a third does not know at all, and the levels
may stand in different orders. Both are lifted to the same list of variables first:

* what both have fixed stays fixed;
* a variable that only one set knows is false in all solutions of the other;
* a variable fixed in one set only becomes a level that is true throughout: one node on every arc
  that passes it (at the top, where it costs one node, if the other set does not know it);
* if the two orders contradict each other, the smaller diagram is reordered
  (:mod:`bddsudoku.diagrams.reorder` tells the cost; everything else is linear). Mere comparisons
  look the members of the one set up in the other instead, as long as there are at most twenty
  million (some 2 microseconds each).

Minimal and maximal members of a family, and the sets that hit all of its members.

After Knuth, TAOCP 4A, section 7.1.4 (families of sets: f↑, f↓, "nonsupersets" f ↘ g and
"nonsubsets" f ↗ g), and for hitting sets T. Toda, "Fast compression of large-scale hypergraphs for
solving combinatorial problems" (DS 2013): first the BDD of all hitting sets, node by node, then its
least sets as a ZDD. Hitting sets of a family's hitting sets are its minimal members (Berge).

A diagram restricted by one more constraint: the product with its machine, top-down.

A state is a node and a state of the machine; equal ones are kept once, level by level, so the work
and the result are at most nodes times the machine's width. Nothing is built in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Check, Context
from bddsudoku.diagrams import apply as product
from bddsudoku.diagrams import stacked
from bddsudoku.diagrams.bdd import BddNodes, diagram_of_bdd
from bddsudoku.diagrams.canonical import I64, U8, U16, U32, mark_reachable
from bddsudoku.diagrams.counting import Counts
from bddsudoku.diagrams.reorder import merged_order, reorder
from bddsudoku.diagrams.transform import lift
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.to_mdd import machine

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


MAX_NODES = 1 << 27
"""Nodes that an operation may make, and calls whose results it may keep."""
_BYTES_A_NODE = 80


def minimal(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The members of which no other member is a part.

    Args:
        diagram: the family.

    Raises:
        LimitReached: one is reached.

    Cost: some 0.3 microseconds a pair of nodes that is looked at; often near linear, exponential
    in bad cases.
    """
    return _zdd(diagram, stacked.MINIMAL, 0, context)


def maximal(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The members that are part of no other member; as :func:`minimal`."""
    return _zdd(diagram, stacked.MAXIMAL, 0, context)


def hitting_sets(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The minimal sets of variables that have one in common with every member.

    The family without members is hit by the empty set; one that holds the empty set by none.
    Arguments, errors and cost as for :func:`minimal`.
    """
    return _zdd(diagram, stacked.HITS, stacked.LEAST, context)


def all_hitting_sets(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """All sets of the diagram's variables that have one in common with every member.

    Arguments, errors and cost as for :func:`minimal`. Variables that make no difference are free,
    which takes a node each.
    """
    variable, low, high, root = _calculated(diagram, stacked.HITS, 0, context)
    reached = np.zeros(len(low), dtype=np.uint8)
    mark_reachable(low, high, root, reached)
    reached[:2] = 1
    place = (np.cumsum(reached, dtype=np.int64) - 1).astype(np.uint32)
    kept = reached != 0
    nodes = BddNodes(variable[kept], place[low[kept]], place[high[kept]], int(place[root]))
    return diagram_of_bdd(diagram.labels, nodes)


def _zdd(diagram: Diagram, operation: int, then: int, context: Context) -> Diagram:
    variable, low, high, root = _calculated(diagram, operation, then, context)
    return Diagram.from_arrays(diagram.labels, variable, low, high, root, overwrite=True)


def _calculated(
    diagram: Diagram, operation: int, then: int, context: Context
) -> tuple[U16, U32, U32, int]:
    """The kernel's store and the root in it."""
    context.check()
    most = MAX_NODES if context.nodes is None else min(context.nodes, MAX_NODES)
    if context.memory is not None:
        most = min(most, context.memory // _BYTES_A_NODE)
    d = diagram
    room = np.zeros(1024, dtype=np.uint8)
    variable, low, high = (
        np.concatenate((a, room), dtype=a.dtype) for a in (d.variable, d.low, d.high)
    )
    with _raised_in_time(context) as stop:
        out = stacked.calculate(variable, low, high, d.size, d.root, operation, then, most, stop)
    if out[3] == stacked.STOPPED:
        raise context.reached("in an operation on a family")
    if out[3] == stacked.FULL:
        raise LimitReached(
            f"an operation on a diagram of {d.size - 2} nodes takes more than {most} nodes",
            limit="nodes",
            details={"nodes": most},
        )
    return out


@contextmanager
def _raised_in_time(context: Context) -> Iterator[U8]:
    """A flag that a second thread raises when the time is used up."""
    stop = np.zeros(1, dtype=np.uint8)
    left = context.left
    if left is None:
        yield stop
        return
    timer = Timer(left, stop.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


def demanded(
    diagram: Diagram,
    fixed: Iterable[int],
    constraint: Constraint,
    check: Check = lambda size: None,
) -> Diagram:
    """The sets of a diagram that satisfy a constraint.

    Args:
        diagram: the family.
        fixed: keys that are true in every set and no variables of the diagram.
        constraint: over keys instead of positions: ``variables`` names keys. Those that are
            neither in the diagram nor fixed are false.
        check: called at every level with the bytes taken more; may raise.

    Raises:
        LimitReached: the constraint's machine is too wide; the message names it.
    """
    level_of = {int(key): level for level, key in enumerate(diagram.labels)}
    always = set(fixed)
    known = {key: key in always for key in constraint.variables if key not in level_of}
    # Keys may ascend in another order than the diagram's levels.
    rest = constraint.restrict(known).renumber(level_of)
    verdict = rest.verdict
    if verdict is not None:
        return diagram if verdict else Diagram.empty(diagram.labels)
    made = machine(rest, [[level] for level in rest.variables], check=check)
    if made.layers.is_empty:
        return Diagram.empty(diagram.labels)
    tables = dict(zip(rest.variables, made.layers.tables, strict=True))
    return _product(diagram, tables, check)


def _product(diagram: Diagram, tables: Mapping[int, NDArray[np.int32]], check: Check) -> Diagram:
    variable = diagram.variable.astype(np.int64)
    size = diagram.size
    levels = diagram.levels
    # A state is node + size * machine state.
    here = np.array([diagram.root], np.int64)
    steps: list[
        tuple[I64, I64]
    ] = []  # of every level: places of the children on the next; -1: dead
    for level in range(levels):
        check(0)
        node, state = here % size, here // size
        table = tables.get(level)
        stays = state if table is None else table[state, 0].astype(np.int64)
        takes = state if table is None else table[state, 1].astype(np.int64)
        tests = variable[node] == level
        below = np.where(tests, diagram.low[node], node)
        low = np.where((stays >= 0) & (below != 0), below + size * stays, -1)
        high = np.where(tests & (takes >= 0), diagram.high[node] + size * takes, -1)
        following, places = np.unique(np.concatenate([low, high]), return_inverse=True)
        dead = int(len(following) > 0 and following[0] == -1)
        places = places.reshape(-1) - dead
        steps.append((places[: len(here)], places[len(here) :]))
        here = following[dead:]
    # Whatever is left has read everything: its node is the unit, its state the accepting one.
    return _assembled(diagram, steps, len(here))


def _assembled(diagram: Diagram, steps: list[tuple[I64, I64]], accepted: int) -> Diagram:
    """From the last level to the first: a state is a node, or the state that it goes on to."""
    below = np.ones(accepted, np.int64)
    variable, lows, highs = ([np.zeros(2, np.int64)] for _ in range(3))
    used = 2
    for level in range(len(steps) - 1, -1, -1):
        low, high = steps[level]
        ends = np.append(below, 0)  # -1, the dead, is the last
        low, high = ends[low], ends[high]
        real = high != 0
        ids = np.where(real, used + np.cumsum(real) - 1, low)
        variable.append(np.full(int(real.sum()), level, np.int64))
        lows.append(low[real])
        highs.append(high[real])
        used += int(real.sum())
        below = ids
    return Diagram.from_arrays(
        diagram.labels,
        np.concatenate(variable),
        np.concatenate(lows),
        np.concatenate(highs),
        int(below[0]),
    )
