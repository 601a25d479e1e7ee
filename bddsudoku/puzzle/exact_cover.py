"""Exact cover problems with named items and options, and their two file formats.

Knuth, TAOCP Vol. 4B, section 7.2.2.1: choose options so that every primary item is covered exactly
once and every secondary ("optional") item at most once.

The text format is that of Knuth's DLX programs::

    | lines that begin with | or \\ are comments
    1 2 3 4 5 6 7 | x y        items; those after | are optional
    1 4 7                      one option a line: the items that it covers
    3 5 6 x

JSON describes the same, and options may have names::

    {"items": ["1", "2"], "optional": ["x"],
     "options": [{"name": "A", "items": ["1", "x"]}, ["2"]]}

An option that covers no primary item takes part in no cover: no constraint demands it, and to
choose it or not would be an arbitrary factor of two. Knuth's programs ignore such options with a
message; so does :meth:`ExactCover.model`, and :attr:`ExactCover.ignored_options` lists them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.file_io import parse_json, read_text
from bddsudoku.model.constraints import Linear, OneHot, Variable
from bddsudoku.model.model import Model, PuzzleDefinition
from bddsudoku.model.ordering import DefinitionOrigin
from bddsudoku.notebook_html import facts_html
from bddsudoku.sets.decoder import Decoder

_COMMENTS = ("|", "\\")


@dataclass(frozen=True, init=False, repr=False)
class ExactCover:
    """An exact cover problem, immutable.

    Args:
        primary: names of the items to be covered exactly once, in order.
        options: for every option the names of its items (order and repetition do not matter
            for the problem, but a repeated item is refused).
        secondary: names of the items to be covered at most once.
        names: names of the options; by default an option is called by its items. Two options may
            cover the same items: they are two options then, and make different covers.

    Raises:
        PuzzleFormatError: an item twice, an option without items or with an unknown item, a number
            of names that is not the number of options.
    """

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    names: tuple[str, ...] | None

    @check_types
    def __init__(
        self,
        primary: Iterable[str] | str,
        options: Iterable[Iterable[str]],
        secondary: Iterable[str] | str = (),
        names: Iterable[str] | str | None = None,
    ) -> None:
        self.__dict__.update(
            primary=tuple(primary),
            secondary=tuple(secondary),
            options=tuple(tuple(o) for o in options),
            names=None if names is None else tuple(names),
        )
        items = (*self.primary, *self.secondary)
        check_unique(items)
        known = frozenset(items)
        for number, option in enumerate(self.options, 1):
            _check_option(option, known, f"option {number}: ")
        if self.names is not None and len(self.names) != len(self.options):
            raise PuzzleFormatError(
                f"expected {len(self.options)} option names, found {len(self.names)}"
            )

    def __repr__(self) -> str:
        return (
            f"ExactCover({len(self.primary)} items, {len(self.secondary)} optional, "
            f"{len(self.options)} options)"
        )

    def _repr_html_(self) -> str:
        """The numbers of items and options as a table, for notebooks."""
        facts = [
            ("items", len(self.primary)),
            ("optional items", len(self.secondary)),
            ("options", len(self.options)),
            ("ignored options", len(self.ignored_options)),
            ("items in options", sum(map(len, self.options))),
        ]
        return facts_html(type(self).__name__, facts)

    @check_types
    def name(self, option: int) -> str:
        """The name of an option: its given name or else its items, joined by spaces."""
        return " ".join(self.options[option]) if self.names is None else self.names[option]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the options, made distinct by ``#2``, ``#3``, … where some are equal."""
        taken: set[str] = set()
        last: dict[str, int] = {}
        found = []
        for option in range(len(self.options)):
            label = name = self.name(option)
            while label in taken:
                last[name] = last.get(name, 1) + 1
                label = f"{name}#{last[name]}"
            taken.add(label)
            found.append(label)
        return tuple(found)

    @cached_property
    def ignored_options(self) -> tuple[int, ...]:
        """The numbers of the options without a primary item, which take part in no cover."""
        primary = frozenset(self.primary)
        return tuple(o for o, items in enumerate(self.options) if primary.isdisjoint(items))

    def model(self) -> Model:
        """The problem as a model: a variable for every option that is not ignored.

        The families are ``item`` (exactly one) and ``optional`` (at most one); a variable's key is
        the number of its option, from 0.
        """
        ignored = frozenset(self.ignored_options)
        options = {
            o: (label, items)
            for o, (label, items) in enumerate(zip(self.labels, self.options, strict=True))
            if o not in ignored
        }
        items: dict[Hashable, tuple[str, str]] = {i: ("item", i) for i in self.primary}
        items |= {i: ("optional", i) for i in self.secondary}
        return cover_model(options, items)

    def decoder(self) -> CoverDecoder:
        """The decoder that converts sets of option numbers to covers and back."""
        return CoverDecoder(self)

    @classmethod
    @check_types
    def read(cls, path: str | Path) -> ExactCover:
        """Read an exact cover problem from a file in Knuth's text format or in JSON.

        Raises:
            PuzzleFormatError: the file has neither format; the message names file and line.
            OSError: the file cannot be read.
        """
        return cls.parse(read_text(path), source=str(path))

    @classmethod
    @check_types
    def parse(cls, text: str, source: str | None = None) -> ExactCover:
        """Parse Knuth's text format or, when the text's first character is ``{``, JSON.

        Raises:
            PuzzleFormatError: the text has neither format, or is another JSON value.
        """
        text = text.removeprefix("\ufeff")
        with adding_error_place(source=source):
            return cls.from_dict(parse_json(text)) if _is_json(text) else cls(*_parse_text(text))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExactCover:
        """The problem described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: the data are not a problem.
        """
        if not isinstance(data, dict):
            raise PuzzleFormatError(
                f'expected a JSON object with "items" and "options", found {_quote(data)}'
            )
        surplus = sorted(set(data) - {"items", "optional", "options"})
        if surplus:
            raise PuzzleFormatError(
                f'expected "items", "optional" and "options", found {surplus[0]!r}'
            )
        primary = _parse_names(data.get("items"), '"items"')
        secondary = _parse_names(data.get("optional", []), '"optional"')
        given = data.get("options")
        if not isinstance(given, list):
            raise PuzzleFormatError(f'expected "options" as a list, found {_quote(given)}')
        options: list[list[str]] = []
        names: list[str | None] = []
        for number, entry in enumerate(given, 1):
            name, where = None, f"option {number}"
            if isinstance(entry, dict):
                surplus = sorted(set(entry) - {"name", "items"})
                if surplus:
                    raise PuzzleFormatError(
                        f'{where}: expected "name" and "items", found {surplus[0]!r}'
                    )
                name, entry = entry.get("name"), entry.get("items")
                if name is not None and not isinstance(name, str):
                    raise PuzzleFormatError(f"{where}: expected a name, found {_quote(name)}")
            options.append(_parse_names(entry, where))
            names.append(name)
        if names.count(None) == len(names):
            return cls(primary, options, secondary)
        called = [" ".join(o) if n is None else n for n, o in zip(names, options, strict=True)]
        return cls(primary, options, secondary, called)

    def to_dict(self) -> dict[str, Any]:
        """The problem as a JSON object: its items, optional items and options."""
        options: list[Any] = [list(items) for items in self.options]
        if self.names is not None:
            pairs = zip(self.names, options, strict=True)
            options = [{"name": name, "items": items} for name, items in pairs]
        return {
            "items": list(self.primary),
            "optional": list(self.secondary),
            "options": options,
        }

    def to_text(self) -> str:
        """The problem in Knuth's format; names of options are lost.

        Raises:
            PuzzleFormatError: an item's name cannot be written there (it is empty, holds spaces,
                ``|`` or ``:``, or begins with a backslash).
        """
        _check_text_format_names((*self.primary, *self.secondary))
        header = " ".join(self.primary)
        if self.secondary:
            header = f"{header} | {' '.join(self.secondary)}"
        return "\n".join([header, *map(" ".join, self.options)]) + "\n"


def cover_model(
    options: Mapping[int, tuple[str, Iterable[Hashable]]],
    items: Mapping[Hashable, tuple[str, str]],
    counts: Mapping[Hashable, tuple[int, int]] | None = None,
) -> Model:
    """A model with a variable for every option and a one-hot constraint for every item.

    For every key ``options`` holds the name of its variable and the items it covers; ``items`` the
    family and label of each constraint. Items of the family ``optional`` may be left uncovered.
    ``counts`` has, for items that are not covered just once, the least and the greatest number of
    times; such a model is no exact cover and has no definition for brute force.
    """
    counts = counts or {}
    members: dict[Hashable, list[int]] = {item: [] for item in items}
    for v, (_, covered) in enumerate(options.values()):
        for item in covered:
            members[item].append(v)
    primary = tuple(item for item, (family, _) in items.items() if family != "optional")
    definition = PuzzleDefinition(primary, {key: tuple(c) for key, (_, c) in options.items()})
    model = Model(
        tuple(Variable(name, key) for key, (name, _) in options.items()),
        tuple(
            Linear(family, label, tuple(members[item]), (1,) * len(members[item]), *counts[item])
            if item in counts
            else OneHot(family, label, tuple(members[item]), at_most=family == "optional")
            for item, (family, label) in items.items()
        ),
    )
    return model if counts else model.with_origin(DefinitionOrigin(definition))


class OptionDecoder(Decoder):
    """Base class of converters between option numbers (variables' keys) and solutions.

    ``options`` are the distinct values that represent the options in a solution.
    """

    kind: str
    wanted = "an option"

    def __init__(self, problem: Hashable, options: Sequence[Hashable]) -> None:
        self.problem: Any = problem
        self._options = options
        self._number = {option: o for o, option in enumerate(options)}

    @property
    def space(self) -> Hashable:
        """What two sets must share to be compared or combined: kind and problem."""
        return (self.kind, self.problem)

    def decode(self, keys: Sequence[int]) -> Any:
        """The tuple of the options with the given numbers, in the same order."""
        try:
            return tuple(self._options[int(k)] for k in keys)
        except IndexError:
            raise PuzzleFormatError(f"expected {self.wanted}, found number {max(keys)}") from None

    def encode(self, solution: Iterable[Any]) -> Iterable[int]:
        """The numbers of a solution's options, given as options or numbers (inverse of decode)."""
        numbers = []
        for option in solution:
            number = self._number.get(option, -1) if isinstance(option, Hashable) else -1
            if hasattr(option, "__index__"):
                number = int(option)
            if not 0 <= number < len(self._options):
                raise PuzzleFormatError(f"expected {self.wanted}, found {option!r}")
            numbers.append(number)
        return numbers


class CoverDecoder(OptionDecoder):
    """Converter between option numbers and covers, which are tuples of the options' labels."""

    kind = "exact-cover"

    def __init__(self, problem: ExactCover) -> None:
        super().__init__(problem, problem.labels)
        self.key_by_name: dict[str, int] = {label: o for o, label in enumerate(problem.labels)}

    def to_dict(self) -> dict[str, Any]:
        """The decoder's kind and its exact cover problem as JSON values."""
        return {"kind": self.kind, "problem": self.problem.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CoverDecoder:
        """The decoder described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: the problem is not one.
        """
        return cls(ExactCover.from_dict(data["problem"]))


# Knuth's format


def _parse_text(text: str) -> tuple[list[str], list[list[str]], list[str]]:
    """Parse Knuth's text format into the primary items, options and secondary items."""
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1)]
    rows = [(n, words) for n, words in lines if words and not words[0].startswith(_COMMENTS)]
    if not rows:
        raise PuzzleFormatError("expected a line of items, found none")
    head = rows[0][1]
    bar = head.index("|") if "|" in head else len(head)
    primary, secondary = head[:bar], head[bar + 1 :]
    known = frozenset(primary + secondary)
    for number, words in rows:
        with adding_error_place(line=number):
            if words is not head:
                _check_text_format_names(words)
                _check_option(words, known)
            elif "|" in secondary:
                raise PuzzleFormatError("expected one | before the optional items, found several")
            else:
                _check_text_format_names(primary + secondary)
                check_unique(primary + secondary)
    return primary, [words for _, words in rows[1:]], secondary


def _check_text_format_names(items: Iterable[str]) -> None:
    """Raise a PuzzleFormatError if Knuth's text format cannot have one of the items' names."""
    for item in items:
        if ":" in item:
            raise PuzzleFormatError(
                f"expected an item without a colour, found {item!r} (colours are not supported)"
            )
        if not item or "|" in item or item != "".join(item.split()) or item.startswith("\\"):
            raise PuzzleFormatError(f"expected the name of an item, found {item!r}")


def check_unique(names: Sequence[str], what: str = "item", where: str = "") -> None:
    """Raise a PuzzleFormatError if one of the names occurs twice."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PuzzleFormatError(f"{where}expected every {what} once, found {twice!r} twice")


def _check_option(option: Sequence[str], known: frozenset[str], where: str = "") -> None:
    """Raise a PuzzleFormatError if an option is empty, or has an unknown or a repeated item."""
    if not option:
        raise PuzzleFormatError(f"{where}expected at least one item, found none")
    for item in option:
        if item not in known:
            raise PuzzleFormatError(f"{where}expected one of the items, found {item!r}")
    check_unique(option, where=where)


# JSON


def _is_json(text: str) -> bool:
    """Whether a text is JSON: it begins with ``{``, or is any JSON value other than a number.

    Otherwise ``null`` or ``[1, 2]`` would be the only item of a problem in Knuth's format.
    """
    if text.lstrip()[:1] == "{":
        return True
    try:
        return not isinstance(json.loads(text, parse_int=float), float)
    except (ValueError, RecursionError):
        return False


def _parse_names(value: Any, what: str) -> list[str]:
    """Parse a JSON list of names, which may be whole numbers."""
    if not isinstance(value, list):
        raise PuzzleFormatError(f"{what}: expected a list of items, found {_quote(value)}")
    for v in value:
        if isinstance(v, bool) or not isinstance(v, str | int):
            raise PuzzleFormatError(f"{what}: expected the name of an item, found {_quote(v)}")
    return [str(v) for v in value]


def _quote(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
