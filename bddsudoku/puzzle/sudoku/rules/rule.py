"""Base class of the rules of variant Sudokus, and their registry by name.

A rule is a frozen dataclass whose fields are places, numbers and words, so that one reader and one
writer serve all rules (:attr:`Rule.fields`). Its meaning is programmed twice, by code that shares
nothing: as constraints for the engines (:meth:`Rule.constraints`), and as a plain test of a
filled grid (:meth:`Rule.holds`), with which tests and brute force check the constraints.

Readers make rules from lines of text and JSON objects that give the registered name. Rules of other
packages are found by their entry points (:mod:`bddsudoku.plug_ins`).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from enum import Enum
from functools import cache
from itertools import groupby
from typing import Any, ClassVar, Protocol, Self, TypeAlias, TypeVar, dataclass_transform

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError, adding_error_place, did_you_mean
from bddsudoku.model.constraints import Constraint
from bddsudoku.number_text import parse_whole_number, short_repr
from bddsudoku.plug_ins import load_plug_in, plug_in_names
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import PLACE_NAME
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Disc,
    Mark,
    Place,
    Places,
    Shade,
    centre_point,
    is_place,
    parse_place,
)
from bddsudoku.puzzle.sudoku.rules.rule_tokens import bracketed_lines, split_rule_name, split_words

R = TypeVar("R", bound="Rule")

GROUPS = ">"
"""The separator between two lists of places in a rule's line."""


class FilledGrid(Protocol):
    """Protocol of a filled grid of digits, such as a complete :class:`bddsudoku.Puzzle`."""

    @property
    def layout(self) -> Layout:
        """The shape of the board: its sides, digits, blocks and any extra houses."""

    @property
    def n(self) -> int:
        """The number of rows, of columns and of digits, where these are the same."""

    def __getitem__(self, place: tuple[int, int]) -> int:
        """The digit in the cell at (row, column), from 0: its value, not its number."""


class FieldKind(Enum):
    """The possible types of a rule's fields."""

    PLACES = "cells"
    """``Places``."""
    NUMBER = "a number"
    """An int."""
    MAYBE = "a number or nothing"
    """An int or None."""
    DIGITS = "numbers"
    """A tuple of ints."""
    WORD = "a word"
    """A str, in small letters."""
    QUOTED = "text in quotes"
    """A str without line feeds and double quotes."""
    RULES = "rules in brackets"
    """A tuple of rules."""


Quoted: TypeAlias = str
"""The type of a field that is a text in quotes."""

_KINDS = {
    "Places": FieldKind.PLACES,
    "int": FieldKind.NUMBER,
    "int | None": FieldKind.MAYBE,
    "tuple[int, ...]": FieldKind.DIGITS,
    "str": FieldKind.WORD,
    "Quoted": FieldKind.QUOTED,
    "tuple[Rule, ...]": FieldKind.RULES,
}
_MANY = FieldKind.PLACES, FieldKind.DIGITS, FieldKind.RULES
_NUMBERS = FieldKind.NUMBER, FieldKind.MAYBE, FieldKind.DIGITS
_TEXT = FieldKind.PLACES, FieldKind.WORD, FieldKind.QUOTED

Reach: TypeAlias = "tuple[int, int, str]"
"""(least, greatest, what is counted): a range of numbers and its name in messages."""


class NumberOutOfReach(PuzzleFormatError):
    """Raised for a number that a rule has in no grid of a board."""


@dataclass(frozen=True)
class Rule(ABC):
    """Base class of the rules of variant Sudokus: immutable, hashable, not tied to a board.

    Attributes:
        name: the first word of the rule's line; also the family of its constraints.
        about: what the rule demands, in a sentence.
        aliases: other names that are read but never written.
        fields: the names and types of the fields, in the order of the class.
        drawn_on: where the live board draws it: ``cells`` (in any order), ``line``,
            ``neighbours`` (the border of two cells), ``corner`` (of four), ``margin`` (beside
            the board), or ``board`` (nothing is drawn).
        words: the choices for a field that is a word.
        iss: the constraint of Interactive-Sudoku-Solver that is this rule, if there is one.
        fpuzzles: the member of f-puzzles' files under which the rule stands, if there is one.
        shades: the colours of the backgrounds of the lists of cells that are drawn so.
        outline: the colour of a dashed line around the first list, in its corner :attr:`sign`.
        discs: radius, fill, edge and perhaps shape of a disc in each cell of the first list.
        arity: the least and the greatest number of cells in each list; None without a limit.
        differ: whether the cells hold different digits, so that there are at most as many.
        loops: whether a cell may occur twice in a list.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    drawn_on: ClassVar[str] = "cells"
    words: ClassVar[tuple[str, ...]] = ()
    shades: ClassVar[tuple[str, ...]] = ()
    outline: ClassVar[str] = ""
    discs: ClassVar[tuple[float, str | None, str | None, str] | tuple[()]] = ()
    iss: ClassVar[str] = ""
    fpuzzles: ClassVar[str] = ""
    arity: ClassVar[tuple[int, int | None]] = (1, None)
    differ: ClassVar[bool] = False
    loops: ClassVar[bool] = False
    fields: ClassVar[Mapping[str, FieldKind]] = {}

    def __init_subclass__(cls) -> None:
        for dialect in ("iss", "fpuzzles"):  # what means something else has another name
            setattr(cls, dialect, vars(cls).get(dialect, ""))

    @abstractmethod
    def constraints(self, layout: Layout) -> Sequence[Constraint]:
        """The rule as constraints on the empty board's variables, ``cell * n + digit - 1``.

        The constraints' family is :attr:`name`; their labels begin with :attr:`label`.
        """

    @abstractmethod
    def holds(self, grid: FilledGrid) -> bool:
        """Whether a filled grid obeys the rule, tested directly by its definition."""

    def number_range(self, layout: Layout) -> Reach | None:
        """The range of the rule's number on a board, and a noun for messages; None if unlimited."""
        return None

    def check(self, layout: Layout) -> None:
        """Check that the rule's cells, words and numbers fit a board.

        Raises:
            PuzzleFormatError: a cell is not on the board or named twice, there are too many or too
                few, a word is none of :attr:`words`, or a number is out of range.
        """
        least, most = self.arity
        is_first = True
        for key, kind in self.fields.items():
            value = getattr(self, key)
            if kind is FieldKind.PLACES:
                if least and not value and not is_first:
                    raise self.error(f"expected cells after '{GROUPS}'")
                self.check_places(value, layout, least, layout.digit_count if self.differ else most)
                is_first = False
            elif kind is FieldKind.WORD and self.words and value not in self.words:
                raise self.error(f"expected {self._choices()}, found {value[:20]!r}")
            elif isinstance(value, int) and (reach := self.number_range(layout)):
                self.check_number(value, *reach)
        for fault in self.faults(layout):
            raise self.error(fault)

    def faults(self, layout: Layout) -> Iterable[str]:
        """What else keeps the rule off a board, in words, once cells, words and numbers fit."""
        return ()

    @property
    def place_lists(self) -> list[Places]:
        """The lists of places that the rule names, those of inner rules left out."""
        return [getattr(self, key) for key, of in self.fields.items() if of is FieldKind.PLACES]

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The lines, discs, shades and texts that draw the rule; none if it is not drawn."""
        for places, colour in zip(self.place_lists, self.shades, strict=False):
            yield Shade(places, colour)
        for places in self.place_lists[:1]:
            if self.outline:
                yield DashedOutline(places, self.sign, self.outline)
            if self.discs:
                yield from (Disc(centre_point(place), *self.discs) for place in places)

    @property
    def sign(self) -> str:
        """The text in the corner of the dashed outline."""
        return ""

    def with_places(self, move: Callable[[Place], Place]) -> Self:
        """A copy of the rule with other places, those of its inner rules included."""
        changes: dict[str, Any] = {}
        for key, kind in self.fields.items():
            if kind is FieldKind.PLACES:
                changes[key] = tuple(map(move, getattr(self, key)))
            elif kind is FieldKind.RULES:
                changes[key] = tuple(rule.with_places(move) for rule in getattr(self, key))
        return replace(self, **changes)

    def in_company(self, rules: Sequence[Rule]) -> Rule:
        """A copy of the rule, independent of others, that means what it means among ``rules``.

        Some rules refer to the marks of other rules (:class:`Negative`). Constraints, tests of
        grids and drawings use the returned rule, which needs no other. The puzzle keeps its rules
        as given, so their meaning is up to date when a rule is added or removed.
        """
        return self

    @property
    def text(self) -> str:
        """The rule as a line of text: its name, its numbers and words, its places."""
        return f"{self.name} {self.label if self.fields else ''}".rstrip()

    @property
    def label(self) -> str:
        """The rule's line of text without the rule's name; for a rule without fields, the name."""
        words: list[str] = []
        groups: list[str] = []
        for key, kind in self.fields.items():
            value = getattr(self, key)
            if kind is FieldKind.PLACES:
                runs = [[*run] for _, run in groupby(value)]
                groups.append(" ".join(f"{len(r)}*{r[0]}" if r[1:] else str(r[0]) for r in runs))
            elif kind is FieldKind.RULES:
                words.append(f"({'; '.join(rule.text for rule in value)})")
            elif kind is FieldKind.QUOTED:
                words.append(f'"{value}"')
            elif value is not None and (kind is not FieldKind.WORD or self._default(key) != value):
                parts = value if kind is FieldKind.DIGITS else (value,)
                words += [key] * (key in self._named_numbers())
                words += map(str if kind is FieldKind.WORD else short_repr, parts)
        places = f" {GROUPS} ".join(groups).rstrip(f" {GROUPS}")
        return " ".join([*words, places]).strip() if self.fields else self.name

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON values: its name under ``rule``, and every field."""
        values = ((key, kind, getattr(self, key)) for key, kind in self.fields.items())
        return {"rule": self.name} | {
            key: [*map(_json_of_part, value)] if kind in _MANY else value
            for key, kind, value in values
            if value is not None
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The rule described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: a field is missing, unknown, or of another kind.
        """
        unknown = [key for key in data if key != "rule" and key not in cls.fields]
        if unknown:
            raise PuzzleFormatError(f"the rule {cls.name} has no {unknown[0]!r}")
        found = {
            key: cls._field_from_json(key, kind, data.get(key)) for key, kind in cls.fields.items()
        }
        return cls(**{key: value for key, value in found.items() if value is not None})

    @classmethod
    def _default(cls, key: str) -> object:
        """The default of a field; None if it has none."""
        return getattr(cls, key, None)

    @classmethod
    def _choices(cls) -> str:
        """The choices for a field that is a word, for messages: ``x or v``."""
        return f"{', '.join(cls.words[:-1])} or {cls.words[-1]}"

    @classmethod
    def _named_numbers(cls) -> Collection[str]:
        """The optional numbers that stand behind their names in texts, as other numbers precede."""
        kinds = [*cls.fields.values()]
        return [key for key, kind in cls.fields.items() if kind is FieldKind.MAYBE] * (
            FieldKind.DIGITS in kinds
        )

    @classmethod
    def _field_from_json(cls, key: str, kind: FieldKind, value: Any) -> Any:
        """A field's value from JSON, checked; None for an optional field that is missing."""
        many = kind in _MANY
        if value is None and not many:
            if kind is FieldKind.MAYBE or cls._default(key) is not None:
                return None
            wanted = cls._choices() if kind is FieldKind.WORD and cls.words else kind.value
            raise PuzzleFormatError(f"{cls.name}: expected {wanted} as {key}, found none")
        parts = (value or ()) if many else (value,)
        wanted = dict if kind is FieldKind.RULES else str if kind in _TEXT else int
        if (
            not isinstance(parts, (list, tuple))
            or any(type(part) is not wanted for part in parts)
            or (kind is FieldKind.QUOTED and {*value} & {*'"\n\r'})
        ):
            raise PuzzleFormatError(
                f"{cls.name}: expected {kind.value} as {key!r}, found {short_repr(value)}"
            )
        if kind is FieldKind.PLACES:
            return tuple(map(parse_place, parts))
        if kind is FieldKind.RULES:
            return tuple(map(rule_from_dict, parts))
        return tuple(parts) if many else value

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """The rule of this class whose line of text has the given words after the rule's name.

        Raises:
            PuzzleFormatError: a word is unexpected.
        """
        left, data = dict(cls.fields), dict[str, Any]()
        named = ""
        for word in words:
            if word.lower() in left and word.lower() in cls._named_numbers():
                named = word.lower()
                continue
            with adding_error_place(cls.name):
                kinds, parts = _read_word(word)
            fitting = [named] if named else left
            key = next((key for key in fitting if left[key] in kinds), "")
            named = ""
            if word == GROUPS:
                left.pop(key, None)
            elif not key:
                expected = {left[key].value.removesuffix(" or nothing"): 0 for key in fitting}
                wanted = " or ".join(expected) or "nothing more"
                raise PuzzleFormatError(f"{cls.name}: expected {wanted}, found {word[:20]!r}")
            elif left[key] in _MANY:
                data.setdefault(key, []).extend(parts)
            else:
                (data[key],) = parts
                del left[key]
        if named:
            raise PuzzleFormatError(f"{cls.name}: expected a number after {named}, found none")
        return cls.from_dict(data)

    # Checks: each raises a PuzzleFormatError when its condition is violated.

    def error(self, message: str) -> PuzzleFormatError:
        """A PuzzleFormatError, not yet raised, whose message begins with the rule's text."""
        rule_text = self.text
        return PuzzleFormatError(
            f"{rule_text if len(rule_text) < 80 else rule_text[:77] + '…'}: {message}"
        )

    def check_places(
        self, places: Places, layout: Layout, least: int = 1, most: int | None = None
    ) -> None:
        """Check that places are cells of the board, ``least`` to ``most`` of them.

        They must be different unless the rule :attr:`loops`, and are counted once then.
        """
        for place in places:
            if not layout.has_cell(place):
                size = f"{layout.row_count}x{layout.column_count}"
                raise self.error(f"{place} is not on a board of {size} cells{_groups(layout)}")
            if not self.loops and places.count(place) > 1:
                raise self.error(f"{place} stands there twice")
        found = len({*places})
        if not least <= found <= (found if most is None else most):
            wanted = f"{least} or more" if most is None else f"{least} to {most}"
            wanted = f"{least}" if least == most else wanted
            raise self.error(f"expected {wanted} cells, found {found}")

    def check_digit(self, value: int, layout: Layout) -> None:
        """Check that a number is a digit of the board."""
        self.check_number(value, layout.values[0], layout.values[-1], "a digit")

    def check_number(self, value: int, low: int, high: int, noun: str = "a number") -> None:
        """Check that a number is from ``low`` to ``high``; ``noun`` names it in the message."""
        if not low <= value <= high:
            found = short_repr(value)
            span = f"from {low} to {high}" if low < high else f"that is {low}"
            error = self.error(f"expected {noun} {span}, found {found}")
            raise NumberOutOfReach(error.expected)


def _groups(layout: Layout) -> str:
    """The further cells of a board, for messages."""
    return "".join(f" and {group.text}" for group in layout.groups)


def _json_of_part(part: Any) -> Any:
    """One of several parts of a field as a JSON value."""
    return (
        part.to_dict() if isinstance(part, Rule) else str(part) if isinstance(part, Place) else part
    )


_REPEATED = re.compile(rf"([1-9]\d{{0,2}})\*({PLACE_NAME})", re.IGNORECASE)


def _read_word(word: str) -> tuple[Collection[FieldKind], list[Any]]:
    """The kinds of fields to which a word of a rule's line may belong, and its JSON values there.

    A word such as ``3*r1c1`` is the cell three times.
    """
    if word[0] == '"':
        return (FieldKind.QUOTED,), [word[1:-1]]
    if word[0] == "(":
        return (FieldKind.RULES,), [
            rule_from_line(line).to_dict() for line in bracketed_lines(word)
        ]
    if repeated := _REPEATED.fullmatch(word):
        return (FieldKind.PLACES,), [repeated[2]] * int(repeated[1])
    if word == GROUPS or is_place(word):
        return (FieldKind.PLACES,), [word]
    number = parse_whole_number(word)
    return ((FieldKind.WORD,), [word.lower()]) if number is None else (_NUMBERS, [number])


@dataclass(frozen=True)
class CellRule(Rule):
    """Base class of rules whose first field is a sequence of cells."""

    cells: Places

    def digits_in(self, grid: FilledGrid) -> list[int]:
        """The digits of a grid in the rule's cells."""
        return [grid[place] for place in self.cells]

    def cells_without_block(self, layout: Layout) -> Iterator[str]:
        """Yield the :meth:`faults` of the rule's cells that lie in no block."""
        for place in self.cells:
            if layout.block_index(layout.cell(place)) < 0:
                yield f"{place} is in no block"


def difference_range(rule: Rule, layout: Layout) -> Reach:
    """The :meth:`Rule.number_range` of a difference between two digits: from 1 to n - 1."""
    return 1, layout.digit_count - 1, "a difference"


_REGISTRY: dict[str, type[Rule]] = {}
"""Rule classes by name and alias; iterate over a copy, since another thread may add to it."""


@check_types
def register_rule(rule: type[Rule]) -> type[Rule]:
    """Register a rule's class, so that readers find it by name; also a class decorator.

    Raises:
        PuzzleFormatError: the name or an alias is taken, or is no word.
    """
    names = (rule.name, *rule.aliases)
    for name in names:
        if not re.fullmatch(r"[a-z]+", name):
            raise PuzzleFormatError(f"a rule's name is a word of small letters, not {name!r}")
        if _REGISTRY.get(name, rule) is not rule:
            raise PuzzleFormatError(f"another rule is called {name!r}")
    _REGISTRY.update(dict.fromkeys(names, rule))
    return rule


@dataclass_transform(frozen_default=True)
@check_types
def rule(name: str, about: str, *aliases: str) -> Callable[[type[R]], type[R]]:
    """Class decorator: make a class a frozen dataclass and register it as a rule.

    A number with a default is optional in texts.
    """

    def made(cls: type[R]) -> type[R]:
        cls.name, cls.about, cls.aliases = name, about, aliases
        cls = dataclass(frozen=True)(cls)
        given = {f.name for f in fields(cls) if f.default is not MISSING}
        kinds = {f.name: _KINDS[str(f.type)] for f in fields(cls)}
        cls.fields = {
            key: FieldKind.MAYBE if kind is FieldKind.NUMBER and key in given else kind
            for key, kind in kinds.items()
        }
        register_rule(cls)
        return cls

    return made


_PLUG_INS = "bddsudoku.rules"
"""The group of entry points with which other packages declare rules."""


@cache
def _plug_in_rule_names() -> tuple[str, ...]:
    """The names of the rules that other packages declare, without names of this package's rules."""
    own = [name for name, rule in _REGISTRY.items() if rule.__module__.startswith("bddsudoku.")]
    return plug_in_names(_PLUG_INS, own)


def known_rules() -> Mapping[str, type[Rule]]:
    """All rule classes by name (without aliases), those of installed plug-ins included.

    Raises:
        PlugInError: a plug-in cannot be loaded.
    """
    for name in _plug_in_rule_names():
        find_rule_class(name)
    return {name: rule for name, rule in _REGISTRY.copy().items() if name == rule.name}


def is_rule_name(word: str) -> bool:
    """Whether a word is the name or an alias of a rule."""
    # Only what can be a name is looked for in other packages, which costs milliseconds.
    return word in _REGISTRY or (word.isalpha() and word in _plug_in_rule_names())


def find_by_foreign_name(dialect: str, *names: str) -> type[Rule] | None:
    """The rule class whose ``iss`` or ``fpuzzles`` is one of some names; None if there is none."""
    for rules in (_REGISTRY.copy, known_rules):  # other packages only where no own rule is meant
        for rule in rules().values():
            if getattr(rule, dialect) in names:
                return rule
    return None


_LEADING_WORDS = re.compile(r"(?:[a-z]+[\s-]+)*[a-z]+(?![^\s,:(])", re.IGNORECASE)


def near_rule_names(line: str) -> str:
    """End a message about a line of an unknown rule: ``. Did you mean 'thermo'?``, or ``""``."""
    words = _LEADING_WORDS.match(line)
    return did_you_mean(words[0], (*_REGISTRY, *_plug_in_rule_names())) if words else ""


def find_rule_class(name: str, line: str | None = None) -> type[Rule]:
    """The registered rule class that has the given name or alias.

    Args:
        name: the name.
        line: the line that begins with it, from which an error guesses the name that is meant.

    Raises:
        PuzzleFormatError: no rule has this name.
        PlugInError: a plug-in of this name cannot be loaded.
    """
    if name not in _REGISTRY:
        if name not in _plug_in_rule_names():
            near = near_rule_names(line or name)
            raise PuzzleFormatError(f"no rule is called {name[:30]!r}{near}")
        load_plug_in(_PLUG_INS, name, Rule, register_rule)  # type: ignore[type-abstract]
    return _REGISTRY[name]


@check_types
def rule_from_line(line: str) -> Rule:
    """Parse a rule from a line such as :attr:`Rule.text`: name, then numbers, words and cells.

    Raises:
        PuzzleFormatError: no rule has this name, or a word is unexpected.

    >>> rule_from_line("cage 8 r5c5 r5c6 r6c6").text
    'cage 8 r5c5 r5c6 r6c6'
    """
    name, rest = split_rule_name(line.strip())
    found = find_rule_class(name, line)
    with adding_error_place(name):
        words = split_words(rest)
    return found.from_words(words)


def rule_from_dict(data: Mapping[str, Any]) -> Rule:
    """The rule described by the JSON values of :meth:`Rule.to_dict`.

    Raises:
        PuzzleFormatError: no rule has this name, or a field is wrong.
    """
    return find_rule_class(str(data.get("rule"))).from_dict(data)
