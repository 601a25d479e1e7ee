"""The set of all solutions of a Numberlink board, computed by the frontier engine.

Solutions are counted without a diagram, or compiled to a ZDD over the grid's edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, Unpack

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.engine.frontier.forward import count_spec
from bddsudoku.engine.frontier_engine import compile_diagram
from bddsudoku.input_source import InputSource
from bddsudoku.numberlink.link_board import Board
from bddsudoku.numberlink.link_solution import Links, LinksDecoder
from bddsudoku.numberlink.path_spec import best_symmetry, path_spec
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.question import CountResult, SolveResult
from bddsudoku.solver.sources import load_if_saved, other_set_error

if TYPE_CHECKING:
    from bddsudoku.diagrams.set_files import StoredSet
    from bddsudoku.engine.frontier.spec import Spec


class LinkSet(SolutionSet):
    """The set of all solutions of a Numberlink board: a :class:`SolutionSet` over the grid's edges.

    Solutions are :class:`bddsudoku.numberlink.Links`; keys are those of
    :mod:`bddsudoku.numberlink.link_board`.
    """

    @property
    def board(self) -> Board:
        """The board whose solutions this set holds."""
        return self.decoder.board  # type: ignore[no-any-return]

    def edge_marginals(self) -> dict[int, int]:
        """The number of solutions that use each edge, by key."""
        return self.marginals_by_key()

    def shortest(self) -> tuple[int, Links]:
        """The least total length of paths, in edges, and a solution that has it.

        Raises:
            ValueError: there is no solution.
        """
        return self.minimum([1] * len(self.keys))

    def longest(self) -> tuple[int, Links]:
        """The greatest total length of paths, in edges, and a solution that has it.

        Raises:
            ValueError: there is no solution.
        """
        return self.maximum([1] * len(self.keys))

    @classmethod
    def from_stored(cls, stored: StoredSet, decoders: Mapping[str, Any] | None = None) -> Self:
        """Make a set of Numberlink solutions from the content of a file.

        Raises:
            DamagedFileError: the file is damaged.
            PuzzleFormatError: it holds another puzzle's set.
        """
        known = decoders or {LinksDecoder.kind: LinksDecoder.from_dict}
        made = super().from_stored(stored, known)
        if made.decoder.kind != LinksDecoder.kind:
            raise other_set_error(stored, "Numberlink solutions")
        return made


def load_link_set(source: str | Path | InputSource) -> LinkSet | None:
    """Load a saved set of Numberlink solutions; None for any other source.

    Args:
        source: a path, or a source that is open already.

    Raises:
        DamagedFileError, PuzzleFormatError: as for :meth:`LinkSet.from_stored`.
    """
    return load_if_saved(source, LinkSet.from_stored)


def board_spec(board: Board, symmetry: int | None = None) -> tuple[Spec, int]:
    """Return the frontier spec of a board, and which of the eight symmetries was applied.

    Args:
        board: the puzzle.
        symmetry: 0 … 7; by default the one with the fewest states, as predicted.
    """
    cover = board.rule == "cover"
    where = board.width, board.height, board.cell_pairs
    if symmetry is None:
        symmetry = best_symmetry(*where, cover=cover)
    spec = path_spec(*where, cover=cover, symmetry=symmetry)
    return spec, symmetry


@check_types
def count_links(
    board: Board,
    context: Context = UNLIMITED,
    *,
    symmetry: int | None = None,
    **limits: Unpack[Limits],
) -> CountResult:
    """Count the solutions of a board exactly, without a diagram.

    Args:
        board: the puzzle.
        symmetry: as for :func:`board_spec`.

    Raises:
        LimitReached: a limit ended the count.
    """
    context = limited(context, **limits)
    began = perf_counter()
    spec, symmetry = board_spec(board, symmetry)
    number = count_spec(spec, context=context)
    return CountResult(number, "frontier", f"picture {symmetry}", perf_counter() - began)


@check_types
def compile_links(
    board: Board,
    context: Context = UNLIMITED,
    *,
    symmetry: int | None = None,
    **limits: Unpack[Limits],
) -> SolveResult:
    """Compile all solutions of a board to a :class:`LinkSet` on a canonical ZDD over its edges.

    Arguments and errors are those of :func:`count_links`; the order of the answer's cost
    names the image that was swept (:func:`bddsudoku.numberlink.path_spec.cells_of_image`).
    """
    context = limited(context, **limits)
    began = perf_counter()
    spec, symmetry = board_spec(board, symmetry)
    picture = f"picture {symmetry}"
    cost = compile_diagram(spec, context, order=picture, began=began)
    found = LinkSet(cost.diagram, LinksDecoder(board), info={"symmetry": symmetry})
    return SolveResult(found, "frontier", picture, cost.seconds, cost)
