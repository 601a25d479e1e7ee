"""A set seen through some of its variables: what is counted when the others do not matter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.diagrams.zdd import Diagram

if TYPE_CHECKING:
    from bddsudoku.sets.solutionset import SolutionSet


def projected(found: SolutionSet, keys: Iterable[int]) -> SolutionSet:
    """The solutions restricted to some variables, equal ones once.

    The variables are read first, so that what stands below the last of them says only whether the
    others can be chosen at all.

    Args:
        found: any set.
        keys: the variables that are looked at.

    Cost: that of reading the diagram in another order (:mod:`bddsudoku.diagrams.reorder`), and a
    pass over it.
    """
    kept = set(keys)
    labels = found.diagram.labels.tolist()
    first = [k for k in labels if k in kept]
    diagram = found.reordered([*first, *(k for k in labels if k not in kept)]).diagram
    cut = len(first)
    # A family that is not empty has a member: below the cut that is all that counts.
    inner = np.flatnonzero(diagram.variable < cut)
    to = np.ones(diagram.size, dtype=np.int64)
    to[0] = 0
    to[inner] = np.arange(2, 2 + len(inner))
    terminals = np.arange(2)
    seen = Diagram.from_arrays(
        first,
        np.concatenate(([cut, cut], diagram.variable[inner])),
        np.concatenate((terminals, to[diagram.low[inner]])),
        np.concatenate((terminals, to[diagram.high[inner]])),
        int(to[diagram.root]),
    )
    fixed = [k for k in found.fixed if k in kept]
    return type(found)(seen, found.decoder, fixed=fixed, info=found.info)
