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
from bddsudoku.explore.board_questions import answer
from bddsudoku.explore.live_board import Event, LiveBoard, SendEvent


@dataclass(frozen=True, slots=True)
class StoppableContext(Context):
    """Limits of a computation, which ends as soon as the event ``stop`` is set."""

    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def is_expired(self) -> bool:
        """Whether the time is used up, or the question was stopped."""
        return self.stop.is_set() or super(StoppableContext, self).is_expired


MEMORY = 4 << 30
"""Bytes of memory for one question."""
SECONDS = 120.0
"""Seconds for one question."""
_PROGRESS_INTERVAL = 0.2
"""Seconds between two events of progress."""


class Session:
    """Answers the questions of one live board in threads, in each lane one after the other.

    Questions are asked and stopped by one thread.

    Attributes:
        locks: by lane, held while a question is answered.
    """

    def __init__(self, memory: int = MEMORY, seconds: float = SECONDS) -> None:
        self._limits = memory, seconds
        # the board on the page, and one that the page shows meanwhile
        self._live_board = lru_cache(maxsize=2)(LiveBoard)
        self.locks = {"count": threading.Lock(), "quick": threading.Lock()}
        self._latest: dict[str, StoppableContext] = {}

    def stop(self, lane: str | None = None) -> None:
        """Stop the answers of a lane, or of all; each ends with an event ``limit``: ``stop``."""
        for name, context in [*self._latest.items()]:
            if lane in (name, None):
                context.stop.set()

    def ask(self, question: Mapping[str, Any], send_event: SendEvent) -> StoppableContext | None:
        """Start to answer a question in a thread, and stop the one of its lane.

        Args:
            question: as the component sends it; one of kind ``stop`` has no answer.
            send_event: called with every event from threads; the last is of kind ``end``.

        Returns:
            The limits of the question; setting their ``stop`` ends it.
        """
        if question.get("kind") == "stop":
            self.stop(question.get("lane"))
            return None
        lane = "quick" if question.get("lane") == "quick" else "count"
        self.stop(lane)
        self._latest[lane] = context = StoppableContext(*self._limits)
        threading.Thread(
            target=self._answer_question,
            args=(question, context, send_event, self.locks[lane]),
            name="explore",
            daemon=True,
        ).start()
        return context

    def _answer_question(
        self,
        question: Mapping[str, Any],
        context: StoppableContext,
        send_event: SendEvent,
        lock: threading.Lock,
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

        def send(event: Event) -> None:
            if event["kind"] == "limit" and context.stop.is_set():
                event = {"kind": "limit", "limit": "stop", "text": "stopped"}
            send_event(event)

        with lock:
            try:
                answer(question, context.with_progress(progress), send, self._live_board)
            except Exception as error:  # a fault of the program: the page must not wait for ever
                text = f"internal error: {type(error).__name__}: {error}"
                send({"kind": "error", "text": text})
                send({"kind": "end"})
                raise
