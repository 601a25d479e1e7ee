"""A spec for counts that merges states equal up to permuting interchangeable values.

Levels are the places of a model with value symmetry (:mod:`bddsudoku.model.value_symmetry`) in an
order, choices their values. A state represents all states that permutations of interchangeable
values make of it; each of them has the same number of completions, which is all that a count needs.
A diagram needs more, so these specs are for :func:`bddsudoku.engine.frontier.count_spec` alone.

Two values are interchangeable at a level when exchanging them maps the rest of the model to itself,
given the state: they have the same houses, are allowed at the same places, and every MDD reads them
alike. A hint makes a difference on the levels up to its own; afterwards the houses that contain it
say all that follows from it. So interchangeable values stay interchangeable, and a class can occupy
consecutive positions of a state on all levels.

Two houses are interchangeable at a level, such as columns with the same rows ahead, when exchanging
them maps the places ahead to each other, so that states whose bits are exchanged have the same
number of completions. It requires that at these places every value is allowed and none is assumed.
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
    allot_item_bits,
    allot_mdd_registers,
    share_item_bits,
)
from bddsudoku.engine.specs.product_spec import make_mdd_params
from bddsudoku.engine.specs.value_symmetry_step import HouseClassParams, StepParams, scratch_words
from bddsudoku.jit.decorators import I32, I64, U64, Flags
from bddsudoku.model.to_mdd import constraint_mdd

if TYPE_CHECKING:
    from bddsudoku.model.to_mdd import ConstraintMdd
    from bddsudoku.model.value_symmetry import ValueSymmetry


@dataclass(frozen=True, eq=False)
class ValueClasses:
    """Classes of interchangeable values by level.

    Attributes:
        order: the values, in an order in which every class of every level is a range.
        low: int32 (levels + 1, values); where the class of the value at a position begins.
        high: int32 (levels + 1, values); where it ends.
        choosable: bool (levels, values); whether the value at a position may be chosen at the
            level, whatever the state.
    """

    order: tuple[int, ...]
    low: I32
    high: I32
    choosable: Flags

    @property
    def largest_size(self) -> int:
        """Number of values of the largest class on any level but the last."""
        return int((self.high - self.low)[:-1].max(initial=1))


def table_columns_by_value(
    mdd: ConstraintMdd, groups: Sequence[tuple[int, ...]], value_of: Sequence[int], value_count: int
) -> list[I64]:
    """For each layer of an MDD, find the column of each value in the transition table."""
    out = []
    for layer, place in enumerate(mdd.places):
        column_of = {v: k for k, v in enumerate(mdd.levels[layer], 1)}
        columns = np.zeros(value_count, np.int64)
        for v in groups[place]:
            columns[value_of[v]] = column_of.get(v, 0)
        out.append(columns)
    return out


def value_classes_by_level(
    symmetry: ValueSymmetry,
    place_order: Sequence[int],
    mdds: Sequence[tuple[ConstraintMdd, Sequence[I64]]],
) -> ValueClasses:
    """At every level, group the values whose exchange maps the remaining problem to itself.

    Args:
        symmetry: the model's places, values and houses.
        place_order: the places in the order of the levels.
        mdds: MDDs of the crossing constraints over these levels, each with its columns
            (:func:`table_columns_by_value`).

    Cost: levels² times values, in numpy.
    """
    levels, values = len(place_order), symmetry.values
    level_of = np.argsort(place_order)
    closed = ~symmetry.allowed[list(place_order)]
    given = symmetry.given[list(place_order)]
    for level in np.flatnonzero(given >= 0).tolist():
        closed[level] |= np.arange(values) != given[level]
    houses = [np.sort(level_of[list(house)]) for house in symmetry.houses]
    last = [int(house[-1]) for house in houses]
    at: list[list[int]] = [[] for _ in range(levels)]
    for number, house in enumerate(houses):
        for level in house.tolist():
            at[level].append(number)
    # what distinguishes values from this level on: rows of marks
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
    """Classes of interchangeable houses by level.

    Attributes:
        params: the classes as arrays for the step.
        named: bool (levels,); no house of the level's place may have been exchanged by then.
        largest: number of houses in the largest class; 1 where there is none.
    """

    params: HouseClassParams
    named: Flags
    largest: int


def house_classes_by_level(
    symmetry: ValueSymmetry, place_order: Sequence[int], house_bit: I64, is_unshared: Flags | None
) -> HouseClasses:
    """At every level, group the houses whose exchange maps the remaining problem to itself.

    Args:
        symmetry: the model's places, values and houses.
        place_order: the places in the order of the levels.
        house_bit: int64 (houses,); the bit of each.
        is_unshared: bool (houses,); no other house shares the bit; None to exchange nothing.

    Cost: some microseconds for every level, house and place of a house.
    """
    levels = len(place_order)
    level_of = {place: level for level, place in enumerate(place_order)}
    houses = [sorted(level_of[place] for place in house) for house in symmetry.houses]
    of_level: list[set[int]] = [set() for _ in range(levels)]
    for f, house in enumerate(houses):
        for level in house:
            of_level[level].add(f)
    plain = (symmetry.allowed.all(axis=1) & (symmetry.given < 0))[list(place_order)].tolist()
    kind = [(symmetry.has[f].tobytes(), symmetry.exact[f].tobytes()) for f in range(len(houses))]
    usable = is_unshared is not None and not symmetry.crossing
    class_ends = np.zeros(levels + 2, np.int32)
    rest = np.full(levels + 1, ~np.uint64(0))
    named = np.ones(levels, bool)
    ends, bits, masks = [0], list[int](), list[int]()
    exchanged: set[int] = set()
    for level in range(levels):
        groups: dict[object, list[int]] = {}
        for f, house in enumerate(houses) if usable else ():
            if house[0] >= level or house[-1] < level or not is_unshared[f]:  # type: ignore[index]
                continue
            ahead = [s for s in house if s >= level]
            if all(plain[s] for s in ahead):
                seen = Counter(frozenset(of_level[s] - {f}) for s in ahead)
                groups.setdefault((kind[f], frozenset(seen.items())), []).append(f)
        for group in groups.values():
            if len(group) > 1:
                exchanged.update(group)
                class_bits = sorted(int(house_bit[f]) for f in group)
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
"""Greatest number of bits of a value's field."""


@dataclass(frozen=True, eq=False)
class ValueSymmetrySpec:
    """A spec that merges states by value symmetry, and its classes of interchangeable values.

    Attributes:
        spec: the spec, for counting only.
        classes: the classes of interchangeable values.
        interchangeable_houses: size of the largest class of houses; 1 where none are sorted.
    """

    spec: Spec
    classes: ValueClasses
    interchangeable_houses: int


def make_value_symmetry_spec(
    symmetry: ValueSymmetry,
    order: Sequence[int],
    *,
    sort_houses: bool = False,
    known: frozenset[int] | None = None,
    check: MemoryCheck | None = None,
) -> ValueSymmetrySpec | None:
    """Make the spec that counts a model's solutions and merges states by value symmetry.

    Args:
        symmetry: the value symmetry of the model.
        order: its places, every one once.
        sort_houses: whether to sort interchangeable houses, too.
        known: keys of the variables that may be true in a solution (those left by propagation);
            by default all.
        check: called with the additional bytes while MDDs are made; may raise.

    Returns:
        The spec; None where a field would need too many bits.

    Raises:
        LimitReached: a constraint's MDD is too wide; the message names it.
    """
    sequence = [int(place) for place in order]
    levels = len(sequence)
    level_of = np.argsort(sequence)
    base = symmetry.model
    groups = [base.constraints[symmetry.places[place]].variables for place in sequence]
    every = set(range(levels))
    mdds = [constraint_mdd(c, groups, exact=every, check=check) for c in symmetry.crossing]
    of = symmetry.value_of.tolist()
    columns = [table_columns_by_value(m, groups, of, symmetry.values) for m in mdds]
    classes = value_classes_by_level(symmetry, sequence, list(zip(mdds, columns, strict=True)))
    fields = _allot_house_bits(symmetry, level_of, classes.order)
    if fields.bits > _FIELD_BITS:
        return None
    houses = house_classes_by_level(
        symmetry, sequence, fields.bit, fields.own_bit if sort_houses else None
    )
    # the possible choices; results of propagation hold only for a value and a place that no
    # permutation has moved
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
    value = np.array([k for level_choices in chosen for k, _ in level_choices], np.int64)
    at = np.repeat(np.arange(levels), np.diff(starts))
    each = 64 // fields.bits
    words = -(-symmetry.values // each)
    registers, more = allot_mdd_registers(mdds, levels)
    restricted = [tuple(v for _, v in level_choices) for level_choices in chosen]
    tables = make_mdd_params(mdds, registers, restricted, words)
    possible = all(restricted) and not any(m.mdd.is_empty for m in mdds)
    params = StepParams(
        symmetry.values, fields.bits, each, words, starts, value.astype(np.int32),
        fields.need[at, value], fields.add[at, value], fields.keep, fields.must,
        classes.low, classes.high, houses.params, tables,
    )  # fmt: skip
    spec = Spec(
        params=params,
        labels=np.array([keys[v] for level_choices in restricted for v in level_choices], np.int64),
        first=starts,
        choices=tuple(tuple((k,) for k in range(len(level_choices))) for level_choices in chosen),
        words=np.full(levels, words + more, np.int32),
        root=np.zeros(words + more, np.uint64),
        root_level=0 if possible else DEAD,
        scratch=scratch_words(symmetry.values),
    )
    return ValueSymmetrySpec(spec, classes, houses.largest)


@dataclass(frozen=True, eq=False)
class _HouseBits:
    """The bit of each house in the values' bit sets, and masks of these bits by level and value.

    Attributes:
        bit: int64 (houses,); the bit of each house.
        own_bit: bool (houses,); whether no other house shares the bit.
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
    """Assign each house, for its levels, a bit in the bit sets of the values."""
    levels, values = len(level_of), symmetry.values
    houses = [np.sort(level_of[list(house)]) for house in symmetry.houses]
    has, exact = symmetry.has[:, list(order)], symmetry.exact[:, list(order)]
    birth = np.array([house[0] for house in houses], np.int64)
    last = np.array([house[-1] for house in houses], np.int64)
    holder = np.arange(len(houses))
    at_most_one = [f for f in range(len(houses)) if has[f].all() and not exact[f].any()]
    if at_most_one:
        item = np.repeat(at_most_one, [len(houses[f]) for f in at_most_one])
        passed = np.concatenate([houses[f] for f in at_most_one])
        holder = share_item_bits(item, passed, passed, len(houses))
    is_holder = holder == np.arange(len(houses))
    bit, _ = allot_item_bits(np.where(is_holder, birth, last), last, levels)
    bit = bit[holder]
    own_bit = np.bincount(holder, minlength=len(houses)) == 1
    shape = (levels, values)
    need, add, must = (np.zeros(shape, np.uint64) for _ in range(3))
    keep = np.zeros(levels, np.uint64)
    open_ = np.ones(shape, bool)
    bits = int(bit.max(initial=0)) + 1
    if bits > _FIELD_BITS:
        return _HouseBits(bits, need, add, keep, must, open_, bit, own_bit)
    for f, house in enumerate(houses):
        one = np.uint64(1) << np.uint64(max(int(bit[f]), 0))
        begin, end = int(birth[f]), int(last[f])
        if begin == end:  # a single place
            if exact[f].any():
                open_[begin] &= exact[f]
            continue
        with_bit = np.where(has[f], one, np.uint64(0))
        need[house[1:]] |= with_bit
        if is_holder[f]:
            add[house[:-1]] |= with_bit
            keep[begin + 1 : end] |= one
        must[end] |= np.where(exact[f], one, np.uint64(0))
    return _HouseBits(bits, need, add, keep, must, open_, bit, own_bit)
