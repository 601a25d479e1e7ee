"""How many threads the work may keep busy: all cores, or fewer where others work beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_most: ContextVar[int | None] = ContextVar("most threads", default=None)
"""Each thread has its own, and those of a pool begin without one: who makes a pool asks before, and
what runs in it starts no threads (``tests/solver/test_threads.py``)."""


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_threads() -> int:
    """Threads that work may start here: one a core, unless there is a bound (:func:`threads`)."""
    return _most.get() or cores()


@contextmanager
def threads(most: int) -> Iterator[None]:
    """A bound for what this thread starts within the block."""
    before = _most.set(most)
    try:
        yield
    finally:
        _most.reset(before)
