"""Forward pass of the frontier engine: all states, level by level, and the edges between them.

A level is expanded in batches of some thousands of states. First (in threads, over ranges of
states) the spec's step makes their children, which are sorted by target level and partition; then
(in threads, over partitions) the children are looked up or inserted in the tables of their levels.
An expanded level keeps a few bytes per edge; its keys and slots are freed at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bddsudoku.engine.frontier.choice_trees import choice_tree
from bddsudoku.engine.frontier.small_levels import LevelRun, SmallLevels
from bddsudoku.engine.frontier.small_levels_kernel import Edges
from bddsudoku.engine.frontier.spec import SortedChildren, expand_and_sort
from bddsudoku.engine.frontier.state_table import (
    BUCKET_BITS,
    LOCAL_BITS,
    ResourceAccounts,
    StateTable,
)
from bddsudoku.engine.protocol import LevelTrace
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import I64, U64
from bddsudoku.work.resources import available_threads

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec

    WaitingStates = dict[int, U64]

OnRun: TypeAlias = Callable[[LevelRun, dict[int, int]], None]
"""Receives each finished run and, for every later level with states, its bound on names."""

_CHILDREN_PER_BUFFER = 1 << 17
"""Children that a buffer holds (more if one state alone can have more)."""
_BUFFERS = 8
_PARTITIONED_FROM = 8192
"""From this many states on, tables are partitioned and threads used."""


class ExpansionBuffers:
    """Output of expanding one range of states: sorted children, and edges."""

    def __init__(self, capacity: int, states: int, spec: Spec) -> None:
        self.sorted_children = SortedChildren(
            spec.allocate_children(capacity, states),
            np.empty(capacity, np.int32),
            np.empty(capacity, np.uint32),
            np.zeros((max(spec.max_jump, 1) << BUCKET_BITS) + 1, np.int64),
        )
        self.target = np.empty(capacity, np.uint32)
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
        self.threads = thread_count(threads)
        self.trace: list[LevelTrace] = []
        accounts.trace = self.trace
        self._tables: dict[int, StateTable] = {}
        widest = max((len(c) for c in spec.choices), default=0)
        self._buffers: list[ExpansionBuffers] = []
        self._capacity = max(_CHILDREN_PER_BUFFER, widest)
        self._pool: ThreadPoolExecutor | None = None
        self._small_levels: SmallLevels | None = None
        self._key_words = spec.key_words_by_level

    def expand_all_levels(self, on_run: OnRun) -> None:
        """Expand all levels, and pass the edges of each finished run of levels to ``on_run``.

        Raises:
            LimitReached: with the trace so far.
        """
        spec = self.spec
        level = spec.root_level
        if not 0 <= level < spec.levels:
            return
        root = spec.root.astype(np.uint64)[: int(spec.words[level])]
        waiting: WaitingStates = {level: root.reshape(1, -1)}
        sizes: I64 | None = None
        try:
            while level < spec.levels:
                if not waiting and (table := self._tables.pop(level, None)):
                    if spec.max_jump == 1 and 4 * table.state_count <= spec.small_level:
                        # few states, and none wait behind them
                        self.accounts.release(table.nbytes)
                        sizes = table.sizes
                        parts = zip(table.keys, sizes, strict=True)
                        waiting = {level: np.concatenate([keys[:n] for keys, n in parts])}
                    else:
                        run = self._expand_level(level, table)
                        del table
                        on_run(
                            run,
                            {to: table.state_number_bound for to, table in self._tables.items()},
                        )
                if waiting:
                    level, waiting = self._expand_small_levels(level, waiting, sizes, on_run)
                    sizes = None
                else:
                    level += 1
        finally:
            if self._pool:
                self._pool.shutdown()
                self._pool = None
            self._buffers.clear()
            self._release_small_levels()

    def _expand_small_levels(
        self, level: int, waiting: WaitingStates, sizes: I64 | None, on_run: OnRun
    ) -> tuple[int, WaitingStates]:
        """Expand consecutive levels of few states in one compiled loop.

        Returns:
            The next level, and the states waiting there and on later levels; they are in the
            tables instead when they are too many for another run.
        """
        began = perf_counter()
        total = self.spec.levels
        if self._small_levels is None:
            self._small_levels = SmallLevels(self.spec, self.accounts)
        if sizes is None:
            sizes = np.array([len(waiting.get(level, ()))])
        run, waiting = self._small_levels.expand_levels(level, waiting, sizes)
        if run.end > level and not self._small_levels.stopped:
            on_run(run, {to: len(states) for to, states in waiting.items()})
        counts = np.diff(run.first, axis=0)
        seconds_per_edge = (perf_counter() - began) / max(1, int(counts.sum()))
        for at, (states, edges) in enumerate(counts.tolist(), level):
            if states:
                self._record_level(at, states, edges, seconds_per_edge * (states + edges))
        if self._small_levels.stopped:
            raise self._small_levels.stopped
        if run.end < total:
            self.accounts.note_level(run.end, len(waiting.get(run.end, ())))
            if self._small_levels.wide:
                self._tables = {
                    to: self._table_from_states(to, found) for to, found in waiting.items()
                }
                self._release_small_levels()
                waiting = {}
        return run.end, waiting

    def _record_level(self, level: int, states: int, edges: int, seconds: float) -> None:
        """Append a level's states, edges and time to the trace, and report progress."""
        entry = LevelTrace(level, self.spec.levels, states, edges, seconds, self.accounts.bytes)
        self.trace.append(entry)
        self.accounts.context.check_and_report(level + 1, entry.levels)

    def _release_small_levels(self) -> None:
        """Free the workspace of the loop over levels of few states."""
        if self._small_levels:
            self._small_levels.release_booked_bytes()
            self._small_levels = None

    def _new_table(self, level: int, partitions: int) -> StateTable:
        """Make an empty state table for a level."""
        return StateTable(int(self.spec.words[level]), int(self._key_words[level]), partitions)

    def _table_from_states(self, level: int, states: U64) -> StateTable:
        """Make a level's state table from states that the loop over small levels has reached."""
        table = self._new_table(level, 1)
        table.keys[0] = states
        table.sizes[0] = len(states)
        self.accounts.book(table.nbytes)
        return table

    def _expand_level(self, level: int, table: StateTable) -> LevelRun:
        """Expand a large level batch by batch, free its states, and return its edges."""
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
        first = np.array([(0, 0), (states, len(edges.rank))])
        self._record_level(level, states, len(edges.rank), perf_counter() - began)
        return LevelRun(level, level + 1, first, edges, table.sizes)

    def _expand_ranges(
        self, level: int, table: StateTable, choices: I64, ranges: list[tuple[int, int, int]]
    ) -> list[ExpansionBuffers]:
        """Expand one batch of ranges of states and insert their children into the tables."""
        spec = self.spec
        while len(self._buffers) < len(ranges):
            job = ExpansionBuffers(self._capacity, 1 << 15, spec)
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
        for jump in range(1, spec.max_jump + 1):
            if all(begin == end for begin, end in (job.child_range(jump) for job in buffers)):
                continue
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
