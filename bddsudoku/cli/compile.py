"""``bddsudoku compile``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import (
    command,
    emit_json,
    fail,
    json_option,
    layout_option,
    memory_option,
    note,
    order_option,
    progress_bar,
    puzzle_argument,
    tell_clashes,
    time_option,
)
from bddsudoku.cli.pictures import folder_exists, plot_option

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Layout
    from bddsudoku.solver.subject import Subject

__all__ = ["compile_"]


@click.command("compile")
@puzzle_argument
@order_option
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    callback=folder_exists,
    help="Save the set to a file.",
)
@click.option(
    "--compare-orders", is_flag=True, help="Predicted and real widths, order by order; no file."
)
@plot_option("The diagram's width at every variable")
@click.option(
    "--dot",
    type=click.Path(dir_okay=False),
    default=None,
    help="Small diagrams only: Graphviz text.",
)
@layout_option
@memory_option("8GiB")
@time_option()
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
    max_memory: int,
    time_limit: float | None,
    as_json: bool,
) -> None:
    """Compile the set of all solutions into a canonical ordered ZDD, and save it.

    A saved set can stand wherever PUZZLE can.
    """
    from bddsudoku.solver import compile_subject, subjects

    several = False
    for subject in subjects(puzzle, layout):
        if several and (output or plot or dot):
            fail(f"{subject.source}: several puzzles, but one file to write", 2)
        several = True
        tell_clashes(subject.puzzle)
        if compare_orders:
            _compare(subject, max_memory, time_limit, plot, as_json)
            continue
        with progress_bar("compiling", unit="level") as progress:
            done = compile_subject(
                subject,
                order=order,
                max_memory=max_memory,
                time_limit=time_limit,
                progress=progress,
            )
        found = done.solutions
        record = {
            "puzzle": subject.puzzle.line,
            "hints": subject.puzzle.hint_count,
            "count": str(found.count()),
            "exact": True,
            "engine": "frontier",
            "seconds": round(done.seconds, 6),
            "choosing_seconds": round(done.choosing_seconds, 6),
            "variables": done.variables,
            "nodes": found.node_count("zdd"),
            "bdd_nodes": found.node_count("bdd"),
            "states": done.states,
            "width": done.width,
            "peak_bytes": done.peak_bytes,
            "order": done.order,
        }
        if output is not None:
            found.save(output)
            note(f"set written to {output}")
        if dot is not None:
            with open(dot, "w", encoding="utf-8") as file:
                file.write(found.to_dot())
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


def _compare(
    subject: Subject, max_memory: int, time_limit: float | None, plot: str | None, as_json: bool
) -> None:
    from bddsudoku.report.tables import table, thousands
    from bddsudoku.solver import compare_puzzle_orders

    with progress_bar("orders", unit="order") as progress:
        rows = compare_puzzle_orders(
            subject, max_memory=max_memory, time_limit=time_limit, progress=progress
        )
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

        drawn = [row for row in rows if row.get("profile") is not None][:6]
        save(plot_profiles({row["order"]: row["profile"] for row in drawn}), plot)
