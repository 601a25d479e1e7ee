"""Reordering: the ZDD of the same family under another order of its variables.

There are two methods, chosen by predicted cost:

* *by members*: list the sets in batches, sort each batch by the new order, reduce its trie
  (compare the incremental construction of minimal automata from sorted words: Daciuk et al.,
  Computational Linguistics 26, 2000) and unite the batches. It takes some microseconds per set and
  no diagram larger than the result; for families of up to some ten million sets.
* *by variables*: move one variable after another to the top, last one first (two restrictions and
  one reduction each). Independent of the number of sets, but intermediate diagrams may be larger
  than the first and the last; for tilings and paths, with small diagrams and astronomic counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, zip_longest

import numpy as np

from bddsudoku.diagrams.counting import Counts, RowFormat, walk_rows
from bddsudoku.diagrams.transform import restrict
from bddsudoku.diagrams.zdd import Diagram, diagram_of_rows, nonzero_columns
from bddsudoku.diagrams.zdd_apply import OR, apply, join_under_new_root
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit.decorators import I64

_BATCH_BYTES = 1 << 28
_SECONDS_PER_SET = 6e-6
_SECONDS_PER_NODE = 4e-8


def _reorder_by_listing_sets(
    diagram: Diagram, new_level: I64, labels: list[int], counts: Counts
) -> Diagram:
    levels = diagram.levels
    form = RowFormat(new_level, np.ones(levels, np.uint8), np.zeros(levels, np.uint8))
    parts = [
        diagram_of_rows(labels, nonzero_columns(rows))
        for rows in walk_rows(diagram, form, max(1, _BATCH_BYTES // (3 * levels)), counts.total)
    ]
    while len(parts) > 1:
        pairs = zip_longest(parts[::2], parts[1::2])
        parts = [a if b is None else apply(a, b, OR) for a, b in pairs]
    return parts[0] if parts else Diagram.empty(labels)


def _move_to_top(diagram: Diagram, level: int) -> Diagram:
    without = restrict(diagram, forbid=[level])
    within = restrict(diagram, require=[level])
    return join_under_new_root([diagram.labels[level], *without.labels], without, within)


def _reorder_by_moving_variables(diagram: Diagram, labels: list[int], max_nodes: int) -> Diagram:
    place = {key: i for i, key in enumerate(diagram.labels.tolist())}
    start = len(labels) - 1
    while start > 0 and place[labels[start - 1]] < place[labels[start]]:
        start -= 1
    for i in range(start - 1, -1, -1):
        level = int(np.flatnonzero(diagram.labels == labels[i])[0])
        if level:
            diagram = _move_to_top(diagram, level)
        if diagram.size > max_nodes:
            raise LimitReached(
                f"reordering came to {diagram.size} nodes with {i} variables left to move; "
                f"the limit is {max_nodes}",
                limit="nodes",
                details={"nodes": diagram.size},
            )
    return diagram


def reorder(
    diagram: Diagram,
    labels: Iterable[int],
    *,
    counts: Counts | None = None,
    max_nodes: int = 1 << 28,
) -> Diagram:
    """The diagram of the same family with its variables in another order.

    Args:
        diagram: the family.
        labels: the same keys in the wanted order, top level first.
        counts: counts of the diagram, if they are known already.
        max_nodes: greatest size of an intermediate diagram.

    Raises:
        ModelError: the keys are not the diagram's.
        LimitReached: an intermediate diagram is larger than ``max_nodes``.

    Cost: that of the method with the lower prediction; see the module's docstring.
    """
    wanted = [int(k) for k in labels]
    if sorted(wanted) != sorted(diagram.labels.tolist()):
        raise ModelError("a reordering needs exactly the diagram's own variables")
    if wanted == diagram.labels.tolist():
        return diagram
    if diagram.size == 2:
        return Diagram.from_arrays(
            wanted, diagram.variable, diagram.low, diagram.high, diagram.root
        )
    counts = counts or Counts(diagram)
    moves = diagram.levels * diagram.size * _SECONDS_PER_NODE
    if counts.total <= (10 * moves + 1) / _SECONDS_PER_SET:
        level = {key: i for i, key in enumerate(wanted)}
        place = np.array([level[key] for key in diagram.labels.tolist()], dtype=np.int64)
        return _reorder_by_listing_sets(diagram, place, wanted, counts)
    return _reorder_by_moving_variables(diagram, wanted, max_nodes)


def merged_order(first: Iterable[int], second: Iterable[int]) -> tuple[list[int], bool]:
    """Merge two variable orders into an order of all variables; the first order is kept.

    Returns:
        The order, and whether it keeps the second one's order, too. Keys that only the second one
        has follow the shared key that precedes them there.
    """
    a, b = list(first), list(second)
    in_a = {key: i for i, key in enumerate(a)}
    shared = [in_a[key] for key in b if key in in_a]
    agrees = all(x < y for x, y in pairwise(shared))
    after: dict[int, list[int]] = {}
    at = -1
    for key in b:
        if key in in_a:
            at = in_a[key]
        else:
            after.setdefault(at, []).append(key)
    out = list(after.get(-1, ()))
    for i, key in enumerate(a):
        out.append(key)
        out.extend(after.get(i, ()))
    return out, agrees
