"""Solutions of one puzzle after another to a file or to standard output, streaming.

A set to be written out from end to end: on a diagram where one fits, else from a search.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context, Progress
from bddsudoku.engine.protocol import Compiles, Lists, engines_for, searcher_for
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.files import writing
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.sets.base import FORMATS, npy_header
from bddsudoku.sets.listedset import SearchedSet
from bddsudoku.solver.ask import solve_subject
from bddsudoku.solver.question import Solved
from bddsudoku.solver.source import Subject

if TYPE_CHECKING:
    from bddsudoku.solver.lists import Boards, Settled

FEW = 1_000
"""Solutions that are unranked one by one without ado."""
HEAD = 1_000_000
"""Up to so many of more solutions are searched for rather than taken from a large diagram."""
MANY = 10**10
"""Beyond so many solutions no diagram is thought of."""
ROOM = 8 << 30
"""Bytes of a diagram that is thought of without a memory limit. What is free just now would change
the order of the list; where a diagram does not fit after all, a search lists the solutions."""
BYTES_A_STATE = 60
"""Memory of a diagram under construction, for each predicted state (upper end of what was seen)."""


def searched(puzzle: Puzzle, number: int, searcher: Lists, context: Context) -> SearchedSet:
    """The solutions of a puzzle as a search finds them, in its order.

    Args:
        puzzle: of any layout.
        number: how many solutions it has.
        searcher: who lists them.
        context: the time includes what is done with the rows.
    """

    def search(limit: int) -> Iterator[NDArray[np.int64]]:
        return searcher.solutions(allocate(puzzle), context, limit=min(limit, sys.maxsize))

    return SearchedSet(number, search, SudokuDecoder(puzzle))


def listing(
    subject: Subject, order: str = "auto", context: Context = UNLIMITED, limit: int | None = None
) -> Solved:
    """The set of a puzzle, held in a way in which it can be listed.

    Args:
        subject: a puzzle or a saved set.
        order: of the diagram; one that is named wants a diagram.
        limit: how many solutions will be asked for, from the first; None for all.

    Raises:
        LimitReached: a limit ended the making of the set.
    """
    held = solve_subject(subject, order=order, context=context.silent)
    number = held.solutions.count()
    wanted = number if limit is None else min(number, limit)
    if held.cost is not None or wanted <= FEW or subject.saved is not None:
        return held
    model = allocate(subject.puzzle)
    if number <= MANY and (wanted == number or wanted > HEAD):
        compiler = engines_for(model, Compiles)[0]
        forecast = compiler.diagram_forecast(model, context)
        room = ROOM if context.memory is None else context.memory
        if forecast is not None and forecast.states * BYTES_A_STATE <= room:
            try:
                made = solve_subject(subject, compiler.name, forecast.order, context.silent)
            except LimitReached as stop:
                if stop.limit == "time":
                    raise
            else:
                why = f"{number:,} solutions, predicted {forecast.states:,.0f} states"
                return replace(made, why=why)
    searcher = searcher_for(model)
    found = searched(subject.puzzle, number, searcher, context)
    return Solved(found, searcher.name, "the search lists them without a diagram", held.seconds)


_BATCH = 4096


def draws(solutions: Any, number: int, seed: int | None) -> Iterator[Any]:
    """Uniform random solutions one after the other; only a batch of them is held.

    Args:
        solutions: a set that can be sampled.
        number: how many, with replacement.
        seed: the same seed draws the same solutions; None draws others every time.
    """
    rng = np.random.default_rng(seed)
    for begin in range(0, number, _BATCH):
        yield from solutions.sample(min(_BATCH, number - begin), rng)


def write_solutions(
    subjects: Iterable[Subject | Boards],
    output: str | Path | None,
    form: str = "line",
    *,
    limit: int | None = None,
    order: str = "auto",
    context: Context = UNLIMITED,
    unsolvable: Callable[[Puzzle], None] = lambda _: None,
) -> int:
    """Write the solutions of puzzles, in each set's own order.

    Where a set fits on no diagram its solutions come as a search finds them.

    Args:
        subjects: puzzles, saved sets, and lists of boards (for npy none).
        output: a path, which appears when everything is written, or None for standard output.
        form: ``line``, ``grid`` (with borders), ``csv`` (a header, one column a cell), ``npy``
            (uint8, shape (solutions, cells); one puzzle only) or ``json`` (an object a line).
        limit: at most so many solutions of each puzzle.
        order: cell order of the diagrams.
        unsolvable: called with those boards of lists that have no solution.

    Returns:
        Number of solutions written.

    Raises:
        PuzzleFormatError: several puzzles, but npy holds one array; or boards of several sizes
            in one CSV table.
        LimitReached: a limit ended the making of a set; what came before stands on standard
            output, and no file is made.
        OSError: the output cannot be written.
    """
    subjects = iter(subjects)
    if form == "npy":
        subjects = _the_only_one(subjects)  # type: ignore[arg-type]
    written = 0
    columns: int | None = None
    with nullcontext(sys.stdout.buffer) if output is None else writing(output) as file:
        for found in subjects:
            for subject in _parts(found, limit, context, unsolvable):
                first = columns is None
                size = len(subject.puzzle.cells)
                if not first and form == "csv" and columns != size:
                    raise PuzzleFormatError(
                        f"expected a board of {columns} cells as before (CSV is one table), "
                        f"found {subject.puzzle.layout}",
                        source=subject.source,
                        line=subject.line,
                    )
                columns = size
                if isinstance(subject, Subject):
                    solved = listing(subject, order, context, limit)
                    written += _write_one(
                        file, subject.puzzle, solved, form, limit, context.progress, head=first
                    )
                else:
                    if first:
                        file.write(_head(form, subject.puzzle, 0))
                    file.write(_settled_text(subject, form))
                    written += len(subject.solutions)
                file.flush()
    return written


def _parts(
    found: Subject | Boards,
    limit: int | None,
    context: Context,
    unsolvable: Callable[[Puzzle], None],
) -> Iterable[Subject | Settled]:
    if isinstance(found, Subject):
        return (found,)
    if limit == 0:
        return map(found.subject, range(len(found)))
    from bddsudoku.solver.lists import settled

    return settled(found, context, unsolvable)


def _settled_text(boards: Settled, form: str) -> bytes:
    """The only solutions of boards, whatever the order of their diagrams."""
    rows = boards.solutions
    if form in ("line", "csv"):
        between = "" if form == "line" else ","
        text = np.full((len(rows), 81, 1 + len(between)), ord(","), dtype=np.uint8)
        text[:, :, 0] = rows + ord("0")
        if form == "csv":
            text[:, -1, 1] = ord("\n")
            return text.tobytes()
        ends = np.full((len(rows), 1), ord("\n"), dtype=np.uint8)
        return np.concatenate([text[:, :, 0], ends], axis=1).tobytes()
    grids = (Puzzle(row, Layout()) for row in rows.tolist())
    if form == "grid":
        return "".join(f"{grid}\n\n" for grid in grids).encode()
    records = (
        {"puzzle": text, "rank": "0", "solution": grid.line}
        for text, grid in zip(boards.texts, grids, strict=True)
    )
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def _write_one(
    file: BinaryIO,
    puzzle: Puzzle,
    solved: Solved,
    form: str,
    limit: int | None,
    progress: Progress | None,
    *,
    head: bool,
) -> int:
    total = solved.solutions.count()
    wanted = total if limit is None else min(limit, total)
    if head:
        file.write(_head(form, puzzle, wanted))
    done = 0
    try:
        for rows, chunk in _chunks(puzzle, solved, form, wanted):
            file.write(chunk)
            done += rows
            if progress is not None:
                progress(done, wanted)
    except BaseException as error:
        if form == "npy" and done:  # it has no lines to count, and its header promises more
            error.add_note(f"at most {done:,} of {wanted:,} rows were written")
        raise
    return done


def _the_only_one(subjects: Iterator[Subject]) -> Iterator[Subject]:
    """Refuse a second puzzle before anything is written: npy holds one array."""
    first = list(islice(subjects, 2))
    if len(first) > 1:
        raise PuzzleFormatError(
            "expected one puzzle (npy holds one array), found several",
            source=first[1].source,
            line=first[1].line,
        )
    return iter(first)


def _head(form: str, puzzle: Puzzle, wanted: int) -> bytes:
    n = puzzle.n
    if form == "npy":
        return npy_header(wanted, n * n)
    if form == "csv":
        names = (f"r{r + 1}c{c + 1}" for r in range(n) for c in range(n))
        return (",".join(names) + "\n").encode()
    return b""


def _chunks(puzzle: Puzzle, solved: Solved, form: str, wanted: int) -> Iterator[tuple[int, Any]]:
    """(how many solutions, their bytes), in order."""
    found = solved.solutions
    if form in FORMATS:
        yield from found.chunks(form, 0, wanted)
        return
    index = 0
    for rows in found.batches(_BATCH, 0, wanted):
        texts = []
        for row in rows:
            grid = Puzzle(row.tolist(), puzzle.layout)
            if form == "grid":
                texts.append(f"{grid}\n\n")
            else:
                record = {"puzzle": puzzle.line, "rank": str(index), "solution": grid.line}
                texts.append(json.dumps(record) + "\n")
            index += 1
        yield len(rows), "".join(texts).encode()
