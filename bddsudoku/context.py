"""Limits of one computation (memory, time, nodes, search steps), and its progress callback.

A :class:`Context` is plain data and can be pickled: its deadline is a reading of the host's
monotonic clock, which all processes of the host share. One object covers a whole command or call
from its start; a function that is called later gets the time that remains.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, Self, TypedDict, runtime_checkable
from warnings import warn

from bddsudoku.argument_types import check_types
from bddsudoku.errors import LimitReached
from bddsudoku.number_text import parse_duration, parse_size

__all__ = ["UNLIMITED", "Context", "Limits", "Progress", "ProgressBar", "SharedLimits"]

Progress = Callable[[float, float], None]
"""A callback for the progress of long work, called with (done, total); it may raise to end it."""
Found = Callable[[int, Any], None]
"""A callback for what is known of a count that is not finished: at least how many solutions there
are, and an :class:`~bddsudoku.engine.estimate.Estimate` or None; it may raise to end the count."""


@runtime_checkable
class ProgressBar(Protocol):
    """A progress bar such as one of tqdm, accepted in place of a callback."""

    total: Any
    n: Any

    def update(self, n: float, /) -> object:
        """Count ``n`` further steps, and redraw the bar if the last drawing is old."""

    def refresh(self) -> object:
        """Draw the bar now."""


def progress_callback(progress: Progress | ProgressBar | None) -> Progress | None:
    """The callback that moves a progress bar; a callback, or None, is returned unchanged."""
    if progress is None or callable(progress):
        return progress
    bar = progress

    def move(done: float, total: float) -> None:
        bar.total, bar.n = total, done
        bar.refresh() if done >= total else bar.update(0)

    return move


MemoryCheck = Callable[[int], None]
"""A callback for memory, called with the bytes taken since the last call; it may raise."""


def _new_name(name: str, error: type[Exception]) -> str:
    """The name that a member of a context has now; an error if it never had that name."""
    if name not in _NEW_NAMES:
        raise error(f"a Context has no {name!r}")
    what = f"Context: {name!r} is called {_NEW_NAMES[name]!r}"
    warn(what, DeprecationWarning, stacklevel=3)
    return _NEW_NAMES[name]


_NEW_NAMES = {"memory": "max_memory", "seconds": "time_limit"}
"""Names up to 2.0, which go in 2.2, and what to write instead."""


@dataclass(frozen=True, slots=True, init=False)
class Context:
    """Limits of memory, time, nodes and search steps for one computation; None is no limit.

    Attributes:
        max_memory: bytes; as an argument also a text such as ``2GiB``.
        time_limit: seconds, as the user set them; as an argument also a text such as ``3s``.
        nodes: nodes of a decision diagram while it is built.
        work: steps of a search, counted by the search itself, each a nanosecond or so. Portfolios
            and probes are bounded by steps, never by the clock, so that the choice, and with it
            the order of a set and its samples, is the same on any host.
        deadline: the reading of :func:`time.monotonic` at which the time is used up; by default
            ``time_limit`` after this object was made.
        progress: the callback for progress, or None.
        found: the callback for what is known of an unfinished count, or None.
    """

    max_memory: int | None = None
    time_limit: float | None = None
    nodes: int | None = None
    work: int | None = None
    deadline: float | None = None
    progress: Progress | None = None
    found: Found | None = None

    @check_types
    def __init__(
        self,
        max_memory: float | str | None = None,
        time_limit: float | str | None = None,
        nodes: int | None = None,
        work: int | None = None,
        deadline: float | None = None,
        progress: Progress | None = None,
        found: Found | None = None,
        **old: Any,
    ) -> None:
        values = (max_memory, time_limit, nodes, work, deadline, progress, found)
        for name, value in zip(self.__match_args__, values, strict=True):
            object.__setattr__(self, name, value)
        for name, value in old.items():
            object.__setattr__(self, _new_name(name, TypeError), value)
        self.__post_init__()

    def __post_init__(self) -> None:
        for name, parse in (("max_memory", parse_size), ("time_limit", parse_duration)):
            limit = getattr(self, name)
            if isinstance(limit, str):
                object.__setattr__(self, name, parse(limit))
        if self.deadline is None and self.time_limit is not None:
            object.__setattr__(self, "deadline", time.monotonic() + self.time_limit)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return getattr(self, _new_name(name, AttributeError))

    def __reduce__(self) -> tuple[object, ...]:
        # A callback cannot be pickled, and stays in its process.
        return type(self), (
            self.max_memory,
            self.time_limit,
            self.nodes,
            self.work,
            self.deadline,
        )

    def with_progress(self, progress: Progress | ProgressBar | None) -> Self:
        """Return the same limits with progress reported to a callback or a tqdm bar."""
        return replace(self, progress=progress_callback(progress))

    @property
    def without_progress(self) -> Self:
        """The same limits without a callback for progress."""
        return self if self.progress is None else replace(self, progress=None)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline; None without a time limit.

        Raises:
            LimitReached: the deadline has passed.
        """
        left = None if self.deadline is None else self.deadline - time.monotonic()
        if self.is_expired or (left is not None and left <= 0):
            raise self.limit_error()
        return left

    @property
    def is_expired(self) -> bool:
        """Whether the time is used up."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def check(self, stage: str = "", *, work: int = 0, memory: int = 0) -> None:
        """Raise LimitReached if the time is used up, or if given steps or bytes exceed a limit.

        Args:
            stage: where the work stands, for messages.
            work: search steps so far.
            memory: bytes taken by tables of constraints.

        Raises:
            LimitReached: a limit is reached.
        """
        if self.is_expired:
            raise self.limit_error(stage)
        if self.work is not None and work >= self.work:
            raise self.limit_error(stage, limit="work")
        if self.max_memory is not None and memory > self.max_memory:
            reason = (
                f"by tables of constraints: {memory:,} bytes needed, {self.max_memory:,} allowed"
            )
            raise self.limit_error(reason, limit="memory")

    def memory_checker(self) -> MemoryCheck:
        """Return a callback that adds up the bytes taken and checks the sum against the limit."""
        total_bytes = 0

        def check(added_bytes: int) -> None:
            nonlocal total_bytes
            total_bytes += added_bytes
            self.check(memory=total_bytes)

        return check

    def limit_error(
        self, stage: str = "", *, limit: str = "time", trace: object = None
    ) -> LimitReached:
        """Make the :class:`LimitReached` error for the time limit, or for another named limit."""
        amount = (
            f" of {self.time_limit:g} s" if limit == "time" and self.time_limit is not None else ""
        )
        message = f"{limit} limit{amount} reached"
        return LimitReached(f"{message} {stage}" if stage else message, limit=limit, trace=trace)

    def check_and_report(self, done: float, total: float) -> None:
        """Check the time limit, then report progress.

        Raises:
            LimitReached: the time is used up.
        """
        self.check()
        self.report_progress(done, total)

    def report_progress(self, done: float, total: float) -> None:
        """Report progress to the callback, if there is one."""
        if self.progress is not None:
            self.progress(done, total)

    @check_types
    def report_found(self, number: int, estimate: Any = None) -> None:
        """Report that there are at least so many solutions, with an estimate if there is one."""
        if self.found is not None:
            self.found(number, estimate)

    @check_types
    def time_slice(self, parts: int) -> Self:
        """Return a copy of this context whose time is the remaining time divided by ``parts``.

        An error at the end of a slice still names the whole limit.
        """
        left = self.seconds_left
        if left is None:
            return self
        return replace(self, deadline=time.monotonic() + left / max(parts, 1))

    @check_types
    def with_time_reserve(self, seconds: float) -> Self:
        """Return a copy that ends earlier by ``seconds``, or by a quarter of the time left if less.

        The reserve is time to write the results; messages still name the whole limit.
        """
        left = self.seconds_left
        if left is None:
            return self
        return replace(self, deadline=time.monotonic() + left - min(seconds, left / 4))

    @check_types
    def with_timeout(self, seconds: float | None) -> Self:
        """Return a copy with a time limit of ``seconds`` that ends no later than this context."""
        if seconds is None:
            return self
        end = time.monotonic() + seconds
        if self.deadline is not None and self.deadline <= end:
            return self
        return replace(self, time_limit=seconds, deadline=end)

    @check_types
    def with_work(self, steps: float) -> Self:
        """Return a copy with a limit of search steps."""
        return replace(self, work=int(min(steps, 1e18)))


UNLIMITED = Context()
"""A context without limits and progress: the default of functions that take a context."""


class TimeAndMemory(TypedDict, total=False):
    """Limits of one question, as keywords of its function.

    Attributes:
        max_memory: bytes, or a text such as ``2GiB``; where a question is divided among processes
            or workers, of each.
        time_limit: seconds for everything, or a text such as ``3s``.
    """

    max_memory: float | str | None
    time_limit: float | str | None


class Limits(TimeAndMemory, total=False):
    """Limits of one question and its progress, as keywords of its function.

    Attributes:
        progress: called with (done, total); or a progress bar of tqdm, which is moved.
    """

    progress: Progress | ProgressBar | None


class SharedLimits(Limits, total=False):
    """Limits of one question, and those that it shares with others.

    Attributes:
        context: limits of several questions together; of two limits the lower one counts.
    """

    context: Context


@check_types
def limited(
    context: Context = UNLIMITED,
    *,
    max_memory: float | str | None = None,
    time_limit: float | str | None = None,
    progress: Progress | ProgressBar | None = None,
) -> Context:
    """The limits of a context, where keywords (:class:`Limits`) set none that are lower.

    Raises:
        ValueError: a limit is negative, or no number.
    """
    if max_memory is None and time_limit is None and progress is None:
        return context
    own = Context(max_memory, time_limit)
    for name, limit in (("max_memory", own.max_memory), ("time_limit", own.time_limit)):
        if limit is not None and not limit >= 0:
            raise ValueError(f"expected 0 or more as {name}, found {limit}")
    most = [n for n in (context.max_memory, own.max_memory) if n is not None]
    context = replace(context, max_memory=min(most, default=None)).with_timeout(own.time_limit)
    return context if progress is None else context.with_progress(progress)
