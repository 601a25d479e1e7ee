"""What an author asks: what does every hint contribute, and which one would settle the puzzle?

Additions come from one set: the number of solutions left when digit d is added in a cell *is* the
marginal of (cell, d), so one pass answers all of them. Removals are other puzzles; each is one
exact count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle, cell_name
from bddsudoku.solutions.protocol import SolutionFamily
from bddsudoku.solver.engines import Limits, Progress
from bddsudoku.solver.solving import counted, solve_subject
from bddsudoku.solver.subject import Subject

__all__ = ["addition_answers", "hint_answers", "removal_answers"]


def hint_answers(
    subject: Subject,
    *,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Removals and additions together.

    Args:
        subject: a puzzle or a saved set.
        max_memory: bytes.
        time_limit: seconds for each count, and for the set.
        progress: called with (hints done, hints).

    Raises:
        LimitReached: a limit ended the making of the set.
    """
    solved = solve_subject(subject, max_memory=max_memory, time_limit=time_limit)
    found = solved.solutions
    removals = removal_answers(
        subject.puzzle,
        found.count(),
        lambda wider: counted(wider, limits=Limits(max_memory, time_limit)).count,
        progress=progress,
    )
    return removals | addition_answers(subject.puzzle, found)


def removal_answers(
    puzzle: Puzzle,
    total: int,
    count: Callable[[Puzzle], int],
    *,
    progress: Callable[[float, float], None] | None = None,
) -> dict[str, Any]:
    """The number of solutions without each hint.

    Args:
        puzzle: the puzzle.
        total: its number of solutions.
        count: counts a puzzle exactly; may raise LimitReached, then that hint's answer is None.
        progress: called after every hint.

    Returns:
        ``without``: a list of {cell, digit, count (decimal string or None), redundant};
        ``redundant``: number of hints whose removal changes nothing; ``minimal``: True when none
        is redundant, None when a limit left that open.
    """
    rows: list[dict[str, Any]] = []
    for i, (cell, digit) in enumerate(puzzle.hints.items()):
        try:
            wider = count(puzzle.without(cell))
        except LimitReached:
            wider = None
        rows.append(
            {
                "cell": cell_name(cell, puzzle.n),
                "digit": digit,
                "count": None if wider is None else str(wider),
                "redundant": None if wider is None else wider == total,
            }
        )
        if progress is not None:
            progress(i + 1, puzzle.hint_count)
    known = [row["redundant"] for row in rows]
    minimal = False if True in known else None if None in known else True
    return {"without": rows, "redundant": known.count(True), "minimal": minimal}


def addition_answers(puzzle: Puzzle, solutions: SolutionFamily) -> dict[str, Any]:
    """What every further hint would leave, all from one set.

    Returns:
        ``count``; ``marginals``: n × n × n decimal strings, the number of solutions left if that
        digit were added in that cell; ``unique``: the additions that leave exactly one (empty when
        the puzzle is unique already); ``dead``: candidates that the hints leave but no solution
        has; ``always_equal`` and ``always_different``: pairs of open cells, the latter without the
        pairs that share a house; both None where the set does not tell them cheaply.
    """
    n = puzzle.n
    counts = solutions.marginals()
    total = solutions.count()
    unique = []
    if total > 1:
        ones = np.argwhere(counts == 1).tolist()
        unique = [{"cell": cell_name(r * n + c, n), "digit": d + 1} for r, c, d in ones]
    dead = []
    for variable in allocate(puzzle, Allocation.CANDIDATES).variables:
        cell, d = divmod(variable.key, n)
        if not counts[cell // n, cell % n, d]:
            dead.append({"cell": cell_name(cell, n), "digit": d + 1})
    answers: dict[str, Any] = {
        "count": str(total),
        "marginals": [[[str(k) for k in cell] for cell in row] for row in counts.tolist()],
        "unique": unique,
        "dead": dead,
        "always_equal": None,
        "always_different": None,
    }
    return answers | _pairs(puzzle, solutions, total)


def _pairs(puzzle: Puzzle, solutions: Any, total: int) -> dict[str, Any]:
    """Pairs of open cells that always, or never, hold the same digit; settled cells left out."""
    if not total or not hasattr(solutions, "always_equal"):
        return {}
    backbone = solutions.backbone().reshape(-1)
    houses = puzzle.layout.houses_of

    def told(a: int, b: int) -> bool:
        return not (backbone[a] or backbone[b] or any(h in houses[b] for h in houses[a]))

    n = puzzle.n
    return {
        name: [
            [cell_name(a, n), cell_name(b, n)]
            for a, b in sorted((int(a), int(b)) for a, b in pairs)
            if told(a, b)
        ]
        for name, pairs in (
            ("always_equal", solutions.always_equal()),
            ("always_different", solutions.always_different()),
        )
    }
