"""A toy puzzle: Sudoku with diagonals. This is all that a puzzle needs in order to be asked."""

from __future__ import annotations

from dataclasses import dataclass

from bddsudoku.model import Model, OneHot, substitute
from bddsudoku.model.model import PuzzleDefinition
from bddsudoku.model.ordering import DefinitionOrigin
from bddsudoku.puzzle.sudoku import Layout, Puzzle, empty_board_model
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder


@dataclass(frozen=True)
class Diagonals:
    """As many cells as digits: whether the diagonals hold them once or at most once is the same."""

    puzzle: Puzzle
    at_most: bool = False

    @property
    def lines(self) -> dict[str, list[int]]:
        n = self.puzzle.n
        return {"down": [i * n + i for i in range(n)], "up": [i * n + n - 1 - i for i in range(n)]}

    def model(self) -> Model:
        n, board = self.puzzle.n, empty_board_model(self.puzzle.layout)
        extra = tuple(
            OneHot("diagonal", f"{name} {d}", tuple(c * n + d for c in cells), 1, self.at_most)
            for name, cells in self.lines.items()
            for d in range(n)
        )
        whole = Model(board.variables, board.constraints + extra).with_origin(
            DefinitionOrigin(self.words())
        )
        return substitute(whole, [c * n + d - 1 for c, d in self.puzzle.hints.items()])

    def words(self) -> PuzzleDefinition:
        n, layout = self.puzzle.n, self.puzzle.layout
        groups = {**{h: h.cells for h in layout.houses}, **self.lines}
        uses = {
            c * n + d: (c, *((group, d) for group, cells in groups.items() if c in cells))
            for c in range(layout.cell_count)
            for d in range(n)
        }
        return PuzzleDefinition(tuple(range(layout.cell_count)), uses)

    def decoder(self) -> SudokuDecoder:
        return SudokuDecoder(self.puzzle)


EXAMPLES = [
    (Diagonals(Puzzle([0] * 16, Layout(2, 2))), 48),
    (Diagonals(Puzzle([1] + [0] * 15, Layout(2, 2)), at_most=True), 12),
    (Diagonals(Puzzle([1, 1] + [0] * 14, Layout(2, 2))), 0),
]
