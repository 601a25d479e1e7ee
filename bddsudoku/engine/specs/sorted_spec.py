"""Colourings as specs whose states are sorted: for counts, since states no longer name colours.

Levels are the places of a colouring (:mod:`bddsudoku.model.symmetry`) in an order, choices its
colours. A state that is reached stands for as many as there are permutations of alike colours
(:mod:`.alike`) that make another one of it, and each of those can be completed in as many ways; a
count needs no more than that. A diagram would, so these specs are for
:func:`bddsudoku.engine.frontier.count_spec` alone.

Which colours are alike from a level on, and the order in which they stand in a state.

Two colours are alike at a level when exchanging them maps what is left of the model to itself, up
to what states say: they have the same houses, may come to the same places, and every machine reads
them alike. A hint counts as long as it lies ahead; once it has been passed, the houses that it
fills say all that follows from it. So colours that are alike stay so, and those that are can stand
next to each other on all levels.

Houses that are alike at a level of a colouring, such as columns with the same rows ahead.

Exchanging two of them maps the places ahead to each other, so that states whose bits are exchanged
can be completed in as many ways. What is asked of the places: every colour is allowed there, and
none was told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.frontier.spec import DEAD, Spec
from bddsudoku.engine.specs.model_levels import (
    allot_mdd_registers,
    allot_registers,
    shared_registers,
)
from bddsudoku.engine.specs.product_spec import mdd_params
from bddsudoku.engine.specs.sorted_step import HouseClassParams, SortedParams, workspace_words
from bddsudoku.jit.decorators import I32, I64, U64, Flags
from bddsudoku.model.to_mdd import constraint_mdd

if TYPE_CHECKING:
    from bddsudoku.model.symmetry import ValueSymmetry
    from bddsudoku.model.to_mdd import ConstraintMdd


@dataclass(frozen=True, eq=False)
class ValueClasses:
    """Classes of colours by level.

    Attributes:
        order: the colours, so that every class of every level is a range.
        low: int32 (levels + 1, colours); where the class of the colour at a position begins,
        high: int32 (levels + 1, colours); and ends.
        open: bool (levels, colours); whether the colour at a position may be chosen at the level,
            as far as states do not say.
    """

    order: tuple[int, ...]
    low: I32
    high: I32
    choosable: Flags

    @property
    def largest(self) -> int:
        """Colours of the largest class on any level but the last."""
        return int((self.high - self.low)[:-1].max(initial=1))


def mdd_columns(
    made: ConstraintMdd, groups: Sequence[tuple[int, ...]], value_of: Sequence[int], values: int
) -> list[I64]:
    """For each layer of a machine the column that it reads when a colour is chosen."""
    out = []
    for layer, place in enumerate(made.places):
        column_of = {v: k for k, v in enumerate(made.levels[layer], 1)}
        columns = np.zeros(values, np.int64)
        for v in groups[place]:
            columns[value_of[v]] = column_of.get(v, 0)
        out.append(columns)
    return out


def value_classes(
    symmetry: ValueSymmetry,
    sequence: Sequence[int],
    mdds: Sequence[tuple[ConstraintMdd, Sequence[I64]]],
) -> ValueClasses:
    """The classes of a colouring.

    Args:
        colouring: of a model.
        sequence: its places in the order of the levels.
        machines: of the crossing constraints over these levels, each with its columns
            (:func:`mdd_columns`).

    Cost: levels² times colours, in numpy.
    """
    levels, values = len(sequence), symmetry.values
    level_of = np.empty(levels, np.int64)
    level_of[list(sequence)] = np.arange(levels)
    closed = ~symmetry.allowed[list(sequence)]
    given = symmetry.given[list(sequence)]
    for level in np.flatnonzero(given >= 0).tolist():
        closed[level] |= np.arange(values) != given[level]
    houses = [np.sort(level_of[list(house)]) for house in symmetry.houses]
    last = [int(house[-1]) for house in houses]
    at: list[list[int]] = [[] for _ in range(levels)]
    for number, house in enumerate(houses):
        for level in house.tolist():
            at[level].append(number)
    # what tells colours apart when a level is reached from below: rows of marks
    marks: list[list[bytes]] = [[] for _ in range(levels)]
    for number, end in enumerate(last):
        kind = symmetry.has[number].astype(np.uint8) + symmetry.exact[number]
        marks[end].append(kind.astype(np.int64).tobytes())
    for made, columns in mdds:
        for layer, place in enumerate(made.places):
            table = made.mdd.tables[layer][:, columns[layer]]
            _, which = np.unique(table, axis=1, return_inverse=True)
            marks[place].append(np.asarray(which, np.int64).reshape(-1).tobytes())
    classes = np.zeros((levels + 1, values), np.int64)
    ahead = np.zeros((levels, values), bool)  # closed by a hint of this level or a later one
    opened = np.zeros((levels, values), bool)
    for level in range(levels - 1, -1, -1):
        value = int(given[level])
        if value >= 0:
            for number in at[level]:
                if symmetry.has[number, value]:
                    ahead[houses[number][houses[number] != level], value] = True
        shut = closed | ahead
        opened[level] = ~shut[level]
        # without a hint here nothing has changed for later levels
        new = shut[level:] if value >= 0 else shut[level : level + 1]
        rows = [classes[level + 1], *(np.frombuffer(m, np.int64) for m in marks[level])]
        signatures = np.vstack([*rows, np.packbits(new, axis=0)]).T.tolist()
        seen: dict[tuple[int, ...], int] = {}
        classes[level] = [seen.setdefault(tuple(row), len(seen)) for row in signatures]
    order = np.lexsort(np.vstack([np.arange(values), classes]))
    low = np.empty((levels + 1, values), np.int32)
    high = np.empty((levels + 1, values), np.int32)
    for level in range(levels + 1):
        row = classes[level][order]
        starts = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        sizes = np.diff(np.append(starts, values))
        low[level] = np.repeat(starts, sizes)
        high[level] = np.repeat(starts + sizes, sizes)
    return ValueClasses(tuple(order.tolist()), low, high, opened[:, order])


@dataclass(frozen=True, eq=False)
class HouseClasses:
    """Classes of alike bits by level.

    Attributes:
        params: for the step.
        named: bool (levels,); no house of the level's place has been exchanged by then.
        most: bits of the largest class; 1 where there is none.
    """

    params: HouseClassParams
    named: Flags
    largest: int


def house_classes(
    symmetry: ValueSymmetry,
    sequence: Sequence[int],
    bit: I64,
    own_bit: Flags | None,
) -> HouseClasses:
    """The classes of a colouring's houses.

    Args:
        colouring: of a model.
        sequence: its places in the order of the levels.
        bit: int64 (houses,); the bit of each.
        alone: bool (houses,); whether the bit is no other house's; None to exchange nothing.

    Cost: some microseconds for every level, house and place of a house.
    """
    levels = len(sequence)
    level_of = {place: level for level, place in enumerate(sequence)}
    houses = [sorted(level_of[place] for place in house) for house in symmetry.houses]
    of_level: list[set[int]] = [set() for _ in range(levels)]
    for f, house in enumerate(houses):
        for level in house:
            of_level[level].add(f)
    plain = (symmetry.allowed.all(axis=1) & (symmetry.given < 0))[list(sequence)].tolist()
    kind = [(symmetry.has[f].tobytes(), symmetry.exact[f].tobytes()) for f in range(len(houses))]
    usable = own_bit is not None and not symmetry.crossing
    class_ends = np.zeros(levels + 2, np.int32)
    rest = np.full(levels + 1, ~np.uint64(0))
    named = np.ones(levels, bool)
    ends, bits, masks = [0], list[int](), list[int]()
    exchanged: set[int] = set()
    for level in range(levels):
        groups: dict[object, list[int]] = {}
        for f, house in enumerate(houses) if usable else ():
            if house[0] >= level or house[-1] < level or not own_bit[f]:  # type: ignore[index]
                continue
            ahead = [s for s in house if s >= level]
            if all(plain[s] for s in ahead):
                seen = Counter(frozenset(of_level[s] - {f}) for s in ahead)
                groups.setdefault((kind[f], frozenset(seen.items())), []).append(f)
        for group in groups.values():
            if len(group) > 1:
                exchanged.update(group)
                class_bits = sorted(int(bit[f]) for f in group)
                bits += class_bits
                ends.append(len(bits))
                masks.append(sum(1 << b for b in class_bits))
                rest[level] &= ~np.uint64(masks[-1])
        class_ends[level + 1] = len(masks)
        named[level] = exchanged.isdisjoint(of_level[level])
    class_ends[levels + 1] = len(masks)
    params = HouseClassParams(
        class_ends,
        np.array(ends, np.int32),
        np.array(bits or [0], np.int32),
        np.array(masks or [0], np.uint64),
        rest,
    )
    return HouseClasses(params, named, int(np.diff(ends).max(initial=1)))


_FIELD_BITS = 64
"""Bits of a field at most."""


@dataclass(frozen=True, eq=False)
class SortedSpec:
    """A spec of sorted states.

    Attributes:
        spec: for a count.
        alike: the classes of its colours.
        houses: houses that are alike at most; 1 where they are not sorted.
    """

    spec: Spec
    classes: ValueClasses
    interchangeable_houses: int


def make_sorted_spec(
    symmetry: ValueSymmetry,
    order: Sequence[int],
    *,
    sort_houses: bool = False,
    known: frozenset[int] | None = None,
    check: MemoryCheck | None = None,
) -> SortedSpec | None:
    """The solutions of a coloured model, for a count.

    Args:
        colouring: of the model.
        order: its places, every one once.
        turned: sort alike houses, too.
        known: keys outside of which no variable is true in any solution (what propagation has
            left); by default nothing is known.
        check: called with the bytes taken more while machines are made; may raise.

    Returns:
        None where a field would be too long.

    Raises:
        LimitReached: a constraint's machine is too wide; the message names it.
    """
    sequence = [int(place) for place in order]
    levels = len(sequence)
    level_of = np.empty(levels, np.int64)
    level_of[sequence] = np.arange(levels)
    base = symmetry.model
    groups = [base.constraints[symmetry.places[place]].variables for place in sequence]
    every = set(range(levels))
    mdds = [constraint_mdd(c, groups, exact=every, check=check) for c in symmetry.crossing]
    of = symmetry.value_of.tolist()
    columns = [mdd_columns(m, groups, of, symmetry.values) for m in mdds]
    classes = value_classes(symmetry, sequence, list(zip(mdds, columns, strict=True)))
    fields = _allot_house_bits(symmetry, level_of, classes.order)
    if fields.bits > _FIELD_BITS:
        return None
    houses = house_classes(symmetry, sequence, fields.bit, fields.own_bit if sort_houses else None)
    # what may be chosen; what propagation has found out about a colour holds while colour
    # and place have names
    open_ = classes.choosable & fields.choosable
    keys = [v.key for v in base.variables]
    chosen: list[list[tuple[int, int]]] = []
    position = {value: at for at, value in enumerate(classes.order)}
    for level, group in enumerate(groups):
        single = (classes.high[level] - classes.low[level] == 1) & houses.named[level]
        level_choices = sorted((position[of[v]], v) for v in group)
        chosen.append(
            [
                (k, v)
                for k, v in level_choices
                if open_[level, k]
                and not (known is not None and single[k] and keys[v] not in known)
            ]
        )
    starts = np.zeros(levels + 1, np.int32)
    np.cumsum([len(level_choices) for level_choices in chosen], out=starts[1:])
    value = np.array([k for level_choices in chosen for k, _ in level_choices], np.int64).reshape(
        -1
    )
    at = np.repeat(np.arange(levels), np.diff(starts))
    each = 64 // fields.bits
    words = -(-symmetry.values // each)
    registers, more = allot_mdd_registers(mdds, levels)
    restricted = [tuple(v for _, v in level_choices) for level_choices in chosen]
    tables = mdd_params(mdds, registers, restricted, words)
    possible = all(restricted) and not any(m.mdd.is_empty for m in mdds)
    params = SortedParams(
        symmetry.values, fields.bits, each, words, starts, value.astype(np.int32),
        fields.need[at, value], fields.add[at, value], fields.keep, fields.must,
        classes.low, classes.high, houses.params, tables,
    )  # fmt: skip
    spec = Spec(
        params=params,
        labels=np.array(
            [keys[v] for level_choices in restricted for v in level_choices], np.int64
        ).reshape(-1),
        first=starts,
        choices=tuple(tuple((k,) for k in range(len(level_choices))) for level_choices in chosen),
        words=np.full(levels, words + more, np.int32),
        root=np.zeros(words + more, np.uint64),
        root_level=0 if possible else DEAD,
        scratch=workspace_words(symmetry.values),
    )
    return SortedSpec(spec, classes, houses.largest)


@dataclass(frozen=True, eq=False)
class _HouseBits:
    """The bits of a field, by level and position of a colour; see :class:`SortedParams`.

    Attributes:
        bit: int64 (houses,); the bit of each house.
        alone: bool (houses,); whether it is no other house's.
    """

    bits: int
    need: U64
    add: U64
    keep: U64
    must: U64
    choosable: Flags
    bit: I64
    own_bit: Flags


def _allot_house_bits(symmetry: ValueSymmetry, level_of: I64, order: Sequence[int]) -> _HouseBits:
    """A bit for every house while it is open, the same for all colours."""
    levels, values = len(level_of), symmetry.values
    houses = [np.sort(level_of[list(house)]) for house in symmetry.houses]
    has, exact = symmetry.has[:, list(order)], symmetry.exact[:, list(order)]
    birth = np.array([house[0] for house in houses], np.int64).reshape(-1)
    last = np.array([house[-1] for house in houses], np.int64).reshape(-1)
    holder = np.arange(len(houses))
    at_most_one = [f for f in range(len(houses)) if has[f].all() and not exact[f].any()]
    if at_most_one:
        item = np.repeat(at_most_one, [len(houses[f]) for f in at_most_one])
        passed = np.concatenate([houses[f] for f in at_most_one])
        holder = shared_registers(item, passed, passed, len(houses))
    kept = holder == np.arange(len(houses))
    bit, _ = allot_registers(np.where(kept, birth, last), last, levels)
    bit = bit[holder]
    alone = np.bincount(holder, minlength=len(houses)) == 1
    shape = (levels, values)
    need, add, must = (np.zeros(shape, np.uint64) for _ in range(3))
    keep = np.zeros(levels, np.uint64)
    open_ = np.ones(shape, bool)
    bits = int(bit.max(initial=0)) + 1
    if bits > _FIELD_BITS:
        return _HouseBits(bits, need, add, keep, must, open_, bit, alone)
    for f, house in enumerate(houses):
        one = np.uint64(1) << np.uint64(max(int(bit[f]), 0))
        begin, end = int(birth[f]), int(last[f])
        if begin == end:  # a single place
            if exact[f].any():
                open_[begin] &= exact[f]
            continue
        with_bit = np.where(has[f], one, np.uint64(0))
        need[house[1:]] |= with_bit
        if kept[f]:
            add[house[:-1]] |= with_bit
            keep[begin + 1 : end] |= one
        must[end] |= np.where(exact[f], one, np.uint64(0))
    return _HouseBits(bits, need, add, keep, must, open_, bit, alone)
