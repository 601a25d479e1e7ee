"""A small reason of a claim within a time, and whether it is known to be a smallest one."""

from __future__ import annotations

from math import comb
from typing import NamedTuple, Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.authoring.sufficient_subsets import Claim, reason_of_flags, reason_search
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.sources import PuzzleLike, as_puzzle


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


@check_types
def small_reason(
    puzzle: PuzzleLike,
    claim: Claim | None,
    context: Context = UNLIMITED,
    *,
    seed: int = 0,
    seconds: float | None = None,
    **limits: Unpack[Limits],
) -> SmallReason:
    """Find a reason of a claim, the smallest if the time suffices.

    Args:
        puzzle, claim, seed: as for :func:`.smallest_reason`.
        seconds: for the smallest, after one of which nothing can go was found; None: as long as
            the limits allow.

    Raises:
        PuzzleFormatError: the claim does not hold, or is about a hint.
        LimitReached: a limit was reached before any reason was found.
    """
    context = limited(context, **limits)
    puzzle = as_puzzle(puzzle)
    search = reason_search(puzzle, claim, context, seed)
    flags, is_smallest = search.find_minimal(), False
    search.rng = np.random.default_rng(seed)  # the smallest is that of smallest_reason
    search.context = context.with_timeout(seconds)
    try:
        flags, is_smallest = search.find_smallest(), True
    except LimitReached:
        context.check()
    size = int(flags.sum()) if is_smallest else search.least_size
    ruled_out = sum(comb(len(search.keys), k) for k in range(size))
    return SmallReason(reason_of_flags(puzzle, search, flags), is_smallest, ruled_out)
