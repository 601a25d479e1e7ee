"""Layered automata without positions: the tables that machines are made of.

A word is one choice per level. Layer ``i`` of states reads choice ``i`` and goes to a state of
layer ``i + 1``, or dies. There is one state before the first choice and one after the last; a word
is accepted when it gets there. Deterministic and minimal, with states numbered as a breadth-first
walk meets them, so that two languages are equal exactly when their tables are.

An ordered multi-valued decision diagram, levels complete: Kam, Villa, Brayton and
Sangiovanni-Vincentelli, *Multi-valued decision diagrams: theory and applications* (1998).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64, AnyArray, Flags

State = TypeVar("State", bound=Hashable)
Table: TypeAlias = "I32"

_SMALL_TABLE = 48
"""Rows up to which a dictionary finds equal ones faster than sorting does (measured)."""
_MAX_BYTES = 12
"""Of an entry of a table, which is there three times while it is minimised, and when it is laid out
for an engine."""
_SPARSE = 16
"""Names are counted through when they lie no farther apart than this, else sorted."""
OBJECT = 150
"""Of a state that is an object of Python in a dictionary."""


@dataclass(frozen=True, slots=True)
class WidthLimit:
    """How wide a layer may become on the way, and whom to blame.

    Attributes:
        states: states of one layer, before equal ones are merged.
        name: what is being built, for the message.
        check: called once a layer with the bytes that it takes; may raise :class:`LimitReached`.
    """

    states: int = 1 << 20
    name: str = "automaton"
    check: MemoryCheck | None = field(default=None, compare=False)

    def check_layer(self, states: int, layer: int, entries: int, each: int = 0) -> None:
        """Let a layer pass.

        Args:
            states: of the layer, before equal ones are merged.
            layer: its number.
            entries: of the table that leads there: states before it times choices.
            each: bytes that a state takes besides.

        Raises:
            LimitReached: it is too wide.
        """
        if states > self.states:
            raise LimitReached(
                f"{self.name}: {states:,} states at layer {layer}, {self.states:,} allowed",
                limit="states",
                details={"level": layer, "states": states},
            )
        if self.check is not None:
            self.check(_MAX_BYTES * entries + each * states)


@dataclass(frozen=True, eq=False)
class Mdd:
    """A minimal layered automaton in its canonical numbering.

    Made by :func:`finish` and what stands on it, never by hand.

    Attributes:
        tables: one int32 array per level, shape (states of the layer, choices): the state of the
            next layer, or -1. When nothing is accepted, all have no rows.
    """

    tables: tuple[Table, ...]
    accepts_empty: bool = True
    """Whether the empty word is accepted; says something only when there are no levels."""

    @property
    def length(self) -> int:
        """Number of levels."""
        return len(self.tables)

    @property
    def choices(self) -> tuple[int, ...]:
        """Choices of every level."""
        return tuple(t.shape[1] for t in self.tables)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """States of every layer, the last one (one state, or none) included."""
        last = int(not self.is_empty)
        return (*(len(t) for t in self.tables), last)

    @property
    def is_empty(self) -> bool:
        """Nothing is accepted."""
        return not (len(self.tables[0]) if self.tables else self.accepts_empty)

    @property
    def is_full(self) -> bool:
        """Every word is accepted."""
        return not self.is_empty and all(len(t) == 1 and bool((t == 0).all()) for t in self.tables)

    @property
    def size(self) -> int:
        """States of all layers but the last."""
        return sum(len(t) for t in self.tables)

    @property
    def width(self) -> int:
        """States of the widest layer."""
        return max(self.widths)

    def accepts(self, word: Sequence[int]) -> bool:
        """Whether a word (one choice per level) is accepted."""
        if self.is_empty:
            return False
        state = 0
        for table, choice in zip(self.tables, word, strict=True):
            state = int(table[state, choice])
            if state < 0:
                return False
        return True

    def count(self) -> int:
        """Number of accepted words."""
        paths = [1] * self.widths[-1]
        for table in reversed(self.tables):
            paths = [sum(paths[t] for t in row if t >= 0) for row in table.tolist()]
        return sum(paths)

    @cached_property
    def _bytes(self) -> bytes:
        # Not the object's hash: equal tables of different shapes must differ as well.
        head = repr((self.choices, self.widths)).encode()
        return head + b"".join(t.tobytes() for t in self.tables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mdd) and self._bytes == other._bytes

    @cached_property
    def _hash(self) -> int:
        return hash(self._bytes)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Layers({self.length} levels, {self.size} states, width {self.width})"


def empty_mdd(choices: Iterable[int]) -> Mdd:
    """Nothing is accepted."""
    return Mdd(tuple(_read_only(np.zeros((0, c), dtype=np.int32)) for c in choices), False)


def reduce_mdd(
    tables: Sequence[Table], accepting: Flags | None = None, *, ordered: bool = False
) -> Mdd:
    """Remove dead states, merge equal ones, number the rest.

    Args:
        tables: shape (states, choices) for every level; state 0 of the first layer is the start,
            -1 dies. All states must be reachable.
        accepting: which states of the last layer accept; all by default.
        ordered: equal states are neighbours (once the dead ones are gone), so that looking at
            pairs of neighbours is enough.

    Cost: linear in the tables' entries when ``ordered``, one sort of each layer's rows otherwise.
    """
    if accepting is None:
        wide = int(tables[-1].max()) + 1 if tables and tables[-1].size else 1
        accepting = np.ones(max(wide, 1), dtype=bool)
    # One entry more: the state -1 is found at the end, and is dead.
    merged = np.append(np.where(accepting, 0, -1), -1).astype(np.int32)
    reduced: list[Table] = []
    for table in reversed(tables):
        table = merged[table]
        alive = np.flatnonzero((table >= 0).any(axis=1))
        kept = table[alive]
        first, number = _merge_equal_neighbours(kept) if ordered else _merge_equal_rows(kept)
        merged = np.full(len(table) + 1, -1, dtype=np.int32)
        merged[alive] = number
        reduced.append(kept[first])
    if merged[0] < 0:
        return empty_mdd(t.shape[1] for t in tables)
    order = merged[:1].astype(np.int64)
    numbered: list[Table] = []
    for table in reversed(reduced):
        order, again = _number_by_appearance(table[order])
        numbered.append(_read_only(again))
    return Mdd(tuple(numbered))


def _read_only(table: Table) -> Table:
    table.flags.writeable = False
    return table


def _merge_equal_neighbours(rows: Table) -> tuple[I64, I64]:
    """Equal neighbours are one: the first row of every class, the class of every row."""
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return np.flatnonzero(new), np.cumsum(new) - 1


def _merge_equal_rows(rows: Table) -> tuple[I64, I64]:
    """Equal rows are one: the first row of every class, the class of every row."""
    if len(rows) <= _SMALL_TABLE:
        known: dict[bytes, int] = {}
        first: list[int] = []
        number: list[int] = []
        for i, row in enumerate(rows):
            name = row.tobytes()
            if name not in known:
                known[name] = len(first)
                first.append(i)
            number.append(known[name])
        return np.array(first, dtype=np.int64), np.array(number, dtype=np.int64)
    rows = np.ascontiguousarray(rows)
    whole = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).reshape(-1)
    _, leaders, classes = np.unique(whole, return_index=True, return_inverse=True)
    return leaders, classes


def _number_by_appearance(table: Table) -> tuple[I64, Table]:
    """Number the states that a layer's rows lead to by their first appearance.

    Returns:
        The old numbers in new order, and the rows with new numbers.
    """
    flat = table.reshape(-1)
    seen = flat[flat >= 0]
    states = int(seen.max()) + 1
    # Of several values for one place the last is kept: backwards, the first appearance.
    place = np.full(states, len(seen), dtype=np.int64)
    place[seen[::-1]] = np.arange(len(seen) - 1, -1, -1)
    leads = np.zeros(len(seen) + 1, dtype=bool)
    leads[place] = True
    order = seen[leads[:-1]].astype(np.int64)
    new = np.full(states + 1, -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return order, new[table]


def mdd_from_automaton(
    length: int,
    choices: int,
    start: State,
    step: Callable[[State, int], State | None],
    accepts: Callable[[State], bool],
    width_limit: WidthLimit | None = None,
) -> Mdd:
    """The words of a length that an automaton accepts, from its step function.

    Args:
        length: number of levels.
        choices: of every level.
        start: any hashable value.
        step: the state after a state and a choice, or None. Asked once for every state and choice,
            however many levels the state is met at; a state may hold a count of levels.
        accepts: whether a state accepts.
        cap: for every layer (and, times ``length``, all states).

    Raises:
        LimitReached: a layer is wider than ``cap`` allows.
    """
    width_limit = width_limit or WidthLimit()
    number = {start: 0}
    states = [start]
    rows: list[list[int]] = []
    for depth in range(length):
        for state in states[len(rows) :]:
            row = []
            for choice in range(choices):
                after = step(state, choice)
                if after is None:
                    row.append(-1)
                    continue
                row.append(number.setdefault(after, len(states)))
                if row[-1] == len(states):
                    states.append(after)
            rows.append(row)
        fresh = len(states) - len(rows)
        width_limit.check_layer(fresh, depth + 1, fresh * choices, OBJECT)
    table = np.array(rows, dtype=np.int32).reshape(len(rows), choices)
    reached = np.zeros(1, dtype=np.int64)
    tables: list[Table] = []
    for _ in range(length):
        reached, leads = number_states(table[reached])
        tables.append(leads)
    return reduce_mdd(tables, np.array([accepts(states[i]) for i in reached.tolist()], dtype=bool))


def mdd_from_level_steps(
    choices: Sequence[int],
    start: State,
    step: Callable[[int, State, int], State | None],
    width_limit: WidthLimit | None = None,
) -> Mdd:
    """As :func:`explore`, with a step that depends on the level; what comes to the end is accepted.

    Args:
        choices: of every level.
        start: any hashable value.
        step: the state after a level, a state and a choice, or None.
        cap: for every layer.

    Raises:
        LimitReached: a layer is wider than ``cap`` allows.
    """
    width_limit = width_limit or WidthLimit()
    layer: dict[State, int] = {start: 0}
    tables: list[Table] = []
    for level, wide in enumerate(choices):
        below: dict[State, int] = {}
        rows = np.full((len(layer), wide), -1, dtype=np.int32)
        for i, state in enumerate(layer):
            for choice in range(wide):
                after = step(level, state, choice)
                if after is not None:
                    rows[i, choice] = below.setdefault(after, len(below))
        width_limit.check_layer(len(below), level + 1, rows.size, OBJECT)
        tables.append(rows)
        layer = below
    return reduce_mdd(tables, np.ones(max(len(layer), 1), dtype=bool))


def number_states(names: AnyArray) -> tuple[AnyArray, Table]:
    """The distinct names of a table's states, ascending, and the table with their numbers.

    Args:
        names: integers, -1 where a word dies. They are counted through where they lie close
            together, else sorted.
    """
    top = int(names.max(initial=-1)) + 1
    if top > _SPARSE * names.size + 1024:
        found, numbers = np.unique(names, return_inverse=True)
        dead = int(found[0] < 0)
        return found[dead:], (numbers.reshape(names.shape) - dead).astype(np.int32)
    names = names.astype(np.int64)
    occurs = np.zeros(top + 1, dtype=bool)
    occurs[names] = True
    occurs[top] = False  # where -1 is written
    number = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    number[top] = -1
    return np.flatnonzero(occurs), number[names]


def restrict_mdd(mdd: Mdd, kept: Sequence[Sequence[int] | int]) -> Mdd:
    """The words that keep to some choices.

    Args:
        layers: any automaton.
        kept: for every level the choices that stay, in their new order; or the one choice that is
            taken, and then the level goes.
    """
    # The old number of every new state of the layer; -1 when it is dead.
    reached = np.zeros(1, dtype=np.int64) if not mdd.is_empty else np.full(1, -1)
    tables: list[Table] = []
    for table, stay in zip(mdd.tables, kept, strict=True):
        rows = np.append(table, np.full((1, table.shape[1]), -1, dtype=np.int32), axis=0)
        if isinstance(stay, int):
            reached = rows[reached, stay].astype(np.int64)
        else:
            reached, left = number_states(rows[reached][:, list(stay)])
            tables.append(left)
    return reduce_mdd(tables, reached >= 0)
