"""One question at a time: a newer one ends the older, whoever carries the events."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.explore.answering import Answers, Event


@dataclass(frozen=True, slots=True)
class StoppableContext(Context):
    """Limits whose time is used up as soon as ``stop`` is set."""

    stop: threading.Event = field(default_factory=threading.Event)

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


MEMORY = 4 << 30
"""Bytes for one question."""
SECONDS = 120.0
"""Seconds for one question; the longest that a page may ask for."""
_TELL = 0.2
"""Seconds between two events that tell the progress."""

Tell = Callable[[Event], None]


class Session:
    """The questions of one session, worked on in threads, one after the other."""

    def __init__(self, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        self._memory = memory
        self._seconds = seconds
        self._answers = Answers()
        self._turn = threading.Lock()  # held by the thread that works
        self._state = threading.Lock()
        self._current: StoppableContext | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a question is being worked on."""
        return self._turn.locked()

    def stop(self) -> None:
        """End the question that is worked on, if any; it answers with a limit ``stop``."""
        with self._state:
            if self._current is not None:
                self._current.stop.set()

    def ask(self, asked: Mapping[str, Any], tell: Tell) -> StoppableContext:
        """Start on a question, ending the one before; setting ``stop`` of what it returns ends it.

        ``tell`` is called with every event, from another thread; the last is of kind ``end``.
        """
        wished = asked.get("seconds")
        seconds = self._seconds
        if isinstance(wished, (int, float)) and 0 < wished < seconds:
            seconds = float(wished)
        context = StoppableContext(self._memory, seconds)
        with self._state:
            if self._current is not None:
                self._current.stop.set()
            self._current = context
        threading.Thread(
            target=self._work, args=(asked, context, tell), name="explore", daemon=True
        ).start()
        return context

    def _work(self, asked: Mapping[str, Any], context: StoppableContext, tell: Tell) -> None:
        told = time.monotonic()

        def progress(done: float, total: float) -> None:
            nonlocal told
            context.check()
            if time.monotonic() - told >= _TELL:
                told = time.monotonic()
                share = min(done / total, 1.0) if total > 0 else 0.0
                tell({"kind": "progress", "share": round(share, 4)})

        with self._turn:
            try:
                for event in self._answers.events(asked, context.reporting(progress)):
                    tell(event)
            except Exception as error:  # a fault of the program: the page must not wait for ever
                tell({"kind": "error", "text": f"internal error: {type(error).__name__}: {error}"})
                tell({"kind": "end"})
                raise
