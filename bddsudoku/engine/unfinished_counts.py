"""What is known of a count that is not finished: how many solutions were found, and an estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bddsudoku.context import Context
from bddsudoku.engine.calibration import ESTIMATE_PRECISION, ESTIMATE_STEPS, MANY_SOLUTIONS
from bddsudoku.engine.protocol import find_engine
from bddsudoku.errors import LimitReached
from bddsudoku.model.model import Model
from bddsudoku.number_text import round_bound, to_decimal

if TYPE_CHECKING:
    from bddsudoku.context import Found
    from bddsudoku.engine.estimate import Estimate


class WhatIsKnown:
    """Remembers, and passes on, what is known of a count that is not finished."""

    def __init__(self, listener: Found | None) -> None:
        self.number = 0
        self.estimate: Estimate | None = None
        self._listener = listener

    def __call__(self, number: int, estimate: Estimate | None) -> None:
        """Note a lower bound and, if there is one, an estimate; tell the listener what is known."""
        self.number = max(self.number, number)
        self.estimate = estimate or self.estimate
        if self._listener is not None:
            self._listener(self.number, self.estimate)

    def record(self) -> dict[str, Any]:
        """What is known as members of an answer in JSON."""
        known = {"more_than": to_decimal(round_bound(self.number))} if self.number else {}
        if self.estimate is not None:
            known |= self.estimate.record()
            del known["seconds"]  # of the estimate, not of the count
        return known


def estimate_count(model: Model, context: Context) -> Estimate | None:
    """Estimate a count that takes long, once for a model, and report it; None if that fails.

    Raises:
        LimitReached: the time was used up.
    """
    if find_engine("search").refuses(model) is not None:
        return None
    from bddsudoku.engine.search.interval import estimate_model

    limited = context.without_progress.with_work(ESTIMATE_STEPS)
    try:
        found = model.cached(estimate_model, ESTIMATE_PRECISION, limited)
    except LimitReached as stop:
        if stop.limit != "memory":  # another engine may need less
            raise
        return None
    context.report_found(0, found)
    return found


def estimate_many(model: Model, context: Context) -> None:
    """Estimate a count that will take long, where a short search has found many solutions."""
    known = context.found
    if isinstance(known, WhatIsKnown) and known.number >= MANY_SOLUTIONS:
        estimate_count(model, context)
