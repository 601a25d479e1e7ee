"""Rules read off a solution, where they hold; and which rule of the whole board to add next.

A sketch draws cells for one kind of rule, so that it has a good chance to hold; numbers are tried,
and the rule's own definition decides. Rules of one kind share no cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BddSudokuError, LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import (
    Antidiagonal,
    Diagonal,
    Diagonals,
    DisjointGroups,
    King,
    Knight,
    NonConsecutive,
    Place,
    Places,
    Rule,
    Windoku,
)
from bddsudoku.puzzle.sudoku.rules.rule import rule_named
from bddsudoku.solver.ask import counted

ATTEMPTS = 3_000
"""Sketches for one rule; then the grid is given up."""


class Sketch:
    """A solution, chance, and the cells that are taken.

    Args:
        grid: a full grid.
        rng: chance.
    """

    def __init__(self, grid: Puzzle, rng: np.random.Generator) -> None:
        self.grid = grid
        self.n = grid.n
        self.rng = rng
        self.taken: set[Place] = set()

    def within(self, low: int, high: int) -> int:
        """A number from low to high."""
        return int(self.rng.integers(low, max(low, high) + 1))

    def one(self, places: Sequence[Place]) -> Place:
        """One of some places."""
        return places[int(self.rng.integers(len(places)))]

    def free(self) -> Place:
        """A cell that is not taken; any, where all are."""
        every = [Place(r, c) for r in range(self.n) for c in range(self.n)]
        return self.one([p for p in every if p not in self.taken] or every)

    def near(self, place: Place, *, corners: bool) -> list[Place]:
        """Cells beside one that are not taken."""
        steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
        found = [Place(place.row + a, place.column + b) for a, b in steps if corners or not a * b]
        return [
            p
            for p in found
            if 0 <= p.row < self.n and 0 <= p.column < self.n and p not in self.taken
        ]

    def line(
        self,
        low: int,
        high: int,
        fits: Callable[[int, int], bool] = lambda before, after: True,
        start: Place | None = None,
        barred: Sequence[Place] = (),
    ) -> Places:
        """A line of so many cells, each touching the one before; it ends early in a corner.

        Args:
            low, high: cells.
            fits: whether a digit may follow another.
            start: the first cell.
            barred: cells that it must not touch.
        """
        line = [self.free() if start is None else start]
        size = self.within(low, high)
        while len(line) < size:
            last = line[-1]
            following = [
                p
                for p in self.near(last, corners=True)
                if p not in line and p not in barred and fits(self.grid[last], self.grid[p])
            ]
            if not following:
                break
            line.append(self.one(following))
        return tuple(line)

    def patch(self, low: int, high: int) -> Places:
        """Cells of different digits that hang together by their sides, in reading order."""
        cells = [self.free()]
        size = self.within(low, high)
        while len(cells) < size:
            digits = {self.grid[p] for p in cells}
            around = {q for p in cells for q in self.near(p, corners=False) if q not in cells}
            fit = sorted(p for p in around if self.grid[p] not in digits)
            if not fit:
                break
            cells.append(self.one(fit))
        return tuple(sorted(cells))

    def pair(self) -> Places:
        """Two cells with a common side."""
        first = self.free()
        beside = self.near(first, corners=False)
        return tuple(sorted([first, self.one(beside)])) if beside else (first,)

    def beside(self) -> Place:
        """A place beside a row or column that is not taken."""
        n = self.n
        places = [Place(r, c) for r in range(n) for c in (-1, n)]
        places += [Place(r, c) for c in range(n) for r in (-1, n)]
        return self.one([p for p in places if p not in self.taken] or places)


Fields = dict[str, Any]
Recipe = Callable[[Sketch], Fields]


def _on_line(
    low: int, high: int, fits: Callable[[int, int], bool] = lambda before, after: True
) -> Recipe:
    return lambda s: {"cells": s.line(low, high, fits)}


def _pair(s: Sketch) -> Fields:
    return {"cells": s.pair()}


def _beside(s: Sketch) -> Fields:
    return {"clue": (s.beside(),)}


def _arrow(s: Sketch) -> Fields:
    circle = s.free()
    shaft: list[Place] = []
    left, last = s.grid[circle], circle
    while left:
        fit = [
            p
            for p in s.near(last, corners=True)
            if p != circle and p not in shaft and s.grid[p] <= left
        ]
        if not fit:
            break
        last = s.one(fit)
        shaft.append(last)
        left -= s.grid[last]
    return {"circle": (circle,), "shaft": tuple(shaft)}


def _whispers(s: Sketch) -> Fields:
    half = (s.n + 1) // 2
    return {"cells": s.line(3, 6, lambda a, b: abs(a - b) >= half)}


def _parity(remainder: int) -> Recipe:
    def one(s: Sketch) -> Fields:
        every = [Place(r, c) for r in range(s.n) for c in range(s.n)]
        fit = [p for p in every if s.grid[p] % 2 == remainder and p not in s.taken]
        return {"cells": (s.one(fit),) if fit else ()}

    return one


def _one_cell(s: Sketch) -> Fields:
    return {"cells": (s.free(),)}


def _little_killer(s: Sketch) -> Fields:
    n = s.n
    down, right = (int(s.rng.choice((-1, 1))) for _ in range(2))
    row = -1 if down > 0 else n
    along = [Place(row, c) for c in range(-1, n + 1)]
    along += [Place(r, -1 if right > 0 else n) for r in range(n)]
    direction = ("d" if down > 0 else "u") + ("r" if right > 0 else "l")
    return {"clue": (s.one(along),), "direction": direction}


def _quadruple(s: Sketch) -> Fields:
    top, left = s.within(0, s.n - 2), s.within(0, s.n - 2)
    cells = tuple(Place(top + i, left + j) for i in (0, 1) for j in (0, 1))
    digits = sorted(s.grid[p] for p in cells)
    chosen = sorted(s.rng.permutation(4)[: s.within(1, 4)].tolist())
    return {"cells": cells, "digits": tuple(digits[i] for i in chosen)}


SKETCHES: dict[str, Recipe] = {
    "arrow": _arrow,
    "between": _on_line(3, 5),
    "cage": lambda s: {"cells": s.patch(2, min(s.n, 5))},
    "difference": _pair,
    "doublearrow": _on_line(3, 6),
    "entropic": _on_line(3, 6),
    "even": _parity(0),
    "littlekiller": _little_killer,
    "maximum": _one_cell,
    "minimum": _one_cell,
    "modular": _on_line(3, 6),
    "nabner": _on_line(3, 4, lambda a, b: abs(a - b) > 1),
    "odd": _parity(1),
    "palindrome": _on_line(3, 5),
    "quadruple": _quadruple,
    "ratio": _pair,
    "regionsum": _on_line(3, 6),
    "renban": _on_line(3, 5),
    "sandwich": _beside,
    "skyscraper": _beside,
    "slowthermo": _on_line(3, 6, lambda a, b: a <= b),
    "thermo": _on_line(3, 6, lambda a, b: a < b),
    "whispers": _whispers,
    "xsum": _beside,
    "xv": _pair,
    "zipper": _on_line(3, 5),
}
"""The kinds that can be placed, by name."""

LINES = (
    "between", "doublearrow", "entropic", "modular", "nabner", "palindrome", "regionsum", "renban",
    "slowthermo", "thermo", "whispers", "zipper",
)  # fmt: skip
NUMBERED = dict.fromkeys(("cage", "littlekiller", "sandwich", "skyscraper", "xsum"), "total")
NUMBERED |= {"difference": "value", "ratio": "value", "xv": "kind"}
"""Kinds with a field whose values are tried."""
LEAST = {"arrow": 3, "cage": 2} | dict.fromkeys(LINES, 3)
"""Places that a rule names at least: with fewer it says little."""


def canonical(name: str) -> str:
    """The name of a kind that can be placed, from it or an alias.

    Raises:
        PuzzleFormatError: no rule is called that, or rules of this kind cannot be placed.
    """
    found = rule_named(name.lower()).name
    if found not in SKETCHES:
        known = ", ".join(SKETCHES)
        raise PuzzleFormatError(f"rules {found!r} cannot be placed; there are {known}")
    return found


def placed(
    grid: Puzzle, kinds: Sequence[tuple[str, int]], rng: np.random.Generator, context: Context
) -> list[Rule] | None:
    """Rules that hold in a grid; None if for one of them no place was found.

    Args:
        grid: a full grid.
        kinds: names (keys of :data:`SKETCHES`) and how many.
        rng: chance.

    Raises:
        LimitReached: the time is used up.
    """
    found: list[Rule] = []
    for name, number in kinds:
        sketch = Sketch(grid, rng)
        for _ in range(number):
            rule = _one_rule(name, sketch)
            context.check("while rules were placed")
            if rule is None:
                return None
            found.append(rule)
            sketch.taken |= _places(rule)
    return found


def _one_rule(name: str, sketch: Sketch) -> Rule | None:
    for _ in range(ATTEMPTS):
        for fields in _tried(name, sketch):
            try:
                rule = rule_named(name)(**fields)
                rule.check(sketch.grid.layout)
            except (BddSudokuError, ValueError):
                continue
            places = _places(rule)
            if len(places) < LEAST.get(name, 0) or places & sketch.taken:
                break
            if rule.holds(sketch.grid):
                return rule
    return None


def _tried(name: str, sketch: Sketch) -> Iterator[Fields]:
    """A sketch with every value that its number may have."""
    fields = SKETCHES[name](sketch)
    if name not in NUMBERED:
        yield fields
        return
    field = NUMBERED[name]
    for value in "xv" if field == "kind" else range(sketch.n**2 + 1):
        yield fields | {field: value}


def _places(rule: Rule) -> set[Place]:
    """All places that a rule names."""
    return {
        place
        for key in rule.fields
        if isinstance(value := getattr(rule, key), tuple)
        for place in value
        if isinstance(place, Place)
    }


def whole_board_rules(puzzle: Puzzle) -> list[Rule]:
    """The rules without a place of their own that fit a board and are not in the puzzle."""
    kinds = (
        Diagonal, Antidiagonal, Diagonals, Windoku, DisjointGroups, Knight, King, NonConsecutive
    )  # fmt: skip
    found: list[Rule] = []
    for kind in kinds:
        rule = kind()
        try:
            rule.check(puzzle.layout)
        except PuzzleFormatError:
            continue
        if rule not in puzzle.rules:
            found.append(rule)
    return found


def next_rules(
    puzzle: Puzzle,
    rules: Iterable[Rule] | None = None,
    context: Context = UNLIMITED,
    *,
    each: float | None = 20.0,
) -> dict[str, Any]:
    """What every rule would leave if it were added, by itself.

    Args:
        puzzle: of any layout.
        rules: to try; by default :func:`whole_board_rules`.
        each: seconds for any one count; what does not end in them stays open.

    Returns:
        ``count``: of the puzzle; ``rules``: {rule, count}, fewest first, those without a solution
        last but for the open ones (None); ``unique``: texts of the rules that leave exactly one;
        ``impossible``: of those that leave none. Counts are decimal strings.

    Raises:
        LimitReached: the time was used up before the puzzle itself was counted.
    """
    total = counted(puzzle, context=context.silent).count
    found: list[tuple[str, int | None]] = []
    for rule in whole_board_rules(puzzle) if rules is None else rules:
        number: int | None = None
        if not context.expired:
            try:
                number = counted(puzzle.with_rule(rule), context=context.within(each).silent).count
            except LimitReached:
                number = None
        found.append((rule.text, number))
    found.sort(key=lambda row: (row[1] is None, not row[1], row[1] or 0))
    return {
        "count": str(total),
        "rules": [{"rule": text, "count": None if k is None else str(k)} for text, k in found],
        "unique": [text for text, k in found if k == 1],
        "impossible": [text for text, k in found if k == 0],
    }
