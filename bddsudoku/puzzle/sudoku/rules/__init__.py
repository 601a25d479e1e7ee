"""Rules of variant Sudokus: one small class each, by name."""

from __future__ import annotations

from bddsudoku.puzzle.sudoku.rules.cages import Cage, LittleKiller
from bddsudoku.puzzle.sudoku.rules.cells import (
    BoxIndexer,
    Clone,
    ColumnIndexer,
    Quadruple,
    RowIndexer,
)
from bddsudoku.puzzle.sudoku.rules.houses import (
    Antidiagonal,
    Diagonal,
    Diagonals,
    DisjointGroups,
    ExtraRegion,
    Windoku,
)
from bddsudoku.puzzle.sudoku.rules.moves import King, Knight, NonConsecutive
from bddsudoku.puzzle.sudoku.rules.names import (
    known_rules,
    register,
    rule_from_dict,
    rule_from_line,
)
from bddsudoku.puzzle.sudoku.rules.outside import Sandwich, Skyscraper, XSum
from bddsudoku.puzzle.sudoku.rules.places import Place, Places, cells
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule

__all__ = [
    "Antidiagonal",
    "BoxIndexer",
    "Cage",
    "Clone",
    "ColumnIndexer",
    "Diagonal",
    "Diagonals",
    "DisjointGroups",
    "ExtraRegion",
    "Field",
    "Grid",
    "King",
    "Knight",
    "LittleKiller",
    "NonConsecutive",
    "Place",
    "Places",
    "Quadruple",
    "RowIndexer",
    "Rule",
    "Sandwich",
    "Skyscraper",
    "Windoku",
    "XSum",
    "cells",
    "known_rules",
    "register",
    "rule_from_dict",
    "rule_from_line",
]

for _rule in (
    Antidiagonal,
    BoxIndexer,
    Cage,
    Clone,
    ColumnIndexer,
    Diagonal,
    Diagonals,
    DisjointGroups,
    ExtraRegion,
    King,
    Knight,
    LittleKiller,
    NonConsecutive,
    Quadruple,
    RowIndexer,
    Sandwich,
    Skyscraper,
    Windoku,
    XSum,
):
    register(_rule)
