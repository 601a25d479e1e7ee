"""Lists asked about on workers, chunk by chunk; answers come back in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from bddsudoku.context import UNLIMITED, Context

if TYPE_CHECKING:
    from bddsudoku.solver.subject import Subject
    from bddsudoku.work import Client, Journal, Runner

_GROWTH = 8


def part_size(before: int, most: int) -> int:
    """Puzzles of the next part of a list: an eighth of those before it, at least one.

    A part that is under way when the work is stopped is lost. So each is short beside what is done
    by then, however long the puzzles take; and the same list is always cut at the same places.

    Args:
        before: puzzles in the parts before.
        most: of a part.
    """
    return max(1, min(most, before // _GROWTH))


def far_values(
    function: str,
    arguments: Iterable[object],
    client: Client | Runner | None,
    context: Context = UNLIMITED,
    *,
    jobs: int | None = None,
    journal: Journal | None = None,
) -> Iterator[object]:
    """The values of a function for one argument after the other; see :mod:`bddsudoku.work`.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone.
        Exception: whatever the function raises.
    """
    from bddsudoku.work import Task, values

    memory = None if context is None else context.memory
    tasks = (Task(function, argument, memory) for argument in arguments)
    return values(tasks, jobs, client, context=context, journal=journal)


def answers_each(
    function: str,
    subjects: Iterable[Subject],
    size: int,
    jobs: int | None = None,
    client: Client | Runner | None = None,
    *,
    context: Context = UNLIMITED,
    journal: Journal | None = None,
) -> Iterator[tuple[Subject, dict[str, Any]]]:
    """Puzzles, each with the answers that workers give.

    Args:
        function: ``"module:function"``; gives a list of answers for a list of subjects.
        subjects: the puzzles.
        size: so many of them at most are sent together.
        jobs: processes of this machine.
        client: a ``distributed.Client``.
        journal: keeps what is done.

    Raises:
        LimitReached: a limit ended it, or the cluster is gone; what came before was yielded.
    """
    sent: list[list[Subject]] = []

    def chunks() -> Iterator[list[Subject]]:
        source, before = iter(subjects), 0
        while chunk := list(islice(source, part_size(before, size))):
            before += len(chunk)
            sent.append(chunk)
            yield chunk

    found = far_values(function, chunks(), client, context, jobs=jobs, journal=journal)
    for value in found:
        answers = cast("list[dict[str, Any]]", value)
        yield from zip(sent.pop(0), answers, strict=True)
