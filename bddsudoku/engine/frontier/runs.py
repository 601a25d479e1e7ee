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
    TOTAL,
    USED,
    WIDE,
    collect,
    enter_again,
    sweep,
)
from bddsudoku.engine.frontier.tables import consumption_order
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

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
    """The edges of consecutive narrow levels.

    Attributes:
        begin: first level.
        end: level after the last.
        first: int64 (levels + 1, 2); for every level of the run, and the one after it, the first
            state in ``degree`` and the first edge.
        degree: edges of a state.
        rank: consumption rank of an edge's choice.
        target: uint32; number of the child in its level.
        jump: uint16; child level - level; empty if it is always 1.
    """

    begin: int
    end: int
    first: NDArray[np.int64]
    degree: NDArray[Any]
    rank: NDArray[Any]
    target: NDArray[np.uint32]
    jump: NDArray[np.uint16]

    @property
    def states(self) -> int:
        """States of all its levels."""
        return len(self.degree)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(a.nbytes for a in (self.first, self.degree, self.rank, self.target, self.jump))


class Sweep:
    """Leaves levels one after the other, all in one loop.

    Args:
        spec: what to build.
        small: type of degrees and ranks.
        keys_of: int64 (levels + 1,); words of a level that decide equality.
        limits: keeps the accounts.
        narrow: states of a level up to which a run goes on; sixteen times as many may wait on
            all levels together.
        longest: edges after which it ends.
    """

    def __init__(
        self,
        spec: Spec,
        small: Any,
        keys_of: NDArray[np.int64],
        context: Accounts,
        *,
        narrow: int,
        longest: int,
    ) -> None:
        self.spec = spec
        self.context = context
        self._narrow = narrow
        self._longest = longest
        self._words = spec.words.astype(np.int64)
        self._keys_of = keys_of
        orders = [consumption_order(choices) for choices in spec.choices]
        self._order = np.concatenate(orders)
        self._order_at = np.cumsum([0, *map(len, orders)])
        self._small = small
        widest = max(map(len, orders))
        made = max(_CHILDREN, widest)
        self._children = np.empty((made, spec.max_words), np.uint64)
        self._to = np.empty(made, np.int64)
        self._block = np.empty(_CHILDREN * spec.max_words, np.uint64)
        self._scratch = np.zeros(max(spec.scratch, 1), np.uint64)
        capacity = 4 * made
        # waiting states: words, next of the list or free place, level (-1: free), number
        self._pool = np.empty((capacity, spec.max_words), np.uint64)
        self._link = np.empty(capacity, np.int64)
        self._level_of = np.empty(capacity, np.int64)
        self._name = np.empty(capacity, np.uint32)
        # of every level: first and last waiting state, how many have been entered
        self._lists = np.full((spec.levels, 3), -1, np.int64)
        self._slots = np.zeros(1 << (4 * capacity).bit_length() - 1, np.uint64)
        self._account = np.zeros(9, np.int64)
        self._grown = 0
        self.stopped: LimitReached | None = None
        self.wide = False
        self._book()

    def _arrays(self) -> int:
        held = (self._children, self._block, self._scratch, self._pool, self._link, self._level_of)
        return sum(a.nbytes for a in (*held, self._name, self._slots, self._lists))

    def _book(self) -> None:
        """Tell the accounts how much more is held than before."""
        size = self._arrays()
        self.context.take(size - self._grown)
        self._grown = size

    def close(self) -> None:
        """Give everything back."""
        self.context.free(self._grown)
        self._grown = 0

    def run(
        self,
        level: int,
        waiting: Mapping[int, NDArray[np.uint64]],
        total: int,
    ) -> tuple[Run, dict[int, NDArray[np.uint64]]]:
        """Leave as many levels as stay narrow.

        Args:
            level: where to begin.
            waiting: states of that level and, where levels are jumped, of later ones.
            total: states of earlier levels.

        Returns:
            The edges, and the states that wait now (in later levels). A level that has no states
            counts as left. :attr:`wide` says whether states became too many. Where a limit was
            reached, :attr:`stopped` holds what is to be raised; more states than allowed end the
            run before the level that has them.
        """
        self._begin(level, waiting, total)
        first = np.zeros((self.spec.levels + 1, 2), np.int64)
        degree = np.empty(1 << 12, self._small)
        rank = np.empty(1 << 13, self._small)
        target = np.empty(1 << 13, np.uint32)
        jump = np.empty(1 << 13 if self.spec.max_jump > 1 else 0, np.uint16)
        account = self._account
        most = 1 << 62 if self.context.states is None else self.context.states
        why = GROW
        self.stopped = None
        began = perf_counter()
        turn, longest = _TURNS[0], self._longest
        params = self.spec.params
        while why in (GROW, PAUSE):
            room = len(self._to)
            if account[EDGE] + room > len(rank):
                rank, target = _doubled(rank, room), _doubled(target, room)
                jump = _doubled(jump, room) if len(jump) else jump
            if account[STATE] + room > len(degree):
                degree = _doubled(degree, room)
            here = int(account[LEVEL])
            try:
                self.context.at(here, int(self._lists[here, 2]))
                self.context.check_time()
                self.context.check(degree.nbytes + rank.nbytes + target.nbytes + jump.nbytes)
                self._make_room(room)
            except LimitReached as stop:
                self.stopped = stop
                break
            call = perf_counter()
            if call - began > _RUN_SECONDS:
                longest = 0
            why = sweep(
                params, self._words, self._keys_of, self._order, self._order_at, self._narrow,
                longest, most, turn, account, self._pool, self._link, self._level_of,
                self._name, self._lists, self._slots, degree, rank, target, jump, first,
                self._block, self._children, self._to, self._scratch,
            )  # fmt: skip
            if why == PAUSE:
                quick = perf_counter() - call < _TURN_SECONDS
                turn = min(2 * turn, _TURNS[1]) if quick else max(turn // 2, 64)
        end = int(account[LEVEL])
        states, edges = first[end].tolist()  # those of a level that was not finished do not count
        run = Run(
            level,
            end,
            first,
            degree[:states].copy(),
            rank[:edges].copy(),
            target[:edges].copy(),
            jump[:edges].copy() if len(jump) else jump,
        )
        self.wide = why == WIDE
        return run, {} if self.stopped else self._waiting(end)

    def _begin(self, level: int, waiting: Mapping[int, NDArray[np.uint64]], total: int) -> None:
        """Fill the pool."""
        self._account[:] = 0
        self._account[FREE] = -1
        self._account[LEVEL] = level
        self._account[TOTAL] = total
        self._lists[:] = -1
        self._lists[:, 2] = 0
        count = sum(len(states) for states in waiting.values())
        self._account[LIVE] = self._account[FRESH] = 0
        self._make_room(count)
        at = 0
        for there, states in waiting.items():
            end = at + len(states)
            self._pool[at:end, : states.shape[1]] = states
            self._link[at:end] = np.arange(at + 1, end + 1)
            self._link[end - 1] = -1
            self._level_of[at:end] = there
            self._name[at:end] = np.arange(len(states))
            self._lists[there] = at, end - 1, len(states)
            at = end
        self._account[LIVE] = self._account[FRESH] = count
        self._slots[:] = 0
        self._account[USED] = enter_again(
            self._pool, self._level_of, count, self._keys_of, self._slots
        )

    def _make_room(self, more: int) -> None:
        """Room for so many states on top of those that wait."""
        account = self._account
        if account[LIVE] + more > len(self._link):
            self.context.check(2 * more * (self._pool.shape[1] * 8 + 20))
            self._pool = _doubled(self._pool, more)
            self._link = _doubled(self._link, more)
            self._level_of = _doubled(self._level_of, more)
            self._name = _doubled(self._name, more)
        if 3 * (int(account[USED]) + more) > 2 * len(self._slots):
            size = len(self._slots)
            while 3 * (int(account[LIVE]) + more) > size:
                size *= 2
            self._slots = np.zeros(size, np.uint64)
            account[USED] = enter_again(
                self._pool, self._level_of, int(account[FRESH]), self._keys_of, self._slots
            )
        self._book()

    def _waiting(self, level: int) -> dict[int, NDArray[np.uint64]]:
        """The states that wait, by level."""
        out = {}
        for there in (np.flatnonzero(self._lists[level:, 0] >= 0) + level).tolist():
            states = np.empty((int(self._lists[there, 2]), int(self._words[there])), np.uint64)
            collect(self._pool, self._link, int(self._lists[there, 0]), states)
            out[there] = states
        return out


def _doubled(array: NDArray[Any], more: int) -> NDArray[Any]:
    """A copy with room for at least ``more`` rows on top of twice the old ones."""
    grown = np.empty((2 * len(array) + more, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
