"""Exact cover as a puzzle of its own: named items, options, and the two ways to write them down.

Knuth, TAOCP Vol. 4B, section 7.2.2.1: choose options so that every primary item is covered exactly
once and every secondary ("optional") item at most once.

The text format is that of Knuth's DLX programs::

    | lines that begin with | or \\ are comments
    1 2 3 4 5 6 7 | x y        items; those after | are optional
    1 4 7                      one option a line: the items that it covers
    3 5 6 x

JSON says the same, and options may have names::

    {"items": ["1", "2"], "optional": ["x"],
     "options": [{"name": "A", "items": ["1", "x"]}, ["2"]]}

An option that covers no primary item takes part in no cover: nothing asks for it, and whether to
choose it would be an arbitrary factor of two. Knuth's programs ignore such options with a message;
so does :meth:`ExactCover.model`, and :attr:`ExactCover.ignored` names them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.model.onehot import Model, OneHot, Variable

__all__ = ["CoverDecoder", "ExactCover"]

_COMMENTS = ("|", "\\")


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
        PuzzleFormatError: an item twice, an option without items or with an item that is not
            there, a number of names that is not the number of options.
    """

    __slots__ = ("__dict__", "names", "options", "primary", "secondary")

    primary: tuple[str, ...]
    secondary: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    names: tuple[str, ...] | None

    def __init__(
        self,
        primary: Iterable[str],
        options: Iterable[Iterable[str]],
        secondary: Iterable[str] = (),
        names: Iterable[str] | None = None,
    ) -> None:
        set_ = object.__setattr__
        set_(self, "primary", tuple(primary))
        set_(self, "secondary", tuple(secondary))
        set_(self, "options", tuple(tuple(o) for o in options))
        set_(self, "names", None if names is None else tuple(names))
        known = _distinct((*self.primary, *self.secondary))
        for number, option in enumerate(self.options, 1):
            _check_option(option, known, f"option {number}: ")
        if self.names is not None and len(self.names) != len(self.options):
            raise PuzzleFormatError(
                f"expected {len(self.options)} option names, found {len(self.names)}"
            )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an ExactCover is immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return ExactCover, (self.primary, self.options, self.secondary, self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactCover):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self.primary, self.secondary, self.options, self.names))

    def __repr__(self) -> str:
        return (
            f"ExactCover({len(self.primary)} items, {len(self.secondary)} optional, "
            f"{len(self.options)} options)"
        )

    def name(self, option: int) -> str:
        """What people read for an option: its name, or its items."""
        return " ".join(self.options[option]) if self.names is None else self.names[option]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """One name for every option, made distinct by ``#2``, ``#3``, … where options share one."""
        taken: set[str] = set()
        found = []
        for option in range(len(self.options)):
            label, k = self.name(option), 1
            while label in taken:
                k += 1
                label = f"{self.name(option)}#{k}"
            taken.add(label)
            found.append(label)
        return tuple(found)

    @cached_property
    def ignored(self) -> tuple[int, ...]:
        """Options without a primary item, which take part in no cover."""
        primary = frozenset(self.primary)
        return tuple(o for o, items in enumerate(self.options) if primary.isdisjoint(items))

    def model(self) -> Model:
        """The problem as a model: a variable for every option that is not ignored.

        The families are ``item`` (exactly one) and ``optional`` (at most one); a variable's key is
        the number of its option, from 0.
        """
        ignored = frozenset(self.ignored)
        used = [o for o in range(len(self.options)) if o not in ignored]
        members: dict[str, list[int]] = {item: [] for item in (*self.primary, *self.secondary)}
        for v, o in enumerate(used):
            for item in self.options[o]:
                members[item].append(v)
        return Model(
            tuple(Variable(self.labels[o], o) for o in used),
            (
                *(OneHot("item", item, tuple(members[item])) for item in self.primary),
                *(
                    OneHot("optional", item, tuple(members[item]), at_most=True)
                    for item in self.secondary
                ),
            ),
        )

    def is_cover(self, chosen: Iterable[int]) -> bool:
        """True when these options (numbers from 0) are an exact cover."""
        covered = [item for o in set(chosen) for item in self.options[o]]
        found = set(covered)
        return (
            len(covered) == len(found)
            and found.issuperset(self.primary)
            and not any(o in self.ignored for o in chosen)
        )

    @classmethod
    def of_sets(
        cls, universe: Iterable[object], sets: Mapping[str, Iterable[object]]
    ) -> ExactCover:
        """The textbook form: a universe and named subsets of it."""
        return cls(map(str, universe), (map(str, members) for members in sets.values()), names=sets)

    @classmethod
    def read(cls, path: str | Path) -> ExactCover:
        """A file in either format (JSON when the first character is ``{``).

        Raises:
            PuzzleFormatError: the file holds neither; the message names file and line.
            OSError: the file cannot be read.
        """
        data = Path(path).read_bytes()
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise PuzzleFormatError(
                f"expected UTF-8 text, found byte 0x{data[error.start]:02x}",
                source=str(path),
                line=line,
            ) from None
        return cls.parse(text, source=str(path))

    @classmethod
    def parse(cls, text: str, source: str | None = None) -> ExactCover:
        """A text in either format; see :meth:`read`."""
        text = text.removeprefix("\ufeff")
        if text.lstrip().startswith("{"):
            return cls._from_json(text, source)
        return cls._from_text(text, source)

    @classmethod
    def _from_text(cls, text: str, source: str | None) -> ExactCover:
        header: list[str] | None = None
        known: frozenset[str] = frozenset()
        bar = 0
        options: list[tuple[str, ...]] = []
        for number, raw in enumerate(text.splitlines(), 1):
            words = raw.split()
            if not words or words[0].startswith(_COMMENTS):
                continue
            try:
                if header is None:
                    header, bar = _header(words)
                    known = _distinct(header)
                else:
                    option = tuple(words)
                    _check_names(option)
                    _check_option(option, known)
                    options.append(option)
            except PuzzleFormatError as error:
                raise PuzzleFormatError(error.expected, source=source, line=number) from None
        if header is None:
            raise PuzzleFormatError("expected a line of items, found none", source=source)
        return cls(header[:bar], options, header[bar:])

    @classmethod
    def _from_json(cls, text: str, source: str | None) -> ExactCover:
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise PuzzleFormatError(
                f"expected JSON: {error.msg}", source=source, line=error.lineno
            ) from None
        try:
            surplus = sorted(set(data) - {"items", "optional", "options"})
            if surplus:
                raise PuzzleFormatError(
                    f'expected "items", "optional" and "options", found {surplus[0]!r}'
                )
            primary = _strings(data.get("items"), '"items"')
            secondary = _strings(data.get("optional", []), '"optional"')
            given = data.get("options")
            if not isinstance(given, list):
                raise PuzzleFormatError(f'expected "options" as a list, found {_shown(given)}')
            options = []
            names: list[str | None] = []
            for number, entry in enumerate(given, 1):
                name = None
                if isinstance(entry, dict):
                    if set(entry) - {"name", "items"}:
                        raise PuzzleFormatError(
                            f'option {number}: expected "name" and "items", '
                            f"found {sorted(set(entry) - {'name', 'items'})[0]!r}"
                        )
                    name, entry = entry.get("name"), entry.get("items")
                    if name is not None and not isinstance(name, str):
                        raise PuzzleFormatError(
                            f"option {number}: expected a name, found {_shown(name)}"
                        )
                options.append(_strings(entry, f"option {number}"))
                names.append(name)
            called = (
                [n if n is not None else " ".join(o) for n, o in zip(names, options, strict=True)]
                if any(n is not None for n in names)
                else None
            )
            return cls(primary, options, secondary, called)
        except PuzzleFormatError as error:
            raise PuzzleFormatError(error.expected, source=source) from None

    def to_text(self) -> str:
        """The problem in Knuth's format; names of options are lost.

        Raises:
            PuzzleFormatError: an item's name cannot be written there (it is empty, holds spaces,
                ``|`` or ``:``, or begins with a backslash).
        """
        _check_names((*self.primary, *self.secondary))
        if self.primary and self.primary[0].startswith(_COMMENTS):
            raise PuzzleFormatError(f"item {self.primary[0]!r} would begin a comment")
        header = " ".join(self.primary)
        if self.secondary:
            header = f"{header} | {' '.join(self.secondary)}"
        return "\n".join([header, *map(" ".join, self.options)]) + "\n"

    def to_json(self) -> str:
        """The problem as JSON; reads back as an equal one."""
        lines = [
            json.dumps(
                list(items)
                if self.names is None
                else {"name": self.names[o], "items": list(items)},
                ensure_ascii=False,
            )
            for o, items in enumerate(self.options)
        ]
        options = "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"
        head = json.dumps(list(self.primary), ensure_ascii=False)
        tail = json.dumps(list(self.secondary), ensure_ascii=False)
        return f'{{"items": {head},\n "optional": {tail},\n "options": {options}}}\n'


class CoverDecoder:
    """What a set of covers needs to speak of options: a cover is the tuple of their labels.

    Args:
        problem: the problem solved.
    """

    kind = "exact-cover"

    def __init__(self, problem: ExactCover) -> None:
        self.problem = problem
        self._number = {label: o for o, label in enumerate(problem.labels)}

    @property
    def space(self) -> Hashable:
        """Covers of equal problems can be compared and combined."""
        return (self.kind, self.problem)

    def decode(self, keys: Sequence[int]) -> tuple[str, ...]:
        """The labels of these options, in the problem's order."""
        return tuple(self.problem.labels[int(k)] for k in keys)

    def encode(self, solution: Iterable[str | int]) -> Iterable[int]:
        """Options by label or number.

        Raises:
            PuzzleFormatError: one of them is no option.
        """
        numbers = []
        for option in solution:
            number = self._number.get(option) if isinstance(option, str) else int(option)
            if number is None or not 0 <= number < len(self.problem.options):
                raise PuzzleFormatError(f"expected an option, found {option!r}")
            numbers.append(number)
        return numbers

    def merged(self, other: CoverDecoder, both: bool) -> CoverDecoder:
        """The same problem."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The problem as JSON values."""
        return {"kind": self.kind, "problem": json.loads(self.problem.to_json())}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CoverDecoder:
        """The decoder that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: the problem is not one.
        """
        return cls(ExactCover.parse(json.dumps(data["problem"])))


def _header(words: Sequence[str]) -> tuple[list[str], int]:
    """Item names, and how many of them are primary."""
    if words.count("|") > 1:
        raise PuzzleFormatError("expected one | before the optional items, found several")
    bar = words.index("|") if "|" in words else len(words)
    items = [w for w in words if w != "|"]
    _check_names(items)
    return items, bar


def _check_names(items: Iterable[str]) -> None:
    for item in items:
        if ":" in item:
            raise PuzzleFormatError(
                f"expected an item without a colour, found {item!r} (colours are not supported)"
            )
        if not item or "|" in item or item != "".join(item.split()) or item.startswith("\\"):
            raise PuzzleFormatError(f"expected the name of an item, found {item!r}")


def _distinct(items: Sequence[str]) -> frozenset[str]:
    seen: set[str] = set()
    for item in items:
        if item in seen:
            raise PuzzleFormatError(f"expected every item once, found {item!r} twice")
        seen.add(item)
    return frozenset(seen)


def _check_option(option: tuple[str, ...], known: frozenset[str], where: str = "") -> None:
    if not option:
        raise PuzzleFormatError(f"{where}expected at least one item, found none")
    seen = set()
    for item in option:
        if item not in known:
            raise PuzzleFormatError(f"{where}expected one of the items, found {item!r}")
        if item in seen:
            raise PuzzleFormatError(f"{where}expected every item once, found {item!r} twice")
        seen.add(item)


def _strings(value: Any, what: str) -> list[str]:
    """A JSON list of names; whole numbers are taken as names, too."""
    if not isinstance(value, list):
        raise PuzzleFormatError(f"{what}: expected a list of items, found {_shown(value)}")
    for v in value:
        if isinstance(v, bool) or not isinstance(v, str | int):
            raise PuzzleFormatError(f"{what}: expected the name of an item, found {_shown(v)}")
    return [str(v) for v in value]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
