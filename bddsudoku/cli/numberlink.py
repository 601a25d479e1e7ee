"""``bddsudoku numberlink FILE count | route | enumerate | sample | marginals | compile | draw``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import (
    EXIT_LIMIT,
    command,
    emit_json,
    fail,
    json_option,
    memory_option,
    note,
    progress_bar,
    time_option,
)
from bddsudoku.errors import LimitReached

if TYPE_CHECKING:
    from bddsudoku.puzzle.numberlink import Board, Links
    from bddsudoku.solver.numberlink import CompiledLinks, LinkSet

__all__ = ["numberlink"]

_EDGE = re.compile(r"r(\d+)c(\d+)-r(\d+)c(\d+)", re.IGNORECASE)
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


@dataclass(frozen=True)
class _Asked:
    """FILE and the options."""

    name: str
    board: Board
    saved: LinkSet | None
    values: dict[str, Any]

    @property
    def head(self) -> dict[str, Any]:
        """Members of every JSON object."""
        board = self.board
        return {
            "puzzle": self.name,
            "width": board.width,
            "height": board.height,
            "pairs": len(board.pairs),
            "rule": board.rule,
            "no_touch": board.no_touch,
        }

    def edges(self, option: str) -> list[int]:
        """The edges named by ``--use`` or ``--avoid``."""
        out = []
        for text in self.values[option]:
            found = _EDGE.fullmatch(text)
            try:
                if not found:
                    raise ValueError(f"expected an edge such as r1c1-r1c2, found {text!r}")
                ya, xa, yb, xb = (int(n) - 1 for n in found.groups())
                if not all(
                    0 <= x < self.board.width and 0 <= y < self.board.height
                    for x, y in ((xa, ya), (xb, yb))
                ):
                    raise ValueError(f"{text} lies outside the {self.board.size} board")
                if abs(xa - xb) + abs(ya - yb) != 1:
                    raise ValueError(f"{text}: these cells are not neighbours")
                out.append(self.board.edge(self.board.cell(xa, ya), self.board.cell(xb, yb)))
            except ValueError as error:
                raise click.BadParameter(str(error), param_hint=f"--{option}") from None
        return out


@click.command()
@click.argument("file")
@click.argument(
    "action",
    type=click.Choice(["count", "route", "enumerate", "sample", "marginals", "compile", "draw"]),
)
@click.option(
    "--rule",
    type=click.Choice(["free", "cover"]),
    help="May cells stay empty?  [default: what FILE says, else free]",
)
@click.option("--no-touch", is_flag=True, help="No path may touch itself.")
@click.option("--use", multiple=True, help="Only solutions with this edge, e.g. r1c1-r1c2.")
@click.option("--avoid", multiple=True, help="Only solutions without this edge.")
@click.option("--limit", type=click.IntRange(min=0), help="enumerate: stop after N solutions.")
@click.option("-n", "number", type=click.IntRange(min=0), help="sample: how many.  [default: 1]")
@click.option("--seed", type=int, help="sample, route: the same seed gives the same.")
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
@click.option("--plot", type=click.Path(dir_okay=False), help="marginals: a picture (svg).")
@click.option("--output", type=click.Path(dir_okay=False), help="A file instead of stdout.")
@memory_option("8GiB")
@time_option()
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
    for name, actions in _ONLY_FOR.items():
        if values[name] not in (None, ()) and action not in actions:
            shown = {"number": "n", "form": "format"}.get(name, name.replace("_", "-"))
            dash = "-" if len(shown) == 1 else "--"
            raise click.UsageError(
                f"{dash}{shown} goes with {', '.join(actions)}, not with {action}"
            )
    _ACTIONS[action](_asked(file, values))


def _asked(file: str, values: dict[str, Any]) -> _Asked:
    from bddsudoku.cli.coverlike import read_source
    from bddsudoku.puzzle.numberlink import Board
    from bddsudoku.solver.numberlink import load_link_set

    saved = None if file == "-" else load_link_set(file)
    if saved is not None:
        if values["rule"] not in (None, saved.board.rule) or (
            values["no_touch"] and not saved.board.no_touch
        ):
            raise click.UsageError(f"{file} holds solutions under another rule; compile it anew")
        return _Asked(file, saved.board, saved, values)
    text, name = read_source(file)
    board = Board.parse(text, name)
    return _Asked(file, board.under(values["rule"], values["no_touch"] or None), None, values)


def _solved(asked: _Asked) -> tuple[LinkSet, CompiledLinks | None]:
    """The set of solutions, restricted as asked, and what it cost."""
    from bddsudoku.solver.engines import Limits
    from bddsudoku.solver.numberlink import compile_links

    compiled = None
    use, avoid = asked.edges("use"), asked.edges("avoid")
    if asked.saved is not None:
        solutions = asked.saved
    else:
        with progress_bar("compiling", unit="cell") as progress:
            limits = Limits(asked.values["max_memory"], asked.values["time_limit"], progress)
            compiled = compile_links(asked.board, limits)
        solutions = compiled.solutions
    if use or avoid:
        solutions = solutions.restricted(true=use, false=avoid)
    return solutions, compiled


def _count(asked: _Asked) -> None:
    from time import perf_counter

    from bddsudoku.solver.engines import Limits
    from bddsudoku.solver.numberlink import count_links

    began = perf_counter()
    try:
        if asked.saved is not None or asked.values["use"] or asked.values["avoid"]:
            number = _solved(asked)[0].count()
        else:
            with progress_bar("counting", unit="cell") as progress:
                limits = Limits(asked.values["max_memory"], asked.values["time_limit"], progress)
                number = count_links(asked.board, limits)
    except LimitReached as stop:
        if asked.values["as_json"]:
            emit_json(asked.head | {"count": None, "exact": False, "limit": str(stop)})
        else:
            click.echo("×")
        fail(str(stop), EXIT_LIMIT)
    if asked.values["as_json"]:
        emit_json(
            asked.head
            | {
                "count": str(number),
                "exact": True,
                "engine": "frontier" if asked.saved is None else "saved",
                "seconds": round(perf_counter() - began, 6),
            }
        )
    else:
        click.echo(number)


def _data(links: Links) -> dict[str, Any]:
    """A solution for programs."""
    board = links.board
    return {
        "wire": links.wire,
        "paths": [[list(board.point(cell)) for cell in path] for path in links.paths],
    }


def _writer(asked: _Asked) -> Callable[[Links], str]:
    """A solution as text, ending in a line feed."""
    from bddsudoku.puzzle.numberlink import answer_text

    if asked.values["as_json"]:
        if asked.values["form"] is not None:
            raise click.UsageError("--json writes lines of JSON; leave --format out")
        return lambda links: json.dumps(asked.head | _data(links), ensure_ascii=False) + "\n"
    return answer_text if asked.values["form"] == "answer" else lambda links: f"{links}\n"


def _write(asked: _Asked, found: Any) -> None:
    """Solutions one after the other, a blank line between them unless they are JSON."""
    write = _writer(asked)
    with click.open_file(asked.values["output"] or "-", "w", encoding="utf-8") as target:
        for i, links in enumerate(found):
            if i and not asked.values["as_json"]:
                target.write("\n")
            target.write(write(links))


def _enumerate(asked: _Asked) -> None:
    _writer(asked)  # wrong usage is told before the work
    solutions, _ = _solved(asked)
    limit = asked.values["limit"]
    _write(asked, solutions if limit is None else islice(solutions, limit))


def _sample(asked: _Asked) -> None:
    _writer(asked)
    solutions, _ = _solved(asked)
    number = 1 if asked.values["number"] is None else asked.values["number"]
    if number and not solutions:
        fail("there is nothing to draw from: there is no solution")
    _write(asked, solutions.sample(number, asked.values["seed"]))


def _route(asked: _Asked) -> None:
    from bddsudoku.puzzle.numberlink.router import route

    values = asked.values
    _writer(asked)
    if values["perimeter"] and asked.board.rule == "cover":
        raise click.UsageError("--perimeter may destroy the only solution under cover")
    found = route(
        asked.board,
        rip_up=values["rip_up"] is not False,
        perimeter=bool(values["perimeter"]),
        seed=values["seed"] or 0,
        max_rounds=600 if values["rounds"] is None else values["rounds"],
        time_limit=values["time_limit"],
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
        emit_json(record | (_data(found.links) if found.links else {}))
    elif found.links is not None:
        _write(asked, [found.links])
    else:
        click.echo("unknown")
    if found.links is None:
        fail(f"no solution found ({found.why}); that proves nothing: count does", EXIT_LIMIT)


def _marginals(asked: _Asked) -> None:
    solutions, _ = _solved(asked)
    board = asked.board
    counts = solutions.edge_marginals()
    total = solutions.count()
    names = {
        edge: "-".join(board.cell_name(cell) for cell in board.ends(edge)) for edge in board.edges
    }
    if asked.values["as_json"]:
        emit_json(
            asked.head
            | {
                "count": str(total),
                "exact": True,
                "marginals": {names[e]: str(counts.get(e, 0)) for e in board.edges},
            }
        )
    else:
        click.echo("edge,count")
        for edge in board.edges:
            click.echo(f"{names[edge]},{counts.get(edge, 0)}")
    if asked.values["plot"] is not None:
        from bddsudoku.puzzle.numberlink.drawing import marginals_svg

        share = {e: n / total for e, n in counts.items() if n}
        Path(asked.values["plot"]).write_text(marginals_svg(board, share) + "\n", encoding="utf-8")
        note(f"picture written to {asked.values['plot']}")


def _compile(asked: _Asked) -> None:
    solutions, compiled = _solved(asked)
    record = asked.head | {
        "count": str(solutions.count()),
        "exact": True,
        "engine": "frontier" if compiled else "saved",
        "variables": solutions.diagram.levels,
        "nodes": solutions.node_count("zdd"),
        "shortest": solutions.shortest()[0] if solutions else None,
        "longest": solutions.longest()[0] if solutions else None,
    }
    if compiled is not None:
        record |= {
            "symmetry": compiled.symmetry,
            "states": compiled.states,
            "width_of_states": compiled.width,
            "peak_bytes": compiled.peak_bytes,
            "seconds": round(compiled.seconds, 6),
        }
    if asked.values["output"] is not None:
        solutions.save(asked.values["output"])
        record["output"] = asked.values["output"]
    if asked.values["as_json"]:
        emit_json(record)
        return
    plural = "" if record["count"] == "1" else "s"
    line = (
        f"{record['count']} solution{plural} in {record['nodes']:,} ZDD nodes, "
        f"{record['variables']:,} variables"
    )
    if solutions:
        line += f"; wire {record['shortest']} to {record['longest']}"
    if compiled is not None:
        line += (
            f"; {compiled.states:,} states, at most {compiled.width:,} a level; "
            f"{compiled.seconds:.2f} s"
        )
    click.echo(line)
    if asked.values["output"] is not None:
        note(f"saved to {asked.values['output']}")


def _draw(asked: _Asked) -> None:
    if asked.values["as_json"]:
        raise click.UsageError("draw writes SVG: --json does not go with it")
    index = asked.values["index"]
    if index is None:
        if asked.values["use"] or asked.values["avoid"]:
            raise click.UsageError("--use and --avoid choose among solutions: name one by --index")
        picture = asked.board._repr_svg_()
    else:
        solutions, _ = _solved(asked)
        total = solutions.count()
        if index >= total:
            fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
        picture = solutions.unrank(index)._repr_svg_()
    with click.open_file(asked.values["output"] or "-", "w", encoding="utf-8") as target:
        target.write(picture + "\n")


_ACTIONS = {
    "count": _count,
    "route": _route,
    "enumerate": _enumerate,
    "sample": _sample,
    "marginals": _marginals,
    "compile": _compile,
    "draw": _draw,
}
