"""f-puzzles' JSON and links, the common language of authors of variant Sudokus.

Read are the JSON itself, links to f-puzzles and SudokuPad that hold it (``?load=…``, ``fpuz…``),
and their compressed part alone. Rules have other names there (:mod:`.kinds`); what is prose or
drawing is passed over and named in a note; anything else that is not understood is refused, by its
name and cell. What is written reads back as the same puzzle, or one with equivalent rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.fpuzzles.reading import FPuzzle as FPuzzle
    from bddsudoku.puzzle.sudoku.fpuzzles.reading import read_fpuzzles as read_fpuzzles
    from bddsudoku.puzzle.sudoku.fpuzzles.writing import write_fpuzzles as write_fpuzzles
    from bddsudoku.puzzle.sudoku.fpuzzles.writing import write_link as write_link
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.puzzle.sudoku.fpuzzles.reading": ["FPuzzle", "read_fpuzzles"],
            "bddsudoku.puzzle.sudoku.fpuzzles.writing": ["write_fpuzzles", "write_link"],
        },
    )
