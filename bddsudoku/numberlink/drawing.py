"""Boards and solutions to look at: box-drawing characters and SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from bddsudoku.numberlink.text import symbols

if TYPE_CHECKING:
    from bddsudoku.numberlink.board import Board
    from bddsudoku.numberlink.links import Links

# by edges to the left, right, above, below
_BOXES = {
    (1, 1, 0, 0): "─", (0, 0, 1, 1): "│", (0, 1, 0, 1): "┌", (1, 0, 0, 1): "┐",
    (0, 1, 1, 0): "└", (1, 0, 1, 0): "┘", (0, 0, 0, 0): "·",
}  # fmt: skip
_CELL = 30
_GOLDEN = 0.61803398875


def box_text(links: Links) -> str:
    """A solution in box-drawing characters: terminals as symbols, empty cells as dots.

    Every cell takes two columns, so that lines along a row are closed; symbols are those of
    :func:`bddsudoku.numberlink.text.symbols`.
    """
    board = links.board
    used = set(links.edges)
    marks = symbols(board)
    wide = max(map(len, marks))
    rows = []
    for y in range(board.height):
        row = ""
        for x in range(board.width):
            cell = board.cell(x, y)
            right = x + 1 < board.width and 2 * cell in used
            if cell in board.pair_at:
                left = x > 0 and 2 * (cell - 1) in used
                mark = marks[board.pair_at[cell]].rjust(wide, "─" if left else " ")
            else:
                sides = (
                    int(x > 0 and 2 * (cell - 1) in used),
                    int(right),
                    int(y > 0 and 2 * (cell - board.width) + 1 in used),
                    int(2 * cell + 1 in used),
                )
                mark = _BOXES[sides].rjust(wide, "─" if sides[0] else " ")
            row += mark + ("─" if right else " ")
        rows.append(row.rstrip())
    return "\n".join(rows)


def _colour(k: int) -> str:
    """A colour for a pair, far from those before it."""
    return f"hsl({round(360 * (k * _GOLDEN % 1))},65%,42%)"


def _frame(board: Board, inside: list[str]) -> str:
    w, h = board.width * _CELL, board.height * _CELL
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w + 2}" height="{h + 2}" '
        f'viewBox="-1 -1 {w + 2} {h + 2}" font-family="sans-serif" font-size="13">',
        f'<rect width="{w}" height="{h}" fill="#fff" stroke="#333"/>',
    ]
    grid = [f"M{x * _CELL} 0V{h}" for x in range(1, board.width)]
    grid += [f"M0 {y * _CELL}H{w}" for y in range(1, board.height)]
    if grid:
        lines.append(f'<path d="{"".join(grid)}" stroke="#ddd" fill="none"/>')
    return "\n".join([*lines, *inside, "</svg>"])


def _centre(board: Board, cell: int) -> tuple[int, int]:
    x, y = board.point(cell)
    return x * _CELL + _CELL // 2, y * _CELL + _CELL // 2


def _terminals(board: Board) -> list[str]:
    out = []
    for cell, k in sorted(board.pair_at.items()):
        x, y = _centre(board, cell)
        out.append(
            f'<circle cx="{x}" cy="{y}" r="{_CELL * 2 // 5}" fill="#fff" stroke="{_colour(k)}" '
            f'stroke-width="2"/><text x="{x}" y="{y + 5}" text-anchor="middle">'
            f"{escape(board.names[k])}</text>"
        )
    return out


def board_svg(board: Board) -> str:
    """The board as SVG: grid and terminals."""
    return _frame(board, _terminals(board))


def links_svg(links: Links) -> str:
    """A solution as SVG: one coloured line a pair."""
    board = links.board
    lines = []
    for k, path in enumerate(links.paths):
        points = " ".join("{},{}".format(*_centre(board, cell)) for cell in path)
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="{_colour(k)}" stroke-width="5" '
            f'stroke-linejoin="round" stroke-linecap="round"/>'
        )
    return _frame(board, lines + _terminals(board))


def marginals_svg(board: Board, share: Mapping[int, float]) -> str:
    """How often every edge is used, as SVG: the darker and thicker, the more often.

    Args:
        board: the puzzle.
        share: for edges by key, the share of the solutions that use them, 0 to 1.
    """
    lines = []
    for edge in board.edges:
        part = share.get(edge, 0.0)
        if part > 0:
            (xa, ya), (xb, yb) = (_centre(board, c) for c in board.ends(edge))
            lines.append(
                f'<path d="M{xa} {ya}L{xb} {yb}" stroke="#036" stroke-opacity="{part:.4f}" '
                f'stroke-width="{1 + 6 * part:.2f}"><title>{part:.6g}</title></path>'
            )
    return _frame(board, lines + _terminals(board))
