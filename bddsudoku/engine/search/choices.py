"""Propagation of choices: in how many of some cells certain values stand.

At most one of the marks of a rule is there, two lines have the same number of fives, a formula
demands one of some literals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bddsudoku.engine.search.domain_reduction import FAILED, keep_values
from bddsudoku.jit import subroutine
from bddsudoku.jit.decorators import U64, flat_lists

U0, U1 = np.uint64(0), np.uint64(1)


class Choice(NamedTuple):
    """Places, of which some number holds.

    Attributes:
        places: different cells, each with the bit set of some of its values.
        least, most: how many of the cells may have one of their values.
    """

    places: Sequence[tuple[int, int]]
    least: int
    most: int

    @property
    def cells(self) -> list[int]:
        """The cells."""
        return [c for c, _ in self.places]


class ChoiceTables(NamedTuple):
    """Choices as flat arrays."""

    at: U64
    """(choices + 1,): the first place of each choice."""
    bounds: U64
    """(choices, 2): the least and the greatest number of its places that may hold."""
    cell: U64
    values: U64
    """Each place: a cell, and values of it."""


def make_choice_tables(choices: Sequence[Choice]) -> ChoiceTables:
    """Make the tables of choices."""
    at, places = flat_lists([choice.places for choice in choices])
    cell, values = places.reshape(-1, 2).T.copy()
    bounds = np.array([choice[1:] for choice in choices], dtype=np.uint64).reshape(-1, 2)
    return ChoiceTables(at, bounds, cell, values)


@subroutine
def propagate_choice(i, row, changed, t):  # type: ignore[no-untyped-def]
    """Propagate how many places hold; see :func:`.domain_reduction.keep_values`."""
    begin, end = t.at[i], t.at[i + U1]
    certain = possible = U0
    for p in range(begin, end):
        values = row[t.cell[p]]
        if values & t.values[p] != U0:
            possible += U1
            if values & ~t.values[p] == U0:
                certain += U1
    least = max(t.bounds[i, 0], certain)
    most = min(t.bounds[i, 1], possible)
    if least > most:
        return FAILED
    n = 0
    if certain < possible and (certain == most or possible == least):
        for p in range(begin, end):
            values, held = row[t.cell[p]], t.values[p]
            if values & held != U0 and values & ~held != U0:
                n = keep_values(row, changed, n, t.cell[p], held if possible == least else ~held)
    return n
