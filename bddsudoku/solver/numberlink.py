"""Numberlink: the set of all solutions of a board."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

from bddsudoku.errors import DamagedFileError
from bddsudoku.puzzle.numberlink.decode import LinksDecoder
from bddsudoku.solutions.solutionset import SolutionSet

if TYPE_CHECKING:
    from bddsudoku.engine.frontier import LevelTrace
    from bddsudoku.engine.frontier.spec import Spec
    from bddsudoku.puzzle.numberlink.board import Board
    from bddsudoku.puzzle.numberlink.links import Links
    from bddsudoku.solver.engines import Limits

__all__ = ["CompiledLinks", "LinkSet", "compile_links", "count_links", "load_link_set", "spec_of"]


class LinkSet(SolutionSet):
    """All solutions of a Numberlink board: a :class:`SolutionSet` over the grid's edges.

    Solutions are :class:`bddsudoku.puzzle.numberlink.Links`; keys are those of
    :mod:`bddsudoku.puzzle.numberlink.board`.
    """

    @property
    def board(self) -> Board:
        """What was asked."""
        return self.decoder.board  # type: ignore[no-any-return]

    def edge_marginals(self) -> dict[int, int]:
        """In how many solutions every edge is used, by key."""
        counts = (int(n) for n in self.marginals())
        return dict(zip(self.keys.tolist(), counts, strict=True))

    def shortest(self) -> tuple[int, Links]:
        """The least total wire, in edges, and a solution that has it.

        Raises:
            ValueError: there is no solution.
        """
        return self.minimum([1] * len(self.keys))

    def longest(self) -> tuple[int, Links]:
        """The greatest total wire, in edges, and a solution that has it.

        Raises:
            ValueError: there is no solution.
        """
        return self.maximum([1] * len(self.keys))

    def using(self, edges: Collection[int]) -> Self:
        """The solutions that use all of these edges."""
        return self.restricted(true=edges)

    def avoiding(self, edges: Collection[int]) -> Self:
        """The solutions that use none of these edges."""
        return self.restricted(false=edges)

    @classmethod
    def load(cls, path: str | Path, decoders: Mapping[str, Any] | None = None) -> Self:
        """A saved set, memory-mapped.

        Raises:
            DamagedFileError: the file is damaged, or holds another puzzle's set.
        """
        from bddsudoku.solutions.files import load

        loaded = load(Path(path), decoders or {LinksDecoder.kind: LinksDecoder.from_dict})
        if loaded.decoder.kind != LinksDecoder.kind:
            raise DamagedFileError(f"{path}: a saved set, but not of Numberlink solutions")
        return cls(
            loaded.diagram,
            loaded.decoder,
            fixed=loaded.fixed,
            info=loaded.info,
            count=loaded._count,
        )


@dataclass(frozen=True)
class CompiledLinks:
    """A board's set of solutions and what it cost.

    Attributes:
        solutions: the set.
        symmetry: which picture of the board was swept
            (:func:`bddsudoku.engine.specs.grid.edge_labels`).
        states: states of all levels.
        width: states of the widest level.
        levels: the engine's trace, one entry a cell.
        seconds: everything, the choice of the picture included.
        choice_seconds: that choice alone.
        peak_bytes: greatest sum of the engine's arrays.
    """

    solutions: LinkSet
    symmetry: int
    states: int
    width: int
    levels: tuple[LevelTrace, ...]
    seconds: float
    choice_seconds: float
    peak_bytes: int


def spec_of(board: Board, symmetry: int | None = None) -> tuple[Spec, int]:
    """The frontier's spec of a board, and the picture it sweeps.

    Args:
        board: the puzzle.
        symmetry: 0 … 7; by default the one with the fewest states, as predicted.
    """
    from bddsudoku.engine.specs.no_touch import no_touch_spec
    from bddsudoku.engine.specs.numberlink import path_spec
    from bddsudoku.engine.specs.orientation import best_symmetry

    cover = board.rule == "cover"
    pairs = board.cell_pairs
    if symmetry is None:
        symmetry = best_symmetry(board.width, board.height, pairs, cover=cover)
    make = no_touch_spec if board.no_touch else path_spec
    return make(board.width, board.height, pairs, cover=cover, symmetry=symmetry), symmetry


def count_links(board: Board, limits: Limits | None = None, *, symmetry: int | None = None) -> int:
    """The exact number of solutions, without the diagram.

    Args:
        board: the puzzle.
        limits: memory and time.
        symmetry: see :func:`spec_of`.

    Raises:
        LimitReached: a limit ended the count.
    """
    from bddsudoku.engine.frontier import count_spec
    from bddsudoku.solver.engines import Limits

    limits = limits or Limits()
    spec, _ = spec_of(board, symmetry)
    return count_spec(
        spec,
        max_memory=limits.memory,
        time_limit=limits.left,
        progress=limits.level,
    )


def compile_links(
    board: Board, limits: Limits | None = None, *, symmetry: int | None = None
) -> CompiledLinks:
    """All solutions of a board as a set on a canonical ordered ZDD over its edges.

    Arguments and errors are those of :func:`count_links`.
    """
    from bddsudoku.engine.frontier import compile_spec
    from bddsudoku.solver.engines import Limits

    began = perf_counter()
    limits = limits or Limits()
    spec, symmetry = spec_of(board, symmetry)
    chosen = perf_counter() - began
    compiled = compile_spec(
        spec,
        max_memory=limits.memory,
        time_limit=limits.left,
        progress=limits.level,
    )
    return CompiledLinks(
        LinkSet(compiled.diagram, LinksDecoder(board), info={"symmetry": symmetry}),
        symmetry,
        compiled.states,
        compiled.width,
        compiled.levels,
        perf_counter() - began,
        chosen,
        compiled.peak_bytes,
    )


def load_link_set(path: str | Path) -> LinkSet | None:
    """A saved set of Numberlink solutions; None when the file is no saved set at all.

    Raises:
        DamagedFileError: the file is damaged, or holds another puzzle's set.
    """
    from bddsudoku.solutions.magic import is_saved_set

    if not Path(path).is_file() or not is_saved_set(Path(path)):
        return None
    return LinkSet.load(path)
