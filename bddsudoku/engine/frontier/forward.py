"""Forward: all states, level by level, and the edges between them.

A wave takes some thousands of states of a level. First (in threads, over ranges of states) the
spec's step makes their children, which are sorted by target level and partition; then (in
threads, over partitions) the children are looked up in or entered into the tables of their
levels. What stays of a level is a few bytes an edge; keys and slots are freed as soon as the level
has been left.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bddsudoku.engine.frontier.runs import LONGEST, Run, Sweep
from bddsudoku.engine.frontier.spec import Made, expand_range
from bddsudoku.engine.frontier.sweep import Edges
from bddsudoku.engine.frontier.tables import BUCKET_BITS, LOCAL_BITS, Accounts, StateTable
from bddsudoku.engine.frontier.tries import consumption_order
from bddsudoku.engine.protocol import LevelTrace
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import I64, U64
from bddsudoku.work.resources import available_threads

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec

    Waiting = dict[int, U64]

Take: TypeAlias = Callable[[Run, dict[int, int]], None]
"""Who takes what is left of levels; also, for every later level, the names given there so far."""

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
        self.states = self.edges = 0

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(a.nbytes for a in (*self.made.out, *self.made[1:], self.target))

    def span(self, jump: int, part: int = 0, parts: int = 1) -> tuple[int, int]:
        """Where in ``made.order`` the children stand that go so many levels on, to a partition."""
        width = (1 << BUCKET_BITS) // parts
        begin = ((jump - 1) << BUCKET_BITS) + part * width
        return int(self.made.starts[begin]), int(self.made.starts[begin + width])

    def edges_of(self, level: int, max_jump: int) -> Edges:
        """What stays of it."""
        m = self.edges
        out = self.made.out
        return Edges(
            out.degree[: self.states].copy(),
            out.rank[:m].copy(),
            self.target[:m].copy(),
            (out.to[: m if max_jump > 1 else 0] - level).astype(np.uint16),
        )


def worker_count(threads: int | None) -> int:
    """The number of threads to use: as many as the process may, four at most, unless told."""
    return min(4, available_threads()) if threads is None else max(1, threads)


class Forward:
    """Breadth-first construction of all states of a spec.

    Args:
        spec: what to build.
        accounts: of memory and time.
        threads: see :func:`worker_count`; the result does not depend on it.

    Attributes:
        trace: what every level has cost.
    """

    narrow: int | None = None
    """Instead of what the spec says: states up to which a level is left in a run."""
    longest = LONGEST
    """Edges of a run at most (before its last level)."""

    def __init__(self, spec: Spec, accounts: Accounts, *, threads: int | None = None) -> None:
        self.spec = spec
        self.accounts = accounts
        self.threads = worker_count(threads)
        self.trace: list[LevelTrace] = []
        accounts.trace = self.trace
        self._run_width = spec.narrow if self.narrow is None else self.narrow
        self._tables: dict[int, StateTable] = {}
        widest = max((len(c) for c in spec.choices), default=0)
        self._small = np.uint8 if widest < 256 else np.uint16
        self._jobs: list[Job] = []
        self._room = max(_CHILDREN, widest)
        self._pool: ThreadPoolExecutor | None = None
        self._sweep: Sweep | None = None
        self._keys_of = np.append(spec.words, 0).astype(np.int64)
        if spec.key_words is not None:
            self._keys_of = np.minimum(self._keys_of, spec.key_words)

    def run(self, take: Take) -> None:
        """Leave all levels.

        Raises:
            LimitReached: with the trace so far.
        """
        spec = self.spec
        level = spec.root_level
        if not 0 <= level < spec.levels:
            return
        root = spec.root.astype(np.uint64)[: int(spec.words[level])]
        waiting: Waiting = {level: root.reshape(1, -1)}
        sizes: I64 | None = None
        try:
            while level < spec.levels:
                if not waiting and (table := self._tables.pop(level, None)):
                    if spec.max_jump == 1 and 4 * table.states <= self._run_width:
                        # few states, and none wait behind them
                        self.accounts.free(table.nbytes)
                        sizes = table.sizes
                        parts = zip(table.keys, sizes, strict=True)
                        waiting = {level: np.concatenate([keys[:n] for keys, n in parts])}
                    else:
                        run = self._leave(level, table)
                        del table
                        take(run, {to: table.rows for to, table in self._tables.items()})
                if waiting:
                    level, waiting = self._run_narrow(level, waiting, sizes, take)
                    sizes = None
                else:
                    level += 1
        finally:
            if self._pool:
                self._pool.shutdown()
                self._pool = None
            self._jobs.clear()
            self._close()

    def _run_narrow(
        self, level: int, waiting: Waiting, sizes: I64 | None, take: Take
    ) -> tuple[int, Waiting]:
        """Leave some levels in one loop.

        Returns:
            The next level, and the states that wait there and later; they are in the tables
            instead when there are too many for one more run.
        """
        began = perf_counter()
        total = self.spec.levels
        if self._sweep is None:
            self._sweep = Sweep(
                self.spec, self._small, self._keys_of, self.accounts,
                narrow=self._run_width, longest=self.longest,
            )  # fmt: skip
        if sizes is None:
            sizes = np.array([len(waiting.get(level, ()))])
        run, waiting = self._sweep.run(level, waiting, sizes)
        if run.end > level and not self._sweep.stopped:
            take(run, {to: len(states) for to, states in waiting.items()})
        counts = np.diff(run.first, axis=0)
        share = (perf_counter() - began) / max(1, int(counts.sum()))
        for at, (states, edges) in enumerate(counts.tolist(), level):
            if states:
                self._told(at, states, edges, share * (states + edges))
        if self._sweep.stopped:
            raise self._sweep.stopped
        if run.end < total:
            self.accounts.at(run.end, len(waiting.get(run.end, ())))
            if self._sweep.wide:
                self._tables = {to: self._table_of(to, found) for to, found in waiting.items()}
                self._close()
                waiting = {}
        return run.end, waiting

    def _told(self, level: int, states: int, edges: int, seconds: float) -> None:
        """Note what a level has cost."""
        entry = LevelTrace(level, self.spec.levels, states, edges, seconds, self.accounts.bytes)
        self.trace.append(entry)
        self.accounts.context.report(level + 1, entry.levels)

    def _close(self) -> None:
        """Give back what runs are made with."""
        if self._sweep:
            self._sweep.close()
            self._sweep = None

    def _new_table(self, level: int, partitions: int) -> StateTable:
        return StateTable(int(self.spec.words[level]), int(self._keys_of[level]), partitions)

    def _table_of(self, level: int, states: U64) -> StateTable:
        """A table that holds what a run has found; more may be entered."""
        table = self._new_table(level, 1)
        table.keys[0] = states
        table.sizes[0] = len(states)
        self.accounts.take(table.nbytes)
        return table

    def _leave(self, level: int, table: StateTable) -> Run:
        """Expand all states of a level and free their keys."""
        began = perf_counter()
        if self.threads > 1 and self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        self.accounts.free(sum(s.nbytes for s in table.slots))
        table.slots.clear()
        states = table.states
        self.accounts.at(level, states)
        choices = consumption_order(self.spec.choices[level])
        span = max(1, min(self._room // max(len(choices), 1), 1 << 15))
        ranges = [
            (p, lo, min(lo + span, int(table.sizes[p])))
            for p in range(table.partitions)
            for lo in range(0, int(table.sizes[p]), span)
        ]
        chunks: list[Edges] = []
        held = 0
        for at in range(0, len(ranges), _JOBS):
            for job in self._wave(level, table, choices, ranges[at : at + _JOBS]):
                chunks.append(job.edges_of(level, self.spec.max_jump))
                held += chunks[-1].nbytes
                self.accounts.take(chunks[-1].nbytes)
            self.accounts.check_time()
        self.accounts.free(table.nbytes)
        table.keys.clear()
        self.accounts.check(held)
        edges = Edges(*map(np.concatenate, zip(*chunks, strict=True)))
        self.accounts.free(held)
        first = np.array([(0, 0), (states, len(edges.rank))])
        self._told(level, states, len(edges.rank), perf_counter() - began)
        return Run(level, level + 1, first, edges, table.sizes)

    def _wave(
        self,
        level: int,
        table: StateTable,
        choices: I64,
        ranges: list[tuple[int, int, int]],
    ) -> list[Job]:
        """Expand some ranges of states and give their children names."""
        spec = self.spec
        while len(self._jobs) < len(ranges):
            job = Job(self._room, 1 << 15, spec, self._small)
            self.accounts.take(job.nbytes)
            self._jobs.append(job)
        jobs = self._jobs[: len(ranges)]

        def leave(job: Job, part: int, lo: int, hi: int) -> None:
            job.states = hi - lo
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
            if to not in self._tables:
                big = table.states >= _SMALL
                self._tables[to] = self._new_table(to, 1 << BUCKET_BITS if big else 1)
            target = self._tables[to]
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
        before = sum(t.nbytes for t in self._tables.values())
        self._each(tasks, parallel)
        self.accounts.take(sum(t.nbytes for t in self._tables.values()) - before)
        return jobs

    @staticmethod
    def _enter(table: StateTable, part: int, more: int, spans: list[tuple[Job, int, int]]) -> None:
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
