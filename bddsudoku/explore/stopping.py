"""Limits that somebody else can end: a question that nobody waits for any more."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached


@dataclass(frozen=True, slots=True)
class StoppableContext(Context):
    """Limits whose time is used up as soon as an event is set.

    Attributes:
        stop: set by who ends the question.
    """

    stop: Event = field(default_factory=Event)

    @property
    def expired(self) -> bool:
        """Whether the time is used up, or the question was stopped."""
        return self.stop.is_set() or super(StoppableContext, self).expired

    def reached(
        self, doing: str = "", *, limit: str = "time", trace: object = None
    ) -> LimitReached:
        """The error that says so."""
        if limit == "time" and self.stop.is_set():
            return LimitReached("stopped", limit="stop", trace=trace)
        return super(StoppableContext, self).reached(doing, limit=limit, trace=trace)
