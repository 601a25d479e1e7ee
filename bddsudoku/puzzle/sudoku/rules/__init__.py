"""Rules of variant Sudokus: one small class each, by name."""

from __future__ import annotations

from bddsudoku.puzzle.sudoku.rules.cages import Cage
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
from bddsudoku.puzzle.sudoku.rules.places import Place, Places, cells
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule

__all__ = [
    "Antidiagonal",
    "Cage",
    "Diagonal",
    "Diagonals",
    "DisjointGroups",
    "ExtraRegion",
    "Field",
    "Grid",
    "King",
    "Knight",
    "NonConsecutive",
    "Place",
    "Places",
    "Rule",
    "Windoku",
    "cells",
    "known_rules",
    "register",
    "rule_from_dict",
    "rule_from_line",
]

for _rule in (
    Diagonals,
    Diagonal,
    Antidiagonal,
    Windoku,
    DisjointGroups,
    ExtraRegion,
    Knight,
    King,
    NonConsecutive,
    Cage,
):
    register(_rule)
