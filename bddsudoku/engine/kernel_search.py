"""The frame of searches whose loop is a compiled kernel: their state, their limits, their output.

Engines that check each other have no more in common than this, and :class:`.protocol.Search`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from bddsudoku.engine.protocol import Search
from bddsudoku.jit.decorators import I32, I64

PHASE, COUNT, NODES, WORK, USED, FOUND, SHARED = range(7)
"""Fields with which the state of every search begins, an int64 array: where the kernel continues;
solutions, nodes and steps so far; entries of ``out`` and ``ends`` that its last call has
written."""
DONE = -1
"""The phase of a search that is complete."""
NO_LIMIT = int(np.iinfo(np.int64).max)
"""The total of solutions or nodes that no search reaches."""

_BUFFER_ENTRIES = 1 << 16
"""Entries of the buffer that returns solutions from a kernel."""


class KernelSearch(Search):
    """A search by a kernel, which returns now and then and continues from the state in an array."""

    _state: I64
    _longest: int
    """The most entries that the kernel writes for a solution."""

    @property
    def done(self) -> bool:
        """Whether the whole tree has been searched."""
        return int(self._state[PHASE]) == DONE

    @property
    def count(self) -> int:
        """Number of solutions so far."""
        return int(self._state[COUNT])

    @property
    def nodes(self) -> int:
        """Number of search nodes so far."""
        return int(self._state[NODES])

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return int(self._state[WORK])

    def advance(self, max_found: int | None = None, max_nodes: int | None = None) -> None:
        """Go on for some tenths of a second, or until a total of solutions or nodes is reached."""
        self._go_on(np.zeros(0, np.int32), np.zeros(0, np.int64), max_found, max_nodes)

    def _written(self, max_found: int | None, max_nodes: int | None) -> Iterator[I32]:
        """Go on like :meth:`advance`; yield what the kernel writes for each solution."""
        out = np.empty(max(_BUFFER_ENTRIES, self._longest), dtype=np.int32)
        ends = np.empty(_BUFFER_ENTRIES >> 3, dtype=np.int64)
        self._go_on(out, ends, max_found, max_nodes)
        for begin, end in pairwise((0, *ends[: int(self._state[FOUND])].tolist())):
            yield out[begin:end]

    def _go_on(self, out: I32, ends: I64, max_found: int | None, max_nodes: int | None) -> None:
        most, nodes = (NO_LIMIT if end is None else end for end in (max_found, max_nodes))
        self._run(out, ends, most, nodes)

    @abstractmethod
    def _run(self, out: I32, ends: I64, max_found: int, max_nodes: int) -> None:
        """Call the kernel; it writes solutions to ``out``, and to ``ends`` where each ends."""
