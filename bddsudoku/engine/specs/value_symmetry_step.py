"""The state transition of specs that sort interchangeable values to merge equivalent states.

A state has a field of a few bits for every value, whose bits say which houses have the value
already, and the registers of MDDs (:mod:`.product_spec`). Values that are interchangeable from a
level on may be permuted; so the fields of a class are kept ascending, and states that differ by
such a permutation are equal.

Houses may be interchangeable, too (columns of a Latin square that have the same rows ahead): then
their bits are sorted first, by a hash of the values that have them, refined once as in colour
refinement of graphs. Ties are left as they are. That costs some tenths of a microsecond, may miss
that two states are equivalent, and is never wrong: any order is one of the permutations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.engine.specs.product_spec import MddParams, advance_mdds
from bddsudoku.jit import inlined, subroutine
from bddsudoku.jit.decorators import I32, U64, lowest_bit_index, popcount

_ROUNDS = 1
"""How often the hashes of values and bits are refined; twice leaves some percent fewer states."""
_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)


def scratch_words(value_count: int) -> int:
    """Number of 64-bit words of scratch memory for expanding a state with `value_count` values."""
    return 4 * value_count + 192


class HouseClassParams(NamedTuple):
    """Classes of interchangeable houses at each level, as sets of bits of a value's field.

    Attributes:
        classes_at: int32 (levels + 2,); the first class of each level.
        bits_at: int32 (classes + 1,); where each class begins in ``bit``.
        bit: int32; the bits of all classes.
        masks: uint64 (classes,); the bits of each class as a mask.
        rest: uint64 (levels + 1,); mask of a level's bits in no class.
    """

    classes_at: I32
    bits_at: I32
    bit: I32
    masks: U64
    rest: U64


class StepParams(NamedTuple):
    """Constants of the step that sorts values; values are numbered by position in a state.

    Attributes:
        values: number of values, and of fields.
        bits: bits of a field.
        fields_per_word: number of fields in a word.
        words: number of words with fields; the words of registers follow.
        start: int32 (levels + 1,); the first choice of each level.
        value: int32 (choices,); position of the value.
        need: uint64 (choices,); bits of the value's field that must be 0.
        add: uint64 (choices,); bits that the choice sets.
        keep: uint64 (levels,); bits of all fields that stay after the level.
        must: uint64 (levels, values); a value without one of these bits must be chosen here.
        low: int32 (levels + 1, values); first position of the class of interchangeable values.
        high: int32 (levels + 1, values); end of the class.
        house_classes: bits of interchangeable houses.
        mdds: the MDDs that read the choices.
    """

    values: int
    bits: int
    fields_per_word: int
    words: int
    start: I32
    value: I32
    need: U64
    add: U64
    keep: U64
    must: U64
    low: I32
    high: I32
    house_classes: HouseClassParams
    mdds: MddParams


@subroutine
def _unpack_fields(params, level, states, row, work):  # type: ignore[no-untyped-def]
    """Unpack a state into ``work``: a bit set for each value, followed by a sorted copy of these.

    Returns:
        The position of the value that must be chosen; -1: any; -2: the state is dead.
    """
    n = params.values
    mask = ~np.uint64(0) >> np.uint64(64 - params.bits)
    keep = params.keep[level]
    forced = -1
    i = 0
    for w in range(params.words):
        word = states[row, w]
        for _ in range(min(params.fields_per_word, n - i)):
            field = word & mask
            word >>= np.uint64(params.bits)
            work[i] = field
            must = params.must[level, i]
            if field & must != must:
                if forced >= 0:
                    return -2
                forced = i
            field &= keep
            at = n + i
            least = n + params.low[level + 1, i]
            while at > least and work[at - 1] > field:
                work[at] = work[at - 1]
                at -= 1
            work[at] = field
            i += 1
    return forced


@subroutine
def _pack_fields(params, work, children, slot):  # type: ignore[no-untyped-def]
    n = params.values
    i = 0
    for w in range(params.words):
        word = np.uint64(0)
        shift = np.uint64(0)
        for _ in range(min(params.fields_per_word, n - i)):
            word |= work[i] << shift
            shift += np.uint64(params.bits)
            i += 1
        children[slot, w] = word


@subroutine
def _apply_choice(params, level, choice, work, out):  # type: ignore[no-untyped-def]
    """Write the child's sorted bit sets; False if a house already has the chosen value."""
    n = params.values
    k = params.value[choice]
    field = work[k]
    if field & params.need[choice] != np.uint64(0):
        return False
    field &= params.keep[level]
    for i in range(n):
        out[i] = work[n + i]
    at = np.int64(params.low[level + 1, k])
    while out[at] != field:
        at += 1
    field |= params.add[choice]
    last = params.high[level + 1, k] - 1
    while at < last and out[at + 1] < field:  # it has not become less
        out[at] = out[at + 1]
        at += 1
    out[at] = field
    return True


@inlined
def _mix_hash(hash_value):  # type: ignore[no-untyped-def]
    hash_value *= _M1
    hash_value ^= hash_value >> np.uint64(29)
    hash_value *= _M2
    return hash_value ^ (hash_value >> np.uint64(32))


@subroutine
def _sort_houses_and_values(params, level, fields, work):  # type: ignore[no-untyped-def]
    """Sort the bits of interchangeable houses in each value's field, then the values' fields.

    Args:
        params: a StepParams.
        level: level of the state; it has interchangeable houses.
        fields: the state's fields, sorted in place.
        work: workspace for a hash of every value, and a key, a place and a number of every bit.
    """
    n, house_classes = params.values, params.house_classes
    begin = house_classes.classes_at[level]
    end = house_classes.classes_at[level + 1]
    rest = house_classes.rest[level]
    one = np.uint64(1)
    zero = np.uint64(0)
    keys = work[n : n + 64]
    place = work[n + 64 : n + 128]
    for k in range(n):
        h = _mix_hash((fields[k] & rest) + (np.uint64(params.low[level, k]) << np.uint64(48)) + one)
        for c in range(begin, end):
            h = _mix_hash(h + popcount(fields[k] & house_classes.masks[c]))
        work[k] = h
    for refinement in range(_ROUNDS + 1):
        for i in range(house_classes.bits_at[begin], house_classes.bits_at[end]):
            keys[house_classes.bit[i]] = zero
        for k in range(n):
            field = fields[k] & ~rest
            while field != zero:
                keys[lowest_bit_index(field)] += work[k]
                field &= field - one
        if refinement == _ROUNDS:
            break
        for i in range(house_classes.bits_at[begin], house_classes.bits_at[end]):
            keys[house_classes.bit[i]] = _mix_hash(keys[house_classes.bit[i]] + one)
        for k in range(n):
            field = fields[k] & ~rest
            h = work[k]
            while field != zero:
                h += keys[lowest_bit_index(field)]
                field &= field - one
            work[k] = _mix_hash(h)
    for c in range(begin, end):
        first = house_classes.bits_at[c]
        for i in range(first, house_classes.bits_at[c + 1]):
            own_bit = house_classes.bit[i]
            at = i
            while at > first and keys[np.int64(work[n + 128 + at - 1 - first])] > keys[own_bit]:
                work[n + 128 + at - first] = work[n + 128 + at - 1 - first]
                at -= 1
            work[n + 128 + at - first] = np.uint64(own_bit)
        for i in range(first, house_classes.bits_at[c + 1]):
            place[np.int64(work[n + 128 + i - first])] = np.uint64(house_classes.bit[i])
    for k in range(n):
        field = fields[k] & ~rest
        moved = fields[k] & rest
        while field != zero:
            moved |= one << place[lowest_bit_index(field)]
            field &= field - one
        at = k
        while at > params.low[level, k] and fields[at - 1] > moved:
            fields[at] = fields[at - 1]
            at -= 1
        fields[at] = moved


@overload(expand)
def _expand(params, level, states, lo, hi, choices, out):  # type: ignore[no-untyped-def]
    """Implement :func:`expand` for specs that keep interchangeable values sorted."""
    if getattr(params, "instance_class", None) is not StepParams:
        return None

    def expand_sorted(params, level, states, lo, hi, choices, out):  # type: ignore[no-untyped-def]
        children, degree, rank, to, scratch = out
        n = params.values
        turning = params.house_classes
        fields = scratch[2 * n :]
        slot = np.int64(0)
        first = params.start[level]
        for row in range(lo, hi):
            before = slot
            forced = _unpack_fields(params, level, states, row, scratch)
            for r in range(choices.shape[0] if forced > -2 else 0):
                choice = first + choices[r]
                if forced >= 0 and params.value[choice] != forced:
                    continue
                if not _apply_choice(params, level, choice, scratch, fields):
                    continue
                if turning.classes_at[level + 1] < turning.classes_at[level + 2]:
                    _sort_houses_and_values(params, level + 1, fields, scratch[3 * n :])
                _pack_fields(params, fields, children, slot)
                for w in range(params.words, states.shape[1]):
                    children[slot, w] = states[row, w]
                if advance_mdds(params.mdds, level, choice - first, children, slot):
                    rank[slot] = r
                    to[slot] = level + 1
                    slot += 1
            degree[row - lo] = slot - before
        return slot

    return expand_sorted
