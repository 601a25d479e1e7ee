"""Rules of variant Sudokus: one small class each, by name."""

from __future__ import annotations

from bddsudoku.puzzle.sudoku.rules.arrows import Arrow
from bddsudoku.puzzle.sudoku.rules.cages import Cage, LittleKiller
from bddsudoku.puzzle.sudoku.rules.cells import (
    BoxIndexer,
    Clone,
    ColumnIndexer,
    Quadruple,
    RowIndexer,
)
from bddsudoku.puzzle.sudoku.rules.dots import XV, Difference, Negative, Ratio
from bddsudoku.puzzle.sudoku.rules.ends import Between, DoubleArrow, RegionSum, Zipper
from bddsudoku.puzzle.sudoku.rules.houses import (
    Antidiagonal,
    Diagonal,
    Diagonals,
    DisjointGroups,
    ExtraRegion,
    Windoku,
)
from bddsudoku.puzzle.sudoku.rules.lines import (
    Entropic,
    Modular,
    Palindrome,
    SlowThermometer,
    Thermometer,
    Whispers,
)
from bddsudoku.puzzle.sudoku.rules.moves import King, Knight, NonConsecutive
from bddsudoku.puzzle.sudoku.rules.names import (
    is_rule_name,
    known_rules,
    register_rule,
    rule_from_dict,
    rule_from_line,
)
from bddsudoku.puzzle.sudoku.rules.outside import Sandwich, Skyscraper, XSum
from bddsudoku.puzzle.sudoku.rules.places import Place, Places, cells
from bddsudoku.puzzle.sudoku.rules.rule import Field, Grid, Rule
from bddsudoku.puzzle.sudoku.rules.sets import Nabner, Renban
from bddsudoku.puzzle.sudoku.rules.single import Even, Maximum, Minimum, Odd

__all__ = [
    "XV",
    "Antidiagonal",
    "Arrow",
    "Between",
    "BoxIndexer",
    "Cage",
    "Clone",
    "ColumnIndexer",
    "Diagonal",
    "Diagonals",
    "Difference",
    "DisjointGroups",
    "DoubleArrow",
    "Entropic",
    "Even",
    "ExtraRegion",
    "Field",
    "Grid",
    "King",
    "Knight",
    "LittleKiller",
    "Maximum",
    "Minimum",
    "Modular",
    "Nabner",
    "Negative",
    "NonConsecutive",
    "Odd",
    "Palindrome",
    "Place",
    "Places",
    "Quadruple",
    "Ratio",
    "RegionSum",
    "Renban",
    "RowIndexer",
    "Rule",
    "Sandwich",
    "Skyscraper",
    "SlowThermometer",
    "Thermometer",
    "Whispers",
    "Windoku",
    "XSum",
    "Zipper",
    "cells",
    "is_rule_name",
    "known_rules",
    "register_rule",
    "rule_from_dict",
    "rule_from_line",
]

for _rule in (
    Antidiagonal,
    Arrow,
    Between,
    BoxIndexer,
    Cage,
    Clone,
    ColumnIndexer,
    Diagonal,
    Diagonals,
    Difference,
    DisjointGroups,
    DoubleArrow,
    Entropic,
    Even,
    ExtraRegion,
    King,
    Knight,
    LittleKiller,
    Maximum,
    Minimum,
    Modular,
    Nabner,
    Negative,
    NonConsecutive,
    Odd,
    Palindrome,
    Quadruple,
    Ratio,
    RegionSum,
    Renban,
    RowIndexer,
    Sandwich,
    Skyscraper,
    SlowThermometer,
    Thermometer,
    Whispers,
    Windoku,
    XSum,
    XV,
    Zipper,
):
    register_rule(_rule)
