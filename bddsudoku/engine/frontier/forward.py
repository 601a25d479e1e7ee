"""Forward pass of the frontier engine: all states, level by level, and the edges between them.

A level is expanded in ranges of states. Threads make the children of some ranges ahead, by the
spec's step; range by range the children are looked up or inserted in the tables of their levels, so
that states are numbered alike whatever the threads do. An expanded level keeps a few bytes per
edge; its keys and slots are freed at once. A level of a few states takes some tenths of a
millisecond.

A count needs no diagram: it carries the number of paths to every state along. Then only the levels
between a state and its children are in memory at a time, so families can be counted whose diagram
would not fit. Numbers are rows of 64-bit limbs, twice as many whenever a sum does not fit, so they
are exact.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from bddsudoku.context import UNLIMITED
from bddsudoku.diagrams.counting import add_limbs
from bddsudoku.engine.frontier.spec import Children, choice_tree, expand_states
from bddsudoku.engine.frontier.state_table import ResourceAccounts, StateTable, add_states
from bddsudoku.engine.protocol import LevelTrace
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import U16, U32, U64, AnyArray
from bddsudoku.work.resources import available_threads

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.engine.frontier.spec import Spec

_STATES_PER_BUFFER = 1 << 15
"""States whose children a buffer holds, at most."""
_CHILDREN_PER_BUFFER = 1 << 17
_BYTES_PER_BUFFER = 1 << 25
"""Children that a buffer holds, fewer if they are wide (more if one state alone can have more)."""


class Edges(NamedTuple):
    """The edges of the states of a level, in flat arrays.

    Attributes:
        level: its number.
        degree: number of edges of every state.
        rank: for every edge the consumption rank of its choice.
        target: uint32; the number of the child in its level.
        jump: uint16; child level - level; empty if it is always 1.
    """

    level: int
    degree: AnyArray
    rank: AnyArray
    target: U32
    jump: U16

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return sum(a.nbytes for a in self[1:])


OnLevel: TypeAlias = Callable[[Edges, dict[int, int]], None]
"""Receives the edges of each level and, for every later level with states, their number so far."""


class ExpansionBuffer:
    """The children of a range of states.

    Attributes:
        children: their arrays.
        states, count: how many states, and how many children.
        target: uint32; the number of each child in its level.
    """

    def __init__(self, capacity: int, states: int, spec: Spec) -> None:
        self.children: Children = spec.allocate_children(capacity, states)
        self.target: U32 = np.empty(capacity, np.uint32)
        self.states = self.count = 0

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return sum(a.nbytes for a in (*self.children, self.target))

    def copy_edges_out(self, level: int, max_jump: int) -> Edges:
        """Return a copy of the edges in the buffer, without the states to which they lead."""
        m = self.count
        out = self.children
        return Edges(
            level,
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
        self._buffers: list[ExpansionBuffer] = []
        narrow = _BYTES_PER_BUFFER // (8 * max(1, int(np.max(spec.words, initial=1))))
        self._capacity = max(min(_CHILDREN_PER_BUFFER, narrow), widest)
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
        root = self._table(begin)
        root.reserve(1, self.accounts)
        root.keys[0] = spec.root.astype(np.uint64)[: root.keys.shape[1]]
        root.size = 1
        try:
            for level in range(begin, spec.levels):
                if table := self._tables.pop(level, None):
                    edges = self._expand_level(level, table)
                    del table
                    on_level(edges, {to: table.size for to, table in self._tables.items()})
        finally:
            if self._pool:
                self._pool.shutdown()
                self._pool = None
            self._buffers.clear()

    def _table(self, level: int) -> StateTable:
        """The table of a level's states, made when the first of them is met."""
        if level not in self._tables:
            words = int(self.spec.words[level]), int(self._key_words[level])
            self._tables[level] = StateTable(*words)
        return self._tables[level]

    def _expand_level(self, level: int, table: StateTable) -> Edges:
        """Expand a level range by range, free its states, and return its edges."""
        began = perf_counter()
        self.accounts.release(table.slots.nbytes)
        table.slots = table.slots[:0]
        self.accounts.note_level(level, table.size)
        chunks: list[Edges] = []
        held = 0
        for buffer in self._expand_ranges(level, table):
            self._add_children(buffer)
            chunks.append(buffer.copy_edges_out(level, self.spec.max_jump))
            held += chunks[-1].nbytes
            self.accounts.book(chunks[-1].nbytes)
            self.accounts.check_time()
        self.accounts.release(table.nbytes)
        table.keys = table.keys[:0]
        self.accounts.check_memory(held)
        _, *arrays = zip(*chunks, strict=True)
        edges = Edges(level, *map(np.concatenate, arrays))
        self.accounts.release(held)
        seconds = perf_counter() - began
        self.trace.append(
            LevelTrace(
                level, self.spec.levels, table.size, len(edges.rank), seconds, self.accounts.bytes
            )
        )
        self.accounts.context.check_and_report(level + 1, self.spec.levels)
        return edges

    def _expand_ranges(self, level: int, table: StateTable) -> Iterator[ExpansionBuffer]:
        """Make the children of all ranges of states; yield them in order, until the next is due."""
        choices = choice_tree(self.spec.choices[level]).order
        span = max(1, min(self._capacity // max(len(choices), 1), _STATES_PER_BUFFER))
        begins = range(0, table.size, span)
        room = len(choices) * min(span, table.size)

        def expand(buffer: ExpansionBuffer, lo: int) -> ExpansionBuffer:
            hi = min(lo + span, table.size)
            buffer.states = hi - lo
            buffer.count = expand_states(
                self.spec.params, level, table.keys, lo, hi, choices, buffer.children
            )
            return buffer

        if len(begins) == 1 or self.threads == 1:
            yield from (expand(self._buffer(0, room), lo) for lo in begins)
            return
        self._pool = self._pool or ThreadPoolExecutor(self.threads)
        ahead: deque[Future[ExpansionBuffer]] = deque()
        for at, lo in enumerate(begins):
            buffer = self._buffer(at % (self.threads + 1), room)
            ahead.append(self._pool.submit(expand, buffer, lo))
            if len(ahead) > self.threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()

    def _buffer(self, number: int, children: int) -> ExpansionBuffer:
        """One of the buffers, with room for so many children."""
        held = self._buffers[number : number + 1]
        if held and len(held[0].target) >= children:
            return held[0]
        buffer = ExpansionBuffer(min(2 * children, self._capacity), _STATES_PER_BUFFER, self.spec)
        self.accounts.book(buffer.nbytes - sum(old.nbytes for old in held))
        self._buffers[number : number + 1] = [buffer]
        return buffer

    def _add_children(self, buffer: ExpansionBuffer) -> None:
        """Insert the children into the tables of their levels; accepted ones have the number 0."""
        rows, _, _, levels, _ = buffer.children
        to = levels[: buffer.count]
        many = np.bincount(to)
        for level in np.flatnonzero(many).tolist():
            if level == self.spec.levels:
                buffer.target[: buffer.count][to == level] = 0
                continue
            table = self._table(level)
            table.reserve(int(many[level]), self.accounts)
            table.size = add_states(
                rows, to, level, table.size, table.key, table.slots, table.keys, buffer.target
            )


@kernel
def _add_path_counts(edges, start, numbers):  # type: ignore[no-untyped-def]
    """Add the path count of each state (paths from the root) to the counts of its children.

    Args:
        edges: the edges of a level's states.
        start: int64 (levels + 1,); row of the first state of a level.
        numbers: uint64 (rows, limbs), least limb first; the states of the level come first.

    Returns:
        False when a sum does not fit into the limbs.
    """
    level, degree, _, target, jump = edges
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

    def move_past_level(self, edges: Edges, waiting: dict[int, int]) -> None:
        """Add the path counts of an expanded level to those of the unexpanded states below it."""
        counts = self.numbers
        start = np.zeros(self.levels + 1, np.int64)
        row = len(edges.degree)
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
            if _add_path_counts(edges, start, numbers):
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
