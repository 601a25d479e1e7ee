"""Translation of constraints into the flat arrays of the constraint search."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.search.arrays import SearchTables, SearchWorkspace, Words
from bddsudoku.engine.search.sums import Sum, find_sum, new_sum_workspace, sum_tables
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I32, I64, Flags
from bddsudoku.model.constraints import Automaton, Constraint, Linear, OneHot
from bddsudoku.model.mdd import Mdd
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd

MAX_CANDIDATES = 1 << 15
"""Greatest number of candidates; their conflict matrix takes 128 MiB."""
_MAX_SCANNED = 500_000
"""Greatest number of transitions of an MDD that is scanned for implied one-hot constraints."""


@dataclass(frozen=True)
class SearchProblem:
    """A model's constraints as arrays, for any number of searches.

    Attributes:
        unconstrained: ascending positions of the variables in no constraint.
        possible: False when a single constraint already excludes every solution.
        order: the variable of each candidate; -1 for complements.
        tables: see :class:`bddsudoku.engine.search.arrays.SearchTables`.
        root: the row of the search's root, before propagation.
    """

    unconstrained: tuple[int, ...]
    possible: bool
    order: I32
    tables: SearchTables
    root: Words

    @property
    def candidate_count(self) -> int:
        """Number of candidates: variables, and complements of variables or of sets of them."""
        return len(self.order)

    @property
    def item_count(self) -> int:
        """Number of items: sets of candidates of which exactly one is true."""
        return len(self.tables.member_at) - 1


class _ItemBuilder:
    """Collector of items and at-most-one sets, which adds complements to the candidates.

    Args:
        candidates: number of variables, the first candidates.
    """

    def __init__(self, candidates: int) -> None:
        self.candidates = candidates
        self.items: list[tuple[int, ...]] = []
        self.exclusions: list[tuple[int, ...]] = []
        self.items_of_candidate: defaultdict[int, list[int]] = defaultdict(list)
        """The items of a candidate."""

    def add_item(self, members: tuple[int, ...]) -> int:
        number = len(self.items)
        self.items.append(members)
        for u in members:
            self.items_of_candidate[u].append(number)
        return number

    def add_item_with_complement(self, members: Sequence[int]) -> int:
        """Add an item of exclusive candidates and a new one that is true if all are false."""
        self.candidates += 1
        return self.add_item((*members, self.candidates - 1))

    def find_or_add_item(self, level: Sequence[int]) -> int:
        """Find an item that contains all candidates of an MDD's level, or add one."""
        for number in self.items_of_candidate[level[0]]:
            if len(level) == 1 or set(level) <= set(self.items[number]):
                return number
        return self.add_item_with_complement(level)

    def is_exactly_one(self, level: Sequence[int]) -> bool:
        """Whether exactly one of a level's variables is always true."""
        return any(
            set(self.items[number]) == set(level) for number in self.items_of_candidate[level[0]]
        )

    def add_implied(self, members: tuple[int, ...], exactly: bool) -> None:
        """Add an implied item or at-most-one set, unless the items state it already."""
        common = set.intersection(*(set(self.items_of_candidate[u]) for u in members))
        if not exactly and not common:
            self.exclusions.append(members)
        elif exactly and all(len(self.items[number]) > len(members) for number in common):
            self.add_item(members)

    def conflict_sets(self, constraints: Iterable[Constraint]) -> dict[int, int]:
        """For each variable of linear constraints, its items and exclusions as a bit set."""
        found = {v: 0 for c in constraints if isinstance(c, Linear) for v in c.variables}
        for i, group in enumerate((*self.items, *self.exclusions) if found else ()):
            for v in found.keys() & group:
                found[v] |= 1 << i
        return found

    def find_sum(self, constraint: Linear, conflict: Mapping[int, int]) -> Sum | None:
        """Write a linear constraint as a sum of items, if its variables are whole items.

        Args:
            constraint: the constraint.
            conflict: see :meth:`conflict_sets`.
        """
        levels = self.parts_within_items(constraint.variables, constraint.weights)
        if all(map(self.is_exactly_one, levels)):
            return find_sum(constraint, levels, conflict)
        return None

    def parts_within_items(
        self, variables: Sequence[int], weights: Sequence[int] = ()
    ) -> list[tuple[int, ...]]:
        """Split variables into parts that each lie within one item, the largest part first.

        If weights are given, only items whose variables have different weights are used.
        """
        parts: list[tuple[int, ...]] = []
        left = dict.fromkeys(variables)
        overlaps = Counter(number for v in variables for number in self.items_of_candidate[v])
        if weights:
            weight = dict(zip(variables, weights, strict=True))
            for number in [*overlaps]:
                own = [weight[v] for v in self.items[number] if v in weight]
                if len({*own}) < len(own):
                    del overlaps[number]
        for number in sorted(overlaps, key=lambda g: (-overlaps[g], g)):
            part = tuple(v for v in self.items[number] if v in left)
            if len(part) > 1:
                parts.append(part)
                for v in part:
                    del left[v]
        return [*parts, *((v,) for v in left)]


def _constraint_mdd(
    constraint: Constraint, groups: _ItemBuilder, check: MemoryCheck | None
) -> ConstraintMdd:
    """Make the MDD of a constraint, with levels that are subsets of items.

    An automaton keeps its own groups and their order. Sums read large weights first: the remaining
    weights are then small, and few partial sums can still reach the total.
    """
    if isinstance(constraint, Automaton):
        present = (tuple(v for v in group if v >= 0) for group in constraint.groups)
        levels = [level for level in present if level]
    else:
        levels = sorted(groups.parts_within_items(constraint.variables), key=min)
    if isinstance(constraint, Linear):
        weight = dict(zip(constraint.variables, constraint.weights, strict=True))

        def weight_range(level: Sequence[int]) -> int:
            found = [weight[v] for v in level] + [0] * (not groups.is_exactly_one(level))
            return max(found) - min(found)

        levels.sort(key=weight_range, reverse=True)
    exact = {i for i, level in enumerate(levels) if groups.is_exactly_one(level)}
    return constraint_mdd(constraint, levels, exact=exact, check=check)


@lru_cache(maxsize=256)
def _bounded_symbols(mdd: Mdd, levels: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, bool], ...]:
    """Symbols that no accepted word repeats, each with whether it is in every accepted word.

    Args:
        mdd: an MDD that accepts some word.
        levels: the symbol of each choice but 0, level by level.
    """
    symbols = 1 + max((s for level in levels for s in level), default=-1)
    # The least and greatest number of each symbol on a path to each state.
    least = most = np.zeros((1, symbols), dtype=np.int32)
    for level, table, width in zip(levels, mdd.tables, mdd.widths[1:], strict=True):
        low = np.full((width, symbols), len(levels) + 1, dtype=np.int32)
        high = np.full((width, symbols), -1, dtype=np.int32)
        step = np.zeros((table.shape[1], symbols), dtype=np.int32)
        step[np.arange(1, len(level) + 1), level] = 1
        state, choice = np.nonzero(table >= 0)
        target = table[state, choice]
        np.minimum.at(low, target, least[state] + step[choice])
        np.maximum.at(high, target, most[state] + step[choice])
        least, most = low, high
    return tuple((s, bool(least[0, s] == 1)) for s in np.flatnonzero(most[0] == 1).tolist())


def _add_implied_one_hots(groups: _ItemBuilder, constraint: Automaton, made: ConstraintMdd) -> None:
    """Add what an automaton implies: at most, or exactly, one of a symbol's variables is true.

    A renban line of six cells has exactly one 5; a cage of three cells with the sum 7 exactly one
    1.
    """
    symbol = {v: s for group in constraint.groups for s, v in enumerate(group) if v >= 0}
    levels = tuple(tuple(symbol[v] for v in level) for level in made.levels)
    if made.mdd.is_empty or sum(table.size for table in made.mdd.tables) > _MAX_SCANNED:
        return
    for s, exactly in _bounded_symbols(made.mdd, levels):
        members = tuple(v for v in constraint.variables if symbol[v] == s)
        if len(members) > 1:
            groups.add_implied(members, exactly)


def prepare_search(
    variables: int,
    constraints: Iterable[Constraint],
    *,
    seed: int | None = None,
    check: MemoryCheck | None = None,
) -> SearchProblem:
    """Translate constraints into the arrays of a search.

    Args:
        variables: number of variables; constraints name them by position.
        constraints: constraints of any kind.
        seed: shuffles the order in which candidates are tried; None keeps that of the variables.
        check: called now and then with the additional bytes; may raise.

    Raises:
        ModelError: there are more than :data:`MAX_CANDIDATES` candidates, or a total above 1.
        LimitReached: an MDD is too wide; the message names its constraint.
    """
    groups = _ItemBuilder(variables)
    possible = True
    excluded: set[int] = set()
    touched: set[int] = set()
    others: list[Constraint] = []
    for c in constraints:
        if not isinstance(c, OneHot):
            others.append(c)
            continue
        touched.update(c.variables)
        if c.total > 1:
            raise ModelError(f"{c.family} {c.label}: total {c.total}; one-hot totals are 1 or 0")
        if c.total <= 0:
            possible &= c.total == 0
            excluded.update(c.variables)
        elif c.at_most:
            groups.exclusions.append(c.variables)
        else:
            groups.add_item(c.variables)
    conflict = groups.conflict_sets(others)
    sums: list[Sum] = []
    found: list[ConstraintMdd] = []
    for c in others:
        if isinstance(c, Linear) and (one := groups.find_sum(c, conflict)):
            touched.update(c.variables)
            sums.append(one)
            continue
        found.append(_constraint_mdd(c, groups, check))
        if isinstance(c, Automaton):
            _add_implied_one_hots(groups, c, found[-1])
    # Small MDDs first: they are propagated in this order.
    found.sort(key=lambda m: m.mdd.size * (1 + len(m.levels)))
    mdds = []
    for m in found:
        touched.update(v for level in m.levels for v in level)
        possible &= not m.mdd.is_empty
        if m.levels and not m.mdd.is_full:
            mdds.append(m)
        else:  # it requires only that at most one variable of a level is true
            for level in m.levels:
                if len(level) > 1:
                    groups.find_or_add_item(level)
    bases = [groups.find_or_add_item(level) for m in mdds for level in m.levels]
    for v in sorted(touched - excluded):
        if not groups.items_of_candidate[v]:
            groups.add_item_with_complement((v,))
    if groups.candidates > MAX_CANDIDATES:
        raise ModelError(
            f"{groups.candidates:,} candidates; search takes at most {MAX_CANDIDATES:,}"
        )
    if not possible:
        mdds, bases, sums = [], [], []
    number = np.arange(groups.candidates)
    if seed is not None:
        number = np.random.default_rng(seed).permutation(groups.candidates)
    order = np.full(groups.candidates, -1, dtype=np.int32)
    order[number[:variables]] = np.arange(variables)
    live = np.ones(groups.candidates, dtype=np.bool_)
    live[number[list(excluded)]] = False
    if check is not None:
        check(groups.candidates**2 // 8)  # the conflict matrix
    tables, root = _build_tables(groups, _mdd_levels(mdds, bases), sums, number, live, order >= 0)
    free = tuple(v for v in range(variables) if v not in touched)
    possible &= bool(root[-1 - len(groups.items) : -1].all())
    return SearchProblem(free, possible, order, tables, root)


class _MddLevel(NamedTuple):
    """A level of an MDD: the variables it reads, their item and the transition table.

    The last layer of an MDD is a level that reads nothing, with ``base`` -1.
    """

    mdd: int
    base: int
    variables: Sequence[int]
    table: I32
    states: int


def _mdd_levels(mdds: Sequence[ConstraintMdd], bases: Iterable[int]) -> list[_MddLevel]:
    found = []
    reading = iter(bases)
    for m, one in enumerate(mdds):
        states, tables = one.mdd.widths, one.mdd.tables
        for level, table, width in zip(one.levels, tables, states[:-1], strict=True):
            found.append(_MddLevel(m, next(reading), level, table, width))
        found.append(_MddLevel(m, -1, (), np.zeros(0, np.int32), states[-1]))
    return found


def _flatten(lists: Iterable[Sequence[int]]) -> tuple[Words, Words]:
    """Concatenate lists; returns where each begins, and the entries."""
    lists = list(lists)
    at = np.cumsum([0, *map(len, lists)], dtype=np.uint64)
    return at, np.fromiter(chain.from_iterable(lists), np.uint64, int(at[-1]))


def _bit_set(wanted: Flags) -> Words:
    """Pack flags into the words of a bit set."""
    padded = np.append(wanted, np.zeros(-len(wanted) % 64, dtype=np.bool_))
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def _conflicting_pairs(groups: Iterable[tuple[int, ...]], number: I64) -> Iterator[tuple[I64, I64]]:
    """Yield all ordered pairs of candidates that share a group, in batches of two arrays."""
    by_size: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for group in groups:
        by_size[len(group)].append(group)
    for size, several in by_size.items():
        members = number[np.array(several, dtype=np.int64)]
        for k in range(1, size):
            yield members.ravel(), np.roll(members, k, axis=1).ravel()


def _conflict_matrix(groups: _ItemBuilder, number: I64) -> Words:
    """For every candidate the bit set of those that exclude it: (candidates, words)."""
    n = groups.candidates
    words = -(-n // 64)
    conflict = np.zeros(n * words, dtype=np.uint64)
    for one, other in _conflicting_pairs((*groups.items, *groups.exclusions), number):
        bit = np.uint64(1) << (other & 63).astype(np.uint64)
        np.bitwise_or.at(conflict, one * words + (other >> 6), bit)
    return conflict.reshape(n, words)


def _item_reach(groups: _ItemBuilder, number: I64, at: Words, items: Words, count: int) -> Words:
    """For each item, the most of its candidates that one outside it excludes; 2 if fewer.

    Args:
        groups: items and exclusions; only the latter conflict beyond an item.
        number: the candidate of a variable.
        at, items: the items of the candidates, as :func:`_flatten` returns them.
        count: number of items.
    """
    reach = np.full(count, 2, dtype=np.uint64)
    pairs = [*_conflicting_pairs(groups.exclusions, number)]
    if not pairs:
        return reach
    one, other = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    one, other = np.divmod(np.unique(one * len(number) + other), len(number))
    begin, size = at[:-1].astype(np.int64), np.diff(at).astype(np.int64)
    places = np.arange(size[other].sum()) - np.repeat(
        np.cumsum(size[other]) - size[other] - begin[other], size[other]
    )
    met = np.repeat(one, size[other]) * count + items[places].astype(np.int64)
    own = np.repeat(np.arange(len(number)), size) * count + items.astype(np.int64)
    keys, conflicts = np.unique(met[~np.isin(met, own)], return_counts=True)
    np.maximum.at(reach, keys % count, conflicts.astype(np.uint64))
    return reach


def _queue_slots(reach: Words, base: I64) -> tuple[Words, Words, Words, Words]:
    """Return the queue's slots of items (by kind of propagation) and MDDs, and their entries.

    See :mod:`.kernel` for the order.
    """
    items, ends = len(reach), np.flatnonzero(base < 0)
    cells = reach > 2
    cells[base[base >= 0]] = True
    short = np.diff(ends, prepend=-1) <= 3
    numbers = np.arange(items + len(ends))
    classes = (
        (0, numbers[:items][cells]), (1, numbers[:items][cells]), (2, numbers[items:][short]),
        (0, numbers[:items][~cells]), (1, numbers[:items][~cells]), (2, numbers[items:][~short]),
    )  # fmt: skip
    kinds = np.repeat([kind for kind, _ in classes], [len(some) for _, some in classes])
    entry = np.concatenate([some for _, some in classes])
    slots = np.zeros((3, items + len(ends)), dtype=np.uint64)
    slots[kinds, entry] = np.arange(len(entry))
    return slots[0, :items], slots[1, :items], slots[2, items:], entry.astype(np.uint64)


def _build_tables(
    groups: _ItemBuilder,
    levels: Sequence[_MddLevel],
    sums: Sequence[Sum],
    number: I64,
    live: Flags,
    variables: Flags,
) -> tuple[SearchTables, Words]:
    """Make the tables of a search and its root row."""
    conflict = _conflict_matrix(groups, number)
    words = conflict.shape[1]
    members = [sorted(number[list(item)].tolist()) for item in groups.items]
    items: list[list[int]] = [[] for _ in number]
    for i, item in enumerate(members):
        for u in item:
            items[u].append(i)
    uses: list[list[int]] = [[] for _ in number]
    choices: list[list[int]] = []
    others: list[list[int]] = []
    tables = [np.zeros(0, np.uint32)]
    reads: defaultdict[int, list[int]] = defaultdict(list)
    # The last bit of the last word of a layer stands for no state.
    words_of = [level.states // 64 + 1 for level in levels]
    for i, level in enumerate(levels):
        read = members[level.base] if level.base >= 0 else []
        reads[level.mdd] += read
        for u in read:
            uses[u].append(i)
        own = number[list(level.variables)].tolist() if read else []
        choices.append([0, *own] if read else [])
        others.append([u for u in read if u not in own])
        nowhere = 64 * words_of[(i + 1) % len(levels)] - 1
        tables.append(np.where(level.table >= 0, level.table, nowhere).astype(np.uint32).ravel())
    owner = [level.mdd for level in levels]
    bases = [level.base for level in levels]
    for m, one in enumerate(sums, len(reads)):
        for cell in (cell for _, cells in one.cliques for cell in cells):
            own = [v for v in cell if v >= 0]
            for u in number[own].tolist():
                uses[u].append(len(bases))
            bases.append(groups.find_or_add_item(own))
        bases.append(-1)
        owner += [m] * (len(bases) - len(owner))
    # In a row, live and chosen candidates come first.
    words_at = np.cumsum([2 * words, *words_of], dtype=np.uint64)
    begin = int(words_at[-1])
    root = np.zeros(begin + len(members) + 1, dtype=np.uint64)
    root[:words] = _bit_set(live)
    # Full words, and in the last word of a layer the remaining states.
    root[2 * words : begin] = ~np.uint64(0)
    left = np.array([level.states % 64 for level in levels], dtype=np.uint64)
    root[words_at[1:] - np.uint64(1)] = (np.uint64(1) << left) - np.uint64(1)
    root[begin:-1] = [np.count_nonzero(live[item]) for item in members]
    root[-1] = len(members)
    base = np.array(bases, dtype=np.int64)
    items_at, flat_items = _flatten(items)
    reach = _item_reach(groups, number, items_at, flat_items, len(members))
    found = SearchTables(
        conflict, items_at, flat_items, *_flatten(members), *_flatten(uses),
        np.array(owner, np.uint64),
        np.flatnonzero(np.append(True, base < 0)).astype(np.uint64),
        np.array([len(some) == len({*some}) for some in reads.values()], np.bool_),
        np.cumsum([len(table) for table in tables], dtype=np.uint64), np.concatenate(tables),
        words_at, np.maximum(base, 0).astype(np.uint64), *_flatten(choices), *_flatten(others),
        reach, *_queue_slots(reach, base), _bit_set(variables), sum_tables(sums, number),
    )  # fmt: skip
    return found, root


def new_workspace(p: SearchProblem) -> SearchWorkspace:
    """Make the workspace of a search, with everything at the root queued for propagation."""
    t = p.tables
    count = p.root[-1 - p.item_count : -1]
    waiting = np.zeros(len(t.slot_entry), dtype=np.bool_)
    waiting[t.single_slot[count == 1]] = True
    waiting[t.reach_slot[(count > 1) & (count <= t.reach)]] = True
    waiting[t.mdd_slot] = True
    words = len(t.variables)
    biggest, widest, layer = (
        int(np.diff(at).max(initial=1)) for at in (t.member_at, t.choice_at, t.words_at)
    )
    return SearchWorkspace(
        np.zeros(16, dtype=np.uint64),
        np.zeros(words, dtype=np.uint64),
        _bit_set(waiting),
        t.first[:-1].copy(),
        t.first[1:] - np.uint64(2),
        np.zeros(layer, dtype=np.uint64),
        np.zeros(max(biggest, widest), dtype=np.uint64),
        np.zeros(widest, dtype=np.uint64),
        np.ones(p.item_count),
        np.ones(1),
        np.zeros(words, dtype=np.uint64),
        new_sum_workspace(t.sums),
    )
