"""How connected regions become propagators, and what two of them tell of each other.

Where two regions without a common cell share a rectangle, no square of 2x2 cells has the one on a
diagonal and the other on the other diagonal, and around the border each is one stretch: else two
paths would cross. These are choices, and an MDD.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from bddsudoku.engine.search.cells import CellProblem
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.connected import ANY, KNOWN, Region
from bddsudoku.engine.search.mdds import CellMdd
from bddsudoku.model.connectivity import Connected
from bddsudoku.model.mdd import mdd_from_level_steps
from bddsudoku.model.word_constraints import TRUE

_NEITHER, _ONE, _OTHER = range(3)


def add_region(p: CellProblem, connected: Connected) -> bool:
    """Add a connected region; False if variables of a group are values of several cells."""
    places: list[tuple[int, int]] = []
    for group in connected.groups:
        held = p.cells_and_values([v for v in group if v >= 0])
        if len({c for c, _ in held}) > 1:
            return False
        if TRUE in group or not held:
            places.append((0, KNOWN if TRUE in group else 0))
        else:
            places.append((held[0][0], sum(1 << k for _, k in held)))
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
            a & b or (a not in (0, KNOWN) and b not in (0, KNOWN) and c != d)
            for (c, a), (d, b) in zip(one.places, other.places, strict=True)
        ):
            for square in _squares(len(one.places), one.columns):
                _forbid(
                    p, [one.places[i] for i in square[:2]] + [other.places[i] for i in square[2:]]
                )
            _add_border(p, one, other)


def _squares(count: int, columns: int) -> Iterator[tuple[int, int, int, int]]:
    """The two cells of a diagonal, then those of the other one, of every square, either way."""
    for a in range(count - columns - 1):
        if (a + 1) % columns:
            b, c, d = a + 1, a + columns, a + columns + 1
            yield a, d, b, c
            yield b, c, a, d


def _forbid(p: CellProblem, places: Sequence[tuple[int, int]]) -> None:
    """Forbid that all of some places are inside."""
    if all(values for _, values in places):
        others = [(c, p.domain[c] & ~values) for c, values in places if values != KNOWN]
        p.possible &= bool(others)
        if others:
            p.choices.append(Choice(others, 1, len(others)))


def _add_border(p: CellProblem, one: Region, other: Region) -> None:
    """Add that around a rectangle two regions take turns twice at most."""
    wide = one.columns
    high, rest = divmod(len(one.places), wide)
    if rest or high < 2 or wide < 2:
        return
    right, left = range(wide - 1), range(wide - 1, 0, -1)
    sides = [
        *right,
        *(wide * r + wide - 1 for r in range(high - 1)),
        *(wide * (high - 1) + c for c in left),
        *(wide * r for r in range(high - 1, 0, -1)),
    ]
    cells: list[int] = []
    columns: list[tuple[int, ...]] = []
    known: list[list[int]] = [[]]
    """What is known to follow each level, and what precedes the first."""
    for place in sides:
        (c, a), (d, b) = one.places[place], other.places[place]
        if KNOWN in (a, b) or not (a | b):
            known[-1].append(_ONE if a == KNOWN else _OTHER if b == KNOWN else _NEITHER)
            continue
        cell = c if a else d
        bits = range(p.domain[cell].bit_length())
        cells.append(cell)
        columns.append(tuple([_ONE if a >> k & 1 else _OTHER * (b >> k & 1) for k in bits]))
        known.append([])

    def after(state: tuple[int, int], seen: Sequence[int]) -> tuple[int, int] | None:
        """The region seen last, and the turns so far, when further cells were seen."""
        last, turns = state
        for region in seen:
            if region != _NEITHER:
                turns += last not in (_NEITHER, region)
                last = region
        return (last, turns) if turns <= 2 else None

    start = after((_NEITHER, 0), known[0])
    p.possible &= start is not None
    if start is not None and cells:
        mdd = mdd_from_level_steps(
            [3] * len(cells),
            start,
            lambda level, state, choice: after(state, [choice, *known[level + 1]]),
        )
        p.mdds.append(CellMdd(tuple(cells), mdd, tuple(columns)))
