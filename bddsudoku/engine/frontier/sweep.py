"""Narrow levels in one compiled loop: a level of a few states must not cost a trip through Python.

A *run* leaves level after level for as long as few states wait. All waiting states, whatever their
level, share one pool and one hash table; every level has its own linked list through the pool, in
the order in which its states were found. What stays of a run are its edges, in flat arrays. Where
states become many, the engine of :mod:`.forward` takes over, with its partitions and threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from bddsudoku.engine.frontier.spec import anonymous, expand, named
from bddsudoku.engine.frontier.tables import hash_row
from bddsudoku.engine.frontier.trie import consumption_order
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.limits import Limits
    from bddsudoku.engine.frontier.spec import Spec

__all__ = ["LONGEST", "Run", "Sweep"]

LONGEST = 1 << 22
"""Edges after which a run ends, so that a count need not keep them all."""
_TURN = 1 << 19
"""States after which the loop lets Python look at clocks and signals."""
_CHILDREN = 512
"""Children that are made in one go, unless one state alone has more."""

_DONE, _WIDE, _LONG, _MANY, _GROW, _PAUSE = range(6)
# entries of Sweep.account
_MID, _FREE, _LIVE, _FRESH, _USED, _STATE, _EDGE, _TOTAL, _LEVEL = range(9)

_TAG = np.uint64(0xFFFFFFFF00000000)
_LOW = np.uint64(0xFFFFFFFF)
_OF_LEVEL = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _sweep(  # type: ignore[no-untyped-def]
    fields,
    words,
    keys_of,
    order,
    order_at,
    narrow,
    longest,
    most,
    turn,
    account,
    pool,
    link,
    level_of,
    name,
    lists,
    slots,
    degree,
    rank,
    target,
    jump,
    first,
    block,
    children,
    to,
    scratch,
):
    """Leave levels until something is in the way; see :class:`Sweep` for the arrays.

    Returns:
        Why it ended.
    """
    params = named(fields)
    one = np.uint64(1)
    levels = words.shape[0]
    jumps = jump.shape[0] > 0
    mask = np.uint64(slots.shape[0] - 1)
    level = account[_LEVEL]
    state = account[_STATE]
    edge = account[_EDGE]
    live = account[_LIVE]
    free = account[_FREE]
    fresh = account[_FRESH]
    used = account[_USED]
    why = _DONE
    while level < levels:
        if not account[_MID]:
            waiting = lists[level, 2]
            if waiting and live > narrow:
                why = _WIDE
                break
            if edge > longest:
                why = _LONG
                break
            account[_TOTAL] += waiting
            if account[_TOTAL] > most:
                why = _MANY
                break
            account[_MID] = 1
        choices = order[order_at[level] : order_at[level + 1]]
        columns = words[level]
        many = max(1, min(block.shape[0] // columns, children.shape[0] // max(len(choices), 1)))
        here = block[: many * columns].reshape((many, columns))
        room = many * len(choices)
        s = lists[level, 0]
        while s >= 0:
            if (
                edge + room > rank.shape[0]
                or state + many > degree.shape[0]
                or live + room > link.shape[0]
                or 3 * (used + room) > 2 * slots.shape[0]
            ):
                why = _GROW
                break
            if turn <= 0:
                why = _PAUSE
                break
            taken = 0
            while taken < many and s >= 0:
                for w in range(columns):
                    here[taken, w] = pool[s, w]
                after = link[s]
                level_of[s] = -1
                link[s] = free
                free = s
                s = after
                taken += 1
            live -= taken
            made = expand(
                params, level, here, 0, taken, choices, children, degree[state:], rank[edge:], to,
                scratch,
            )  # fmt: skip
            for c in range(made):
                there = to[c]
                if jumps:
                    jump[edge + c] = there - level
                if there == levels:
                    target[edge + c] = 0
                    continue
                key = keys_of[there]
                h = hash_row(children, c, key) + np.uint64(there) * _OF_LEVEL
                tag = h & _TAG
                slot = h & mask
                while True:
                    entry = slots[slot]
                    if entry == 0:
                        if free >= 0:
                            p = free
                            free = link[p]
                        else:
                            p = fresh
                            fresh += 1
                        for w in range(words[there]):
                            pool[p, w] = children[c, w]
                        link[p] = -1
                        level_of[p] = there
                        name[p] = lists[there, 2]
                        lists[there, 2] += 1
                        if lists[there, 0] < 0:
                            lists[there, 0] = p
                        else:
                            link[lists[there, 1]] = p
                        lists[there, 1] = p
                        live += 1
                        used += 1
                        slots[slot] = tag | np.uint64(p + 1)
                        break
                    if entry & _TAG == tag:
                        # entries of levels that have been left stay: their place in the pool is
                        # free, or holds another state by now
                        p = np.int64(entry & _LOW) - 1
                        same = level_of[p] == there
                        for w in range(key):
                            if pool[p, w] != children[c, w]:
                                same = False
                                break
                        if same:
                            break
                    slot = (slot + one) & mask
                target[edge + c] = name[p]
            state += taken
            edge += made
            turn -= taken
        lists[level, 0] = s
        if why != _DONE:
            break
        account[_MID] = 0
        level += 1
        first[level, 0] = state
        first[level, 1] = edge
    account[_LEVEL] = level
    account[_STATE] = state
    account[_EDGE] = edge
    account[_LIVE] = live
    account[_FREE] = free
    account[_FRESH] = fresh
    account[_USED] = used
    return why


@njit(cache=True, nogil=True)
def _enter_again(pool, level_of, fresh, keys_of, slots):  # type: ignore[no-untyped-def]
    """Enter all waiting states into an empty table; returns how many they are."""
    mask = np.uint64(slots.shape[0] - 1)
    used = 0
    for p in range(fresh):
        there = level_of[p]
        if there < 0:
            continue
        h = hash_row(pool, p, keys_of[there]) + np.uint64(there) * _OF_LEVEL
        slot = h & mask
        while slots[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = (h & _TAG) | np.uint64(p + 1)
        used += 1
    return used


@njit(cache=True, nogil=True)
def _collect(pool, link, s, out):  # type: ignore[no-untyped-def]
    """The states of a list, in order."""
    i = 0
    while s >= 0:
        for w in range(out.shape[1]):
            out[i, w] = pool[s, w]
        s = link[s]
        i += 1


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
        narrow: waiting states up to which a run goes on.
        longest: edges after which it ends.
    """

    def __init__(
        self,
        spec: Spec,
        small: Any,
        keys_of: NDArray[np.int64],
        limits: Limits,
        *,
        narrow: int,
        longest: int,
    ) -> None:
        self.spec = spec
        self.limits = limits
        self._narrow = narrow
        self._longest = longest
        self._fields = anonymous(spec.params)
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
        self._book()

    def _arrays(self) -> int:
        held = (self._children, self._block, self._scratch, self._pool, self._link, self._level_of)
        return sum(a.nbytes for a in (*held, self._name, self._slots, self._lists))

    def _book(self) -> None:
        """Tell the accounts how much more is held than before."""
        size = self._arrays()
        self.limits.take(size - self._grown)
        self._grown = size

    def close(self) -> None:
        """Give everything back."""
        self.limits.free(self._grown)
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
            counts as left. Where a limit was reached, :attr:`stopped` holds what is to be raised;
            too many states end the run before the level that has them.
        """
        self._begin(level, waiting, total)
        first = np.zeros((self.spec.levels + 1, 2), np.int64)
        degree = np.empty(1 << 12, self._small)
        rank = np.empty(1 << 13, self._small)
        target = np.empty(1 << 13, np.uint32)
        jump = np.empty(1 << 13 if self.spec.max_jump > 1 else 0, np.uint16)
        account = self._account
        most = 1 << 62 if self.limits.states is None else self.limits.states
        why = _GROW
        self.stopped = None
        while why in (_GROW, _PAUSE):
            room = len(self._to)
            if account[_EDGE] + room > len(rank):
                rank, target = _doubled(rank, room), _doubled(target, room)
                jump = _doubled(jump, room) if len(jump) else jump
            if account[_STATE] + room > len(degree):
                degree = _doubled(degree, room)
            here = int(account[_LEVEL])
            try:
                self.limits.at(here, int(self._lists[here, 2]))
                self.limits.check_time()
                self.limits.check(degree.nbytes + rank.nbytes + target.nbytes + jump.nbytes)
                self._make_room(room)
            except LimitReached as stop:
                self.stopped = stop
                break
            why = _sweep(
                self._fields, self._words, self._keys_of, self._order, self._order_at, self._narrow,
                self._longest, most, _TURN, account, self._pool, self._link, self._level_of,
                self._name, self._lists, self._slots, degree, rank, target, jump, first,
                self._block, self._children, self._to, self._scratch,
            )  # fmt: skip
        end = int(account[_LEVEL])
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
        return run, {} if self.stopped else self._waiting(end)

    def _begin(self, level: int, waiting: Mapping[int, NDArray[np.uint64]], total: int) -> None:
        """Fill the pool."""
        self._account[:] = 0
        self._account[_FREE] = -1
        self._account[_LEVEL] = level
        self._account[_TOTAL] = total
        self._lists[:] = -1
        self._lists[:, 2] = 0
        count = sum(len(states) for states in waiting.values())
        self._account[_LIVE] = self._account[_FRESH] = 0
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
        self._account[_LIVE] = self._account[_FRESH] = count
        self._slots[:] = 0
        self._account[_USED] = _enter_again(
            self._pool, self._level_of, count, self._keys_of, self._slots
        )

    def _make_room(self, more: int) -> None:
        """Room for so many states on top of those that wait."""
        account = self._account
        if account[_LIVE] + more > len(self._link):
            self.limits.check(2 * more * (self._pool.shape[1] * 8 + 20))
            self._pool = _doubled(self._pool, more)
            self._link = _doubled(self._link, more)
            self._level_of = _doubled(self._level_of, more)
            self._name = _doubled(self._name, more)
        if 3 * (int(account[_USED]) + more) > 2 * len(self._slots):
            size = len(self._slots)
            while 3 * (int(account[_LIVE]) + more) > size:
                size *= 2
            self._slots = np.zeros(size, np.uint64)
            account[_USED] = _enter_again(
                self._pool, self._level_of, int(account[_FRESH]), self._keys_of, self._slots
            )
        self._book()

    def _waiting(self, level: int) -> dict[int, NDArray[np.uint64]]:
        """The states that wait, by level."""
        out = {}
        for there in (np.flatnonzero(self._lists[level:, 0] >= 0) + level).tolist():
            states = np.empty((int(self._lists[there, 2]), int(self._words[there])), np.uint64)
            _collect(self._pool, self._link, int(self._lists[there, 0]), states)
            out[there] = states
        return out


def _doubled(array: NDArray[Any], more: int) -> NDArray[Any]:
    """A copy with room for at least ``more`` rows on top of twice the old ones."""
    grown = np.empty((2 * len(array) + more, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
