"""``bddsudoku count``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from json import dumps
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.answers import count_record, count_text, limit_record, tell_count
from bddsudoku.cli.common import AT_MOST, note, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    clash_lines,
    head,
    jobs_option,
    puzzle_argument,
    said,
    tell_clashes,
)
from bddsudoku.cli.spread import (
    Answer,
    Question,
    Workers,
    answer_line,
    each_subject,
    print_answers,
    work_options,
)
from bddsudoku.errors import LimitReached
from bddsudoku.solver import engine_names

if TYPE_CHECKING:
    from bddsudoku.context import Context, Progress
    from bddsudoku.solver import Counted, Subject
    from bddsudoku.solver.lists import Boards
    from bddsudoku.work import Home

CHUNK = 4096
"""Puzzles at most that a worker counts at a time."""


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    type=click.Choice(("auto", *engine_names())),
    default="auto",
    show_default=True,
    help="Who counts; auto takes the cheapest by prediction and says why.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Say for every puzzle which engine and why; of an error, the traceback, too.",
)
@click.option(
    "--limit",
    type=AT_MOST,
    help="Count no further than this; shown as “2 or more” where that many were found.",
)
@jobs_option
@work_options(jobs=False, verbose=False)
@about_puzzles()
def count(
    given: Given,
    engine: str,
    verbose: bool,
    limit: int | None,
    jobs: int | None,
    workers: Workers,
) -> None:
    """Print the exact number of solutions; one line for every puzzle of a file.

    A count stopped by a limit of time or memory is shown as ×, and the exit code is 3; the other
    puzzles are counted all the same, unless the time for all of them is used up. Files of many
    ordinary 9x9 puzzles, one a line, are counted by the thousand. On a cluster long lists are
    shared out, and so is the work of one hard puzzle.
    """
    from bddsudoku.solver.batch import NODES
    from bddsudoku.solver.lists import Boards, counted_boards

    if limit is not None and engine not in ("auto", "quick"):
        raise click.UsageError("--limit goes with --engine auto")
    if workers.asked:
        _shared_out(given, engine, verbose, limit, workers)
        return
    listed = engine in ("auto", "quick") and not verbose
    stopped = False
    with progress_bar("counting", unit="puzzle") as told:
        done = 0
        for found in given.groups() if listed else given.subjects():
            if isinstance(found, Boards):
                counting = partial(
                    counted_boards,
                    found,
                    limit,
                    jobs,
                    given.context.reporting(partial(_beyond, told, done)),
                    nodes=NODES if engine == "auto" else None,
                )
                ended = not _tell_boards(given, found, counting())
                done += len(found)
            else:
                ended = not _tell_one(given, found, engine, verbose, limit, first=not done)
                done += 1
            stopped = stopped or ended
            if ended and given.context.expired:
                break
    if stopped:
        raise SystemExit(EXIT_LIMIT)


def _shared_out(
    given: Given, engine: str, verbose: bool, limit: int | None, workers: Workers
) -> None:
    """One hard puzzle in parts, or a list in chunks."""
    from bddsudoku.solver import Subject
    from bddsudoku.solver.parts import counted_in_parts

    found = given.groups()
    first = list(islice(found, 2))
    subject = first[0] if len(first) == 1 else None
    plain = engine == "auto" and limit is None
    if isinstance(subject, Subject) and plain and subject.saved is None:
        puzzle = subject.puzzle
        question = {"count": said(puzzle)}
        with workers.kept(question) as journal, workers.runner(given.context) as runner:

            def counting(context: Context) -> Counted:
                return counted_in_parts(
                    puzzle,
                    client=runner,
                    context=context,
                    journal=journal,
                )

            answer = tell_count(given, head(subject), counting, given.context, "part")
            if answer is None:
                raise SystemExit(EXIT_LIMIT)
            if verbose and not given.as_json:
                note(_reason(answer))
        return
    told = {"engine": engine, "limit": limit, "verbose": verbose}
    print_answers(given, workers, f"{__name__}:counts_of", told, CHUNK, found=chain(first, found))


def counts_of(question: Question, home: Home) -> Answer:
    """What the command says of a chunk."""
    from bddsudoku.solver import count_subject
    from bddsudoku.solver.batch import NODES, count_up_to
    from bddsudoku.solver.lists import Boards, counted_boards

    options, chunk = question
    limit, engine = options["limit"], options["engine"]
    notes: list[str] = []
    out = []
    stopped: str | None = None
    verbose = options["verbose"]
    listed = engine in ("auto", "quick") and isinstance(chunk, Boards) and not verbose
    if isinstance(chunk, Boards) and listed:
        nodes = NODES if engine == "auto" else None
        answers = counted_boards(chunk, limit, None, home.context.silent, nodes=nodes)
    for subject in each_subject(chunk, []):
        try:
            if listed:
                answer = next(answers)
                if isinstance(answer, LimitReached):
                    raise answer
            elif limit is None:
                answer = count_subject(subject, engine, home.context.silent)
            else:
                answer = count_up_to(subject.puzzle, limit, home.context.silent)
        except LimitReached as stop:
            if stop.limit == "time":
                raise
            out.append(answer_line(options, head(subject) | limit_record(stop), "×"))
            notes.append(f"bddsudoku: {stop}")
            stopped = ""
            continue
        if listed and not answer.count:
            notes += clash_lines(subject.puzzle)
        if verbose and not options["json"]:
            notes.append(_reason(answer))
        out.append(answer_line(options, head(subject) | count_record(answer), count_text(answer)))
    return {"out": "".join(out), "notes": notes, "stopped": stopped}


def _beyond(told: Progress, before: int, done: float, of: float) -> None:
    """Progress within a list of unknown length."""
    told(before + done, before + of + 1)


def _tell_one(
    given: Given, subject: Subject, engine: str, verbose: bool, limit: int | None, *, first: bool
) -> bool:
    """Count one puzzle or saved set; whether it was counted."""
    from bddsudoku.solver import count_subject
    from bddsudoku.solver.batch import count_up_to

    if limit is None or subject.saved is not None:
        counting = partial(count_subject, subject, engine)
    else:
        counting = partial(count_up_to, subject.puzzle, limit)
    answer = tell_count(given, head(subject), counting, given.context)
    if answer is None:
        return False
    slow = first and engine == "auto" and answer.seconds > 0.5
    if not given.as_json and (verbose or slow):
        note(_reason(answer))
    return True


def _reason(answer: Counted) -> str:
    """Who counted, and why."""
    return f"{answer.engine}: {answer.why} ({answer.seconds:.2f} s)"


def _tell_boards(given: Given, boards: Boards, answers: Iterator[Counted | LimitReached]) -> bool:
    """Tell the counts of a list, some at a time as they come; whether all were counted."""
    heads = list(zip(boards.texts, boards.hints, strict=True)) if given.as_json else None
    lines: list[str] = []
    whole, done, told = True, 0, perf_counter()

    def add(answer: Counted | LimitReached) -> None:
        nonlocal whole, done
        if isinstance(answer, LimitReached):
            put("×", limit_record(answer))
            flush()
            note(f"bddsudoku: {answer}")
            whole = False
        else:
            if not answer.count:
                tell_clashes(boards.puzzle(done))
            put(count_text(answer), {} if heads is None else count_record(answer))
        done += 1

    def put(text: str, record: dict[str, Any]) -> None:
        if heads is None:
            lines.append(text)
        else:
            puzzle, hints = heads[done]
            lines.append(dumps({"puzzle": puzzle, "hints": hints} | record, ensure_ascii=False))

    def flush() -> None:
        nonlocal told
        if lines:
            click.echo("\n".join(lines))
            lines.clear()
        told = perf_counter()

    try:
        for answer in answers:
            add(answer)
            if perf_counter() - told > 0.1:
                flush()
    except LimitReached as stop:
        add(stop)
    finally:
        flush()
    return whole
