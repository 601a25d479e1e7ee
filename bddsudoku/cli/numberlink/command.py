"""The command's arguments and options; which options go with which action."""

from __future__ import annotations

from typing import Any

import click

from bddsudoku.cli.common import AT_MOST, HOW_MANY, command, fail, json_option, limit_options
from bddsudoku.cli.numberlink import actions
from bddsudoku.cli.numberlink.asked import ask
from bddsudoku.cli.numberlink.routing import route
from bddsudoku.cli.outputs import target_option
from bddsudoku.errors import ModelError

__all__ = ["numberlink"]

_ACTIONS = {
    "count": actions.count,
    "route": route,
    "enumerate": actions.enumerate_,
    "sample": actions.sample,
    "marginals": actions.marginals,
    "compile": actions.compile_,
    "draw": actions.draw,
}
_ROUTER = ("rip_up", "perimeter", "rounds", "trace")
_ONLY_FOR = {
    "limit": ("enumerate",),
    "number": ("sample",),
    "seed": ("sample", "route"),
    "form": ("enumerate", "sample", "route"),
    "output": ("enumerate", "sample", "route", "compile", "draw"),
    "plot": ("marginals",),
    "index": ("draw",),
    "use": ("count", "enumerate", "sample", "marginals", "compile", "draw"),
    "avoid": ("count", "enumerate", "sample", "marginals", "compile", "draw"),
    **dict.fromkeys(_ROUTER, ("route",)),
}


@click.command()
@click.argument("file")
@click.argument("action", type=click.Choice(list(_ACTIONS)))
@click.option(
    "--rule",
    type=click.Choice(["free", "cover"]),
    help="May cells stay empty?  [default: what FILE says, else free]",
)
@click.option("--no-touch", is_flag=True, help="No path may touch itself.")
@click.option("--use", multiple=True, help="Only solutions with this edge, e.g. r1c1-r1c2.")
@click.option("--avoid", multiple=True, help="Only solutions without this edge.")
@click.option("--limit", type=AT_MOST, help="enumerate: stop after N solutions.")
@click.option("-n", "number", type=HOW_MANY, help="sample: how many.  [default: 1]")
@click.option(
    "--seed", type=click.IntRange(min=0), help="sample, route: the same seed gives the same."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "answer"]),
    help="Box-drawing text, or the contest's comma rows.  [default: text]",
)
@click.option("--rip-up/--no-rip-up", default=None, help="route: negotiate.  [default: rip-up]")
@click.option("--perimeter", is_flag=True, default=None, help="route: the perimeter rule first.")
@click.option("--rounds", type=click.IntRange(min=0), help="route: at most.  [default: 600]")
@click.option("--trace", is_flag=True, default=None, help="route: every step on standard error.")
@click.option("--index", type=click.IntRange(min=0), help="draw: the solution with this number.")
@target_option("--plot", what="marginals: a picture (svg).")
@target_option("--output", what="A file instead of stdout.", stream=True)
@limit_options()
@json_option
@command
def numberlink(file: str, action: str, **values: Any) -> None:
    """Numberlink: FILE is a board, a saved set, or - for standard input.

    \b
    count      the exact number of solutions
    route      one solution by A*, rip-up and reroute; or "unknown" (exit code 3)
    enumerate  the solutions, streaming
    sample     exactly uniform random solutions
    marginals  for every edge: in how many solutions?
    compile    the set of all solutions as a ZDD; --output saves it
    draw       the board as SVG, or with --index the solution of that number

    A board is the contest's text (SIZE 17X15, LINE_NUM 13, LINE#1 (0,0)-(16,10), …), a grid of
    symbols (. is empty, the same symbol twice is a pair), or JSON.
    """
    for name, users in _ONLY_FOR.items():
        if values[name] not in (None, ()) and action not in users:
            shown = {"number": "n", "form": "format"}.get(name, name.replace("_", "-"))
            dash = "-" if len(shown) == 1 else "--"
            raise click.UsageError(f"{dash}{shown} goes with {', '.join(users)}, not with {action}")
    asked = ask(file, values)
    try:
        _ACTIONS[action](asked)
    except ModelError as error:  # a board too large for the engine
        fail(f"{asked.name}: {error}")
