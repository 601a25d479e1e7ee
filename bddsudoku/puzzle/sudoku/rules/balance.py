"""Sides of cells with equal sums: arrows, zippers, region sum lines.

One machine reads all cells of all sides, row by row. It knows how far the sums of the sides are
apart, and which digits later cells cannot take because they share a house with earlier ones. Where
that is too much, each side is compared with the shortest; if need be without knowing houses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Automaton, Constraint, Linear
from bddsudoku.model.mdd import Cap, Layers, unfold
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.building import reading, share_a_house, variables
from bddsudoku.puzzle.sudoku.rules.places import Place, Places
from bddsudoku.puzzle.sudoku.rules.rule import Rule

Side: TypeAlias = "tuple[tuple[Place, int], ...]"
"""Cells and how often each counts."""

_MOST_ON_THE_WAY, _MOST = 2_000, 600
"""States of a layer while a machine is made, and of all layers afterwards: larger ones take long to
be read in another order of cells."""

_State: TypeAlias = "tuple[tuple[int, ...], tuple[int, ...]]"
"""Sums of the sides, the least taken from all; for every later cell the digits it cannot take."""


def plain_side(places: Places) -> Side:
    """Cells that count once."""
    return tuple((place, 1) for place in places)


def equal_sums(rule: Rule, layout: Layout, sides: Sequence[Side]) -> Iterator[Constraint]:
    """Sides that all have the same sum; no cell is in two of them.

    Args:
        rule: whose constraints they are.
        layout: the board.
        sides: two at least say something; weights are not negative.
    """
    if len(sides) < 2:
        return
    machine = _machine(rule, layout, sides, rule.label)
    if machine is not None:
        yield machine
        return
    shortest, *others = sorted(sides, key=len)
    for i, other in enumerate(others, 1):
        label = f"{rule.label} {i}" if len(others) > 1 else rule.label
        machine = _machine(rule, layout, (shortest, other), label) if len(others) > 1 else None
        yield machine or _difference(rule, layout, shortest, other, label)


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
