"""The step of a product: exact cover as in :mod:`.cover_step`, and machines that read along.

Every machine has a register, the number of its state, from its first level to its last; before and
after it is 0, because a machine begins in state 0 and ends in its only accepting state, 0. A choice
that some machine does not survive is dead. Levels that are skipped because their item is covered
are read, too: there none of the level's variables holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, expand_by
from bddsudoku.engine.specs.cover_step import (
    CoverParams,
    available,
    keep,
    passed_by,
    placed,
    settled,
)
from bddsudoku.jit import inlined, part

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MachineParams", "ProductParams", "read"]


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

    reads: NDArray[np.int32]
    where: NDArray[np.int64]
    column: NDArray[np.int32]
    columns: NDArray[np.int64]
    table: NDArray[np.int32]


class ProductParams(NamedTuple):
    """Constants of the step.

    Attributes:
        cover: those of the exact cover; its words of covered items hold the registers, too.
        lone: bool (levels,); the level is a variable that may also be false; its choices are
            "false" and "true".
        machines: they read along.
    """

    cover: CoverParams
    lone: NDArray[np.bool_]
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
    keep(cover, level, children, slot)
    if holds:
        for w in range(cover.words):
            children[slot, w] |= cover.add[option, w]
        if not placed(cover, option, children, slot, states.shape[1] - cover.words, scratch):
            return DEAD
    passed_by(cover, option, children, slot)
    child_level = level + 1
    while settled(cover, child_level, children, slot):
        if not read(params.machines, child_level, -1, children, slot):
            return DEAD
        keep(cover, child_level, children, slot)
        child_level += 1
    return child_level


expand_by(ProductParams, _child)
