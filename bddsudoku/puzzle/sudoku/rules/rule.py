"""What every rule is: a demand beyond the houses that can be stated, checked, written and drawn.

A rule is a frozen dataclass whose fields are places, numbers and words, so that one reader and one
writer serve all of them (:attr:`Rule.fields`). What it demands is said twice, by code that shares
nothing: as constraints for the engines (:meth:`Rule.constraints`), and as a plain test of a
finished grid (:meth:`Rule.holds`), by which tests and brute force judge the first.

Rules by their names: a line of text, or an object of JSON, makes a rule.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from typing import Any, ClassVar, Protocol, Self, TypeAlias, TypeVar, dataclass_transform

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.constraints import Constraint
from bddsudoku.number_text import parse_whole_number, short_repr
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places import Mark, Places, is_place, parse_place

R = TypeVar("R", bound="Rule")

GROUPS = ">"
"""Parts two lists of places in a rule's line."""


class FilledGrid(Protocol):
    """A filled grid, as :class:`bddsudoku.Puzzle` is one."""

    @property
    def layout(self) -> Layout:
        """Its board."""

    @property
    def n(self) -> int:
        """Its side."""

    def __getitem__(self, place: tuple[int, int]) -> int:
        """The digit in a cell."""


class FieldKind(Enum):
    """Kinds of a rule's fields."""

    PLACES = "cells"
    """``Places``."""
    NUMBER = "number"
    """An int."""
    MAYBE = "number or nothing"
    """An int or None."""
    DIGITS = "numbers"
    """A tuple of ints."""
    WORD = "word"
    """A str."""


_KINDS = {
    "Places": FieldKind.PLACES,
    "int": FieldKind.NUMBER,
    "int | None": FieldKind.MAYBE,
    "tuple[int, ...]": FieldKind.DIGITS,
    "str": FieldKind.WORD,
}
_MANY = FieldKind.PLACES, FieldKind.DIGITS
_TEXT = FieldKind.PLACES, FieldKind.WORD

Reach: TypeAlias = "tuple[int, int, str]"
"""The least and the greatest of some numbers, and what they are."""


@dataclass(frozen=True)
class Rule(ABC):
    """A rule of a variant Sudoku; immutable, hashable, of any board that it fits on.

    Attributes:
        name: the first word of its line; also the family of its constraints.
        about: what it demands, in a sentence.
        aliases: other words that a line may begin with; none is ever written.
        fields: its fields and their kinds, in the order of the class.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    fields: ClassVar[Mapping[str, FieldKind]] = {}

    @abstractmethod
    def constraints(self, layout: Layout) -> Sequence[Constraint]:
        """What it demands of the variables of the empty board, ``cell * n + digit - 1``.

        Their family is :attr:`name`, their labels begin with :attr:`label`.
        """

    @abstractmethod
    def holds(self, grid: FilledGrid) -> bool:
        """Whether a filled grid obeys it: the definition, as a reader would check it."""

    def number_range(self, n: int) -> Reach | None:
        """What its number may be on a board of side n; None for any."""
        return None

    def check(self, layout: Layout) -> None:
        """Whether it fits a board.

        Raises:
            PuzzleFormatError: a cell is not on the board or named twice, or a number is out of
                reach.
        """
        self.check_fields(layout)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """How it is drawn; nothing for what only words can say."""
        return ()

    def in_company(self, rules: Sequence[Rule]) -> Rule:
        """What this rule means on a puzzle that has these rules, itself among them.

        A rule may speak of the marks of others. Whoever builds constraints, judges a grid or draws
        asks the rule that is returned, which says all of it by itself; the puzzle keeps its rules
        as they were given, so that their meaning follows when one is added or taken away.
        """
        return self

    @property
    def text(self) -> str:
        """Its line: name, numbers and words, places."""
        return f"{self.name} {self.label}" if self.fields and self.label else self.name

    @property
    def label(self) -> str:
        """Its line without the name; the name where that is all."""
        words: list[str] = []
        groups: list[str] = []
        for key, kind in self.fields.items():
            value = getattr(self, key)
            if kind is FieldKind.PLACES:
                groups.append(" ".join(map(str, value)))
            elif value is not None:
                parts = value if kind is FieldKind.DIGITS else (value,)
                words += map(str if kind is FieldKind.WORD else short_repr, parts)
        places = f" {GROUPS} ".join(groups).rstrip(f" {GROUPS}")
        return " ".join([*words, places]).strip() if self.fields else self.name

    def to_dict(self) -> dict[str, Any]:
        """As JSON values: the name under ``rule``, and every field."""
        found: dict[str, Any] = {"rule": self.name}
        for key, kind in self.fields.items():
            value = getattr(self, key)
            if kind in _MANY:
                value = [str(part) if kind in _TEXT else part for part in value]
            if value is not None:
                found[key] = value
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The rule that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: a field is missing, unknown, or of another kind.
        """
        unknown = [key for key in data if key != "rule" and key not in cls.fields]
        if unknown:
            raise PuzzleFormatError(f"the rule {cls.name} has no {unknown[0]!r}")
        found = {
            key: cls._field_value(key, kind, data.get(key)) for key, kind in cls.fields.items()
        }
        return cls(**{key: value for key, value in found.items() if value is not None})

    @classmethod
    def _field_value(cls, key: str, kind: FieldKind, value: Any) -> Any:
        """A field from JSON values; None for an optional one that is not there."""
        many = kind in _MANY
        if value is None and not many:
            if kind is FieldKind.MAYBE:
                return None
            raise PuzzleFormatError(f"{cls.name}: {kind.value} is missing ({key})")
        parts = (value or ()) if many else (value,)
        wanted = str if kind in _TEXT else int
        if not isinstance(parts, (list, tuple)) or any(type(part) is not wanted for part in parts):
            raise PuzzleFormatError(
                f"{cls.name}: expected {kind.value} as {key!r}, found {short_repr(value)}"
            )
        if kind is FieldKind.PLACES:
            return tuple(map(parse_place, parts))
        return tuple(parts) if many else value

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """The rule of a line, its words without the name.

        Raises:
            PuzzleFormatError: a word does not belong there.
        """
        data: dict[str, Any] = {}
        places = [key for key, kind in cls.fields.items() if kind is FieldKind.PLACES]
        names = [key for key, kind in cls.fields.items() if kind is FieldKind.WORD]
        numbers = [key for key in cls.fields if key not in (*places, *names)]
        try:
            found = [parse_whole_number(word) for word in words]
        except PuzzleFormatError as error:
            raise PuzzleFormatError(f"{cls.name}: {error}") from None
        for word, number in zip(words, found, strict=True):
            if word == GROUPS:
                places = places[1:]
                continue
            keys = places if is_place(word) else names if number is None else numbers
            if not keys:
                raise PuzzleFormatError(f"{cls.name}: {word[:20]!r} does not belong there")
            value = word.lower() if number is None else number
            if cls.fields[keys[0]] in _MANY:
                data.setdefault(keys[0], []).append(value)
            else:
                data[keys.pop(0)] = value
        return cls.from_dict(data)

    # For checks: each raises a PuzzleFormatError where something is not as it should be

    def error(self, what: str) -> PuzzleFormatError:
        """The error about this rule."""
        rule_text = self.text
        return PuzzleFormatError(
            f"{rule_text if len(rule_text) < 80 else rule_text[:77] + '…'}: {what}"
        )

    def check_fields(self, layout: Layout, least: int = 1, most: int | None = None) -> None:
        """:meth:`check_places` of all places, then :meth:`check_numbers`."""
        for key, kind in self.fields.items():
            if kind is FieldKind.PLACES:
                self.check_places(getattr(self, key), layout, least, most)
        self.check_numbers(layout)

    def check_numbers(self, layout: Layout) -> None:
        """The number within :meth:`reach`."""
        for key in self.fields:
            value, number_range = getattr(self, key), self.number_range(layout.n)
            if isinstance(value, int) and number_range:
                self.check_number(value, *number_range)

    def check_places(
        self, places: Places, layout: Layout, least: int = 1, most: int | None = None
    ) -> None:
        """Cells of the board, none twice, not too few and not too many."""
        n = layout.n
        for place in places:
            if not (0 <= place.row < n and 0 <= place.column < n):
                raise self.error(f"{place} is not on a board of {n}x{n} cells")
            if places.count(place) > 1:
                raise self.error(f"{place} stands there twice")
        if not least <= len(places) <= (len(places) if most is None else most):
            wanted = f"{least} or more" if most is None else f"{least} to {most}"
            wanted = f"{least}" if least == most else wanted
            raise self.error(f"expected {wanted} cells, found {len(places)}")

    def check_number(self, value: int, low: int, high: int, what: str = "a number") -> None:
        """A number between two others."""
        if not low <= value <= high:
            found = short_repr(value)
            raise self.error(f"expected {what} from {low} to {high}, found {found}")


@dataclass(frozen=True)
class CellRule(Rule):
    """A rule of some cells, which come before its other fields."""

    cells: Places

    def digits_in(self, grid: FilledGrid) -> list[int]:
        """What stands in them."""
        return [grid[place] for place in self.cells]

    def check_blocks(self, layout: Layout) -> None:
        """Whether all of them are in blocks."""
        for place in self.cells:
            if layout.block_index(place.row * layout.n + place.column) < 0:
                raise self.error(f"{place} is in no block")


_REGISTRY: dict[str, type[Rule]] = {}
"""By name and by alias; whoever goes through it takes a copy, for another thread may add to it."""


def register_rule(rule: type[Rule]) -> type[Rule]:
    """Make a rule known to readers; also a decorator, for rules of one's own.

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
def rule(name: str, about: str, *aliases: str) -> Callable[[type[R]], type[R]]:
    """Make a class a rule that readers know: a frozen dataclass whose fields say their kinds.

    Args:
        name, about, aliases: see :class:`Rule`. A number with a default may be left out.
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


def known_rules() -> Mapping[str, type[Rule]]:
    """All rules by name; without their aliases."""
    return {name: rule for name, rule in _REGISTRY.copy().items() if name == rule.name}


def is_rule_name(word: str) -> bool:
    """Whether a rule has this name, or this alias."""
    return word in _REGISTRY


def find_rule_class(name: str) -> type[Rule]:
    """The class behind a name or an alias.

    Raises:
        PuzzleFormatError: there is none.
    """
    if name not in _REGISTRY:
        raise PuzzleFormatError(f"no rule is called {name[:30]!r}")
    return _REGISTRY[name]


def rule_from_line(line: str) -> Rule:
    """The rule that :attr:`Rule.text` wrote: its name, then numbers, words and cells.

    Raises:
        PuzzleFormatError: no rule is called that, or a word does not belong there.
    """
    name, *words = re.split(r"[\s,:]+", line.strip())
    return find_rule_class(name.lower()).from_words(words)


def rule_from_dict(data: Mapping[str, Any]) -> Rule:
    """The rule that :meth:`Rule.to_dict` described.

    Raises:
        PuzzleFormatError: no rule is called that, or a field is wrong.
    """
    return find_rule_class(str(data.get("rule"))).from_dict(data)
