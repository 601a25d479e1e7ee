"""Forward: all states, level by level, and the edges between them.

A wave takes some thousands of states of a level. First (in threads, over ranges of states) the
spec's step makes their children, which are sorted by target level and partition; then (in
threads, over partitions) the children are looked up in or entered into the tables of their
levels. What stays of a level is a few bytes an edge; keys and slots are freed as soon as the level
has been left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.engine.frontier.runs import LONGEST, Run, Sweep
from bddsudoku.engine.frontier.spec import Made, expand_range
from bddsudoku.engine.frontier.sweep import Edges, Level
from bddsudoku.engine.frontier.tables import (
    BUCKET_BITS,
    LOCAL_BITS,
    Accounts,
    StateTable,
    consumption_order,
)
from bddsudoku.engine.protocol import LevelTrace
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.spec import Spec

    Waiting = dict[int, NDArray[np.uint64]]

_CHILDREN = 1 << 17
"""Children of a job at most (unless one state alone has more)."""
_JOBS = 8
_SMALL = 8192
"""From this many states on, tables are partitioned and threads used."""


class Job:
    """Buffers of one expansion."""

    def __init__(self, room: int, states: int, spec: Spec, small: Any) -> None:
        self.made = Made(
            spec.children(room, states, small),
            np.empty(room, np.int32),
            np.empty(room, np.uint32),
            np.zeros((max(spec.max_jump, 1) << BUCKET_BITS) + 1, np.int64),
        )
        self.target = np.empty(room, np.uint32)
        self.part = self.lo = self.hi = self.edges = 0

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(a.nbytes for a in (*self.made.out, *self.made[1:], self.target))

    def span(self, jump: int, part: int = 0, parts: int = 1) -> tuple[int, int]:
        """Where in ``made.order`` the children stand that go so many levels on, to a partition."""
        width = (1 << BUCKET_BITS) // parts
        begin = ((jump - 1) << BUCKET_BITS) + part * width
        return int(self.made.starts[begin]), int(self.made.starts[begin + width])


class Forward:
    """Breadth-first construction of all states of a spec.

    Args:
        spec: what to build.
        accounts: of memory and time.
        threads: how many; the result does not depend on it.
    """

    keep_edges = True
    """False in a subclass for which :meth:`after_wave` is all that edges are for."""
    narrow: int | None = None
    """Instead of what the spec says: states up to which a level is left in a run."""
    longest = LONGEST
    """Edges of a run at most (before its last level)."""

    def __init__(
        self,
        spec: Spec,
        accounts: Accounts,
        *,
        threads: int = 1,
    ) -> None:
        self.spec = spec
        self.accounts = accounts
        self.run_width = spec.narrow if self.narrow is None else self.narrow
        self.threads = threads
        self.tables: dict[int, StateTable] = {}
        self.levels: dict[int, Level] = {}
        self.runs: list[Run] = []
        # of every level: first dense number of every partition of its states, and the total
        self.offsets = np.zeros((spec.levels, (1 << BUCKET_BITS) + 1), np.int64)
        self.trace: list[LevelTrace] = []
        accounts.trace = self.trace
        widest = max((len(c) for c in spec.choices), default=0)
        self._small = np.uint8 if widest < 256 else np.uint16
        self._jobs: list[Job] = []
        self._room = max(_CHILDREN, widest)
        self._pool: ThreadPoolExecutor | None = None
        self._sweep: Sweep | None = None
        self._keys_of = np.append(spec.words, 0).astype(np.int64)
        if spec.key_words is not None:
            self._keys_of = np.minimum(self._keys_of, spec.key_words)

    def run(self) -> None:
        """All levels. Afterwards :attr:`levels` and :attr:`runs` hold the edges.

        Raises:
            LimitReached: with the trace so far.
        """
        spec = self.spec
        level = spec.root_level
        if not 0 <= level < spec.levels:
            return
        root = spec.root.astype(np.uint64)[: int(spec.words[level])]
        waiting: Waiting = {level: root.reshape(1, -1)}
        try:
            while level < spec.levels:
                if waiting:
                    level, waiting = self._run_narrow(level, waiting)
                    continue
                if level in self.tables:
                    if self.threads > 1 and self._pool is None:
                        self._pool = ThreadPoolExecutor(self.threads)
                    self._leave(level)
                level += 1
                waiting = self._narrowed(level)
        finally:
            if self._pool:
                self._pool.shutdown()
                self._pool = None
            self._jobs.clear()
            self._close()

    def _run_narrow(self, level: int, waiting: Waiting) -> tuple[int, Waiting]:
        """Leave some levels in one loop.

        Returns:
            The next level, and the states that wait there and later; they are in the tables
            instead when there are too many for one more run.
        """
        began = perf_counter()
        if self._sweep is None:
            self._sweep = Sweep(
                self.spec, self._small, self._keys_of, self.accounts,
                narrow=self.run_width, longest=self.longest,
            )  # fmt: skip
        run, waiting = self._sweep.run(level, waiting)
        levels = range(level, run.end)
        counts = np.diff(run.first[level : run.end + 1], axis=0)
        fresh = self.offsets[level : run.end, -1] == 0  # or the names are those of a table
        self.offsets[level : run.end, 1:][fresh] = counts[fresh, :1]
        if not self._sweep.stopped:
            self.after_run(run, waiting)
        spent = perf_counter() - began
        share = spent / max(1, int(counts.sum()))
        total = self.spec.levels
        entries = [
            LevelTrace(i, total, states, edges, share * (states + edges), self.accounts.bytes)
            for i, (states, edges) in zip(levels, counts.tolist(), strict=True)
            if states
        ]
        self.trace += entries
        for entry in entries:
            self.accounts.context.report(entry.level + 1, entry.levels)
        if self._sweep.stopped:
            raise self._sweep.stopped
        if self.keep_edges:
            self.accounts.take(run.nbytes)
            self.runs.append(run)
        if run.end < self.spec.levels:
            here = len(waiting.get(run.end, ()))
            self.accounts.at(run.end, here)
            if self._sweep.wide:
                self.tables = {to: self._table_of(to, found) for to, found in waiting.items()}
                self._close()
                return run.end, {}
        return run.end, waiting

    def _close(self) -> None:
        """Give back what runs are made with."""
        if self._sweep:
            self._sweep.close()
            self._sweep = None

    def _table_of(self, level: int, states: NDArray[np.uint64]) -> StateTable:
        """A table that holds what a run has found; more may be entered."""
        table = self.new_table(level, 1)
        table.keys[0] = states
        table.sizes[0] = len(states)
        self.accounts.take(table.nbytes)
        return table

    def _narrowed(self, level: int) -> Waiting:
        """The states of the next level, if they are few now and none wait behind it."""
        table = self.tables.get(level)
        if self.spec.max_jump > 1 or table is None or 4 * table.states > self.run_width:
            return {}
        del self.tables[level]
        self.accounts.free(table.nbytes)
        self.offsets[level] = table.offsets()
        self.before_run(level, table)
        return {
            level: np.concatenate(
                [keys[: int(n)] for keys, n in zip(table.keys, table.sizes, strict=True)]
            )
        }

    def _leave(self, level: int) -> None:
        """Expand all states of a level and free their keys."""
        began = perf_counter()
        table = self.tables.pop(level)
        self.accounts.free(sum(s.nbytes for s in table.slots))
        table.seal()
        out = self.levels[level] = Level(table.states)
        self.offsets[level] = table.offsets()
        self.accounts.at(level, out.states)
        choices = consumption_order(self.spec.choices[level])
        span = max(1, min(self._room // max(len(choices), 1), 1 << 15))
        edges = 0
        self.begin_level(level, table)
        ranges = [
            (p, lo, min(lo + span, int(table.sizes[p])))
            for p in range(table.partitions)
            for lo in range(0, int(table.sizes[p]), span)
        ]
        for at in range(0, len(ranges), _JOBS):
            jobs = self._wave(level, table, choices, ranges[at : at + _JOBS], span)
            self.after_wave(level, table, jobs)
            edges += sum(job.edges for job in jobs)
            if self.keep_edges:
                chunks = self._chunks(level, jobs)
                self.accounts.take(sum(chunk.nbytes for chunk in chunks))
                out.chunks += chunks
            self.accounts.check_time()
        self.accounts.free(table.nbytes)
        del table
        self.end_level(level)
        seconds = perf_counter() - began
        entry = LevelTrace(level, self.spec.levels, out.states, edges, seconds, self.accounts.bytes)
        self.trace.append(entry)
        self.accounts.context.report(entry.level + 1, entry.levels)

    # what a counting engine hooks into
    def before_run(self, level: int, table: StateTable) -> None:
        """Called when the states of a table, in the order of their names, begin a run."""

    def after_run(self, run: Run, waiting: Waiting) -> None:
        """Called when levels have been left in a run; also with those that wait now."""

    def begin_level(self, level: int, table: StateTable) -> None:
        """Called before the states of a level are expanded."""

    def after_wave(self, level: int, table: StateTable, jobs: list[Job]) -> None:
        """Called when the children of a wave have their names."""

    def end_level(self, level: int) -> None:
        """Called when a level has been left."""

    def _wave(
        self,
        level: int,
        table: StateTable,
        choices: NDArray[np.int64],
        ranges: list[tuple[int, int, int]],
        span: int,
    ) -> list[Job]:
        """Expand some ranges of states and give their children names."""
        spec = self.spec
        while len(self._jobs) < len(ranges):
            job = Job(self._room, 1 << 15, spec, self._small)
            self.accounts.take(job.nbytes)
            self._jobs.append(job)
        jobs = self._jobs[: len(ranges)]

        def leave(job: Job, part: int, lo: int, hi: int) -> None:
            job.lo, job.hi, job.part = lo, hi, part
            job.edges = expand_range(
                spec.params, level, table.keys[part], lo, hi, choices, self._keys_of, job.made
            )

        parallel = len(ranges) > 1
        self._each([partial(leave, j, *r) for j, r in zip(jobs, ranges, strict=True)], parallel)
        tasks: list[Callable[[], None]] = []
        for jump in range(1, spec.max_jump + 1):
            if all(begin == end for begin, end in (job.span(jump) for job in jobs)):
                continue
            to = level + jump
            if to == spec.levels:
                for job in jobs:
                    begin, end = job.span(jump)
                    job.target[job.made.order[begin:end]] = 0
                continue
            target = self.tables.get(to)
            if target is None:
                big = table.states >= _SMALL
                target = self.new_table(to, 1 << BUCKET_BITS if big else 1)
                self.tables[to] = target
            for p in range(target.partitions):
                spans = [(job, *job.span(jump, p, target.partitions)) for job in jobs]
                more = sum(end - begin for _, begin, end in spans)
                if not more:
                    continue
                if int(target.sizes[p]) + more >= 1 << LOCAL_BITS:
                    raise LimitReached(
                        f"level {to} has more than 2^{LOCAL_BITS} states in one partition",
                        limit="states", trace=self.trace,
                    )  # fmt: skip
                self.accounts.check(target.room(p, more))
                tasks.append(partial(self._enter, target, p, more, spans))
        before = sum(t.nbytes for t in self.tables.values())
        self._each(tasks, parallel)
        self.accounts.take(sum(t.nbytes for t in self.tables.values()) - before)
        return jobs

    def new_table(self, level: int, partitions: int) -> StateTable:
        """An empty table for a level."""
        return StateTable(int(self.spec.words[level]), int(self._keys_of[level]), partitions)

    @staticmethod
    def _enter(
        table: StateTable, part: int, more: int, spans: Iterable[tuple[Job, int, int]]
    ) -> None:
        table.reserve(part, more)
        for job, begin, end in spans:
            if begin < end:
                table.add(part, job.made.out.rows, job.made.order, begin, end, job.target)

    def _each(self, tasks: list[Callable[[], None]], parallel: bool) -> None:
        """Run tasks, in threads if that pays."""
        if self._pool is None or not parallel:
            for task in tasks:
                task()
            return
        for future in [self._pool.submit(task) for task in tasks]:
            future.result()

    def _chunks(self, level: int, jobs: list[Job]) -> list[Edges]:
        """What stays of some jobs."""
        chunks: dict[int, Edges] = {}

        def copied(n: int, job: Job) -> None:
            m = job.edges
            chunks[n] = Edges(
                job.made.out.degree[: job.hi - job.lo].copy(),
                job.made.out.rank[:m].copy(),
                job.target[:m].copy(),
                (job.made.out.to[: m if self.spec.max_jump > 1 else 0] - level).astype(np.uint16),
            )

        self._each([partial(copied, n, job) for n, job in enumerate(jobs)], len(jobs) > 1)
        return [chunks[n] for n in range(len(jobs))]
