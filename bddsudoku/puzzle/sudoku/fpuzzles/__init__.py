"""f-puzzles' JSON and links, the common language of authors of variant Sudokus.

Read are the JSON itself, links to f-puzzles and SudokuPad that hold it (``?load=…``, ``fpuz…``),
and their compressed part alone. Rules have other names there (:mod:`.kinds`); what is prose or
drawing is passed over and named in a note; anything else that is not understood is refused, by its
name and cell. What is written reads back as the same puzzle, or one with equivalent rules.
"""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
