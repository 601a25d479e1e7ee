"""``bddsudoku sample | rank | unrank | marginals``: questions to the set of all solutions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from bddsudoku.cli.common import (
    HOW_MANY,
    command,
    emit_json,
    fail,
    json_option,
    layout_option,
    limit_options,
    note,
    one_subject,
    order_option,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.cli.outputs import plot_option

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout
    from bddsudoku.solver import Solved
    from bddsudoku.solver.subject import Subject

__all__ = ["marginals", "rank", "sample", "unrank"]

P = ParamSpec("P")
R = TypeVar("R")

engine_option = click.option(
    "--engine",
    type=click.Choice(["auto", "frontier", "bands"]),
    default="auto",
    show_default=True,
    help="What holds the set; auto takes the one that fits.",
)


def set_options(function: Callable[P, R]) -> Callable[P, R]:
    """What every question to a set takes: how the set is made, and --json."""
    for option in (
        json_option,
        limit_options(),
        layout_option,
        order_option,
        engine_option,
    ):
        function = option(function)
    return function


def _solved(
    puzzle: str,
    engine: str,
    order: str,
    layout: Layout | None,
    limits: Limits,
) -> tuple[Subject, Solved]:
    """The subject and its solution set."""
    from bddsudoku.solver import solve_subject

    subject = one_subject(puzzle, layout)
    tell_clashes(subject.puzzle)
    with progress_bar("solving") as progress:
        solved = solve_subject(subject, engine, order, limits, progress)
    if solved.seconds > 0.5:
        note(f"{solved.engine}: {solved.why} ({solved.seconds:.2f} s)")
    return subject, solved


def _head(subject: Subject, solved: Solved) -> dict[str, object]:
    return {
        "puzzle": subject.puzzle.line,
        "hints": subject.puzzle.hint_count,
        "count": str(solved.solutions.count()),
        "exact": True,
        "engine": solved.engine,
        "seconds": round(solved.seconds, 6),
    }


@click.command()
@puzzle_argument
@click.option("-n", "number", type=HOW_MANY, default=1, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), help="The same seed draws the same solutions.")
@click.option("--format", "form", type=click.Choice(["line", "grid"]), default="line")
@set_options
@command
def sample(
    puzzle: str,
    number: int,
    seed: int | None,
    form: str,
    as_json: bool,
    **how: Any,
) -> None:
    """Draw N solutions, every one with exactly the same probability, with replacement."""
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.solver.output import draws

    subject, solved = _solved(puzzle, **how)
    if number and not solved.solutions.count():
        fail("there is nothing to draw from: the puzzle has no solution")
    out = sys.stdout
    if as_json:  # one object, whose last list is written as it is drawn
        record = _head(subject, solved) | {"seed": seed, "samples": []}
        out.write(json.dumps(record, ensure_ascii=False).removesuffix("]}"))
    comma = ""
    for row in draws(solved.solutions, number, seed):
        grid = Puzzle(row.tolist(), subject.puzzle.layout)
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
@set_options
@command
def rank(
    puzzle: str,
    grid: str,
    as_json: bool,
    **how: Any,
) -> None:
    """Print the number of the solution GRID, from 0, in the set's own order.

    GRID is a path or the solution itself. unrank with the same options gives it back. A grid
    that is no solution is an error (exit code 1).
    """
    from bddsudoku.solver import subjects

    subject, solved = _solved(puzzle, **how)
    for wanted in subjects(grid, how["layout"] or subject.puzzle.layout):
        if wanted.puzzle not in solved.solutions:
            fail(f"{wanted.puzzle.line} is not a solution of the puzzle")
        number = solved.solutions.rank(wanted.puzzle)
        if as_json:
            emit_json(_head(subject, solved) | {"grid": wanted.puzzle.line, "rank": str(number)})
        else:
            click.echo(number)


@click.command()
@puzzle_argument
@click.argument("index", type=click.IntRange(min=0))
@click.option("--format", "form", type=click.Choice(["line", "grid"]), default="line")
@set_options
@command
def unrank(
    puzzle: str,
    index: int,
    form: str,
    as_json: bool,
    **how: Any,
) -> None:
    """Print the solution with number INDEX, from 0, in the set's own order."""
    subject, solved = _solved(puzzle, **how)
    total = solved.solutions.count()
    if index >= total:
        fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
    grid = solved.solutions.unrank(index)
    if as_json:
        emit_json(_head(subject, solved) | {"rank": str(index), "grid": grid.line})
    else:
        click.echo(grid.line if form == "line" else str(grid))


@click.command()
@puzzle_argument
@click.option("--csv", "as_csv", is_flag=True, help="row,column,digit,count for every candidate.")
@plot_option("A heat map")
@set_options
@command
def marginals(
    puzzle: str,
    as_csv: bool,
    plot: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """For every cell and digit: the number of solutions in which it stands there."""
    from bddsudoku.report.tables import marginals_csv, marginals_table

    subject, solved = _solved(puzzle, **how)
    counts = solved.solutions.marginals()
    if as_json:
        nested = [[[str(c) for c in cell] for cell in row] for row in counts.tolist()]
        emit_json(_head(subject, solved) | {"marginals": nested})
    elif as_csv:
        click.echo(marginals_csv(counts), nl=False)
    else:
        click.echo(marginals_table(counts))
    if plot is not None:
        from bddsudoku.report.plots import plot_marginals, save

        save(plot_marginals(subject.puzzle, counts), plot)
        note(f"picture written to {plot}")
