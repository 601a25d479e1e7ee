"""A set to be written out from end to end: on a diagram where one fits, else from a search."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.protocol import Compiles, Lists, engines_for, searcher_for
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import allocate
from bddsudoku.solver.answers import Solved
from bddsudoku.solver.solving import solve_subject

if TYPE_CHECKING:
    from bddsudoku.puzzle.sudoku.grid import Puzzle
    from bddsudoku.solver.subject import Subject

FEW = 1_000
"""Solutions that are unranked one by one without ado."""
HEAD = 1_000_000
"""Up to so many of more solutions are searched for rather than taken from a large diagram."""
MANY = 10**10
"""Beyond so many solutions no diagram is thought of."""
ROOM = 8 << 30
"""Bytes of a diagram that is thought of without a memory limit. What is free just now would change
the order of the list; where a diagram does not fit after all, a search lists the solutions."""
BYTES_A_STATE = 60
"""Memory of a diagram under construction, for each predicted state (upper end of what was seen)."""


class Searched:
    """The solutions of a puzzle as a search finds them, in its order; nothing is held.

    Args:
        puzzle: of any layout.
        number: how many solutions it has.
        searcher: who lists them.
        limits: the time includes what is done with the rows.
    """

    def __init__(self, puzzle: Puzzle, number: int, searcher: Lists, context: Context) -> None:
        self.puzzle = puzzle
        self.number = number
        self.searcher = searcher
        self.context = context

    def count(self) -> int:
        """Number of solutions, exact."""
        return self.number

    def batches(self, size: int, start: int, stop: int) -> Iterator[NDArray[np.uint8]]:
        """Rows of digits, ``size`` at a time, from number ``start`` to before ``stop``.

        Raises:
            LimitReached: the time was used up.
        """
        n, stop = self.puzzle.n, min(stop, sys.maxsize)
        found = self.searcher.solutions(allocate(self.puzzle), self.context, limit=stop)
        found = islice(found, start, stop)
        while batch := list(islice(found, size)):
            yield (np.stack(batch) % n + 1).astype(np.uint8)


def listing(
    subject: Subject, order: str = "auto", context: Context = UNLIMITED, limit: int | None = None
) -> Solved:
    """The set of a puzzle, held in a way in which it can be listed.

    Args:
        subject: a puzzle or a saved set.
        order: of the diagram; one that is named wants a diagram.
        limit: how many solutions will be asked for, from the first; None for all.

    Raises:
        LimitReached: a limit ended the making of the set.
    """
    held = solve_subject(subject, order=order, context=context.silent)
    number = held.solutions.count()
    wanted = number if limit is None else min(number, limit)
    if held.cost is not None or wanted <= FEW or subject.saved is not None:
        return held
    model = allocate(subject.puzzle)
    if number <= MANY and (wanted == number or wanted > HEAD):
        compiler = engines_for(model, Compiles)[0]
        forecast = compiler.diagram_forecast(model, context)
        room = ROOM if context.memory is None else context.memory
        if forecast is not None and forecast.states * BYTES_A_STATE <= room:
            try:
                made = solve_subject(subject, compiler.name, forecast.order, context.silent)
            except LimitReached as stop:
                if stop.limit == "time":
                    raise
            else:
                why = f"{number:,} solutions, predicted {forecast.states:,.0f} states"
                return replace(made, why=why)
    searcher = searcher_for(model)
    searched = Searched(subject.puzzle, number, searcher, context)
    return Solved(searched, searcher.name, "the search lists them without a diagram", held.seconds)
