"""Hash tables of states on flat arrays.

A table holds the states of one level. A state's hash determines its slot (low bits) and a tag (high
half) that decides nearly every comparison without reading the state itself. States are numbered in
order of arrival.

:class:`ResourceAccounts` keeps the engine within its limits of memory and time.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NoReturn

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.decorators import U64
from bddsudoku.work.resources import memory_allowance

MAX_STATES = (1 << 32) - 1
"""States of a level, at most: their numbers have 32 bits, and a slot holds the next one."""

_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_S32 = np.uint64(32)
_S29 = np.uint64(29)
_TAG = np.uint64(0xFFFFFFFF00000000)
_LOW = np.uint64(0xFFFFFFFF)


@inlined
def hash_row(rows, row, words):  # type: ignore[no-untyped-def]
    """Hash the first ``words`` words of a row to 64 bits."""
    h = _SEED
    for w in range(words):
        h = (h ^ rows[row, w]) * _M1
        h ^= h >> _S32
    h *= _M2
    return h ^ (h >> _S29)


@kernel
def add_states(rows, to, level, size, key, slots, keys, target):  # type: ignore[no-untyped-def]
    """Insert the children of one level that are new; write the state of each to ``target``.

    Args:
        rows: uint64 (any, at least words); the children.
        to: int64; their levels.
        level: those of this level are looked at.
        size: number of states present.
        key: how many words of a state decide equality.
        slots: uint64, a power of two long, at most 2/3 full afterwards; 0 is free, else tag and
            number + 1.
        keys: uint64 (capacity, words); the states by number.
        target: uint32; ``target[row]`` becomes the number of the state.

    Returns:
        Number of states present afterwards.
    """
    words = keys.shape[1]
    mask = np.uint64(slots.shape[0] - 1)
    one = np.uint64(1)
    for row in range(len(to)):
        if to[row] != level:
            continue
        h = hash_row(rows, row, key)
        tag = h & _TAG
        slot = h & mask
        while True:
            entry = slots[slot]
            if entry == 0:
                for w in range(words):
                    keys[size, w] = rows[row, w]
                number = size
                size += 1
                slots[slot] = tag | np.uint64(size)
                break
            if entry & _TAG == tag:
                number = np.int64(entry & _LOW) - 1
                same = True
                for w in range(key):
                    if keys[number, w] != rows[row, w]:
                        same = False
                        break
                if same:
                    break
            slot = (slot + one) & mask
        target[row] = np.uint32(number)
    return size


@kernel
def _fill_hash_table(slots, keys, key_words, size):  # type: ignore[no-untyped-def]
    """Insert the first ``size`` rows of ``keys`` into an empty hash table."""
    mask = np.uint64(slots.shape[0] - 1)
    one = np.uint64(1)
    for number in range(size):
        h = hash_row(keys, number, key_words)
        slot = h & mask
        while slots[slot] != 0:
            slot = (slot + one) & mask
        slots[slot] = (h & _TAG) | np.uint64(number + 1)


class StateTable:
    """Hash table of the states of one level, until the level has been expanded.

    Args:
        words: number of 64-bit words of a state.
        key: how many of them decide equality.

    Attributes:
        size: number of states.
        keys: uint64 (capacity, words); the states.
        slots: see :func:`add_states`.
    """

    def __init__(self, words: int, key: int) -> None:
        self.key = key
        self.size = 0
        self.keys: U64 = np.empty((0, words), np.uint64)
        self.slots: U64 = np.zeros(0, np.uint64)

    @property
    def nbytes(self) -> int:
        """Memory of keys and slots in bytes."""
        return self.keys.nbytes + self.slots.nbytes

    def reserve(self, more: int, accounts: ResourceAccounts) -> None:
        """Enlarge the table so that ``more`` states can be inserted, if the limits allow it."""
        need = self.size + more
        if need > MAX_STATES:
            raise LimitReached(
                f"a level has more than {MAX_STATES:,} states", limit="states", trace=accounts.trace
            )
        words = self.keys.shape[1]
        if need > len(self.keys):
            capacity = max(need, len(self.keys) * 3 // 2, 64)
            accounts.check_memory(8 * capacity * words)
            grown = np.empty((capacity, words), np.uint64)
            grown[: self.size] = self.keys[: self.size]
            accounts.book(grown.nbytes - self.keys.nbytes)
            self.keys = grown
        slots = 1 << max(7, (3 * need // 2).bit_length())
        if slots > len(self.slots):
            accounts.book(8 * (slots - len(self.slots)))
            self.slots = np.zeros(slots, np.uint64)
            _fill_hash_table(self.slots, self.keys, self.key, self.size)


class ResourceAccounts:
    """Account of the memory of large arrays, which checks the limits of memory and time.

    The memory limit is the context's, by default
    :func:`~bddsudoku.work.resources.memory_allowance`.

    Attributes:
        bytes: memory booked now.
        peak: greatest memory booked or requested so far.
        trace: finished levels, handed over with the error when a limit is reached.
    """

    def __init__(self, context: Context = UNLIMITED) -> None:
        self.context = context
        self.memory: int | None = (
            memory_allowance() if context.max_memory is None else context.max_memory
        )
        self.began: float = perf_counter()
        self.bytes: int = 0
        self.peak: int = 0
        self.trace: Any = None
        self._level = 0
        self._states = 0

    def note_level(self, level: int, states: int) -> None:
        """Record the current level and its states, for the error message."""
        self._level, self._states = level, states

    def book(self, size: int) -> None:
        """Add ``size`` bytes of a new array to the memory account; raises beyond the limit."""
        self.check_memory(size)
        self.bytes += size
        self.peak = max(self.peak, self.bytes)

    def release(self, size: int) -> None:
        """Subtract the ``size`` bytes of a freed array."""
        self.bytes -= size

    def check_memory(self, more: int) -> None:
        """Raise LimitReached if ``more`` bytes besides the booked ones exceed the limit."""
        size = self.bytes + more
        if self.memory is not None and size > self.memory:
            self._raise_limit_error(
                "memory", f": {size:,} bytes needed, {self.memory:,} allowed", size
            )
        self.peak = max(self.peak, size)

    def check_time(self) -> None:
        """Raise LimitReached after the time limit."""
        if self.context.is_expired:
            self._raise_limit_error("time", "", self.bytes)

    def _raise_limit_error(self, limit: str, reason: str, size: int) -> NoReturn:
        where = f"at level {self._level} ({self._states:,} states there)"
        stop = self.context.limit_error(where + reason, limit=limit, trace=self.trace)
        stop.details |= {
            "level": self._level,
            "states": self._states,
            "bytes": size,
            "seconds": perf_counter() - self.began,
        }
        raise stop
