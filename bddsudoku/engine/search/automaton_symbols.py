"""What an automaton's MDD says of its symbols, whatever their order.

A renban line and a cage accept all orders of certain sets of symbols; a look-and-say cage no word
that has a certain symbol twice.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import NamedTuple

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


class SymbolNumbers(NamedTuple):
    """What all words of an automaton have in common.

    Attributes:
        names: for each symbol the least that may replace it, and be replaced by it, in any word.
        numbers: for each class of such symbols, by its name, the least and the greatest number of
            occurrences in a word.
        total: the sum of a word's symbols if that is the same for all, else None.
    """

    names: tuple[int, ...]
    numbers: dict[int, tuple[int, int]]
    total: int | None


@lru_cache(maxsize=256)
def symbol_numbers(mdd: Mdd) -> SymbolNumbers:
    """Return how often symbols occur in the words of an MDD, and their sum.

    Args:
        mdd: an MDD that accepts some word; choice k is the symbol k - 1, choice 0 none.
    """
    symbols = max(mdd.choices) - 1
    columns = [
        b"".join(t[:, s].tobytes() for t in mdd.tables if s < t.shape[1])
        for s in range(1, symbols + 1)
    ]
    names = tuple(columns.index(column) for column in columns)
    # The least and greatest numbers, and in the last column sums, on a path to each state.
    step = np.zeros((1 + symbols, symbols + 1), dtype=np.int32)
    step[np.arange(1, 1 + symbols), names] = 1
    step[1:, -1] = np.arange(symbols)
    least = most = np.zeros((1, symbols + 1), dtype=np.int32)
    for table, width in zip(mdd.tables, mdd.widths[1:], strict=True):
        low = np.full((width, symbols + 1), np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full((width, symbols + 1), -1, dtype=np.int32)
        state, choice = np.nonzero(table >= 0)
        target = table[state, choice]
        np.minimum.at(low, target, least[state] + step[choice])
        np.maximum.at(high, target, most[state] + step[choice])
        least, most = low, high
    pairs = [*zip(least[0].tolist(), most[0].tolist(), strict=True)]
    total, greatest = pairs.pop()
    numbers = {name: pairs[name] for name in sorted({*names})}
    return SymbolNumbers(names, numbers, total if total == greatest else None)
