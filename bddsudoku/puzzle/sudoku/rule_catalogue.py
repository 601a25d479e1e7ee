"""What is known about every kind of rule, as JSON values."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.iss.forms import SPECIAL
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places
from bddsudoku.puzzle.sudoku.rules.rule import FieldKind, Rule, known_rules

_UNNAMED = {"search": [], "about_ja": "", "example": ""}
"""What is said of rules of other packages in place of their entry in ``setters_names.toml``."""
_SAMPLE_VALUES = {FieldKind.NUMBER: 1, FieldKind.MAYBE: 1, FieldKind.DIGITS: (1,)}


def rule_catalogue(layout: Layout) -> list[dict[str, Any]]:
    """Every known kind of rule, sorted by name.

    Returns:
        For each its ``name`` and ``aliases``; what setters call it (``titles``, by language), and
        further words under which they look for it (``search``); what it demands, in English and
        Japanese (``about``, ``about_ja``); a line of text as an ``example``; ``drawn_on``, see
        :attr:`Rule.drawn_on`; ``parts``, the least and greatest number of lists of cells;
        ``fields``, by name, the names of their :class:`FieldKind`; ``words``, the choices for a
        field that is a word; ``range``, the least and greatest number on a board, or None without
        limits; ``cells``, the least and greatest number of cells in a list, each None without a
        limit (None for a rule of the whole board); ``iss``, with what constraints of
        Interactive-Sudoku-Solver begin that it may be (``Indexing~R``), and ``fpuzzles``, its name
        there or "".
    """
    named = setters_names()
    return [
        {
            "name": name,
            "aliases": rule.aliases,
            "about": rule.about,
            **named.get(name, {"titles": {"en": name, "ja": name}, **_UNNAMED}),
            "parts": _number_of_lists(rule),
            "drawn_on": rule.drawn_on if FieldKind.PLACES in rule.fields.values() else "board",
            "fields": {key: kind.name for key, kind in rule.fields.items()},
            "words": [*rule.words],
            "range": _number_range(rule, layout),
            "cells": rule.arity if FieldKind.PLACES in rule.fields.values() else None,
            "iss": [
                *dict.fromkeys(
                    form.head.partition("~")[0] for form in SPECIAL if form.rule is rule
                ),
                *([rule.iss] if rule.iss else []),
            ],
            "fpuzzles": rule.fpuzzles,
        }
        for name, rule in sorted(known_rules().items())
    ]


@cache
def setters_names() -> dict[str, dict[str, Any]]:
    """What ``setters_names.toml`` says of each rule of this package, in the order of tools."""
    text = files("bddsudoku.puzzle.sudoku.rules").joinpath("setters_names.toml").read_text("utf-8")
    return tomllib.loads(text)


def _number_of_lists(rule: type[Rule]) -> list[int]:
    """The least and the greatest number of lists of places of a rule."""
    lists = [key for key, kind in rule.fields.items() if kind is FieldKind.PLACES]
    least = sum(not hasattr(rule, key) for key in lists)
    return [max(least, min(len(lists), int(rule.drawn_on != "board"))), len(lists)]


def _number_range(rule: type[Rule], layout: Layout) -> list[int] | None:
    """The least and the greatest number that a rule takes anywhere; None if it takes no number.

    It is tried at the places of the left margin, or in the first 1 to n cells.
    """
    tried: list[Places] = [(Place(row, -1),) for row in range(-1, layout.n + 1)]
    if rule.drawn_on != "margin":
        tried = [tuple(Place(0, c) for c in range(k)) for k in range(1, layout.n + 1)]
    found: list[int] = []
    for places in tried:
        samples = _SAMPLE_VALUES | {FieldKind.PLACES: places, FieldKind.WORD: [*rule.words, ""][0]}
        with suppress(PuzzleFormatError):  # no number fits there
            made = rule(*(samples.get(kind) for kind in rule.fields.values()))
            low, high, *_ = made.number_range(layout) or (1, 0)
            if low <= high > 0:
                found += (low, high)
    return [min(found), max(found)] if found else None
