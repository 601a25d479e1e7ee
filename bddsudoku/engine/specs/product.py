"""Any model as a spec: the product of its exact cover and of the machines of all other demands.

The product is data: tables and masks for one compiled step, whatever the model says. Registers are
laid into the words of a state as long as they live, so that a state is as short as what is open.

The step of a product: exact cover as in :mod:`.exact_cover`, and machines that read along.

Every machine has a register, the number of its state, from its first level to its last; before and
after it is 0, because a machine begins in state 0 and ends in its only accepting state, 0. A choice
that some machine does not survive is dead. Levels that are skipped because their item is covered
are read, too: there none of the level's variables holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.context import Check
from bddsudoku.engine.frontier.spec import DEAD, Spec, expand_by
from bddsudoku.engine.specs.exact_cover import (
    CoverParams,
    available,
    cover_levels,
    labels_of,
    passed_by,
    placed,
    settled,
    settled_spec,
)
from bddsudoku.engine.specs.levels import Levels, levels_of, machine_registers
from bddsudoku.jit import inlined, part
from bddsudoku.jit.decorators import I32, I64, Flags
from bddsudoku.model.to_mdd import Machine, machine

if TYPE_CHECKING:
    from bddsudoku.model.model import Model


class MachineParams(NamedTuple):
    """Which machines read at which level, and what they do.

    Attributes:
        reads: int32 (levels + 1,); level ``i`` has the reads ``reads[i] … reads[i + 1] - 1``.
        where: int64 (reads, 5); word and shift of the register, its mask, where the read's table
            begins, and the table's columns.
        column: int32 (options of a read, all reads); see ``columns``.
        columns: int64 (reads,); where a read's columns begin: ``column[columns[e] + k]`` is the
            column for the level's option ``k``. Column 0 is for none of the machine's variables.
        table: int32; the next state, or -1: ``table[begin + state * columns + column]``.
    """

    reads: I32
    where: I64
    column: I32
    columns: I64
    table: I32


class ProductParams(NamedTuple):
    """Constants of the step.

    Attributes:
        cover: those of the exact cover; its words of covered items hold the registers, too.
        lone: bool (levels,); the level is a variable that may also be false; its choices are
            "false" and "true".
        machines: they read along.
    """

    cover: CoverParams
    lone: Flags
    machines: MachineParams


@part
def read(machines, level, choice, rows, row):  # type: ignore[no-untyped-def]
    """Let the machines of a level read a choice (-1: none); False if one of them dies."""
    for e in range(machines.reads[level], machines.reads[level + 1]):
        word = machines.where[e, 0]
        shift = np.uint64(machines.where[e, 1])
        mask = np.uint64(machines.where[e, 2])
        state = np.int64((rows[row, word] >> shift) & mask)
        column = np.int64(0)
        if choice >= 0:
            column = np.int64(machines.column[machines.columns[e] + choice])
        state = np.int64(
            machines.table[machines.where[e, 3] + state * machines.where[e, 4] + column]
        )
        if state < 0:
            return False
        rows[row, word] = (rows[row, word] & ~(mask << shift)) | (np.uint64(state) << shift)
    return True


@inlined
def _child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    cover = params.cover
    lone = params.lone[level]
    holds = choice > 0 or not lone
    option = cover.start[level]
    if not lone:
        option += choice
    if holds and not available(cover, option, states, row):
        return DEAD
    for w in range(states.shape[1]):
        children[slot, w] = states[row, w]
    if not read(
        params.machines, level, option - cover.start[level] if holds else -1, children, slot
    ):
        return DEAD
    for w in range(cover.words):
        children[slot, w] &= cover.keep[level, w]
        if holds:
            children[slot, w] |= cover.add[option, w]
    size = states.shape[1] - cover.words
    if holds and not placed(cover, option, children, slot, size, scratch):
        return DEAD
    passed_by(cover, option, children, slot)
    child_level = level + 1
    while settled(cover, child_level, children, slot):
        if not read(params.machines, child_level, -1, children, slot):
            return DEAD
        for w in range(cover.words):
            children[slot, w] &= cover.keep[child_level, w]
        child_level += 1
    return child_level


expand_by(ProductParams, _child)


def model_spec(
    model: Model,
    order: Sequence[int] | None = None,
    *,
    check: Check | None = None,
) -> Spec:
    """The solutions of a model of any constraints, as a spec.

    Args:
        model: a model under ``candidates`` or ``singles``.
        order: of the levels (:mod:`bddsudoku.engine.specs.levels`).
        check: called with the bytes taken more while machines are made; may raise.

    Returns:
        A spec whose labels are the keys of all variables, level by level.

    Raises:
        ModelError: the order is none, or the model has settled constraints with variables.
        LimitReached: a constraint's machine is too wide; the message names it.
    """
    levels = levels_of(model, order)
    labels = labels_of(model, levels)
    groups = levels.groups()
    machines = _machines(model, levels, groups, check)
    possible = not levels.uncoverable and all(not m.layers.is_empty for m in machines)
    if not model.variables or not possible or model.is_contradictory:
        return settled_spec(labels, possible and not model.is_contradictory)
    registers, more = machine_registers(machines, len(levels))
    spec = cover_levels(model.items, labels, levels, more)
    lone = levels.item < 0
    tables = machine_tables(machines, registers, groups, spec.params.words - more)
    return replace(
        spec,
        params=ProductParams(spec.params, lone, tables),
        choices=tuple(
            ((), (0,)) if alone else choices
            for alone, choices in zip(lone.tolist(), spec.choices, strict=True)
        ),
    )


def _machines(
    model: Model,
    levels: Levels,
    groups: Sequence[tuple[int, ...]],
    check: Check | None,
) -> list[Machine]:
    """A machine for every demand; a level of a whole constraint always has one true variable."""
    birth: dict[int, int] = {}
    for v, level in enumerate(levels.level_of.tolist()):
        for item in model.items.indices[model.items.indptr[v] : model.items.indptr[v + 1]].tolist():
            birth[item] = min(birth.get(item, level), level)
    exact = {at for at, x in enumerate(levels.item.tolist()) if x >= 0 and birth.get(x) == at}
    return [machine(c, groups, exact=exact, check=check) for _, c in model.demands]


def machine_tables(
    machines: Sequence[Machine],
    registers: Sequence[tuple[int, int, int]],
    groups: Sequence[tuple[int, ...]],
    base: int,
) -> MachineParams:
    """What the levels' machines read.

    Args:
        machines: made for these levels.
        registers: word, shift and bits of each.
        groups: the variables of every level, by choice.
        base: the first word of registers in a state.
    """
    at_level: list[list[tuple[int, int]]] = [[] for _ in groups]
    for m, made in enumerate(machines):
        for layer, place in enumerate(made.places):
            at_level[place].append((m, layer))
    reads = np.zeros(len(groups) + 1, np.int32)
    np.cumsum([len(here) for here in at_level], out=reads[1:])
    where: list[tuple[int, int, int, int, int]] = []
    column: list[int] = []
    columns: list[int] = []
    parts: list[I32] = []
    begin = 0
    for group, here in zip(groups, at_level, strict=True):
        # Who ends here gives its register back before another one begins in it.
        for m, layer in sorted(here, key=lambda read: -read[1]):
            word, shift, size = registers[m]
            table = machines[m].layers.tables[layer]
            where.append((base + word, shift, (1 << size) - 1, begin, table.shape[1]))
            column_of = {v: k for k, v in enumerate(machines[m].levels[layer], 1)}
            columns.append(len(column))
            column += [column_of.get(v, 0) for v in group]
            parts.append(np.ascontiguousarray(table, np.int32).reshape(-1))
            begin += table.size
    return MachineParams(
        reads,
        np.array(where, np.int64).reshape(-1, 5),
        np.array(column or [0], np.int32),
        np.array(columns or [0], np.int64),
        np.concatenate([np.zeros(0, np.int32), *parts]) if parts else np.zeros(1, np.int32),
    )
