"""A slow counter that shares nothing with the engine: depth-first search, fewest candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

_SEEN = [
    [
        other
        for other in range(81)
        if other != cell
        and (
            other // 9 == cell // 9
            or other % 9 == cell % 9
            or (other // 27 == cell // 27 and other % 9 // 3 == cell % 9 // 3)
        )
    ]
    for cell in range(81)
]


class TooMuch(Exception):
    """The search was cut off: nothing is known about the number of solutions."""


def solutions(masks: Sequence[int], nodes: int = 10**9) -> Iterator[list[int]]:
    """All grids (81 digits) that fit 81 candidate masks; TooMuch after `nodes` steps."""
    cells = [int(m) for m in masks]
    if 0 not in cells:
        yield from _search(cells, list(range(81)), [nodes])


def _search(cells: list[int], open_cells: list[int], left: list[int]) -> Iterator[list[int]]:
    left[0] -= 1
    if left[0] < 0:
        raise TooMuch
    if not open_cells:
        yield [m.bit_length() for m in cells]
        return
    cell = min(open_cells, key=lambda c: cells[c].bit_count())
    rest = [c for c in open_cells if c != cell]
    mask = cells[cell]
    while mask:
        bit = mask & -mask
        mask ^= bit
        after = list(cells)
        after[cell] = bit
        for peer in _SEEN[cell]:
            after[peer] &= ~bit
            if not after[peer]:
                break
        else:
            yield from _search(after, rest, left)


def searched(masks: Sequence[int], limit: int) -> list[list[int]] | None:
    """All solutions; None when there are more than `limit` or the search takes too long."""
    try:
        found = list(islice(solutions(masks, 4_000 + 10 * limit), limit + 1))
    except TooMuch:
        return None
    return found if len(found) <= limit else None


def hints(text: str) -> NDArray[np.uint16]:
    """Masks of a puzzle's 81 characters, 0 or . for open cells."""
    return np.array([511 if c in "0." else 1 << (int(c) - 1) for c in text], dtype=np.uint16)


def shuffled_grid(rng: np.random.Generator) -> NDArray[np.int64]:
    """A solved 9 x 9 grid: a pattern with digits, rows, columns, bands and stacks shuffled."""
    lines = [np.concatenate([3 * b + rng.permutation(3) for b in rng.permutation(3)]) for _ in "rc"]
    pattern = np.array([[(3 * (r % 3) + r // 3 + c) % 9 for c in range(9)] for r in range(9)])
    return rng.permutation(9)[pattern[np.ix_(lines[0], lines[1])]] + 1
