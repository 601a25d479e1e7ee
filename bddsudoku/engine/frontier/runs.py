"""Narrow levels in one compiled loop: a level of a few states must not cost a trip through Python.

A *run* leaves level after level for as long as few states wait. All waiting states, whatever their
level, share one pool and one hash table; every level has its own linked list through the pool, in
the order in which its states were found. What stays of a run are its edges, in flat arrays. Where
states become many, the engine of :mod:`.forward` takes over, with its partitions and threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.engine.frontier.sweep import (
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
    Buffers,
    Edges,
    Levels,
    Pool,
    collect,
    enter_again,
    sweep,
)
from bddsudoku.engine.frontier.tries import consumption_order
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import I64, U64, AnyArray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.engine.frontier.tables import Accounts

LONGEST = 1 << 22
"""Edges after which a run ends, so that a count need not keep them all."""
_TURNS = 1 << 12, 1 << 19
"""States after which the loop lets Python look at clocks and signals: at first, and at most …"""
_TURN_SECONDS = 0.1
"""… as long as it returns within this time, more or less."""
_RUN_SECONDS = 0.5
"""Time after which a run ends with its level, so that progress can be told."""
_CHILDREN = 512
"""Children that are made in one go, unless one state alone has more."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The edges of consecutive narrow levels, or of a wide one.

    Attributes:
        begin: first level.
        end: level after the last.
        first: int64 (levels + 1, 2); for every level of the run, and the one after it, the first
            of its states and of their edges in ``edges``.
        edges: of all its states.
        sizes: int64 (partitions,); of the first level, whose states are named by partition and
            stand one partition after the other. The others have one partition.
    """

    begin: int
    end: int
    first: I64
    edges: Edges
    sizes: I64

    @property
    def states(self) -> int:
        """States of all its levels."""
        return len(self.edges.degree)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.first.nbytes + self.edges.nbytes

    @property
    def names(self) -> I64:
        """Names of the states of the first level."""
        parts = len(self.sizes)
        return np.concatenate([p + parts * np.arange(n) for p, n in enumerate(self.sizes)])

    @property
    def rows(self) -> int:
        """Greatest of them and 1."""
        return len(self.sizes) * int(self.sizes.max())


class Sweep:
    """Leaves levels one after the other, all in one loop.

    Args:
        spec: what to build.
        small: type of degrees and ranks.
        keys_of: int64 (levels + 1,); words of a level that decide equality.
        accounts: of memory and time.
        narrow: states of a level up to which a run goes on; sixteen times as many may wait on
            all levels together.
        longest: edges after which it ends.
    """

    def __init__(
        self,
        spec: Spec,
        small: Any,
        keys_of: I64,
        accounts: Accounts,
        *,
        narrow: int,
        longest: int,
    ) -> None:
        self.spec = spec
        self.accounts = accounts
        self._narrow = narrow
        self._longest = longest
        orders = [consumption_order(choices) for choices in spec.choices]
        self._plan = Levels(
            spec.words.astype(np.int64),
            keys_of,
            np.concatenate(orders),
            np.cumsum([0, *map(len, orders)]),
        )
        self._small = small
        made = max(_CHILDREN, *map(len, orders))
        self._buffers = Buffers(
            np.empty(_CHILDREN * spec.max_words, np.uint64),
            np.empty((made, spec.max_words), np.uint64),
            np.empty(made, np.int64),
            np.zeros(max(spec.scratch, 1), np.uint64),
        )
        capacity = 4 * made
        self._pool = Pool(
            np.empty((capacity, spec.max_words), np.uint64),
            np.empty(capacity, np.int64),
            np.empty(capacity, np.int64),
            np.empty(capacity, np.uint32),
            np.full((spec.levels, 3), -1, np.int64),
            np.zeros(1 << (4 * capacity).bit_length() - 1, np.uint64),
        )
        self._account = np.zeros(8, np.int64)
        self._grown = 0
        self.stopped: LimitReached | None = None
        self.wide = False
        self._book()

    def _book(self) -> None:
        """Tell the accounts how much more is held than before."""
        size = sum(a.nbytes for a in (*self._pool, *self._buffers))
        self.accounts.take(size - self._grown)
        self._grown = size

    def close(self) -> None:
        """Give everything back."""
        self.accounts.free(self._grown)
        self._grown = 0

    def run(self, level: int, waiting: Mapping[int, U64], sizes: I64) -> tuple[Run, dict[int, U64]]:
        """Leave as many levels as stay narrow.

        Args:
            level: where to begin.
            waiting: states of that level and, where levels are jumped, of later ones.
            sizes: see :class:`Run`.

        Returns:
            The edges, and the states that wait now (in later levels). A level that has no states
            counts as left. :attr:`wide` says whether states became too many. Where a limit was
            reached, :attr:`stopped` holds what is to be raised.
        """
        self._begin(level, waiting)
        first = np.zeros((self.spec.levels + 1, 2), np.int64)
        edges = Edges(
            np.empty(1 << 12, self._small),
            np.empty(1 << 13, self._small),
            np.empty(1 << 13, np.uint32),
            np.empty(1 << 13 if self.spec.max_jump > 1 else 0, np.uint16),
        )
        account = self._account
        why = GROW
        self.stopped = None
        began = perf_counter()
        turn, longest = _TURNS[0], self._longest
        while why in (GROW, PAUSE):
            room = len(self._buffers.to)
            degree, rank, target, jump = edges
            if account[EDGE] + room > len(rank):
                rank, target = _doubled(rank, room), _doubled(target, room)
                jump = _doubled(jump, room) if len(jump) else jump
            if account[STATE] + room > len(degree):
                degree = _doubled(degree, room)
            edges = Edges(degree, rank, target, jump)
            here = int(account[LEVEL])
            try:
                self.accounts.at(here, int(self._pool.lists[here, 2]))
                self.accounts.check_time()
                self.accounts.check(edges.nbytes)
                self._make_room(room)
            except LimitReached as stop:
                self.stopped = stop
                break
            call = perf_counter()
            if call - began > _RUN_SECONDS:
                longest = 0
            why = sweep(
                self.spec.params, self._plan, (self._narrow, longest, turn), account, self._pool,
                edges, first, self._buffers,
            )  # fmt: skip
            if why == PAUSE:
                quick = perf_counter() - call < _TURN_SECONDS
                turn = min(2 * turn, _TURNS[1]) if quick else max(turn // 2, 64)
        end = int(account[LEVEL])
        states, made = first[end].tolist()  # those of a level that was not finished do not count
        degree, rank, target, jump = edges
        edges = Edges(
            degree[:states].copy(),
            rank[:made].copy(),
            target[:made].copy(),
            jump[:made].copy(),
        )
        self.wide = why == WIDE
        run = Run(level, end, first[level : end + 1].copy(), edges, sizes)
        return run, {} if self.stopped else self._waiting(end)

    def _begin(self, level: int, waiting: Mapping[int, U64]) -> None:
        """Fill the pool."""
        account = self._account
        account[:] = 0
        account[FREE] = -1
        account[LEVEL] = level
        self._pool.lists[:] = -1
        self._pool.lists[:, 2] = 0
        count = sum(len(states) for states in waiting.values())
        self._make_room(count)
        pool = self._pool
        at = 0
        for there, states in waiting.items():
            end = at + len(states)
            pool.states[at:end, : states.shape[1]] = states
            pool.link[at:end] = np.arange(at + 1, end + 1)
            pool.link[end - 1] = -1
            pool.level_of[at:end] = there
            pool.name[at:end] = np.arange(len(states))
            pool.lists[there] = at, end - 1, len(states)
            at = end
        account[LIVE] = account[FRESH] = count
        pool.slots[:] = 0
        account[USED] = enter_again(pool, count, self._plan.keys_of)

    def _make_room(self, more: int) -> None:
        """Room for so many states on top of those that wait."""
        account, pool = self._account, self._pool
        if account[LIVE] + more > len(pool.link):
            self.accounts.check(2 * more * (pool.states.shape[1] * 8 + 20))
            self._pool = pool = pool._replace(
                states=_doubled(pool.states, more),
                link=_doubled(pool.link, more),
                level_of=_doubled(pool.level_of, more),
                name=_doubled(pool.name, more),
            )
        if 3 * (int(account[USED]) + more) > 2 * len(pool.slots):
            size = len(pool.slots)
            while 3 * (int(account[LIVE]) + more) > size:
                size *= 2
            self._pool = pool = pool._replace(slots=np.zeros(size, np.uint64))
            account[USED] = enter_again(pool, int(account[FRESH]), self._plan.keys_of)
        self._book()

    def _waiting(self, level: int) -> dict[int, U64]:
        """The states that wait, by level."""
        pool = self._pool
        out = {}
        for there in (np.flatnonzero(pool.lists[level:, 0] >= 0) + level).tolist():
            words = int(self._plan.words[there])
            states = np.empty((int(pool.lists[there, 2]), words), np.uint64)
            collect(pool.states, pool.link, int(pool.lists[there, 0]), states)
            out[there] = states
        return out


def _doubled(array: AnyArray, more: int) -> AnyArray:
    """A copy with room for at least ``more`` rows on top of twice the old ones."""
    grown = np.empty((2 * len(array) + more, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
