"""Command ``bddsudoku numberlink FILE ACTION``: count, sample, draw and other actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bddsudoku.cli.actions import ActionSubject, action_group, count, sample, save_and_print_set
from bddsudoku.cli.command_base import (
    CommandRequest,
    Record,
    exact_count_record,
    fail,
    open_output,
)
from bddsudoku.cli.options import (
    limit_option,
    number_option,
    output_file_option,
    output_option,
    save_set_option,
    seed_option,
)
from bddsudoku.errors import ModelError
from bddsudoku.file_io import write_text

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.numberlink import Board, Links, LinkSet, Rule
    from bddsudoku.solver import CountResult, SolveResult

T = TypeVar("T")

_EDGE = re.compile(r"r(\d{1,9})c(\d{1,9})-r(\d{1,9})c(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class NumberlinkSubject(ActionSubject):
    """The subject of an action: a board or a saved set, with edges to use or to avoid.

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

    def count_solutions(self, engine: str, context: Context) -> CountResult:
        """Count the solutions that the options permit."""
        from bddsudoku.numberlink import count_links
        from bddsudoku.solver import CountResult

        began = perf_counter()
        if self.saved is None and not (self.use or self.avoid):
            number = self._run_engine(count_links, context).count
        else:
            number = self.solution_set().count()
        engine = "frontier" if self.saved is None else "saved"
        return CountResult(number, engine, "", perf_counter() - began)

    def compile_solutions(self, engine: str = "auto") -> SolveResult:
        """Compile the set of solutions that the options permit; return it and its cost."""
        from bddsudoku.numberlink import compile_links
        from bddsudoku.solver import SolveResult

        if self.saved is not None:
            found = SolveResult(self.saved, "saved", "a saved set", 0.0)
        else:
            with self.request.with_progress_bar("compiling", self.unit) as context:
                found = self._run_engine(compile_links, context)
        if self.use or self.avoid:
            restricted = found.compiled_set.restrict(true=self.use, false=self.avoid)
            found = replace(found, solutions=restricted)
        return found

    def solution_set(self, engine: str = "auto") -> Any:
        """Return the set of solutions, restricted to what the options --use and --avoid allow."""
        return self.compile_solutions().solutions

    def _run_engine(self, engine_function: Callable[[Board, Context], T], context: Context) -> T:
        """Call an engine for the board; if the board is too large, end with an error."""
        try:
            return engine_function(self.board, context)
        except ModelError as error:
            fail(f"{self.request.puzzle}: {error}")


def _read_board_subject(
    request: CommandRequest,
    rule: Rule | None,
    use: tuple[str, ...],
    avoid: tuple[str, ...],
    form: str | None = None,
) -> NumberlinkSubject:
    """Read FILE, a board or a saved set; apply the rule and the edges of the options to it."""
    from bddsudoku.file_io import MAX_BOARD_BYTES
    from bddsudoku.input_source import InputSource
    from bddsudoku.numberlink import Board, answer_text
    from bddsudoku.numberlink.link_sets import load_link_set

    if request.as_json and form is not None:
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    with InputSource(request.puzzle, request.context) as source:
        saved = load_link_set(source)
        if saved is None:
            parsed = Board.parse(source.text(MAX_BOARD_BYTES), source.name)
            board = parsed.with_rule(rule)
        else:
            board = saved.board
            if rule not in (None, board.rule):
                message = "holds solutions under another rule; compile it anew"
                raise click.UsageError(f"{request.puzzle} {message}")
    head = {
        "puzzle": request.puzzle,
        "width": board.width,
        "height": board.height,
        "pairs": len(board.pairs),
        "rule": board.rule,
    }

    def contest(links: Links) -> str:
        return answer_text(links).removesuffix("\n")

    return NumberlinkSubject(
        request=request,
        common_members=head,
        question=None,
        to_text=contest if form == "answer" else str,
        to_record=_links_record,
        separator="\n",
        unit="cell",
        board=board,
        saved=saved,
        use=tuple(_parse_edge(board, text, "--use") for text in use),
        avoid=tuple(_parse_edge(board, text, "--avoid") for text in avoid),
    )


def _links_record(links: Links) -> Record:
    """Make the JSON members of a solution: the length of all paths, and the points of each path."""
    paths = [[list(links.board.point(cell)) for cell in path] for path in links.paths]
    return {"wire": links.wire, "paths": paths}


def _parse_edge(board: Board, text: str, option: str) -> int:
    """Convert an edge given as text, such as ``r1c1-r1c2``, to its number on the board."""
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


_FORMAT_OPTION = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "answer"]),
    help="Box-drawing text, or the contest's comma rows.  [default: text]",
)


@action_group(
    "file",
    _read_board_subject,
    click.option(
        "--rule",
        type=click.Choice(["free", "cover"]),
        help="May cells stay empty?  [default: what FILE says, else free]",
    ),
    click.option("--use", multiple=True, help="Only solutions with this edge, e.g. r1c1-r1c2."),
    click.option("--avoid", multiple=True, help="Only solutions without this edge."),
)
def numberlink() -> None:
    """Count, list, sample or draw the solutions of a Numberlink board.

    FILE is a saved set, - for standard input, or a board: the contest's text (SIZE 17X15, LINE_NUM
    13, LINE#1 (0,0)-(16,10), …), a grid of symbols (. is empty, a symbol twice is a pair), or JSON.
    """


numberlink.action("count", help="The exact number of solutions.")(count)


@numberlink.action("enumerate", limit_option, _FORMAT_OPTION, output_option)
def enumerate_(subject: NumberlinkSubject, limit: int | None, output: str | None) -> None:
    """Write the solutions one by one, in the order in which their ZDD lists them."""
    subject.write_solutions(islice(subject.solution_set(), limit), output, subject.common_members)


numberlink.action(
    "sample",
    number_option,
    seed_option("The same seed draws the same."),
    _FORMAT_OPTION,
    output_option,
    help="Exactly uniform random solutions.",
)(sample)


@numberlink.action("marginals", output_file_option("--plot", help="A picture (svg)."))
def marginals(subject: NumberlinkSubject, plot: str | None) -> None:
    """For every edge: the number of solutions that use it."""
    solutions, board = subject.solution_set(), subject.board
    counts = solutions.edge_marginals()
    total = solutions.count()
    named = {
        "-".join(map(board.cell_name, board.ends(edge))): str(counts.get(edge, 0))
        for edge in board.edges
    }
    text = "\n".join(["edge,count", *map(",".join, named.items())])
    record = {"count": str(total), "exact": True, "marginals": named}
    subject.request.print_answer(subject.common_members | record, text)
    if plot is not None:
        from bddsudoku.numberlink.link_solution import marginals_svg

        fractions = {e: n / total for e, n in counts.items() if n}
        write_text(plot, marginals_svg(board, fractions) + "\n")


@numberlink.action("compile", save_set_option)
def compile_(subject: NumberlinkSubject, output: str | None) -> None:
    """The set of all solutions as a ZDD; --output saves it."""
    compiled = subject.compile_solutions()
    solutions: Any = compiled.solutions
    cost = compiled.cost
    record = subject.common_members | exact_count_record(
        solutions.count(), compiled.engine, compiled.seconds
    )
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
    save_and_print_set(subject, record, sentence, solutions, output)


@numberlink.action(
    "draw",
    click.option("--index", type=click.IntRange(min=0), help="The solution with this number."),
    output_option,
    json=False,
)
def draw(subject: NumberlinkSubject, index: int | None, output: str | None) -> None:
    """Draw the board as SVG or, with --index, the solution that has this number."""
    if index is None:
        if subject.use or subject.avoid:
            raise click.UsageError("--use and --avoid choose among solutions: name one by --index")
        picture = subject.board._repr_svg_()
    else:
        solutions = subject.solution_set()
        total = solutions.count()
        if index >= total:
            fail(f"no solution has number {index}: there are {total}, numbered from 0", 2)
        picture = solutions.unrank(index)._repr_svg_()
    with open_output(output) as target:
        target.write(picture + "\n")
