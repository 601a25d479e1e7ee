"""What is known of the solutions of the board on the page, and how it becomes known.

Two threads work on a new board. One counts exactly, with whatever engine the portfolio chooses,
which tells meanwhile how many solutions there are at least and, where they are many, estimates
them. The other looks for what people want to know at once: a solution, and the possible digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.number_text import round_bound
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.dispatch import (
    count_detailed,
    iterate_solution_keys,
    solve_detailed,
    true_candidates,
)
from bddsudoku.solver.question import Question, make_question

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import AnyArray, Flags
    from bddsudoku.sets.grid_family import GridFamily

Event = dict[str, Any]
"""A part of an answer, as JSON values; it has a ``kind``."""
SendEvent = Callable[[Event], None]

_STATEMENT_INTERVAL = 0.35
"""Seconds between two statements that only name a greater bound."""


def digit_lists_by_cell(values: AnyArray) -> list[Any]:
    """Turn an array [row, column, digit - 1] into a list per cell, with one entry per digit."""
    found: list[Any] = values.reshape(-1, values.shape[-1]).tolist()
    return found


def candidate_masks(possible: Flags) -> list[int]:
    """Turn flags [row, column, digit - 1] into one bit mask for each cell."""
    return [
        sum(1 << d for d, truth in enumerate(cell) if truth)
        for cell in digit_lists_by_cell(possible)
    ]


class LiveBoard:
    """A board, and what is known of its solutions; several threads may ask.

    Attributes:
        puzzle: the board.
        count: the exact number of solutions; None while it is not known.
        example: the digits of a solution; None while none is known.
        solutions: their set; None while it is not known.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.count: int | None = None
        self.example: list[int] | None = None
        self.solutions: GridFamily | None = None
        self._least = 0
        self._estimate: Any = None
        self._said: Event = {}
        self._said_at = 0.0
        self._lock = Lock()

    @cached_property
    def question(self) -> Question:
        """The model of the board, which keeps what engines find out about it."""
        return make_question(self.puzzle)

    def exact_count(self, context: Context) -> int:
        """The exact number of solutions; it is counted if it is not known.

        Raises:
            LimitReached: a limit ended the count.
        """
        if self.count is None:
            self.count = count_detailed(self.question, context=context).count
        return self.count

    def find_one(self, context: Context, seed: int | None = None) -> list[int] | None:
        """The digits of a solution that a search finds; None if there is none.

        Args:
            seed: another one for each seed, not drawn uniformly; None for the first.
        """
        found = next(iterate_solution_keys(self.question, context, limit=1, seed=seed), None)
        decoder = self.question.decoder
        return None if found is None or decoder is None else [*decoder.decode(found.tolist()).cells]

    def true_masks(self, context: Context) -> list[int]:
        """One bit mask for each cell: the digits that it has in some solution."""
        return candidate_masks(true_candidates(self.puzzle, context))

    def tell(self, context: Context, send: SendEvent) -> None:
        """Send hints that clash, the number of solutions, possible digits and marginals.

        Raises:
            LimitReached: a limit ended the exact count.
        """
        clashes = [[a, b] for a, b, _ in self.puzzle.clashes()]
        if clashes:
            send({"kind": "clashes", "pairs": clashes[:100]})
        errors: list[Exception] = []

        def look() -> None:
            try:
                self._look(context, send)
            except Exception as error:  # raised below, in the thread that asked
                errors.append(error)

        self._said = {}
        looking = Thread(target=look, daemon=True)  # the end of the program does not wait for it
        looking.start()
        try:
            self._count_all(context, send)
        finally:
            looking.join()
        for error in errors:
            raise error

    def _look(self, context: Context, send: SendEvent) -> None:
        """Send an example, and the possible digits."""
        quiet = context.without_progress
        self.example = self.example or self.find_one(quiet)
        if self.example is None:
            self.count = 0
        self._state(send, 1)
        send({"kind": "possible", "masks": self.true_masks(quiet)})

    def _count_all(self, context: Context, send: SendEvent) -> None:
        """Send the exact number of solutions, and the marginals where their set can be held."""
        number = self.exact_count(replace(context, found=partial(self._state, send)))
        self._state(send)
        with suppress(LimitReached):
            if self.solutions is None:
                engine = "bands" if self.puzzle.is_classic else "auto"  # ready at once
                self.solutions = solve_detailed(self.question, engine, context=context).grids
            counts = digit_lists_by_cell(self.solutions.marginals().astype(str))
            send({"kind": "marginals", "count": str(number), "marginals": counts})

    def _state(self, send: SendEvent, least: int = 0, estimate: Any = None) -> None:
        """Send what is known of the number of solutions, if that is more than what was sent."""
        with self._lock:
            self._least = max(self._least, least)
            self._estimate = estimate or self._estimate
            event, now = self._statement(), time.monotonic()
            only_grows = event.keys() == self._said.keys() and self.count is None
            is_early = only_grows and now - self._said_at < _STATEMENT_INTERVAL
            if is_early or event == self._said or (self.count is None and not self._least):
                return
            self._said, self._said_at = event, now
        send(event)

    def _statement(self) -> Event:
        """What is known of the number of solutions, as an event."""
        if self.count == 0:
            return {"kind": "statement", "state": "none"}
        event: Event = {"kind": "statement", "state": "exact", "count": str(self.count)}
        if self.count is None:
            event |= {"state": "more", "count": str(round_bound(self._least))}
            found = self._estimate
            if found is not None and found.estimate is not None:
                ends = {"low": str(found.low), "high": str(found.high)}
                event["estimate"] = {"value": str(found.estimate)} | ends
        if self.example is not None:
            event["example"] = self.example
        return event
