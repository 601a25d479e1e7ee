"""Tools that draw rules on the live board, with one tool for every kind of rule.

Tools come from the registry (:func:`~bddsudoku.puzzle.sudoku.rules.known_rules`), so that a rule
that is registered later has its tool without a change here or in JavaScript.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rule_catalogue import rule_catalogue
from bddsudoku.puzzle.sudoku.rules import FieldKind, Rule

_SHOWN = "name", "about", "drawn_on", "words", "range"
_WRITTEN = {"QUOTED", "RULES"}
"""Kinds of fields that cannot be entered on the board; rules with them are written as lines."""


def rule_tools(layout: Layout) -> list[dict[str, Any]]:
    """Describe the tools that draw rules on a board, as JSON values, sorted by name.

    Returns:
        For every rule that can be drawn its ``name``, ``about``, ``drawn_on``, ``words`` and
        ``range`` of :func:`~bddsudoku.puzzle.sudoku.rule_catalogue.rule_catalogue`; ``fields``,
        the names of their kinds.
    """
    return [
        {"fields": [*row["fields"].values()]} | {key: row[key] for key in _SHOWN}
        for row in rule_catalogue(layout)
        if _WRITTEN.isdisjoint(row["fields"].values())
    ]


@lru_cache(maxsize=1024)
def cells_of_rule(rule: Rule, layout: Layout) -> tuple[int, ...]:
    """Return the cells, in order, that a rule is about: those it names, or all it constrains."""
    n = layout.n
    named = {
        place.row * n + place.column
        for key, kind in rule.fields.items()
        if kind is FieldKind.PLACES
        for place in getattr(rule, key)
        if 0 <= place.row < n and 0 <= place.column < n
    }
    if not named:
        named = {v // n for constraint in rule.constraints(layout) for v in constraint.variables}
    return tuple(sorted(named))
