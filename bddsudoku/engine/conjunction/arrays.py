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

    An edge is ``2 * node + negated``; node 0 is the terminal ⊤, so edge 0 is ⊤ and edge 1 is ⊥.

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
        return cls(levels, np.full(1, levels, dtype=np.int32), nothing, nothing, int(not value))

    @property
    def node_count(self) -> int:
        """Nodes without the terminal."""
        return len(self.level) - 1

    def model_count(self) -> int:
        """Number of satisfying assignments, exact for any size; a plain pass in Python."""
        counts = [1]  # models over the variables from the node's own level down
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
        """The set of satisfying assignments as the canonical frozen ZDD.

        Complement edges are taken apart (a node and its negation become two), variables that an
        edge skips become don't-care nodes, and the reduction of
        :meth:`~bddsudoku.solutions.diagram.Diagram.from_arrays` does the rest. Linear.

        Args:
            labels: the key of each level's variable, top level first.
        """
        from bddsudoku.solutions.canonical import mark_reachable
        from bddsudoku.solutions.diagram import Diagram

        variable = np.repeat(self.level, 2)
        low, high = (_both_polarities(edges) for edges in (self.low, self.high))
        root = self.root ^ 1 if self.root < 2 else self.root
        variable[:2] = self.levels
        low[:2] = high[:2] = (0, 1)
        used = mark_reachable(low, high, root).astype(bool)
        used[:2] = False
        # First level at which somebody expects each node; its own level when nothing is skipped.
        wanted = variable.copy()
        for child in (low, high):
            parents = np.flatnonzero(used & (child != 0))
            np.minimum.at(wanted, child[parents], variable[parents] + 1)
        if root:
            wanted[root] = 0
        wanted[0] = self.levels
        gap = variable - wanted
        if gap.any():
            variable, low, high, root = _fill_gaps(variable, low, high, root, gap, used)
        return Diagram.from_arrays(
            labels, variable.astype(np.uint16), low, high, int(root), overwrite=True
        )


def _both_polarities(edges: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Children of every node and of its negation; edges below 2 become terminal ids."""
    both = np.repeat(edges, 2).astype(np.uint32)
    both[1::2] ^= 1
    both[both < 2] ^= 1
    return both


def _fill_gaps(
    variable: NDArray[np.int32],
    low: NDArray[np.uint32],
    high: NDArray[np.uint32],
    root: int,
    gap: NDArray[np.int32],
    used: NDArray[np.bool_],
) -> tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32], int]:
    """Put a chain of don't-care nodes above every node that an edge skips levels to reach.

    The chain above node c holds one node for each level from ``variable[c] - 1`` up to
    ``variable[c] - gap[c]``; parents are then led to the link just below them.
    """
    size = len(variable)
    skipped = np.flatnonzero(gap)
    length = gap[skipped].astype(np.int64)
    first = size + np.concatenate(([0], np.cumsum(length)))[:-1]
    chain_of = np.zeros(size, dtype=np.int64)
    chain_of[skipped] = first
    step = np.arange(int(length.sum())) - np.repeat(first - size, length)
    target = np.where(step == 0, np.repeat(skipped, length), size + np.arange(len(step)) - 1)
    links = (np.repeat(variable[skipped], length) - 1 - step).astype(np.int32)

    def led(child: NDArray[np.uint32]) -> NDArray[np.uint32]:
        away = np.flatnonzero(used & (child != 0))
        ends = child[away]
        jump = variable[ends] - variable[away] - 1
        moved = child.copy()
        moved[away] = np.where(jump > 0, chain_of[ends] + jump - 1, ends)
        return np.concatenate((moved, target.astype(np.uint32)))

    new_low, new_high = led(low), led(high)
    if root and variable[root] > 0:
        root = int(chain_of[root] + variable[root] - 1)
    return np.concatenate((variable, links)), new_low, new_high, root
