"""Pieces of a list worked on side by side, by threads whose kernels run without the GIL.

How many threads the work may keep busy: all cores, or fewer where others work beside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar

from bddsudoku.context import UNLIMITED, Context

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


PIECE = 1024
"""Boards at most that a thread takes at a time: some milliseconds of work on most lists."""
LEAST = 8
"""And at least, if there are so many left: a thread does these in half a millisecond even of the
hardest, and so long the others may have to wait at the end."""

Pause = Callable[[], None]
"""Called between two slices of work; raises if the work is to end."""


class _Stopped(Exception):
    """Raised in a thread when another has failed, or the caller gives up."""


def _cut(size: int, threads: int, most: int) -> list[tuple[int, int]]:
    """Pieces, the last ones shorter and shorter: all threads are to end at about the same time."""
    least = max(1, min(LEAST, most, size // (4 * threads)))
    begin, pieces = 0, []
    while begin < size:
        share = most if threads == 1 else (size - begin) // (2 * threads)
        end = min(begin + max(least, min(most, share)), size)
        pieces.append((begin, end))
        begin = end
    return pieces


def each_piece(
    size: int,
    work: Callable[[int, int, Pause], None],
    *,
    most: int = PIECE,
    jobs: int | None = None,
    context: Context = UNLIMITED,
) -> None:
    """Call ``work(begin, end, pause)`` for pieces of a list, until all of it is done.

    Args:
        size: of the list.
        work: does a piece; calls ``pause`` every 10 ms or so.
        most: of a piece.
        jobs: threads; by default one for each core, as far as there is work for them.

    Raises:
        LimitReached: the time is used up.
    """
    threads = max(1, min(jobs or available_threads(), size))
    watch = context.report
    pieces = iter(_cut(size, threads, most))
    finished = [0] * threads
    stopped = False

    def told() -> None:
        watch(sum(finished), size)

    def pause() -> None:
        if stopped:
            raise _Stopped

    def worker(number: int, pause: Pause) -> None:
        for begin, end in pieces:  # the next of a shared iterator is one step under the GIL
            work(begin, end, pause)
            finished[number] += end - begin
            pause()

    if threads == 1:
        worker(0, told)
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        try:
            running = [pool.submit(worker, number, pause) for number in range(1, threads)]
            worker(0, told)  # this thread works, too
            while True:
                done, left = wait(running, timeout=0.05, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if not left:
                    break
                told()
        finally:
            stopped = True
