"""Hash tables of states on flat arrays, cut into partitions so that threads never share one.

A table holds the states of one level. A state's hash determines its partition (top 2 bits), its
slot (low bits) and a tag (high half) that decides nearly every comparison without reading the state
itself. Within a partition states are numbered in order of arrival, which depends on the order of
the children alone, never on the number of threads.

:class:`ResourceAccounts` keeps the engine within its limits of memory and time.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, NamedTuple, NoReturn

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.decorators import I64, U32, U64
from bddsudoku.work.resources import memory_allowance

BUCKET_BITS = 2
LOCAL_BITS = 32 - BUCKET_BITS
"""Bits of a state's number in its partition. A state's 32-bit *name* in its level is that number
times the number of partitions, plus the partition. Arrays indexed by name have a few unused entries
where partitions are of unequal size."""

_M1 = np.uint64(0xFF51AFD7ED558CCD)
_M2 = np.uint64(0xC4CEB9FE1A85EC53)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_S32 = np.uint64(32)
_S29 = np.uint64(29)
_TAG = np.uint64(0xFFFFFFFF00000000)
_LOW = np.uint64(0xFFFFFFFF)
_PARTITION_SHIFT = np.uint64(64 - BUCKET_BITS)


@inlined
def hash_row(rows, row, words):  # type: ignore[no-untyped-def]
    """Hash the first ``words`` words of a row to 64 bits."""
    h = _SEED
    for w in range(words):
        h = (h ^ rows[row, w]) * _M1
        h ^= h >> _S32
    h *= _M2
    return h ^ (h >> _S29)


@inlined
def partition_of(hash_value):  # type: ignore[no-untyped-def]
    """The number of the table's partition that a state with a given hash belongs to."""
    return np.int64(hash_value >> _PARTITION_SHIFT)


class Partition(NamedTuple):
    """One partition of a :class:`StateTable`, as the kernel reads it.

    Attributes:
        number: number of the partition.
        partitions: number of partitions of the table.
        size: number of states present.
        key: how many words of a state decide equality.
        slots: uint64, a power of two long, kept at most 2/3 full by the caller; 0 is free, else
            tag and number + 1.
        keys: uint64 (capacity, words); the states by number.
    """

    number: int
    partitions: int
    size: int
    key: int
    slots: U64
    keys: U64


@kernel
def add_states(children, order, begin, end, into, target):  # type: ignore[no-untyped-def]
    """Insert the children that are new; write the state number of each child to ``target``.

    Args:
        children: uint64 (any, at least words).
        order: uint32; rows of ``children``, in the order in which they are inserted.
        into: a :class:`Partition` with capacity for ``end - begin`` more states.
        target: uint32; ``target[row]`` becomes the name of the state.

    Returns:
        Number of states present afterwards.
    """
    partition, partitions, size, key, slots, keys = into
    words = keys.shape[1]
    mask = np.uint64(slots.shape[0] - 1)
    one = np.uint64(1)
    for at in range(begin, end):
        row = order[at]
        h = hash_row(children, row, key)
        tag = h & _TAG
        slot = h & mask
        while True:
            entry = slots[slot]
            if entry == 0:
                for w in range(words):
                    keys[size, w] = children[row, w]
                number = size
                size += 1
                slots[slot] = tag | np.uint64(size)
                break
            if entry & _TAG == tag:
                number = np.int64(entry & _LOW) - 1
                same = True
                for w in range(key):
                    if keys[number, w] != children[row, w]:
                        same = False
                        break
                if same:
                    break
            slot = (slot + one) & mask
        target[row] = np.uint32(number * partitions + partition)
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
        partitions: 1 for a level that is expected to stay small, else ``2 ** BUCKET_BITS``.
    """

    def __init__(self, words: int, key: int, partitions: int) -> None:
        self.words = words
        self.key = key
        self.partitions = partitions
        self.sizes: I64 = np.zeros(partitions, np.int64)
        self.keys: list[U64] = [np.empty((0, words), np.uint64) for _ in range(partitions)]
        self.slots: list[U64] = [np.zeros(0, np.uint64) for _ in range(partitions)]

    @property
    def state_count(self) -> int:
        """Number of states inserted so far."""
        return int(self.sizes.sum())

    @property
    def nbytes(self) -> int:
        """Memory of keys and slots in bytes."""
        return sum(k.nbytes for k in self.keys) + sum(s.nbytes for s in self.slots)

    def growth_bytes(self, partition: int, more: int) -> int:
        """Bytes that :meth:`reserve` would allocate for ``more`` states; 0 if there is room."""
        keys, slots = self._new_capacities(partition, more)
        return keys * self.words * 8 + slots * 8

    def _new_capacities(self, partition: int, more: int) -> tuple[int, int]:
        """New capacities of keys and slots for ``more`` states; 0 where the old ones suffice."""
        need = int(self.sizes[partition]) + more
        keys = len(self.keys[partition])
        slots = len(self.slots[partition])
        new_keys = 0 if need <= keys else max(need, keys + keys // 2, 64)
        new_slots = 0
        if 3 * need > 2 * slots:
            new_slots = max(128, slots)
            while 3 * need > 2 * new_slots:
                new_slots *= 2
        return new_keys, new_slots

    def reserve(self, partition: int, more: int) -> None:
        """Enlarge one partition of the table so that ``more`` states can be inserted."""
        keys, slots = self._new_capacities(partition, more)
        size = int(self.sizes[partition])
        if keys:
            grown = np.empty((keys, self.words), np.uint64)
            grown[:size] = self.keys[partition][:size]
            self.keys[partition] = grown
        if slots:
            fresh = np.zeros(slots, np.uint64)
            _fill_hash_table(fresh, self.keys[partition], self.key, size)
            self.slots[partition] = fresh

    def add(
        self, partition: int, children: U64, order: U32, begin: int, end: int, target: U32
    ) -> None:
        """Find or insert children in one partition of the table; there must be room for them."""
        into = Partition(
            partition,
            self.partitions,
            int(self.sizes[partition]),
            self.key,
            self.slots[partition],
            self.keys[partition],
        )
        self.sizes[partition] = add_states(children, order, begin, end, into, target)

    @property
    def state_name_bound(self) -> int:
        """A bound below which all names lie."""
        return self.partitions * int(self.sizes.max())


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
