"""Named orders of items for Sudoku, and the conjunction schedules of Tateishi and Minato.

The order of cells determines the size of a diagram (tenfold and more between the best and the
worst order here). Which order is good depends on the places of the hints, which Tateishi & Minato
leave to future work. This module proposes orders; an engine forecasts sizes and chooses.

Names of orders, as on the command line, are ``KIND[:LINES[:CROSS]]``:

* ``rows``: row by row; ``columns``: column by column;
* ``snake-rows``, ``snake-columns``: alternate lines backwards;
* ``blocks``: block by block along a band, each block row by row; ``column-blocks``: along a
  stack, each block column by column;
* ``greedy``: always the next cell that keeps the frontier smallest.

``LINES`` permutes the bands (stacks for the column kinds), as ``rows:231``, or all lines, as
``rows:456789123``; ``CROSS`` permutes the stacks (or all columns) within a line likewise.

The conjunction schedules are the procedures (手順1–3) of Tateishi & Minato, section 4.1.
Procedure 3 is understood here as follows: "the variables enter the formulas from the bottom of the
order, ii9 … aa1" fixes the direction of cells, rows *and* blocks within their band, and "three
rows, three blocks, three times" makes a band a stage, the lowest first; the columns come last,
from a to i. On the puzzle of Figure 1 this schedule peaks at 9,784 nodes (with blocks from the
first to the last it would be 7,824).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations, starmap
from typing import ClassVar

import numpy as np

from bddsudoku.errors import ModelError, ScheduleError
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.model import Model, Orders, Origin, PuzzleDefinition, StageFunction
from bddsudoku.model.ordering import greedy_order, variable_constraint_pairs
from bddsudoku.puzzle.sudoku.grid import Puzzle, board_of_keys
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.rule import Rule

_ALONG = ("rows", "snake-rows", "blocks")
_ACROSS = ("columns", "snake-columns", "column-blocks")
KINDS = ("rows", "columns", "snake-rows", "snake-columns", "blocks", "column-blocks", "greedy")
"""First parts of an order's name."""

_MAX_BANDS = 4
"""Greatest number of bands of which all permutations are proposed."""


def _parse_permutation(text: str, band_count: int, band_depth: int, what: str) -> list[int]:
    """Parse a permutation of bands, or of all rows or columns, into an order of rows or columns."""
    n = band_count * band_depth
    given = [SYMBOLS.find(c) for c in text.upper()]
    for size, width in ((band_count, band_depth), (n, 1)):
        if not given:
            given = list(range(size))
        if sorted(given) == list(range(size)):
            return [line * width + i for line in given for i in range(width)]
    raise ModelError(
        f"{what} {text!r} is no permutation of {SYMBOLS[:band_count]}"
        + (f" or {SYMBOLS[:n]}" if band_depth > 1 else "")
    )


def cell_order(name: str, layout: Layout, model: Model | None = None) -> tuple[int, ...]:
    """The cells of a board in a named order; only the order ``greedy`` needs the model.

    Raises:
        ModelError: no order has this name.
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
        return _greedy_cell_order(layout, model)
    across = kind in _ACROSS
    (_, deep, bands), (_, wide, stacks) = _bands_and_stacks(layout)[:: -1 if across else 1]
    line_text, cross_text = (*rest, "", "")[:2]
    lines = _parse_permutation(line_text, bands, deep, "line order")
    crossings = _parse_permutation(cross_text, stacks, wide, "cross order")
    places: list[tuple[int, int]] = []
    if kind.endswith("blocks"):
        for first in range(0, len(lines), deep):
            for start in range(0, len(crossings), wide):
                places += [
                    (a, b)
                    for a in lines[first : first + deep]
                    for b in crossings[start : start + wide]
                ]
    else:
        for i, a in enumerate(lines):
            backwards = kind.startswith("snake") and i % 2 == 1
            places += [(a, b) for b in (reversed(crossings) if backwards else crossings)]
    return tuple(layout.cell((b, a) if across else (a, b)) for a, b in places)


def _bands_and_stacks(layout: Layout) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
    """Return (``rows``, rows per band, bands) and (``columns``, columns per stack, stacks)."""
    deep, wide = layout.box_rows, layout.box_columns
    bands, stacks = layout.row_count // deep, layout.column_count // wide
    return ("rows", deep, bands), ("columns", wide, stacks)


def _row_or_column_number(cell: int, kind: str, layout: Layout) -> int:
    """The number of a cell's row or, if ``kind`` is ``columns``, of its column."""
    return divmod(cell, layout.column_count)[kind == "columns"]


def _band_permutations(bands: Sequence[int], ranked: Sequence[int]) -> list[tuple[int, ...]]:
    """All orders of up to four bands; of more, natural order and ``ranked``, also reversed."""
    if len(bands) <= _MAX_BANDS:
        return list(permutations(bands))
    natural = tuple(range(len(bands)))
    best = tuple(ranked)
    return list(dict.fromkeys((natural, natural[::-1], best, best[::-1])))


def _greedy_cell_order(layout: Layout, model: Model) -> tuple[int, ...]:
    """The cells in greedy order: each next cell leaves the fewest constraints partly assigned."""
    pairs = variable_constraint_pairs(model)
    uses = np.zeros((layout.cell_count, int(pairs[:, 1].max(initial=-1)) + 1), np.int32)
    cell_of = np.array([v.key // layout.digit_count for v in model.variables], np.int64).reshape(-1)
    np.add.at(uses, (cell_of[pairs[:, 0]], pairs[:, 1]), 1)
    return tuple(greedy_order(uses))


FAMILIES = ("cell", "row", "column", "block")
"""The families of constraints in the paper's order, (1) to (4)."""

PROCEDURES = {
    1: "cell>row>column>block",
    2: "cell>row>block>column",
    3: "staged:cell>row>block:bottom-up; column",
}
"""The paper's procedures as schedules in the text form of :mod:`bddsudoku.model.schedules`."""


@dataclass(frozen=True)
class SudokuOrigin(Origin):
    """The board or puzzle of which a model was made, with orders and schedules for the model.

    Attributes:
        layout: the board.
        families: the families of constraints in the model: ``cell`` and those of houses.
        rules: the rules of a variant.
        puzzle: the puzzle; None for the empty board.
    """

    layout: Layout
    families: Sequence[str]
    rules: tuple[Rule, ...] = ()
    puzzle: Puzzle | None = None

    allows_propagation: ClassVar[bool] = True

    def puzzle_definition(self) -> PuzzleDefinition | None:
        """The puzzle's definition, from which brute force can check the model."""
        if "cell" not in self.families:
            return None
        board = _empty_board_definition(self.layout, tuple(self.families))
        n, puzzle = self.layout.digit_count, self.puzzle
        if self.rules:
            meant = tuple(rule.in_company(self.rules) for rule in self.rules)
            board = replace(board, holds=_RuleChecker(self.layout, meant))
        if puzzle is None:
            return board
        given, uses = tuple(starmap(self.layout.key, puzzle.hints.items())), board.uses
        if (masks := puzzle.candidates) is not None:
            uses = {key: used for key, used in uses.items() if masks[key // n] >> key % n & 1}
        return replace(board, uses=uses, given=given)

    def item_orders(self, model: Model) -> Orders:
        """The orders to try, by name: by rows, by columns, by blocks, and greedily.

        Rows and columns come with bands permuted: more than four bands only in natural order or by
        number of candidates, both up or down.
        """
        names: list[str] = []
        cells = [v.key // self.layout.digit_count for v in model.variables]
        for kind, depth, count in _bands_and_stacks(self.layout):
            lines = [_row_or_column_number(cell, kind, self.layout) for cell in cells]
            load = Counter(line // depth for line in lines)
            light = sorted(range(count), key=lambda b: (load[b], b))
            for p in _band_permutations(range(count), light):
                text = "".join(SYMBOLS[b] for b in p)
                names.append(kind if p == tuple(range(count)) else f"{kind}:{text}")
        return self._orders_by_name(model, [*names, "blocks", "column-blocks", "greedy"])

    def order_variants(self, model: Model, name: str) -> Orders:
        """Variants of a named order: plain, snake and block order, each with permuted stacks."""
        kind, *rest = name.split(":")
        if kind == "greedy":
            return {}
        across = kind in _ACROSS
        (_, _, bands), (_, _, count) = _bands_and_stacks(self.layout)[:: -1 if across else 1]
        crosses = ["".join(SYMBOLS[s] for s in p) for p in permutations(range(count))]
        if count > _MAX_BANDS - 1:
            crosses = [crosses[0], crosses[-1]]
        lines = rest[0] if rest and rest[0] else SYMBOLS[:bands]
        kinds = _ACROSS if across else _ALONG
        return self._orders_by_name(model, [f"{k}:{lines}:{c}" for k in kinds for c in crosses])

    def orders_for_value_symmetry(self, model: Model, marked: Sequence[int]) -> Orders:
        """Orders for counting up to value symmetry; cells of the ``marked`` variables come early.

        These are rows and columns under permutations of bands, with the lines of a band by falling
        number of marked cells: the sooner these are passed, the sooner digits become
        interchangeable.
        """
        names = ["rows", "columns"]
        cells = {key // self.layout.digit_count for key in marked}
        for kind, depth, count in _bands_and_stacks(self.layout):
            hints = Counter(_row_or_column_number(cell, kind, self.layout) for cell in cells)
            bands = [range(band, band + depth) for band in range(0, depth * count, depth)]
            within = [sorted(band, key=lambda line: -hints[line]) for band in bands]
            heavy = sorted(range(count), key=lambda b: (-sum(hints[i] for i in bands[b]), b))
            for permutation in _band_permutations(heavy, heavy):
                lines = [line for band in permutation for line in within[band]]
                if lines != sorted(lines):
                    names.append(f"{kind}:{''.join(SYMBOLS[line] for line in lines)}")
            every = sorted(range(depth * count), key=lambda line: -hints[line])
            names.append(f"{kind}:{''.join(SYMBOLS[line] for line in every)}")
        return self._orders_by_name(model, [*names, "blocks", "column-blocks"])

    def item_order(self, model: Model, name: str) -> Sequence[int]:
        """The items in a named order such as ``rows:231``: cell items first, then the rest."""
        items = model.one_hot_matrix
        item_of: dict[int, int] = {}
        for item, constraint in enumerate(items.constraint_of.tolist()):
            c = model.constraints[constraint]
            if c.family == "cell" and c.variables:
                item_of[model.variables[c.variables[0]].key // self.layout.digit_count] = item
        cells = cell_order(name, self.layout, model)
        first = [item_of[cell] for cell in cells if cell in item_of]
        return tuple(dict.fromkeys([*first, *range(items.items)]))

    def _orders_by_name(self, model: Model, names: Iterable[str]) -> Orders:
        return {name: self.item_order(model, name) for name in dict.fromkeys(names)}

    @property
    def default_schedule_number(self) -> int | None:
        """The default among the procedures of Tateishi & Minato: 3, or None if inapplicable."""
        return 3 if {*FAMILIES} <= {*self.families} else None

    def schedule_text(self, model: Model, number: int) -> str:
        """The schedule of procedure 1, 2 or 3 of Tateishi and Minato, as text."""
        if number not in PROCEDURES:
            raise ScheduleError(f"the paper has procedures 1, 2 and 3, not {number!r}")
        # Families that the paper does not have come last.
        more = any(family not in FAMILIES for family in model.families)
        text = PROCEDURES[number] + "; *" * more
        return text if self.layout.blocks else text.replace(">block", "")

    def stage_function(self, model: Model) -> StageFunction:
        """A function that maps a constraint to its band, or to None if it spans several bands.

        An irregular block belongs to its uppermost band, whose stage comes last.
        """
        full = model.original
        variables_of_band = (
            self.layout.box_rows * self.layout.column_count * self.layout.digit_count
        )
        bands = {
            (c.family, c.label): {full.variables[v].key // variables_of_band for v in c.variables}
            for c in full.constraints
        }

        def band(constraint: Constraint) -> int | None:
            constraint_bands = bands.get((constraint.family, constraint.label), set())
            if constraint.family == "block":
                return min(constraint_bands, default=None)
            return next(iter(constraint_bands)) if len(constraint_bands) == 1 else None

        return band


@dataclass(frozen=True)
class _RuleChecker:
    """Callable that tests whether a filled board obeys rules that do not refer to other rules."""

    layout: Layout
    rules: tuple[Rule, ...]

    def __call__(self, keys: Sequence[int]) -> bool:
        grid = board_of_keys(keys, self.layout)
        return all(rule.holds(grid) for rule in self.rules)


@lru_cache(maxsize=32)
def _empty_board_definition(layout: Layout, families: tuple[str, ...]) -> PuzzleDefinition:
    """The empty board as an exact cover for brute force, with an option for each candidate."""
    n = layout.digit_count
    return PuzzleDefinition(
        tuple(("cell", cell) for cell in range(layout.cell_count)),
        {
            cell * n + d: (
                *(
                    (h.family, h.index, d)
                    for h in layout.houses_by_cell[cell]
                    if h.family in families
                ),
                ("cell", cell),
            )
            for cell in range(layout.cell_count)
            for d in range(n)
            if layout.masks[cell] >> d & 1
        },
    )
