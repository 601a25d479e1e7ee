"""The step of a product: exact cover as in :mod:`.cover_step`, and machines that read along.

Every machine has a register, the number of its state, from its first level to its last; before and
after it is 0, because a machine begins in state 0 and ends in its only accepting state, 0. A choice
that some machine does not survive is dead. Levels that are skipped because their item is covered
are read, too: there none of the level's variables holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba.extending import overload

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.engine.specs.cover_step import propagate
from bddsudoku.jit import part

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ProductParams"]


class ProductParams(NamedTuple):
    """Constants of the step. Those of :class:`.cover_step.CoverParams`, and of the machines.

    Attributes:
        lone: bool (levels,); the level is a variable that may also be false; its choices are
            "false" and "true".
        reads: int32 (levels + 1,); level ``i`` has the reads ``reads[i] … reads[i + 1] - 1``.
        where: int64 (reads, 5); word and shift of the register, its mask, where the read's table
            begins, and the table's columns.
        column: int32 (options of a read, all reads); see ``columns``.
        columns: int64 (reads,); where a read's columns begin: ``column[columns[e] + k]`` is the
            column for the level's option ``k``. Column 0 is for none of the machine's variables.
        table: int32; the next state, or -1: ``table[begin + state * columns + column]``.
    """

    words: int
    start: NDArray[np.int32]
    add: NDArray[np.uint64]
    keep: NDArray[np.uint64]
    bit: NDArray[np.int32]
    queue: int
    span: NDArray[np.int32]
    of_item: NDArray[np.uint64]
    conflict: NDArray[np.uint64]
    first: NDArray[np.int32]
    items: NDArray[np.int32]
    lone: NDArray[np.bool_]
    reads: NDArray[np.int32]
    where: NDArray[np.int64]
    column: NDArray[np.int32]
    columns: NDArray[np.int64]
    table: NDArray[np.int32]


ProductParams.expands = True  # type: ignore[attr-defined]


@part
def _read(params, level, choice, rows, row):  # type: ignore[no-untyped-def]
    """Let the machines of a level read a choice (-1: none); False if one of them dies."""
    for e in range(params.reads[level], params.reads[level + 1]):
        word = params.where[e, 0]
        shift = np.uint64(params.where[e, 1])
        mask = np.uint64(params.where[e, 2])
        state = np.int64((rows[row, word] >> shift) & mask)
        column = np.int64(0)
        if choice >= 0:
            column = np.int64(params.column[params.columns[e] + choice])
        state = np.int64(params.table[params.where[e, 3] + state * params.where[e, 4] + column])
        if state < 0:
            return False
        rows[row, word] = (rows[row, word] & ~(mask << shift)) | (np.uint64(state) << shift)
    return True


@overload(expand)
def _expand_product(  # type: ignore[no-untyped-def]
    params, level, states, lo, hi, choices, children, degree, rank, to, scratch
):
    if getattr(params, "instance_class", None) is not ProductParams:
        return None

    def expand_product(params, level, states, lo, hi, choices, children, degree, rank, to, scratch):  # type: ignore[no-untyped-def]
        zero = np.uint64(0)
        one = np.uint64(1)
        keep = params.keep
        add = params.add
        conflict = params.conflict
        bits = params.bit
        levels = bits.shape[0]
        base = params.words
        size = states.shape[1] - base
        top = conflict.shape[1] - 1
        begin = params.start[level]
        queue = params.queue
        lone = params.lone[level]
        placed = np.int64(1)
        slot = np.int64(0)
        for row in range(lo, hi):
            before = slot
            for r in range(choices.shape[0]):
                choice = np.int64(choices[r])
                if lone:
                    choice -= 1
                option = begin + choice
                at = base + top - (option >> 6)
                if choice >= 0 and states[row, at] >> np.uint64(option & 63) & one == zero:
                    continue
                for w in range(base):
                    children[slot, w] = states[row, w]
                if not _read(params, level, choice, children, slot):
                    continue
                for w in range(base):
                    children[slot, w] &= keep[level, w]
                for w in range(size):
                    children[slot, base + w] = states[row, base + w]
                if choice >= 0:
                    work = zero
                    for w in range(base):
                        children[slot, w] |= add[option, w]
                    for w in range(size):
                        work |= children[slot, base + w] & conflict[option, w]
                    if work != zero:
                        scratch[queue] = np.uint64(option)
                        if not propagate(
                            params, children, slot, base, size, scratch, queue, placed
                        ):
                            continue
                # nothing of this level is left
                for o in range(begin, params.start[level + 1]):
                    children[slot, base + top - (o >> 6)] &= ~(one << np.uint64(o & 63))
                child_level = level + 1
                alive = True
                while child_level < levels:
                    bit = bits[child_level]
                    if bit < 0:
                        break
                    if children[slot, bit >> 6] >> np.uint64(bit & 63) & one == zero:
                        break
                    if not _read(params, child_level, np.int64(-1), children, slot):
                        alive = False
                        break
                    for w in range(base):
                        children[slot, w] &= keep[child_level, w]
                    child_level += 1
                if not alive:
                    continue
                rank[slot] = r
                to[slot] = child_level
                slot += 1
            degree[row - lo] = slot - before
        return slot

    return expand_product
