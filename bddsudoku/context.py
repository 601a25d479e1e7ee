"""What one question may use: memory and time, told to everything that works on it.

A limit is plain data and can be pickled: the end of the time is a reading of the machine's
monotonic clock, which other processes of the same machine share. One object covers a whole
command or call, from its start; what is called later gets what is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from bddsudoku.errors import LimitReached

__all__ = ["UNLIMITED", "Context", "Progress"]

Progress = Callable[[float, float], None]
"""Called with (done, total) by what takes long; it may raise to end the work."""
Check = Callable[[int], None]
"""Called now and then with the bytes that are taken more; it may raise to end the work."""


@dataclass(frozen=True, slots=True)
class Context:
    """Memory, time, nodes and work for one question; None is no limit.

    Attributes:
        memory: bytes.
        seconds: as the user set them; what messages speak of.
        nodes: of a decision diagram while it is built.
        work: of a search, in steps that it counts itself, each a nanosecond or so. Whether an
            attempt is worth its while is decided by these, never by the clock: what is chosen, and
            with it the order of a set and its samples, is the same on any machine.
        deadline: the reading of :func:`time.monotonic` at which they are used up; by default
            ``seconds`` from the making of this object.
    """

    memory: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    work: int | None = None
    deadline: float | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.deadline is None:
            object.__setattr__(self, "deadline", time.monotonic() + self.seconds)

    def __reduce__(self) -> tuple[object, ...]:
        # A callback stays in its process.
        return type(self), (self.memory, self.seconds, self.nodes, self.work, self.deadline)

    def reporting(self, progress: Progress | None) -> Self:
        """The same limits, with progress reported to this callback."""
        return replace(self, progress=progress)

    @property
    def silent(self) -> Self:
        """The same limits; no progress is reported."""
        return self if self.progress is None else replace(self, progress=None)

    @property
    def left(self) -> float | None:
        """Seconds left.

        Raises:
            LimitReached: there are none.
        """
        left = None if self.deadline is None else self.deadline - time.monotonic()
        if self.expired or (left is not None and left <= 0):
            raise self.reached()
        return left

    @property
    def expired(self) -> bool:
        """Whether the time is used up."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def check(self, doing: str = "", *, work: int = 0, memory: int = 0) -> None:
        """Go on only while there is time, and what was booked so far is within the other limits.

        Args:
            doing: where the work stands, for messages.
            work: steps done.
            memory: bytes taken by tables of constraints.

        Raises:
            LimitReached: that is not so.
        """
        if self.expired:
            raise self.reached(doing)
        if self.work is not None and work >= self.work:
            raise self.reached(doing, limit="work")
        if self.memory is not None and memory > self.memory:
            told = f"by tables of constraints: {memory:,} bytes needed, {self.memory:,} allowed"
            raise self.reached(told, limit="memory")

    def account(self) -> Check:
        """A callback that adds up the bytes taken, and has them checked."""
        taken = 0

        def check(more: int) -> None:
            nonlocal taken
            taken += more
            self.check(memory=taken)

        return check

    def reached(
        self, doing: str = "", *, limit: str = "time", trace: object = None
    ) -> LimitReached:
        """The error that says that the time, or another limit, is used up."""
        given = f" of {self.seconds:g} s" if limit == "time" and self.seconds is not None else ""
        message = f"{limit} limit{given} reached"
        return LimitReached(f"{message} {doing}" if doing else message, limit=limit, trace=trace)

    def report(self, done: float, total: float) -> None:
        """Tell how far the work is, and go on only while there is time.

        Raises:
            LimitReached: there is none.
        """
        self.check()
        self.tell(done, total)

    def tell(self, done: float, total: float) -> None:
        """Tell how far the work is."""
        if self.progress is not None:
            self.progress(done, total)

    def share(self, parts: int) -> Self:
        """Limits for the first of some parts of the work: an equal share of the time left.

        The message of a part that reaches its share still speaks of the whole limit.
        """
        left = self.left
        if left is None:
            return self
        return replace(self, deadline=time.monotonic() + left / max(parts, 1))

    def sooner(self, seconds: float) -> Self:
        """Limits that end so many seconds sooner, a quarter of the time left at most.

        That leaves time to say what was found; messages still speak of the whole limit.
        """
        left = self.left
        if left is None:
            return self
        return replace(self, deadline=time.monotonic() + left - min(seconds, left / 4))

    def within(self, seconds: float | None) -> Self:
        """Limits for a part of the work that may take so many seconds and not outlive these."""
        if seconds is None:
            return self
        end = time.monotonic() + seconds
        if self.deadline is not None and self.deadline <= end:
            return self
        return replace(self, seconds=seconds, deadline=end)


UNLIMITED = Context()
"""No limit, no progress: the default of functions that take a context."""
