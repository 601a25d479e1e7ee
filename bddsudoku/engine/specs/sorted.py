"""Colourings as specs whose states are sorted: for counts, since states no longer name colours.

Levels are the places of a colouring (:mod:`bddsudoku.model.colours`) in an order, choices its
colours. A state that is reached stands for as many as there are permutations of alike colours
(:mod:`.alike`) that make another one of it, and each of those can be completed in as many ways; a
count needs no more than that. A diagram would, so these specs are for
:func:`bddsudoku.engine.frontier.count_spec` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.frontier.spec import DEAD, Spec
from bddsudoku.engine.specs.alike import Alike, alike, machine_columns
from bddsudoku.engine.specs.exact_cover import registers
from bddsudoku.engine.specs.facts import equal_facts
from bddsudoku.engine.specs.product import machine_registers, machine_tables
from bddsudoku.engine.specs.sorted_step import SortedParams, room
from bddsudoku.engine.specs.turned import turned_bits
from bddsudoku.limits import Check
from bddsudoku.model.machine import machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.model.colours import Colouring

__all__ = ["Sorted", "sorted_spec"]

_FIELD = 64
"""Bits of a field at most."""


@dataclass(frozen=True, eq=False)
class Sorted:
    """A spec of sorted states.

    Attributes:
        spec: for a count.
        alike: the classes of its colours.
        houses: houses that are alike at most; 1 where they are not sorted.
    """

    spec: Spec
    alike: Alike
    houses: int


def sorted_spec(
    colouring: Colouring,
    order: Sequence[int],
    *,
    turned: bool = False,
    known: frozenset[int] | None = None,
    check: Check | None = None,
) -> Sorted | None:
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
    base = colouring.model
    groups = [base.constraints[colouring.places[place]].variables for place in sequence]
    every = set(range(levels))
    machines = [machine(c, groups, exact=every, check=check) for c in colouring.crossing]
    of = colouring.colour_of.tolist()
    columns = [machine_columns(m, groups, of, colouring.colours) for m in machines]
    classes = alike(colouring, sequence, list(zip(machines, columns, strict=True)))
    fields = _fields(colouring, level_of, classes.order)
    if fields.bits > _FIELD:
        return None
    turns = turned_bits(colouring, sequence, fields.bit, fields.alone if turned else None)
    # what may be chosen; what propagation has found out about a colour holds while colour
    # and place have names
    open_ = classes.open & fields.open
    keys = [v.key for v in base.variables]
    chosen: list[list[tuple[int, int]]] = []
    position = {colour: at for at, colour in enumerate(classes.order)}
    for level, group in enumerate(groups):
        lone = (classes.high[level] - classes.low[level] == 1) & turns.named[level]
        here = sorted((position[of[v]], v) for v in group)
        chosen.append(
            [
                (k, v)
                for k, v in here
                if open_[level, k] and not (known is not None and lone[k] and keys[v] not in known)
            ]
        )
    starts = np.zeros(levels + 1, np.int32)
    np.cumsum([len(here) for here in chosen], out=starts[1:])
    colour = np.array([k for here in chosen for k, _ in here], np.int64).reshape(-1)
    at = np.repeat(np.arange(levels), np.diff(starts))
    each = 64 // fields.bits
    words = -(-colouring.colours // each)
    laid, more = machine_registers(machines, levels) if machines else ([], 0)
    restricted = [tuple(v for _, v in here) for here in chosen]
    tables = machine_tables(machines, laid, restricted, words)
    possible = all(restricted) and not any(m.layers.is_empty for m in machines)
    params = SortedParams(
        colouring.colours, fields.bits, each, words, starts, colour.astype(np.int32),
        fields.need[at, colour], fields.add[at, colour], fields.keep, fields.must,
        classes.low, classes.high, turns.params, tables,
    )  # fmt: skip
    spec = Spec(
        params=params,
        labels=np.array([keys[v] for here in restricted for v in here], np.int64).reshape(-1),
        first=starts,
        choices=tuple(tuple((k,) for k in range(len(here))) for here in chosen),
        words=np.full(levels, words + more, np.int32),
        root=np.zeros(words + more, np.uint64),
        root_level=0 if possible else DEAD,
        scratch=room(colouring.colours),
    )
    return Sorted(spec, classes, turns.most)


@dataclass(frozen=True, eq=False)
class _Fields:
    """The bits of a field, by level and position of a colour; see :class:`SortedParams`.

    Attributes:
        bit: int64 (houses,); the bit of each house.
        alone: bool (houses,); whether it is no other house's.
    """

    bits: int
    need: NDArray[np.uint64]
    add: NDArray[np.uint64]
    keep: NDArray[np.uint64]
    must: NDArray[np.uint64]
    open: NDArray[np.bool_]
    bit: NDArray[np.int64]
    alone: NDArray[np.bool_]


def _fields(colouring: Colouring, level_of: NDArray[np.int64], order: Sequence[int]) -> _Fields:
    """A bit for every house while it is open, the same for all colours."""
    levels, colours = len(level_of), colouring.colours
    houses = [np.sort(level_of[list(house)]) for house in colouring.houses]
    has, exact = colouring.has[:, list(order)], colouring.exact[:, list(order)]
    birth = np.array([house[0] for house in houses], np.int64).reshape(-1)
    last = np.array([house[-1] for house in houses], np.int64).reshape(-1)
    holder = np.arange(len(houses))
    loose = [f for f in range(len(houses)) if has[f].all() and not exact[f].any()]
    if loose:
        item = np.repeat(loose, [len(houses[f]) for f in loose])
        passed = np.concatenate([houses[f] for f in loose])
        holder = equal_facts(item, passed, passed, len(houses))
    kept = holder == np.arange(len(houses))
    bit, _ = registers(np.where(kept, birth, last), last, levels)
    bit = bit[holder]
    alone = np.bincount(holder, minlength=len(houses)) == 1
    shape = (levels, colours)
    need, add, must = (np.zeros(shape, np.uint64) for _ in range(3))
    keep = np.zeros(levels, np.uint64)
    open_ = np.ones(shape, bool)
    bits = int(bit.max(initial=0)) + 1
    if bits > _FIELD:
        return _Fields(bits, need, add, keep, must, open_, bit, alone)
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
    return _Fields(bits, need, add, keep, must, open_, bit, alone)
