"""The minimal unavoidable sets of a small board, by a search that skips their supersets.

The search fills the board cell by cell, in rows, and tries the given digit first. It keeps the set
of given cells that have another digit. Every grid that it reaches has a new such set; from then on
it turns back wherever the set has become a superset of one that is known. So it visits few of the
board's grids: of the 28,200,960 of a 6×6 board some thousand, in a tenth of a second.

A known set is a subset of the present one for the first time when its last cell gets another digit:
only sets with this last cell are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.context import Context
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I64, U64, Flags
from bddsudoku.puzzle.sudoku.grid import Puzzle

MAX_CELLS = 64
"""Greatest number of cells: sets of cells are bits of one word."""
_STEPS = 20_000_000
"""Steps between two checks of the limits, a fraction of a second."""
_DONE, _FULL, _PAUSED = range(3)
_U0, _U1 = np.uint64(0), np.uint64(1)


def is_searchable(puzzle: Puzzle) -> bool:
    """Whether a board is small enough for the search and has no rules other than its houses."""
    return puzzle.layout.cell_count <= MAX_CELLS and not puzzle.rules


def search_unavoidable(puzzle: Puzzle, keys: I64, context: Context) -> Flags:
    """Find the minimal sets of given digits whose removal from a board adds a solution.

    Args:
        puzzle: the board without the given digits; :func:`is_searchable`.
        keys: the given digits, ``cell * n + digit - 1``.

    Returns:
        The minimal sets, without the empty one, as rows of flags: (sets, given digits).

    Raises:
        LimitReached: the time is used up.
    """
    layout = puzzle.layout
    cells = layout.cell_count
    widest = max(map(len, layout.houses_by_cell))
    number = {house: i for i, house in enumerate(layout.houses)}
    houses = np.empty((cells, widest), dtype=np.int64)
    for c, several in enumerate(layout.houses_by_cell):
        own = [number[house] for house in several]
        # Cells in fewer houses have some of their own, which exclude nothing.
        houses[c] = own + [len(number) + c * widest + k for k in range(widest - len(own))]
    given = np.zeros(cells, dtype=np.uint64)
    given[keys // puzzle.n] = 1 << keys % puzzle.n
    allowed = np.array(puzzle.masks, dtype=np.uint64)
    used = np.zeros(len(number) + cells * widest, dtype=np.uint64)
    untried, chosen = np.zeros((2, cells + 1), dtype=np.uint64)
    untried[0] = allowed[0]
    place = np.zeros(2, dtype=np.int64)
    known = np.zeros((cells, 64), dtype=np.uint64)
    count = np.zeros(cells, dtype=np.int64)
    while True:
        status = _continue_search(
            houses, given, allowed, used, untried, chosen, place, known, count, _STEPS
        )
        if status == _DONE:
            break
        context.check(f"after {count.sum():,} unavoidable sets")
        if status == _FULL:
            known = np.concatenate([known, np.zeros_like(known)], axis=1)
    found = np.concatenate([row[:k] for row, k in zip(known, count, strict=True)])
    bits = found[:, None] >> (keys // puzzle.n).astype(np.uint64) & _U1
    order = np.argsort(bits.sum(axis=1), kind="stable")
    least = np.ones(len(found), dtype=np.bool_)
    _clear_nonminimal(found[order], least)
    minimal: Flags = bits[order][least].astype(np.bool_)
    return minimal


@kernel
def _continue_search(
    houses: I64,
    given: U64,
    allowed: U64,
    used: U64,
    untried: U64,
    chosen: U64,
    progress: I64,
    known_sets: U64,
    known_counts: I64,
    steps: int,
) -> int:
    """Continue the search until all sets are found, the table is full or ``steps`` steps are done.

    Args:
        houses: the houses of each cell.
        given: the bit of each cell's given digit; 0 where there is none.
        allowed: the bits of each cell's candidates.
        used: bits of the digits in each house.
        untried, chosen: for each cell the bits of the digits that are still to be tried, and the
            bit of its digit.
        progress: the number of filled cells, and the bits of those that differ.
        known_sets, known_counts: the known sets with the cell as the last one, and their number.
        steps: number of steps.
    """
    cells = len(given)
    depth: Any = progress[0]
    differ: Any = np.uint64(progress[1])
    status = _PAUSED
    for _ in range(steps):
        if depth == cells and differ != _U0:
            last = np.int64(63)
            while differ >> np.uint64(last) == _U0:
                last -= 1
            if known_counts[last] == known_sets.shape[1]:
                status = _FULL
                break
            known_sets[last, known_counts[last]] = differ
            known_counts[last] += 1
        if depth == cells or untried[depth] == _U0:
            # Another choice after the last cell that differs would leave a superset.
            to_differing = depth == cells and differ != _U0
            while depth > 0:
                depth -= 1
                for k in range(houses.shape[1]):
                    used[houses[depth, k]] ^= chosen[depth]
                differs = differ >> np.uint64(depth) & _U1 != _U0
                differ &= ~(_U1 << np.uint64(depth))
                if untried[depth] != _U0 and (differs or not to_differing):
                    break
                to_differing = to_differing and not differs
            else:
                status = _DONE
                break
        left: Any = untried[depth]
        digit: Any = left & given[depth]
        more = differ
        if digit == _U0:
            digit = left & ~(left - _U1)
            if given[depth] != _U0:
                more |= _U1 << np.uint64(depth)
                superset = False
                for i in range(known_counts[depth]):
                    if known_sets[depth, i] & ~more == _U0:
                        superset = True
                        break
                if superset:
                    untried[depth] = _U0
                    continue
        untried[depth] = left ^ digit
        chosen[depth] = digit
        differ = more
        taken = _U0
        for k in range(houses.shape[1]):
            used[houses[depth, k]] |= digit
        depth += 1
        if depth < cells:
            for k in range(houses.shape[1]):
                taken |= used[houses[depth, k]]
            untried[depth] = allowed[depth] & ~taken
    progress[0], progress[1] = depth, np.int64(differ)
    return status


@kernel
def _clear_nonminimal(sets: U64, is_minimal: Flags) -> None:
    """Clear the flag of every set that contains an earlier set; sets are ordered by size."""
    for i in range(len(sets)):
        for j in range(i):
            if is_minimal[j] and sets[j] & ~sets[i] == _U0:
                is_minimal[i] = False
                break
