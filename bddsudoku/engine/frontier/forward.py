"""Forward pass of the frontier engine: all states, level by level, and the edges between them.

A level is expanded in batches of some thousands of states. First (in threads, over ranges of
states) the spec's step makes their children, which are sorted by target level and partition; then
(in threads, over partitions) the children are looked up or inserted in the tables of their levels.
An expanded level keeps a few bytes per edge; its keys and slots are freed at once. A level of a few
states takes some tenths of a millisecond.

A count needs no diagram: it carries the number of paths to every state along. Then only the levels
between a state and its children are in memory at a time, so families can be counted whose diagram
would not fit. Numbers are rows of 64-bit limbs, twice as many whenever a sum does not fit, so they
are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from bddsudoku.context import UNLIMITED
from bddsudoku.diagrams.counting import add_limbs
from bddsudoku.engine.frontier.spec import SortedChildren, choice_tree, expand_and_sort
from bddsudoku.engine.frontier.state_table import (
    BUCKET_BITS,
    LOCAL_BITS,
    ResourceAccounts,
    StateTable,
)
from bddsudoku.engine.protocol import LevelTrace
from bddsudoku.errors import LimitReached
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U16, U32, U64, AnyArray
from bddsudoku.work.resources import available_threads

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.engine.frontier.spec import Spec

_CHILDREN_PER_BUFFER = 1 << 17
_BYTES_PER_BUFFER = 1 << 25
"""Children that a buffer holds, fewer if they are wide (more if one state alone can have more)."""
_BUFFERS = 8
_PARTITIONED_FROM = 8192
"""From this many states on, tables are partitioned and threads used."""


class Edges(NamedTuple):
    """The edges of the states of a level, in flat arrays.

    Attributes:
        degree: number of edges of every state.
        rank: for every edge the consumption rank of its choice.
        target: uint32; the name of the child in its level.
        jump: uint16; child level - level; empty if it is always 1.
    """

    degree: AnyArray
    rank: AnyArray
    target: U32
    jump: U16

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return sum(a.nbytes for a in self)


@dataclass(frozen=True, slots=True, eq=False)
class ExpandedLevel:
    """A level whose states have been expanded.

    Attributes:
        level: its number.
        edges: the edges of its states, which are ordered by partition.
        sizes: int64 (partitions,); states by partition.
    """

    level: int
    edges: Edges
    sizes: I64

    @property
    def state_count(self) -> int:
        """The number of states."""
        return len(self.edges.degree)

    @property
    def state_names(self) -> I64:
        """For each state the name by which edges refer to it."""
        parts = len(self.sizes)
        return np.concatenate([p + parts * np.arange(n) for p, n in enumerate(self.sizes)])

    @property
    def state_name_bound(self) -> int:
        """A bound below which all names lie."""
        return len(self.sizes) * int(self.sizes.max())


OnLevel: TypeAlias = Callable[[ExpandedLevel, dict[int, int]], None]
"""Receives each expanded level and, for every later level with states, its bound on names."""


class ExpansionBuffers:
    """Output of expanding one range of states: sorted children, and edges."""

    def __init__(self, capacity: int, states: int, spec: Spec) -> None:
        self.sorted_children: SortedChildren = SortedChildren(
            spec.allocate_children(capacity, states),
            np.empty(capacity, np.int32),
            np.empty(capacity, np.uint32),
            np.zeros((max(spec.max_jump, 1) << BUCKET_BITS) + 1, np.int64),
        )
        self.target: U32 = np.empty(capacity, np.uint32)
        self.states = self.edges = 0

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return sum(
            a.nbytes for a in (*self.sorted_children.out, *self.sorted_children[1:], self.target)
        )

    def child_range(self, jump: int, partition: int = 0, parts: int = 1) -> tuple[int, int]:
        """Return the range of the sorted children of one hash partition, `jump` levels below."""
        width = (1 << BUCKET_BITS) // parts
        begin = ((jump - 1) << BUCKET_BITS) + partition * width
        return int(self.sorted_children.starts[begin]), int(
            self.sorted_children.starts[begin + width]
        )

    def copy_edges_out(self, level: int, max_jump: int) -> Edges:
        """Return a copy of the edges in the buffers, without the states to which they lead."""
        m = self.edges
        out = self.sorted_children.out
        return Edges(
            out.degree[: self.states].copy(),
            out.rank[:m].copy(),
            self.target[:m].copy(),
            (out.to[: m if max_jump > 1 else 0] - level).astype(np.uint16),
        )


def thread_count(threads: int | None) -> int:
    """The number of threads to use; by default those available to the process, at most four."""
    return min(4, available_threads()) if threads is None else max(1, threads)


class ForwardPass:
    """The forward pass: breadth-first construction of all states of a spec.

    Args:
        spec: the spec to expand.
        accounts: checks memory and time.
        threads: see :func:`thread_count`; the result does not depend on it.

    Attributes:
        trace: states, edges and seconds of every finished level.
    """

    def __init__(
        self, spec: Spec, accounts: ResourceAccounts, *, threads: int | None = None
    ) -> None:
        self.spec = spec
        self.accounts = accounts
        self.threads: int = thread_count(threads)
        self.trace: list[LevelTrace] = []
        accounts.trace = self.trace
        self._tables: dict[int, StateTable] = {}
        widest = max((len(c) for c in spec.choices), default=0)
        self._buffers: list[ExpansionBuffers] = []
        narrow = _BYTES_PER_BUFFER // (8 * max(1, int(np.max(spec.words, initial=1))))
        self._capacity = max(min(_CHILDREN_PER_BUFFER, narrow), widest)
        self._buffer_size = 0
        self._pool: ThreadPoolExecutor | None = None
        self._key_words = spec.key_words_by_level

    def expand_all_levels(self, on_level: OnLevel) -> None:
        """Expand all levels, and pass the edges of each to ``on_level``.

        Raises:
            LimitReached: with the trace so far.
        """
        spec = self.spec
        begin = spec.root_level
        if not 0 <= begin < spec.levels:
            return
        root = self._tables[begin] = self._new_table(begin, 1)
        root.keys[0] = spec.root.astype(np.uint64)[None, : root.words]
        root.sizes[0] = 1
        self.accounts.book(root.nbytes)
        try:
            for level in range(begin, spec.levels):
                if table := self._tables.pop(level, None):
                    done = self._expand_level(level, table)
                    del table
                    waiting = {to: table.state_name_bound for to, table in self._tables.items()}
                    on_level(done, waiting)
        finally:
            if self._pool:
                self._pool.shutdown()
                self._pool = None
            self._buffers.clear()

    def _new_table(self, level: int, partitions: int) -> StateTable:
        return StateTable(int(self.spec.words[level]), int(self._key_words[level]), partitions)

    def _expand_level(self, level: int, table: StateTable) -> ExpandedLevel:
        """Expand a level batch by batch, free its states, and return its edges."""
        began = perf_counter()
        if self.threads > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        self.accounts.release(sum(s.nbytes for s in table.slots))
        table.slots.clear()
        states = table.state_count
        self.accounts.note_level(level, states)
        choices = choice_tree(self.spec.choices[level]).order
        span = max(1, min(self._capacity // max(len(choices), 1), 1 << 15))
        ranges = [
            (p, lo, min(lo + span, int(table.sizes[p])))
            for p in range(table.partitions)
            for lo in range(0, int(table.sizes[p]), span)
        ]
        chunks: list[Edges] = []
        held = 0
        for at in range(0, len(ranges), _BUFFERS):
            for job in self._expand_ranges(level, table, choices, ranges[at : at + _BUFFERS]):
                chunks.append(job.copy_edges_out(level, self.spec.max_jump))
                held += chunks[-1].nbytes
                self.accounts.book(chunks[-1].nbytes)
            self.accounts.check_time()
        self.accounts.release(table.nbytes)
        table.keys.clear()
        self.accounts.check_memory(held)
        edges = Edges(*map(np.concatenate, zip(*chunks, strict=True)))
        self.accounts.release(held)
        seconds = perf_counter() - began
        self.trace.append(
            LevelTrace(
                level, self.spec.levels, states, len(edges.rank), seconds, self.accounts.bytes
            )
        )
        self.accounts.context.check_and_report(level + 1, self.spec.levels)
        return ExpandedLevel(level, edges, table.sizes)

    def _expand_ranges(
        self, level: int, table: StateTable, choices: I64, ranges: list[tuple[int, int, int]]
    ) -> list[ExpansionBuffers]:
        """Expand one batch of ranges of states and insert their children into the tables."""
        spec = self.spec
        children = len(choices) * max(hi - lo for _, lo, hi in ranges)
        if children > self._buffer_size:
            self.accounts.release(sum(job.nbytes for job in self._buffers))
            self._buffers.clear()
            self._buffer_size = min(2 * children, self._capacity)
        while len(self._buffers) < len(ranges):
            job = ExpansionBuffers(self._buffer_size, 1 << 15, spec)
            self.accounts.book(job.nbytes)
            self._buffers.append(job)
        buffers = self._buffers[: len(ranges)]

        def expand(job: ExpansionBuffers, part: int, lo: int, hi: int) -> None:
            job.states = hi - lo
            job.edges = expand_and_sort(
                spec.params,
                level,
                table.keys[part],
                lo,
                hi,
                choices,
                self._key_words,
                job.sorted_children,
            )

        parallel = len(ranges) > 1
        self._run_tasks(
            [partial(expand, j, *r) for j, r in zip(buffers, ranges, strict=True)], parallel
        )
        tasks: list[Callable[[], None]] = []
        begins = sum(job.sorted_children.starts[:: 1 << BUCKET_BITS] for job in buffers)
        for jump in (np.flatnonzero(np.diff(begins)) + 1).tolist():
            to = level + jump
            if to == spec.levels:
                for job in buffers:
                    begin, end = job.child_range(jump)
                    job.target[job.sorted_children.order[begin:end]] = 0
                continue
            if to not in self._tables:
                big = table.state_count >= _PARTITIONED_FROM
                self._tables[to] = self._new_table(to, 1 << BUCKET_BITS if big else 1)
            target = self._tables[to]
            for p in range(target.partitions):
                spans = [(job, *job.child_range(jump, p, target.partitions)) for job in buffers]
                more = sum(end - begin for _, begin, end in spans)
                if not more:
                    continue
                if int(target.sizes[p]) + more >= 1 << LOCAL_BITS:
                    raise LimitReached(
                        f"level {to} has more than 2^{LOCAL_BITS} states in one partition",
                        limit="states", trace=self.trace,
                    )  # fmt: skip
                self.accounts.check_memory(target.growth_bytes(p, more))
                tasks.append(partial(self._add_children, target, p, more, spans))
        before = sum(t.nbytes for t in self._tables.values())
        self._run_tasks(tasks, parallel)
        self.accounts.book(sum(t.nbytes for t in self._tables.values()) - before)
        return buffers

    @staticmethod
    def _add_children(
        table: StateTable,
        partition: int,
        child_count: int,
        spans: list[tuple[ExpansionBuffers, int, int]],
    ) -> None:
        """Insert children from several buffers into one partition of a state table."""
        table.reserve(partition, child_count)
        for job, begin, end in spans:
            if begin < end:
                table.add(
                    partition,
                    job.sorted_children.out.rows,
                    job.sorted_children.order,
                    begin,
                    end,
                    job.target,
                )

    def _run_tasks(self, tasks: list[Callable[[], None]], parallel: bool) -> None:
        """Run tasks in the pool's threads if ``parallel``, else in the calling thread."""
        if self._pool is None or not parallel:
            for task in tasks:
                task()
            return
        for future in [self._pool.submit(task) for task in tasks]:
            future.result()


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
        self.levels: int = spec.levels
        self.accounts = accounts
        self.total: int = int(spec.root_level == spec.levels)
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
