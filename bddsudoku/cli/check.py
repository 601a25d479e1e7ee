"""``bddsudoku check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    EXIT_BAD_DATA,
    command,
    emit_json,
    json_option,
    layout_option,
    memory_option,
    progress_bar,
    puzzle_argument,
    tell_clashes,
    time_option,
)

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Layout

__all__ = ["check"]


@click.command()
@puzzle_argument
@click.option(
    "--engine",
    "engines",
    multiple=True,
    type=click.Choice(["bands", "frontier", "bdd", "dlx", "backtrack"]),
    help="Only these; may be given several times.",
)
@layout_option
@memory_option("4GiB")
@time_option("30")
@json_option
@command
def check(
    puzzle: str,
    engines: tuple[str, ...],
    layout: Layout | None,
    max_memory: int,
    time_limit: float,
    as_json: bool,
) -> None:
    """Count with every engine that can, side by side; exit code 1 if any two disagree.

    The limits hold for each engine by itself; one that reaches them shows × and has no say. A
    file with several puzzles gives one result after the other.
    """
    from bddsudoku.report.text import section_text
    from bddsudoku.solver import Budget, check_puzzle, subjects

    agree = True
    for subject in subjects(puzzle, layout):
        asked = subject.puzzle
        tell_clashes(asked)
        with progress_bar("checking") as progress:
            result = check_puzzle(
                asked, Budget(max_memory, time_limit), engines or None, lambda title: progress
            )
        if subject.saved is not None:
            result = _with_saved(result, subject.saved.count())
        agree = agree and result["agree"] is not False
        if as_json:
            emit_json({"puzzle": asked.line, "hints": asked.hint_count} | result)
        else:
            click.echo(f"{asked.line}\n{section_text('check', result, asked)}\n")
    if not agree:
        raise SystemExit(EXIT_BAD_DATA)


def _with_saved(result: dict[str, object], count: int) -> dict[str, object]:
    """The verdict with the count of the saved set as one more voice."""
    runs = [{"engine": "saved", "count": str(count), "limit": None, "seconds": 0.0}]
    runs += result["runs"]  # type: ignore[arg-type]
    counts = [run["count"] for run in runs if run["count"] is not None]
    agree = len(set(counts)) == 1 if len(counts) > 1 else None
    return {"runs": runs, "finished": len(counts), "agree": agree}
