"""What an author asks: what does every hint contribute, and which one would settle the puzzle?

Additions come from one set: the number of solutions left when digit d is added in a cell *is* the
marginal of (cell, d), so one pass answers all of them. Removals are other puzzles
(:mod:`bddsudoku.solver.removals`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import cell_name
from bddsudoku.sets.base import SolutionFamily
from bddsudoku.solver.far import answers_each
from bddsudoku.solver.few import Few, few_solutions
from bddsudoku.solver.next_hints import next_answers
from bddsudoku.solver.pairs import pair_answers
from bddsudoku.solver.removals import Searched, removal_answers, search_removals
from bddsudoku.solver.solving import counted, solve_subject
from bddsudoku.solver.subject import Subject

if TYPE_CHECKING:
    from bddsudoku.solver.lists import Boards
    from bddsudoku.work import Client, Home, Journal, Runner

CHUNK = 64
"""Puzzles at most that are sent to a worker together: a second or so of those with 17 hints."""


def hint_answers(
    subject: Subject, context: Context = UNLIMITED, searched: Searched | None = None
) -> dict[str, Any]:
    """Removals and additions together.

    Args:
        subject: a puzzle or a saved set.
        searched: what is known of the removals.

    Raises:
        LimitReached: a limit ended the making of the set.
    """
    context.check()
    few = few_solutions(subject.puzzle) if subject.saved is None else None
    solutions = few or solve_subject(subject, context=context.silent).solutions
    return answers_from(subject, solutions, context, searched)


def hint_answers_many(
    puzzles: Iterable[Puzzle],
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
) -> Iterator[dict[str, Any]]:
    """:func:`hint_answers` of one puzzle after the other, shared out among workers.

    Args:
        puzzles: of any size, with any rules.
        jobs: processes of this machine.
        client: a ``distributed.Client``; goes before ``jobs``.
        journal: keeps what is done (:class:`bddsudoku.work.Journal`).

    Raises:
        LimitReached: a limit ended it, or the cluster is gone; what came before was yielded.
    """
    found = answers_each(
        f"{__name__}:hint_chunk",
        map(Subject, puzzles),
        CHUNK,
        jobs,
        client,
        context=context,
        journal=journal,
    )
    return (answers for _, answers in found)


def hint_chunk(subjects: list[Subject], home: Home) -> list[dict[str, Any]]:
    """The answers of a chunk, the removals of its boards searched together."""
    known = search_removals([subject.puzzle for subject in subjects], home.context)
    return [
        hint_answers(subject, home.context.silent, searched=searched)
        for subject, searched in zip(subjects, known, strict=True)
    ]


def hint_answers_each(
    boards: Boards, context: Context = UNLIMITED
) -> Iterator[tuple[Subject, dict[str, Any]]]:
    """The boards of a list and :func:`hint_answers`, the removals of many searched together.

    Args:
        boards: of a list.

    Raises:
        LimitReached: a limit ended the making of a set; what came before was yielded.
    """
    from bddsudoku.solver.lists import portions

    for begin, end in portions(len(boards), 16):
        group = [boards.subject(i) for i in range(begin, end)]
        try:
            known = search_removals([subject.puzzle for subject in group], context)
        except LimitReached:
            known = [None] * len(group)
        for i, (subject, searched) in enumerate(zip(group, known, strict=True), begin + 1):
            yield subject, hint_answers(subject, context.silent, searched=searched)
            if context.progress is not None:
                context.progress(i, len(boards))


def answers_from(
    subject: Subject,
    solutions: SolutionFamily | Few,
    context: Context = UNLIMITED,
    searched: Searched | None = None,
) -> dict[str, Any]:
    """:func:`hint_answers` where the set is there already.

    Args:
        subject: the puzzle or saved set.
        solutions: its set.
        searched: what is known of the removals.

    Returns:
        The keys of :func:`.removals.removal_answers` and of :func:`addition_answers`. A saved set
        may hold fewer solutions than its hints allow; removals then speak about the hints.
    """
    if subject.saved is None:
        total = solutions.count()
    else:
        total = counted(subject.puzzle, context=context.silent).count
    removals = removal_answers(subject.puzzle, total, context, searched=searched)
    return removals | addition_answers(subject.puzzle, solutions)


def addition_answers(puzzle: Puzzle, solutions: SolutionFamily | Few) -> dict[str, Any]:
    """What every further hint would leave, all from one set.

    Returns:
        ``count``; ``marginals``: n × n × n decimal strings, the number of solutions left if that
        digit were added in that cell; ``unique``: the additions that leave exactly one (empty when
        the puzzle is unique already); ``dead``: candidates that the hints leave but no solution
        has; and the keys of :func:`.next_hints.next_answers` and :func:`.pairs.pair_answers`.
    """
    n = puzzle.n
    counts = solutions.marginals()
    total = solutions.count()
    unique = []
    if total > 1:
        ones = np.argwhere(counts == 1).tolist()
        unique = [{"cell": cell_name(r * n + c, n), "digit": d + 1} for r, c, d in ones]
    answers: dict[str, Any] = {
        "count": str(total),
        "marginals": [[[str(k) for k in cell] for cell in row] for row in counts.tolist()],
        "unique": unique,
        "dead": dead_candidates(puzzle, solutions),
    }
    return answers | next_answers(puzzle, solutions) | pair_answers(puzzle, solutions)


def dead_candidates(puzzle: Puzzle, solutions: SolutionFamily | Few) -> list[dict[str, Any]]:
    """Candidates that the hints leave, and no solution has: {cell, digit}."""
    n, counts = puzzle.n, solutions.marginals()
    places = (divmod(v.key, n) for v in allocate(puzzle, Allocation.CANDIDATES).variables)
    return [
        {"cell": cell_name(cell, n), "digit": d + 1}
        for cell, d in places
        if not counts[cell // n, cell % n, d]
    ]
