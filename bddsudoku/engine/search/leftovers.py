"""The law of leftovers: what irregular regions tell of rows and columns.

Some neighbouring rows, and as many regions that lie mostly in them, have every value equally often.
So do the *leftovers*: the cells that only the rows have, and those that only the regions have.
Where these are few, which they never are on boards with blocks, their values are counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import permutations
from operator import or_

from bddsudoku.engine.search.cells import CellProblem
from bddsudoku.engine.search.choices import Choice
from bddsudoku.engine.search.domain_reduction import bit_numbers
from bddsudoku.model.constraints import OneHot
from bddsudoku.model.model import Model


def add_leftovers(p: CellProblem, model: Model) -> None:
    """Add that every value is as often in the one leftovers as in the other.

    They are found once for all models of a board.
    """
    pairs = model.original.cached(_find_leftovers)
    if not pairs:
        return
    bit_of = {model.variables[v].value: 1 << k for v, (_, k) in p.place.items()}
    cell_of = {model.variables[v].cell: c for v, (c, _) in p.place.items()}
    known = {v.cell: v.value for v in model.fixed}
    for pair in pairs:
        plus, minus = ([cell_of[c] for c in side if c in cell_of] for side in pair)
        fixed = [[known[c] for c in side if c in known] for side in pair]
        for value, bit in bit_of.items():
            places = [(c, bit) for c in plus if p.domain[c] & bit]
            others = [(c, p.domain[c] & ~bit) for c in minus if p.domain[c] & bit]
            number = len(others) + fixed[1].count(value) - fixed[0].count(value)
            p.possible &= 0 <= number <= len(places) + len(others)
            if p.possible and places + others:
                p.choices.append(Choice(places + others, number, number))


def _find_leftovers(board: Model) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The leftovers of the houses of a model before hints: the cells of the one, of the other."""
    parts: defaultdict[tuple[str, str], list[OneHot]] = defaultdict(list)
    for c in board.one_hots:
        if c.house and c.is_exact:
            parts[c.family, c.house].append(c)
    families: defaultdict[str, list[int]] = defaultdict(list)
    """The houses of each family, as bit sets of cells: those with all values, which is as many as
    they have cells."""
    every: set[int] = set()
    for (family, _), house in parts.items():
        values = {board.variables[c.variables[0]].value for c in house}
        cells = {board.variables[v].cell for c in house for v in c.variables}
        every = every or values
        if None not in cells and values == every and len(cells) == len(house):
            families[family].append(sum(1 << c for c in cells if c is not None))
    pairs = {
        (min(pair), max(pair))
        for lines, regions in permutations(families.values(), 2)
        for pair in _leftovers(lines, regions)
    }
    return [(bit_numbers(plus), bit_numbers(minus)) for plus, minus in sorted(pairs)]


def _leftovers(lines: Sequence[int], regions: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield what neighbouring lines, and as many regions mostly inside, do not have in common."""
    for i, first in enumerate(lines):
        inside = 0
        for size, line in enumerate(lines[i:], 1):
            if inside & line:
                break
            inside |= line
            chosen = [of for of in regions if 2 * (of & ~inside).bit_count() < of.bit_count()]
            covered = reduce(or_, chosen, 0)
            only = inside & ~covered
            is_balanced = len(chosen) == size and covered.bit_count() == inside.bit_count()
            if is_balanced and 0 < 3 * only.bit_count() <= first.bit_count():
                yield only, covered & ~inside
