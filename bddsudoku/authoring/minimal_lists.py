"""Which hints are enough, of one puzzle after the other, shared out among workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from bddsudoku.authoring.minimal import minimal_subsets
from bddsudoku.authoring.minimal_answers import subset_answers
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.batch import far_values

if TYPE_CHECKING:
    from bddsudoku.work import Client, Home, Journal, Runner


def subset_answers_many(
    puzzles: Iterable[Puzzle],
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
) -> Iterator[dict[str, Any]]:
    """:func:`.minimal_answers.subset_answers` of every puzzle, in their order.

    Args:
        puzzles: of any layout, with any rules.
        jobs: processes of this machine.
        client: a ``distributed.Client``; goes before ``jobs``.
        journal: keeps what is done (:class:`bddsudoku.work.Journal`).

    Raises:
        LimitReached: a limit ended it, or the cluster is gone; what came before was yielded.
    """
    found = far_values(
        f"{__name__}:subset_chunk", puzzles, client, context, jobs=jobs, journal=journal
    )
    return (cast("dict[str, Any]", answers) for answers in found)


def subset_chunk(puzzle: Puzzle, home: Home) -> dict[str, Any]:
    """The answers of one puzzle."""
    return subset_answers(minimal_subsets(puzzle, home.context.silent))
