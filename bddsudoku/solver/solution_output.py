"""Writing the solutions of puzzles to a file or to standard output, as a stream.

A set of which all solutions are written is compiled to a diagram if it fits; otherwise a search
enumerates them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import compress, count, islice, pairwise, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.engine.board_lists import solve_boards
from bddsudoku.engine.calibration import MAX_UNRANKED, SEARCH_SOLUTIONS
from bddsudoku.engine.portfolio import choose_diagram_to_list
from bddsudoku.engine.protocol import choose_listing_engine
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.file_io import open_atomic
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.listedset import ListedSet, SearchedSet
from bddsudoku.sets.solution_writer import FORMATS, SolutionWriter, form_of_file
from bddsudoku.solver.dispatch import solve_detailed
from bddsudoku.solver.puzzle_lists import adaptive_ranges
from bddsudoku.solver.question import SolveResult

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64, U8, Flags
    from bddsudoku.puzzle.sudoku.text.board_lists import ClassicBoardChunk


def listable_set(
    record: PuzzleRecord,
    order: str = "auto",
    context: Context = UNLIMITED,
    limit: int | None = None,
) -> SolveResult:
    """The solution set of a puzzle in a form that enumerates ``limit`` solutions fast.

    A named ``order`` requires a diagram.
    """
    searched = limit if limit is not None and limit <= SEARCH_SOLUTIONS else None
    result = solve_detailed(record, order=order, context=context.without_progress, limit=searched)
    number = result.solutions.count()
    wanted = number if limit is None else min(number, limit)
    listed = record.saved is not None or isinstance(result.solutions, SearchedSet)
    if listed or result.cost is not None or wanted <= MAX_UNRANKED:
        return result
    model = allocate(record.puzzle)
    choice = choose_diagram_to_list(model, number, wanted, context)
    if choice is not None:
        try:
            made = solve_detailed(record, choice.engine, choice.order, context.without_progress)
        except LimitReached as stop:
            if stop.limit == "time":
                raise
        else:
            return replace(made, why=choice.why)
    searcher = choose_listing_engine(model)

    def search(limit: int) -> Iterator[I64]:
        return searcher.solutions(model, context, limit=min(limit, sys.maxsize))

    found = SearchedSet(number, search, SudokuDecoder(record.puzzle))
    return SolveResult(
        found, searcher.name, "the search lists them without a diagram", result.seconds
    )


_BATCH_ROWS = 4096


def sample_solutions(solutions: Any, number: int, seed: int | None) -> Iterator[Any]:
    """Yield uniform random solutions, with replacement.

    The same seed draws the same solutions; None draws others every time.
    """
    rng = np.random.default_rng(seed)
    for begin in range(0, number, _BATCH_ROWS):
        yield from solutions.sample(min(_BATCH_ROWS, number - begin), rng)


@check_types
def write_solutions(
    found: Iterable[PuzzleRecord | ClassicBoardChunk],
    output: str | Path | None,
    form: str | None = None,
    *,
    limit: int | None = None,
    order: str = "auto",
    context: Context = UNLIMITED,
    unsolvable: Callable[[Puzzle], None] = lambda _: None,
    **limits: Unpack[Limits],
) -> int:
    """Write the solutions of puzzles to a file or standard output; return how many.

    Solutions of a set without a diagram come in the order of a search.

    Args:
        found: puzzles, saved sets, and lists of boards (for npy none).
        output: a path, which appears when it is complete, or None for standard output.
        form: ``line``, ``grid`` (with borders), ``csv`` (a header, one column a cell), ``npy``
            (uint8, shape (solutions, cells); one puzzle only), ``parquet`` (the table of ``csv``)
            or ``json`` (an object a line); by default what the path's ending names, or ``line``.
        limit: maximum number of solutions of each puzzle.
        order: cell order of the diagrams.
        unsolvable: called with those boards of lists that have no solution.

    Returns:
        Number of solutions written.

    Raises:
        PuzzleFormatError: several puzzles, but npy holds one array; boards of several sizes in
            one table; or no puzzle for a table.
        ValueError: the path has the ending of another form.
        BackendUnavailable: Parquet without pyarrow.
        LimitReached: a limit ended the computation of a set; earlier solutions are on standard
            output, and no file is made.
        OSError: the output cannot be written.
    """
    context = limited(context, **limits)
    form = form_of_file(output, form, "line")
    if form == "npy":
        found = _require_single_puzzle(found)
    written, columns = 0, None
    writer = SolutionWriter(form) if form in FORMATS else None
    with (
        nullcontext(sys.stdout.buffer) if output is None else open_atomic(output) as file,
        nullcontext() if output is not None or writer is None else _note_if_cut_off(writer),
    ):
        for part in _solve_board_chunks(found, limit, context):
            record = part.boards[0] if isinstance(part, _SolvedBoards) else part
            cells = len(record.puzzle.cells)
            if form in ("csv", "parquet") and columns not in (None, cells):
                raise PuzzleFormatError(
                    f"expected a board of {columns} cells as before (the file is one table), "
                    f"found {record.puzzle.layout}",
                    source=record.source,
                    line=record.line,
                )
            solutions, about = _solutions_to_write(part, order, context, limit)
            total = solutions.count()
            if limit is not None and part is record:
                total = min(limit, total)
            if columns is None and writer is not None:
                file.write(writer.begin(solutions, total))
            columns = cells
            if isinstance(part, _SolvedBoards):
                for i in np.flatnonzero(~part.solvable).tolist():
                    unsolvable(part.boards.puzzle(i))
            done = 0
            for size, chunk in (
                _format_as_grids_or_json(solutions, about, form, total)
                if writer is None
                else writer.batches(solutions, total)
            ):
                file.write(chunk)
                done += size
                if part is record:
                    context.report_progress(done, total)
            written += done
            file.flush()
        if columns is None and form in ("csv", "npy", "parquet"):
            raise PuzzleFormatError("no puzzle was read, so that no table is written")
        if writer is not None:
            file.write(writer.end())
            file.flush()
    return written


@contextmanager
def _note_if_cut_off(writer: SolutionWriter) -> Iterator[None]:
    """In a with block, add a note to an error that leaves a binary stream incomplete."""
    try:
        yield
    except BaseException as error:
        if (note := writer.cut_off_note) is not None:
            error.add_note(note)
        raise


def _require_single_puzzle(
    puzzles: Iterable[PuzzleRecord | ClassicBoardChunk],
) -> Iterable[PuzzleRecord]:
    """Return the only puzzle, if any; raise an error if there are several."""
    first = cast("list[PuzzleRecord]", list(islice(puzzles, 2)))
    if len(first) > 1:
        raise PuzzleFormatError(
            "expected one puzzle (npy holds one array), found several",
            source=first[1].source,
            line=first[1].line,
        )
    return first


class _SolvedBoards(NamedTuple):
    """Consecutive boards of a list that have one solution or none, with their solutions.

    Attributes:
        boards: the boards.
        solvable: bool, (n,): which boards have a solution.
        solutions: uint8, (n, 81).
    """

    boards: ClassicBoardChunk
    solvable: Flags
    solutions: U8


def _solve_board_chunks(
    puzzles: Iterable[PuzzleRecord | ClassicBoardChunk], limit: int | None, context: Context
) -> Iterator[PuzzleRecord | _SolvedBoards]:
    """Solve boards of lists that have at most one solution; yield all others in order, unsolved."""
    for group in puzzles:
        if isinstance(group, PuzzleRecord):
            yield group
            continue
        if limit == 0:
            yield from group
            continue
        for begin, end in adaptive_ranges(len(group)):
            tally = solve_boards(group.boards[begin:end], context)
            unsettled = ~tally.exact | (tally.counts > 1)
            cuts = [0, *(np.flatnonzero(np.diff(unsettled)) + 1).tolist(), end - begin]
            for first, last in pairwise(cuts):
                some = group.slice(begin + first, begin + last)
                if unsettled[first]:
                    yield from some
                else:
                    solvable = tally.counts[first:last] == 1
                    yield _SolvedBoards(some, solvable, tally.solutions[first:last])


PuzzleInfo = tuple[Layout, Iterable[str], Iterable[int]]
"""The layout of some solutions, and for each of them the line of its puzzle and its rank."""


def _solutions_to_write(
    part: PuzzleRecord | _SolvedBoards, order: str, context: Context, limit: int | None
) -> tuple[Any, PuzzleInfo]:
    """The solutions to write, their layout, and for each its puzzle as a line and its rank."""
    if isinstance(part, _SolvedBoards):
        lines = compress(part.boards.texts, part.solvable)
        return ListedSet(part.solutions[part.solvable]), (Layout(), lines, repeat(0))
    about = part.puzzle.layout, repeat(part.puzzle.line), count()
    return listable_set(part, order, context, limit).solutions, about


def _format_as_grids_or_json(
    solutions: Any, puzzle_info: PuzzleInfo, form: str, number: int
) -> Iterator[tuple[int, Any]]:
    """Format solutions as grids or JSON; yield batches as pairs (number of solutions, bytes)."""
    layout, lines, ranks = puzzle_info
    for rows in solutions.batches(_BATCH_ROWS, 0, number):
        grids = (Puzzle(row, layout) for row in rows.tolist())
        texts = (f"{grid}\n\n" for grid in grids)
        if form == "json":
            texts = (
                json.dumps({"puzzle": line, "rank": str(rank), "solution": grid.line}) + "\n"
                for grid, line, rank in zip(grids, lines, ranks, strict=False)
            )
        yield len(rows), "".join(texts).encode()
