"""Table that assigns rule classes to f-puzzles' JSON keys, and rule fields to JSON members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.rules.rule import find_rule_class


class RuleKind(NamedTuple):
    """How f-puzzles stores the rules of one class: under which JSON key, and with which members.

    Attributes:
        key: the key in the file.
        rule: the class of its rules.
        members: members of an object, each with the rule's field that it sets: a ``cell``, lists
            of ``cells``, of ``lines`` (each a rule of its own) or of digits, words, or a
            ``value``; none for flags. The field "" is the line of a little killer, which is
            redundant beside its direction.
    """

    key: str
    rule: type[Rule]
    members: Mapping[str, str]

    @property
    def objects_make_one_rule(self) -> bool:
        """Whether all objects in the list under the key together describe one rule."""
        return self.members == _JOINT


_JOINT = {"cell": "cells"}
_KEYS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("diagonal+ diagonal- antiknight antiking disjointgroups nonconsecutive", {}),
    ("odd even minimum maximum", _JOINT),
    ("sandwichsum xsum skyscraper", {"cell": "clue", "value": "total"}),
    ("littlekillersum", {"cell": "clue", "cells": "", "direction": "direction", "value": "total"}),
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
"""Keys that are neither names nor aliases of rules."""

KINDS = {
    key: RuleKind(key, find_rule_class(_OTHERS.get(key, key)), members)
    for keys, members in _KEYS
    for key in keys.split()
}
"""Rule kinds by key."""

WORDS = {"kind": ("X", "V"), "direction": ("UR", "UL", "DR", "DL")}
"""Allowed words by field."""

CHAINS = ("difference", "ratio", "xv")
"""Kinds of signs of which some files write several on a path as one, with all its cells."""

NEGATIVES = ("ratio", "xv")
"""Kinds of signs to which a file can apply the negative constraint."""

IGNORED_MEMBERS = frozenset((
    "title", "author", "ruleset", "solution", "successMessage",
    "line", "text", "circle", "rectangle", "cage", "highlightConflicts",
    "disabledlogic", "truecandidatesoptions", "activeConstraints", "fogofwar", "foglight",
))  # fmt: skip
"""Members of a file that are ignored: prose, drawings, internal data of programs."""

IGNORED_CELL_MEMBERS = frozenset((
    "centerPencilMarks", "cornerPencilMarks", "candidates", "c", "cArray", "highlight",
))  # fmt: skip
"""Members of a cell that are ignored."""

COSMETIC_MEMBERS = frozenset((
    "outlineC", "baseC", "fontC", "lineC", "color", "width", "height", "size", "angle", "opacity",
    "fromConstraint", "isNewConstraint",
))  # fmt: skip
"""Members of a rule that are ignored: how it is drawn."""
