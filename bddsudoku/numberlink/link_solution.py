"""One solution of a Numberlink board as the set of its edges. Immutable, hashable, comparable.

Also the decoder of sets of solutions, the contest's answer form, and pictures.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numberlink.link_board import Board, board_svg, cell_centre, pair_colour

_BOX_CHARACTERS = {0: "·", 3: "─", 12: "│", 10: "┌", 9: "┐", 6: "└", 5: "┘"}
"""Characters by the sum of a cell's edges: 1 to the left, 2 to the right, 4 above, 8 below."""


@dataclass(frozen=True, eq=False, repr=False)
class Links:
    """A valid solution of a Numberlink board: one path for every pair.

    Attributes:
        board: the puzzle.
        edges: edge keys (:mod:`bddsudoku.numberlink.link_board`), ascending; may be given in
            any order.
        paths: for every pair the cells of its path, from the first terminal to the second.

    Raises:
        PuzzleFormatError: the edges are not a solution of the board.

    Two solutions are equal when size, pairs (in any order) and edges are equal; the rule is
    ignored, so that solutions found under different rules can be compared.
    """

    board: Board
    edges: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        edges = tuple(sorted({int(e) for e in self.edges}))
        object.__setattr__(self, "edges", edges)
        try:
            paths = self.board.paths(edges)
        except ValueError as error:
            raise PuzzleFormatError(f"not a solution: {error}") from None
        object.__setattr__(self, "paths", paths)

    @classmethod
    @check_types
    def of_paths(cls, board: Board, paths: Iterable[Sequence[int]]) -> Links:
        """Make a solution from its paths, each a sequence of neighbouring cells.

        Raises:
            PuzzleFormatError: the paths are not a solution.
        """
        try:
            edges = [board.edge(a, b) for path in paths for a, b in pairwise(path)]
        except ValueError as error:
            raise PuzzleFormatError(f"not a solution: {error}") from None
        return cls(board, tuple(edges))

    @property
    def wire(self) -> int:
        """Total length of all paths, in edges."""
        return len(self.edges)

    @cached_property
    def pair_by_cell(self) -> tuple[int, ...]:
        """The number, from 1, of the pair whose path covers each cell; 0 for an empty cell."""
        out = [0] * self.board.cell_count
        for k, path in enumerate(self.paths, 1):
            for cell in path:
                out[cell] = k
        return tuple(out)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        return (self.board.space, self.edges) == (other.board.space, other.edges)

    def __hash__(self) -> int:
        return hash((self.board.width, self.edges))

    def __str__(self) -> str:
        """The paths in box-drawing characters: terminals as symbols, empty cells as dots.

        Every cell takes two columns, so that lines along a row are closed; symbols are
        :attr:`.link_board.Board.symbols`.
        """
        board = self.board
        used = set(self.edges)
        wide = max(map(len, board.symbols))
        rows = []
        for start in range(0, board.cell_count, board.width):
            row = ""
            left = False
            for cell in range(start, start + board.width):
                right, below = 2 * cell in used, 2 * cell + 1 in used
                above = 2 * (cell - board.width) + 1 in used
                if cell in board.pair_at:
                    mark = board.symbols[board.pair_at[cell]]
                else:
                    mark = _BOX_CHARACTERS[left + 2 * right + 4 * above + 8 * below]
                row += mark.rjust(wide, "─" if left else " ") + ("─" if right else " ")
                left = right
            rows.append(row.rstrip())
        return "\n".join(rows)

    def _repr_svg_(self) -> str:
        """The paths as SVG, for notebooks: one coloured line for each pair."""
        lines = []
        for k, path in enumerate(self.paths):
            points = " ".join("{},{}".format(*cell_centre(self.board, cell)) for cell in path)
            lines.append(
                f'<polyline points="{points}" fill="none" stroke="{pair_colour(k)}" '
                'stroke-width="5" '
                f'stroke-linejoin="round" stroke-linecap="round"/>'
            )
        return board_svg(self.board, lines)

    def __repr__(self) -> str:
        return f"<Links: {len(self.paths)} paths on {self.board.size}, {self.wire} edges>"


class LinksDecoder:
    """Converter between keys of edges and solutions of a board, as :class:`Links`.

    Sets of boards that differ only in their rules speak of the same space: the solutions that cover
    the board are a subset of all.

    Args:
        board: the puzzle.
    """

    kind = "numberlink"

    def __init__(self, board: Board) -> None:
        self.board = board

    @property
    def space(self) -> Hashable:
        """Size and pairs; solution sets that agree in these can be compared and combined."""
        return (self.kind, *self.board.space)

    def decode(self, keys: Sequence[int]) -> Links:
        """The solution that uses exactly the edges with the given keys."""
        return Links(self.board, tuple(keys))

    def encode(self, solution: Any) -> Iterable[int]:
        """The keys of a solution's edges; the inverse of :meth:`decode`.

        Raises:
            ValueError: it belongs to another board.
        """
        if isinstance(solution, Links):
            if solution.board.space != self.board.space:
                raise ValueError(f"a solution of another board ({solution.board.size})")
            return solution.edges
        return map(index, solution)

    def merge(self, other: LinksDecoder, is_intersection: bool) -> LinksDecoder:
        """The decoder of an intersection (all rules hold) or a union (only common rules hold)."""
        agree = any if is_intersection else all
        cover = agree(d.board.rule == "cover" for d in (self, other))
        return LinksDecoder(self.board.with_rule("cover" if cover else "free"))

    def to_dict(self) -> dict[str, Any]:
        """The board as JSON values, from which :meth:`from_dict` makes the decoder again."""
        return {"kind": self.kind, "board": self.board.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LinksDecoder:
        """The decoder described by the JSON values of :meth:`to_dict`."""
        return cls(Board.from_dict(data["board"]))


@check_types
def answer_text(links: Links) -> str:
    """A solution as the DA Symposium contest's text: the size, then rows of pair numbers.

    Numbers are those of :attr:`Board.numbers`, 0 is an empty cell. Where a path touches itself the
    numbers do not determine its edges.
    """
    board = links.board
    called = (0, *board.numbers)
    rows = [
        ",".join(
            str(called[k]) for k in links.pair_by_cell[y * board.width : (y + 1) * board.width]
        )
        for y in range(board.height)
    ]
    return "\n".join([f"SIZE {board.width}X{board.height}", *rows]) + "\n"


def marginals_svg(board: Board, fraction_by_edge: Mapping[int, float]) -> str:
    """A board as SVG on which edges are darker and thicker the more solutions use them.

    Args:
        board: the puzzle.
        fraction_by_edge: for edges by key, the fraction of the solutions that use them, 0 to 1.
    """
    lines = []
    for edge in board.edges:
        part = fraction_by_edge.get(edge, 0.0)
        if part > 0:
            (xa, ya), (xb, yb) = (cell_centre(board, c) for c in board.ends(edge))
            lines.append(
                f'<path d="M{xa} {ya}L{xb} {yb}" stroke="#036" stroke-opacity="{part:.4f}" '
                f'stroke-width="{1 + 6 * part:.2f}"><title>{part:.6g}</title></path>'
            )
    return board_svg(board, lines)
