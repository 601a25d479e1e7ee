"""Sessions of the live board: two lanes of questions, each of which answers one at a time.

In the lane ``count`` are the questions that may take long, in the lane ``quick`` all others, which
never wait for those. A new question stops the old one of its lane.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from bddsudoku.context import Context
from bddsudoku.errors import LimitReached
from bddsudoku.explore.board_questions import answer
from bddsudoku.explore.live_board import LiveBoard, SendEvent


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


class _Lane:
    """What a lane is doing: the limits of its latest question, and a lock while it works."""

    def __init__(self) -> None:
        self.work_lock = threading.Lock()
        self.current: StoppableContext | None = None

    def stop(self) -> None:
        """Stop the answer under way, if any."""
        if self.current is not None:
            self.current.stop.set()


class Session:
    """Answers the questions of one live board in threads, in each lane one after the other."""

    def __init__(self, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        self._memory = memory
        self._seconds = seconds
        # the board on the page, and one that the page shows meanwhile
        self._live_board = lru_cache(maxsize=2)(LiveBoard)
        self.lanes = {"count": _Lane(), "quick": _Lane()}
        self._state_lock = threading.RLock()

    def stop(self, lane: str | None = None) -> None:
        """Stop the answers of a lane, or of all; each ends with an event ``limit``: ``stop``."""
        with self._state_lock:
            for each in [self.lanes[lane]] if lane in self.lanes else self.lanes.values():
                each.stop()

    def ask(self, question: Mapping[str, Any], send_event: SendEvent) -> StoppableContext:
        """Start to answer a question in a thread, and stop the one of its lane.

        Args:
            question: as the component sends it.
            send_event: called with every event from the thread; the last is of kind ``end``.

        Returns:
            The limits of the question; setting their ``stop`` ends it.
        """
        context = StoppableContext(self._memory, self._seconds)
        lane = self.lanes["quick" if question.get("lane") == "quick" else "count"]
        with self._state_lock:
            lane.stop()
            lane.current = context
        threading.Thread(
            target=self._answer_question,
            args=(question, context, send_event, lane),
            name="explore",
            daemon=True,
        ).start()
        return context

    def _answer_question(
        self,
        question: Mapping[str, Any],
        context: StoppableContext,
        send_event: SendEvent,
        lane: _Lane,
    ) -> None:
        """Answer a question in its own thread, once the answer before it in its lane has ended."""
        reported_at = time.monotonic()

        def progress(done: float, total: float) -> None:
            nonlocal reported_at
            context.check()
            if time.monotonic() - reported_at >= _PROGRESS_INTERVAL:
                reported_at = time.monotonic()
                fraction = min(done / total, 1.0) if total > 0 else 0.0
                send_event({"kind": "progress", "fraction": round(fraction, 4)})

        with lane.work_lock:
            try:
                answer(question, context.with_progress(progress), send_event, self._live_board)
            except Exception as error:  # a fault of the program: the page must not wait for ever
                send_event(
                    {"kind": "error", "text": f"internal error: {type(error).__name__}: {error}"}
                )
                send_event({"kind": "end"})
                raise
