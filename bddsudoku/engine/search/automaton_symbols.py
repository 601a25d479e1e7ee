"""What an automaton's MDD says of its symbols, whatever their order.

A renban line and a cage accept all orders of certain sets of symbols.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial

import numpy as np

from bddsudoku.model.mdd import Mdd

_MAX_SETS = 1 << 10
"""Most sets of values of a set constraint."""


@lru_cache(maxsize=1024)
def accepted_symbol_sets(mdd: Mdd) -> tuple[int, ...] | None:
    """The symbol sets whose permutations are the words of an MDD; None if there are no such sets.

    Args:
        mdd: an MDD whose acceptance does not depend on the order of the symbols.
    """
    if mdd.is_empty or not 1 <= mdd.length <= 12:
        return None
    symbols = max(mdd.choices)
    words = np.ones(1, dtype=object)
    for table in reversed(mdd.tables):
        padded = np.append(words, 0)
        words = padded[table].sum(axis=1)
    layer: dict[tuple[int, int], None] = {(0, 0): None}
    # Words with ascending symbols: state, set of symbols.
    for table in mdd.tables:
        below: dict[tuple[int, int], None] = {}
        for state, used in layer:
            for s in range(used.bit_length(), symbols - 1):
                after = int(table[state, s + 1])
                if after >= 0:
                    below[after, used | 1 << s] = None
        layer = below
        if len(layer) > _MAX_SETS:
            return None
    family = tuple(sorted({used for _, used in layer}))
    return family if int(words[0]) == factorial(mdd.length) * len(family) else None


@lru_cache(maxsize=1024)
def completing_value_sets(
    mdd: Mdd, known: int, value_of: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, ...], int | None]:
    """Return the sets of values of other cells that complete known symbols to an accepted word.

    Args:
        mdd: an MDD with such sets.
        known: the bit set of the known symbols.
        value_of: the possible symbols of the other cells, each with its value.

    Returns:
        The sets, and the sum of the symbols of each if that is the same for all.
    """
    sets: list[int] = []
    totals: set[int] = set()
    possible = sum(1 << s for s, _ in value_of)
    for symbols in accepted_symbol_sets(mdd) or ():
        if not known & ~symbols and not symbols & ~known & ~possible:
            chosen = [(s, k) for s, k in value_of if symbols >> s & 1 and not known >> s & 1]
            sets.append(sum(1 << k for _, k in chosen))
            totals.add(sum(s for s, _ in chosen))
    return tuple(sets), totals.pop() if len(totals) == 1 else None
