"""Links: one solution of a board, as the set of its edges. Immutable, hashable, comparable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.numberlink.board import Board
from bddsudoku.puzzle.numberlink.drawing import box_text, links_svg


class Links:
    """A valid solution: one path for every pair.

    Args:
        board: the puzzle.
        edges: edge keys (:mod:`bddsudoku.puzzle.numberlink.board`).

    Raises:
        PuzzleFormatError: the edges are no solution of the board.

    Two of them are equal when size, pairs (in any order) and edges are: the rule plays no part, so
    that solutions found under different rules can be compared.
    """

    __slots__ = ("__dict__", "board", "edges")

    board: Board
    edges: tuple[int, ...]

    def __init__(self, board: Board, edges: Iterable[int]) -> None:
        keys = tuple(sorted({int(e) for e in edges}))
        try:
            fault = board.fault(keys)
        except ValueError as error:
            fault = str(error)
        if fault is not None:
            raise PuzzleFormatError(f"not a solution: {fault}")
        object.__setattr__(self, "board", board)
        object.__setattr__(self, "edges", keys)

    @classmethod
    def of_paths(cls, board: Board, paths: Iterable[Sequence[int]]) -> Links:
        """The solution with these paths, each a sequence of neighbouring cells.

        Raises:
            PuzzleFormatError: they are no solution.
        """
        try:
            edges = [board.edge(a, b) for path in paths for a, b in pairwise(path)]
        except ValueError as error:
            raise PuzzleFormatError(f"not a solution: {error}") from None
        return cls(board, edges)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a solution is immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[type[Links], tuple[Board, tuple[int, ...]]]:
        return Links, (self.board, self.edges)

    @property
    def wire(self) -> int:
        """Total length of all paths, in edges."""
        return len(self.edges)

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """For every pair the cells of its path, from the first terminal to the second."""
        joined: dict[int, list[int]] = {}
        for edge in self.edges:
            a, b = self.board.ends(edge)
            joined.setdefault(a, []).append(b)
            joined.setdefault(b, []).append(a)
        out = []
        for start, goal in self.board.cell_pairs:
            path = [start]
            before = -1
            while path[-1] != goal:
                here = path[-1]
                path.append(next(c for c in joined[here] if c != before))
                before = here
            out.append(tuple(path))
        return tuple(out)

    @cached_property
    def pair_of(self) -> tuple[int, ...]:
        """For every cell the pair whose path covers it, from 1; 0 for an empty cell."""
        out = [0] * self.board.cell_count
        for k, path in enumerate(self.paths, 1):
            for cell in path:
                out[cell] = k
        return tuple(out)

    @property
    def _identity(self) -> object:
        pairs = frozenset(frozenset(pair) for pair in self.board.cell_pairs)
        return self.board.width, self.board.height, pairs, self.edges

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Links):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash((self.board.width, self.edges))

    def __str__(self) -> str:
        """The paths in box-drawing characters."""
        return box_text(self)

    def _repr_svg_(self) -> str:
        """The paths as a picture, for notebooks."""
        return links_svg(self)

    def __repr__(self) -> str:
        return f"<Links: {len(self.paths)} paths on {self.board.size}, {self.wire} edges>"
