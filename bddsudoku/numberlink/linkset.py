"""The set of all solutions of a board, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bddsudoku.errors import DamagedFileError
from bddsudoku.numberlink.links import LinksDecoder
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.source import Source, saved_in

if TYPE_CHECKING:
    from bddsudoku.diagrams.files import Stored
    from bddsudoku.numberlink.board import Board
    from bddsudoku.numberlink.links import Links


class LinkSet(SolutionSet):
    """All solutions of a Numberlink board: a :class:`SolutionSet` over the grid's edges.

    Solutions are :class:`bddsudoku.numberlink.Links`; keys are those of
    :mod:`bddsudoku.numberlink.board`.
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

    @classmethod
    def restored(cls, stored: Stored, decoders: Mapping[str, Any] | None = None) -> Self:
        """The set that a file keeps.

        Raises:
            DamagedFileError: the file is damaged, or holds another puzzle's set.
        """
        known = decoders or {LinksDecoder.kind: LinksDecoder.from_dict}
        made = super().restored(stored, known)
        if made.decoder.kind != LinksDecoder.kind:
            raise DamagedFileError(f"{stored.source}: a saved set, but not of Numberlink solutions")
        return made


def load_link_set(source: str | Path | Source) -> LinkSet | None:
    """A saved set of Numberlink solutions; None for anything else that can be read or not.

    Args:
        source: a path, or what is open already.

    Raises:
        DamagedFileError: the file is damaged, or holds another puzzle's set.
    """
    return saved_in(source, LinkSet.restored)
