"""Propagation of ranks: whether a word is less than another one, which is one of several.

A word is a list of *letters*: cells, each with the symbol for which every value stands. The value
of a cell says with which word of a set another word is compared, and that of a cell of two values,
whether it is greater or less: so that the search can branch on both, and a choice
(:mod:`.choices`) count the sets in which it is less.

Whether one word can be less than another is decided by the first letters in which the least symbol
of the one differs from the greatest of the other. Where it must be less, symbols are removed from
the first pair of letters that are not equal already, which suffices (Frisch, Hnich, Kiziltan,
Miguel and Walsh, *Propagation algorithms for lexicographic ordering constraints*, Artificial
Intelligence 170, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, highest_bit_index, lowest_bit_index

U0, U1, LOW = np.uint64(0), np.uint64(1), np.uint64(63)
GREATER, LESS = 0, 1
"""Values of the cell that says how a word of a set is compared with the ranked word."""

Letter = tuple[int, tuple[int, ...]]
"""A cell, and the symbol of each of its values (by their numbers; any for those it has not)."""
Word = tuple[int, ...]
"""The numbers of its letters."""


class Ranking(NamedTuple):
    """The comparison of one word of a set with a certain word; they differ.

    Attributes:
        order: a cell, whose value says whether the word of the set is :data:`LESS`.
        place: a cell, whose value says which word of the set it is.
        own: the other word.
        words: the word of the set for every value of ``place``; any for those it has not.
        cells: the cells of all words.
    """

    order: int
    place: int
    own: Word
    words: Sequence[Word]
    cells: frozenset[int]


class RankTables(NamedTuple):
    """Rankings as flat arrays."""

    own: U64
    """(rankings, 4): cells of order and place; the certain word's first letter, and its length."""
    word: U64
    """(rankings, values of ``place``): the first letter of each word of the set."""
    letter: U64
    """The letters of all words, by their numbers."""
    cell: U64
    """(letters,): the cell of each letter."""
    symbol: U64
    """(letters, values): the symbol of each value, as a bit."""


def make_rank_tables(rankings: Sequence[Ranking], letters: Sequence[Letter]) -> RankTables:
    """Make the tables of rankings over some letters; equal words are stored once."""
    first: dict[Word, int] = {}
    flat: list[int] = []
    for word in chain.from_iterable((one.own, *one.words) for one in rankings):
        if word not in first:
            first[word] = len(flat)
            flat += word
    wide = max((len(symbols) for _, symbols in letters), default=0)
    bits = [[1 << s for s in symbols] + [0] * (wide - len(symbols)) for _, symbols in letters]
    own = [(one.order, one.place, first[one.own], len(one.own)) for one in rankings]
    most = max((len(one.words) for one in rankings), default=0)
    by_value = [[first[w] for w in one.words] + [0] * (most - len(one.words)) for one in rankings]
    return RankTables(
        np.array(own, dtype=np.uint64).reshape(-1, 4),
        np.array(by_value, dtype=np.uint64).reshape(len(rankings), most),
        np.array(flat, dtype=np.uint64),
        np.array([cell for cell, _ in letters], dtype=np.uint64),
        np.array(bits, dtype=np.uint64).reshape(len(letters), wide),
    )


@subroutine
def _symbols(k, row, t):  # type: ignore[no-untyped-def]
    """The symbols that a letter of a word can be, as a bit set."""
    letter = t.letter[k]
    found = U0
    values = row[t.cell[letter]]
    while values != U0:
        found |= t.symbol[letter, lowest_bit_index(values)]
        values &= values - U1
    return found


@subroutine
def _may_be_less(one, other, length, row, t):  # type: ignore[no-untyped-def]
    """Whether the word from letter ``one`` on can be less than that from ``other`` on, 1 or 0."""
    for k in range(length):
        symbols = _symbols(one + k, row, t)
        least = symbols & ~(symbols - U1)
        greatest = U1 << highest_bit_index(_symbols(other + k, row, t))
        if least != greatest:
            return U1 if least < greatest else U0
    return U0


@subroutine
def _keep_symbols(k, symbols, row, changed, n, t):  # type: ignore[no-untyped-def]
    """Remove other symbols from a letter; see :func:`.domain_reduction.keep_values`."""
    letter = t.letter[k]
    kept = U0
    values = row[t.cell[letter]]
    while values != U0:
        value = lowest_bit_index(values)
        if t.symbol[letter, value] & symbols != U0:
            kept |= U1 << value
        values &= values - U1
    return keep_values(row, changed, n, t.cell[letter], kept)


@subroutine
def _require_less(one, other, length, row, changed, n, t):  # type: ignore[no-untyped-def]
    """Make the word from letter ``one`` on less than that from ``other`` on, which it can be."""
    for k in range(length):
        after = k + U1
        equal = _may_be_less(one + after, other + after, length - after, row, t)
        symbols = ~U0 >> LOW - highest_bit_index(_symbols(other + k, row, t))  # to the greatest
        n = _keep_symbols(one + k, symbols if equal != U0 else symbols >> U1, row, changed, n, t)
        if n < 0:
            return n
        symbols = _symbols(one + k, row, t)
        symbols |= U0 - symbols  # all from the least one on
        n = _keep_symbols(other + k, symbols if equal != U0 else symbols << U1, row, changed, n, t)
        if n < 0:
            return n
        symbols = _symbols(one + k, row, t)
        if symbols & (symbols - U1) != U0 or symbols != _symbols(other + k, row, t):
            return n
    return n


@subroutine
def propagate_ranking(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Propagate the order of a word and a set; see :func:`.domain_reduction.keep_values`."""
    order, place, own, length = t.own[i, 0], t.own[i, 1], t.own[i, 2], t.own[i, 3]
    orders = words = U0
    left = row[place]
    while left != U0:
        k = lowest_bit_index(left)
        left &= left - U1
        greater = _may_be_less(own, t.word[i, k], length, row, t)
        less = _may_be_less(t.word[i, k], own, length, row, t)
        found = row[order] & (greater << np.uint64(GREATER) | less << np.uint64(LESS))
        if found != U0:
            orders |= found
            words |= U1 << k
    if orders == U0:
        return FAILED
    n = keep_values(row, changed, 0, order, orders)
    if n >= 0:
        n = keep_values(row, changed, n, place, words)
    if n < 0 or orders & (orders - U1) != U0 or words & (words - U1) != U0:
        return n
    one, other = own, t.word[i, lowest_bit_index(words)]
    if orders == U1 << np.uint64(LESS):
        one, other = other, one
    return _require_less(one, other, length, row, changed, n, t)
