"""Rules about a relation between the digits of two cells: dots, XV, chess moves, minimum, maximum.

The pairs of cells are neighbours with a sign between them, or all neighbours without a sign; all
cells that are a chess piece's move apart; or a marked cell and each of its neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar

from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    Disc,
    Mark,
    Place,
    Places,
    Stroke,
    WordMark,
    are_neighbours,
    centre_point,
    neighbours,
)
from bddsudoku.puzzle.sudoku.rules.rule import (
    CellRule,
    FilledGrid,
    Reach,
    Rule,
    difference_range,
    rule,
)
from bddsudoku.puzzle.sudoku.rules.rule_constraints import allowed_pairs

_RELATIONS: dict[str, Callable[[int, int, int], bool]] = {
    "difference": lambda a, b, value: abs(a - b) == value,
    "ratio": lambda a, b, value: max(a, b) == value * min(a, b),
    "xv": lambda a, b, value: a + b == value,
}
"""For each kind of sign, whether two digits are in its relation with a value."""

_HAVE_VALUE: dict[str, Callable[[int, int, Collection[int]], bool]] = {
    "difference": lambda low, high, values: high - low in values,
    "ratio": lambda low, high, values: high in [low * value for value in values],
    "xv": lambda low, high, values: low + high in values,
}
"""Whether two digits (low, high) have one of some values; for tests of filled grids."""

_USUAL = {"difference": (1,), "ratio": (2,), "xv": (5, 10)}
"""The default differences, ratios and sums."""


class _PairRule(Rule):
    """Base class of rules that demand a relation between the digits of many pairs of cells."""

    @abstractmethod
    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """The pairs of cells that the rule compares."""

    @abstractmethod
    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether two digits may stand in the first and the second cell of a pair."""

    @abstractmethod
    def is_satisfied_by(self, first_digit: int, second_digit: int) -> bool:
        """The same, tested directly by the definition."""

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of each pair of cells obey the rule."""
        return all(self.is_satisfied_by(grid[a], grid[b]) for a, b in self.pairs(grid.layout))

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Constraints that forbid the excluded pairs of digits in each pair of cells."""
        digits = layout.values
        fits = {(a, b): self.is_allowed(a, b) for a in digits for b in digits}
        return [
            c
            for a, b in self.pairs(layout)
            for c in allowed_pairs(
                self, layout, a, b, lambda d, e: fits[d, e], self.label_of_pair(a, b)
            )
        ]

    def label_of_pair(self, a: Place, b: Place) -> str:
        """The label of the constraint on two cells."""
        return f"{self.label} {a} {b}" if self.fields else f"{a} {b}"


def _inequality_sign(greater: Place, less: Place) -> Mark:
    """A sign of inequality at the border of two neighbours, open towards the greater digit."""
    x, y = centre_point(greater, less)
    dx, dy = greater.column - less.column, greater.row - less.row
    tip = (x - 0.08 * dx, y - 0.08 * dy)
    ends = [(x + s * 0.14 * dy, y + s * 0.14 * dx) for s in (1, -1)]
    return Stroke((ends[0], tip, ends[1]), "black", 0.03, behind=False)


class _TwoNeighbours(CellRule, _PairRule):
    """Base class of rules about two cells that share a side."""

    drawn_on = "neighbours"
    arity = 2, 2

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """The two cells."""
        first, second = self.cells
        return [(first, second)]

    def label_of_pair(self, a: Place, b: Place) -> str:
        """The rule's label, which names the cells."""
        return self.label

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that do not share a side."""
        if not are_neighbours(*self.cells):
            yield "the cells do not share a side"


@rule("greaterthan", "the first of two neighbouring digits is greater")
class GreaterThan(_TwoNeighbours):
    """A sign between two neighbours: the digit of the first is greater than that of the second."""

    iss = "GreaterThan"

    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether the first cell's digit is greater than the second's."""
        return first_digit > second_digit

    is_satisfied_by = is_allowed

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """A sign of inequality at the border, which opens towards the first cell."""
        return [_inequality_sign(*self.cells)]


class _NeighbourSign(_TwoNeighbours):
    """Base class of rules with a sign between two neighbours that stands for a value."""

    @property
    @abstractmethod
    def value(self) -> int:
        """The difference, ratio or sum that the sign stands for."""

    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether two digits have the sign's difference, ratio or sum."""
        return _RELATIONS[self.name](first_digit, second_digit, self.value)

    def is_satisfied_by(self, first_digit: int, second_digit: int) -> bool:
        """Whether the difference, ratio or sum of two digits is the sign's."""
        low, high = sorted((first_digit, second_digit))
        return _HAVE_VALUE[self.name](low, high, (self.value,))


class _KropkiDot(_NeighbourSign):
    """Base class of Kropki dots between two cells; a dot shows its value if this is not usual."""

    colours: ClassVar[tuple[str, str]]
    """Colours of the dot and of its number."""

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """The dot, with its value if this is not the default (difference 1, ratio 2)."""
        at, (colour, ink) = centre_point(*self.cells), self.colours
        yield Disc(at, 0.14, colour, "black", behind=False)
        if self.value not in _USUAL[self.name]:
            yield WordMark(at, str(self.value), 0.2, ink)


@rule(
    "difference",
    "the two digits differ by the value",
    "kropkiwhite",
    "whitekropki",
    "whitedot",
    "consecutive",
)
class Difference(_KropkiDot):
    """A white Kropki dot: two digits that differ by a value, by default 1."""

    fpuzzles = "difference"
    value: int = 1
    number_range = difference_range
    colours = ("white", "black")


@rule(
    "ratio",
    "one of the two digits is the other times the value",
    "kropkiblack",
    "blackkropki",
    "blackdot",
    "double",
)
class Ratio(_KropkiDot):
    """A black Kropki dot: one digit is the other times a value, by default 2."""

    fpuzzles = "ratio"
    value: int = 2
    colours = ("black", "white")

    def number_range(self, layout: Layout) -> Reach:
        """The range of ratios of two digits."""
        return 2, layout.values[-1], "a ratio"


@rule("xv", "the two digits add up to 10 (x) or 5 (v)")
class XV(_NeighbourSign):
    """An X or V between two cells, whose digits add up to 10 or 5."""

    fpuzzles = "xv"
    kind: str
    words = ("x", "v")

    @property
    def value(self) -> int:
        """The sum of the two digits."""
        return {"x": 10, "v": 5}[self.kind]

    def faults(self, layout: Layout) -> Iterator[str]:
        """Cells that do not share a side, or a sum that no two different digits have."""
        least, greatest = layout.values[0], layout.values[-1]
        self.check_number(self.value, 2 * least + 1, 2 * greatest - 1, "a sum")
        yield from super().faults(layout)

    def marks(self, layout: Layout) -> Iterable[Mark]:
        """The letter X or V on the border of the two cells."""
        return [WordMark(centre_point(*self.cells), self.kind.upper(), 0.26, backed=True)]


_Ways = tuple[tuple[int, int], ...]
_SIDES: _Ways = ((0, 1), (1, 0))


def pairs_at_steps(
    layout: Layout, steps: Iterable[tuple[int, int]]
) -> Iterator[tuple[Place, Place]]:
    """Yield each cell of a board with each cell that is one of the (down, right) steps away."""
    rows, columns = range(layout.row_count), range(layout.column_count)
    for (down, right), r, c in product(steps, rows, columns):
        if layout.has_cell((r + down, c + right)):
            yield Place(r, c), Place(r + down, c + right)


@rule("negative", "neighbours without a mark do not have the marks' relation")
class Negative(_PairRule):
    """Negative constraint: neighbours without a sign do not have the sign's relation.

    Attributes:
        kind: the relation: ``difference``, ``ratio``, ``xv``, or ``kropki`` (strict Kropki: neither
            the difference 1 nor the ratio 2).
        values: the excluded differences, ratios or sums. If empty: the values of the puzzle's
            signs, or the default 1 or 2 if it has none; for sums always 5 and 10.
        spared: further pairs of neighbours (one pair after the other) to which the rule does not
            apply, besides those with a sign.
    """

    kind: str
    values: tuple[int, ...] = ()
    spared: Places = ()
    drawn_on = "board"
    words = (*_USUAL, "kropki")
    arity = 0, None
    loops = True

    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether two digits have none of the excluded differences, ratios or sums."""
        return not any(
            _RELATIONS[kind](first_digit, second_digit, value)
            for kind, values in self.excluded.items()
            for value in values
        )

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """All pairs of neighbouring cells except those that ``spared`` exempts."""
        spared = self.spared_pairs
        return (pair for pair in sorted(pairs_at_steps(layout, _SIDES)) if pair not in spared)

    def faults(self, layout: Layout) -> Iterator[str]:
        """Values out of range, or exempt cells that are no neighbours."""
        if self.kind == "kropki" and self.values:
            yield "kropki has no further values"
        for value in self.values:
            greatest = layout.values[-1]
            self.check_number(value, 1, 2 * greatest if self.kind == "xv" else greatest)
        if len(self.spared) % 2:
            yield "the spared cells are no pairs"
        for pair in zip(self.spared[::2], self.spared[1::2], strict=True):
            if not are_neighbours(*pair):
                yield f"{pair[0]} and {pair[1]} do not share a side"

    @property
    def excluded(self) -> dict[str, tuple[int, ...]]:
        """The excluded differences, ratios or sums, by kind: two kinds for ``kropki``."""
        if self.kind == "kropki":
            return {kind: _USUAL[kind] for kind in ("difference", "ratio")}
        return {self.kind: self.values or _USUAL[self.kind]}

    @property
    def spared_pairs(self) -> set[Places]:
        """The pairs of neighbours that are exempt from the rule, each in reading order."""
        return {tuple(sorted(self.spared[i : i + 2])) for i in range(0, len(self.spared), 2)}

    def in_company(self, rules: Sequence[Rule]) -> Negative:
        """A copy that also exempts pairs with a sign in ``rules``, with missing values filled in.

        Missing differences or ratios become those of the signs or, without signs, the default.

        Dots of either colour spare a pair: one with a white dot may satisfy the relation of a
        black dot as well, and vice versa.
        """
        signs = [r for r in rules if isinstance(r, XV if self.kind == "xv" else _KropkiDot)]
        more = {tuple(sorted(sign.cells)) for sign in signs} - self.spared_pairs
        spared = (*self.spared, *(place for pair in sorted(more) for place in pair))
        values = self.values
        if not values and self.kind in ("difference", "ratio"):
            dots = {sign.value for sign in signs if sign.name == self.kind}
            values = tuple(sorted(dots)) or _USUAL[self.kind]
        return replace(self, values=values, spared=spared)

    def is_satisfied_by(self, first_digit: int, second_digit: int) -> bool:
        """Whether two digits have none of the excluded differences, ratios or sums."""
        low, high = sorted((first_digit, second_digit))
        return not any(
            _HAVE_VALUE[kind](low, high, values) for kind, values in self.excluded.items()
        )


class _MoveRule(_PairRule):
    """Base class of rules that forbid a difference of the digits in cells that are a step apart."""

    steps: ClassVar[_Ways]
    """Steps as (rows, columns), one of each two opposite ones."""
    forbidden_difference = 0

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """All pairs of cells of the board that are one of the rule's steps apart."""
        return pairs_at_steps(layout, self.steps)

    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether the difference of two digits is not the forbidden one."""
        return abs(first_digit - second_digit) != self.forbidden_difference

    def is_satisfied_by(self, first_digit: int, second_digit: int) -> bool:
        """Whether neither digit is the other one and the forbidden difference."""
        more = self.forbidden_difference
        return first_digit + more != second_digit != first_digit - more


@rule("antiknight", "cells a knight's move apart have different digits", "knight")
class Knight(_MoveRule):
    """Anti-knight: cells a knight's move apart have different digits."""

    iss = "AntiKnight"
    fpuzzles = "antiknight"
    steps = ((1, -2), (1, 2), (2, -1), (2, 1))


@rule("antiking", "cells that touch, at a corner too, have different digits", "king")
class King(_MoveRule):
    """Anti-king: cells that touch at a corner have different digits (at a side they do anyway)."""

    iss = "AntiKing"
    fpuzzles = "antiking"
    steps = ((1, -1), (1, 1))


@rule("nonconsecutive", "cells that share a side never have consecutive digits")
class NonConsecutive(_MoveRule):
    """Neighbouring cells never have consecutive digits."""

    iss = "AntiConsecutive"
    fpuzzles = "nonconsecutive"
    steps = _SIDES
    forbidden_difference = 1


@dataclass(frozen=True)
class _ExtremeCells(_PairRule):
    """Base class: marked cells have a smaller (or larger) digit than their unmarked neighbours.

    Attributes:
        cells: the marked cells.
        spared: unmarked cells with which marked cells are not compared.
        end: index of a marked cell's digit in the sorted digits of the cell and a neighbour.
    """

    cells: Places
    spared: Places = ()
    shades = ("grey",)
    end: ClassVar[int]

    def check(self, layout: Layout) -> None:
        """Check that the marked and the spared cells are all different and on the board."""
        self.check_places(self.cells, layout)
        self.check_places((*self.cells, *self.spared), layout)

    def in_company(self, rules: Sequence[Rule]) -> Rule:
        """A copy whose ``spared`` includes all cells that other ``rules`` of its class mark."""
        marked = {p for r in rules if isinstance(r, type(self)) for p in r.cells}
        return replace(self, spared=(*self.spared, *sorted(marked - {*self.cells, *self.spared})))

    def pairs(self, layout: Layout) -> Iterable[tuple[Place, Place]]:
        """Yield each marked cell with each neighbour that is neither marked nor in ``spared``."""
        among = {*self.cells, *self.spared}
        for place in self.cells:
            for other in neighbours(place):
                if other not in among and layout.has_cell(other):
                    yield place, other

    def is_satisfied_by(self, first_digit: int, second_digit: int) -> bool:
        """Whether a marked cell's digit stands at the rule's end of the two, sorted."""
        both = sorted((first_digit, second_digit))
        return both[0] != both[1] and both[self.end] == first_digit

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """A background shade for the marked cells, and an inequality sign for each pair."""
        yield from super().marks(layout)
        for pair in self.pairs(layout):
            yield _inequality_sign(*(pair[::-1] if self.is_allowed(1, 2) else pair))


@rule("minimum", "smaller than each orthogonal neighbour that is not marked itself")
class Minimum(_ExtremeCells):
    """Cells whose digits are smaller than those of all unmarked neighbours."""

    fpuzzles = "minimum"
    end = 0

    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether a marked cell's digit is less than a neighbour's."""
        return first_digit < second_digit


@rule("maximum", "larger than each orthogonal neighbour that is not marked itself")
class Maximum(_ExtremeCells):
    """Cells whose digits are larger than those of all unmarked neighbours."""

    fpuzzles = "maximum"
    end = -1

    def is_allowed(self, first_digit: int, second_digit: int) -> bool:
        """Whether a marked cell's digit is greater than a neighbour's."""
        return first_digit > second_digit
