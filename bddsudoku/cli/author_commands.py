"""Commands ``bddsudoku generate | unavoidable``: new puzzles, and unavoidable sets of a grid."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from secrets import randbits
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    command,
    emit_json,
    fail_if_limit_reached,
    print_note,
    puzzle_json_members,
    puzzle_text,
    read_lines,
)
from bddsudoku.cli.options import (
    ParsedType,
    choice_option,
    complete_file_names,
    file_option,
    first_option,
    is_set_by_user,
    keep_going_option,
    number_option,
    option_showing_default,
    save_set_option,
    scheduler_options,
    seed_option,
    threads_option,
)
from bddsudoku.errors import LimitReached, PuzzleFormatError

if TYPE_CHECKING:
    from bddsudoku.authoring import GeneratedPuzzle, PuzzleRequest
    from bddsudoku.context import Context
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.puzzle.sudoku.layout import Layout

_MOST_SOLUTIONS = 1_000_000
_MOST_REPEATED = 1_000
"""Puzzles in a row that are not new, before --distinct gives up."""
_SYMMETRY_NAMES = (
    "none", "rotate180", "rotate90", "left-right", "top-bottom", "diagonal", "antidiagonal",
    "mirrors", "diagonals", "full",
)  # fmt: skip


def _parse_range(text: str) -> tuple[int, int]:
    """Read a number of hints or a range of numbers, such as ``24`` or ``22-26``."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*(?:[-–]\s*(\d{1,6})\s*)?", text)
    if not found:
        raise ValueError(f"expected a number of hints or a range such as 24-28, found {text!r}")
    first, last = int(found[1]), int(found[2] or found[1])
    if first > last:
        raise ValueError(f"expected the smaller number first, found {text!r}")
    return first, last


def _parse_symmetry(name: str) -> str:
    """Check the name of a symmetry, and return it."""
    from bddsudoku.authoring.puzzle_request import require_symmetry

    require_symmetry(name)
    return name


@click.command()
@number_option
@option_showing_default(
    "--solutions", type=click.IntRange(1, _MOST_SOLUTIONS), default=1, help="Exactly so many."
)
@click.option(
    "--hints",
    type=ParsedType("H|A-B", _parse_range),
    help="So many, e.g. 24 or 28-32; by default as long as one can go, it goes.",
)
@file_option(
    "--pattern",
    metavar="FILE",
    help="File with n lines of n signs: hints stand where no . 0 - _ or blank is.",
)
@click.option("--inside", is_flag=True, help="Hints need not fill the pattern.")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Every puzzle on the pattern (the first, with -n), one of those that differ by a "
    "symmetry; none if it is proved that there is none.",
)
@click.option(
    "--distinct", is_flag=True, help="Of puzzles that differ by a symmetry only the first."
)
@option_showing_default(
    "--symmetry",
    type=ParsedType("NAME", _parse_symmetry),
    metavar=f"[{'|'.join(_SYMMETRY_NAMES)}]",
    shell_complete=lambda ctx, param, begun: [n for n in _SYMMETRY_NAMES if n.startswith(begun)],
    default="none",
    help="Of the cells with hints. left-right is mirrored in the vertical axis, top-bottom in the "
    "horizontal one, mirrors in both; diagonal runs from the top left, antidiagonal from the top "
    "right, diagonals are both; full: all of them.",
)
@file_option(
    "--rules",
    metavar="FILE",
    help="File with a rule a line (antiknight), or kinds to place on a solution (place 5 cage); "
    "regions and houses, too.",
)
@seed_option("The same seed gives the same puzzles, whatever -n and --jobs.")
@click.option(
    "--tries",
    type=click.IntRange(1, 10**9),
    help="Give up after so many in a row; by default 50000, 1000000 to fill a pattern, 200 where "
    "boards are not classic.",
)
@threads_option
@scheduler_options
@choice_option("--format", "form", choices=("line", "grid"), help="How puzzles are written.")
@command()
def generate(
    request: CommandRequest,
    number: int,
    seed: int | None,
    jobs: int | None,
    form: str,
    every: bool,
    distinct: bool,
    **wishes: Any,
) -> None:
    """Make puzzles with the wanted number of solutions by removing hints from random grids.

    9x9 grids, and those of up to 36 cells, are drawn exactly uniformly; others are the first that a
    search in shuffled order meets (in JSON: uniform is false). A second engine counts the solutions
    of every puzzle. What is not found in so many tries ends with exit code 3.
    """
    if request.as_json and form != "line":
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    tries = wishes.pop("tries")
    wanted = _make_puzzle_request(request.context, layout=request.layout, **wishes)
    with ExitStack() as stack:
        context = stack.enter_context(request.with_progress_bar("looking", "try"))
        found: Iterator[tuple[Puzzle, Record]]
        if every:
            if seed is not None or tries is not None:
                raise click.UsageError("--all excludes --seed and --tries: nothing is by chance")
            found = ((puzzle, {}) for puzzle in _all_on_pattern(wanted, jobs, context))
        else:
            from bddsudoku.authoring.puzzle_generator import generate as endless

            seed = randbits(32) if seed is None else seed
            client = stack.enter_context(request.open_runner()) if request.uses_cluster else None
            made = endless(wanted, seed, tries=tries, jobs=jobs, client=client, context=context)
            stack.callback(made.close)
            found = ((m.puzzle, _members(m, seed)) for m in made)
        found = _first_of_each_class(found) if distinct else found
        shown = None if every and not is_set_by_user("number") else number
        _print_puzzles(islice(found, shown), request, form)


def _all_on_pattern(wanted: PuzzleRequest, jobs: int | None, context: Context) -> Iterator[Puzzle]:
    """Yield all puzzles on a pattern; say where there is none."""
    from bddsudoku.authoring import PuzzleRequest, puzzles_on_pattern

    pattern, layout = wanted.pattern, wanted.layout
    if pattern is None or wanted != PuzzleRequest(layout, pattern=pattern):
        raise click.UsageError("--all goes with --pattern, -n, --layout, --jobs, --format alone")
    found = 0
    for puzzle in puzzles_on_pattern(pattern, layout, jobs=jobs, context=context):
        found += 1
        yield puzzle
    if not found:
        print_note("bddsudoku: no puzzle on this pattern has one solution")


def _first_of_each_class(
    found: Iterable[tuple[Puzzle, Record]],
) -> Iterator[tuple[Puzzle, Record]]:
    """Yield of puzzles that differ by a symmetry only the first.

    Raises:
        LimitReached: there have been many in a row without a new one.
    """
    seen: set[Puzzle] = set()
    repeated = 0
    for puzzle, members in found:
        form = puzzle.canonical()
        repeated += 1
        if form not in seen:
            seen.add(form)
            repeated = 0
            yield puzzle, members
        elif repeated == _MOST_REPEATED:
            message = f"{repeated:,} puzzles in a row differ from earlier ones by a symmetry only"
            raise LimitReached(message, limit="tries")


def _make_puzzle_request(
    context: Context,
    *,
    solutions: int,
    hints: tuple[int, int] | None,
    pattern: str | None,
    inside: bool,
    symmetry: str,
    rules: str | None,
    layout: Layout | None,
) -> PuzzleRequest:
    """Make the generator's request from the options and from the files that they name."""
    from bddsudoku.authoring.puzzle_request import (
        PuzzleRequest,
        cell_orbits,
        check_symmetry,
        read_pattern,
        read_rule_requests,
    )
    from bddsudoku.puzzle.sudoku.layout import Layout

    if inside and pattern is None:
        raise click.UsageError("--inside goes with --pattern")
    if pattern == rules == "-":
        raise click.UsageError("standard input is a pattern or rules, not both")
    if pattern is not None and hints is not None and not inside:
        raise click.UsageError("a pattern says how many hints there are, unless there is --inside")
    board = Layout() if layout is None else layout
    if hints is not None and hints[1] > board.cell_count:
        raise PuzzleFormatError(f"{board} has {board.cell_count} cells, not {hints[1]}")
    cells = None
    source: str | None
    if pattern is not None:
        lines, source = read_lines(pattern, context)
        cells = read_pattern(lines, board, source)
        check_symmetry(cells, cell_orbits(board.n, symmetry), board.n)
    lines, source = ([], None) if rules is None else read_lines(rules, context)
    empty, place = read_rule_requests(lines, board, source)
    return PuzzleRequest(
        empty.layout, solutions, hints, symmetry, cells, inside, empty.rules, place
    )


def _print_puzzles(
    found: Iterable[tuple[Puzzle, Record]], request: CommandRequest, form: str
) -> None:
    """Print puzzles as they are found, as text or with their records as JSON."""
    from bddsudoku.puzzle.sudoku.text import puzzle_json, write_puzzles

    if request.as_json:
        for puzzle, members in found:
            emit_json(puzzle_json(puzzle) | members)
    else:
        puzzles = _flush_after_each(puzzle for puzzle, _ in found)
        write_puzzles(puzzles, sys.stdout, "grid" if form == "grid" else "line")


def _members(m: GeneratedPuzzle, seed: int) -> Record:
    """The members of JSON that say how a puzzle was made."""
    return {
        "count": str(m.solutions),
        "exact": True,
        "minimal": m.minimal,
        "solution": m.grid.line,
        "uniform": m.uniform,
        "engine": m.engine,
        "second": m.second,
        "seed": seed,
        "try": m.tried,
    }


def _flush_after_each(puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
    """Yield puzzles, and flush standard output after each has been written."""
    for puzzle in puzzles:
        yield puzzle
        sys.stdout.flush()


def _parse_numbers(text: str) -> tuple[int, ...]:
    """Read a list of numbers, such as ``1,2`` or ``1 2``."""
    parts = text.replace(",", " ").split()
    if not parts or not all(part.isdecimal() for part in parts):
        raise ValueError(f"expected numbers such as 1,2, found {text!r}")
    return tuple(map(int, parts))


_NUMBER_LIST = ParsedType("N,N", _parse_numbers)


@click.command()
@click.argument("puzzle", metavar="GRID", shell_complete=complete_file_names)
@click.option("--region", "cells", default="", help='Cells, such as "r1c1 r1c2 r2c5".')
@click.option("--rows", type=_NUMBER_LIST, default=(), help="Rows, from 1, such as 1,2.")
@click.option("--columns", type=_NUMBER_LIST, default=(), help="Columns, likewise.")
@click.option("--boxes", type=_NUMBER_LIST, default=(), help="Boxes, likewise.")
@click.option("--digits", type=_NUMBER_LIST, default=(), help="Only cells with these digits.")
@click.option("--size", type=click.IntRange(min=1), help="Sets of at most so many cells.")
@first_option
@save_set_option
@keep_going_option
@command(of_puzzle=True)
def unavoidable(
    request: CommandRequest, size: int | None, first: int, output: str | None, **named: Any
) -> None:
    """Minimal unavoidable sets: sets of cells in which every puzzle of a grid has a hint.

    GRID is a grid, or a puzzle with one solution. Name a region, a size, or both; without a size,
    sets of any size in the region. Below, the minimal sets of cells that hit them all: × where
    these take too many nodes, with exit code 3.
    """
    from bddsudoku.authoring import (
        region_cells,
        set_text,
        solution_grid,
        unavoidable_answers,
        unavoidable_sets,
    )
    from bddsudoku.report.sections import unavoidable_text

    if not (size or any(named.values())):
        raise click.UsageError("name a region (--region, --rows, --boxes, --digits …) or a --size")
    stopped = []
    for subject in request.read_records(output):
        grid = solution_grid(subject.puzzle, request.context)
        region = region_cells(grid, **named)
        with request.with_progress_bar("differences", "solution") as context:
            found = unavoidable_sets(grid, region, size, context)
        if output is not None:
            found.sets.save(output)
        answers = unavoidable_answers(found, request.context).to_dict()
        stopped.append(answers["hitting"].get("stopped"))
        text = "\n".join([puzzle_text(grid), "", unavoidable_text(answers), ""])
        lists = {"listed": map(set_text, found.sets[:first])} if first else {}
        request.print_answer(puzzle_json_members(subject) | answers | lists, text)
        if lists and not request.as_json:
            click.echo()
    fail_if_limit_reached(stopped)
