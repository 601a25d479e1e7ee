"""The tiling as a model, and covers as tilings.

A square of the board is an item, to be covered once; a piece that is to be used exactly once is
another item; a placement of a piece is an option.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.constraints import OneHot, Variable
from bddsudoku.model.model import Definition, Model
from bddsudoku.model.ordering import DefinedBy
from bddsudoku.puzzle.tiling.board import Board
from bddsudoku.puzzle.tiling.drawing import Picture
from bddsudoku.puzzle.tiling.pieces import Piece, Symmetry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece on the board.

    Attributes:
        piece: its number in :attr:`Tiling.pieces`.
        cells: (row, column) of the squares it covers, ascending.
    """

    piece: int
    cells: tuple[tuple[int, int], ...]


class Tiling:
    """A board and the pieces that are to fill it, without gaps or overlaps.

    Args:
        board: the squares.
        pieces: the shapes; two with the same shape are different pieces.
        once: True: every piece is used exactly once; False: any number of times, or not at all; or
            the names of those that are used exactly once.
        symmetry: what may be done to a piece.

    Raises:
        PuzzleFormatError: no piece, two pieces of one name, or a name in ``once`` that is none.
    """

    def __init__(
        self,
        board: Board,
        pieces: Iterable[Piece],
        *,
        once: bool | Collection[str] = False,
        symmetry: Symmetry | str = Symmetry.FREE,
    ) -> None:
        self.board = board
        self.pieces = tuple(pieces)
        self.symmetry = Symmetry(symmetry)
        names = [p.name for p in self.pieces]
        if not names:
            raise PuzzleFormatError("expected at least one piece, found none")
        if len(set(names)) != len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise PuzzleFormatError(f"expected every piece once, found {twice!r} twice")
        if isinstance(once, str):
            once = (once,)
        wanted = frozenset(names if once is True else once or ())
        if unknown := sorted(wanted - set(names)):
            raise PuzzleFormatError(f"expected one of the pieces, found {unknown[0]!r}")
        self.once = tuple(i for i, name in enumerate(names) if name in wanted)

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """All ways to lay one piece on the board: the options.

        In order of the first square that they cover (see :attr:`Board.reading_order`), which is
        the natural variable order of a diagram.
        """
        rank = {cell: i for i, cell in enumerate(self.board.reading_order)}
        found = []
        for number, piece in enumerate(self.pieces):
            for shape in piece.orientations(self.symmetry):
                height = 1 + max(r for r, _ in shape)
                width = 1 + max(c for _, c in shape)
                for dr in range(self.board.rows - height + 1):
                    for dc in range(self.board.columns - width + 1):
                        cells = tuple((r + dr, c + dc) for r, c in shape)
                        if all(cell in rank for cell in cells):
                            order = sorted(rank[cell] for cell in cells)
                            found.append((order, number, cells))
        found.sort()
        return tuple(Placement(number, cells) for _, number, cells in found)

    def model(self) -> Model:
        """The tiling as one-hot constraints.

        Families: ``cell`` (one for every square, in :attr:`Board.reading_order`) and ``piece`` (one
        for every piece that is used exactly once). A variable is a placement; its key is the
        number of the placement.
        """
        of_cell: dict[tuple[int, int], list[int]] = {c: [] for c in self.board.reading_order}
        of_piece: dict[int, list[int]] = {p: [] for p in self.once}
        variables = []
        for v, placement in enumerate(self.placements):
            r, c = min(placement.cells)
            variables.append(
                Variable(f"{self.pieces[placement.piece].name}@r{r + 1}c{c + 1}#{v}", v)
            )
            for cell in placement.cells:
                of_cell[cell].append(v)
            if placement.piece in of_piece:
                of_piece[placement.piece].append(v)
        return Model(
            tuple(variables),
            (
                *(
                    OneHot("cell", f"r{r + 1}c{c + 1}", tuple(members))
                    for (r, c), members in of_cell.items()
                ),
                *(
                    OneHot("piece", self.pieces[p].name, tuple(members))
                    for p, members in of_piece.items()
                ),
            ),
        ).made_by(DefinedBy(self._definition()))

    def _definition(self) -> Definition:
        """Each square is covered, and each piece that is used once is laid."""
        return Definition(
            (*self.board.reading_order, *self.once),
            {
                v: (*p.cells, p.piece) if p.piece in self.once else p.cells
                for v, p in enumerate(self.placements)
            },
        )

    def decoder(self) -> TilingDecoder:
        """What turns numbers of placements into pictures."""
        return TilingDecoder(self)

    def decode(self, keys: Iterable[int]) -> tuple[Placement, ...]:
        """The placements with these keys (of a cover), in order."""
        return tuple(self.placements[k] for k in sorted(int(key) for key in keys))

    def is_tiling(self, placements: Iterable[Placement]) -> bool:
        """True when these placements fill the board once and use the pieces as demanded."""
        laid = list(placements)
        cells = sorted(cell for p in laid for cell in p.cells)
        used = [p.piece for p in laid]
        return cells == list(self.board.cells) and all(used.count(p) == 1 for p in self.once)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tiling):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return (self.board, self.pieces, self.once, self.symmetry)

    def owner(self, placements: Iterable[Placement]) -> dict[tuple[int, int], int]:
        """Which placement (its position) covers a square; ``draw`` works from this."""
        return {cell: i for i, p in enumerate(placements) for cell in p.cells}

    def symmetry_images(self) -> NDArray[np.int64]:
        """What the board's symmetries do to placements.

        Returns:
            int64, shape (symmetries, placements), the identity first: the number of the placement
            onto which a placement is moved. A symmetry under which some piece would have to be
            turned over, or turned, against :attr:`symmetry` is left out.
        """
        import numpy as np

        number = {(p.piece, frozenset(p.cells)): i for i, p in enumerate(self.placements)}
        rows = []
        for move in self.board.symmetries():
            row = [
                number.get((p.piece, frozenset(move[cell] for cell in p.cells)))
                for p in self.placements
            ]
            if None not in row:
                rows.append(row)
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.placements))


def orbit_count(images: NDArray[np.int64], covers: Iterable[NDArray[np.int64]]) -> int:
    """How many covers there are up to symmetry, from all of them.

    Args:
        images: as :meth:`Tiling.symmetry_images` gives it; a group.
        covers: every cover once, as its option numbers.

    Cost: one sort for every cover and symmetry; nothing is kept.
    """
    import numpy as np

    smallest = 0
    for cover in covers:
        own = np.sort(cover).astype(np.int64)
        moved = np.sort(images[:, own], axis=1)
        # A cover represents its orbit when no image comes before it.
        different = moved != own
        at = different.argmax(axis=1)
        rows = np.arange(len(moved))
        smallest += not bool((moved[rows, at] < own[at]).any())
    return smallest


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
