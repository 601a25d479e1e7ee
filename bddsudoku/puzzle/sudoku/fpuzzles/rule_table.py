"""What f-puzzles calls the rules, and how it writes each kind: one table for reader and writer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.rules.rule import find_rule_class


class RuleKind(NamedTuple):
    """A kind of rules: a flag, or a list of objects.

    Attributes:
        key: its name in the file.
        rule: its class.
        members: of an object, each with the rule's field that it sets: a ``cell``, lists of
            ``cells``, of ``lines`` (each of them a rule) or of digits, words, or a ``value``; none
            for flags. The field "" is the line of a little killer, which its direction says, too.
    """

    key: str
    rule: type[Rule]
    members: Mapping[str, str]

    @property
    def is_joint(self) -> bool:
        """Whether all objects together are one rule."""
        return self.members == _JOINT


_JOINT = {"cell": "cells"}
_KEYS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("diagonal+ diagonal- antiknight antiking disjointgroups nonconsecutive", {}),
    ("odd even minimum maximum", _JOINT),
    ("sandwichsum xsum skyscraper", {"cell": "clue", "value": "total"}),
    (
        "littlekillersum",
        {"cell": "clue", "cells": "", "direction": "direction", "value": "total"},
    ),
    ("killercage", {"cells": "cells", "value": "total"}),
    ("extraregion rowindexer columnindexer boxindexer", {"cells": "cells"}),
    ("difference ratio", {"cells": "cells", "value": "value"}),
    ("xv", {"cells": "cells", "value": "kind"}),
    ("thermometer slowthermometer palindrome renban regionsumline betweenline", {"lines": "cells"}),
    ("entropicline nabner doublearrow zipperline", {"lines": "cells"}),
    ("whispers", {"lines": "cells", "value": "difference"}),
    ("modularline", {"lines": "cells", "value": "value"}),
    ("arrow", {"cells": "circle", "lines": "shaft"}),
    ("clone", {"cells": "cells", "cloneCells": "copies"}),
    ("quadruple", {"cells": "cells", "values": "digits"}),
)
_OTHERS = {"diagonal+": "antidiagonal", "diagonal-": "diagonal"}
"""All other keys are names or aliases of rules."""

KINDS = {
    key: RuleKind(key, find_rule_class(_OTHERS.get(key, key)), members)
    for keys, members in _KEYS
    for key in keys.split()
}
"""All kinds by their keys."""

WORDS = {"kind": ("X", "V"), "direction": ("UR", "UL", "DR", "DL")}
"""What may be said by fields that are words."""

NEGATIVES = ("ratio", "xv")
"""Kinds of marks of which a file can say that all are there."""

IGNORED_MEMBERS = frozenset((
    "title", "author", "ruleset", "solution", "successMessage",
    "line", "text", "circle", "rectangle", "cage", "highlightConflicts",
    "disabledlogic", "truecandidatesoptions", "activeConstraints", "fogofwar", "foglight",
))  # fmt: skip
"""Prose, drawing, and what programs keep for themselves: nothing that a digit depends on."""

IGNORED_CELL_MEMBERS = frozenset((
    "centerPencilMarks", "cornerPencilMarks", "candidates", "c", "cArray", "highlight",
))  # fmt: skip
"""The same, of a cell."""

COSMETIC_MEMBERS = frozenset((
    "outlineC", "baseC", "fontC", "lineC", "color", "width", "height", "size", "angle", "opacity",
    "fromConstraint", "isNewConstraint",
))  # fmt: skip
"""The same, of a rule: how it is drawn."""
