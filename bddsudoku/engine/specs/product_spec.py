"""The spec of any model: the product of its exact cover and of the MDDs of its other constraints.

Levels are the items at which something can still be decided, in the item order; the choices at a
level are the options whose first item it is (TAOCP 7.2.2.1: branch on the first uncovered item).
The product is data: tables and masks for one compiled step, the same for every model.

*Covered items.* A state begins with the set of covered items, restricted to the *frontier*: items
that an option above and an option below both contain. Frontier items are registers: each gets a bit
after the first option that contains it and frees it after the last, so that bits never have to be
moved and the number of words is as small as an interval graph allows. "At most one" items that are
covered by the same options as long as both are in the frontier share a register
(:func:`.model_levels.share_item_bits`). Every primary item must be covered by the level of
its last option; a state in which one is not is dead.

*MDD registers.* Every MDD has a register, the number of its node, from its first level to its last;
before and after, it is 0, because an MDD begins at node 0 and ends at its only accepting node, 0. A
choice that some MDD rejects leads to no child. The MDDs also read levels that are skipped because
their item is covered: there none of the level's variables is true.

*Available options*: unit propagation as look-ahead. An option is available at a state when it
belongs to this or a later level, none of its items is covered, and propagation has not ruled it
out: an uncovered item without an available option makes the state dead, one with a single available
option chooses that option, which rules out all that share an item with it, and so on to the
fixpoint (hidden and naked singles, in Sudoku's words). Next to no state is left that does not reach
the end, at the price of a bitset of options in every state of the two levels in work. The fixpoint
depends on the covered items alone, not on the path: what is forced at a parent stays forced at its
children. So the bitset is payload, not part of a state's identity, and every option is ruled out
once along a path instead of once per state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.frontier.spec import DEAD, Spec, define_step
from bddsudoku.engine.specs.model_levels import (
    ModelLevels,
    allot_item_bits,
    allot_mdd_registers,
    model_levels,
    share_item_bits,
)
from bddsudoku.jit import inlined, kernel, subroutine
from bddsudoku.jit.decorators import I32, I64, U64, AnyArray, Flags, lowest_bit_index
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd

if TYPE_CHECKING:
    from bddsudoku.model.constraints import Constraint, CoverArrays
    from bddsudoku.model.model import Model


class MddParams(NamedTuple):
    """The MDDs of a product as flat transition tables, by level.

    Attributes:
        reads: int32 (levels + 1,); level ``i`` has the reads ``reads[i] … reads[i + 1] - 1``. A
            read is the transition of one MDD at one level.
        where: int64 (reads, 5); word and shift of the register, its mask, where the read's table
            begins, and the table's columns.
        column: int32 (options of a read, all reads); see ``columns``.
        columns: int64 (reads,); where a read's columns begin: ``column[columns[e] + k]`` is the
            column for the level's option ``k``. Column 0 is for none of the MDD's variables.
        table: int32; the next node, or -1: ``table[begin + node * columns + column]``.
    """

    reads: I32
    where: I64
    column: I32
    columns: I64
    table: I32


class ProductParams(NamedTuple):
    """Constants of the step of a product spec, with options numbered level by level.

    A state is ``words`` words of covered items and registers, then the words of available options,
    last word first, so that later levels have fewer of them.

    Attributes:
        words: number of words of covered items and registers.
        start: int32 (levels + 1,); the first option of each level.
        add: uint64 (options, words); registers of the option's items that later levels need.
        keep: uint64 (levels, words); bits that stay after the level.
        bit: int32 (levels,); bit of the level's own item, -1 if nothing above can cover it.
        queue: where the queue begins in the working memory.
        of_item: uint64 (items, option words); options that contain a primary item; words last
            first.
        conflict: uint64 (options, option words); other options that share an item; words last
            first.
        touch: uint64 (options, item words); primary items of the option.
        unconstrained: bool (levels,); the level is a variable that may also be false; its choices
            are "false" and "true".
        mdds: the MDDs that read the choices.
    """

    words: int
    start: I32
    add: U64
    keep: U64
    bit: I32
    queue: int
    of_item: U64
    conflict: U64
    touch: U64
    unconstrained: Flags
    mdds: MddParams


@kernel
def propagate(params, rows, row, first_word, word_count, workspace, queue_begin, queued_count):  # type: ignore[no-untyped-def]
    """Propagate the queued options to the fixpoint; False if some item has no option left.

    Args:
        params: a ProductParams.
        rows: the set of available options is in this row from ``first_word`` on, updated in place.
        row: row of the state.
        first_word: first word of the set.
        word_count: words of the set in use.
        workspace: uint64; working memory: the items that lost options, as many words as ``touch``
            has, the options that were queued here, as many as an option set has, and the queue.
        queue_begin: where the queue begins; it can hold every option.
        queued_count: options in the queue.
    """
    zero = np.uint64(0)
    one = np.uint64(1)
    six = np.uint64(6)
    top = np.uint64(params.conflict.shape[1] - 1)
    kinds = params.touch.shape[1]
    left = rows[row, first_word : first_word + word_count]
    touched = workspace[:kinds]
    done = workspace[kinds : kinds + word_count]
    for w in range(word_count):
        done[w] = zero
    end = queue_begin + queued_count
    at = queue_begin
    while at < end:
        option = workspace[np.uint64(at)]
        at += 1
        for i in range(kinds):
            touched[i] = zero
        for w in range(word_count):
            gone = left[w] & params.conflict[option, w]
            if gone == zero:
                continue
            left[w] ^= gone
            start = (top - np.uint64(w)) << six
            while gone != zero:
                lost = start + lowest_bit_index(gone)
                gone &= gone - one
                for i in range(kinds):
                    touched[i] |= params.touch[lost, i]
        for i in range(kinds):
            items = touched[i]
            if items == zero:
                continue
            items &= ~params.touch[option, i]
            while items != zero:
                item = (np.uint64(i) << six) + lowest_bit_index(items)
                items &= items - one
                # the last option left of this item, if there is one only
                only = zero
                word = zero
                many = False
                for v in range(word_count):
                    hit = left[v] & params.of_item[item, v]
                    if hit != zero:
                        if only != zero or hit & (hit - one) != zero:
                            many = True
                            break
                        only = hit
                        word = np.uint64(v)
                if many:
                    continue
                if only == zero:
                    return False
                if done[word] & only == zero:
                    done[word] |= only
                    workspace[np.uint64(end)] = ((top - word) << six) + lowest_bit_index(only)
                    end += 1
    return True


@subroutine
def advance_mdds(mdds, level, choice, rows, row):  # type: ignore[no-untyped-def]
    """Update a state's MDD nodes by a choice (-1 if nothing is chosen); False if one rejects it."""
    for e in range(mdds.reads[level], mdds.reads[level + 1]):
        word = mdds.where[e, 0]
        shift = np.uint64(mdds.where[e, 1])
        mask = np.uint64(mdds.where[e, 2])
        state = np.int64((rows[row, word] >> shift) & mask)
        column = np.int64(0)
        if choice >= 0:
            column = np.int64(mdds.column[mdds.columns[e] + choice])
        state = np.int64(mdds.table[mdds.where[e, 3] + state * mdds.where[e, 4] + column])
        if state < 0:
            return False
        rows[row, word] = (rows[row, word] & ~(mask << shift)) | (np.uint64(state) << shift)
    return True


@inlined
def _make_child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    """Make the child of a state by one choice; return the child's level, or DEAD."""
    unconstrained = params.unconstrained[level]
    holds = choice > 0 or not unconstrained
    option = params.start[level]
    if not unconstrained:
        option += choice
    option_word = params.words + params.conflict.shape[1] - 1 - (option >> 6)
    one = np.uint64(1) << np.uint64(option & 63)
    if holds and states[row, option_word] & one == np.uint64(0):
        return DEAD
    for w in range(states.shape[1]):
        children[slot, w] = states[row, w]
    if not advance_mdds(
        params.mdds, level, option - params.start[level] if holds else -1, children, slot
    ):
        return DEAD
    for w in range(params.words):
        children[slot, w] &= params.keep[level, w]
        if holds:
            children[slot, w] |= params.add[option, w]
    if holds:
        size = states.shape[1] - params.words
        scratch[params.queue] = np.uint64(option)
        if not propagate(
            params, children, slot, params.words, size, scratch, params.queue, np.int64(1)
        ):
            return DEAD
    children[slot, option_word] &= ~one
    child_level = level + 1
    while child_level < params.bit.shape[0]:  # past levels whose item is covered already
        bit = params.bit[child_level]
        if bit < 0 or children[slot, bit >> 6] >> np.uint64(bit & 63) & np.uint64(1) == 0:
            break
        if not advance_mdds(params.mdds, child_level, -1, children, slot):
            return DEAD
        for w in range(params.words):
            children[slot, w] &= params.keep[child_level, w]
        child_level += 1
    return child_level


define_step(ProductParams, _make_child)


def model_spec(
    model: Model, order: Sequence[int] | None = None, *, check: MemoryCheck | None = None
) -> Spec:
    """Make the spec of a model's solutions, for constraints of any kind.

    Args:
        model: a model after forward checking or unit propagation.
        order: order of the items (:mod:`bddsudoku.engine.specs.model_levels`).
        check: called with the additional bytes while MDDs are made; may raise.

    Returns:
        A spec whose labels are the keys of all variables, level by level.

    Raises:
        ModelError: the order is invalid, or the model has decided constraints with variables.
        LimitReached: a constraint's MDD is too wide; the message names it.
    """
    levels = model_levels(model, order)
    labels = np.array([v.key for v in model.variables], np.int64)[levels.sequence]
    groups = levels.variables_by_level()
    cover, count = model.one_hot_matrix, len(levels)
    matrix = _cover_matrix(cover, levels)
    # a level that has all variables of its constraint always has one true variable
    exact_levels = {
        at for at, i in enumerate(levels.item.tolist()) if i >= 0 and matrix.birth[i] == at
    }

    def machine(constraint: Constraint) -> ConstraintMdd:
        at = sorted({int(levels.level_of[v]) for v in constraint.variables})
        exact = {i for i, level in enumerate(at) if level in exact_levels}
        made = constraint_mdd(constraint, [groups[level] for level in at], exact=exact, check=check)
        return replace(made, places=tuple([at[i] for i in made.places]))

    mdds = [machine(c) for c in model.other_constraints]
    possible = (
        not levels.uncoverable
        and not model.is_contradictory
        and not any(m.mdd.is_empty for m in mdds)
    )
    if not model.variables or not possible:  # the empty set alone, or nothing at all
        return Spec(
            params=(),
            labels=labels,
            first=np.array([0], np.int32),
            choices=(),
            words=np.zeros(0, np.int32),
            root=np.zeros(1, np.uint64),
            root_level=0 if possible else DEAD,
        )
    registers, more = allot_mdd_registers(mdds, count)
    bit, add, keep = _allot_item_registers(cover, matrix, count, more)
    own = np.array(
        [
            bit[i] if i >= 0 and matrix.birth[i] < at else -1
            for at, i in enumerate(levels.item.tolist())
        ],
        np.int32,
    )
    options, width = add.shape
    of_item, conflict, touch = _option_sets(cover, matrix)
    option_words = conflict.shape[1]
    queue = touch.shape[1] + option_words
    params = ProductParams(
        words=width,
        start=levels.first,
        add=add,
        keep=keep,
        bit=own,
        queue=queue,
        of_item=of_item,
        conflict=conflict,
        touch=touch,
        unconstrained=levels.item < 0,
        mdds=make_mdd_params(mdds, registers, groups, width - more),
    )
    scratch = queue + options + cover.primary + 1
    exact = matrix.item < cover.primary
    number = np.bincount(matrix.item[exact], minlength=cover.primary)
    alone = matrix.option[exact][number[matrix.item[exact]] == 1]
    root, possible = _root_state(params, scratch, alone)
    return Spec(
        params=params,
        labels=labels,
        first=levels.first,
        choices=tuple(
            ((), (0,)) if single else tuple((k,) for k in range(len(group)))
            for single, group in zip(params.unconstrained.tolist(), groups, strict=True)
        ),
        words=(width + option_words - (levels.first[:-1] >> 6)).astype(np.int32),
        key_words=width,
        root=root,
        root_level=0 if possible else DEAD,
        max_jump=1 if (own < 0).all() else count,
        scratch=scratch,
    )


class _CoverMatrix(NamedTuple):
    """The entries of an exact cover's matrix, option after option in level order.

    Attributes:
        ends: option ``k`` has the entries ``ends[k]`` to ``ends[k + 1] - 1``.
        option, item, level: of every entry.
        birth, last: of every item: the levels of its first and its last option.
    """

    ends: I64
    option: I64
    item: I64
    level: I64
    birth: I64
    last: I64


def _cover_matrix(cover: CoverArrays, levels: ModelLevels) -> _CoverMatrix:
    """List the entries of an exact cover's matrix, option after option in level order."""
    lengths = np.diff(cover.indptr)[levels.sequence]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    option = np.repeat(np.arange(cover.options), lengths)
    starts = cover.indptr[levels.sequence] - ends[:-1]
    item = cover.indices[np.arange(len(option)) + np.repeat(starts, lengths)]
    level = levels.level_of[levels.sequence][option]
    birth = np.full(cover.items, len(levels), np.int64)
    last = np.full(cover.items, -1, np.int64)
    np.minimum.at(birth, item, level)
    np.maximum.at(last, item, level)
    return _CoverMatrix(ends, option, item, level, birth, last)


def _option_sets(cover: CoverArrays, matrix: _CoverMatrix) -> tuple[U64, U64, U64]:
    """The bit sets ``of_item``, ``conflict`` and ``touch`` of :class:`ProductParams`."""
    options, item, option = np.arange(cover.options), matrix.item, matrix.option
    words = (cover.options + 63) // 64
    of_item = np.zeros((cover.items, words), np.uint64)
    _flip_bits(of_item, item, _bit_position_of_option(option, words))
    itself = np.zeros((cover.options, words), np.uint64)
    _flip_bits(itself, options, _bit_position_of_option(options, words))
    exact = item < cover.primary
    touch = np.zeros((cover.options, -(-cover.primary // 64)), np.uint64)
    _flip_bits(touch, option[exact], item[exact])
    return of_item, _conflict_matrix(of_item, item, matrix.ends) & ~itself, touch


def _allot_item_registers(
    cover: CoverArrays, matrix: _CoverMatrix, level_count: int, other_words: int
) -> tuple[I64, U64, U64]:
    """Assign state bits to items; return the bits, with masks for each option and each level.

    Rows of ``add`` and ``keep`` have ``other_words`` words of other registers, kept by all levels.
    """
    _, option, item, level, birth, last = matrix
    # Primary items could hardly ever share: their options exclude each other elsewhere, too.
    secondary = item >= cover.primary
    holder = share_item_bits(item[secondary], option[secondary], level[secondary], cover.items)
    holds = holder == np.arange(cover.items)
    bit, words = allot_item_bits(np.where(holds, birth, last), last, level_count)
    bit = bit[holder]
    add = np.zeros((cover.options, words + other_words), np.uint64)
    asked = (last[item] > level) & holds[item]
    _flip_bits(add, option[asked], bit[item[asked]])
    # a register is kept on the levels between birth and last of the item that has it
    living = np.flatnonzero((birth < last) & holds)
    turns = np.zeros((level_count, words + other_words), np.uint64)
    _flip_bits(turns, birth[living] + 1, bit[living])
    _flip_bits(turns, last[living], bit[living])
    keep = np.bitwise_xor.accumulate(turns, axis=0)
    keep[:, words:] = ~np.uint64(0)
    return bit, add, keep


def _root_state(params: ProductParams, scratch_words: int, forced_options: I64) -> tuple[U64, bool]:
    """Propagate the forced options; return the root state and whether it is consistent.

    Args:
        params: constants of the step.
        scratch_words: words of its working memory.
        forced_options: options that are the only one of some item.
    """
    options, words = params.conflict.shape
    root = np.zeros((1, params.words + words), np.uint64)
    every = np.arange(options)
    _flip_bits(root, 0 * every, _bit_position_of_option(every, params.words + words))
    if not len(forced_options):
        return root[0], True
    work = np.zeros(scratch_words, np.uint64)
    work[params.queue : params.queue + len(forced_options)] = forced_options
    possible = propagate(
        params, root, 0, params.words, words, work, params.queue, len(forced_options)
    )
    return root[0], bool(possible)


def _flip_bits(words: U64, row: Any, bit: Any) -> None:
    place = row * words.shape[1] + (bit >> 6)
    np.bitwise_xor.at(words.reshape(-1), place, np.uint64(1) << (bit & 63).astype(np.uint64))


def _bit_position_of_option(option: Any, word_count: int) -> Any:
    """The position of an option's bit in a bit set whose last word is stored first."""
    return 64 * (word_count - 1 - (option >> 6)) + (option & 63)


_GATHERED_BYTES = 1 << 26
"""Bytes that :func:`_conflict_matrix` gathers at a time."""


def _conflict_matrix(of_item: U64, items: AnyArray, ends: Any) -> U64:
    """For every option, the set of options that share an item with it, itself included."""
    out = np.zeros((len(ends) - 1, of_item.shape[1]), np.uint64)
    span = max(1, _GATHERED_BYTES // (8 * of_item.shape[1] * max(1, int(np.diff(ends).max()))))
    some = np.flatnonzero(np.diff(ends))
    for lo in range(0, len(some), span):
        rows = some[lo : lo + span]
        begin, end = ends[rows[0]], ends[rows[-1] + 1]
        out[rows] = np.bitwise_or.reduceat(of_item[items[begin:end]], ends[rows] - begin, axis=0)
    return out


def make_mdd_params(
    mdds: Sequence[ConstraintMdd],
    registers: Sequence[tuple[int, int, int]],
    groups: Sequence[tuple[int, ...]],
    first_word: int,
) -> MddParams:
    """Flatten the transition tables of MDDs into arrays, level by level, for the kernel.

    Args:
        mdds: the constraints' MDDs over these levels.
        registers: word, shift and bits of each.
        groups: the variables of every level, by choice.
        first_word: the first word of registers in a state.
    """
    at_level: list[list[tuple[int, int]]] = [[] for _ in groups]
    for m, made in enumerate(mdds):
        for layer, place in enumerate(made.places):
            at_level[place].append((m, layer))
    reads = np.zeros(len(groups) + 1, np.int32)
    np.cumsum([len(level_reads) for level_reads in at_level], out=reads[1:])
    where: list[tuple[int, int, int, int, int]] = []
    column: list[int] = []
    columns: list[int] = []
    parts: list[I32] = []
    begin = 0
    for group, level_reads in zip(groups, at_level, strict=True):
        # MDDs that end here free their registers before others begin in them
        for m, layer in sorted(level_reads, key=lambda read: -read[1]):
            word, shift, size = registers[m]
            table = mdds[m].mdd.tables[layer]
            where.append((first_word + word, shift, (1 << size) - 1, begin, table.shape[1]))
            column_of = {v: k for k, v in enumerate(mdds[m].levels[layer], 1)}
            columns.append(len(column))
            column += [column_of.get(v, 0) for v in group]
            parts.append(np.ascontiguousarray(table, np.int32).reshape(-1))
            begin += table.size
    return MddParams(
        reads,
        np.array(where, np.int64).reshape(-1, 5),
        np.array(column or [0], np.int32),
        np.array(columns or [0], np.int64),
        np.concatenate([np.zeros(0, np.int32), *parts]) if parts else np.zeros(1, np.int32),
    )
