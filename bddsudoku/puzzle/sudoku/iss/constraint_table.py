"""Table of the constraints of Interactive-Sudoku-Solver (ISS), with rule class and argument form.

A rule that ISS has gets one row in :data:`FORMS`: ``_form("Name", arguments)``, where ``arguments``
is one of :mod:`bddsudoku.puzzle.sudoku.iss.argument_forms`, mostly ``fields_form(field=count, …)``:
the rule's fields in ISS's order, the last with :data:`REST`. The rule's name or alias follows where
it is not ISS's in small letters. Arguments that decide the rule or set a field (``Indexing~R``)
stand in the head, and the fields that the head sets behind them. A row serves reader and writer;
the round trips of ``tests/puzzle/sudoku/rules/test_iss.py`` draw every rule that has a recipe
there. A rule that ISS can only say by other rules gets a case in
:func:`bddsudoku.puzzle.sudoku.iss.writing.equivalent_rules`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bddsudoku.puzzle.sudoku.iss.argument_forms import (
    DIAGONAL,
    ENDS,
    NEIGHBOURS,
    REST,
    SEGMENTS,
    SQUARE,
    SUM_LINE,
    WHOLE_LINE,
    ArgumentForm,
    fields_form,
)
from bddsudoku.puzzle.sudoku.iss.general_forms import LEGACY_RELATION, PATTERN, RELATION, SUM
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Quadruple, Rule
from bddsudoku.puzzle.sudoku.rules.rule import find_rule_class

LARGEST_ISS = 16
"""Largest side of ISS's boards, and greatest number of their digits."""


class Form(NamedTuple):
    """A constraint of ISS that stands for rules of one class.

    Attributes:
        head: its name, with those arguments, after ``~``, that every such constraint has.
        takes: whether ISS has it on boards with some digits.
        fixed: fields of the rule that the head sets.
    """

    head: str
    rule: type[Rule]
    arguments: ArgumentForm
    takes: Callable[[range], bool]
    fixed: Mapping[str, Any]

    def fits(self, rule: Rule, layout: Layout) -> bool:
        """Whether a rule has the form's class and fixed fields, and ISS has it on such a board."""
        return (
            type(rule) is self.rule
            and self.takes(layout.values)
            and all(getattr(rule, field) == value for field, value in self.fixed.items())
        )


def _form(
    head: str,
    arguments: ArgumentForm | None = None,
    name: str = "",
    *,
    takes: Callable[[range], bool] = lambda values: True,
    **fixed: Any,
) -> Form:
    """Make the ISS form of the rule called ``name``, by default ``head`` in small letters."""
    return Form(
        head, find_rule_class(name or head.lower()), arguments or fields_form(), takes, fixed
    )


_CELLS = fields_form(cells=REST)
_TOTAL = fields_form(total=1, cells=REST)
_DIGITS = fields_form(digits=1, cells=REST)


def _are_one_to_nine(values: range) -> bool:
    return values == range(1, 10)


def _are_decimal(values: range) -> bool:
    return values.stop <= 10


FORMS = (
    _form("Diagonal~1", name="antidiagonal"),
    _form("Diagonal~-1", name="diagonal"),
    _form("Windoku"),
    _form("DisjointSets", name="disjointgroups"),
    _form("AntiKnight"),
    _form("AntiKing"),
    _form("AntiConsecutive", name="nonconsecutive"),
    _form("AntiTaxicab"),
    _form("GlobalEntropy", takes=_are_one_to_nine),
    _form("GlobalMod", takes=lambda values: len(values) == 9),
    _form("DutchFlatmates", takes=_are_one_to_nine),
    _form("StrictKropki", name="negative", kind="kropki", values=(), spared=()),
    _form("StrictXV", name="negative", kind="xv", values=(), spared=()),
    _form("AllDifferent", _CELLS, "extraregion"),
    _form("Cage", fields_form(missing="0", total=1, cells=REST)),
    _form("RellikCage", _TOTAL),
    _form("EqualityCage", _CELLS),
    _form("Lunchbox", _TOTAL),
    _form("EqualSum", SEGMENTS, "equalsums"),
    _form("SameValues", fields_form(sets=1, cells=REST)),
    _form("ContainAtLeast", _DIGITS, "contains"),
    _form("ContainExact", _DIGITS, "containsexactly"),
    _form("LookAndSay", fields_form(separator="", digits=1, cells=REST)),
    _form("CountingCircles", _CELLS),
    _form("CountDistinct", fields_form(counter=1, cells=REST)),
    _form("Thermo", _CELLS),
    _form("Palindrome", _CELLS),
    _form("Renban", _CELLS),
    _form("Whisper", fields_form(default="5", difference=1, cells=REST)),
    _form("Modular", fields_form(value=1, cells=REST)),
    _form("Entropic", _CELLS, takes=_are_one_to_nine),
    _form("RegionSumLine", _CELLS),
    _form("Between", _CELLS),
    _form("Lockout", fields_form(difference=1, cells=REST)),
    _form("Zipper", _CELLS),
    _form("SumLine", SUM_LINE),
    _form("ValueIndexing", _CELLS),
    _form("DoubleArrow", _CELLS),
    _form("Arrow", fields_form(circle=1, shaft=REST)),
    _form("PillArrow~2", fields_form(circle=2, shaft=REST), "arrow", takes=_are_decimal),
    _form("PillArrow~3", fields_form(circle=3, shaft=REST), "arrow", takes=_are_decimal),
    _form("WhiteDot", NEIGHBOURS, value=1),
    _form("BlackDot", NEIGHBOURS, value=2),
    _form("GreaterThan", NEIGHBOURS),
    _form("X", NEIGHBOURS, "xv", kind="x"),
    _form("V", NEIGHBOURS, "xv", kind="v"),
    _form("Quad", SQUARE, "quadruple"),
    _form("Indexing~R", _CELLS, "rowindexer"),
    _form("Indexing~C", _CELLS, "columnindexer"),
    _form("LittleKiller", DIAGONAL),
    _form("Sandwich", WHOLE_LINE),
    _form("XSum", ENDS),
    _form("Skyscraper", ENDS),
    _form("HiddenSkyscraper", ENDS),
    _form("NumberedRoom", ENDS),
    _form("Sum", SUM, relation="="),
    _form("Regex", PATTERN),
    _form("Pair", RELATION, which="line"),
    _form("PairX", RELATION, "pair", which="all"),
    _form("Binary", LEGACY_RELATION, "pair", which="line"),
    _form("BinaryX", LEGACY_RELATION, "pair", which="all"),
)
"""The constraints that stand for rules."""

WITHOUT_EFFECT = re.compile(r"Modular~1(~.*)?|SearchPriority~.*")
"""Constraints that say nothing where houses are complete, or only how ISS is to search."""


def with_boxes(layout: Layout, size: int | None = None) -> Layout:
    """The board with ISS's boxes of ``size`` cells, or without blocks if such boxes do not fit."""
    digits = layout.values[0], layout.values[-1]
    return Layout.of_shape(layout.row_count, layout.column_count, digits, size)


def allowed_region_sizes(layout: Layout) -> range:
    """The numbers of cells that a region of a jigsaw may have."""
    return range(max(layout.row_count, layout.column_count), layout.digit_count + 1)


def overwrite_key(rule: Any) -> object:
    """A key such that ISS keeps only the last of rules with equal keys; None if it keeps all."""
    clue = getattr(rule, "clue", None)
    if isinstance(rule, Quadruple) or clue is not None:
        return type(rule), clue or rule.cells, getattr(rule, "direction", "")
    return None
