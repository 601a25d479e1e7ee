"""``bddsudoku numberlink FILE ACTION``: one function for every action."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bddsudoku.cli.actions import acting_on, asking
from bddsudoku.cli.answers import drawn, tell_compiled, tell_count, write_each
from bddsudoku.cli.common import (
    How,
    command,
    fail,
    limit_option,
    note,
    number_option,
    progress_bar,
    seed_option,
)
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.outputs import opened, output_option, set_option, target_option
from bddsudoku.errors import ModelError
from bddsudoku.files import write_text

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.engine.protocol import Compiled
    from bddsudoku.numberlink import Board, Links, LinkSet, Rule
    from bddsudoku.solver import Counted

T = TypeVar("T")

_EDGE = re.compile(r"r(\d{1,9})c(\d{1,9})-r(\d{1,9})c(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """FILE, and which of its solutions are meant.

    Attributes:
        name: the argument.
        board: the board, under the rule that the options name.
        saved: the set, when a file of one was given.
        use: edges that the solutions use.
        avoid: edges that they do not use.
    """

    name: str
    board: Board
    saved: LinkSet | None
    use: tuple[int, ...] = ()
    avoid: tuple[int, ...] = ()

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

    def counted(self, context: Context) -> Counted:
        """The number of solutions."""
        from bddsudoku.numberlink import count_links
        from bddsudoku.solver import Counted

        began = perf_counter()
        if self.saved is None and not (self.use or self.avoid):
            number = self._made(count_links, context).count
        else:
            number = self.solved(context)[0].count()
        engine = "frontier" if self.saved is None else "saved"
        return Counted(number, engine, "", perf_counter() - began)

    def solved(self, context: Context) -> tuple[LinkSet, Compiled | None]:
        """The set of solutions, restricted as asked, and what it cost."""
        from bddsudoku.numberlink import compile_links

        solutions, cost = self.saved, None
        if solutions is None:
            with progress_bar("compiling", unit="cell") as progress:
                made = self._made(compile_links, context.reporting(progress))
            solutions, cost = made.solutions, made.cost
        if self.use or self.avoid:
            solutions = solutions.restricted(true=self.use, false=self.avoid)
        return solutions, cost

    def _made(self, make: Callable[[Board, Context], T], context: Context) -> T:
        """What the engine makes of the board; name the file when the board is too large for it."""
        try:
            return make(self.board, context)
        except ModelError as error:
            fail(f"{self.name}: {error}")


def _board(file: str, rule: Rule | None, no_touch: bool, how: How) -> Asked:
    """What FILE stands for, under the rule that the options name."""
    from bddsudoku.files import MOST_OF_A_BOARD
    from bddsudoku.numberlink import Board
    from bddsudoku.numberlink.solving import load_link_set
    from bddsudoku.solver.source import Source

    with Source(file, how.context) as source:
        saved = load_link_set(source)
        if saved is None:
            board = Board.parse(source.text(MOST_OF_A_BOARD), source.name)
            return Asked(file, board.under(rule, no_touch or None), None)
    if rule not in (None, saved.board.rule) or (no_touch and not saved.board.no_touch):
        raise click.UsageError(f"{file} holds solutions under another rule; compile it anew")
    return Asked(file, saved.board, saved)


def _solutions(
    file: str,
    rule: Rule | None,
    no_touch: bool,
    use: tuple[str, ...],
    avoid: tuple[str, ...],
    how: How,
) -> Asked:
    """The same, and which of the solutions are meant."""
    asked = _board(file, rule, no_touch, how)
    using = tuple(_edge(asked.board, text, "--use") for text in use)
    avoiding = tuple(_edge(asked.board, text, "--avoid") for text in avoid)
    return replace(asked, use=using, avoid=avoiding)


def _edge(board: Board, text: str, option: str) -> int:
    """The edge between two neighbours, such as ``r1c1-r1c2``."""
    found = _EDGE.fullmatch(text)
    try:
        if not found:
            raise ValueError(f"expected an edge such as r1c1-r1c2, found {text!r}")
        ya, xa, yb, xb = (int(n) - 1 for n in found.groups())
        if not all(0 <= x < board.width and 0 <= y < board.height for x, y in ((xa, ya), (xb, yb))):
            raise ValueError(f"{text} lies outside the {board.size} board")
        if abs(xa - xb) + abs(ya - yb) != 1:
            raise ValueError(f"{text}: these cells are not neighbours")
        return board.edge(board.cell(xa, ya), board.cell(xb, yb))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


_RULE = (
    click.option(
        "--rule",
        type=click.Choice(["free", "cover"]),
        help="May cells stay empty?  [default: what FILE says, else free]",
    ),
    click.option("--no-touch", is_flag=True, help="No path may touch itself."),
)

about_board = asking(_board, *_RULE)

about_solutions = asking(
    _solutions,
    *_RULE,
    click.option("--use", multiple=True, help="Only solutions with this edge, e.g. r1c1-r1c2."),
    click.option("--avoid", multiple=True, help="Only solutions without this edge."),
)


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
    if tell_count(how, asked.head, asked.counted, how.context, "cell") is None:
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

    _one_format(how, form)
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
        _write([found.links], {}, form, output, how)
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
    _one_format(how, form)
    solutions, _ = asked.solved(how.context)
    found = islice(solutions, limit)
    _write(found, asked.head, form, output, how)


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
    _one_format(how, form)
    solutions, _ = asked.solved(how.context)
    found = drawn(solutions, number, seed)
    head = asked.head | {"seed": seed}
    _write(found, head, form, output, how)


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


def _one_format(how: How, form: str | None) -> None:
    if how.as_json and form is not None:
        raise click.UsageError("--json writes lines of JSON; leave --format out")


def _data(links: Links) -> dict[str, Any]:
    """A solution for programs."""
    board = links.board
    return {
        "wire": links.wire,
        "paths": [[list(board.point(cell)) for cell in path] for path in links.paths],
    }


def _write(
    found: Iterable[Links], head: dict[str, Any], form: str | None, output: str | None, how: How
) -> None:
    """Solutions as lines of JSON, or for people or in the contest's form, a blank line between."""
    from bddsudoku.numberlink import answer_text

    def texts() -> Iterator[str]:
        for number, links in enumerate(found):
            if how.as_json:
                yield json.dumps(head | _data(links), ensure_ascii=False) + "\n"
            else:
                text = answer_text(links) if form == "answer" else f"{links}\n"
                yield "\n" + text if number else text

    write_each(texts(), output)
