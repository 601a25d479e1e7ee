"""What a set of tilings needs to speak of pictures: keys to tilings and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.tiling.board import Board
from bddsudoku.puzzle.tiling.drawing import Picture
from bddsudoku.puzzle.tiling.pieces import Piece
from bddsudoku.puzzle.tiling.tiling import Placement, Tiling

__all__ = ["TilingDecoder"]


class TilingDecoder:
    """Decodes covers of a tiling's model into :class:`Picture` objects.

    Args:
        tiling: board and pieces.
    """

    kind = "tiling"

    def __init__(self, tiling: Tiling) -> None:
        self.tiling = tiling
        self._number = {p: i for i, p in enumerate(tiling.placements)}

    @property
    def space(self) -> Hashable:
        """Tilings of the same board with the same pieces can be compared and combined."""
        return (self.kind, self.tiling)

    def decode(self, keys: Sequence[int]) -> Picture:
        """The tiling with these placements."""
        return Picture(self.tiling, self.tiling.decode(keys))

    def encode(self, solution: Picture | Iterable[Placement]) -> Iterable[int]:
        """Keys of a picture's placements.

        Raises:
            PuzzleFormatError: one of them is impossible here.
        """
        placements = solution.placements if isinstance(solution, Picture) else tuple(solution)
        try:
            return [self._number[p] for p in placements]
        except (KeyError, TypeError):
            raise PuzzleFormatError("expected placements of this tiling's pieces") from None

    def merged(self, other: TilingDecoder, both: bool) -> TilingDecoder:
        """The same tiling."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Board and pieces as JSON values."""
        t = self.tiling
        return {
            "kind": self.kind,
            "rows": t.board.rows,
            "columns": t.board.columns,
            "cells": [list(cell) for cell in t.board.cells],
            "pieces": [[p.name, [list(cell) for cell in p.cells]] for p in t.pieces],
            "once": [t.pieces[p].name for p in t.once],
            "symmetry": str(t.symmetry),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TilingDecoder:
        """The decoder that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: the pieces are none.
        """
        board = Board(
            int(data["rows"]), int(data["columns"]), tuple((r, c) for r, c in data["cells"])
        )
        pieces = [Piece.of(name, ((r, c) for r, c in cells)) for name, cells in data["pieces"]]
        return cls(Tiling(board, pieces, once=list(data["once"]), symmetry=data["symmetry"]))
