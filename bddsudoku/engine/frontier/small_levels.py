"""Forward pass over small levels: consecutive levels of few states in one compiled loop.

A level of a few states must not cost a trip through Python. A *run* expands level after level as
long as few states wait. All waiting states, of whatever level, share one pool and one hash table;
every level has its own linked list through the pool, in the order in which its states were found.
The result of a run is its edges, in flat arrays. Larger levels are expanded by :mod:`.forward`,
with partitions and threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.frontier.choice_trees import choice_tree
from bddsudoku.engine.frontier.small_levels_kernel import (
    EDGE,
    FREE,
    FRESH,
    GROW,
    LEVEL,
    LIVE,
    PAUSE,
    STATE,
    USED,
    WIDE,
    ChildBuffers,
    Edges,
    LevelConstants,
    StatePool,
    copy_linked_states,
    expand_small_levels,
    rebuild_hash_table,
)
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import I64, U64, AnyArray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.engine.frontier.state_table import ResourceAccounts

MAX_RUN_EDGES = 1 << 22
"""A run ends after this many edges, so that a count need not keep the edges of all levels."""
_STATES_PER_CALL = 1 << 12, 1 << 19
"""States expanded per call of the kernel, at first and at most; Python checks clocks between."""
_CALL_SECONDS = 0.1
"""Target time of a kernel call: the number of states per call doubles or halves to meet it."""
_RUN_SECONDS = 0.5
"""A run ends with its current level after this time, so that progress can be reported."""
_CHILDREN_PER_STEP = 512
"""Children made per call of the spec's step (more if one state alone can have more)."""


@dataclass(frozen=True, slots=True, eq=False)
class LevelRun:
    """The edges of consecutive small levels, or of a single large one.

    Attributes:
        begin: first level.
        end: level after the last.
        first: int64 (levels + 1, 2); for every level of the run, and the one after it, the first
            of its states and of their edges in ``edges``.
        edges: the edges of all states of the run.
        sizes: int64 (partitions,); states of the first level by partition. Its states are ordered
            and named by partition; the other levels have one partition.
    """

    begin: int
    end: int
    first: I64
    edges: Edges
    sizes: I64

    @property
    def state_count(self) -> int:
        """The number of states on all levels together."""
        return len(self.edges.degree)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays in bytes."""
        return self.first.nbytes + self.edges.nbytes

    @property
    def first_level_state_numbers(self) -> I64:
        """For each state of the first level, the number by which edges refer to it."""
        parts = len(self.sizes)
        return np.concatenate([p + parts * np.arange(n) for p, n in enumerate(self.sizes)])

    @property
    def state_number_bound(self) -> int:
        """A bound below which all state numbers of the first level lie."""
        return len(self.sizes) * int(self.sizes.max())


class SmallLevels:
    """Workspace and driver of the compiled loop that expands small levels.

    Args:
        spec: the spec to expand; a run goes on up to ``spec.small_level`` states of a level, and
            sixteen times as many waiting on all levels together.
        accounts: checks memory and time.

    Attributes:
        stopped: the error to raise when the last run reached a limit.
        wide: whether the last run ended because too many states wait.
    """

    def __init__(self, spec: Spec, accounts: ResourceAccounts) -> None:
        self.spec = spec
        self.accounts = accounts
        orders = [choice_tree(choices).order for choices in spec.choices]
        self._plan = LevelConstants(
            spec.words.astype(np.int64),
            spec.key_words_by_level,
            np.concatenate(orders),
            np.cumsum([0, *map(len, orders)]),
        )
        made = max(_CHILDREN_PER_STEP, *map(len, orders))
        self._buffers = ChildBuffers(
            np.empty(_CHILDREN_PER_STEP * spec.max_words, np.uint64),
            np.empty((made, spec.max_words), np.uint64),
            np.empty(made, np.int64),
            np.zeros(max(spec.scratch, 1), np.uint64),
        )
        capacity = 4 * made
        self._pool = StatePool(
            np.empty((capacity, spec.max_words), np.uint64),
            np.empty(capacity, np.int64),
            np.empty(capacity, np.int64),
            np.empty(capacity, np.uint32),
            np.full((spec.levels, 3), -1, np.int64),
            np.zeros(1 << (4 * capacity).bit_length() - 1, np.uint64),
        )
        self._account = np.zeros(8, np.int64)
        self._booked = 0
        self.stopped: LimitReached | None = None
        self.wide = False
        self._book_array_growth()

    def _book_array_growth(self) -> None:
        """Count the arrays' growth since the last call as memory in use."""
        size = sum(a.nbytes for a in (*self._pool, *self._buffers))
        self.accounts.book(size - self._booked)
        self._booked = size

    def release_booked_bytes(self) -> None:
        """Subtract the arrays' bytes from the memory that counts against the limit."""
        self.accounts.release(self._booked)
        self._booked = 0

    def expand_levels(
        self, level: int, waiting: Mapping[int, U64], sizes: I64
    ) -> tuple[LevelRun, dict[int, U64]]:
        """Expand levels from ``level`` on for as long as they have few states.

        Args:
            level: the first level to expand.
            waiting: states of that level and, in specs that skip levels, of later ones.
            sizes: states of the first level by partition; see :class:`LevelRun`.

        Returns:
            The edges, and the states waiting now on later levels. A level without states counts
            as expanded. Sets :attr:`wide` and :attr:`stopped`.
        """
        self._load_states(level, waiting)
        first = np.zeros((self.spec.levels + 1, 2), np.int64)
        edges = Edges(
            np.empty(1 << 12, self.spec.rank_type),
            np.empty(1 << 13, self.spec.rank_type),
            np.empty(1 << 13, np.uint32),
            np.empty(1 << 13 if self.spec.max_jump > 1 else 0, np.uint16),
        )
        account = self._account
        why = GROW
        self.stopped = None
        began = perf_counter()
        states_per_call, longest = _STATES_PER_CALL[0], MAX_RUN_EDGES
        while why in (GROW, PAUSE):
            spare = len(self._buffers.to)
            degree, rank, target, jump = edges
            if account[EDGE] + spare > len(rank):
                rank, target = _grown_copy(rank, spare), _grown_copy(target, spare)
                jump = _grown_copy(jump, spare) if len(jump) else jump
            if account[STATE] + spare > len(degree):
                degree = _grown_copy(degree, spare)
            edges = Edges(degree, rank, target, jump)
            next_level = int(account[LEVEL])
            try:
                self.accounts.note_level(next_level, int(self._pool.lists[next_level, 2]))
                self.accounts.check_time()
                self.accounts.check_memory(edges.nbytes)
                self._reserve(spare)
            except LimitReached as stop:
                self.stopped = stop
                break
            call = perf_counter()
            if call - began > _RUN_SECONDS:
                longest = 0
            why = expand_small_levels(
                self.spec.params, self._plan, (self.spec.small_level, longest, states_per_call),
                account, self._pool, edges, first, self._buffers,
            )  # fmt: skip
            if why == PAUSE:
                returned_early = perf_counter() - call < _CALL_SECONDS
                states_per_call = (
                    min(2 * states_per_call, _STATES_PER_CALL[1])
                    if returned_early
                    else max(states_per_call // 2, 64)
                )
        end = int(account[LEVEL])
        states, made = first[end].tolist()  # without those of an unfinished level
        degree, rank, target, jump = edges
        edges = Edges(
            degree[:states].copy(), rank[:made].copy(), target[:made].copy(), jump[:made].copy()
        )
        self.wide = why == WIDE
        run = LevelRun(level, end, first[level : end + 1].copy(), edges, sizes)
        return run, {} if self.stopped else self._copy_waiting_states(end)

    def _load_states(self, level: int, waiting: Mapping[int, U64]) -> None:
        """Fill the empty pool of states and its hash table with the waiting states."""
        account = self._account
        account[:] = 0
        account[FREE] = -1
        account[LEVEL] = level
        self._pool.lists[:] = -1
        self._pool.lists[:, 2] = 0
        count = sum(len(states) for states in waiting.values())
        self._reserve(count)
        pool = self._pool
        at = 0
        for waiting_level, states in waiting.items():
            end = at + len(states)
            pool.states[at:end, : states.shape[1]] = states
            pool.link[at:end] = np.arange(at + 1, end + 1)
            pool.link[end - 1] = -1
            pool.level_of[at:end] = waiting_level
            pool.name[at:end] = np.arange(len(states))
            pool.lists[waiting_level] = at, end - 1, len(states)
            at = end
        account[LIVE] = account[FRESH] = count
        pool.slots[:] = 0
        account[USED] = rebuild_hash_table(pool, count, self._plan.key_words)

    def _reserve(self, more: int) -> None:
        """Enlarge the pool of states and its hash table so that ``more`` states fit."""
        account, pool = self._account, self._pool
        if account[LIVE] + more > len(pool.link):
            self.accounts.check_memory(2 * more * (pool.states.shape[1] * 8 + 20))
            self._pool = pool = pool._replace(
                states=_grown_copy(pool.states, more),
                link=_grown_copy(pool.link, more),
                level_of=_grown_copy(pool.level_of, more),
                name=_grown_copy(pool.name, more),
            )
        if 3 * (int(account[USED]) + more) > 2 * len(pool.slots):
            size = len(pool.slots)
            while 3 * (int(account[LIVE]) + more) > size:
                size *= 2
            self._pool = pool = pool._replace(slots=np.zeros(size, np.uint64))
            account[USED] = rebuild_hash_table(pool, int(account[FRESH]), self._plan.key_words)
        self._book_array_growth()

    def _copy_waiting_states(self, first_level: int) -> dict[int, U64]:
        """Copy the states still to be expanded, by level, for ``first_level`` and deeper levels."""
        pool = self._pool
        out = {}
        for waiting_level in (
            np.flatnonzero(pool.lists[first_level:, 0] >= 0) + first_level
        ).tolist():
            words = int(self._plan.words[waiting_level])
            states = np.empty((int(pool.lists[waiting_level, 2]), words), np.uint64)
            copy_linked_states(pool.states, pool.link, int(pool.lists[waiting_level, 0]), states)
            out[waiting_level] = states
        return out


def _grown_copy(array: AnyArray, more: int) -> AnyArray:
    """Copy an array into one with twice as many rows plus ``more``."""
    grown = np.empty((2 * len(array) + more, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
