"""Place random rules that hold in a grid.

A sketch draws cells for one kind of rule so that the rule has a good chance to hold; the values of
its number are tried, and the rule's own definition decides. Rules of one kind share no cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import (
    FieldKind,
    Place,
    Places,
    Rule,
    known_rules,
)
from bddsudoku.puzzle.sudoku.rules.places_and_marks import square_cells
from bddsudoku.puzzle.sudoku.rules.rule import find_rule_class

ATTEMPTS = 3_000
"""Number of sketches for one rule, after which the grid is given up."""


PlacementTest = Callable[[int, int, int], bool]
"""Whether a digit may follow another on a line: (before, after, number of digits)."""
StepTest = Callable[[list[int], int], bool]


class RandomCellSource:
    """Draws random cells of a full grid for rules of one kind, and records which cells are used."""

    def __init__(self, grid: Puzzle, rng: np.random.Generator) -> None:
        self.grid = grid
        self.n: int = grid.n
        self.rng = rng
        self.cells: list[Place] = [Place(*at) for at in product(range(self.n), repeat=2)]
        self.inside: set[Place] = {*self.cells}
        self.taken: set[Place] = set()

    def random_number(self, low: int, high: int) -> int:
        """A random number from low to high, both included."""
        return int(self.rng.integers(low, max(low, high) + 1))

    def random_place(self, places: Sequence[Place]) -> Place:
        """A random element of a sequence of places."""
        return places[int(self.rng.integers(len(places)))]

    def random_unused_place(self, places: Sequence[Place] = ()) -> Place:
        """A random place that no rule uses, by default a cell; any place if all are used."""
        places = places or self.cells
        return self.random_place([p for p in places if p not in self.taken] or places)

    def unused_neighbours(self, place: Place, *, corners: bool) -> set[Place]:
        """Unused cells that share a side with a cell; with ``corners`` also diagonal neighbours."""
        steps = product((-1, 0, 1), repeat=2)
        found = {Place(place.row + a, place.column + b) for a, b in steps if corners or a * b == 0}
        return (found & self.inside) - self.taken - {place}

    def random_region(
        self, start: Place, size: int, may_follow: StepTest, *, is_line: bool = True
    ) -> Places:
        """A random connected region of ``size`` cells, or fewer where it cannot grow.

        Args:
            start: the first cell.
            size: number of cells.
            may_follow: whether a digit may be added to those of the region.
            is_line: each cell touches the one before it; otherwise it shares a side with any.
        """
        cells = [start]
        while len(cells) < size:
            digits = [self.grid[p] for p in cells]
            around = {
                q for p in cells[-is_line:] for q in self.unused_neighbours(p, corners=is_line)
            } - {*cells}
            fit = sorted(p for p in around if may_follow(digits, self.grid[p]))
            if not fit:
                break
            cells.append(self.random_place(fit))
        return tuple(cells)


Fields = dict[str, Any]
Recipe = Callable[[RandomCellSource], Fields]


def _allow_any_digits(before: int, after: int, n: int) -> bool:
    """Always True: any digit may follow any other on a line."""
    return True


def _draw_line_cells(
    min_cells: int, max_cells: int, fits: PlacementTest, source: RandomCellSource
) -> Fields:
    start, size = source.random_unused_place(), source.random_number(min_cells, max_cells)
    return {
        "cells": source.random_region(
            start, size, lambda line, digit: fits(line[-1], digit, source.n)
        )
    }


def _draw_pair_cells(source: RandomCellSource) -> Fields:
    """Choose two random cells with a common side; one cell if all its neighbours are used."""
    first = source.random_unused_place()
    beside = sorted(source.unused_neighbours(first, corners=False))
    return {"cells": tuple(sorted([first, source.random_place(beside)])) if beside else (first,)}


def _draw_outside_place(source: RandomCellSource) -> Fields:
    """Choose a random place for a clue outside the grid, at an end of a row or column."""
    places = [Place(r, c) for r in range(source.n) for c in (-1, source.n)]
    places += [Place(r, c) for c in range(source.n) for r in (-1, source.n)]
    return {"clue": (source.random_unused_place(places),)}


def _draw_arrow_cells(source: RandomCellSource) -> Fields:
    """Choose random cells for an arrow; the shaft's digits sum to at most the circle's digit."""
    circle, *shaft = source.random_region(
        source.random_unused_place(), source.n**2, lambda line, d: sum(line[1:]) + d <= line[0]
    )
    return {"circle": (circle,), "shaft": tuple(shaft)}


def _draw_parity_cell(remainder: int, source: RandomCellSource) -> Fields:
    """Choose a random unused cell with a digit of a given parity; no cell if there is none."""
    fit = [p for p in source.cells if source.grid[p] % 2 == remainder and p not in source.taken]
    return {"cells": (source.random_place(fit),) if fit else ()}


def _draw_single_cell(source: RandomCellSource) -> Fields:
    """Choose a random cell for a rule that is about one cell and its neighbours."""
    return {"cells": (source.random_unused_place(),)}


def _draw_cage_cells(source: RandomCellSource) -> Fields:
    """Choose random cells of a cage: two to five connected cells with different digits."""
    start, size = source.random_unused_place(), source.random_number(2, min(source.n, 5))
    return {
        "cells": tuple(
            sorted(source.random_region(start, size, lambda some, d: d not in some, is_line=False))
        )
    }


def _draw_little_killer_clue(source: RandomCellSource) -> Fields:
    """Choose a random place outside the grid, and a direction, for a little killer's clue."""
    n = source.n
    down, right = (int(source.rng.choice((-1, 1))) for _ in range(2))
    row = -1 if down > 0 else n
    along = [Place(row, c) for c in range(-1, n + 1)]
    along += [Place(r, -1 if right > 0 else n) for r in range(n)]
    direction = ("d" if down > 0 else "u") + ("r" if right > 0 else "l")
    return {"clue": (source.random_place(along),), "direction": direction}


def _draw_quadruple(source: RandomCellSource) -> Fields:
    """Choose four random cells around a corner, and some of these cells' digits."""
    top, left = source.random_number(0, source.n - 2), source.random_number(0, source.n - 2)
    cells = square_cells(Place(top, left))
    digits = sorted(source.grid[p] for p in cells)
    chosen = sorted(source.rng.permutation(4)[: source.random_number(1, 4)].tolist())
    return {"cells": cells, "digits": tuple(digits[i] for i in chosen)}


LINES: dict[str, tuple[int, int, PlacementTest]] = {
    "doublearrow": (3, 6, _allow_any_digits),
    "entropic": (3, 6, _allow_any_digits),
    "modular": (3, 6, _allow_any_digits),
    "nabner": (3, 4, lambda a, b, n: abs(a - b) > 1),
    "regionsum": (3, 6, _allow_any_digits),
    "slowthermo": (3, 6, lambda a, b, n: a <= b),
    "thermo": (3, 6, lambda a, b, n: a < b),
    "whispers": (3, 6, lambda a, b, n: abs(a - b) >= (n + 1) // 2),
}
"""Kinds of rules along a line: least and greatest number of cells, test of consecutive digits."""
SKETCHES: dict[str, Recipe] = {
    name: partial(_draw_line_cells, *line) for name, line in LINES.items()
} | {
    "arrow": _draw_arrow_cells,
    "cage": _draw_cage_cells,
    "even": partial(_draw_parity_cell, 0),
    "littlekiller": _draw_little_killer_clue,
    "maximum": _draw_single_cell,
    "minimum": _draw_single_cell,
    "odd": partial(_draw_parity_cell, 1),
    "quadruple": _draw_quadruple,
    "xv": _draw_pair_cells,
}
"""The sketches of kinds of rules by name."""
SKETCHES_BY_DRAWING: dict[str, Recipe] = {
    "line": partial(_draw_line_cells, 3, 5, _allow_any_digits),
    "neighbours": _draw_pair_cells,
    "margin": _draw_outside_place,
}
"""The sketches of other rules with one list of places and at most one number: by the drawing."""

_NUMBER: tuple[list[FieldKind], ...] = ([], [FieldKind.NUMBER])
NUMBERED = {"cage": "total", "difference": "value", "ratio": "value", "xv": "kind"}
"""Kinds of rules with an optional number or a word whose values are tried, and its field."""


def sketch_of(rule: type[Rule]) -> Recipe | None:
    """The sketch of a kind of rule; None if such rules cannot be placed."""
    kinds = [kind for kind in rule.fields.values() if kind is not FieldKind.MAYBE]
    if rule.name in SKETCHES or kinds[:1] != [FieldKind.PLACES] or kinds[1:] not in _NUMBER:
        return SKETCHES.get(rule.name)
    return SKETCHES_BY_DRAWING.get(rule.drawn_on)


def canonical_rule_kind(name: str) -> str:
    """Return the canonical name of a kind of rule that can be placed, given its name or an alias.

    Raises:
        PuzzleFormatError: there is no such rule, or rules of this kind cannot be placed.
    """
    found = find_rule_class(name.lower())
    if sketch_of(found) is None:
        known = ", ".join(sorted(name for name, rule in known_rules().items() if sketch_of(rule)))
        raise PuzzleFormatError(f"rules {found.name!r} cannot be placed; there are {known}")
    return found.name


def place_rules(
    grid: Puzzle, kinds: Sequence[tuple[str, int]], rng: np.random.Generator, context: Context
) -> list[Rule] | None:
    """Choose random rules of the wanted kinds that hold in a grid; None if one is not found."""
    found: list[Rule] = []
    for name, number in kinds:
        source = RandomCellSource(grid, rng)
        for _ in range(number):
            tried = (_random_rule(name, source) for _ in range(ATTEMPTS))
            rule = next((rule for rule in tried if rule is not None), None)
            context.check("while rules were placed")
            if rule is None:
                return None
            found.append(rule)
            source.taken |= _rule_places(rule)
    return found


def _random_rule(name: str, source: RandomCellSource) -> Rule | None:
    """Make a rule on random cells, with the first number that makes it hold; None if none does."""
    kind = find_rule_class(name)
    sketch = sketch_of(kind)
    assert sketch is not None
    fields = sketch(source)
    numbers = [key for key, of in kind.fields.items() if of is FieldKind.NUMBER]
    number = NUMBERED.get(name, *numbers)
    values: Iterable[Any] = "xv" if number == "kind" else range(source.n**2 + 1)
    for more in [{number: value} for value in values] if number else [{}]:
        try:
            rule = kind(**fields, **more)
            rule.check(source.grid.layout)
        except (BddSudokuError, ValueError):
            continue
        places = _rule_places(rule)
        least = 2 if name == "cage" else 3 if kind.drawn_on == "line" else 0
        if len(places) < least or places & source.taken:
            return None
        if rule.holds(source.grid):
            return rule
    return None


def _rule_places(rule: Rule) -> set[Place]:
    fields = [getattr(rule, key) for key in rule.fields]
    values = [value for field in fields if isinstance(field, tuple) for value in field]
    return {value for value in values if isinstance(value, Place)}
