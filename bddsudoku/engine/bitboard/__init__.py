"""Solutions, counts and true candidates of many classic 9×9 boards, by search on bitboards.

A state of 144 bytes holds all candidates; the rules work on all of it at once, as arithmetic on
vectors (:mod:`.propagation`); what is then open is tried out
(:mod:`.search`). After the solvers of the Sudoku programmers' forum (bands as 27-bit words:
J. Linhart, "zhouyundong_2012", G. Penet) and T. Dillon's tdoku, which propagates in vector
registers. Shares no search with other engines.

Boards are arrays: digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d),
81 a board, row by row. Contradictory ones are welcome and have no solution.
"""

from __future__ import annotations

from bddsudoku.engine.bitboard.engine import (
    PROBE_NODES,
    BitboardSearch,
    Boards,
    count_many,
    solve_many,
    true_candidates,
)
from bddsudoku.engine.bitboard.search import SolutionTally

__all__ = [
    "PROBE_NODES",
    "BitboardSearch",
    "Boards",
    "SolutionTally",
    "count_many",
    "solve_many",
    "true_candidates",
]
