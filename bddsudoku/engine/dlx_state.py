"""What the two searches of :mod:`bddsudoku.engine.dlx` have in common: the state, the order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bddsudoku.jit import inlined
from bddsudoku.model.onehot import CoverArrays

__all__ = [
    "COUNT", "DONE", "ENTER", "FOUND", "LEAVE", "LEVEL", "NODES", "NONE", "OWN", "PHASE",
    "UPDATES", "USED", "order_of_trial", "taken_up", "written_down",
]  # fmt: skip

ENTER, LEAVE, DONE = 0, 1, 2
"""Where the search goes on: go down from a new node, come back from a finished one, nowhere."""

# Fields of the search state, an int64 array: options chosen, where to go on, covers, nodes and
# updates so far; option numbers and covers written by the last call. From OWN on each has its own.
LEVEL, PHASE, COUNT, NODES, UPDATES, USED, FOUND, OWN = range(8)

NONE = np.uint32((1 << 32) - 1)
"""No item."""


def order_of_trial(arrays: CoverArrays, seed: int | None) -> NDArray[np.int64]:
    """The options as the search tries them: as given, or shuffled."""
    if seed is None:
        return np.arange(arrays.options)
    return np.random.default_rng(seed).permutation(arrays.options)


@inlined
def taken_up(state):  # type: ignore[no-untyped-def]
    """Where a search goes on: options chosen, phase, covers, nodes and updates so far."""
    return state[LEVEL], state[PHASE], state[COUNT], state[NODES], state[UPDATES]


@inlined
def written_down(state, level, phase, count, nodes, updates, used, found):  # type: ignore[no-untyped-def]
    """The opposite, with what this call has written into the buffers."""
    state[LEVEL] = level
    state[PHASE] = phase
    state[COUNT] = count
    state[NODES] = nodes
    state[UPDATES] = updates
    state[USED] = used
    state[FOUND] = found
