"""Intersections of MDDs that read the same cells, forwards or backwards.

A line may have several clues: a skyscraper at either end, or a sandwich and a numbered room. What
the clues exclude only together, their intersection excludes, and it has seldom more states than
they have. A state of it is a state of the one MDD with a set of states of the other: a single state
where both read the cells in the same order; else those states from which the cells read so far,
backwards, lead to the end (the subset construction of the reversed automaton).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.engine.search.repetition import product_mdd
from bddsudoku.model.mdd import Mdd

_MAX_SET = 64
"""Most states of a layer of the MDD of which sets are made."""
_MAX_GROWTH = 2
"""Most states of an intersection, relative to those of both MDDs."""


def intersect_mdds(mdds: Iterable[CellMdd]) -> list[CellMdd]:
    """Replace MDDs that read the same cells by their intersection, unless it is large."""
    found: defaultdict[tuple[int, ...], list[CellMdd]] = defaultdict(list)
    for one in mdds:
        others = found[min(one.cells, one.cells[::-1])]
        for i, other in enumerate(others):
            joint = _intersect(other, one)
            if joint is not None:
                others[i] = joint
                break
        else:
            others.append(one)
    return [one for some in found.values() for one in some]


def _intersect(a: CellMdd, b: CellMdd) -> CellMdd | None:
    """Intersect two MDDs that read the same cells; None if that is of no use."""
    is_reversed = a.cells != b.cells
    if a.columns != (b.columns[::-1] if is_reversed else b.columns):
        return None  # their choices stand for other values
    mdd = _intersection(a.mdd, b.mdd, is_reversed)
    return None if mdd is None else a._replace(mdd=mdd)


@lru_cache(maxsize=256)
def _intersection(a: Mdd, b: Mdd, is_reversed: bool) -> Mdd | None:
    """The intersection of an MDD and another one, of which every word may be reversed.

    None if it has many more states than both, or if one of them is too wide.
    """
    if a.is_empty or b.is_empty or b.width > _MAX_SET:
        return a if a.is_empty else b if b.is_empty else None
    sets, set_rows = [], []
    for table in reversed(b.tables) if is_reversed else b.tables:
        above, choice = np.nonzero(table >= 0)
        below = table[above, choice]
        state, after = (below, above) if is_reversed else (above, below)
        set_rows.append(int(state.max()) + 1)
        follow = np.zeros((set_rows[-1], table.shape[1]), dtype=np.uint64)
        np.bitwise_or.at(follow, (state, choice), np.uint64(1) << after.astype(np.uint64))
        sets.append(follow.ravel())
    found = product_mdd(a, np.concatenate(sets), np.array(set_rows), 1, a.length)
    return found if found is not None and found.size <= _MAX_GROWTH * (a.size + b.size) else None
