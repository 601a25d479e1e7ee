"""A list of solutions → the diagram: for sets that a search has found one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.errors import ModelError
from bddsudoku.solutions.diagram import Diagram

__all__ = ["diagram_of_rows"]


def diagram_of_rows(labels: ArrayLike, rows: ArrayLike) -> Diagram:
    """The canonical diagram of a family of sets that all have the same size.

    The sets are laid out as a trie (one node for every distinct beginning), which the diagram
    then reduces. Memory: 10 bytes for every entry of ``rows`` in the worst case.

    Args:
        labels: the key of each level's variable, top level first.
        rows: levels of the variables that are true, shape (sets, size of each set), ascending
            within a row; the same set may occur twice.

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
    if table.min() < 0 or table.max() >= levels or (np.diff(table, axis=1) <= 0).any():
        raise ModelError(f"rows must hold ascending levels 0 to {levels - 1}")
    table = table[np.lexsort(table.T[::-1])]
    # begins[k, i]: row i is the first with its beginning of k + 1 levels, so a node stands there.
    differs = np.ones((size, number), dtype=np.bool_)
    differs[:, 1:] = (table[1:] != table[:-1]).T
    begins = np.logical_or.accumulate(differs, axis=0)
    ids = np.cumsum(begins.reshape(-1)).reshape(begins.shape) + 1
    total = int(ids[-1, -1])
    variable = np.zeros(total + 1, dtype=np.int64)
    low = np.zeros(total + 1, dtype=np.int64)
    high = np.ones(total + 1, dtype=np.int64)
    for depth in range(size):
        at = np.flatnonzero(begins[depth])
        mine = ids[depth, at]
        variable[mine] = table[at, depth]
        if depth + 1 < size:
            high[mine] = ids[depth + 1, at]
        # The next node of this depth is the low child where both continue the same beginning.
        same = ~begins[depth - 1, at[1:]] if depth else np.ones(len(at) - 1, dtype=np.bool_)
        low[mine[:-1][same]] = mine[1:][same]
    return Diagram.from_arrays(labels, variable, low, high, int(ids[0, 0]))
