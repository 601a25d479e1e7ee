"""A search with components, run a piece at a time; its arrays grow as needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.components.kernel import rehash, run, start
from bddsudoku.engine.components.tables import (
    BRANCHES,
    BUSY,
    CHILDREN,
    DEPTH,
    DONE,
    END,
    ENTRIES,
    FIELDS,
    FULL,
    KEYS,
    LITERALS,
    NEXT,
    NODES,
    ONES,
    OPEN_BRANCHES,
    OPEN_CHILDREN,
    OPEN_LITERALS,
    PARTS,
    PHASE,
    TOP,
    TRIED,
    TWOS,
    WORK,
    Made,
    Memory,
    State,
)
from bddsudoku.engine.search.prepare import Prepared, new_rows

__all__ = ["Tree"]

_CHUNK = 20_000_000
"""Steps between two returns to Python: some 20 ms."""
_SOME = 1 << 12
"""Room to begin with."""

T = TypeVar("T", bound=np.generic)


class Tree:
    """A search under way.

    Args:
        prepared: the problem; without machines.
        literals: write down which candidates are true; a count does without.
    """

    def __init__(self, prepared: Prepared, *, literals: bool) -> None:
        self._tables = prepared.tables
        self._literals = literals
        n, items, words = prepared.candidates, prepared.items, len(prepared.tables.variables)
        row = new_rows(prepared, 1)[0]
        left = row[-1 - items : -1].copy()
        live = row[:words].copy()
        for u in np.flatnonzero(np.isin(prepared.order, prepared.free)).tolist():
            live[u >> 6] &= ~(np.uint64(1) << np.uint64(u & 63))  # whoever counts doubles for them
        head = np.zeros(FIELDS, np.uint64)
        ones, twos = np.zeros((2, items + 1), np.uint64)
        self._first = [np.flatnonzero(left == size) for size in (1, 2)]
        self._possible = prepared.possible and bool((left > 0).all())
        self._roots: list[int] = []
        head[NODES] = 1
        head[PHASE] = DONE
        rows = PARTS * n + 2
        self._state = State(
            head, live, left, np.ones(items), np.zeros(n + 1, np.uint64), ones, twos,
            np.zeros((items + 2, DEPTH), np.uint64), np.zeros((rows, words), np.uint64),
            np.zeros(rows, np.uint64), np.zeros(words, np.uint64), np.zeros(words, np.uint64),
            np.zeros((_SOME, 2), np.uint64), np.zeros(_SOME, np.uint64),
            np.zeros(_SOME + 2 * n, np.uint64),
        )  # fmt: skip
        deep = items + 4
        hashes, at, low, high, node = np.zeros((5, _SOME + deep), np.uint64)
        key = np.zeros((_SOME + deep) * max(words, 1), np.uint64)
        slots = np.full(4 * _SOME, -1, np.int32)
        self._memory = Memory(slots, hashes, at, low, high, node, key)
        branch_at, child_at, literal_at = np.zeros((3, _SOME), np.int64)
        child, literal = np.zeros((2, _SOME + 4 * n), np.int32)
        self._made = Made(branch_at, child_at, literal_at, child, literal)

    def begin(self, chosen: Sequence[int] = ()) -> None:
        """Search for the solutions that hold some candidates; what is remembered stays."""
        s = self._state
        for queue, field, found in zip((s.ones, s.twos), (ONES, TWOS), self._first, strict=True):
            queue[: len(found)] = found
            s.head[field] = len(found)
        held = np.array(chosen, np.uint64)
        going = self._possible and start(self._tables, s, held)
        s.head[PHASE] = BUSY if going else DONE

    def choices(self) -> list[int]:
        """After :meth:`begin`: the candidates of an item of the largest component, of which one
        holds; none when nothing is left."""
        s, t = self._state, self._tables
        first, end = s.frames[0, [NEXT, END]].tolist()
        if self.done or first == end:
            return []
        size = [int.from_bytes(bits.tobytes()).bit_count() for bits in s.parts[first:end]]
        row = first + size.index(max(size))
        item = int(s.best[row])
        members = t.member[t.member_at[item] : t.member_at[item + 1]].tolist()
        return [u for u in members if int(s.parts[row, u >> 6]) >> (u & 63) & 1]

    @property
    def done(self) -> bool:
        """True when the whole tree has been searched."""
        return self._field(PHASE) == DONE

    @property
    def work(self) -> int:
        """Steps done."""
        return self._field(WORK)

    @property
    def tried(self) -> int:
        """Candidates tried."""
        return self._field(TRIED)

    @property
    def kept(self) -> int:
        """Components that are remembered."""
        return self._field(ENTRIES)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        return sum(a.nbytes for a in (*self._state, *self._memory, *self._made))

    def _field(self, field: int) -> int:
        return int(self._state.head[field])

    def advance(self, steps: int = _CHUNK) -> None:
        """Go on for some 20 ms, or to the end."""
        if not self.done:
            self._advance(steps)

    def _advance(self, steps: int) -> None:
        end = self.work + steps
        while not self.done and self.work < end:
            run(
                self._tables,
                self._state,
                self._memory,
                self._made,
                end - self.work,
                self._literals,
            )
            if self._field(PHASE) == FULL:
                self._grow()
                self._state.head[PHASE] = BUSY
        if self.done and self._field(TOP):
            self._roots.append(self._field(TOP))

    @property
    def found(self) -> tuple[Made, list[int]]:
        """The diagram so far, and the nodes of the parts that have solutions."""
        nodes, branches = self._field(NODES), self._field(BRANCHES)
        made = self._made
        whole = Made(
            made.branch_at[: nodes + 1],
            made.child_at[: branches + 1],
            made.literal_at[: branches + 1],
            made.child[: self._field(CHILDREN)],
            made.literal[: self._field(LITERALS)],
        )
        return whole, self._roots

    def _grow(self) -> None:
        """Twice the room wherever less than half is left."""
        s, m, made = self._state, self._memory, self._made
        waiting = self._field(OPEN_BRANCHES), self._field(OPEN_CHILDREN), self._field(OPEN_LITERALS)
        self._state = s._replace(
            open_branch=_roomy(s.open_branch, waiting[0] + 2),
            open_child=_roomy(s.open_child, waiting[1] + 2),
            open_literal=_roomy(s.open_literal, waiting[2] + len(s.trail)),
        )
        branches = self._field(BRANCHES) + waiting[0] + 2
        self._made = Made(
            _roomy(made.branch_at, self._field(NODES) + 2),
            _roomy(made.child_at, branches),
            _roomy(made.literal_at, branches),
            _roomy(made.child, self._field(CHILDREN) + waiting[1] + 2),
            _roomy(made.literal, self._field(LITERALS) + waiting[2] + len(s.trail)),
        )
        entries, deep = self._field(ENTRIES), len(s.frames) + 2
        m = Memory(
            m.slots,
            _roomy(m.hashes, entries + deep),
            _roomy(m.at, entries + deep),
            _roomy(m.low, entries + deep),
            _roomy(m.high, entries + deep),
            _roomy(m.node, entries + deep),
            _roomy(m.key, self._field(KEYS) + deep * len(s.live)),
        )
        if 2 * len(m.at) > len(m.slots):
            slots = np.full(4 * len(m.slots), -1, np.int32)
            rehash(slots, m.hashes, entries)
            m = m._replace(slots=slots)
        self._memory = m


def _roomy(array: NDArray[T], used: int) -> NDArray[T]:
    """The array, made longer when more than half of it is used."""
    if 2 * used < len(array):
        return array
    longer = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
