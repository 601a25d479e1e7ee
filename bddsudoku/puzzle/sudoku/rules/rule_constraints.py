"""Constraints from what rules say: the few shapes that all of them are made of.

Variables are those of the empty board: ``cell * n + digit - 1``, which is also their position.

Sides of cells with equal sums: arrows, zippers, region sum lines.

One machine reads all cells of all sides, row by row. It knows how far the sums of the sides are
apart, and which digits later cells cannot take because they share a house with earlier ones. Where
that is too much, each side is compared with the shortest; if need be without knowing houses.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Automaton, Constraint, Linear, OneHot
from bddsudoku.model.mdd import (
    Mdd,
    State,
    WidthLimit,
    empty_mdd,
    mdd_from_automaton,
    mdd_from_level_steps,
)
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.places import Place
from bddsudoku.puzzle.sudoku.rules.rule import Rule

MAX_DIGIT_SETS = 4_000
"""Sets of digits that a machine may tell apart."""


def cell_variables(layout: Layout, place: Place) -> tuple[int, ...]:
    """The n variables of a cell, by digit."""
    first = (place.row * layout.n + place.column) * layout.n
    return tuple(range(first, first + layout.n))


def are_in_one_house(layout: Layout, a: Place, b: Place) -> bool:
    """Whether two cells differ because a house holds both."""
    n = layout.n
    houses = layout.houses_by_cell[a.row * n + a.column]
    return a != b and any(b.row * n + b.column in house.cells for house in houses)


def at_most_one(rule: Rule, label: str, ones: Iterable[int], *, exact: bool = False) -> OneHot:
    """At most one of some variables, in any sequence; or exactly one."""
    return OneHot(rule.name, label, tuple(sorted(ones)), 1, not exact)


def forbid_variables(rule: Rule, label: str, ones: Iterable[int]) -> OneHot:
    """None of some variables, which ascend."""
    return OneHot(rule.name, label, tuple(ones), 0, True)


def contradiction(rule: Rule) -> OneHot:
    """What no grid obeys."""
    return at_most_one(rule, rule.label, (), exact=True)


def all_different(
    rule: Rule, layout: Layout, places: Sequence[Place], label: str = ""
) -> Iterator[OneHot]:
    """Each digit at most once in some cells; exactly once where they are n."""
    if len(places) > 1:
        is_house = len(places) == layout.n
        for d, ones in enumerate(zip(*(cell_variables(layout, p) for p in places), strict=True)):
            yield at_most_one(rule, f"{label or rule.label} {SYMBOLS[d]}", ones, exact=is_house)


def allowed_pairs(
    rule: Rule,
    layout: Layout,
    a: Place,
    b: Place,
    allowed: Callable[[int, int], bool],
    label: str = "",
) -> Iterator[OneHot]:
    """Two cells whose digits stand in a relation: a digit in one, or one that it forbids."""
    n, label = layout.n, label or rule.label
    second = [*enumerate(cell_variables(layout, b), 1)]
    fits = [[allowed(d, e) for e in range(1, n + 1)] for d in range(1, n + 1)]
    never = [v for e, v in second if not any(row[e - 1] for row in fits)]
    if never:
        yield forbid_variables(rule, f"{label} never", never)
    for symbol, v, row in zip(SYMBOLS, cell_variables(layout, a), fits, strict=False):
        forbidden = [w for e, w in second if not row[e - 1]]
        if not any(row):
            yield forbid_variables(rule, f"{label} {symbol}", [v])
        elif forbidden:
            yield at_most_one(rule, f"{label} {symbol}", [v, *forbidden])


def allowed_digits(
    rule: Rule, layout: Layout, place: Place, digits: Iterable[int]
) -> Iterator[OneHot]:
    """A cell that takes some digits only."""
    kept = {*digits}
    never = [v for d, v in enumerate(cell_variables(layout, place), 1) if d not in kept]
    if never:
        yield forbid_variables(rule, f"{rule.label} {place}", never)


def word_mdd(
    n: int,
    length: int,
    start: State,
    step: Callable[[State, int], State | None],
    accepts: Callable[[State], bool],
) -> Mdd:
    """The words of so many digits that an automaton accepts; for caches of the rules' own.

    Args:
        n: digits are 1 to n.
        length: cells.
        start, step, accepts: see :func:`bddsudoku.model.mdd.mdd_from_automaton`; no cell is empty.
    """

    def filled(state: State, digit: int) -> State | None:
        return step(state, digit) if digit else None

    return mdd_from_automaton(length, 1 + n, start, filled, accepts)


def accept_all(*state: Hashable) -> bool:
    """Every word that came to its end is accepted."""
    return True


@lru_cache(maxsize=4096)
def cached_word_mdd(
    n: int,
    length: int,
    start: Any,
    step: Callable[..., Any],
    accepts: Callable[..., bool] = accept_all,
    *more: Hashable,
) -> Mdd:
    """As :func:`words`, remembered: functions of modules, which are given ``more`` as well."""
    return word_mdd(
        n, length, start, lambda s, digit: step(s, digit, *more), lambda s: accepts(s, *more)
    )


def automaton_constraint(
    rule: Rule,
    layout: Layout,
    places: Sequence[Place],
    start: Any,
    step: Callable[..., Any],
    *more: Hashable,
    accepts: Callable[..., bool] = accept_all,
    commutative: bool = False,
) -> Automaton:
    """Cells that are read by an automaton; its layers are made once.

    Args:
        rule: whose constraint it is.
        layout: the board.
        places: the cells in sequence.
        start: a state.
        step, accepts: functions of modules; see :func:`cached_word_mdd`.
        more: what they are given after the state (and the digit).
        commutative: whether the sequence plays no part.
    """
    mdd = cached_word_mdd(layout.n, len(places), start, step, accepts, *more)
    return mdd_constraint(rule, layout, places, mdd, commutative=commutative)


def mdd_constraint(
    rule: Rule,
    layout: Layout,
    places: Sequence[Place],
    mdd: Mdd,
    *,
    commutative: bool = False,
    label: str = "",
) -> Automaton:
    """Cells that are read in sequence; one that comes again (in a loop) is remembered."""
    cells = tuple(dict.fromkeys(places))
    if len(cells) < len(places):
        mdd = _mdd_with_repeats(mdd, [cells.index(p) for p in places])
    groups = tuple(cell_variables(layout, p) for p in cells)
    return Automaton(rule.name, label or rule.label, groups, mdd, commutative)


_RepeatedState: TypeAlias = "tuple[int, tuple[int, ...]]"
"""A state, and the digits of the cells that were read; 0 of those that do not come again."""


def _mdd_with_repeats(mdd: Mdd, cells: list[int]) -> Mdd:
    """The words over different cells whose digits, put in their places, are accepted.

    Args:
        layers: over words as long as ``cells``.
        cells: the number of the cell at each place, in order of first appearance.
    """
    first = [cells.index(cell) for cell in range(1 + max(cells))]
    choices = [mdd.choices[place] for place in first]
    if mdd.is_empty:
        return empty_mdd(choices)
    ends = [*first[1:], len(cells)]

    def step(level: int, state: _RepeatedState, digit: int) -> _RepeatedState | None:
        mdd_state, known = state[0], (*state[1], digit)
        for place in range(first[level], ends[level]):
            mdd_state = int(mdd.tables[place][mdd_state, known[cells[place]]])
            if mdd_state < 0:
                return None
        later = cells[ends[level] :]
        return mdd_state, tuple(d if cell in later else 0 for cell, d in enumerate(known))

    start: _RepeatedState = (0, ())
    return mdd_from_level_steps(choices, start, step)


Side: TypeAlias = "Sequence[tuple[Place, int]]"
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
    weighed = [[(place, 1) for place in side] for side in sides]
    if number:
        weighed.insert(0, [(place, 10**i) for i, place in enumerate(reversed(number))])
    if len(weighed) < 2:
        return []
    weighed.sort(key=len)
    if constraint := _equal_sums_constraint(rule, layout, weighed, rule.label):
        return [constraint]
    shortest, *others = weighed
    labels = [f"{rule.label} {i}" for i in range(1, len(weighed))]
    labels = labels if len(others) > 1 else [rule.label]
    return [
        _equal_sums_constraint(rule, layout, (shortest, other), label)
        or _difference_constraint(rule, layout, shortest, other, label)
        for label, other in zip(labels, others, strict=True)
    ]


def _equal_sums_constraint(
    rule: Rule, layout: Layout, sides: Sequence[Side], label: str
) -> Automaton | None:
    parts = sorted((p, number, weight) for number, side in enumerate(sides) for p, weight in side)
    places = [place for place, _, _ in parts]
    disjoint = tuple(
        tuple(are_in_one_house(layout, place, later) for later in places[i:])
        for i, place in enumerate(places, 1)
    )
    mdd = _equal_sums_mdd(layout.n, tuple(part[1:] for part in parts), disjoint)
    return None if mdd is None else mdd_constraint(rule, layout, places, mdd, label=label)


def _difference_constraint(
    rule: Rule, layout: Layout, one: Side, other: Side, label: str
) -> Linear:
    weights = {
        v: weight * digit
        for place, weight in (*one, *((place, -weight) for place, weight in other))
        for digit, v in enumerate(cell_variables(layout, place), 1)
    }
    known = sorted(weights)
    return Linear(rule.name, label, tuple(known), tuple(weights[v] for v in known), 0, 0)


@lru_cache(maxsize=1024)
def _equal_sums_mdd(
    n: int, parts: tuple[tuple[int, int], ...], disjoint: tuple[tuple[bool, ...], ...]
) -> Mdd | None:
    """The words of equal sums; None when a layer has too many states.

    Args:
        n: digits are 1 to n.
        parts: side and weight of every cell.
        apart: for every cell whether each later one differs from it.
    """
    sides, cells = range(1 + max(side for side, _ in parts)), len(parts)
    # What the rest of each side adds at least and at most, after every cell.
    least = [
        [sum(w for s, w in parts[i + 1 :] if s == side) for side in sides] for i in range(cells)
    ]
    most = [[n * weight for weight in rest] for rest in least]

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
        later = zip(never[1:], disjoint[level], strict=True)
        return after, tuple([mask | 1 << digit if differs else mask for mask, differs in later])

    try:
        start = ((0,) * len(sides), (0,) * cells)
        mdd = mdd_from_level_steps([1 + n] * cells, start, step, WidthLimit(_MOST_ON_THE_WAY))
    except LimitReached:
        return None
    return mdd if mdd.size <= _MOST else None
