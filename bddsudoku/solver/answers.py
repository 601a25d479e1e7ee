"""Answers as objects: dataclasses with integers and cells, and their form as JSON values.

Python gets objects; what is printed as JSON or kept in a journal is :meth:`Answer.to_dict`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Any, Self, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.jit.decorators import AnyArray
from bddsudoku.number_text import from_decimal, to_decimal
from bddsudoku.puzzle.sudoku.layout import VALUE_SYMBOLS
from bddsudoku.puzzle.sudoku.places import Place, parse_place

Count: TypeAlias = int
"""An exact number of any size. As a JSON value it is decimal text, as most readers of JSON round
integers beyond 2**53."""


class Answer:
    """Base class of answers, which are frozen dataclasses of integers, cells and other answers."""

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values: counts (:data:`Count`) in decimal, cells by name (``r1c1``).

        Fields that need not be given are left out where they are None.
        """
        cls: Any = type(self)
        return {
            name: _to_json(value, is_count)
            for name, is_count, is_optional in _members(cls)
            if (value := getattr(self, name)) is not None or not is_optional
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """The answer that :meth:`to_dict` turned into JSON values."""
        of: Any = cls
        kinds = _kinds(of)
        return cls(**{name: _from_json(kinds[name], value) for name, value in record.items()})

    def to_frame(self) -> Any:
        """The rows of the answer as a DataFrame; see :func:`bddsudoku.report.to_frame`."""
        from bddsudoku.report.formatting import to_frame

        return to_frame(self)

    def __getitem__(self, name: str) -> Any:
        """A member of :meth:`to_dict`; until 2.2, as answers were dictionaries."""
        message = f"write .{name} (an integer, a cell, an answer) or .to_dict()[{name!r}]"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.to_dict()[name]


@cache
def _members(cls: Any) -> list[tuple[str, bool, bool]]:
    """Of every field of a class its name, whether it holds counts, and whether it is optional."""
    return [
        (of.name, re.search(r"\bCount\b", str(of.type)) is not None, of.default is None)
        for of in fields(cls)
    ]


@cache
def _kinds(cls: type[Answer]) -> dict[str, Any]:
    """The types of a class's fields."""
    return get_type_hints(cls)


def _to_json(value: Any, is_count: bool) -> Any:
    """A field's value as JSON values."""
    if isinstance(value, Answer):
        return value.to_dict()
    if isinstance(value, Place | Decimal):
        return str(value)
    if isinstance(value, np.ndarray):
        return _to_json(value.tolist(), is_count=True)
    if isinstance(value, Mapping):
        return {str(key): _to_json(number, is_count) for key, number in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(one, is_count) for one in value]
    return to_decimal(value) if is_count and value is not None else value


def _from_json(kind: Any, value: Any) -> Any:
    """A field's value of a given type, from JSON values."""
    origin, inner = get_origin(kind), get_args(kind)
    if value is None or kind in (str, bool, float):
        return value
    if origin is UnionType:
        return _from_json(inner[0], value)
    if origin is tuple:
        return tuple(_from_json(inner[0], one) for one in value)
    if origin is Mapping:
        return {int(key): _from_json(inner[1], number) for key, number in value.items()}
    if origin is np.ndarray:
        whole = np.array(value, dtype=object)
        numbers = [from_decimal(text) for text in whole.reshape(-1).tolist()]
        fits = all(number < 1 << 63 for number in numbers)
        return np.array(numbers, dtype=np.int64 if fits else object).reshape(whole.shape)
    if kind is int:
        return from_decimal(str(value))
    if kind in (Place, Decimal):
        return Decimal(value) if kind is Decimal else parse_place(value)
    return kind.from_dict(value)


# -- hints -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hint(Answer):
    """A digit, as it is written, in a cell (row and column from 0; its text is ``r1c1``)."""

    cell: Place
    digit: int

    def __str__(self) -> str:
        return f"{self.cell}={VALUE_SYMBOLS[self.digit]}"


@dataclass(frozen=True)
class CountedHint(Hint):
    """A hint, and the number of solutions with it; None where a limit ended the count."""

    count: Count | None


@dataclass(frozen=True)
class RemovedHint(CountedHint):
    """A hint, the number of solutions without it, and whether that is the number with it."""

    redundant: bool | None


@dataclass(frozen=True, kw_only=True)
class Ablation(Answer):
    """The solutions without each hint.

    Attributes:
        without: the hints with their counts.
        redundant: number of hints whose removal, each by itself, changes nothing.
        minimal: whether none is redundant; None when a limit left that open.
    """

    without: tuple[RemovedHint, ...]
    redundant: int
    minimal: bool | None


@dataclass(frozen=True, kw_only=True)
class CommonProperties(Answer):
    """What all solutions have in common; None where it is not known.

    Attributes:
        dead: candidates that the hints leave but no solution has.
        always_equal: pairs of cells, not settled and not in one house, with always equal digits.
        always_different: such pairs with always different digits.
        pairs_open: why the pairs are not known.
    """

    dead: tuple[Hint, ...] | None
    always_equal: tuple[tuple[Place, ...], ...] | None
    always_different: tuple[tuple[Place, ...], ...] | None
    pairs_open: str | None = None


@dataclass(frozen=True)
class NextCell(Answer):
    """A cell, and how many solutions are left if it is given: on average (rounded), at worst."""

    cell: Place
    expected: Decimal
    worst: Count


@dataclass(frozen=True)
class FewestHints(Answer):
    """Hints that leave one solution, how many they are, and fewer than how many cannot do."""

    hints: tuple[Hint, ...]
    at_most: int
    at_least: int
    exact: bool


@dataclass(frozen=True)
class NextHints(Answer):
    """The best next hints.

    Attributes:
        hints: those that leave fewest solutions, the first of them.
        cells: all cells that are not settled, best on average first.
        expected: the cell that is best on average.
        worst: the cell that is best at worst.
        shortest: hints that leave one solution; None where the set is too large to look.
    """

    hints: tuple[CountedHint, ...]
    cells: tuple[NextCell, ...]
    expected: Place
    worst: Place
    shortest: FewestHints | None


@dataclass(frozen=True, kw_only=True)
class Additions(CommonProperties):
    """The solutions with each further hint.

    Attributes:
        count: number of solutions.
        marginals: [row, column, i]: the number of solutions with the i-th digit there.
        unique: the additions that leave exactly one (empty when the puzzle is unique already).
        next: None where there are no two solutions.
    """

    count: Count
    marginals: AnyArray = field(compare=False)
    unique: tuple[Hint, ...]
    next: NextHints | None


@dataclass(frozen=True, kw_only=True)
class HintImpact(Additions, Ablation):
    """The solutions without each hint and with each further one."""


@dataclass(frozen=True)
class RemovedRule(Answer):
    """A rule's line, the number of solutions without it, and whether it is redundant.

    That is None if it is unknown, or if the count is the same but another rule changes its meaning.
    """

    rule: str
    count: Count | None
    redundant: bool | None


@dataclass(frozen=True, kw_only=True)
class RuleImpact(CommonProperties, Ablation):
    """The number of solutions (None after a limit), without each rule, and without each hint."""

    count: Count | None
    rules: tuple[RemovedRule, ...]


# -- engines ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EngineRun(Answer):
    """One engine's count, None where a limit ended it, and the time in seconds."""

    engine: str
    count: Count | None
    limit: str | None
    seconds: float


@dataclass(frozen=True)
class Agreement(Answer):
    """Counts of several engines compared; ``agree`` is None for fewer than two counts."""

    runs: tuple[EngineRun, ...]
    finished: int
    agree: bool | None


@check_types
def compare_counts(runs: Iterable[EngineRun]) -> Agreement:
    """Compare the counts that several engines found for one puzzle or model."""
    runs = tuple(runs)
    counts = [run.count for run in runs if run.count is not None]
    agree = len(set(counts)) == 1 if len(counts) > 1 else None
    return Agreement(runs, finished=len(counts), agree=agree)
