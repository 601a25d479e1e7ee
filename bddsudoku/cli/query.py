"""``bddsudoku sample | rank | unrank | marginals``: questions to the set of all solutions."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import fail, note, number_option, progress_bar, seed_option
from bddsudoku.cli.outputs import plot_option
from bddsudoku.cli.puzzles import Given, about_puzzles, head, order_option, puzzle_argument

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.solver import Solved

__all__ = ["marginals", "rank", "sample", "unrank"]

form_option = click.option("--format", "form", type=click.Choice(["line", "grid"]), default="line")


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


def about_a_set(function: Callable[..., None]) -> Callable[..., None]:
    """What every question to a set takes; the function is given an :class:`_Asked` first."""

    @click.option(
        "--engine",
        type=click.Choice(["auto", "frontier", "bands"]),
        default="auto",
        show_default=True,
        help="What holds the set; auto takes the one that fits.",
    )
    @order_option
    @about_puzzles()
    @functools.wraps(function)
    def asked(given: Given, engine: str, order: str, **kwargs: object) -> None:
        from bddsudoku.solver import solve_subject

        subject = given.one_subject()
        with progress_bar("solving") as progress:
            solved = solve_subject(subject, engine, order, given.limits, progress)
        if solved.seconds > 0.5:
            note(f"{solved.engine}: {solved.why} ({solved.seconds:.2f} s)")
        function(_Asked(given, subject.puzzle, head(subject), solved), **kwargs)

    return asked


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

    as_json = asked.given.as_json
    if number and not asked.solutions.count():
        fail("there is nothing to draw from: the puzzle has no solution")
    out = sys.stdout
    if as_json:  # one object, whose last list is written as it is drawn
        record = asked.record | {"seed": seed, "samples": []}
        out.write(json.dumps(record, ensure_ascii=False).removesuffix("]}"))
    comma = ""
    for row in draws(asked.solutions, number, seed):
        grid = Puzzle(row.tolist(), asked.puzzle.layout)
        if as_json:
            out.write(f'{comma}"{grid.line}"')
            comma = ", "
        else:
            out.write(f"{grid.line}\n" if form == "line" else f"{grid}\n\n")
    if as_json:
        out.write("]}\n")


@click.command()
@puzzle_argument
@click.argument("grid")
@about_a_set
def rank(asked: _Asked, grid: str) -> None:
    """Print the number of the solution GRID, from 0, in the set's own order.

    GRID is a path or the solution itself. unrank with the same options gives it back. A grid
    that is no solution is an error (exit code 1).
    """
    from bddsudoku.solver import subjects

    for wanted in subjects(grid, asked.puzzle.layout):
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
@about_a_set
def marginals(asked: _Asked, as_csv: bool, plot: str | None) -> None:
    """For every cell and digit: the number of solutions in which it stands there."""
    from bddsudoku.report.tables import marginals_csv, marginals_table

    counts = asked.solutions.marginals()
    nested = [[[str(c) for c in cell] for cell in row] for row in counts.tolist()]
    text = marginals_csv(counts).removesuffix("\n") if as_csv else marginals_table(counts)
    asked.given.tell(asked.record | {"marginals": nested}, text)
    if plot is not None:
        from bddsudoku.report.plots import plot_marginals, save

        save(plot_marginals(asked.puzzle, counts), plot)
        note(f"picture written to {plot}")
