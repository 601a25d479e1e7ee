"""The same family under another order of its variables.

Two ways, chosen by predicted cost:

* *by members*: list the sets in batches, sort each batch along the new order, build its diagram in
  one sweep (incremental minimal automaton construction of sorted words: Daciuk et al.,
  Computational Linguistics 26, 2000) and unite the batches. Some microseconds a set and never
  larger than the answer; the way for families of up to some ten million sets.
* *by variables*: lift one variable after another to the top, last one first (two restrictions and
  one reduction each). Independent of the number of sets, but the diagrams on the way may be larger
  than both ends; the way for tilings and paths, whose diagrams are small and counts astronomic.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from bddsudoku.diagrams.apply import OR, combine
from bddsudoku.diagrams.canonical import I64, U16, U32, U64
from bddsudoku.diagrams.counting import Counts, RowFormat, Walker
from bddsudoku.diagrams.transform import restrict
from bddsudoku.diagrams.zdd import Diagram, diagram_of_rows, levels_of
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit import allocating_kernel

_BATCH_BYTES = 1 << 28
_SECONDS_A_SET = 6e-6
_SECONDS_A_NODE = 4e-8


def _members(diagram: Diagram, place: I64, labels: list[int], counts: Counts) -> Diagram:
    """The way by members."""
    levels = diagram.levels
    form = RowFormat(place, np.ones(levels, np.uint8), np.zeros(levels, np.uint8))
    walker = Walker(diagram, form)
    batch = max(1, min(counts.total, _BATCH_BYTES // (levels + 2 * max(1, _longest(diagram)))))
    rows = np.empty((batch, levels), dtype=np.uint8)
    parts: list[tuple[int, Diagram]] = []
    left = counts.total
    while left:
        k = walker.fill(rows)
        left -= k
        part = diagram_of_rows(labels, levels_of(rows[:k]))
        rank = 0
        while parts and parts[-1][0] == rank:
            part = combine(parts.pop()[1], part, OR)
            rank += 1
        parts.append((rank, part))
    whole = Diagram.empty(labels)
    for _, part in reversed(parts):
        whole = combine(whole, part, OR)
    return whole


@allocating_kernel
def _lengths(low: U32, high: U32) -> U16:
    out = np.zeros(len(low), np.uint16)
    for i in range(2, len(low)):
        out[i] = max(out[low[i]], out[high[i]] + 1)
    return out


def _longest(diagram: Diagram) -> int:
    """Size of the family's largest set."""
    return int(_lengths(diagram.low, diagram.high)[diagram.root])


def _to_top(diagram: Diagram, level: int) -> Diagram:
    """The family with one variable moved to the top."""
    without = restrict(diagram, forbid=[level])
    within = restrict(diagram, require=[level])
    labels = np.concatenate((diagram.labels[level : level + 1], without.labels))
    a, b = without.size, within.size

    def shifted(child: U32) -> U64:
        # nodes of the second diagram follow those of the first
        moved = child[2:].astype(np.int64)
        moved[moved > 1] += a - 2
        return moved  # type: ignore[return-value]

    root_b = within.root + (a - 2 if within.root > 1 else 0)
    variable = np.concatenate((without.variable + 1, within.variable[2:] + 1, [0]))
    low = np.concatenate((without.low, shifted(within.low), [without.root]))
    high = np.concatenate((without.high, shifted(within.high), [root_b]))
    return Diagram.from_arrays(labels, variable, low, high, a + b - 2)


def _variables(diagram: Diagram, labels: list[int], max_nodes: int) -> Diagram:
    """The way by variables: the longest tail that is in order already stays where it is."""
    place = {key: i for i, key in enumerate(diagram.labels.tolist())}
    start = len(labels) - 1
    while start > 0 and place[labels[start - 1]] < place[labels[start]]:
        start -= 1
    for i in range(start - 1, -1, -1):
        level = int(np.flatnonzero(diagram.labels == labels[i])[0])
        if level:
            diagram = _to_top(diagram, level)
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
    """The same family with its variables in another order.

    Args:
        diagram: the family.
        labels: the same keys in the wanted order, top level first.
        counts: of the diagram, if they are known already.
        max_nodes: size at which an intermediate diagram is given up.

    Raises:
        ModelError: not the same keys.
        LimitReached: an intermediate diagram passed ``max_nodes``.

    Cost: see the module; the cheaper way by prediction is taken.
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
    moves = diagram.levels * diagram.size * _SECONDS_A_NODE
    if counts.total * _SECONDS_A_SET <= 10 * moves + 1:
        level = {key: i for i, key in enumerate(wanted)}
        place = np.array([level[key] for key in diagram.labels.tolist()], dtype=np.int64)
        return _members(diagram, place, wanted, counts)
    return _variables(diagram, wanted, max_nodes)


def merged_order(first: Iterable[int], second: Iterable[int]) -> tuple[list[int], bool]:
    """One order that contains both lists' keys, the first list in its own order.

    Returns:
        The order, and whether the second list's keys stand in their own order, too. If they do
        not, the keys that only the second list has follow the key that precedes them there.
    """
    a, b = list(first), list(second)
    in_a = {key: i for i, key in enumerate(a)}
    shared = [in_a[key] for key in b if key in in_a]
    agrees = all(x < y for x, y in itertools.pairwise(shared))
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
