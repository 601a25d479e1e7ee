"""What f-puzzles calls the rules, and how it writes each kind; for the reader and the writer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """How a kind of rules is written: names beside ``value``, each with the rule's field.

    Reader and writer go by these pairs, but for what the shapes say besides.
    """

    FLAG = "flag", dict[str, str]()
    """``true``."""
    TOGETHER = "together", {"cell": "cells"}
    """``[{cell}]``, all of them one rule."""
    OUTSIDE = "outside", {"cell": "clue"}
    """``[{cell, value}]``, a clue beside the board."""
    DIAGONAL = "diagonal", {"cell": "clue", "direction": "direction", "cells": ""}
    """``[{cell, value, direction, cells?}]``, a clue beside a diagonal, which tells its cells."""
    CELLS = "cells", {"cells": "cells"}
    """``[{cells, value?}]``."""
    LINES = "lines", {"lines": "cells"}
    """``[{lines, value?}]``, each line a rule."""
    ARROW = "arrow", {"cells": "circle", "lines": "shaft"}
    """``[{cells, lines}]``: a circle or pill, and lines that begin in it."""
    CLONE = "clone", {"cells": "cells", "cloneCells": "copies"}
    """``[{cells, cloneCells}]``."""
    QUADRUPLE = "quadruple", {"cells": "cells", "values": "digits"}
    """``[{cells, values}]``."""

    @property
    def fields(self) -> dict[str, str]:
        """The rule's fields by their names in the file."""
        return self.value[1]


@dataclass(frozen=True)
class Kind:
    """A kind of rules.

    Attributes:
        key: its name in the file.
        rule: its name here.
        shape: how it is written.
        value: the rule's field that ``value`` sets; "" for none.
        usual: what a value means that is not there, where that is a number.
    """

    key: str
    rule: str
    shape: Shape
    value: str = ""
    usual: int | None = None


KINDS: tuple[Kind, ...] = (
    Kind("diagonal+", "antidiagonal", Shape.FLAG),
    Kind("diagonal-", "diagonal", Shape.FLAG),
    Kind("antiknight", "antiknight", Shape.FLAG),
    Kind("antiking", "antiking", Shape.FLAG),
    Kind("disjointgroups", "disjointgroups", Shape.FLAG),
    Kind("nonconsecutive", "nonconsecutive", Shape.FLAG),
    Kind("odd", "odd", Shape.TOGETHER),
    Kind("even", "even", Shape.TOGETHER),
    Kind("minimum", "minimum", Shape.TOGETHER),
    Kind("maximum", "maximum", Shape.TOGETHER),
    Kind("sandwichsum", "sandwich", Shape.OUTSIDE, "total"),
    Kind("xsum", "xsum", Shape.OUTSIDE, "total"),
    Kind("skyscraper", "skyscraper", Shape.OUTSIDE, "total"),
    Kind("littlekillersum", "littlekiller", Shape.DIAGONAL, "total"),
    Kind("killercage", "cage", Shape.CELLS, "total"),
    Kind("extraregion", "extraregion", Shape.CELLS),
    Kind("difference", "difference", Shape.CELLS, "value", 1),
    Kind("ratio", "ratio", Shape.CELLS, "value", 2),
    Kind("xv", "xv", Shape.CELLS, "kind"),
    Kind("rowindexer", "rowindexer", Shape.CELLS),
    Kind("columnindexer", "columnindexer", Shape.CELLS),
    Kind("boxindexer", "boxindexer", Shape.CELLS),
    Kind("thermometer", "thermo", Shape.LINES),
    Kind("slowthermometer", "slowthermo", Shape.LINES),
    Kind("palindrome", "palindrome", Shape.LINES),
    Kind("renban", "renban", Shape.LINES),
    Kind("whispers", "whispers", Shape.LINES, "difference"),
    Kind("regionsumline", "regionsum", Shape.LINES),
    Kind("betweenline", "between", Shape.LINES),
    Kind("entropicline", "entropic", Shape.LINES),
    Kind("modularline", "modular", Shape.LINES, "value", 3),
    Kind("nabner", "nabner", Shape.LINES),
    Kind("doublearrow", "doublearrow", Shape.LINES),
    Kind("zipperline", "zipper", Shape.LINES),
    Kind("arrow", "arrow", Shape.ARROW),
    Kind("clone", "clone", Shape.CLONE),
    Kind("quadruple", "quadruple", Shape.QUADRUPLE),
)

NEGATIVES = ("ratio", "xv")
"""Kinds of marks of which a file can say that all are there."""

PASSED_OVER = frozenset((
    "title", "author", "ruleset", "solution", "successMessage",
    "line", "text", "circle", "rectangle", "cage", "highlightConflicts",
    "disabledlogic", "truecandidatesoptions", "activeConstraints", "fogofwar", "foglight",
))  # fmt: skip
"""Prose, drawing, and what programs keep for themselves: nothing that a digit depends on."""

CELL_PASSED_OVER = frozenset((
    "centerPencilMarks", "cornerPencilMarks", "candidates", "c", "cArray", "highlight",
))  # fmt: skip
"""The same, of a cell."""

DRESS = frozenset((
    "outlineC", "baseC", "fontC", "lineC", "color", "width", "height", "size", "angle", "opacity",
    "fromConstraint", "isNewConstraint",
))  # fmt: skip
"""The same, of a rule: how it is drawn."""
