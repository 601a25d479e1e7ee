"""How Interactive-Sudoku-Solver (ISS) writes cells, and constraints whose arguments are fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeAlias

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import GroupPlace
from bddsudoku.puzzle.sudoku.rules import FieldKind, Place, Places, Rule
from bddsudoku.puzzle.sudoku.text.symbols import expected_error, read_number

Words: TypeAlias = "Sequence[str]"
"""The arguments of a constraint."""
RuleFields: TypeAlias = "dict[str, Any]"
"""Values of a rule's fields by name."""
NUMERALS = "0123456789abcdefg"
"""Numerals of rows and columns, to base 17."""
REGIONS = "CC"
"""The name of the group that numbers regions that are to be found."""
_GROUP_CELL = re.compile(r"(?:V([A-Z]+)|(CC))(\d*)")
"""The name of a cell outside the grid: ``VD3``, or ``VD`` where the group D has one cell, or
``CC3``, the number of a cell's region."""


def read_cell(word: str, layout: Layout) -> Place:
    """Parse a cell such as R1C1 (row 10 is ``Ra``) or VD3; an error if it is not on the board."""
    if found := _GROUP_CELL.fullmatch(word):
        for group in layout.groups:
            number = int(found[3]) - 1 if found[3] else 0
            is_named = bool(found[3]) == (group.cell_count > 1)
            if group.name == (found[1] or REGIONS) and is_named and 0 <= number < group.cell_count:
                return GroupPlace(*divmod(number, group.columns), group.name)
        raise PuzzleFormatError(f"no .Var has the cell {word}")
    if len(word) != 4 or word[0] not in "rR" or word[2] not in "cC":
        raise expected_error("a cell such as R1C1", word)
    place = Place(*(NUMERALS.find(numeral) - 1 for numeral in word[1::2].lower()))
    if not layout.has_cell(place):
        size = f"{layout.row_count}x{layout.column_count}"
        raise PuzzleFormatError(f"{word} is not on a board of {size} cells")
    return place


def require_rows(places: Iterable[Place], layout: Layout) -> None:
    """Refuse cells of a group in which ISS may see other neighbours: of more than the grid's width.

    Without sides its rows are as wide as the grid's, and the last one is shorter.
    """
    for place in places:
        for group in layout.groups:
            is_long = group.rows == 1 and group.columns > layout.column_count
            if getattr(place, "group", "") == group.name and is_long:
                raise PuzzleFormatError(
                    f"expected .Var~{group.name} with rows and columns, as its neighbours matter"
                )


def cell_word(place: Place, layout: Layout) -> str:
    """The name of a cell in Interactive-Sudoku-Solver, such as R1C1 or VD3."""
    if isinstance(place, GroupPlace):
        group = next(group for group in layout.groups if group.name == place.group)
        number = place.row * group.columns + place.column + 1
        sign = "" if group.name == REGIONS else "V"
        return f"{sign}{group.name}{number if group.cell_count > 1 else ''}"
    return f"R{NUMERALS[place.row + 1]}C{NUMERALS[place.column + 1]}"


def read_cell_groups(words: Words, layout: Layout) -> list[Places]:
    """Read groups of cells; arguments that are empty or start with ``-`` or ``_`` separate them."""
    groups = groupby(words, lambda word: word[:1] not in ("", "-", "_"))
    found = [
        tuple(read_cell(word, layout) for word in group) for is_cell, group in groups if is_cell
    ]
    if not found:
        raise expected_error("cells", "")
    return found


@dataclass(frozen=True)
class Form:
    """A constraint of ISS that stands for rules of one class; its arguments are the rule's fields.

    Numbers and digits come first, then the lists of cells, of which the last takes what remains.

    Attributes:
        head: its name, with those arguments, after ``~``, that every such constraint has.
        rule: the class of the rules.
        fixed: fields of the rule that the head sets.
        takes: whether ISS has it on boards with some digits.
        missing: how an optional number that is missing is written (it may be empty as well).
        default: the number that holds where the first argument is already a cell.
        separator: what separates digits, which are one argument; "" if each is one symbol.
        first: number of cells of the first of two lists.
    """

    head: str
    rule: type[Rule]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    takes: Callable[[range], bool] = bool
    missing: str = ""
    default: str = ""
    separator: str = "_"
    first: int = 1

    def fits(self, rule: Rule, layout: Layout) -> bool:
        """Whether a rule has the form's class and fixed fields, and ISS has it on such a board."""
        return (
            type(rule) is self.rule
            and self.takes(layout.values)
            and all(getattr(rule, key) == value for key, value in self.fixed.items())
        )

    @property
    def _counts(self) -> Iterator[tuple[str, FieldKind, int]]:
        """Each field with its number of arguments, which is 0 for all that remain."""
        fields = [(key, kind) for key, kind in self.rule.fields.items() if key not in self.fixed]
        fields.sort(key=lambda item: item[1] is FieldKind.PLACES)
        for left, (key, kind) in zip(range(len(fields))[::-1], fields, strict=True):
            yield key, kind, 1 if kind is not FieldKind.PLACES else self.first if left else 0

    def read(self, words: Words, layout: Layout) -> Iterator[RuleFields]:
        """Yield the fields of each rule that a constraint stands for.

        Raises:
            PuzzleFormatError: an argument is missing, unexpected or misplaced.
        """
        is_short = self.default and words[:1] and words[0][:1] in "rRV"
        left = [self.default, *words] if is_short else [*words]
        found: RuleFields = {}
        for key, kind, count in self._counts:
            here, left = (left[:count], left[count:]) if count else (left, [])
            if len(here) < max(count, 1):
                raise expected_error(kind.value, "")
            if kind is FieldKind.PLACES:
                found[key] = tuple(read_cell(word, layout) for word in here)
            elif kind is FieldKind.DIGITS:
                digits = here[0].split(self.separator) if self.separator else here[0]
                found[key] = tuple(map(read_number, digits))
            elif kind is not FieldKind.MAYBE or here[0] not in ("", self.missing):
                found[key] = read_number(here[0])
        if left:
            raise expected_error("no more arguments", left[0])
        yield found

    def write(self, rule: Any, layout: Layout) -> Words | None:
        """The arguments of the constraint for a rule; None if the form cannot say the rule."""
        words: list[str] = []
        for key, kind, count in self._counts:
            value = getattr(rule, key)
            if kind is FieldKind.PLACES:
                if count and len(value) != count:
                    return None
                words += (cell_word(place, layout) for place in value)
            elif kind is FieldKind.DIGITS:
                if not self.separator and max(value) > 9:
                    return None
                words.append(self.separator.join(map(str, value)))
            else:
                words.append(self.missing if value is None else str(value))
        return words
