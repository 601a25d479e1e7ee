"""``bddsudoku sample | rank | unrank | marginals``: questions to the set of all solutions."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import (
    emit_json,
    fail,
    file_names,
    note,
    number_option,
    progress_bar,
    seed_option,
)
from bddsudoku.cli.outputs import plot_option
from bddsudoku.cli.puzzles import (
    Given,
    about_puzzles,
    head,
    order_option,
    puzzle_argument,
    said,
    tell_clashes,
)
from bddsudoku.cli.spread import Workers, work_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
    from bddsudoku.solver import Solved

form_option = click.option(
    "--format",
    "form",
    type=click.Choice(["line", "grid"]),
    default="line",
    help="How solutions are written.",
)


@dataclass(frozen=True)
class _Asked:
    """A puzzle and the set of its solutions."""

    given: Given
    puzzle: Puzzle
    head: dict[str, Any]
    solved: Solved

    @property
    def solutions(self) -> Any:
        """The set."""
        return self.solved.solutions

    @property
    def record(self) -> dict[str, Any]:
        """The first members of every JSON object."""
        return self.head | {
            "count": str(self.solutions.count()),
            "exact": True,
            "engine": self.solved.engine,
            "seconds": round(self.solved.seconds, 6),
        }


engine_option = click.option(
    "--engine",
    type=click.Choice(["auto", "frontier", "bands", "components"]),
    default="auto",
    show_default=True,
    help="What holds the set; auto takes the one that fits.",
)


def about_a_set(function: Callable[..., None]) -> Callable[..., None]:
    """What every question to a set takes; the function is given an :class:`_Asked` first."""

    @engine_option
    @order_option
    @about_puzzles()
    @functools.wraps(function)
    def asked(given: Given, engine: str, order: str, **kwargs: object) -> None:
        function(_solved(given, given.one_record(), engine, order), **kwargs)

    return asked


def _solved(given: Given, subject: PuzzleRecord, engine: str, order: str) -> _Asked:
    """A puzzle with the set of its solutions; what took long is told."""
    from bddsudoku.solver import solved

    with progress_bar("solving") as progress:
        found = solved(subject, engine, order, given.context.reporting(progress))
    if found.seconds > 0.5:
        note(f"{found.engine}: {found.why} ({found.seconds:.2f} s)")
    return _Asked(given, subject.puzzle, head(subject), found)


def _solved_each(given: Given, engine: str, order: str, *targets: str | None) -> Iterator[_Asked]:
    """All puzzles of a file; those of a long list that have few solutions are searched together."""
    from bddsudoku.solver.batch import few_of_boards
    from bddsudoku.solver.records import Boards

    plain = (engine, order) == ("auto", "auto") and not any(targets)
    for found in given.groups() if plain else given.records(*targets):
        if not isinstance(found, Boards):
            yield _solved(given, found, engine, order)
            continue
        for subject, solved in few_of_boards(found, given.context):
            if solved is None or not solved.solutions.count():
                tell_clashes(subject.puzzle)
            if solved is None:
                yield _solved(given, subject, engine, order)
            else:
                yield _Asked(given, subject.puzzle, head(subject), solved)


@click.command()
@puzzle_argument
@number_option
@seed_option("The same seed draws the same solutions.")
@form_option
@about_a_set
def sample(asked: _Asked, number: int, seed: int | None, form: str) -> None:
    """Draw N solutions, every one with exactly the same probability, with replacement."""
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.solver.output import draws

    if number and not asked.solutions.count():
        fail("there is nothing to draw from: the puzzle has no solution")
    drawn = draws(asked.solutions, number, seed)
    grids = (Puzzle(row.tolist(), asked.puzzle.layout) for row in drawn)
    if asked.given.as_json:
        emit_json(asked.record | {"seed": seed}, samples=(grid.line for grid in grids))
        return
    for grid in grids:
        sys.stdout.write(f"{grid.line}\n" if form == "line" else f"{grid}\n\n")


@click.command()
@puzzle_argument
@click.argument("grid", shell_complete=file_names)
@about_a_set
def rank(asked: _Asked, grid: str) -> None:
    """Print the number of the solution GRID, from 0, in the set's own order.

    GRID is a path or the solution itself. unrank with the same options gives it back. A grid
    that is no solution is an error (exit code 1).
    """
    from bddsudoku.solver import read_records

    for wanted in read_records(grid, asked.puzzle.layout, asked.given.context):
        if wanted.puzzle not in asked.solutions:
            fail(f"{wanted.puzzle.line} is not a solution of the puzzle")
        number = asked.solutions.rank(wanted.puzzle)
        record = asked.record | {"grid": wanted.puzzle.line, "rank": str(number)}
        asked.given.tell(record, number)


@click.command()
@puzzle_argument
@click.argument("index", type=click.IntRange(min=0))
@form_option
@about_a_set
def unrank(asked: _Asked, index: int, form: str) -> None:
    """Print the solution with number INDEX, from 0, in the set's own order."""
    total = asked.solutions.count()
    if index >= total:
        fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
    grid = asked.solutions.unrank(index)
    record = asked.record | {"rank": str(index), "grid": grid.line}
    asked.given.tell(record, grid.line if form == "line" else grid)


@click.command()
@puzzle_argument
@click.option("--csv", "as_csv", is_flag=True, help="row,column,digit,count for every candidate.")
@plot_option("A heat map")
@engine_option
@order_option
@work_options()
@about_puzzles()
def marginals(
    given: Given, engine: str, order: str, as_csv: bool, plot: str | None, workers: Workers
) -> None:
    """For every cell and digit: the number of solutions in which it stands there.

    A file with several puzzles gives one result after the other; the work of one hard puzzle can
    be shared out.
    """
    if workers.asked:
        if (engine, order) != ("auto", "auto"):
            raise click.UsageError("--engine and --order do not go with work that is shared out")
        _shared_marginals(given, workers, as_csv, plot)
        return
    for asked in _solved_each(given, engine, order, plot):
        counts = asked.solutions.marginals()
        _tell_marginals(asked.given, asked.record, asked.puzzle, as_csv, plot, counts)


def _shared_marginals(given: Given, workers: Workers, as_csv: bool, plot: str | None) -> None:
    """One puzzle, in parts."""
    from bddsudoku.solver.parts import marginals_in_parts

    subject = given.one_record()
    if subject.saved is not None:
        fail(f"{subject.source}: a saved set is not shared out")
    begin = perf_counter()
    question = {"marginals": said(subject.puzzle)}
    with (
        workers.kept(question) as journal,
        workers.runner(given.context) as runner,
        progress_bar("solving", unit="part") as progress,
    ):
        counts = marginals_in_parts(
            subject.puzzle,
            client=runner,
            context=given.context.reporting(progress),
            journal=journal,
        )
    record = head(subject) | {
        "count": str(counts[0, 0].sum()),
        "exact": True,
        "engine": "parts",
        "seconds": round(perf_counter() - begin, 6),
    }
    _tell_marginals(given, record, subject.puzzle, as_csv, plot, counts)


def _tell_marginals(
    given: Given,
    record: dict[str, Any],
    puzzle: Puzzle,
    as_csv: bool,
    plot: str | None,
    counts: NDArray[Any],
) -> None:
    """Print marginals."""
    from bddsudoku.report.tables import marginals_csv, marginals_table

    if given.as_json:
        nested = [[[str(c) for c in cell] for cell in row] for row in counts.tolist()]
        given.tell(record | {"marginals": nested}, "")
    else:
        text = marginals_csv(counts).removesuffix("\n") if as_csv else marginals_table(counts)
        given.tell({}, text)
    if plot is not None:
        from bddsudoku.report.plots import plot_marginals, save

        save(plot_marginals(puzzle, counts), plot)
        note(f"picture written to {plot}")
