"""``bddsudoku unavoidable``: of which cells one must be given."""

from __future__ import annotations

from typing import Any

import click

from bddsudoku.cli.common import AT_MOST, fail, file_names, progress_bar
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import set_option
from bddsudoku.cli.puzzles import Given, about_puzzles, head, said


class _Numbers(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """``1,2`` or ``1 2``."""

    name = "N,N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        parts = value.replace(",", " ").split()
        if not parts or not all(part.isdecimal() for part in parts):
            self.fail(f"expected numbers such as 1,2, found {value!r}", param, ctx)
        return tuple(map(int, parts))


@click.command()
@click.argument("puzzle", metavar="GRID", shell_complete=file_names)
@click.option("--region", "cells", default="", help='Cells, such as "r1c1 r1c2 r2c5".')
@click.option("--rows", type=_Numbers(), default=(), help="Rows, from 1, such as 1,2.")
@click.option("--columns", type=_Numbers(), default=(), help="Columns, likewise.")
@click.option("--boxes", type=_Numbers(), default=(), help="Boxes, likewise.")
@click.option("--digits", type=_Numbers(), default=(), help="Only cells with these digits.")
@click.option("--size", type=click.IntRange(min=1), help="Sets of at most so many cells.")
@click.option("--limit", type=AT_MOST, default=0, help="Show the first N of them.")
@set_option
@about_puzzles()
def unavoidable(
    given: Given,
    cells: str,
    rows: tuple[int, ...],
    columns: tuple[int, ...],
    boxes: tuple[int, ...],
    digits: tuple[int, ...],
    size: int | None,
    limit: int,
    output: str | None,
) -> None:
    """Minimal unavoidable sets of a solved grid: every puzzle for it gives a cell of each.

    GRID is a grid, or a puzzle with one solution. Name a region, a size, or both; without a size,
    sets of any size in the region. Below, the minimal sets of cells that hit them all: × where
    these take too many nodes, with exit code 3.
    """
    from bddsudoku.authoring import (
        grid_of,
        region_of,
        unavoidable_answers,
        unavoidable_sets,
        written,
    )
    from bddsudoku.report.subset_tables import unavoidable_text

    if not (cells or rows or columns or boxes or digits or size):
        raise click.UsageError("name a region (--region, --rows, --boxes, --digits …) or a --size")
    stopped = None
    for subject in given.records(output):
        grid = grid_of(subject.puzzle, given.context)
        region = region_of(
            grid, cells=cells, rows=rows, columns=columns, boxes=boxes, digits=digits
        )
        with progress_bar("differences", unit="solution") as progress:
            found = unavoidable_sets(grid, region, size, given.context.reporting(progress))
        if output is not None:
            found.sets.save(output)
        answers = unavoidable_answers(found, given.context)
        stopped = stopped or answers["hitting"].get("stopped")
        text = "\n".join([said(grid), "", unavoidable_text(answers), ""])
        lists = {"listed": map(written, found.sets[:limit])} if limit else {}
        given.tell(head(subject) | answers, text, **lists)
        if lists and not given.as_json:
            click.echo()
    if stopped is not None:
        fail(stopped, EXIT_LIMIT)
