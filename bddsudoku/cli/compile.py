"""``bddsudoku compile``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    command,
    emit_json,
    json_option,
    layout_option,
    limit_options,
    note,
    order_option,
    progress_bar,
    puzzle_argument,
    tell_clashes,
)
from bddsudoku.cli.outputs import one_file, plot_option, target_option
from bddsudoku.writing import write_text

if TYPE_CHECKING:
    from bddsudoku.limits import Limits
    from bddsudoku.puzzle.sudoku.grid import Layout
    from bddsudoku.solver.subject import Subject

__all__ = ["compile_"]


@click.command("compile")
@puzzle_argument
@order_option
@target_option("--output", what="Save the set to a file.")
@click.option(
    "--compare-orders", is_flag=True, help="Predicted and real widths, order by order; no file."
)
@plot_option("The diagram's width at every variable")
@target_option("--dot", what="Small diagrams only: Graphviz text.")
@layout_option
@limit_options()
@json_option
@command
def compile_(
    puzzle: str,
    order: str,
    output: str | None,
    compare_orders: bool,
    plot: str | None,
    dot: str | None,
    layout: Layout | None,
    limits: Limits,
    as_json: bool,
) -> None:
    """Compile the set of all solutions into a canonical ordered ZDD, and save it.

    A saved set can stand wherever PUZZLE can.
    """
    from bddsudoku.solver import solve_subject, subjects

    for subject in one_file(subjects(puzzle, layout), output, plot, dot):
        tell_clashes(subject.puzzle)
        if compare_orders:
            _compare(subject, limits, plot, as_json)
            continue
        with progress_bar("compiling", unit="level") as progress:
            done = solve_subject(subject, "frontier", order, limits, progress)
        found, cost = done.solutions, done.cost
        assert cost is not None
        record = {
            "puzzle": subject.puzzle.line,
            "hints": subject.puzzle.hint_count,
            "count": str(found.count()),
            "exact": True,
            "engine": "frontier",
            "seconds": round(done.seconds, 6),
            "choosing_seconds": round(cost.choosing_seconds, 6),
            "variables": cost.variables,
            "nodes": found.node_count("zdd"),
            "bdd_nodes": found.node_count("bdd"),
            "states": cost.states,
            "width": cost.width,
            "peak_bytes": cost.peak_bytes,
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
        if as_json:
            emit_json(record)
        else:
            click.echo("\n".join(_page(record)))


def _page(record: dict[str, object]) -> list[str]:
    from bddsudoku.cli.units import format_seconds, format_size

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


def _compare(subject: Subject, limits: Limits, plot: str | None, as_json: bool) -> None:
    from bddsudoku.report.tables import table, thousands
    from bddsudoku.solver import compare_puzzle_orders

    with progress_bar("orders", unit="order") as progress:
        rows = compare_puzzle_orders(subject, limits, progress)
    if as_json:
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
