"""A BDD with complement edges as flat arrays, and its way into the frozen ZDD."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bddsudoku.solutions.diagram import Diagram

__all__ = ["BddArrays"]


@dataclass(frozen=True)
class BddArrays:
    """The nodes of one function, children before parents.

    An edge is ``2 * node + negated``; node 0 is the terminal ⊥, so edge 0 is ⊥ and edge 1 is ⊤
    (as in :mod:`bddsudoku.solutions.bdd`).

    Attributes:
        levels: number of variables of the function's universe.
        level: int32, shape (nodes + 1,); the level (position of the variable) of every node;
            ``levels`` for the terminal.
        low: int64, shape (nodes + 1,); edges.
        high: int64, shape (nodes + 1,); edges.
        root: edge.
    """

    levels: int
    level: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    root: int

    @classmethod
    def constant(cls, value: bool, levels: int) -> BddArrays:
        """⊤ or ⊥ over ``levels`` variables."""
        nothing = np.zeros(1, dtype=np.int64)
        return cls(levels, np.full(1, levels, dtype=np.int32), nothing, nothing, int(value))

    @property
    def node_count(self) -> int:
        """Nodes without the terminal."""
        return len(self.level) - 1

    def model_count(self) -> int:
        """Number of satisfying assignments, exact for any size; a plain pass in Python."""
        counts = [0]  # models over the variables from the node's own level down
        level: list[int] = self.level.tolist()

        def below(edge: int, start: int) -> int:
            node, negated = edge >> 1, edge & 1
            count = counts[node]
            if negated:
                count = (1 << (self.levels - level[node])) - count
            return int(count << (level[node] - start))

        for own, low, high in zip(
            level[1:], self.low[1:].tolist(), self.high[1:].tolist(), strict=True
        ):
            counts.append(below(low, own + 1) + below(high, own + 1))
        return below(self.root, 0)

    def diagram(self, labels: Sequence[int]) -> Diagram:
        """The set of satisfying assignments as the canonical frozen ZDD. Linear.

        Complement edges are taken apart: a node and its negation become two.

        Args:
            labels: the key of each level's variable, top level first.
        """
        from bddsudoku.solutions.bdd import BddNodes, diagram_of_bdd
        from bddsudoku.solutions.canonical import mark_reachable

        low, high = (_both_polarities(edges) for edges in (self.low, self.high))
        flags = np.zeros(len(low), np.uint8)
        mark_reachable(low, high, self.root, flags)
        used = flags.astype(bool)
        used[:2] = True
        new = np.cumsum(used, dtype=np.uint32) - np.uint32(1)
        variable = np.repeat(self.level.astype(np.uint16), 2)[used]
        nodes = BddNodes(variable, new[low[used]], new[high[used]], int(new[self.root]))
        return diagram_of_bdd(np.array(labels, dtype=np.int64), nodes)


def _both_polarities(edges: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Children of every node and of its negation."""
    both = np.repeat(edges, 2).astype(np.uint32)
    both[1::2] ^= 1
    return both
