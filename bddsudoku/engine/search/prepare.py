"""From constraints and machines to the flat arrays of the inner loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Check
from bddsudoku.engine.search.tables import Groups, Tables, Words, Work, machine_of
from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.to_mdd import WIDTH, Machine

MOST_CANDIDATES = 1 << 15
"""Their conflicts take 128 MiB."""


@dataclass(frozen=True)
class Prepared:
    """A problem, ready to be searched as often as one likes.

    Attributes:
        variables: number of variables.
        free: ascending positions of those in no constraint.
        possible: False when a constraint alone excludes everything.
        excluded: candidates that no constraint allows.
        order: the variable of a candidate; -1 for complements.
        tables: see :class:`bddsudoku.engine.search.tables.Tables`.
        layers: widths of all layers, machine by machine.
    """

    variables: int
    free: tuple[int, ...]
    possible: bool
    excluded: tuple[int, ...]
    order: NDArray[np.int32]
    tables: Tables
    layers: NDArray[np.uint64]

    @property
    def candidates(self) -> int:
        """Number of candidates."""
        return len(self.order)

    @property
    def items(self) -> int:
        """Number of items."""
        return len(self.tables.member_at) - 1


@dataclass
class _Groups:
    """Items and exclusions, as they are found."""

    items: list[tuple[int, ...]]
    exclusions: list[tuple[int, ...]]
    candidates: int
    of: dict[int, list[int]]

    def item(self, members: Iterable[int]) -> int:
        """A new item."""
        number = len(self.items)
        self.items.append(tuple(members))
        for u in self.items[-1]:
            self.of.setdefault(u, []).append(number)
        return number

    def complement(self) -> int:
        """A new candidate."""
        self.candidates += 1
        return self.candidates - 1

    def around(self, level: Sequence[int]) -> int:
        """The item that holds all candidates of a level; made when there is none."""
        for number in self.of.get(level[0], ()):
            if len(level) == 1 or set(level) <= set(self.items[number]):
                return number
        return self.item((*level, self.complement()))


def prepare(
    variables: int,
    constraints: Iterable[Constraint | Machine],
    *,
    seed: int | None = None,
    width: int = WIDTH,
    check: Check | None = None,
) -> Prepared:
    """The arrays of a problem.

    Args:
        variables: their number; positions are below it.
        constraints: of any kind, or machines (in a level of which at most one variable is true,
            under the other constraints).
        seed: shuffles the order in which candidates are tried; None keeps that of the variables.
        width: greatest number of states that a layer may have on the way to a machine.
        check: called every now and then with the bytes taken more; may raise.

    Raises:
        ModelError: there are more than :data:`MOST_CANDIDATES` candidates, or a total above 1.
        LimitReached: a machine is too wide; the message names its constraint.
    """
    groups = _Groups([], [], variables, {})
    possible = True
    excluded: set[int] = set()
    touched: set[int] = set()
    one_hot: list[OneHot] = []
    others: list[Constraint | Machine] = []
    for c in constraints:
        if isinstance(c, OneHot):
            one_hot.append(c)
        else:
            others.append(c)
    for h in one_hot:
        touched.update(h.variables)
        if h.total > 1:
            raise ModelError(f"{h.family} {h.label}: total {h.total}; one-hot totals are 1 or 0")
        if h.total <= 0:
            possible &= h.total == 0
            excluded.update(h.variables)
        elif h.at_most:
            groups.exclusions.append(h.variables)
        else:
            possible &= bool(h.variables)
            groups.item(h.variables)
    whole = Groups(one_hot)
    found = [
        c if isinstance(c, Machine) else machine_of(c, whole, width=width, check=check)
        for c in others
    ]
    # Small machines first: they are looked at in this order.
    found.sort(key=lambda m: m.layers.size * (1 + len(m.levels)))
    machines = []
    for m in found:
        touched.update(v for level in m.levels for v in level)
        possible &= not m.layers.is_empty
        if m.levels and not m.layers.is_full:
            machines.append(m)
        else:  # all that it says is that a level has one true variable at most
            for level in m.levels:
                if len(level) > 1:
                    groups.around(level)
    bases = [groups.around(level) for m in machines for level in m.levels]
    for v in sorted(touched - excluded):
        if v not in groups.of:
            groups.item((v, groups.complement()))
    free = tuple(v for v in range(variables) if v not in touched)
    if groups.candidates > MOST_CANDIDATES:
        raise ModelError(
            f"{groups.candidates:,} candidates; search takes at most {MOST_CANDIDATES:,}"
        )
    if not possible:
        machines, bases = [], []
    number = np.arange(groups.candidates)
    if seed is not None:
        number = np.random.default_rng(seed).permutation(groups.candidates)
    order = np.full(groups.candidates, -1, dtype=np.int32)
    order[number[:variables]] = np.arange(variables)
    if check is not None:
        check(groups.candidates**2 // 8)  # their conflicts
    tables, layers = _tables(groups, machines, bases, number, order)
    return Prepared(
        variables, free, possible, tuple(int(number[v]) for v in sorted(excluded)), order,
        tables, layers,
    )  # fmt: skip


def _words(states: int) -> int:
    """Words for a layer: the last bit of the last word stands for no state."""
    return states // 64 + 1


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Words, Words]:
    """Lists one after the other, and where each begins."""
    at = np.zeros(len(lists) + 1, dtype=np.uint64)
    np.cumsum([len(x) for x in lists], out=at[1:])
    flat = np.fromiter((v for x in lists for v in x), dtype=np.uint64, count=int(at[-1]))
    return at, flat


def _bits(wanted: NDArray[np.bool_]) -> Words:
    """A bit set; without members it has no words."""
    bits = np.packbits(
        np.append(wanted, np.zeros(-len(wanted) % 64, dtype=bool)), bitorder="little"
    )
    return bits.view("<u8").astype(np.uint64)


def _conflicts(groups: _Groups, number: NDArray[np.int64]) -> Words:
    """(candidates, words): what cannot hold together with a candidate."""
    n = groups.candidates
    words = -(-n // 64)
    conflict = np.zeros(n * words, dtype=np.uint64)
    by_size: dict[int, list[tuple[int, ...]]] = {}
    for group in (*groups.items, *groups.exclusions):
        by_size.setdefault(len(group), []).append(group)
    for size, several in by_size.items():
        if size < 2:
            continue
        members = number[np.array(several)]
        for k in range(1, size):
            other = np.roll(members, k, axis=1)
            bit = np.uint64(1) << (other & 63).astype(np.uint64)
            np.bitwise_or.at(conflict, (members * words + (other >> 6)).ravel(), bit.ravel())
    return conflict.reshape(n, words)


def _tables(
    groups: _Groups,
    machines: Sequence[Machine],
    bases: Sequence[int],
    number: NDArray[np.int64],
    order: NDArray[np.int32],
) -> tuple[Tables, Words]:
    conflict = _conflicts(groups, number)
    item_lists: list[list[int]] = [[] for _ in range(groups.candidates)]
    members = [sorted(number[list(item)].tolist()) for item in groups.items]
    for i, item in enumerate(members):
        for u in item:
            item_lists[u].append(i)
    other_lists: list[list[int]] = []
    use_lists: list[list[int]] = [[] for _ in range(groups.candidates)]
    first = [0]
    owner: list[int] = []
    once: list[bool] = []
    wide: list[int] = []
    widths: list[int] = []
    choices: list[list[int]] = []
    base: list[int] = []
    tables: list[NDArray[np.uint32]] = []
    table_at: list[int] = []
    size = 0
    reading = iter(bases)
    for m, machine in enumerate(machines):
        met = 0
        seen: set[int] = set()
        widths += machine.layers.widths
        for level, table, next_width in zip(
            machine.levels, machine.layers.tables, machine.layers.widths[1:], strict=True
        ):
            base.append(next(reading))
            for u in members[base[-1]]:
                use_lists[u].append(len(wide))
            met += len(members[base[-1]])
            seen.update(members[base[-1]])
            wide.append(table.shape[1])
            choices.append([0, *number[list(level)].tolist()])
            other_lists.append([u for u in members[base[-1]] if u not in choices[-1][1:]])
            owner.append(m)
            nowhere = 64 * _words(next_width) - 1
            tables.append(np.where(table >= 0, table, nowhere).astype(np.uint32).reshape(-1))
            table_at.append(size)
            size += table.size
        once.append(met == len(seen))
        # The last layer has states, and reads nothing.
        owner.append(m)
        wide.append(0)
        choices.append([])
        other_lists.append([])
        base.append(0)
        table_at.append(size)
        first.append(len(wide))
    # In a row, live and chosen candidates come first.
    words_at = np.full(len(widths) + 1, 2 * conflict.shape[1], dtype=np.uint64)
    words_at[1:] += np.cumsum([_words(w) for w in widths], dtype=np.uint64)
    items_at, items = _flat(item_lists)
    uses_at, uses = _flat(use_lists)
    member_at, member = _flat(members)
    choice_at, choice = _flat(choices)
    others_at, others = _flat(other_lists)
    found = Tables(
        conflict, items_at, items, member_at, member, uses_at, uses,
        np.array(owner, dtype=np.uint64), np.array(first, dtype=np.uint64),
        np.array(once, dtype=bool), np.array(wide, dtype=np.uint64),
        np.array(table_at, dtype=np.uint64),
        np.concatenate([np.zeros(0, dtype=np.uint32), *tables]), words_at,
        np.array(base, dtype=np.uint64), choice_at, choice, others_at, others,
        _bits(order >= 0),
    )  # fmt: skip
    return found, np.array(widths, dtype=np.uint64)


def new_rows(p: Prepared, rows: int) -> Words:
    """Rows of which the first is the root, before anything has been concluded."""
    t = p.tables
    words = len(t.variables)
    begin = int(t.words_at[-1])
    made = np.zeros((rows, begin + p.items + 1), dtype=np.uint64)
    live = np.ones(p.candidates, dtype=bool)
    live[list(p.excluded)] = False
    root = made[0]
    root[:words] = _bits(live)
    # Full words, and in the last one of a layer the states that are left.
    root[2 * words : begin] = ~np.uint64(0)
    root[t.words_at[1:] - np.uint64(1)] = (np.uint64(1) << p.layers % np.uint64(64)) - np.uint64(1)
    sums = np.append(0, np.cumsum(live[t.member]))
    root[begin:-1] = sums[t.member_at[1:]] - sums[t.member_at[:-1]]
    root[-1] = p.items
    return made


def new_work(p: Prepared, root: Words) -> Work:
    """Queues in which the root's first conclusions wait."""
    t = p.tables
    machines = len(t.first) - 1
    count = root[-1 - p.items : -1]
    biggest = int(np.diff(t.member_at).max(initial=1))
    widest = int(t.wide.max(initial=1))
    words = len(t.variables)
    return Work(
        np.zeros(16, dtype=np.uint64),
        np.zeros(words, dtype=np.uint64),
        np.concatenate(
            [_bits(count == 1), _bits(count == 2), _bits(np.ones(machines, dtype=bool))]
        ),
        t.first[:-1].copy(),
        t.first[1:] - np.uint64(2),
        np.zeros(int(np.diff(t.words_at).max(initial=1)), dtype=np.uint64),
        np.zeros(max(biggest, widest), dtype=np.uint64),
        np.zeros(widest, dtype=np.uint64),
        np.ones(p.items),
        np.zeros(words, dtype=np.uint64),
    )
