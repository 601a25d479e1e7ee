"""Item orders worth trying on a Sudoku, by name.

The order of cells decides how large a diagram gets (tenfold and more between the best and the
worst of the orders here); which one is good depends on where the hints stand, which Tateishi &
Minato leave to future work. This module only proposes; an engine predicts and picks.

Names, as a command line takes them, are ``KIND[:LINES[:CROSS]]``:

* ``rows``: row by row; ``columns``: column by column;
* ``snake-rows``, ``snake-columns``: every second line backwards;
* ``blocks``: block by block along a band, each block row by row; ``column-blocks``: along a
  stack, each block column by column;
* ``greedy``: always the cell that keeps the frontier smallest.

``LINES`` permutes the bands (stacks for the column kinds), as ``rows:231``, or all lines, as
``rows:456789123``; ``CROSS`` permutes the stacks (or all columns) within a line likewise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np

from bddsudoku.errors import ModelError
from bddsudoku.model.model import Model
from bddsudoku.model.ordering import greedy, touches
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout

_ALONG = ("rows", "snake-rows", "blocks")
_ACROSS = ("columns", "snake-columns", "column-blocks")
KINDS = ("rows", "columns", "snake-rows", "snake-columns", "blocks", "column-blocks", "greedy")
"""First parts of an order's name."""

_MOST_BANDS = 4
"""Up to so many bands all their permutations are proposed."""


def _permutation(text: str, bands: int, depth: int, what: str) -> list[int]:
    """Lines in the order that a permutation of bands or of lines says; '' is the natural one."""
    n = bands * depth
    given = [SYMBOLS.find(c) for c in text.upper()]
    for size, width in ((bands, depth), (n, 1)):
        if not given:
            given = list(range(size))
        if sorted(given) == list(range(size)):
            return [line * width + i for line in given for i in range(width)]
    raise ModelError(
        f"{what} {text!r} is no permutation of {SYMBOLS[:bands]}"
        + (f" or {SYMBOLS[:n]}" if depth > 1 else "")
    )


def cell_order(name: str, layout: Layout, model: Model | None = None) -> tuple[int, ...]:
    """All cells of a board in a named order.

    Args:
        name: see the module's text.
        layout: the board.
        model: needed by ``greedy`` only.

    Raises:
        ModelError: no such name.
    """
    kind, *rest = name.strip().lower().split(":")
    if kind not in KINDS or len(rest) > 2 or (kind == "greedy" and rest):
        raise ModelError(
            f"no item order is called {name!r}; an order is auto or KIND[:LINES[:CROSS]], "
            f"KIND one of {', '.join(KINDS)}"
        )
    if kind == "greedy":
        if model is None:
            raise ModelError("the order greedy depends on the hints and needs a model")
        return _greedy(layout, model)
    n = layout.n
    across = kind in _ACROSS
    deep, wide = layout.box_rows, layout.box_columns
    if across:
        deep, wide = wide, deep
    line_text, cross_text = (*rest, "", "")[:2]
    # n = deep * wide: there are `wide` bands of `deep` lines and `deep` stacks of `wide` crossings
    lines = _permutation(line_text, wide, deep, "line order")
    crossings = _permutation(cross_text, deep, wide, "cross order")
    places: list[tuple[int, int]] = []
    if kind.endswith("blocks"):
        for first in range(0, n, deep):
            for start in range(0, n, wide):
                places += [
                    (a, b)
                    for a in lines[first : first + deep]
                    for b in crossings[start : start + wide]
                ]
    else:
        for i, a in enumerate(lines):
            backwards = kind.startswith("snake") and i % 2 == 1
            places += [(a, b) for b in (reversed(crossings) if backwards else crossings)]
    return tuple(b * n + a if across else a * n + b for a, b in places)


def item_order(cells: Sequence[int], layout: Layout, model: Model) -> tuple[int, ...]:
    """A cell order as an order of all items of ``model.items``: those cells, then the others."""
    items = model.items
    n = layout.n
    item_of: dict[int, int] = {}
    for item, constraint in enumerate(items.constraint_of.tolist()):
        c = model.constraints[constraint]
        if c.family == "cell" and c.variables:
            item_of[model.variables[c.variables[0]].key // n] = item
    first = [item_of[cell] for cell in cells if cell in item_of]
    taken = set(first)
    return (*first, *(item for item in range(items.items) if item not in taken))


def proposed_names(layout: Layout, model: Model) -> list[str]:
    """Orders to choose from: rows and columns under the permutations of bands, and a few more.

    Boards of more than four bands get the natural and the reversed permutation, and those that
    take the bands by their number of candidates, up or down.
    """
    names: list[str] = []
    cells = [v.key // layout.n for v in model.variables]
    for kind, depth, count in _walks(layout):
        load = Counter(_line(cell, kind, layout) // depth for cell in cells)
        light = sorted(range(count), key=lambda b: (load[b], b))
        for p in _permutations(range(count), light):
            text = "".join(SYMBOLS[b] for b in p)
            names.append(kind if p == tuple(range(count)) else f"{kind}:{text}")
    return [*names, "blocks", "column-blocks", "greedy"]


def names_by_hints(layout: Layout, hinted: Iterable[int]) -> list[str]:
    """Orders for a count that forgets digits once their hints are passed.

    Rows and columns under the permutations of bands, the lines of a band by falling number of
    hints: the sooner hints are passed, the sooner digits are alike.

    Args:
        layout: the board.
        hinted: the cells with hints, or in rules.
    """
    names = ["rows", "columns"]
    for kind, depth, count in _walks(layout):
        hints = Counter(_line(cell, kind, layout) for cell in hinted)
        bands = [range(band, band + depth) for band in range(0, layout.n, depth)]
        within = [sorted(band, key=lambda line: -hints[line]) for band in bands]
        heavy = sorted(range(count), key=lambda b: (-sum(hints[i] for i in bands[b]), b))
        for permutation in _permutations(heavy, heavy):
            lines = [line for band in permutation for line in within[band]]
            if lines != sorted(lines):
                names.append(f"{kind}:{''.join(SYMBOLS[line] for line in lines)}")
        every = sorted(range(layout.n), key=lambda line: -hints[line])
        names.append(f"{kind}:{''.join(SYMBOLS[line] for line in every)}")
    return list(dict.fromkeys([*names, "blocks", "column-blocks"]))


def _walks(layout: Layout) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
    """The kinds of lines, lines of a band, bands."""
    deep, wide = layout.box_rows, layout.box_columns
    return ("rows", deep, wide), ("columns", wide, deep)


def _line(cell: int, kind: str, layout: Layout) -> int:
    return divmod(cell, layout.n)[kind == "columns"]


def _permutations(few: Sequence[int], sorted_: Sequence[int]) -> list[tuple[int, ...]]:
    """All permutations of some bands; of many the natural one and a sorted one, up and down."""
    if len(few) <= _MOST_BANDS:
        return list(permutations(few))
    natural = tuple(range(len(few)))
    best = tuple(sorted_)
    return list(dict.fromkeys((natural, natural[::-1], best, best[::-1])))


def names_like(name: str, layout: Layout) -> list[str]:
    """Small changes of an order: the other ways to walk through the same lines, stacks permuted."""
    kind, *rest = name.split(":")
    if kind == "greedy":
        return []
    across = kind in _ACROSS
    count = layout.box_columns if across else layout.box_rows
    crosses = ["".join(SYMBOLS[s] for s in p) for p in permutations(range(count))]
    if count > _MOST_BANDS - 1:
        crosses = [crosses[0], crosses[-1]]
    lines = rest[0] if rest and rest[0] else SYMBOLS[: layout.n // count]
    return [f"{k}:{lines}:{c}" for k in (_ACROSS if across else _ALONG) for c in crosses]


def _greedy(layout: Layout, model: Model) -> tuple[int, ...]:
    """Always the cell after which the fewest constraints are half done (some variables passed)."""
    pairs = touches(model)
    uses = np.zeros((layout.cell_count, int(pairs[:, 1].max(initial=-1)) + 1), np.int32)
    cell_of = np.array([v.key // layout.n for v in model.variables], np.int64).reshape(-1)
    np.add.at(uses, (cell_of[pairs[:, 0]], pairs[:, 1]), 1)
    return tuple(greedy(uses))
