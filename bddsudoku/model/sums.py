"""Sums as layered automata: the state is the partial sum, cut off where the rest cannot matter.

Equal states of a layer are neighbours. Let R be the sums that the rest can reach (with the choices
that reach them); state s accepts what lies in the window [low - s, high - s], which moves down as s
grows. If s < t < u and the windows of s and u hold the same of R, then either these windows
overlap, and that of t holds the same; or they do not, so that they hold nothing, and s and u are
dead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.model.layers import Cap, Layers, Table, finish, never

__all__ = ["sums"]

_SPARSE = 16
"""Sums are counted through when they lie no farther apart than this, else sorted."""


def sums(
    weights: Sequence[Sequence[int]], low: int | None, high: int | None, cap: Cap | None = None
) -> Layers:
    """The words whose weights add up to something between two bounds.

    Args:
        weights: of every choice of every level; any integers.
        low: least sum allowed; None for any.
        high: greatest sum allowed; None for any.
        cap: for every layer.

    Raises:
        LimitReached: a layer has more distinct sums than ``cap`` allows.

    Cost: linear in sums times choices; a hundred levels of 17,000 sums each take some 60 ms.
    """
    cap = cap or Cap()
    # A common factor of the differences makes sums rarer; the least choices become 0.
    base = sum(min(w) for w in weights)
    moved = [[x - min(w) for x in w] for w in weights]
    most = sum(max(w) for w in moved)
    factor = gcd(*(x for w in moved for x in w)) or 1
    least = max(0, -((base - low) // factor)) if low is not None else 0
    highest = min(most // factor, (high - base) // factor) if high is not None else most // factor
    if least > highest:
        return never(len(w) for w in weights)
    if least == 0 and highest == most // factor:
        return finish([np.zeros((1, len(w)), dtype=np.int32) for w in weights])
    moved = [[x // factor for x in w] for w in moved]
    kind: Any = np.int64 if most // factor < 1 << 62 else object
    rest = most // factor
    here = np.zeros(1, dtype=kind)
    tables: list[Table] = []
    for level, row in enumerate(moved):
        rest -= max(row)
        after = here[:, None] + np.array(row, dtype=kind)[None, :]
        dead = (after > highest) | (after + rest < least)
        # From `least` on only the upper bound matters, up to `highest - rest` only the lower one.
        safe, full = least, highest - rest
        if highest == most // factor:
            after = np.minimum(after, safe)
        elif least == 0:
            after = np.maximum(after, full)
        elif safe <= full:
            after = np.where((after >= safe) & (after <= full), safe, after)
        after[dead] = -1
        here, numbered = _numbered(after)
        cap.admit(len(here), level + 1, numbered.size)
        tables.append(numbered)
    return finish(tables, np.ones(len(here), dtype=bool), ordered=True)


def _numbered(after: NDArray[Any]) -> tuple[NDArray[Any], Table]:
    """The distinct sums that are not -1, ascending, and their numbers in place of the sums."""
    top = int(after.max(initial=-1)) + 1
    if top > _SPARSE * after.size + 1024:
        names, numbered = np.unique(after, return_inverse=True)
        dead = int(names[0] < 0)
        return names[dead:], (numbered.reshape(after.shape) - dead).astype(np.int32)
    after = after.astype(np.int64)
    there = np.zeros(top + 1, dtype=bool)
    there[after] = True
    there[top] = False
    number = np.cumsum(there, dtype=np.int32) - np.int32(1)
    number[top] = -1
    return np.flatnonzero(there), number[after]
