"""Keys of edges to solutions and back, for sets of solutions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from bddsudoku.puzzle.numberlink.board import Board
from bddsudoku.puzzle.numberlink.links import Links


class LinksDecoder:
    """The decoder of a board's solution set: a variable is an edge, a solution a :class:`Links`.

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
        """Sets of equal spaces can be compared and combined."""
        pairs = tuple(sorted(tuple(sorted(pair)) for pair in self.board.cell_pairs))
        return (self.kind, self.board.width, self.board.height, pairs)

    def decode(self, keys: Sequence[int]) -> Links:
        """The solution that uses exactly these edges."""
        return Links(self.board, keys)

    def encode(self, solution: Any) -> Iterable[int]:
        """The edges of a solution: a :class:`Links` or a collection of edge keys.

        Raises:
            ValueError: it belongs to another board.
        """
        if isinstance(solution, Links):
            if LinksDecoder(solution.board).space != self.space:
                raise ValueError(f"a solution of another board ({solution.board.size})")
            return solution.edges
        return [int(key) for key in solution]

    def merged(self, other: LinksDecoder, both: bool) -> LinksDecoder:
        """The decoder of an intersection (both rules hold) or of a union (the weaker one does)."""
        agree = all if not both else any
        cover = agree(d.board.rule == "cover" for d in (self, other))
        apart = agree(d.board.no_touch for d in (self, other))
        return LinksDecoder(self.board.under("cover" if cover else "free", apart))

    def to_dict(self) -> dict[str, Any]:
        """What a saved set needs to make the decoder again."""
        return {"kind": self.kind, "board": self.board.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LinksDecoder:
        """The decoder that :meth:`to_dict` described."""
        return cls(Board.from_dict(data["board"]))
