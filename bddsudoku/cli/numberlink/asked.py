"""What ``bddsudoku numberlink`` asks about: a board or a saved set, and the set of solutions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from bddsudoku.cli.actions import asking
from bddsudoku.cli.common import How, fail, progress_bar
from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.numberlink import Board
    from bddsudoku.numberlink.solving import LinkSet
    from bddsudoku.solver import Compiled

Rule: TypeAlias = Literal["free", "cover"]

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

    def counted(self, context: Context) -> int:
        """The number of solutions."""
        from bddsudoku.numberlink import count_links

        if self.saved is not None or self.use or self.avoid:
            return self.solved(context)[0].count()
        with self._fitting():
            return count_links(self.board, context).count

    def solved(self, context: Context) -> tuple[LinkSet, Compiled | None]:
        """The set of solutions, restricted as asked, and what it cost."""
        from bddsudoku.numberlink import compile_links

        solutions, compiled = self.saved, None
        if solutions is None:
            with self._fitting(), progress_bar("compiling", unit="cell") as progress:
                made = compile_links(self.board, context.reporting(progress))
            solutions, compiled = made.solutions, made.cost
        if self.use or self.avoid:
            solutions = solutions.restricted(true=self.use, false=self.avoid)
        return solutions, compiled

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Name the file when its board is too large for the engine."""
        try:
            yield
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
