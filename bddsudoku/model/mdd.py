"""Reduced ordered multi-valued decision diagrams (MDDs) as one transition table per level.

An MDD is read as a layered automaton. A word is one choice per level; a state of layer ``i`` reads
choice ``i`` and goes to a state of layer ``i + 1``, or the word is rejected. There is one start
state and one final state. The automaton is minimal and its states are numbered in breadth-first
order, so that two languages are equal exactly when their tables are. No arc skips a level. Levels
are not bound to variables yet (:class:`bddsudoku.model.to_mdd.ConstraintMdd` does that).

Source: Kam, Villa, Brayton and Sangiovanni-Vincentelli, *Multi-valued decision diagrams: theory
and applications* (1998).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64, Flags

Argument = TypeVar("Argument", bound=Hashable)
State = TypeVar("State", bound=Hashable)
Item = TypeVar("Item")
Table: TypeAlias = "I32"
_Live: TypeAlias = "tuple[tuple[int, int], ...]"
"""(number of an MDD, its state) for each MDD that has not rejected a word."""

_MAX_BYTES = 16
"""Peak bytes per table entry: minimisation holds up to four copies."""
OBJECT = 150
"""Bytes of a state that is a Python object in a dictionary."""
_STATES_PER_CHECK = 1 << 10
_MAX_REMEMBERED = 2_000
"""Most states of an MDD for which :func:`remembered` keeps a result."""


@dataclass(frozen=True, slots=True)
class WidthLimit:
    """The greatest width of a layer while an MDD is built, before the MDD is minimised.

    Attributes:
        states: greatest number of states of one layer, before equal ones are merged.
        name: name of the MDD in the error message.
        check: called once per layer with the layer's bytes; may raise :class:`LimitReached`.
    """

    states: int = 1 << 20
    name: str = "automaton"
    check: MemoryCheck | None = field(default=None, compare=False)

    def check_layer(self, states: int, layer: int, entries: int, state_bytes: int = 0) -> None:
        """Raise LimitReached if a layer is too wide or takes too much memory.

        Args:
            states: number of states of the layer, before equal ones are merged.
            layer: its number.
            entries: number of entries of the table that leads to it.
            state_bytes: further bytes per state.

        Raises:
            LimitReached: the layer exceeds a limit.
        """
        if states > self.states:
            raise LimitReached(
                f"{self.name}: {states:,} states at layer {layer}, {self.states:,} allowed",
                limit="states",
                details={"level": layer, "states": states},
            )
        if self.check is not None:
            self.check(_MAX_BYTES * entries + state_bytes * states)

    def checked(self, states: Iterable[Item]) -> Iterator[Item]:
        """Yield the states of a layer, and look at the time now and then.

        Raises:
            LimitReached: the time is used up.
        """
        for number, state in enumerate(states):
            if self.check is not None and not number % _STATES_PER_CHECK:
                self.check(0)
            yield state


@dataclass(frozen=True, eq=False)
class Mdd:
    """A reduced MDD with canonically numbered states; ``==`` compares the accepted words.

    Made by :func:`reduce_mdd` and the functions that call it, never by hand.

    Attributes:
        tables: one int32 array per level, shape (states of the layer, choices): the state of the
            next layer, or -1 for rejection. The empty language has tables without rows.
    """

    tables: tuple[Table, ...]
    accepts_empty: bool = True
    """Whether the empty word is accepted; only used when there are no levels."""

    @property
    def length(self) -> int:
        """Number of levels."""
        return len(self.tables)

    @cached_property
    def choices(self) -> tuple[int, ...]:
        """The number of choices at each level."""
        return tuple(t.shape[1] for t in self.tables)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of states of every layer, the last one (one state, or none) included."""
        last = int(not self.is_empty)
        return (*(len(t) for t in self.tables), last)

    @property
    def is_empty(self) -> bool:
        """Whether no word is accepted."""
        return not (len(self.tables[0]) if self.tables else self.accepts_empty)

    @property
    def is_full(self) -> bool:
        """Whether every word is accepted."""
        return not self.is_empty and all(len(t) == 1 and bool((t == 0).all()) for t in self.tables)

    @property
    def size(self) -> int:
        """Number of states of all layers but the last."""
        return sum(len(t) for t in self.tables)

    @property
    def width(self) -> int:
        """Number of states of the widest layer."""
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
        return f"Mdd({self.length} levels, {self.size} states, width {self.width})"


def empty_mdd(choices: Iterable[int]) -> Mdd:
    """The MDD that accepts no word.

    Args:
        choices: number of choices of every level.
    """
    return Mdd(tuple(np.zeros((0, c), dtype=np.int32) for c in choices), False)


def reduce_mdd(tables: Sequence[Table], accepting: Flags | None = None) -> Mdd:
    """Minimise a layered automaton to an MDD: drop dead states and merge equivalent ones.

    Args:
        tables: shape (states, choices) for every level; state 0 of the first layer is the start,
            -1 rejects.
        accepting: bool, the accepting states of the last layer; all by default.

    Cost: linear in the tables' entries.
    """
    # Here, so that puzzles can be read and drawn without numba.
    from bddsudoku.model.mdd_reduction import reduce_layers

    if accepting is None:
        wide = int(tables[-1].max(initial=0)) + 1 if tables else 1
        accepting = np.ones(wide, dtype=bool)
    entries, rows, choices = _flat_tables(tables)
    found = reduce_layers(entries, rows, choices, accepting)
    return empty_mdd(choices.tolist()) if found is None else Mdd(tuple(found))


def _flat_tables(tables: Sequence[Table]) -> tuple[I32, I64, I64]:
    shapes = np.array([t.shape for t in tables], dtype=np.int64).reshape(-1, 2).T.copy()
    entries = np.concatenate([np.zeros(0, np.int32), *(t.ravel() for t in tables)])
    return entries, shapes[0], shapes[1]


def mdd_from_automaton(
    length: int,
    symbols: Sequence[int | None],
    start: State,
    step: Callable[[State, int], State | None],
    accepts: Callable[[State], bool],
    width_limit: WidthLimit | None = None,
) -> Mdd:
    """The MDD of the words of a given length that an automaton (a step function) accepts.

    Args:
        length: number of levels.
        symbols: what the automaton reads at every choice of a level; None to reject the choice.
        start: the start state, any hashable value.
        step: the state after a state and a symbol, or None to reject. Called once for every state
            and symbol, on however many levels the state occurs; a state may contain its level.
        accepts: whether a state accepts after the last level.
        width_limit: limits every layer.

    Raises:
        LimitReached: a layer is wider than ``width_limit`` allows.
    """
    known: dict[tuple[State, int], State | None] = {}

    def level_step(level: int, state: State, choice: int) -> State | None:
        symbol = symbols[choice]
        if symbol is None:
            return None
        read = state, symbol
        if read not in known:
            known[read] = step(state, symbol)
        after = known[read]
        return None if after is None or (level == length - 1 and not accepts(after)) else after

    if not length and not accepts(start):
        return empty_mdd(())
    return mdd_from_level_steps([len(symbols)] * length, start, level_step, width_limit)


def mdd_from_level_steps(
    choices: Sequence[int],
    start: State,
    step: Callable[[int, State, int], State | None],
    width_limit: WidthLimit | None = None,
) -> Mdd:
    """The MDD of the choice sequences that ``step(level, state, choice)`` does not reject.

    Args:
        choices: number of choices of every level.
        start: the start state, any hashable value.
        step: the state after a level, a state and a choice, or None to reject.
        width_limit: limits every layer.

    Raises:
        LimitReached: a layer is wider than ``width_limit`` allows.
    """
    width_limit = width_limit or WidthLimit()
    layer: dict[State, int] = {start: 0}
    tables: list[Table] = []
    for level, wide in enumerate(choices):
        below: dict[State, int] = {}
        rows = np.full((len(layer), wide), -1, dtype=np.int32)
        for i, state in enumerate(width_limit.checked(layer)):
            for choice in range(wide):
                after = step(level, state, choice)
                if after is not None:
                    rows[i, choice] = below.setdefault(after, len(below))
            if len(below) > width_limit.states:
                break
        width_limit.check_layer(len(below), level + 1, rows.size, OBJECT)
        tables.append(rows)
        layer = below
    return reduce_mdd(tables, np.ones(max(len(layer), 1), dtype=bool))


@lru_cache(maxsize=256)
def union_mdd(mdds: tuple[Mdd, ...]) -> Mdd:
    """The MDD of the words that one or more of some MDDs accept; all have the same choices."""
    tables = [[table.tolist() for table in mdd.tables] for mdd in mdds]

    def step(level: int, states: _Live, choice: int) -> _Live | None:
        after = [(i, tables[i][level][state][choice]) for i, state in states]
        return tuple([(i, state) for i, state in after if state >= 0]) or None

    start = tuple([(i, 0) for i, mdd in enumerate(mdds) if not mdd.is_empty])
    return mdd_from_level_steps(mdds[0].choices, start, step) if start else mdds[0]


def remembered(function: Callable[[Mdd, Argument], Mdd]) -> Callable[[Mdd, Argument], Mdd]:
    """Remember what a function makes of the last 1,024 MDDs of few states: tens of megabytes.

    The questions about a board restrict the same automata again and again.
    """
    remembering = lru_cache(maxsize=1024)(function)

    @wraps(function)
    def call(mdd: Mdd, argument: Argument) -> Mdd:
        return (remembering if mdd.size <= _MAX_REMEMBERED else function)(mdd, argument)

    return call


@remembered
def restrict_mdd(mdd: Mdd, kept_choices: tuple[tuple[int, ...] | int, ...]) -> Mdd:
    """The MDD restricted to some choices of each level; levels with a fixed choice are removed.

    Args:
        mdd: any MDD.
        kept_choices: for every level the choices that stay, in their new order; or the one fixed
            choice (an int), which removes the level.
    """
    if kept_choices == tuple(tuple(range(choices)) for choices in mdd.choices):
        return mdd
    onward = np.arange(mdd.widths[-1], dtype=np.int32)  # where each state of a layer leads to
    tables: list[Table] = []
    for table, stay in zip(reversed(mdd.tables), reversed(kept_choices), strict=True):
        to = table[:, stay if isinstance(stay, int) else list(stay)]
        to = np.where(to >= 0, onward[to], np.int32(-1))
        onward = to if isinstance(stay, int) else np.arange(len(table), dtype=np.int32)
        if not isinstance(stay, int):
            tables.insert(0, to)
    if mdd.is_empty or onward[0] < 0:
        return empty_mdd(len(stay) for stay in kept_choices if not isinstance(stay, int))
    if tables:
        tables[0] = tables[0][onward[:1]]
    return reduce_mdd(tables, np.ones(mdd.widths[-1], dtype=bool))
