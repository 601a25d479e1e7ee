"""What is asked: every puzzle makes a Model and decodes a cover; it knows no engine.

The names that people use are found here; each kind of puzzle has a package of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.puzzle.exact_cover import CoverDecoder as CoverDecoder
    from bddsudoku.puzzle.exact_cover import ExactCover as ExactCover
    from bddsudoku.puzzle.formula import Problem as Problem
    from bddsudoku.puzzle.formula import all_different as all_different
    from bddsudoku.puzzle.formula import all_of as all_of
    from bddsudoku.puzzle.formula import any_of as any_of
    from bddsudoku.puzzle.sudoku.fpuzzles import read_fpuzzles as read_fpuzzles
    from bddsudoku.puzzle.sudoku.fpuzzles import write_fpuzzles as write_fpuzzles
    from bddsudoku.puzzle.sudoku.fpuzzles import write_link as write_link
    from bddsudoku.puzzle.sudoku.grid import Layout as Layout
    from bddsudoku.puzzle.sudoku.grid import Puzzle as Puzzle
    from bddsudoku.puzzle.sudoku.rules import Field as Field
    from bddsudoku.puzzle.sudoku.rules import Place as Place
    from bddsudoku.puzzle.sudoku.rules import Places as Places
    from bddsudoku.puzzle.sudoku.rules import Rule as Rule
    from bddsudoku.puzzle.sudoku.rules import building as building
    from bddsudoku.puzzle.sudoku.rules import known_rules as known_rules
    from bddsudoku.puzzle.sudoku.rules import register_rule as register_rule
    from bddsudoku.puzzle.sudoku.rules import rule_from_line as rule_from_line
    from bddsudoku.puzzle.sudoku.svg import board_svg as board_svg
    from bddsudoku.puzzle.sudoku.text import PuzzleRecord as PuzzleRecord
    from bddsudoku.puzzle.sudoku.text import read_puzzles as read_puzzles
    from bddsudoku.puzzle.sudoku.text import write_grid as write_grid
    from bddsudoku.puzzle.sudoku.text import write_puzzles as write_puzzles
    from bddsudoku.puzzle.tiling import Board as Board
    from bddsudoku.puzzle.tiling import Tiling as Tiling
    from bddsudoku.puzzle.tiling import TilingDecoder as TilingDecoder
    from bddsudoku.puzzle.tiling import pieces as pieces
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.puzzle.exact_cover": ["CoverDecoder", "ExactCover"],
            "bddsudoku.puzzle.formula": ["Problem", "all_different", "all_of", "any_of"],
            "bddsudoku.puzzle.sudoku.fpuzzles": ["read_fpuzzles", "write_fpuzzles", "write_link"],
            "bddsudoku.puzzle.sudoku.grid": ["Layout", "Puzzle"],
            "bddsudoku.puzzle.sudoku.rules": [
                "Field",
                "Place",
                "Places",
                "Rule",
                "building",
                "known_rules",
                "register_rule",
                "rule_from_line",
            ],
            "bddsudoku.puzzle.sudoku.svg": ["board_svg"],
            "bddsudoku.puzzle.sudoku.text": [
                "PuzzleRecord",
                "read_puzzles",
                "write_grid",
                "write_puzzles",
            ],
            "bddsudoku.puzzle.tiling": ["Board", "Tiling", "TilingDecoder", "pieces"],
        },
    )
