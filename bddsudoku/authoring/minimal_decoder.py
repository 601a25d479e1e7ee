"""Sets of hints as members of a family: keys to puzzles and back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle


class HintDecoder:
    """Decodes some of a puzzle's hints into the puzzle that has only these.

    The key of "digit d is given in cell c" is ``c * n + d - 1``, as in sets of grids; a member is
    not a grid here.

    Args:
        puzzle: the puzzle with all its hints.
    """

    kind = "hints"

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.bare = puzzle.without(*puzzle.hints)

    @property
    def space(self) -> Hashable:
        """Families of the same board's hints can be compared and combined."""
        return (self.kind, self.puzzle.layout)

    def decode(self, keys: Sequence[int]) -> Puzzle:
        """The puzzle with exactly these hints."""
        n = self.puzzle.n
        return self.bare.with_hints({int(k) // n: int(k) % n + 1 for k in keys})

    def encode(self, solution: Any) -> Iterable[int]:
        """Keys of the hints of a puzzle, a text with one, or an array of digits.

        Raises:
            PuzzleFormatError: it is no puzzle of this layout.
        """
        return SudokuDecoder(self.puzzle.layout).encode(solution)

    def merged(self, other: HintDecoder, both: bool) -> HintDecoder:
        """This one: what hints stand in is not what they are chosen from."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Layout, puzzle line and rules, as JSON values."""
        return SudokuDecoder(self.puzzle).to_dict() | {"kind": self.kind}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HintDecoder:
        """The decoder that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: layout, puzzle or rules are not what they should be.
        """
        return cls(SudokuDecoder.from_dict(data).puzzle)
