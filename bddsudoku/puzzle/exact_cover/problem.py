"""ExactCover: items, options, and what makes a cover; and covers as labels of options."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.files import read_text
from bddsudoku.model.constraints import OneHot, Variable
from bddsudoku.model.model import Definition, Model
from bddsudoku.model.ordering import DefinedBy
from bddsudoku.puzzle.exact_cover import json_form, text_form
from bddsudoku.puzzle.exact_cover.items import check_option, distinct


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
        known = distinct((*self.primary, *self.secondary))
        for number, option in enumerate(self.options, 1):
            check_option(option, known, f"option {number}: ")
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
        ).made_by(DefinedBy(Definition(self.primary, dict(enumerate(self.options)))))

    def decoder(self) -> CoverDecoder:
        """What turns numbers of options into covers."""
        return CoverDecoder(self)

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
        """A file in either format.

        Raises:
            PuzzleFormatError: the file holds neither; the message names file and line.
            OSError: the file cannot be read.
        """
        return cls.parse(read_text(path), source=str(path))

    @classmethod
    def parse(cls, text: str, source: str | None = None) -> ExactCover:
        """A text in either format: JSON when its first character is ``{``.

        Raises:
            PuzzleFormatError: it is in neither, or a list or another value in JSON.
        """
        text = text.removeprefix("\ufeff")
        form = json_form if json_form.is_json(text) else text_form
        parts = form.parse(text, source)
        try:
            return cls(*parts)
        except PuzzleFormatError as error:
            raise PuzzleFormatError(error.expected, source=source) from None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExactCover:
        """The problem that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: it is none.
        """
        return cls(*json_form.parts_of(data))

    def to_dict(self) -> dict[str, Any]:
        """The problem as JSON values."""
        return json_form.described(self)

    def to_text(self) -> str:
        """The problem in Knuth's format; names of options are lost.

        Raises:
            PuzzleFormatError: an item's name cannot be written there (it is empty, holds spaces,
                ``|`` or ``:``, or begins with a backslash).
        """
        return text_form.write(self)

    def to_json(self) -> str:
        """The problem as JSON; reads back as an equal one."""
        return json_form.write(self)


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
        return {"kind": self.kind, "problem": self.problem.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CoverDecoder:
        """The decoder that :meth:`to_dict` described.

        Raises:
            PuzzleFormatError: the problem is not one.
        """
        return cls(ExactCover.from_dict(data["problem"]))
