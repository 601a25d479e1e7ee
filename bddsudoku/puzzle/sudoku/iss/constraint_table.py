"""Table of ISS's constraints: names, rule classes, and the form of their arguments.

A rule that ISS has gets one row in :data:`FORMS`: ``Form("Name", Class, arguments)``, where
``arguments`` is one of :mod:`bddsudoku.puzzle.sudoku.iss.argument_forms`, mostly
``Listed(field=count, …)``, the rule's fields in ISS's order, the last with :data:`REST`. The row
serves reader and writer, and the round trips of ``tests/puzzle/sudoku/test_iss.py`` take their
cases from this table. Arguments that decide the class or set a field (``Indexing~R``) stand in the
name; fields that the name sets stand in ``fixed``. A rule that ISS can only say by other rules gets
a branch in :func:`bddsudoku.puzzle.sudoku.iss.writing.equivalent_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from bddsudoku.puzzle.sudoku.iss.argument_forms import (
    REST,
    ArgumentForm,
    BothEnds,
    Diagonally,
    Listed,
    NeighbourPairs,
    Square,
    WholeLine,
)
from bddsudoku.puzzle.sudoku.rules import (
    XV,
    Antidiagonal,
    Arrow,
    Between,
    Cage,
    ColumnIndexer,
    Diagonal,
    Difference,
    DisjointGroups,
    DoubleArrow,
    Entropic,
    ExtraRegion,
    King,
    Knight,
    LittleKiller,
    Modular,
    Negative,
    NonConsecutive,
    Palindrome,
    Quadruple,
    Ratio,
    RegionSum,
    Renban,
    RowIndexer,
    Rule,
    Sandwich,
    Skyscraper,
    Thermometer,
    Whispers,
    Windoku,
    XSum,
    Zipper,
)

_CELLS = Listed(cells=REST)
_NOTHING = Listed()
_NONE_FIXED: Mapping[str, Any] = MappingProxyType({})


class Form(NamedTuple):
    """A constraint of ISS that stands for rules of one class.

    Attributes:
        head: its name, with those arguments, after ``~``, that every such constraint has.
        rule: the class of the rules.
        arguments: the form of the further arguments.
        fixed: fields of the rule that the head sets.
    """

    head: str
    rule: type[Rule]
    arguments: ArgumentForm = _NOTHING
    fixed: Mapping[str, Any] = _NONE_FIXED

    def fits(self, rule: Rule) -> bool:
        """Whether a rule has this form's class and fixed fields."""
        return type(rule) is self.rule and all(
            getattr(rule, field) == value for field, value in self.fixed.items()
        )


FORMS = (
    Form("Diagonal~1", Antidiagonal),
    Form("Diagonal~-1", Diagonal),
    Form("Windoku", Windoku),
    Form("DisjointSets", DisjointGroups),
    Form("AntiKnight", Knight),
    Form("AntiKing", King),
    Form("AntiConsecutive", NonConsecutive),
    Form("StrictKropki", Negative, fixed={"kind": "difference", "values": (1,), "spared": ()}),
    Form("StrictKropki", Negative, fixed={"kind": "ratio", "values": (2,), "spared": ()}),
    Form("StrictXV", Negative, fixed={"kind": "xv", "values": (), "spared": ()}),
    Form("AllDifferent", ExtraRegion, _CELLS),
    Form("Cage", Cage, Listed(nothing="0", total=1, cells=REST)),
    Form("Thermo", Thermometer, _CELLS),
    Form("Palindrome", Palindrome, _CELLS),
    Form("Renban", Renban, _CELLS),
    Form("Whisper", Whispers, Listed(usual="5", difference=1, cells=REST)),
    Form("Modular", Modular, Listed(value=1, cells=REST)),
    Form("Entropic", Entropic, _CELLS),
    Form("RegionSumLine", RegionSum, _CELLS),
    Form("Between", Between, _CELLS),
    Form("Zipper", Zipper, _CELLS),
    Form("DoubleArrow", DoubleArrow, _CELLS),
    Form("Arrow", Arrow, Listed(circle=1, shaft=REST)),
    Form("PillArrow~2", Arrow, Listed(circle=2, shaft=REST)),
    Form("PillArrow~3", Arrow, Listed(circle=3, shaft=REST)),
    Form("WhiteDot", Difference, NeighbourPairs(), {"value": 1}),
    Form("BlackDot", Ratio, NeighbourPairs(), {"value": 2}),
    Form("X", XV, NeighbourPairs(), {"kind": "x"}),
    Form("V", XV, NeighbourPairs(), {"kind": "v"}),
    Form("Quad", Quadruple, Square()),
    Form("Indexing~R", RowIndexer, _CELLS),
    Form("Indexing~C", ColumnIndexer, _CELLS),
    Form("LittleKiller", LittleKiller, Diagonally()),
    Form("Sandwich", Sandwich, WholeLine()),
    Form("XSum", XSum, BothEnds()),
    Form("Skyscraper", Skyscraper, BothEnds()),
)
"""The constraints that stand for rules; those of one head are read together."""
