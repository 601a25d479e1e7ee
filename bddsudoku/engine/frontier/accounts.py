"""Accounts of memory and states, kept within the limits of a question."""

from __future__ import annotations

from time import perf_counter
from typing import Any, NoReturn

from bddsudoku.limits import Limits
from bddsudoku.work.memory import memory_to_use

__all__ = ["Accounts"]


class Accounts:
    """Accounts of the big arrays; growth is asked for before it happens.

    Args:
        limits: memory (by default :func:`~bddsudoku.work.memory.memory_to_use`) and time.
        states: states of all levels together.
    """

    def __init__(self, limits: Limits | None = None, states: int | None = None) -> None:
        self.limits = limits or Limits()
        memory = self.limits.memory
        self.memory = memory_to_use() if memory is None else memory
        self.states = states
        self.began = perf_counter()
        self.bytes = 0
        self.peak = 0
        self.trace: Any = None
        self._level = 0
        self._states = 0

    def at(self, level: int, states: int) -> None:
        """Note where the work stands, for the message."""
        self._level, self._states = level, states

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return perf_counter() - self.began

    def take(self, size: int) -> None:
        """Book an array that exists now."""
        self.check(size)
        self.bytes += size
        self.peak = max(self.peak, self.bytes)

    def free(self, size: int) -> None:
        """Book an array out."""
        self.bytes -= size

    def check(self, more: int) -> None:
        """Refuse to hold ``more`` bytes on top of those booked."""
        if self.memory is not None and self.bytes + more > self.memory:
            self._stop(
                "memory",
                f"{self.bytes + more:,} bytes needed, {self.memory:,} allowed",
                self.bytes + more,
            )
        self.peak = max(self.peak, self.bytes + more)

    def check_states(self, total: int) -> None:
        """Refuse more states than allowed."""
        if self.states is not None and total > self.states:
            self._stop("states", f"{total:,} states, {self.states:,} allowed", self.bytes)

    def check_time(self) -> None:
        """Refuse to go on past the time limit."""
        if self.limits.expired:
            self._stop("time", "", self.bytes)

    def _stop(self, limit: str, what: str, size: int) -> NoReturn:
        where = f"at level {self._level} ({self._states:,} states there)"
        stop = self.limits.reached(
            f"{where}: {what}" if what else where, limit=limit, trace=self.trace
        )
        stop.details |= {
            "level": self._level,
            "states": self._states,
            "bytes": size,
            "seconds": self.seconds,
        }
        raise stop
