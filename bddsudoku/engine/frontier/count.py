"""Counting without a diagram: the forward pass carries the number of paths to every state.

Only the levels between a state and its children are in memory at a time, so families can be
counted whose diagram would not fit. Numbers are rows of 64-bit limbs, twice as many whenever a sum
does not fit, so they are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import UNLIMITED
from bddsudoku.diagrams.counting import add_limbs
from bddsudoku.engine.frontier.forward import ExpandedLevel, ForwardPass
from bddsudoku.engine.frontier.state_table import ResourceAccounts
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import U64

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.engine.frontier.spec import Spec


@kernel
def _add_path_counts(level, edges, start, numbers):  # type: ignore[no-untyped-def]
    """Add the path count of each state (paths from the root) to the counts of its children.

    Args:
        level: the level of the states.
        edges: their edges.
        start: int64 (levels + 1,); row of the first state of a level.
        numbers: uint64 (rows, limbs), least limb first; the states of the level come first.

    Returns:
        False when a sum does not fit into the limbs.
    """
    degree, _, target, jump = edges
    jumps = jump.shape[0] > 0
    edge = 0
    for row in range(len(degree)):
        for _ in range(degree[row]):
            to = level + (np.int64(jump[edge]) if jumps else 1)
            child = start[to] + np.int64(target[edge])
            edge += 1
            fits = add_limbs(numbers[child], numbers[row], numbers[child])
            if not fits:
                return False
    return True


class StateCounts:
    """The numbers of paths from the root to the frontier's states, and of sets accepted so far."""

    def __init__(self, spec: Spec, accounts: ResourceAccounts) -> None:
        self.levels = spec.levels
        self.accounts = accounts
        self.total = int(spec.root_level == spec.levels)
        self.numbers: dict[int, U64] = {spec.root_level: np.ones((1, 1), np.uint64)}
        self._booked = 0

    def move_past_level(self, done: ExpandedLevel, waiting: dict[int, int]) -> None:
        """Add the path counts of an expanded level to those of the unexpanded states below it."""
        counts = self.numbers
        counts[done.level] = counts[done.level][done.state_names]
        start = np.zeros(self.levels + 1, np.int64)
        row = done.state_count
        for to, rows in waiting.items():
            start[to] = row
            row += rows
        start[self.levels] = row  # all accepted children are one
        limbs = max(counted.shape[1] for counted in counts.values())
        while True:
            self.accounts.check_memory((row + 1) * limbs * 8)
            numbers = np.zeros((row + 1, limbs), np.uint64)
            for to, counted in counts.items():
                numbers[start[to] : start[to] + len(counted), : counted.shape[1]] = counted
            if _add_path_counts(done.level, done.edges, start, numbers):
                break
            limbs *= 2
        self.total += sum(limb << 64 * k for k, limb in enumerate(numbers[row].tolist()))
        self.numbers = {
            to: numbers[start[to] : start[to] + rows].copy() for to, rows in waiting.items()
        }
        self.accounts.release(self._booked)
        self._booked = sum(counted.nbytes for counted in self.numbers.values())
        self.accounts.book(self._booked)


def count_spec(spec: Spec, *, context: Context = UNLIMITED, threads: int | None = None) -> int:
    """Count the sets that a spec describes, exactly and without building the diagram.

    Arguments and errors are those of :func:`bddsudoku.engine.frontier.compile_spec`. Needs the
    memory of a few levels only.
    """
    accounts = ResourceAccounts(context)
    count = StateCounts(spec, accounts)
    ForwardPass(spec, accounts, threads=threads).expand_all_levels(count.move_past_level)
    return count.total
