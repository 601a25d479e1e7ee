"""``bddsudoku compile``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.answers import cost_record
from bddsudoku.cli.common import emit_json, note, progress_bar
from bddsudoku.cli.outputs import plot_option, set_option, target_option
from bddsudoku.cli.puzzles import Given, about_puzzles, head, order_option, puzzle_argument
from bddsudoku.files import write_text

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import PuzzleRecord
    from bddsudoku.solver.question import Solved


@click.command("compile")
@puzzle_argument
@click.option(
    "--engine",
    type=click.Choice(["frontier", "components"]),
    default="frontier",
    show_default=True,
    help="components: a decomposable diagram, for large boards that fall apart; it has no order.",
)
@order_option
@set_option
@click.option(
    "--compare-orders", is_flag=True, help="Predicted and real widths, order by order; no file."
)
@plot_option("The diagram's width at every variable")
@target_option("--dot", what="Small diagrams only: Graphviz text.")
@about_puzzles()
def compile_(
    given: Given,
    engine: str,
    order: str,
    output: str | None,
    compare_orders: bool,
    plot: str | None,
    dot: str | None,
) -> None:
    """Compile the set of all solutions into a canonical ordered ZDD, and save it.

    A saved set can stand wherever PUZZLE can.
    """
    from bddsudoku.solver import solved

    ordered = compare_orders or plot is not None or dot is not None or order != "auto"
    if engine != "frontier" and ordered:
        raise click.UsageError("--order, --compare-orders, --plot and --dot are about ordered ZDDs")
    for subject in given.records(output, plot, dot):
        if compare_orders:
            _compare(subject, given, plot)
            continue
        with progress_bar("compiling", unit="level") as progress:
            done = solved(subject, engine, order, given.context.reporting(progress))
        found, cost = done.solutions, done.cost
        if cost is None:
            _tell_decomposed(given, subject, done, output, plot or dot)
            continue
        record = head(subject) | {
            "count": str(found.count()),
            "exact": True,
            "engine": "frontier",
            "seconds": round(done.seconds, 6),
            "choosing_seconds": round(cost.choosing_seconds, 6),
            **cost_record(done),
            "order": done.order,
        }
        drawing = None if dot is None else found.to_dot()  # too large a one is refused first
        if output is not None:
            found.save(output)
            note(f"set written to {output}")
        if dot is not None and drawing is not None:
            write_text(dot, drawing)
        if plot is not None:
            from bddsudoku.report.plots import plot_profiles, save

            save(plot_profiles({f"order {done.order}": found.diagram.profile()}), plot)
        given.tell(record, "\n".join(_page(record)))


def _tell_decomposed(
    given: Given, subject: PuzzleRecord, done: Solved, output: str | None, picture: str | None
) -> None:
    """Save a decomposable diagram, and tell what it holds."""
    from bddsudoku.numbers import format_seconds

    if picture is not None:
        raise click.UsageError("--plot and --dot are about ordered ZDDs; this set has none")
    found = done.solutions
    record = head(subject) | {
        "count": str(found.count()),
        "exact": True,
        "engine": done.engine,
        "seconds": round(done.seconds, 6),
        "variables": len(found.diagram.labels),
        "nodes": found.diagram.size - 1,
        "branches": found.diagram.branches,
    }
    if output is not None:
        found.save(output)
        note(f"set written to {output}")
    text = [
        f"puzzle      {record['puzzle']}",
        f"hints       {record['hints']}",
        f"solutions   {found.count():,}",
        f"variables   {record['variables']:,}",
        f"nodes       {record['nodes']:,} of a decomposable diagram",
        f"branches    {record['branches']:,}",
        f"time        {format_seconds(done.seconds)}",
    ]
    given.tell(record, "\n".join(text))


def _page(record: dict[str, object]) -> list[str]:
    from bddsudoku.numbers import format_seconds, format_size

    seconds, choosing = float(str(record["seconds"])), float(str(record["choosing_seconds"]))
    return [
        f"puzzle      {record['puzzle']}",
        f"hints       {record['hints']}",
        f"solutions   {int(str(record['count'])):,}",
        f"order       {record['order']}",
        f"variables   {record['variables']:,}",
        f"ZDD nodes   {record['nodes']:,}",
        f"BDD nodes   {record['bdd_nodes']:,} (the same variables and order)",
        f"states      {record['states']:,}, {record['width']:,} at the widest level",
        f"time        {format_seconds(seconds)}, {format_seconds(choosing)} of it for the order",
        f"memory      {format_size(float(str(record['peak_bytes'])))} (the engine's arrays)",
    ]


def _compare(subject: PuzzleRecord, given: Given, plot: str | None) -> None:
    from bddsudoku.report.tables import table, thousands
    from bddsudoku.solver import compare_puzzle_orders

    with progress_bar("orders", unit="order") as progress:
        rows = compare_puzzle_orders(subject.puzzle, given.context.reporting(progress))
    if given.as_json:
        for row in rows:
            emit_json({k: v for k, v in row.items() if k != "profile"})
    else:
        click.echo(
            table(
                [
                    (
                        row["order"],
                        thousands(row["predicted"]),
                        thousands(row["states"]),
                        thousands(row["width"]),
                        thousands(row["nodes"]),
                        f"{row['seconds']:.3f}" if row["seconds"] is not None else "×",
                    )
                    for row in rows
                ],
                ["order", "predicted states", "states", "width", "ZDD nodes", "seconds"],
            )
        )
    if plot is not None:
        from bddsudoku.report.plots import plot_profiles, save

        drawn = [row for row in rows if row.get("profile") is not None]
        save(plot_profiles({row["order"]: row["profile"] for row in drawn}), plot)
