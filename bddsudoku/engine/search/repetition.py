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
from bddsudoku.model.mdd import Mdd, reduce_mdd

MAX_DIFFERENT_VALUES = 16
"""Most values of a cell for which the set of values taken is part of a state."""
_MAX_CLIQUES = 16
"""Most cliques of an MDD, the largest first; each takes some milliseconds on a long line."""
_MAX_WIDTH = 1_000
"""Most states of a layer of a product; wider ones cost more than they save (measured)."""
_MAX_GROWTH = 4
"""Most transitions of a product with all cells of an MDD, relative to the MDD. Larger products save
nodes, but no time: the MDD and the houses do nearly as well (measured)."""


def without_repetitions(one: CellMdd, differ: Sequence[int]) -> CellMdd:
    """Restrict an MDD to the words that give different values to cells that must differ.

    Args:
        one: the MDD with its cells.
        differ: for each of its levels the bit set of levels with cells that must differ from it;
            these cells have at most :data:`MAX_DIFFERENT_VALUES` values.

    Returns:
        The restricted MDD; products that would be too wide are left out.
    """
    # Symbols are numbered as they appear: shuffled values of the cells give the same product.
    number: dict[int, int] = {}
    symbols = []
    for column, choices, others in zip(one.columns, one.mdd.choices, differ, strict=True):
        found = [-1] * choices  # choice 0 may stand for several values
        for value, choice in enumerate(column):
            if choice and others:
                found[choice] = value
        symbols.append(tuple(v if v < 0 else number.setdefault(v, len(number)) for v in found))
    return one._replace(mdd=_restrict_by_cliques(one.mdd, tuple(symbols), tuple(differ)))


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


def _cliques_covering_edges(neighbours: Sequence[int]) -> list[int]:
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
    states = taken = np.zeros(1, dtype=np.int64)
    tables = []
    for i, (table, of) in enumerate(zip(mdd.tables, symbols, strict=True)):
        bits = np.array([1 << symbol if symbol >= 0 else 0 for symbol in of], dtype=np.int64)
        target = table[states].astype(np.int64)
        target[(taken[:, None] & bits) != 0] = -1
        allowed = target >= 0
        after = taken[:, None] | bits if i < last else np.zeros_like(target)
        pairs = (target << MAX_DIFFERENT_VALUES | after)[allowed]
        layer, numbers = np.unique(pairs, return_inverse=True)
        if len(layer) > _MAX_WIDTH:
            return None
        product = np.full(target.shape, -1, dtype=np.int32)
        product[allowed] = numbers
        tables.append(product)
        states = layer >> MAX_DIFFERENT_VALUES
        taken = layer & (1 << MAX_DIFFERENT_VALUES) - 1
    return reduce_mdd(tables)
