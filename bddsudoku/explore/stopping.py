"""Limits that somebody else can end: a question that nobody waits for any more."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Event

from bddsudoku.errors import LimitReached
from bddsudoku.limits import Limits

__all__ = ["StoppableLimits"]


@dataclass(frozen=True, slots=True)
class StoppableLimits(Limits):
    """Limits whose time is used up as soon as an event is set.

    Attributes:
        stop: set by who ends the question.
    """

    stop: Event = field(default_factory=Event)

    @property
    def left(self) -> float | None:
        """Seconds left.

        Raises:
            LimitReached: there are none, or the question was stopped.
        """
        if self.stop.is_set():
            raise self.reached()
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.reached()
        return left

    @property
    def expired(self) -> bool:
        """Whether the time is used up, or the question was stopped."""
        if self.stop.is_set():
            return True
        return self.deadline is not None and time.monotonic() >= self.deadline

    def reached(
        self, doing: str = "", *, limit: str = "time", trace: object = None
    ) -> LimitReached:
        """The error that says so."""
        if limit == "time" and self.stop.is_set():
            return LimitReached("stopped", limit="stop", trace=trace)
        given = f" of {self.seconds:g} s" if limit == "time" and self.seconds is not None else ""
        message = f"{limit} limit{given} reached"
        return LimitReached(f"{message} {doing}" if doing else message, limit=limit, trace=trace)
