"""Sessions of the live board: each answers one question; a new question stops the old one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.explore.board_questions import BoardAnswerer, Event


@dataclass(frozen=True, slots=True)
class StoppableContext(Context):
    """Limits of a computation, which ends as soon as the event ``stop`` is set."""

    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_expired(self) -> bool:
        """Whether the time is used up, or the question was stopped."""
        return self.stop.is_set() or super(StoppableContext, self).is_expired

    def limit_error(
        self, stage: str = "", *, limit: str = "time", trace: object = None
    ) -> LimitReached:
        """Make the error for a limit that is used up, or for a question that was stopped."""
        if limit == "time" and self.stop.is_set():
            return LimitReached("stopped", limit="stop", trace=trace)
        return super(StoppableContext, self).limit_error(stage, limit=limit, trace=trace)


MEMORY = 4 << 30
"""Bytes of memory for one question."""
SECONDS = 120.0
"""Seconds for one question."""
_PROGRESS_INTERVAL = 0.2
"""Seconds between two events of progress."""

SendEvent = Callable[[Event], None]


class Session:
    """Answers the questions of one live board in threads, one after the other."""

    def __init__(self, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        self._memory = memory
        self._seconds = seconds
        self._answers = BoardAnswerer()
        self._work_lock = threading.Lock()  # held by the thread that works
        self._state_lock = threading.RLock()
        self._current: StoppableContext | None = None

    def stop(self) -> None:
        """Stop the answer under way, if any; it ends with an event ``limit`` named ``stop``."""
        with self._state_lock:
            if self._current is not None:
                self._current.stop.set()

    def ask(self, question: Mapping[str, Any], send_event: SendEvent) -> StoppableContext:
        """Start to answer a question in a thread, and stop the one that is being answered.

        Args:
            question: as the component sends it.
            send_event: called with every event from the thread; the last is of kind ``end``.

        Returns:
            The limits of the question; setting their ``stop`` ends it.
        """
        context = StoppableContext(self._memory, self._seconds)
        with self._state_lock:
            self.stop()
            self._current = context
        threading.Thread(
            target=self._answer_question,
            args=(question, context, send_event),
            name="explore",
            daemon=True,
        ).start()
        return context

    def _answer_question(
        self, question: Mapping[str, Any], context: StoppableContext, send_event: SendEvent
    ) -> None:
        """Answer a question in its own thread, once the answer to the previous one has ended."""
        reported_at = time.monotonic()

        def progress(done: float, total: float) -> None:
            nonlocal reported_at
            context.check()
            if time.monotonic() - reported_at >= _PROGRESS_INTERVAL:
                reported_at = time.monotonic()
                fraction = min(done / total, 1.0) if total > 0 else 0.0
                send_event({"kind": "progress", "fraction": round(fraction, 4)})

        with self._work_lock:
            try:
                for event in self._answers.events(question, context.with_progress(progress)):
                    send_event(event)
            except Exception as error:  # a fault of the program: the page must not wait for ever
                send_event(
                    {"kind": "error", "text": f"internal error: {type(error).__name__}: {error}"}
                )
                send_event({"kind": "end"})
                raise
