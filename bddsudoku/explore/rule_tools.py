"""Tools that draw rules on the live board, with one tool for every kind of rule.

Tools come from the registry (:func:`~bddsudoku.puzzle.sudoku.rules.known_rules`), so that a rule
that is registered later has its tool without a change here or in JavaScript.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import FieldKind, Place, Places, Rule, known_rules

_SAMPLE_VALUES = {FieldKind.NUMBER: 1, FieldKind.MAYBE: 1, FieldKind.DIGITS: (1,)}

_DRAWN = {FieldKind.PLACES, FieldKind.WORD, *_SAMPLE_VALUES}
"""Kinds of fields that can be entered on the board; other rules are written as lines."""


def rule_tools(layout: Layout) -> list[dict[str, Any]]:
    """Describe the tools that draw rules on a board, as JSON values, sorted by name.

    Returns:
        For every rule that can be drawn its ``name`` and what it demands (``about``);
        ``drawn_on``, see :attr:`~bddsudoku.puzzle.sudoku.rules.Rule.drawn_on`; ``fields``, the
        names of their :class:`~bddsudoku.puzzle.sudoku.rules.FieldKind`; ``words``, the choices
        for a field that is a word; ``range``, the least and greatest number, or None without
        limits.
    """
    drawn = [
        rule for _, rule in sorted(known_rules().items()) if _DRAWN.issuperset(rule.fields.values())
    ]
    return [_tool_record(rule, layout) for rule in drawn]


def _tool_record(rule: type[Rule], layout: Layout) -> dict[str, Any]:
    """The JSON object that describes the tool for drawing one kind of rule."""
    places = any(kind is FieldKind.PLACES for kind in rule.fields.values())
    return {
        "name": rule.name,
        "about": rule.about,
        "drawn_on": rule.drawn_on if places else "board",
        "fields": [kind.name for kind in rule.fields.values()],
        "words": list(rule.words),
        "range": _number_range(rule, layout),
    }


def _number_range(rule: type[Rule], layout: Layout) -> list[int] | None:
    """The least and the greatest number that a rule takes anywhere; None if it takes no number."""
    samples = _example_places(rule.drawn_on, layout.n)
    ranges = [found for places in samples if (found := _number_range_at(rule, places, layout))]
    return [min(low for low, _ in ranges), max(high for _, high in ranges)] if ranges else None


def _example_places(drawn_on: str, n: int) -> list[Places]:
    """List example places for a rule: those of the left margin, or the first 1 to n cells."""
    if drawn_on == "margin":
        return [(Place(row, -1),) for row in range(-1, n + 1)]
    return [tuple(Place(0, column) for column in range(k)) for k in range(1, n + 1)]


def _number_range_at(rule: type[Rule], places: Places, layout: Layout) -> tuple[int, int] | None:
    """The least and greatest number that a rule takes at given places; None if it takes none."""
    word = rule.words[0] if rule.words else ""
    samples = _SAMPLE_VALUES | {FieldKind.PLACES: places, FieldKind.WORD: word}
    try:
        found = rule(*(samples[kind] for kind in rule.fields.values())).number_range(layout)
    except PuzzleFormatError:  # no number fits there
        return None
    return found[:2] if found and found[0] <= found[1] and found[1] > 0 else None


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
