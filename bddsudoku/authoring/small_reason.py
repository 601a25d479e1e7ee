"""A small reason of a claim within a time, and whether it is known to be a smallest one."""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from bddsudoku.authoring.sufficient_subsets import Claim, reason_of_flags, reason_search
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle


class SmallReason(NamedTuple):
    """A reason of a claim: hints and rules from which it follows, and of which none can go.

    Attributes:
        reason: the puzzle with just these hints and rules.
        is_smallest: whether no reason with fewer of them exists; else this is the smallest found.
        ruled_out: how many sets with fewer hints and rules are known to be none.
    """

    reason: Puzzle
    is_smallest: bool
    ruled_out: int


def small_reason(
    puzzle: Puzzle,
    claim: Claim | None,
    context: Context = UNLIMITED,
    *,
    seconds: float | None = None,
) -> SmallReason:
    """Find a reason of a claim, the smallest if the time suffices, as :func:`.smallest_reason`.

    Args:
        puzzle: of any layout, with any rules.
        claim: None: there is no solution.
        context: limits of the whole search.
        seconds: for the smallest, after one of which nothing can go was found; None: as long as
            the limits allow.

    Raises:
        PuzzleFormatError: the claim does not hold, or is about a hint.
        LimitReached: a limit was reached before any reason was found.
    """
    search = reason_search(puzzle, claim, context, 0)
    flags, is_smallest = search.find_minimal(), False
    search.rng = np.random.default_rng(0)  # the smallest is that of smallest_reason
    search.context = context.with_timeout(seconds)
    try:
        flags, is_smallest = search.find_smallest(), True
    except LimitReached:
        context.check()
    size = int(flags.sum()) if is_smallest else search.least_size
    ruled_out = sum(comb(len(search.keys), k) for k in range(size))
    return SmallReason(reason_of_flags(puzzle, search, flags), is_smallest, ruled_out)
