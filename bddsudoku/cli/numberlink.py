"""Command ``bddsudoku numberlink FILE ACTION``: count, route, sample, draw and other actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bddsudoku.cli.actions import Asked, acting_on, count, sample, tell_compiled
from bddsudoku.cli.common import Given, Record, dumps, exact, fail, note, opened
from bddsudoku.cli.entry import EXIT_LIMIT
from bddsudoku.cli.options import (
    limit_option,
    number_option,
    output_option,
    seed_option,
    set_option,
    target_option,
    usual,
)
from bddsudoku.errors import ModelError
from bddsudoku.files import write_text

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.numberlink import Board, Links, LinkSet, Rule
    from bddsudoku.solver import Counted, Solved

T = TypeVar("T")

_EDGE = re.compile(r"r(\d{1,9})c(\d{1,9})-r(\d{1,9})c(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class LinksAsked(Asked):
    """A Numberlink board, or a saved set of its solutions, restricted by the options.

    Attributes:
        board: the board of FILE, under the rule of the options.
        saved: the set, if FILE is one.
        use: edges that every solution uses.
        avoid: edges that no solution uses.
    """

    board: Board
    saved: LinkSet | None
    use: tuple[int, ...] = ()
    avoid: tuple[int, ...] = ()

    def counted(self, engine: str, context: Context) -> Counted:
        """Count the solutions that the options permit."""
        from bddsudoku.numberlink import count_links
        from bddsudoku.solver import Counted

        began = perf_counter()
        if self.saved is None and not (self.use or self.avoid):
            number = self._made(count_links, context).count
        else:
            number = self.set_of().count()
        engine = "frontier" if self.saved is None else "saved"
        return Counted(number, engine, "", perf_counter() - began)

    def compiled(self, engine: str = "auto") -> Solved:
        """Compile the set of solutions that the options permit; return it and its cost."""
        from bddsudoku.numberlink import compile_links
        from bddsudoku.solver import Solved

        if self.saved is not None:
            found = Solved(self.saved, "saved", "a saved set", 0.0)
        else:
            with self.given.reporting("compiling", self.unit) as context:
                found = self._made(compile_links, context)
        if self.use or self.avoid:
            some = found.solutions.restricted(true=self.use, false=self.avoid)
            found = replace(found, solutions=some)
        return found

    def set_of(self, engine: str = "auto") -> Any:
        """Return the set of solutions that the options permit."""
        return self.compiled().solutions

    def _made(self, make: Callable[[Board, Context], T], context: Context) -> T:
        """Call the engine for the board; if that is too large, end with a message and the file."""
        try:
            return make(self.board, context)
        except ModelError as error:
            fail(f"{self.given.puzzle}: {error}")


def _board(given: Given, rule: Rule | None, no_touch: bool, form: str | None = None) -> LinksAsked:
    """Read FILE: a board, under the rule of the options, or a saved set."""
    from bddsudoku.files import MOST_OF_A_BOARD
    from bddsudoku.numberlink import Board, answer_text
    from bddsudoku.numberlink.solving import load_link_set
    from bddsudoku.solver.source import Source

    if given.as_json and form is not None:
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    with Source(given.puzzle, given.context) as source:
        saved = load_link_set(source)
        if saved is None:
            parsed = Board.parse(source.text(MOST_OF_A_BOARD), source.name)
            board = parsed.under(rule, no_touch or None)
        else:
            board = saved.board
            if rule not in (None, board.rule) or (no_touch and not board.no_touch):
                told = "holds solutions under another rule; compile it anew"
                raise click.UsageError(f"{given.puzzle} {told}")
    head = {
        "puzzle": given.puzzle,
        "width": board.width,
        "height": board.height,
        "pairs": len(board.pairs),
        "rule": board.rule,
        "no_touch": board.no_touch,
    }

    def contest(links: Links) -> str:
        return answer_text(links).removesuffix("\n")

    return LinksAsked(
        given=given,
        head=head,
        question=None,
        text=contest if form == "answer" else str,
        data=_data,
        between="\n",
        unit="cell",
        board=board,
        saved=saved,
    )


def _solutions(
    given: Given,
    rule: Rule | None,
    no_touch: bool,
    use: tuple[str, ...],
    avoid: tuple[str, ...],
    form: str | None = None,
) -> LinksAsked:
    """Read FILE, and the edges that its solutions must use or avoid."""
    asked = _board(given, rule, no_touch, form)
    used, avoided = (
        tuple(_edge(asked.board, text, option) for text in texts)
        for option, texts in (("--use", use), ("--avoid", avoid))
    )
    return replace(asked, use=used, avoid=avoided)


def _data(links: Links) -> Record:
    """Make the JSON members of a solution: length of wire, and paths as points."""
    paths = [[list(links.board.point(cell)) for cell in path] for path in links.paths]
    return {"wire": links.wire, "paths": paths}


def _edge(board: Board, text: str, option: str) -> int:
    """Read the number of the edge between two neighbours, such as ``r1c1-r1c2``."""
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
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "answer"]),
    help="Box-drawing text, or the contest's comma rows.  [default: text]",
)


@acting_on(
    "file",
    _solutions,
    *_RULE,
    click.option("--use", multiple=True, help="Only solutions with this edge, e.g. r1c1-r1c2."),
    click.option("--avoid", multiple=True, help="Only solutions without this edge."),
)
def numberlink() -> None:
    """Numberlink: FILE is a board, a saved set, or - for standard input.

    A board is the contest's text (SIZE 17X15, LINE_NUM 13, LINE#1 (0,0)-(16,10), …), a grid of
    symbols (. is empty, the same symbol twice is a pair), or JSON.
    """


numberlink.action("count", help="The exact number of solutions.")(count)


@numberlink.action(
    "route",
    usual("--rip-up/--no-rip-up", default=True, help="Negotiate."),
    click.option("--perimeter", is_flag=True, help="The perimeter rule first."),
    usual(
        "--rounds", "max_rounds", type=click.IntRange(min=0), default=600, help="At most so many."
    ),
    click.option("--trace", is_flag=True, help="Every step on standard error."),
    seed_option("The same seed gives the same."),
    _FORMAT,
    output_option,
    ask=_board,
    asks=_RULE,
)
def route(
    asked: LinksAsked,
    perimeter: bool,
    trace: bool,
    seed: int | None,
    output: str | None,
    **how: Any,
) -> None:
    """One solution by A*, rip-up and reroute; or "unknown" (exit code 3)."""
    from bddsudoku.numberlink.router import route as search

    board = asked.board
    if perimeter and board.rule == "cover":
        raise click.UsageError("--perimeter may destroy the only solution under cover")
    left = asked.given.context.left
    found = search(board, perimeter=perimeter, seed=seed or 0, time_limit=left, **how)
    if trace:
        for step in found.steps:
            name = board.names[step.pair] if step.pair >= 0 else "-"
            cells = " ".join(board.cell_name(c) for c in step.cells)
            note(f"{step.round}\t{step.action}\t{name}\t{cells}")
    if asked.given.as_json:
        names = "status", "why", "rounds", "starts", "searches", "expanded"
        record = asked.head | {name: getattr(found, name) for name in names}
        record["seconds"] = round(found.seconds, 6)
        record |= _data(found.links) if found.links else {}
        with opened(output) as target:
            target.write(dumps(record) + "\n")
    elif found.links is not None:
        asked.write([found.links], output)
    else:
        click.echo("unknown")
    if found.links is None:
        fail(f"no solution found ({found.why}); that proves nothing: count does", EXIT_LIMIT)


@numberlink.action("enumerate", limit_option, _FORMAT, output_option)
def enumerate_(asked: LinksAsked, limit: int | None, output: str | None) -> None:
    """The solutions, streaming, in the order of the set."""
    asked.write(islice(asked.set_of(), limit), output, asked.head)


numberlink.action(
    "sample",
    number_option,
    seed_option("The same seed draws the same."),
    _FORMAT,
    output_option,
    help="Exactly uniform random solutions.",
)(sample)


@numberlink.action("marginals", target_option("--plot", what="A picture (svg)."))
def marginals(asked: LinksAsked, plot: str | None) -> None:
    """For every edge: the number of solutions that use it."""
    solutions, board = asked.set_of(), asked.board
    counts = solutions.edge_marginals()
    total = solutions.count()
    named = {
        "-".join(map(board.cell_name, board.ends(edge))): str(counts.get(edge, 0))
        for edge in board.edges
    }
    text = "\n".join(["edge,count", *map(",".join, named.items())])
    record = {"count": str(total), "exact": True, "marginals": named}
    asked.given.tell(asked.head | record, text)
    if plot is not None:
        from bddsudoku.numberlink.links import marginals_svg

        share = {e: n / total for e, n in counts.items() if n}
        write_text(plot, marginals_svg(board, share) + "\n")
        note(f"picture written to {plot}")


@numberlink.action("compile", set_option)
def compile_(asked: LinksAsked, output: str | None) -> None:
    """The set of all solutions as a ZDD; --output saves it."""
    done = asked.compiled()
    solutions, cost = done.solutions, done.cost
    record = asked.head | exact(solutions.count(), done.engine, done.seconds)
    record |= {
        "variables": solutions.diagram.levels,
        "nodes": solutions.node_count("zdd"),
        "shortest": solutions.shortest()[0] if solutions else None,
        "longest": solutions.longest()[0] if solutions else None,
    }
    sentence = f", {solutions.diagram.levels:,} variables"
    if solutions:
        sentence += f"; wire {record['shortest']} to {record['longest']}"
    if cost is None:
        del record["seconds"]
    else:
        record |= {
            "symmetry": solutions.info["symmetry"],
            "states": cost.states,
            "width_of_states": cost.width,
            "peak_bytes": cost.peak_bytes,
        }
        sentence += (
            f"; {cost.states:,} states, at most {cost.width:,} a level; {cost.seconds:.2f} s"
        )
    tell_compiled(asked, record, sentence, solutions, output)


@numberlink.action(
    "draw",
    click.option("--index", type=click.IntRange(min=0), help="The solution with this number."),
    output_option,
    json=False,
)
def draw(asked: LinksAsked, index: int | None, output: str | None) -> None:
    """The board as SVG, or with --index the solution of that number."""
    if index is None:
        if asked.use or asked.avoid:
            raise click.UsageError("--use and --avoid choose among solutions: name one by --index")
        picture = asked.board._repr_svg_()
    else:
        solutions = asked.set_of()
        total = solutions.count()
        if index >= total:
            fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
        picture = solutions.unrank(index)._repr_svg_()
    with opened(output) as target:
        target.write(picture + "\n")
