"""Reading and writing f-puzzles' JSON and links, the common format of variant Sudokus.

The reader takes the JSON itself, links to f-puzzles and SudokuPad that contain it (``?load=…``,
``fpuz…``), and the compressed part of a link. Rules have other names there
(:mod:`bddsudoku.puzzle.sudoku.fpuzzles.reading`). Prose and drawings are ignored, with a note;
anything else that is unknown is an error, which names it and its cell. What is written reads back
as the same puzzle or one with equivalent rules.
"""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
