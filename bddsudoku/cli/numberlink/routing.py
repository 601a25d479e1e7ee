"""``bddsudoku numberlink FILE route``: one solution by the router, or "unknown"."""

from __future__ import annotations

import json

import click

from bddsudoku.cli.common import EXIT_LIMIT, fail, note
from bddsudoku.cli.numberlink.answers import solution_data, write, writer
from bddsudoku.cli.numberlink.asked import Asked
from bddsudoku.cli.outputs import opened

__all__ = ["route"]


def route(asked: Asked) -> None:
    """Write a solution; "unknown" and exit code 3 when none was found."""
    from bddsudoku.puzzle.numberlink.router import route as search

    values = asked.values
    writer(asked)
    if values["perimeter"] and asked.board.rule == "cover":
        raise click.UsageError("--perimeter may destroy the only solution under cover")
    found = search(
        asked.board,
        rip_up=values["rip_up"] is not False,
        perimeter=bool(values["perimeter"]),
        seed=values["seed"] or 0,
        max_rounds=600 if values["rounds"] is None else values["rounds"],
        time_limit=values["limits"].left,
    )
    if values["trace"]:
        for step in found.steps:
            name = asked.board.names[step.pair] if step.pair >= 0 else "-"
            cells = " ".join(asked.board.cell_name(c) for c in step.cells)
            note(f"{step.round}\t{step.action}\t{name}\t{cells}")
    if values["as_json"]:
        record = asked.head | {
            "status": found.status,
            "why": found.why,
            "rounds": found.rounds,
            "starts": found.starts,
            "searches": found.searches,
            "expanded": found.expanded,
            "seconds": round(found.seconds, 6),
        }
        record |= solution_data(found.links) if found.links else {}
        with opened(values["output"]) as target:
            target.write(json.dumps(record, ensure_ascii=False) + "\n")
    elif found.links is not None:
        write(asked, [found.links])
    else:
        click.echo("unknown")
    if found.links is None:
        fail(f"no solution found ({found.why}); that proves nothing: count does", EXIT_LIMIT)
