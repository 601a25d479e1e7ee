"""Backward: diagram nodes for the states that reach the end, canonical as they come.

Levels are taken bottom-up, and the variables of a level's block bottom-up, so that nodes appear in
the canonical order of :class:`bddsudoku.diagrams.zdd.Diagram`; within a variable the pairs
(low, high) are sorted, which both merges equal nodes and numbers them canonically.

Compiling and counting: the engine's front door.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import UNLIMITED
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.engine.frontier.count import CountingForward
from bddsudoku.engine.frontier.forward import Forward
from bddsudoku.engine.frontier.reduce import (
    Values,
    Workspace,
    numbered,
    read_leaf,
    reduce_run,
    sorting,
    tries_of,
)
from bddsudoku.engine.frontier.tables import NONE, Accounts, trie_of
from bddsudoku.engine.protocol import Compiled
from bddsudoku.errors import LimitReached
from bddsudoku.jit import kernel
from bddsudoku.work.resources import available_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.context import Context
    from bddsudoku.engine.frontier.runs import Run
    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.engine.frontier.sweep import Level

_LOW_HALF = 1 if sys.byteorder == "little" else 0
"""Where the low child stands in the two halves of a pair."""
_TURN = 1 << 20
"""Edges of narrow levels after which the loop lets Python look at clocks and signals."""


@kernel
def _pairs(low, high, keys, who, count):  # type: ignore[no-untyped-def]
    """Collect (low, high) of the states whose high is not empty; the others keep low."""
    shift = np.uint64(32)
    for s in range(low.shape[0]):
        if high[s] != 0:
            keys[count] = (np.uint64(low[s]) << shift) | np.uint64(high[s])
            who[count] = s
            count += 1
    return count


class Backward:
    """Turns the levels of a finished forward pass into a diagram; they are freed on the way."""

    def __init__(self, forward: Forward, accounts: Accounts) -> None:
        self.spec = forward.spec
        self.levels = forward.levels
        self.runs = forward.runs
        self.offsets = forward.offsets
        self.accounts = accounts
        self.threads = forward.threads
        self.next_id = 2
        self.segments: list[tuple[int | NDArray[np.uint16], NDArray[np.uint64]]] = []
        self._reader: ThreadPoolExecutor | None = None
        if forward.threads > 1 and self.levels:
            self._reader = ThreadPoolExecutor(1, "leaves")

    def run(self) -> Diagram:
        """The diagram.

        Raises:
            LimitReached: a limit ended it.
        """
        try:
            return self._run_all()
        finally:
            if self._reader is not None:
                self._reader.shutdown()

    def _run_all(self) -> Diagram:
        spec = self.spec
        top = spec.root_level
        if top < 0 or top == spec.levels:
            return self._freeze(0 if top < 0 else 1)
        windowed = spec.max_jump == 1
        base = np.zeros(spec.levels + 1, np.int64)
        value = np.zeros(0, np.uint32)
        if not windowed:
            base[1:] = np.cumsum(self.offsets[:, -1])
            self.accounts.take(4 * int(base[-1]))
            value = np.zeros(int(base[-1]), np.uint32)
        level = spec.levels
        while level > top:
            if self.runs and self.runs[-1].end == level:
                run = self.runs.pop()
                level = run.begin
                result = self._run(run, value, base)
                self.accounts.free(run.nbytes)
            else:
                level -= 1
                here = self.levels.pop(level, None)
                if here is None:
                    continue
                self.accounts.at(level, here.states)
                self.accounts.check_time()
                result = self._level(level, here, value, base)
                if not windowed:
                    value[base[level] : base[level] + here.states] = result
                self.accounts.free(sum(c.nbytes for c in here.chunks))
            if windowed:
                self.accounts.free(value.nbytes)
                self.accounts.take(result.nbytes)
                value = result
        return self._freeze(int(value[base[top]] if len(value) else 0))

    def _run(
        self, run: Run, value: NDArray[np.uint32], base: NDArray[np.int64]
    ) -> NDArray[np.uint32]:
        """Make the nodes of a run's levels; returns the values of the first one's states."""
        spec = self.spec
        levels = slice(run.begin, run.end)
        states, edges = np.diff(run.first[run.begin : run.end + 1], axis=0).T
        if spec.max_jump == 1:
            # behind the values of the next level, those of the run
            base = base.copy()
            base[levels] = len(value) + run.first[levels, 0]
            value = np.concatenate([value, np.zeros(run.states, np.uint32)])
        tries = tries_of(spec, run.begin, run.end)
        widest = int(states.max())
        work = tries.group * widest
        self.accounts.check(widest * (4 * tries.columns + 16) + work * 36 + value.nbytes)
        memory = Workspace(
            np.empty((tries.columns, widest), np.uint32),
            np.empty((2, widest), np.uint32),
            np.empty(widest, np.int64),
            np.empty(work, np.uint64),
            np.empty(work, np.int64),
            sorting(work, 8),
        )
        bottom = run.end
        ends = np.cumsum(edges[::-1])
        while bottom > run.begin:
            # some levels at a time, to be interruptible
            done = run.end - bottom
            before = int(ends[done - 1]) if done else 0
            take = max(1, int(np.searchsorted(ends[done:], before + _TURN, "right")))
            room = int(ends[done + take - 1]) - before
            self.accounts.at(bottom - 1, int(states[bottom - 1 - run.begin]))
            self.accounts.check_time()
            self.accounts.check(room * 16)
            made = np.empty((room, 2), np.uint64)
            count = reduce_run(
                (bottom - take, bottom), run.first, run.edges, Values(value, base, self.offsets),
                tries, memory, made, self.next_id,
            )  # fmt: skip
            self._keep(made[:count, 0].astype(np.uint16), made[:count, 1].copy())
            bottom -= take
        begin = int(base[run.begin])
        return value[begin : begin + int(states[0])].copy()

    def _keep(self, variable: int | NDArray[np.uint16], pairs: NDArray[np.uint64]) -> None:
        """Take in nodes in their final order."""
        self.next_id += len(pairs)
        if self.next_id >= 1 << 32:
            raise LimitReached("the diagram has more than 2^32 nodes", limit="nodes")
        self.accounts.take(pairs.nbytes)
        self.segments.append((variable, pairs))

    def _level(
        self,
        level: int,
        here: Level,
        value: NDArray[np.uint32],
        base: NDArray[np.int64],
    ) -> NDArray[np.uint32]:
        """Values (node ids) of the states of a level."""
        n = here.states
        trie = trie_of(self.spec.choices[level])
        self.accounts.check(n * (4 * 4 + 12))
        cursor = np.zeros(n, np.uint16)
        begins = np.cumsum([0, *(len(c.degree) for c in here.chunks)])
        zero = np.zeros(n, np.uint32)
        columns: list[NDArray[np.uint32] | None] = []

        def leaf(rank: int) -> NDArray[np.uint32]:
            out = np.empty(n, np.uint32)
            for begin, c in zip(begins, here.chunks, strict=False):
                read_leaf(rank, level, begin, c, Values(value, base, self.offsets), cursor, out)
            return out

        leaves = self._ahead(map(leaf, range(len(trie.order))))

        def branch(code: int) -> NDArray[np.uint32]:
            if code == NONE:
                return zero
            if code >= 0:
                column = columns[code]
                assert column is not None
                columns[code] = None
                return column
            return next(leaves)

        at = 0
        while at < len(trie.nodes):
            variable = trie.nodes[at].variable
            group: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]] = []
            while at < len(trie.nodes) and trie.nodes[at].variable == variable:
                node = trie.nodes[at]
                group.append((branch(node.low), branch(node.high)))
                at += 1
            columns += self._nodes(int(self.spec.first[level]) + variable, group)
        return branch(trie.root)

    def _ahead(self, columns: Iterator[NDArray[np.uint32]]) -> Iterator[NDArray[np.uint32]]:
        """The same, the next one being read while nodes are made of those before it."""
        if self._reader is None:
            yield from columns
            return
        coming = self._reader.submit(next, columns, None)
        while (column := coming.result()) is not None:
            coming = self._reader.submit(next, columns, None)
            yield column

    def _nodes(
        self, variable: int, group: list[tuple[NDArray[np.uint32], NDArray[np.uint32]]]
    ) -> list[NDArray[np.uint32]]:
        """Make the nodes of one variable; for every decision the column of values."""
        sizes = [int(np.count_nonzero(high)) for _, high in group]
        total = sum(sizes)
        if not total:
            return [low for low, _ in group]
        self.accounts.check(total * 40)
        keys = np.empty(total, np.uint64)
        who = np.empty(total, np.uint32)
        count = 0
        for low, high in group:
            count = _pairs(low, high, keys, who, count)
        ids, different = numbered(keys, self.next_id)
        self._keep(variable, different)
        out = []
        at = 0
        for (low, _), size in zip(group, sizes, strict=True):
            column = low.copy()
            column[who[at : at + size]] = ids[at : at + size]
            at += size
            out.append(column)
        return out

    def _freeze(self, root: int) -> Diagram:
        """Put the segments together."""
        size = self.next_id
        terminal = len(self.spec.labels)
        self.accounts.check(size * 10)
        variable = np.empty(size, np.uint16)
        low = np.empty(size, np.uint32)
        high = np.empty(size, np.uint32)
        variable[:2] = terminal
        low[:2] = high[:2] = 0, 1
        ends = np.cumsum([2, *(len(unique) for _, unique in self.segments)])

        def take(turn: int) -> None:
            for n in range(turn, len(self.segments), self.threads):
                v, unique = self.segments[n]
                here = slice(ends[n], ends[n + 1])
                variable[here] = v
                halves = unique.view(np.uint32).reshape(-1, 2)
                low[here] = halves[:, _LOW_HALF]
                high[here] = halves[:, 1 - _LOW_HALF]

        with ThreadPoolExecutor(self.threads, "nodes") as pool:
            list(pool.map(take, range(self.threads)))
        self.segments.clear()
        return Diagram.from_arrays(self.spec.labels, variable, low, high, root, overwrite=True)


def worker_count(threads: int | None) -> int:
    """The number of threads to use: as many as the process may, four at most, unless told."""
    return min(4, available_threads()) if threads is None else max(1, threads)


def compile_spec(
    spec: Spec, *, context: Context = UNLIMITED, threads: int | None = None
) -> Compiled:
    """The family that a spec describes, as a canonical ZDD.

    Args:
        spec: see :mod:`bddsudoku.engine.frontier.spec`.
        threads: by default the cores of the process, four at most. The result is the same.

    Raises:
        LimitReached: names the limit, the level, its states and bytes; ``trace`` holds the
            levels finished by then.
    """
    began = perf_counter()
    accounts = Accounts(context)
    forward = Forward(spec, accounts, threads=worker_count(threads))
    forward.run()
    diagram = Backward(forward, accounts).run()
    return Compiled(
        diagram,
        variables=len(spec.labels),
        levels=tuple(forward.trace),
        seconds=perf_counter() - began,
        peak_bytes=accounts.peak,
    )


def count_spec(spec: Spec, *, context: Context = UNLIMITED, threads: int | None = None) -> int:
    """Number of sets that a spec describes, without building the diagram; exact at any size.

    Takes the arguments of :func:`compile_spec`. Needs the memory of a few levels only.

    Raises:
        LimitReached: as :func:`compile_spec`.
    """
    counting = CountingForward(spec, Accounts(context), threads=worker_count(threads))
    counting.run()
    return counting.count
