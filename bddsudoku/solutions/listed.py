"""A list of solutions → the diagram: for sets that a search has found one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.errors import ModelError
from bddsudoku.solutions.diagram import Diagram

__all__ = ["diagram_of_keys", "diagram_of_rows"]


def diagram_of_keys(
    keys: Sequence[int], found: Iterable[NDArray[np.int64]], fixed: Iterable[int] = ()
) -> Diagram:
    """The canonical diagram of solutions given as the keys that are true.

    Args:
        keys: the key of each level's variable, top level first.
        found: solutions; ``fixed`` keys in them are passed over.
        fixed: keys that are true in all of them and no variables of the diagram.
    """
    level_of = {key: level for level, key in enumerate(keys)}
    known = set(fixed)
    rows = [sorted(level_of[k] for k in s.tolist() if k not in known) for s in found]
    size = max(map(len, rows), default=0)
    table = np.full((len(rows), size), len(level_of), np.int64)
    for row, levels in zip(table, rows, strict=True):
        row[: len(levels)] = levels
    return diagram_of_rows(list(keys), table)


def diagram_of_rows(labels: ArrayLike, rows: ArrayLike) -> Diagram:
    """The canonical diagram of a family of sets.

    The sets are laid out as a trie (one node for every distinct beginning), which the diagram
    then reduces. Memory: 10 bytes for every entry of ``rows`` in the worst case.

    Args:
        labels: the key of each level's variable, top level first.
        rows: levels of the variables that are true, shape (sets, size of the largest set),
            ascending within a row; shorter sets are filled up with the number of levels. The same
            set may occur twice.

    Raises:
        ModelError: a level that is out of range or out of order.
    """
    table = np.asarray(rows, dtype=np.int64)
    if table.ndim != 2:
        raise ModelError(f"expected one row a set, found an array of {table.ndim} dimensions")
    number, size = table.shape
    levels = len(np.asarray(labels))
    if number == 0:
        return Diagram.empty(labels)
    if size == 0:
        return Diagram.unit(labels)
    real = table < levels
    rising = (np.diff(table, axis=1) > 0) | ~real[:, 1:]
    if table.min() < 0 or table.max() > levels or not rising.all():
        raise ModelError(f"rows must hold ascending levels 0 to {levels - 1}")
    table = table[np.lexsort(table.T[::-1])]
    real = (table < levels).T
    # begins[k, i]: row i is the first with its beginning of k + 1 levels, so a node stands there.
    # A set that ends comes last among those that begin like it; where it ends stands terminal 1.
    differs = np.ones((size, number), dtype=np.bool_)
    differs[:, 1:] = (table[1:] != table[:-1]).T
    begins = np.logical_or.accumulate(differs, axis=0)
    ids = np.cumsum((begins & real).reshape(-1)).reshape(begins.shape) + 1
    total = int(ids[-1, -1])
    ids[~real] = 1
    variable = np.zeros(total + 1, dtype=np.int64)
    low = np.zeros(total + 1, dtype=np.int64)
    high = np.ones(total + 1, dtype=np.int64)
    for depth in range(size):
        at = np.flatnonzero(begins[depth] & (real[depth - 1] if depth else True))
        here = real[depth, at]
        mine = ids[depth, at]
        variable[mine[here]] = table[at[here], depth]
        if depth + 1 < size:
            high[mine[here]] = ids[depth + 1, at[here]]
        # The next node of this depth is the low child where both continue the same beginning.
        same = ~begins[depth - 1, at[1:]] if depth else np.ones(len(at) - 1, dtype=np.bool_)
        low[mine[:-1][same]] = mine[1:][same]
    return Diagram.from_arrays(labels, variable, low, high, int(ids[0, 0]))
