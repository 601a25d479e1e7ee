"""How many solutions, and in how many of them every digit stands: here, or shared out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bddsudoku.context import Context, Progress
from bddsudoku.errors import BddSudokuError
from bddsudoku.model.model import Model
from bddsudoku.solver.question import Askable
from bddsudoku.solver.solving import counted, solve_subject
from bddsudoku.solver.subject import Subject

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.work import Client, Journal, Runner


def count(
    asked: Puzzle | Askable | Model,
    engine: str = "auto",
    *,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
) -> int:
    """The exact number of solutions, as an int of any size.

    Args:
        asked: a puzzle of any layout (contradictory hints give 0), an exact cover, a tiling, …
        engine: ``auto`` takes the cheapest by prediction.
        jobs: processes of this machine among which the work is shared out; by default it is done
            here, on as many threads as the engine likes.
        client: a ``distributed.Client`` whose workers do it; goes before ``jobs``.
        max_memory: bytes; of each worker where the work is shared out.
        time_limit: seconds, for everything.
        progress: called with (done, total).
        journal: keeps what parts have told, where the work is shared out.

    Raises:
        LimitReached: a limit ended the count, or the cluster is gone.
        BddSudokuError: an engine was named, and the work is to be shared out.
    """
    context = Context(max_memory, time_limit)
    if not _is_shared(jobs, client, journal):
        return counted(asked, engine, context.reporting(progress)).count
    if engine != "auto":
        raise BddSudokuError(f"parts choose engines of their own: {engine!r} cannot be named")
    from bddsudoku.solver.splitting import counted_in_parts

    found = counted_in_parts(
        asked, jobs=jobs, client=client, context=context.reporting(progress), journal=journal
    )
    return found.count


def marginals(
    puzzle: Puzzle,
    *,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    journal: Journal | None = None,
) -> NDArray[Any]:
    """In how many solutions every digit stands in every cell.

    Args:
        puzzle: of any layout, with any rules.
        jobs, client, max_memory, time_limit, progress, journal: as for :func:`count`.

    Returns:
        (n, n, n): [row, column, digit - 1]; Python ints where 64 bits do not hold them.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone.
    """
    context = Context(max_memory, time_limit)
    found: NDArray[Any]
    if not _is_shared(jobs, client, journal):
        found = solve_subject(Subject(puzzle), context=context.silent).solutions.marginals()
        return found
    from bddsudoku.solver.splitting import marginals_in_parts

    return marginals_in_parts(
        puzzle, jobs=jobs, client=client, context=context.reporting(progress), journal=journal
    )


def _is_shared(jobs: int | None, client: object, journal: object) -> bool:
    return client is not None or journal is not None or (jobs or 1) > 1
