"""``bddsudoku numberlink FILE ACTION``: one function for every action."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.actions import acting_on
from bddsudoku.cli.answers import drawn, tell_compiled, tell_count, write_each
from bddsudoku.cli.common import (
    How,
    command,
    fail,
    limit_option,
    note,
    number_option,
    seed_option,
)
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.numberlink.asked import Asked, about_board, about_solutions
from bddsudoku.cli.outputs import opened, output_option, set_option, target_option
from bddsudoku.files import write_text

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.numberlink import Links
    from bddsudoku.solver import Counted

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "answer"]),
    help="Box-drawing text, or the contest's comma rows.  [default: text]",
)


@acting_on("file")
def numberlink() -> None:
    """Numberlink: FILE is a board, a saved set, or - for standard input.

    A board is the contest's text (SIZE 17X15, LINE_NUM 13, LINE#1 (0,0)-(16,10), …), a grid of
    symbols (. is empty, the same symbol twice is a pair), or JSON.
    """


@numberlink.command()
@command()
@about_solutions
def count(asked: Asked, how: How) -> None:
    """The exact number of solutions."""
    from bddsudoku.solver import Counted

    began = perf_counter()
    engine = "frontier" if asked.saved is None else "saved"

    def counting(context: Context) -> Counted:
        number = asked.counted(context)
        return Counted(number, engine, "", perf_counter() - began)

    if tell_count(how, asked.head, counting, how.context, "cell") is None:
        raise SystemExit(EXIT_LIMIT)


@numberlink.command()
@click.option("--rip-up/--no-rip-up", default=True, show_default=True, help="Negotiate.")
@click.option("--perimeter", is_flag=True, help="The perimeter rule first.")
@click.option(
    "--rounds",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    help="At most so many.",
)
@click.option("--trace", is_flag=True, help="Every step on standard error.")
@seed_option("The same seed gives the same.")
@format_option
@output_option
@command()
@about_board
def route(
    asked: Asked,
    rip_up: bool,
    perimeter: bool,
    rounds: int,
    trace: bool,
    seed: int | None,
    form: str | None,
    output: str | None,
    how: How,
) -> None:
    """One solution by A*, rip-up and reroute; or "unknown" (exit code 3)."""
    from bddsudoku.numberlink.router import route as search

    _refuse_two_formats(form, how)
    if perimeter and asked.board.rule == "cover":
        raise click.UsageError("--perimeter may destroy the only solution under cover")
    found = search(
        asked.board,
        rip_up=rip_up,
        perimeter=perimeter,
        seed=seed or 0,
        max_rounds=rounds,
        time_limit=how.context.left,
    )
    if trace:
        for step in found.steps:
            name = asked.board.names[step.pair] if step.pair >= 0 else "-"
            cells = " ".join(asked.board.cell_name(c) for c in step.cells)
            note(f"{step.round}\t{step.action}\t{name}\t{cells}")
    if how.as_json:
        record = asked.head | {
            "status": found.status,
            "why": found.why,
            "rounds": found.rounds,
            "starts": found.starts,
            "searches": found.searches,
            "expanded": found.expanded,
            "seconds": round(found.seconds, 6),
        }
        record |= _data(found.links) if found.links else {}
        write_each([json.dumps(record, ensure_ascii=False) + "\n"], output)
    elif found.links is not None:
        write_each(_texts([found.links], form), output)
    else:
        click.echo("unknown")
    if found.links is None:
        fail(f"no solution found ({found.why}); that proves nothing: count does", EXIT_LIMIT)


@numberlink.command("enumerate")
@limit_option
@format_option
@output_option
@command()
@about_solutions
def enumerate_(
    asked: Asked,
    limit: int | None,
    form: str | None,
    output: str | None,
    how: How,
) -> None:
    """The solutions, streaming, in the order of the set."""
    _refuse_two_formats(form, how)
    solutions, _ = asked.solved(how.context)
    found = islice(solutions, limit)
    write_each(_objects(found, asked.head) if how.as_json else _texts(found, form), output)


@numberlink.command()
@number_option
@seed_option("The same seed draws the same.")
@format_option
@output_option
@command()
@about_solutions
def sample(
    asked: Asked,
    number: int,
    seed: int | None,
    form: str | None,
    output: str | None,
    how: How,
) -> None:
    """Exactly uniform random solutions."""
    _refuse_two_formats(form, how)
    solutions, _ = asked.solved(how.context)
    found = drawn(solutions, number, seed)
    head = asked.head | {"seed": seed}
    write_each(_objects(found, head) if how.as_json else _texts(found, form), output)


@numberlink.command()
@target_option("--plot", what="A picture (svg).")
@command()
@about_solutions
def marginals(asked: Asked, plot: str | None, how: How) -> None:
    """For every edge: in how many solutions?"""
    solutions, _ = asked.solved(how.context)
    board = asked.board
    counts = solutions.edge_marginals()
    total = solutions.count()
    named = {
        "-".join(board.cell_name(cell) for cell in board.ends(edge)): counts.get(edge, 0)
        for edge in board.edges
    }
    record = asked.head | {"count": str(total), "exact": True}
    text = "\n".join(["edge,count", *(f"{name},{n}" for name, n in named.items())])
    how.tell(record | {"marginals": {name: str(n) for name, n in named.items()}}, text)
    if plot is not None:
        from bddsudoku.numberlink.links import marginals_svg

        share = {e: n / total for e, n in counts.items() if n}
        write_text(plot, marginals_svg(board, share) + "\n")
        note(f"picture written to {plot}")


@numberlink.command("compile")
@set_option
@command()
@about_solutions
def compile_(asked: Asked, output: str | None, how: How) -> None:
    """The set of all solutions as a ZDD; --output saves it."""
    solutions, compiled = asked.solved(how.context)
    record = asked.head | {
        "count": str(solutions.count()),
        "exact": True,
        "engine": "frontier" if compiled else "saved",
        "variables": solutions.diagram.levels,
        "nodes": solutions.node_count("zdd"),
        "shortest": solutions.shortest()[0] if solutions else None,
        "longest": solutions.longest()[0] if solutions else None,
    }
    sentence = f", {solutions.diagram.levels:,} variables"
    if solutions:
        sentence += f"; wire {record['shortest']} to {record['longest']}"
    if compiled is not None:
        record |= {
            "symmetry": solutions.info["symmetry"],
            "states": compiled.states,
            "width_of_states": compiled.width,
            "peak_bytes": compiled.peak_bytes,
            "seconds": round(compiled.seconds, 6),
        }
        sentence += (
            f"; {compiled.states:,} states, at most {compiled.width:,} a level; "
            f"{compiled.seconds:.2f} s"
        )
    tell_compiled(how, record, sentence, solutions, output)


@numberlink.command()
@click.option("--index", type=click.IntRange(min=0), help="The solution with this number.")
@output_option
@command(json=False)
@about_solutions
def draw(asked: Asked, index: int | None, output: str | None, how: How) -> None:
    """The board as SVG, or with --index the solution of that number."""
    if index is None:
        if asked.use or asked.avoid:
            raise click.UsageError("--use and --avoid choose among solutions: name one by --index")
        picture = asked.board._repr_svg_()
    else:
        solutions, _ = asked.solved(how.context)
        total = solutions.count()
        if index >= total:
            fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
        picture = solutions.unrank(index)._repr_svg_()
    with opened(output) as target:
        target.write(picture + "\n")


def _refuse_two_formats(form: str | None, how: How) -> None:
    if how.as_json and form is not None:
        raise click.UsageError("--json writes lines of JSON; leave --format out")


def _data(links: Links) -> dict[str, Any]:
    """A solution for programs."""
    board = links.board
    return {
        "wire": links.wire,
        "paths": [[list(board.point(cell)) for cell in path] for path in links.paths],
    }


def _objects(found: Iterable[Links], head: dict[str, Any]) -> Iterator[str]:
    """Solutions as lines of JSON."""
    for links in found:
        yield json.dumps(head | _data(links), ensure_ascii=False) + "\n"


def _texts(found: Iterable[Links], form: str | None) -> Iterator[str]:
    """Solutions for people or in the contest's form, a blank line between them."""
    from bddsudoku.numberlink import answer_text

    between = ""
    for links in found:
        yield between + (answer_text(links) if form == "answer" else f"{links}\n")
        between = "\n"
