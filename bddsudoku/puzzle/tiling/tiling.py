"""Polyomino tiling as an exact cover model, and drawings of its solutions in text and SVG.

A square of the board is an item, to be covered once, and so is a piece that is to be used exactly
once; a placement of a piece is an option.

Colours are those of Okabe & Ito (jfly.uni-koeln.de/color), which can be distinguished with
any of the common kinds of colour blindness. Neighbouring pieces get different ones, and there is a
line between them anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.model import Model
from bddsudoku.puzzle.exact_cover import OptionDecoder, check_unique, cover_model
from bddsudoku.puzzle.tiling.polyomino import Board, Cell, Cells, Piece, Symmetry, height_and_width

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64

PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
"""Colours of Okabe & Ito without black, which is the colour of lines."""
_SIDE = 28
"""Side of a square in SVG, in pixels."""
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""Box-drawing characters by the set of their four arms: 1 up, 2 right, 4 down, 8 left."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement of a piece: the piece's number in :attr:`Tiling.pieces`, and sorted squares."""

    piece: int
    cells: Cells


@dataclass(frozen=True, init=False, repr=False)
class Tiling:
    """A tiling problem: a board and the pieces that are to fill it without gaps or overlaps.

    Args:
        board: the squares.
        pieces: the shapes. Pieces of one shape (as ``symmetry`` turns it) are equal: they are laid
            as often as all of them together, and each picture is one tiling.
        once: True: every piece is used exactly once; False: any number of times, or not at all; or
            the names of those that are used exactly once.
        symmetry: the rotations and reflections that are allowed to a piece.

    Raises:
        PuzzleFormatError: no piece, two pieces of one name, or an unknown name in ``once``.
    """

    board: Board
    pieces: tuple[Piece, ...]
    once: tuple[int, ...]
    symmetry: Symmetry

    @check_types
    def __init__(
        self,
        board: Board,
        pieces: Iterable[Piece],
        *,
        once: bool | Collection[str] = False,
        symmetry: Symmetry | str = Symmetry.FREE,
    ) -> None:
        laid = tuple(pieces)
        names = [p.name for p in laid]
        if not names:
            raise PuzzleFormatError("expected at least one piece, found none")
        check_unique(names, "piece")
        if isinstance(once, str):
            once = (once,)
        wanted = frozenset(names if once is True else once or ())
        if unknown := sorted(wanted - set(names)):
            raise PuzzleFormatError(f"expected one of the pieces, found {unknown[0]!r}")
        self.__dict__.update(
            board=board,
            pieces=laid,
            once=tuple(i for i, name in enumerate(names) if name in wanted),
            symmetry=Symmetry(symmetry),
        )

    @cached_property
    def equal_pieces(self) -> dict[tuple[Cells, ...], list[int]]:
        """The numbers of the pieces that have the same allowed orientations, by these.

        The first of them stands in :attr:`placements` for all.
        """
        found: dict[tuple[Cells, ...], list[int]] = {}
        for number, piece in enumerate(self.pieces):
            found.setdefault(tuple(piece.orientations(self.symmetry)), []).append(number)
        return found

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """All ways to place one piece on the board: the options of the exact cover problem.

        They are ordered by the first square that they cover (see :attr:`Board.reading_order`),
        which is the natural variable order of a diagram.
        """
        rank = {cell: i for i, cell in enumerate(self.board.reading_order)}
        found = []
        for shapes, (number, *_) in self.equal_pieces.items():
            for shape in shapes:
                height, width = height_and_width(shape)
                down, right = self.board.rows - height + 1, self.board.columns - width + 1
                for dr, dc in product(range(down), range(right)):
                    cells = tuple([(r + dr, c + dc) for r, c in shape])
                    if all(cell in rank for cell in cells):
                        order = sorted(rank[cell] for cell in cells)
                        found.append((order, number, cells))
        found.sort()
        return tuple(Placement(number, cells) for _, number, cells in found)

    def model(self) -> Model:
        """The model: one variable per placement, one-hot constraints on squares and pieces.

        Families: ``cell`` (one for every square, in :attr:`Board.reading_order`) and ``piece`` (one
        for every piece that is used exactly once, a number of times for equal pieces). A variable
        is a placement; its key is the number of the placement.
        """
        times: dict[int, tuple[int, int]] = {}
        for equal in self.equal_pieces.values():
            if least := len({*equal} & {*self.once}):
                times[equal[0]] = least, least if least == len(equal) else self.board.area
        options = {}
        for v, placement in enumerate(self.placements):
            r, c = min(placement.cells)
            piece = placement.piece
            options[v] = (
                f"{self.pieces[piece].name}@r{r + 1}c{c + 1}#{v}",
                (*placement.cells, piece) if piece in times else placement.cells,
            )
        cells = {(r, c): ("cell", f"r{r + 1}c{c + 1}") for r, c in self.board.reading_order}
        return cover_model(
            options,
            cells | {p: ("piece", self.pieces[p].name) for p in times},
            {p: bounds for p, bounds in times.items() if bounds != (1, 1)},
        )

    def decoder(self) -> TilingDecoder:
        """The decoder from placement numbers to tilings (:class:`TilingPicture`) and back."""
        return TilingDecoder(self)

    def symmetry_images(self) -> I64:
        """Tabulate onto which placement each symmetry of the board moves each placement.

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


def count_orbits(images: I64, covers: Iterable[I64]) -> int:
    """Count the covers up to symmetry, given all covers as arrays of option numbers.

    The images are those of :meth:`Tiling.symmetry_images`. Cost: one sort for every cover and
    symmetry; no memory.
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


class TilingPicture:
    """One tiling and its drawings in text and SVG; squares that no piece covers stay empty.

    ``owner`` has for each square the position of the placement that covers it.
    """

    def __init__(self, tiling: Tiling, placements: Iterable[Placement]) -> None:
        self.tiling = tiling
        self.placements: tuple[Placement, ...] = tuple(placements)
        self.owner: dict[Cell, int] = {
            cell: i for i, p in enumerate(self.placements) for cell in p.cells
        }

    def _placement_at(self, r: int, c: int) -> int:
        """Number of the placement on a square; -1 for none, -2 where the board has no square."""
        return self.owner.get((r, c), -1) if (r, c) in self.tiling.board else -2

    def text(self) -> str:
        """The board in box-drawing characters, with a line around every piece."""
        board, piece = self.tiling.board, self._placement_at
        lines = []
        for r in range(board.rows + 1):
            line = row = ""
            for c in range(board.columns + 1):
                above_left, above = piece(r - 1, c - 1), piece(r - 1, c)
                left, current = piece(r, c - 1), piece(r, c)
                up, right, down = above_left != above, above != current, left != current
                line += _CORNERS[up + 2 * right + 4 * down + 8 * (above_left != left)]
                line += "───" if right else "   "
                row += "│   " if down else "    "
            lines += [line.rstrip(), row.rstrip()]
        return "\n".join(lines[:-1])

    def letters(self) -> str:
        """The board with one letter per square; neighbouring pieces have different letters.

        Squares that are not on the board are ``.``, squares that nothing covers ``?``.
        """
        board = self.tiling.board
        signs = dict.fromkeys(board.cells, "?")
        colours = map_colouring(self.owner, len(self.placements))
        signs |= {cell: chr(ord("A") + colours[i]) for cell, i in self.owner.items()}
        return "\n".join(
            "".join(signs.get((r, c), ".") for c in range(board.columns)) for r in range(board.rows)
        )

    def svg(self) -> str:
        """The tiling as a self-contained SVG picture."""
        board, size, piece = self.tiling.board, _SIDE, self._placement_at
        colours = map_colouring(self.owner, len(self.placements))
        width, height = board.columns * size + 4, board.rows * size + 4

        def squares(cells: Iterable[Cell]) -> str:
            return "".join(f"M{c * size} {r * size}h{size}v{size}h-{size}z" for r, c in cells)

        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="-2 -2 {width} {height}" role="img">',
            f"<title>{board.rows}x{board.columns} board, {len(self.placements)} pieces</title>",
        ]
        for colour, placement in zip(colours, self.placements, strict=True):
            name = escape(self.tiling.pieces[placement.piece].name)
            parts.append(
                f'<path fill="{PALETTE[colour % len(PALETTE)]}" d="{squares(placement.cells)}">'
                f"<title>{name}</title></path>"
            )
        if bare := squares(cell for cell in board.cells if cell not in self.owner):
            parts.append(f'<path fill="#ffffff" d="{bare}"/>')
        lines = ""
        for r, c in product(range(board.rows + 1), range(board.columns + 1)):
            start = f"M{c * size} {r * size}"
            lines += f"{start}h{size}" if piece(r - 1, c) != piece(r, c) else ""
            lines += f"{start}v{size}" if piece(r, c - 1) != piece(r, c) else ""
        parts += [
            '<path fill="none" stroke="#000000" stroke-width="2" stroke-linecap="square" '
            f'd="{lines}"/>',
            "</svg>",
        ]
        return "\n".join(parts)

    _repr_svg_ = svg

    def __str__(self) -> str:
        return self.text()

    def __iter__(self) -> Iterator[Placement]:
        return iter(self.placements)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TilingPicture):
            return NotImplemented
        return self.tiling == other.tiling and set(self.placements) == set(other.placements)

    def __hash__(self) -> int:
        return hash(frozenset(self.placements))


def map_colouring(placement_at: Mapping[Cell, int], count: int) -> Sequence[int]:
    """Colour placements so that those that share an edge differ; return each one's colour number.

    Each gets the least number that none before it has with which it shares an edge.
    """
    earlier: list[set[int]] = [set() for _ in range(count)]
    for (r, c), placement in placement_at.items():
        for cell in ((r + 1, c), (r, c + 1)):
            neighbour = placement_at.get(cell, placement)
            earlier[max(placement, neighbour)].add(min(placement, neighbour))
    colours: list[int] = []
    for v in range(count):
        taken = {colours[u] for u in earlier[v] if u < v}
        colours.append(min({*range(len(taken) + 1)} - taken))
    return colours


class TilingDecoder(OptionDecoder):
    """Converter between placement numbers and tilings, as :class:`TilingPicture` objects."""

    kind = "tiling"
    wanted = "placements of this tiling's pieces"

    def __init__(self, tiling: Tiling) -> None:
        super().__init__(tiling, tiling.placements)

    def decode(self, keys: Sequence[int]) -> TilingPicture:
        """Return the tiling that consists of the placements with the given numbers."""
        return TilingPicture(self.problem, super().decode(keys))

    def to_dict(self) -> dict[str, Any]:
        """The tiling problem (board, pieces, pieces used once, symmetry) as JSON values."""
        t = self.problem
        return {
            "kind": self.kind,
            "rows": t.board.rows,
            "columns": t.board.columns,
            "cells": [list(cell) for cell in t.board.cells],
            "pieces": [[p.name, [list(cell) for cell in p.cells]] for p in t.pieces],
            "once": [t.pieces[p].name for p in t.once],
            "symmetry": str(t.symmetry),
            "placements": len(t.placements),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TilingDecoder:
        """The decoder described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: the data are of a version that told equal pieces apart.
        """
        board = Board(
            int(data["rows"]), int(data["columns"]), tuple((r, c) for r, c in data["cells"])
        )
        pieces = [Piece.of(name, ((r, c) for r, c in cells)) for name, cells in data["pieces"]]
        tiling = Tiling(board, pieces, once=list(data["once"]), symmetry=data["symmetry"])
        if "placements" not in data and len(tiling.equal_pieces) < len(pieces):
            raise PuzzleFormatError("a set of tilings in which equal pieces were told apart")
        return cls(tiling)
