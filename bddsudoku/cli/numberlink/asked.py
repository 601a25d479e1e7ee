"""What ``bddsudoku numberlink`` asks about: a board or a saved set, and the set of solutions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.common import progress_bar

if TYPE_CHECKING:
    from bddsudoku.puzzle.numberlink import Board
    from bddsudoku.solver import Compiled
    from bddsudoku.solver.links import LinkSet

__all__ = ["Asked", "ask", "solved"]

_EDGE = re.compile(r"r(\d+)c(\d+)-r(\d+)c(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
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


def ask(file: str, values: dict[str, Any]) -> Asked:
    """What FILE stands for, under the rule that the options name."""
    from bddsudoku.puzzle.numberlink import Board
    from bddsudoku.solver.links import load_link_set
    from bddsudoku.solver.source import Source

    with Source(file) as source:
        saved = load_link_set(source)
        if saved is None:
            board = Board.parse(source.text(), source.name)
            board = board.under(values["rule"], values["no_touch"] or None)
            return Asked(file, board, None, values)
    if values["rule"] not in (None, saved.board.rule) or (
        values["no_touch"] and not saved.board.no_touch
    ):
        raise click.UsageError(f"{file} holds solutions under another rule; compile it anew")
    return Asked(file, saved.board, saved, values)


def solved(asked: Asked) -> tuple[LinkSet, Compiled | None]:
    """The set of solutions, restricted as asked, and what it cost."""
    from bddsudoku.solver import compile_links

    compiled = None
    use, avoid = asked.edges("use"), asked.edges("avoid")
    if asked.saved is not None:
        solutions = asked.saved
    else:
        with progress_bar("compiling", unit="cell") as progress:
            made = compile_links(asked.board, asked.values["limits"], progress)
        solutions, compiled = made.solutions, made.cost
    if use or avoid:
        solutions = solutions.restricted(true=use, false=avoid)
    return solutions, compiled
