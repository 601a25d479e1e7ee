"""Minimal and maximal members of a family, and the sets that hit all of its members.

After Knuth, TAOCP 4A, section 7.1.4 (families of sets: f↑, f↓, "nonsupersets" f ↘ g and
"nonsubsets" f ↗ g), and for hitting sets T. Toda, "Fast compression of large-scale hypergraphs for
solving combinatorial problems" (DS 2013): first the BDD of all hitting sets, node by node, then its
least sets as a ZDD. Hitting sets of a family's hitting sets are its minimal members (Berge).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import numpy as np

from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits
from bddsudoku.solutions import stacked
from bddsudoku.solutions.arrays import U8, U16, U32
from bddsudoku.solutions.bdd import BddNodes, diagram_of_bdd
from bddsudoku.solutions.canonical import mark_reachable
from bddsudoku.solutions.diagram import Diagram

__all__ = ["MAX_NODES", "all_hitting_sets", "hitting_sets", "maximal", "minimal"]

MAX_NODES = 1 << 27
"""Nodes that an operation may make, and calls whose results it may keep."""
_BYTES_A_NODE = 80


def minimal(diagram: Diagram, *, limits: Limits | None = None) -> Diagram:
    """The members of which no other member is a part.

    Args:
        diagram: the family.
        limits: the time, and nodes.

    Raises:
        LimitReached: one is reached.

    Cost: some 0.3 microseconds a pair of nodes that is looked at; often near linear, exponential
    in bad cases.
    """
    return _zdd(diagram, stacked.MINIMAL, 0, limits)


def maximal(diagram: Diagram, *, limits: Limits | None = None) -> Diagram:
    """The members that are part of no other member; as :func:`minimal`."""
    return _zdd(diagram, stacked.MAXIMAL, 0, limits)


def hitting_sets(diagram: Diagram, *, limits: Limits | None = None) -> Diagram:
    """The minimal sets of variables that have one in common with every member.

    The family without members is hit by the empty set; one that holds the empty set by none.
    Arguments, errors and cost as for :func:`minimal`.
    """
    return _zdd(diagram, stacked.HITS, stacked.LEAST, limits)


def all_hitting_sets(diagram: Diagram, *, limits: Limits | None = None) -> Diagram:
    """All sets of the diagram's variables that have one in common with every member.

    Arguments, errors and cost as for :func:`minimal`. Variables that make no difference are free,
    which takes a node each.
    """
    variable, low, high, root = _calculated(diagram, stacked.HITS, 0, limits)
    reached = np.zeros(len(low), dtype=np.uint8)
    mark_reachable(low, high, root, reached)
    reached[:2] = 1
    place = (np.cumsum(reached, dtype=np.int64) - 1).astype(np.uint32)
    kept = reached != 0
    nodes = BddNodes(variable[kept], place[low[kept]], place[high[kept]], int(place[root]))
    return diagram_of_bdd(diagram.labels, nodes)


def _zdd(diagram: Diagram, operation: int, then: int, limits: Limits | None) -> Diagram:
    variable, low, high, root = _calculated(diagram, operation, then, limits)
    return Diagram.from_arrays(diagram.labels, variable, low, high, root, overwrite=True)


def _calculated(
    diagram: Diagram, operation: int, then: int, limits: Limits | None
) -> tuple[U16, U32, U32, int]:
    """The kernel's store and the root in it."""
    limits = limits or Limits()
    limits.check()
    most = MAX_NODES if limits.nodes is None else min(limits.nodes, MAX_NODES)
    if limits.memory is not None:
        most = min(most, limits.memory // _BYTES_A_NODE)
    d = diagram
    room = np.zeros(1024, dtype=np.uint8)
    variable, low, high = (
        np.concatenate((a, room), dtype=a.dtype) for a in (d.variable, d.low, d.high)
    )
    with _raised_in_time(limits) as stop:
        out = stacked.calculate(variable, low, high, d.size, d.root, operation, then, most, stop)
    if out[3] == stacked.STOPPED:
        raise limits.reached("in an operation on a family")
    if out[3] == stacked.FULL:
        raise LimitReached(
            f"an operation on a diagram of {d.size - 2} nodes takes more than {most} nodes",
            limit="nodes",
            details={"nodes": most},
        )
    return out


@contextmanager
def _raised_in_time(limits: Limits) -> Iterator[U8]:
    """A flag that a second thread raises when the time is used up."""
    stop = np.zeros(1, dtype=np.uint8)
    left = limits.left
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
