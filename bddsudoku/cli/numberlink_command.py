"""Command ``bddsudoku numberlink FILE ACTION``: count, sample, draw and other actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bddsudoku.cli.actions import action_group, enumerate_, marginals
from bddsudoku.cli.command_base import CommandRequest, Record, fail
from bddsudoku.cli.options import (
    limit_option,
    marginals_format,
    output_file_option,
    output_option,
    refuse_other_pictures,
)
from bddsudoku.cli.subjects import ActionSubject, MarginalTable
from bddsudoku.errors import ModelError
from bddsudoku.file_io import write_text

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.numberlink import Board, Links, LinkSet, Rule
    from bddsudoku.solver import CountResult, SolveResult

T = TypeVar("T")


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

        if self.saved is None and not (self.use or self.avoid):
            return self._run_engine(count_links, context)
        found = self.compile_solutions()
        return CountResult(found.solutions.count(), found.engine, found.why, found.seconds)

    def compile_solutions(self, engine: str = "auto") -> SolveResult:
        """Compile the set of solutions that the options permit; return it and its cost."""
        from bddsudoku.numberlink import compile_links
        from bddsudoku.solver.dispatch import saved_set_result

        if self.saved is not None:
            found = saved_set_result(self.saved)
        else:
            with self.request.with_progress_bar("compiling", self.unit) as context:
                found = self._run_engine(compile_links, context)
        if self.use or self.avoid:
            restricted = found.compiled_set.restrict(true=self.use, false=self.avoid)
            found = replace(found, solutions=restricted)
        return found

    def iterate_solutions(self, limit: int | None, seed: int | None) -> Iterator[Links]:
        """Yield the solutions in the order of their set."""
        return islice(self.compile_solutions().solutions, limit)

    def size_members(self, compiled: SolveResult) -> Record:
        """Make the JSON members about the set: its size, lengths of solutions, what it cost."""
        solutions: Any = compiled.solutions
        record = super().size_members(compiled)
        record |= {
            "shortest": solutions.shortest()[0] if solutions else None,
            "longest": solutions.longest()[0] if solutions else None,
            "symmetry": solutions.info["symmetry"],
            "width_of_states": record["width"],
        }
        del record["width"]  # the board's
        return record

    def first_picture(self) -> Board:
        """The board itself."""
        if self.use or self.avoid:
            raise click.UsageError("--use and --avoid choose among solutions: name one by --index")
        return self.board

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
    from bddsudoku.numberlink import Board, answer_text
    from bddsudoku.numberlink.link_sets import load_link_set
    from bddsudoku.puzzle.sudoku.text.reader import open_source

    if request.as_json and form is not None:
        raise click.UsageError("--json writes lines of JSON; leave --format out")
    with open_source(request.puzzle, request.context) as source:
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

    def marginal_table(found: LinkSet) -> MarginalTable:
        counts = found.edge_marginals()
        return ("edge", "solutions"), [
            ("-".join(map(board.cell_name, board.ends(edge))), counts.get(edge, 0))
            for edge in board.edges
        ]

    return NumberlinkSubject(
        request=request,
        common_members=head,
        question=None,
        to_text=(lambda links: answer_text(links).rstrip("\n")) if form == "answer" else str,
        to_record=lambda links: head | _links_record(links),
        pictures={"svg": lambda drawn: drawn._repr_svg_()},
        marginal_table=marginal_table,
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
    for edge in board.edges:
        if {*map(board.cell_name, board.ends(edge))} == {*text.lower().split("-")}:
            return edge
    raise click.BadParameter(
        f"expected two neighbours on the {board.size} board such as r1c1-r1c2, found {text!r}",
        param_hint=option,
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


_FORMAT_OPTION = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "answer"]),
    help="Box-drawing text, or the contest's comma rows.  [default: text]",
)
_add = partial(numberlink.add_shared_actions, "solutions", has_engines=False)
_add("count", "compile")
_add("sample", "unrank", options=[_FORMAT_OPTION])
_add("draw", json=False)
numberlink.action(
    "enumerate",
    limit_option,
    _FORMAT_OPTION,
    output_option,
    help="The solutions one by one, in the order in which their ZDD lists them.",
)(enumerate_)


@numberlink.action(
    "marginals",
    marginals_format("csv", "table"),
    output_file_option("--plot", help="A picture (svg).", accept=refuse_other_pictures),
)
def plot_marginals(subject: NumberlinkSubject, style: str, plot: str | None) -> None:
    """For every edge: the number of solutions that use it."""
    solutions = marginals(subject, style)
    if plot is not None:
        from bddsudoku.numberlink.link_solution import marginals_svg

        fractions = {e: n / solutions.count() for e, n in solutions.edge_marginals().items() if n}
        write_text(plot, marginals_svg(subject.board, fractions) + "\n")
