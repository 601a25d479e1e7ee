"""Counting without a diagram: numbers travel forward with the states, edges are not kept.

Only the levels between a state and its children are in memory at a time, so this counts sets
whose diagram would not fit. Numbers are rows of 64-bit limbs, as many per level as a bound on the
partial choices asks for, so they are exact.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.frontier.forward import Forward
from bddsudoku.engine.frontier.tables import LOCAL_BITS
from bddsudoku.jit import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.forward import Job
    from bddsudoku.engine.frontier.runs import Run
    from bddsudoku.engine.frontier.tables import StateTable


@kernel
def _carry_over(order, begin, end, source, numbers, target, partition_mask, sums):  # type: ignore[no-untyped-def]
    """Add the numbers of parents to those of their children (limbs, least first)."""
    give = numbers.shape[1]
    take = sums.shape[1]
    for i in range(begin, end):
        child = order[i]
        parent = source[child]
        to = np.int64(target[child]) & partition_mask
        carry = np.uint64(0)
        for k in range(take):
            add = numbers[parent, k] if k < give else np.uint64(0)
            total = sums[to, k] + add
            over = total < add
            total2 = total + carry
            carry = np.uint64(1) if over or total2 < carry else np.uint64(0)
            sums[to, k] = total2
            if k >= give and carry == 0:
                break


@kernel
def _total(numbers, out):  # type: ignore[no-untyped-def]
    """Add up the columns in 32-bit halves: (low halves, high halves) of every limb."""
    half = np.uint64(0xFFFFFFFF)
    for i in range(numbers.shape[0]):
        for k in range(numbers.shape[1]):
            out[k, 0] += numbers[i, k] & half
            out[k, 1] += numbers[i, k] >> np.uint64(32)


@kernel
def _carry_along(begin, end, first, edges, start, numbers):  # type: ignore[no-untyped-def]
    """Add the numbers of all states of a run to those of their children.

    Args:
        begin: see :class:`bddsudoku.engine.frontier.runs.Run`, also for ``end``, ``first`` and
            ``edges``.
        start: int64 (levels + 1,); row of the first state of a level.
        numbers: uint64 (rows, limbs).

    Returns:
        False when a sum did not fit into the limbs.
    """
    degree, _, target, jump = edges
    limbs = numbers.shape[1]
    jumps = jump.shape[0] > 0
    for level in range(begin, end):
        edge = first[level, 1]
        for s in range(first[level, 0], first[level + 1, 0]):
            row = start[level] + s - first[level, 0]
            for _ in range(degree[s]):
                to = level + (np.int64(jump[edge]) if jumps else 1)
                child = start[to] + np.int64(target[edge])
                edge += 1
                carry = np.uint64(0)
                for k in range(limbs):
                    total = numbers[child, k] + numbers[row, k]
                    over = total < numbers[row, k]
                    total2 = total + carry
                    carry = np.uint64(1) if over or total2 < carry else np.uint64(0)
                    numbers[child, k] = total2
                if carry:
                    return False
    return True


def exact_sum(numbers: NDArray[np.uint64]) -> int:
    """Sum of all rows as one integer."""
    halves = np.zeros((numbers.shape[1], 2), np.uint64)
    _total(numbers, halves)
    return sum(
        (low << 64 * k) + (high << 64 * k + 32) for k, (low, high) in enumerate(halves.tolist())
    )


class CountingForward(Forward):
    """Forward pass that carries exact counts; :attr:`count` is the answer."""

    keep_edges = False

    def run(self) -> None:
        """All levels.

        Raises:
            LimitReached: with the trace so far.
        """
        spec = self.spec
        self.count = int(spec.root_level == spec.levels)
        self.pending = 1
        self.numbers: dict[int, list[NDArray[np.uint64]]] = {
            spec.root_level: [np.ones((1, 1), np.uint64)]
        }
        self._limbs: dict[int, int] = {spec.root_level: 1}
        super().run()

    def before_run(self, level: int, table: StateTable) -> None:
        """Put the numbers of a table's states end to end."""
        parts = self.numbers[level]
        together = np.concatenate([a[: int(n)] for a, n in zip(parts, table.sizes, strict=True)])
        self.accounts.free(sum(a.nbytes for a in parts) - together.nbytes)
        self.numbers[level] = [together]

    def after_run(self, run: Run, waiting: dict[int, NDArray[np.uint64]]) -> None:
        """Carry the numbers from those that waited before the run to those that wait now."""
        levels = self.spec.levels
        start = run.first[:, 0].copy()
        start[: run.begin] = start[run.end + 1 :] = 0
        row = run.states
        for to, states in waiting.items():
            start[to] = row
            row += len(states)
        start[levels] = row  # all accepted children are one
        given = {to: arrays[0] for to, arrays in self.numbers.items()}
        limbs = max(a.shape[1] for a in given.values())
        while True:
            self.accounts.check((row + 1) * limbs * 8)
            numbers = np.zeros((row + 1, limbs), np.uint64)
            for to, mine in given.items():
                numbers[start[to] : start[to] + len(mine), : mine.shape[1]] = mine
            if _carry_along(run.begin, run.end, run.first, run.edges, start, numbers):
                break
            limbs *= 2
        self.count += exact_sum(numbers[row:])
        self.pending = exact_sum(numbers[run.states : row])
        self.accounts.free(sum(a.nbytes for a in given.values()))
        self.numbers = {}
        self._limbs = {}
        # another run will find out what it needs
        another = not (self._sweep and self._sweep.wide)
        for to, states in waiting.items():
            room = limbs if another else max(limbs, self._limbs_of(run.end, to))
            mine = np.zeros((len(states), room), np.uint64)
            mine[:, :limbs] = numbers[start[to] : start[to] + len(states)]
            self._limbs[to] = room
            self.numbers[to] = [mine]
            self.accounts.take(mine.nbytes)

    def begin_level(self, level: int, table: StateTable) -> None:
        """Take the numbers of the parents."""
        self._here = [
            a[: int(n)] for a, n in zip(self.numbers.pop(level), table.sizes, strict=True)
        ]
        self._taken = sum(a.nbytes for a in self._here)

    def _limbs_of(self, level: int, to: int) -> int:
        """Limbs that hold any sum at level ``to``; fixed when its first child appears."""
        if to not in self._limbs:
            bound = self.pending  # partial choices alive now; each can only branch
            for k in range(level, to):
                bound *= max(len(self.spec.choices[k]), 1)
            self._limbs[to] = max(1, (bound.bit_length() + 63) // 64)
        return self._limbs[to]

    def after_wave(self, level: int, table: StateTable, jobs: list[Job]) -> None:
        """Add the parents' numbers to their children."""
        tasks: list[Callable[[], None]] = []
        sources = [
            np.repeat(
                np.arange(job.lo, job.hi, dtype=np.uint32), job.made.out.degree[: job.hi - job.lo]
            )
            for job in jobs
        ]
        for jump in range(1, self.spec.max_jump + 1):
            to = level + jump
            if all(begin == end for begin, end in (job.span(jump) for job in jobs)):
                continue
            if to == self.spec.levels:
                for job, source in zip(jobs, sources, strict=True):
                    begin, end = job.span(jump)
                    rows = source[job.made.order[begin:end]]
                    self.count += exact_sum(self._here[job.part][rows])
                continue
            target = self.tables[to]
            limbs = self._limbs_of(level, to)
            sums = self.numbers.setdefault(
                to, [np.zeros((0, limbs), np.uint64) for _ in range(target.partitions)]
            )
            for p in range(target.partitions):
                size = int(target.sizes[p])
                if size > len(sums[p]):
                    room = max(size, len(sums[p]) * 3 // 2)
                    self.accounts.check(room * limbs * 8)
                    grown = np.zeros((room, limbs), np.uint64)
                    grown[: len(sums[p])] = sums[p]
                    self.accounts.take(grown.nbytes - sums[p].nbytes)
                    sums[p] = grown
                spans = [
                    (job, source, *job.span(jump, p, target.partitions))
                    for job, source in zip(jobs, sources, strict=True)
                ]
                tasks.append(partial(self._add, spans, sums[p]))
        self._each(tasks, len(jobs) > 1)

    def _add(
        self,
        spans: list[tuple[Job, NDArray[np.uint32], int, int]],
        into: NDArray[np.uint64],
    ) -> None:
        mask = np.int64((1 << LOCAL_BITS) - 1)
        for job, source, begin, end in spans:
            if begin < end:
                numbers = self._here[job.part]
                _carry_over(job.made.order, begin, end, source, numbers, job.target, mask, into)

    def end_level(self, level: int) -> None:
        """Forget the parents' numbers; count what is alive now."""
        self.accounts.free(self._taken)
        self._here = []
        self._limbs.pop(level, None)
        self.pending = sum(
            exact_sum(a[: int(n)])
            for to, arrays in self.numbers.items()
            for a, n in zip(arrays, self.tables[to].sizes, strict=True)
        )
