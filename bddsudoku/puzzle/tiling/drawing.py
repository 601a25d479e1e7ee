"""Tilings to look at: box-drawing text, SVG, notebooks.

Colours are those of Okabe & Ito (jfly.uni-koeln.de/color), which people with any of the common
kinds of colour blindness can tell apart. Neighbouring pieces get different ones, and there is a
line between them anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from bddsudoku.puzzle.tiling.board import Board

if TYPE_CHECKING:
    from bddsudoku.puzzle.tiling.tiling import Placement, Tiling

PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
"""Okabe & Ito without black, which is for the lines."""

# Box-drawing characters by which of the four arms (up, right, down, left) are there.
_CORNERS = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_UP, _RIGHT, _DOWN, _LEFT = 1, 2, 4, 8


class Picture:
    """One tiling, drawn.

    Args:
        tiling: board and pieces.
        placements: what lies on the board; squares that nothing covers stay empty.
        cell: side of a square in the SVG, in pixels.
    """

    def __init__(self, tiling: Tiling, placements: Iterable[Placement], *, cell: int = 28) -> None:
        self.tiling = tiling
        self.placements = tuple(placements)
        self.cell = cell

    def text(self) -> str:
        """The board with a line around every piece."""
        board = self.tiling.board
        owner = self.tiling.owner(self.placements)

        def piece(r: int, c: int) -> int:
            if (r, c) not in board:
                return -2
            return owner.get((r, c), -1)

        lines = []
        for r in range(board.rows + 1):
            line = ""
            for c in range(board.columns + 1):
                above_left, above = piece(r - 1, c - 1), piece(r - 1, c)
                left, here = piece(r, c - 1), piece(r, c)
                arms = (
                    (above_left != above) * _UP
                    + (above != here) * _RIGHT
                    + (left != here) * _DOWN
                    + (above_left != left) * _LEFT
                )
                line += _CORNERS[arms] + ("───" if above != here else "   ")
            lines.append(line.rstrip())
            if r < board.rows:
                row = "".join(
                    ("│" if piece(r, c - 1) != piece(r, c) else " ") + "   "
                    for c in range(board.columns + 1)
                )
                lines.append(row.rstrip())
        return "\n".join(lines)

    def letters(self) -> str:
        """The board with one letter a square; neighbouring pieces have different letters.

        Squares that are not on the board are ``.``, squares that nothing covers ``?``.
        """
        board = self.tiling.board
        owner = self.tiling.owner(self.placements)
        colours = colouring(board, owner, len(self.placements))
        return "\n".join(
            "".join(
                "."
                if (r, c) not in board
                else chr(ord("A") + colours[owner[r, c]])
                if (r, c) in owner
                else "?"
                for c in range(board.columns)
            )
            for r in range(board.rows)
        )

    def svg(self) -> str:
        """The tiling as a self-contained SVG picture."""
        board, size = self.tiling.board, self.cell
        owner = self.tiling.owner(self.placements)
        colours = colouring(board, owner, len(self.placements))
        width, height = board.columns * size, board.rows * size
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 4}" height="{height + 4}" '
            f'viewBox="-2 -2 {width + 4} {height + 4}" role="img">',
            f"<title>{escape(self._title())}</title>",
        ]
        for i, placement in enumerate(self.placements):
            name = escape(self.tiling.pieces[placement.piece].name)
            squares = "".join(
                f"M{c * size} {r * size}h{size}v{size}h-{size}z" for r, c in placement.cells
            )
            fill = PALETTE[colours[i] % len(PALETTE)]
            parts.append(f'<path fill="{fill}" d="{squares}"><title>{name}</title></path>')
        for r, c in board.cells:
            if (r, c) not in owner:
                parts.append(
                    f'<rect x="{c * size}" y="{r * size}" width="{size}" height="{size}" '
                    'fill="#ffffff"/>'
                )
        parts.append(
            f'<path fill="none" stroke="#000000" stroke-width="2" stroke-linecap="square" '
            f'd="{self._lines(owner)}"/>'
        )
        parts.append("</svg>")
        return "\n".join(parts)

    _repr_svg_ = svg

    def _title(self) -> str:
        board = self.tiling.board
        return f"{board.rows}x{board.columns} board, {len(self.placements)} pieces"

    def _lines(self, owner: dict[tuple[int, int], int]) -> str:
        board, size = self.tiling.board, self.cell
        parts = []
        for r, c in board.cells:
            here = owner.get((r, c), -1)
            if (r - 1, c) not in board or owner.get((r - 1, c), -1) != here:
                parts.append(f"M{c * size} {r * size}h{size}")
            if (r, c - 1) not in board or owner.get((r, c - 1), -1) != here:
                parts.append(f"M{c * size} {r * size}v{size}")
            if (r + 1, c) not in board:
                parts.append(f"M{c * size} {(r + 1) * size}h{size}")
            if (r, c + 1) not in board:
                parts.append(f"M{(c + 1) * size} {r * size}v{size}")
        return "".join(parts)

    def __str__(self) -> str:
        return self.text()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Picture):
            return NotImplemented
        return self.tiling == other.tiling and set(self.placements) == set(other.placements)

    def __hash__(self) -> int:
        return hash(frozenset(self.placements))


def colouring(board: Board, owner: dict[tuple[int, int], int], count: int) -> Sequence[int]:
    """A colour number for every placement; those that share an edge differ.

    Smallest-last greedy colouring (Matula & Beck 1983): connected pieces make a planar graph, on
    which it never needs more than six colours.
    """
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for (r, c), here in owner.items():
        for cell in ((r + 1, c), (r, c + 1)):
            there = owner.get(cell, here)
            if there != here:
                neighbours[here].add(there)
                neighbours[there].add(here)
    left = set(range(count))
    order = []
    while left:
        v = min(left, key=lambda u: (len(neighbours[u] & left), -u))
        left.remove(v)
        order.append(v)
    colours = [-1] * count
    for v in reversed(order):
        taken = {colours[u] for u in neighbours[v]}
        colours[v] = next(k for k in range(count) if k not in taken)
    return colours
