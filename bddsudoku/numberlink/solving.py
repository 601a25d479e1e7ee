"""Numberlink by the frontier engine: how many solutions a board has, and which."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.frontier.compile import count_spec
from bddsudoku.engine.topdown import compiled
from bddsudoku.numberlink.links import LinksDecoder
from bddsudoku.numberlink.linkset import LinkSet
from bddsudoku.numberlink.specs import best_symmetry, path_spec
from bddsudoku.solver.question import Counted, Solved

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.numberlink.board import Board


def spec_of(board: Board, symmetry: int | None = None) -> tuple[Spec, int]:
    """The frontier's spec of a board, and the picture it sweeps.

    Args:
        board: the puzzle.
        symmetry: 0 … 7; by default the one with the fewest states, as predicted.
    """
    cover = board.rule == "cover"
    where = board.width, board.height, board.cell_pairs
    if symmetry is None:
        symmetry = best_symmetry(*where, cover=cover)
    spec = path_spec(*where, cover=cover, no_touch=board.no_touch, symmetry=symmetry)
    return spec, symmetry


def count_links(
    board: Board, context: Context = UNLIMITED, *, symmetry: int | None = None
) -> Counted:
    """The exact number of solutions, without the diagram.

    Args:
        board: the puzzle.
        symmetry: see :func:`spec_of`.

    Raises:
        LimitReached: a limit ended the count.
    """
    began = perf_counter()
    spec, symmetry = spec_of(board, symmetry)
    number = count_spec(spec, context=context)
    return Counted(number, "frontier", f"picture {symmetry}", perf_counter() - began)


def compile_links(
    board: Board, context: Context = UNLIMITED, *, symmetry: int | None = None
) -> Solved:
    """All solutions of a board as a :class:`LinkSet` on a canonical ordered ZDD over its edges.

    Arguments and errors are those of :func:`count_links`; the order of the answer's cost names
    the picture of the board that was swept (:func:`bddsudoku.numberlink.specs.picture`).
    """
    began = perf_counter()
    spec, symmetry = spec_of(board, symmetry)
    picture = f"picture {symmetry}"
    cost = compiled(spec, context, order=picture, began=began)
    found = LinkSet(cost.diagram, LinksDecoder(board), info={"symmetry": symmetry})
    return Solved(found, "frontier", picture, cost.seconds, cost)
