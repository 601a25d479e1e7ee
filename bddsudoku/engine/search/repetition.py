"""Products of MDDs with the constraints that some of their cells are all different.

The MDD of a rule does not know the houses of its cells: that of a sandwich adds up equal digits,
too. Where the cells of a *clique* differ from each other, the product of the MDD and the constraint
that they are all different removes what neither of the two removes alone. A state of the product
is a state of the MDD together with the set of values that cells of the clique have taken
(Andersen, Hadzic, Hooker and Tiedemann, *A constraint store based on multivalued decision
diagrams*, CP 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bddsudoku.engine.search.cells_from_booleans import bit_numbers
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I32, I64, U64, lowest_bit_index
from bddsudoku.model.mdd import Mdd, empty_mdd
from bddsudoku.model.mdd_reduction import reduce_layers

U0, U1 = np.uint64(0), np.uint64(1)
_SHIFT, _HIGH, _MULTIPLIER = np.uint64(20), np.uint64(40), np.uint64(0x9E3779B97F4A7C15)
"""The hash function of a state and a set multiplies, and takes the high bits."""

_MAX_DIFFERENT_VALUES = 16
"""Most values of a cell for which the set of values taken is part of a state."""
_MAX_CLIQUES = 16
"""Most cliques of an MDD, the largest first; each takes some milliseconds on a long line."""
_MAX_WIDTH = 1_000
"""Most states of a layer of a product; wider ones cost more than they save (measured)."""
_MAX_GROWTH = 4
"""Most transitions of a product with all cells of an MDD, relative to the MDD. Larger products save
nodes, but no time: the MDD and the houses do nearly as well (measured)."""


def levels_that_differ(
    cells: Sequence[int], unlike: Sequence[int], domains: Sequence[int]
) -> list[int]:
    """For each level of an MDD, the bit set of those whose cells must differ from its cell.

    Args:
        cells: the cell of each level.
        unlike: for each cell the bit set of cells that never have the same value.
        domains: the values of every cell.

    Cells of more than 16 values are left out: the set of values taken is part of a state.
    """
    levels: dict[int, int] = {}
    for j, c in enumerate(cells):
        if not domains[c] >> _MAX_DIFFERENT_VALUES:
            levels[c] = levels.get(c, 0) | 1 << j
    read = sum(1 << c for c in levels)
    differ: dict[int, int] = {}
    for c in levels:
        domain = domains[c]
        others = [o for o in bit_numbers(unlike[c] & read) if domains[o] & domain]
        differ[c] = sum(map(levels.__getitem__, others))
    return [differ.get(c, 0) for c in cells]


def without_repetitions(one: CellMdd, differ: Sequence[int], domain: Sequence[int]) -> CellMdd:
    """Restrict an MDD to the words that give different values to cells that must differ.

    Args:
        one: the MDD with its cells.
        differ: for each of its levels the bit set of levels with cells that must differ from it;
            these cells have at most 16 values.
        domain: the bit set of the values of each cell of the problem.

    Returns:
        The restricted MDD; products that would be too wide are left out.
    """
    levels = zip(one.cells, differ, strict=True)
    domains = tuple([domain[c] if others else 0 for c, others in levels])
    symbols = _number_symbols(one.columns, one.mdd.choices, domains)
    return one._replace(mdd=_restrict_by_cliques(one.mdd, symbols, tuple(differ)))


@lru_cache(maxsize=256)
def _number_symbols(
    columns: tuple[tuple[int, ...], ...], choices: tuple[int, ...], domains: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """For each level of an MDD the symbol of each of its choices; -1 for none.

    Symbols are numbered as they appear: shuffled values of the cells give the same product.

    Args:
        columns: those of the :class:`CellMdd`.
        choices: number of choices of each level.
        domains: the values of each level's cell; 0 for one that may be equal to all others.
    """
    number: dict[int, int] = {}
    symbols = []
    for column, count, domain in zip(columns, choices, domains, strict=True):
        found = [-1] * count  # choice 0 may stand for several values
        for value, choice in enumerate(column):
            if choice and domain >> value & 1:
                found[choice] = value
        symbols.append(tuple(v if v < 0 else number.setdefault(v, len(number)) for v in found))
    return tuple(symbols)


@lru_cache(maxsize=256)
def _restrict_by_cliques(
    mdd: Mdd, symbols: tuple[tuple[int, ...], ...], differ: tuple[int, ...]
) -> Mdd:
    """Restrict an MDD to the words in which levels that must differ have different symbols.

    Args:
        mdd: an MDD.
        symbols: for each level the symbol of each of its choices; -1 for none.
        differ: for each level the bit set of levels that must differ from it.
    """
    every = (1 << mdd.length) - 1
    for clique in _cliques_covering_edges(differ)[:_MAX_CLIQUES]:
        if mdd.is_empty:
            break
        of_clique = [s if clique >> i & 1 else (-1,) * len(s) for i, s in enumerate(symbols)]
        product = _without_repeated_symbols(mdd, of_clique)
        if product is None:
            continue
        if clique != every or _count_arcs(product) <= _MAX_GROWTH * _count_arcs(mdd):
            mdd = product
    return mdd


def _count_arcs(mdd: Mdd) -> int:
    """Count the transitions of an MDD."""
    return sum(int(np.count_nonzero(table >= 0)) for table in mdd.tables)


@lru_cache(maxsize=256)
def _cliques_covering_edges(neighbours: tuple[int, ...]) -> list[int]:
    """Cover the edges of a graph with cliques; the bit sets of the cliques, large ones first.

    Each is the largest that grows greedily from a vertex along an edge that no other covers.

    Args:
        neighbours: the bit set of each vertex's neighbours.
    """
    uncovered = [*neighbours]
    cliques = []
    while any(uncovered):
        best = 0
        for i in range(len(neighbours)):
            if not uncovered[i]:
                continue
            clique, common, next_ones = 1 << i, neighbours[i], uncovered[i]
            while common:
                some = common
                j = max(bit_numbers(next_ones), key=lambda j: (some & neighbours[j]).bit_count())
                clique |= 1 << j
                common &= neighbours[j]
                next_ones = common
            best = max(best, clique, key=int.bit_count)
        cliques.append(best)
        for i in bit_numbers(best):
            uncovered[i] &= ~best
    return cliques


def _without_repeated_symbols(mdd: Mdd, symbols: Sequence[Sequence[int]]) -> Mdd | None:
    """Restrict an MDD to the words in which no symbol comes twice; None if it becomes too wide.

    Args:
        mdd: an MDD.
        symbols: for each level the symbol of each of its choices; -1 for none.
    """
    last = max(i for i, of in enumerate(symbols) if max(of) >= 0)
    bits = np.array([1 << s if s >= 0 else 0 for of in symbols for s in of], dtype=np.uint64)
    return product_mdd(mdd, bits, np.zeros(mdd.length, dtype=np.int64), 0, last)


def product_mdd(mdd: Mdd, sets: U64, set_rows: I64, start: int, last: int) -> Mdd | None:
    """The product of an MDD and another constraint, minimised; None if a layer is too wide.

    Args:
        mdd: an MDD.
        sets, set_rows, last: the other constraint, see :func:`_multiply`.
        start: the set at the first level.
    """
    rows = np.array(mdd.widths[:-1], dtype=np.int64)
    choices = np.array(mdd.choices, dtype=np.int64)
    product = np.empty(_MAX_WIDTH * int(choices.sum()), dtype=np.int32)
    entries = np.concatenate([t.ravel() for t in mdd.tables])
    scratch = np.zeros((2, 2, _MAX_WIDTH + 1), dtype=np.uint64)
    scratch[0, 1, 0] = start
    slots = np.empty(4 << _MAX_WIDTH.bit_length(), dtype=np.int32)
    size = _multiply(entries, rows, choices, sets, set_rows, last, product, scratch, slots)
    if size < 0:
        return None
    found = reduce_layers(product[:size], rows, choices, np.ones(1, dtype=bool))
    return empty_mdd(choices.tolist()) if found is None else Mdd(tuple(found))


@subroutine
def _number_in_layer(  # type: ignore[no-untyped-def]
    below, reached, slots, state, some
):
    """Find the number of a state of a product in its layer, or add it with the next number.

    Args:
        below: uint64, (2, greatest width + 1); state and set of each of the layer's states.
        reached: number of the layer's states, which is the number of a new one.
        slots: int32; a hash table of these numbers, at least twice as long; -1 where it is free.
        state: uint64; the state of the MDD.
        some: uint64; the set that goes with it.

    Returns:
        The number, or -1 if the layer is full.
    """
    mask = np.int64(len(slots) - 1)
    slot = np.int64((state << _SHIFT ^ some) * _MULTIPLIER >> _HIGH) & mask
    while slots[slot] >= 0:
        other = slots[slot]
        if below[0, other] == state and below[1, other] == some:
            return np.int64(other)
        slot = (slot + 1) & mask
    if reached == below.shape[1] - 1:
        return np.int64(-1)
    slots[slot] = reached
    below[0, reached] = state
    below[1, reached] = some
    return np.int64(reached)


@kernel
def _multiply(
    entries: I32,
    rows: I64,
    choices: I64,
    sets: U64,
    set_rows: I64,
    last: int,
    product: I32,
    scratch: U64,
    slots: I32,
) -> int:
    """Write the product of an MDD with another constraint, whose states are sets of up to 64 bits.

    It is either a nondeterministic automaton with as many levels, the sets those of its states; or
    the constraint that no symbol comes twice, the sets those of symbols taken.

    Args:
        entries: the tables of the MDD, level after level.
        rows: (levels,); number of states of each layer; that of the product's layers afterwards.
        choices: (levels,); number of choices at each level.
        sets: level after level, for each state of the automaton and each choice the set of its next
            states; or for each choice its symbol as a bit, 0 for none.
        set_rows: (levels,); number of the automaton's states at each level, 0 for symbols.
        last: the level after which sets do not matter.
        product: receives the tables of the product.
        scratch: (2, 2, greatest width + 1); states of the MDD and sets, of two layers; the first
            state is there.
        slots: a hash table of a layer's states, at least twice as long.

    Returns:
        The length of the product's tables, or -1 if a layer is wider than the greatest width.
    """
    layer, below = scratch[0], scratch[1]
    count = 1
    at = first = end = 0
    for level in range(len(rows)):
        wide = choices[level]
        slots[:] = -1
        reached = 0
        for i in range(count):
            state, held = np.int64(layer[0, i]), layer[1, i]
            for k in range(wide):
                to = entries[at + state * wide + k]
                after = U0
                if set_rows[level] == 0:
                    bit = sets[first + k]
                    is_possible = held & bit == U0
                    after = held | bit
                else:
                    left = held
                    while to >= 0 and left != U0:
                        after |= sets[first + np.int64(lowest_bit_index(left)) * wide + k]
                        left &= left - U1
                    is_possible = after != U0
                if to < 0 or not is_possible:
                    product[end] = -1
                    end += 1
                    continue
                if level >= last:
                    after = U0
                number = _number_in_layer(below, reached, slots, np.uint64(to), after)
                if number < 0:
                    return -1
                reached = max(reached, number + 1)
                product[end] = number
                end += 1
        at += rows[level] * wide
        first += max(set_rows[level], 1) * wide
        rows[level] = count
        layer, below = below, layer
        count = reached
    return end
