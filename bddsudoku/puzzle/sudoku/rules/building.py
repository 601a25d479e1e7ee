"""Constraints from what rules say: the few shapes that all of them are made of.

Variables are those of the empty board: ``cell * n + digit - 1``, which is also their position.

Sides of cells with equal sums: arrows, zippers, region sum lines.

One machine reads all cells of all sides, row by row. It knows how far the sums of the sides are
apart, and which digits later cells cannot take because they share a house with earlier ones. Where
that is too much, each side is compared with the shortest; if need be without knowing houses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Automaton, Constraint, Linear, OneHot
from bddsudoku.model.mdd import Cap, Layers, State, explore, never, unfold
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.places import Place
from bddsudoku.puzzle.sudoku.rules.rule import Rule

MOST_SETS = 4_000
"""Sets of digits that a machine may tell apart."""


def variables(layout: Layout, place: Place) -> tuple[int, ...]:
    """The n variables of a cell, by digit."""
    first = (place.row * layout.n + place.column) * layout.n
    return tuple(range(first, first + layout.n))


def share_a_house(layout: Layout, a: Place, b: Place) -> bool:
    """Whether two cells differ because a house holds both."""
    n = layout.n
    houses = layout.houses_of[a.row * n + a.column]
    return a != b and any(b.row * n + b.column in house.cells for house in houses)


def different(
    rule: Rule, layout: Layout, places: Sequence[Place], label: str = ""
) -> Iterator[OneHot]:
    """Each digit at most once in some cells; exactly once where they are n."""
    label = label or rule.label
    exact = len(places) == layout.n
    if len(places) > 1:
        for d in range(layout.n):
            ones = sorted(variables(layout, p)[d] for p in places)
            yield OneHot(rule.name, f"{label} {SYMBOLS[d]}", tuple(ones), 1, not exact)


def pairwise(
    rule: Rule,
    layout: Layout,
    a: Place,
    b: Place,
    allowed: Callable[[int, int], bool],
    label: str = "",
) -> Iterator[OneHot]:
    """Two cells whose digits stand in a relation: a digit in one, or one that it forbids."""
    n, label = layout.n, label or rule.label
    digits = range(1, n + 1)
    first, second = variables(layout, a), variables(layout, b)
    never = tuple(second[e - 1] for e in digits if not any(allowed(d, e) for d in digits))
    if never:
        yield OneHot(rule.name, f"{label} never", never, 0, True)
    for d in digits:
        forbidden = [second[e - 1] for e in digits if not allowed(d, e)]
        if len(forbidden) == n:
            yield OneHot(rule.name, f"{label} {SYMBOLS[d - 1]}", (first[d - 1],), 0, True)
        elif forbidden:
            some = tuple(sorted((first[d - 1], *forbidden)))
            yield OneHot(rule.name, f"{label} {SYMBOLS[d - 1]}", some, 1, True)


def only(rule: Rule, layout: Layout, place: Place, digits: Iterable[int]) -> Iterator[OneHot]:
    """A cell that takes some digits only."""
    kept = {*digits}
    never = tuple(v for d, v in enumerate(variables(layout, place), 1) if d not in kept)
    if never:
        yield OneHot(rule.name, f"{rule.label} {place}", never, 0, True)


def words(
    n: int,
    length: int,
    start: State,
    step: Callable[[State, int], State | None],
    accepts: Callable[[State], bool],
) -> Layers:
    """The words of so many digits that an automaton accepts; for caches of the rules' own.

    Args:
        n: digits are 1 to n.
        length: cells.
        start, step, accepts: see :func:`bddsudoku.model.mdd.explore`; no cell is empty.
    """

    def filled(state: State, digit: int) -> State | None:
        return step(state, digit) if digit else None

    return explore(length, 1 + n, start, filled, accepts)


def reading(
    rule: Rule,
    layout: Layout,
    places: Sequence[Place],
    layers: Layers,
    *,
    commutative: bool = False,
    label: str = "",
) -> Automaton:
    """Cells that are read in sequence; one that comes again (in a loop) is remembered."""
    cells = tuple(dict.fromkeys(places))
    if len(cells) < len(places):
        layers = _remembering(layers, tuple(cells.index(p) for p in places))
    groups = tuple(variables(layout, p) for p in cells)
    return Automaton(rule.name, label or rule.label, groups, layers, commutative)


_Remembered: TypeAlias = "tuple[int, tuple[int, ...]]"
"""A state, and the digits of the cells that come again."""


def _remembering(layers: Layers, cells: tuple[int, ...]) -> Layers:
    """The words over different cells whose digits, put in their places, are accepted.

    Args:
        layers: over words as long as ``cells``.
        cells: the number of the cell at each place, in order of first appearance.
    """
    last = {cell: place for place, cell in enumerate(cells)}
    if layers.is_empty:
        return never(layers.choices[: len(last)])
    again = sorted(cell for cell in last if cells.count(cell) > 1)
    first = [cells.index(cell) for cell in range(len(last))]

    def step(level: int, state: _Remembered, digit: int) -> _Remembered | None:
        here, known = state
        place, digits = first[level], dict(zip(again, known, strict=True))
        digits[level] = digit
        while place < len(cells) and cells[place] <= level:
            here = int(layers.tables[place][here, digits[cells[place]]])
            if here < 0:
                return None
            place += 1
        return here, tuple(digits.get(c, 0) if last[c] >= place else 0 for c in again)

    return unfold([layers.choices[place] for place in first], (0, (0,) * len(again)), step)


Side: TypeAlias = "tuple[tuple[Place, int], ...]"
"""Cells and how often each counts."""

_MOST_ON_THE_WAY, _MOST = 2_000, 600
"""States of a layer while a machine is made, and of all layers afterwards: larger ones take long to
be read in another order of cells."""

_State: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"
"""Sums of the sides, the least taken from all; for every later cell the digits it cannot take."""


def equal_sums(
    rule: Rule, layout: Layout, sides: Sequence[Sequence[Place]], *, number: Sequence[Place] = ()
) -> list[Constraint]:
    """Sides that all have the same sum; no cell is in two of them.

    Args:
        rule: whose constraints they are.
        layout: the board.
        sides: cells that count once; two sides at least say something.
        number: cells of one more side, the first, which are read as a number.
    """
    weighed = [tuple((place, 1) for place in side) for side in sides]
    if number:
        tens = range(len(number) - 1, -1, -1)
        weighed.insert(0, tuple((place, 10**i) for place, i in zip(number, tens, strict=True)))
    if len(weighed) < 2:
        return []
    machine = _machine(rule, layout, weighed, rule.label)
    if machine is not None:
        return [machine]
    shortest, *others = sorted(weighed, key=len)
    if len(others) == 1:
        return [_difference(rule, layout, shortest, others[0], rule.label)]
    labels = {f"{rule.label} {i}": other for i, other in enumerate(others, 1)}
    return [
        _machine(rule, layout, (shortest, other), label)
        or _difference(rule, layout, shortest, other, label)
        for label, other in labels.items()
    ]


def _machine(rule: Rule, layout: Layout, sides: Sequence[Side], label: str) -> Automaton | None:
    of_cell = sorted(
        (place, number, weight) for number, side in enumerate(sides) for place, weight in side
    )
    places = [place for place, _, _ in of_cell]
    apart = tuple(
        tuple(share_a_house(layout, place, later) for later in places[i + 1 :])
        for i, place in enumerate(places)
    )
    parts = tuple((number, weight) for _, number, weight in of_cell)
    layers = _layers(layout.n, parts, apart)
    return None if layers is None else reading(rule, layout, places, layers, label=label)


def _difference(rule: Rule, layout: Layout, one: Side, other: Side, label: str) -> Linear:
    weights = {
        v: sign * weight * digit
        for sign, side in ((1, one), (-1, other))
        for place, weight in side
        for digit, v in enumerate(variables(layout, place), 1)
    }
    known = sorted(weights)
    return Linear(rule.name, label, tuple(known), tuple(weights[v] for v in known), 0, 0)


@lru_cache(maxsize=1024)
def _layers(
    n: int, parts: tuple[tuple[int, int], ...], apart: tuple[tuple[bool, ...], ...]
) -> Layers | None:
    """The words of equal sums; None when a layer has too many states.

    Args:
        n: digits are 1 to n.
        parts: side and weight of every cell.
        apart: for every cell whether each later one differs from it.
    """
    sides = 1 + max(side for side, _ in parts)
    # What the rest of each side adds at least and at most, after every cell.
    least = [[0] * sides]
    most = [[0] * sides]
    for i in range(len(parts) - 1, 0, -1):
        side, weight = parts[i]
        least.append([x + weight * (s == side) for s, x in enumerate(least[-1])])
        most.append([x + n * weight * (s == side) for s, x in enumerate(most[-1])])
    least.reverse()
    most.reverse()

    def step(level: int, state: _State, digit: int) -> _State | None:
        sums, never = state
        if not digit or never[0] >> digit & 1:
            return None
        side, weight = parts[level]
        added = (*sums[:side], sums[side] + weight * digit, *sums[side + 1 :])
        low = min(added)
        after = tuple([x - low for x in added])
        if max(map(int.__add__, after, least[level])) > min(map(int.__add__, after, most[level])):
            return None
        later = zip(never[1:], apart[level], strict=True)
        return after, tuple([mask | 1 << digit if differs else mask for mask, differs in later])

    start = ((0,) * sides, (0,) * len(parts))
    try:
        layers = unfold([1 + n] * len(parts), start, step, Cap(_MOST_ON_THE_WAY))
    except LimitReached:
        return None
    return layers if layers.size <= _MOST else None
