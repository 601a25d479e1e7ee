"""The three procedures (手順1–3) of Tateishi & Minato, section 4.1, and any other schedule.

How procedure 3 is read here: "the variables enter the formulas from the bottom of the order, ii9
… aa1" fixes the direction of cells, rows *and* blocks within their band, and "three rows, three
blocks, three times" makes a band a stage, the lowest first; the columns come last, from a to i.
On the puzzle of Figure 1 this reading peaks at 9,784 nodes (blocks from the first to the last
would peak at 7,824).
"""

from __future__ import annotations

from collections.abc import Sequence

from bddsudoku.errors import ScheduleError
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.model import Model
from bddsudoku.model.ordering import Order, Schedule, StageFunction, schedule
from bddsudoku.puzzle.sudoku.layout import Layout

FAMILIES = ("cell", "row", "column", "block")
"""The families of constraints, in the paper's order (1) to (4)."""

PROCEDURES = {
    1: "cell>row>column>block",
    2: "cell>row>block>column",
    3: "staged:cell>row>block:bottom-up; column",
}
"""The paper's procedures in the text form of :mod:`bddsudoku.model.ordering`."""


def band_of(layout: Layout, model: Model) -> StageFunction:
    """The stage function of a board: the band of a constraint, None for one that spans several.

    An irregular block is of the highest band that it reaches, to which stages come last.
    """
    full = model.original
    cells_of_band = layout.box_rows * layout.n
    bands = {
        (c.family, c.label): {
            full.variables[v].key // layout.n // cells_of_band for v in c.variables
        }
        for c in full.constraints
    }

    def band(constraint: Constraint) -> int | None:
        here = bands.get((constraint.family, constraint.label), set())
        if constraint.family == "block":
            return min(here, default=None)
        return next(iter(here)) if len(here) == 1 else None

    return band


def procedure(layout: Layout, model: Model, number: int) -> Schedule:
    """Procedure 1, 2 or 3 of the paper for a model of this layout (any size, any allocation).

    Raises:
        ScheduleError: another number.
    """
    if number not in PROCEDURES:
        raise ScheduleError(f"the paper has procedures 1, 2 and 3, not {number!r}")
    stage = band_of(layout, model)
    # What the paper does not know comes last.
    more = any(family not in FAMILIES for family in model.families)
    text = PROCEDURES[number] + "; *" * more
    if not layout.blocks:
        text = text.replace(">block", "")
    return schedule(model, text, stage=stage, name=f"procedure {number}")


def schedule_for(
    layout: Layout, model: Model, order: int | str | Order | Sequence[int] | Schedule = 3
) -> Schedule:
    """A schedule from whatever names one: a procedure's number, text, function, positions.

    Raises:
        ScheduleError: it cannot be read, or leaves constraints out or takes them twice.
    """
    if isinstance(order, int):
        return procedure(layout, model, order)
    return schedule(model, order, stage=band_of(layout, model))
