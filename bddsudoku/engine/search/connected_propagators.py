"""How connected regions become propagators, and what two of them tell of each other.

Where two regions without a common cell share a rectangle, no square of 2x2 cells has the one on a
diagonal and the other on the other diagonal, and around the border each is one stretch: else two
paths would cross. These are choices, and an MDD.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from bddsudoku.engine.search.cells import CellProblem
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.connected import ANY, Region
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.model.connectivity import Connected
from bddsudoku.model.mdd import mdd_from_level_steps
from bddsudoku.model.word_constraints import TRUE

_ONE, _OTHER = 1, 2
"""Choices of the border's MDD; 0 is a cell of neither region."""


def add_region(p: CellProblem, connected: Connected) -> bool:
    """Add a connected region; False if variables of a group are values of several cells."""
    places: list[tuple[int, int]] = []
    for group in connected.groups:
        held = p.cells_and_values([v for v in group if v >= 0])
        if len({c for c, _ in held}) > 1:
            return False
        if TRUE in group:
            held = [(p.fixed_cell(0), 0)]
        places.append((held[0][0] if held else 0, sum(1 << k for _, k in held)))
    size = ANY if connected.size is None else connected.size
    p.regions.append(Region(tuple(places), connected.neighbours, size, connected.columns))
    return True


def add_crossings(p: CellProblem) -> None:
    """Add that no two regions of any size cross; call this after the last of them.

    Small regions, of which there are many, come to the border too seldom for that.
    """
    regions = [region for region in p.regions if region.size == ANY]
    for one, other in combinations(regions, 2):
        is_same = len(one.places) == len(other.places) and one.columns == other.columns
        if is_same and not any(
            a and b and (a & b or c != d)
            for (c, a), (d, b) in zip(one.places, other.places, strict=True)
        ):
            _add_squares(p, one, other)
            _add_squares(p, other, one)
            _add_border(p, one, other)


def _add_squares(p: CellProblem, one: Region, other: Region) -> None:
    """Forbid every square with one region on a diagonal that goes down to the right."""
    wide = one.columns
    for a in range(len(one.places) - wide - 1):
        if (a + 1) % wide:
            places = [one.places[a], one.places[a + wide + 1]]
            places += [other.places[a + 1], other.places[a + wide]]
            if all(values for _, values in places):
                free = [(c, p.domain[c] & ~values) for c, values in places]
                p.choices.append(Choice(free, 1, len(free)))


def _border(count: int, wide: int) -> Iterator[int]:
    """The cells around a rectangle in their order; none where it is one line or is not full."""
    high, rest = divmod(count, wide)
    if not rest and high > 1 < wide:
        yield from range(wide - 1)
        yield from range(wide - 1, count - 1, wide)
        yield from range(count - 1, count - wide, -1)
        yield from range(count - wide, 0, -wide)


def _add_border(p: CellProblem, one: Region, other: Region) -> None:
    """Add that around a rectangle two regions take turns twice at most."""
    cells: list[int] = []
    columns: list[tuple[int, ...]] = []
    for place in _border(len(one.places), one.columns):
        (c, a), (d, b) = one.places[place], other.places[place]
        if a | b:
            cells.append(c if a else d)
            bits = range(p.domain[cells[-1]].bit_length())
            columns.append(tuple([_ONE if a >> k & 1 else _OTHER * (b >> k & 1) for k in bits]))

    def after(level: int, state: tuple[int, int], region: int) -> tuple[int, int] | None:
        """The region seen last, and the turns so far."""
        last, turns = state
        turns += region != 0 != last != region
        return (region or last, turns) if turns <= 2 else None

    if cells:
        mdd = mdd_from_level_steps([3] * len(cells), (0, 0), after)
        p.mdds.append(CellMdd(tuple(cells), mdd, tuple(columns)))
