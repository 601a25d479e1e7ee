"""Memory and threads that this process may use, and the parallel processing of a list in slices.

The memory is limited by the host and by the container. The threads are as many as the cores, or
fewer where several processes share them. Kernels run without the GIL.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from bddsudoku.context import UNLIMITED, Context

_SHARE = 0.85
"""Fraction of the available memory that is used without a limit; the rest is left to others."""


def available_memory(root: str | Path = "/") -> int | None:
    """Bytes that this process could allocate now; None if unknown.

    This is the available memory of the host, or what the limits of the process's control groups
    (a container's limit, say) leave, if that is less. Takes half a millisecond.

    Args:
        root: the folder that contains ``proc`` and ``sys``.
    """
    least = _of_machine(Path(root))
    for folder, (limit, use, cache) in _groups(Path(root)):
        most, taken = _number(folder / limit), _number(folder / use)
        if most is None or taken is None or (least is not None and most - taken >= least):
            continue
        # The page cache is released when memory is needed.
        left = max(most - taken + _fields(folder / "memory.stat").get(cache, 0), 0)
        least = left if least is None else min(least, left)
    return least


def memory_to_use(most: int | None = None) -> int | None:
    """Bytes that work may use without a memory limit: 85 % of the available memory.

    Args:
        upper_bound: of the result; None for no bound (then the result is None if unknown).
    """
    free = available_memory()
    if free is None:
        return most
    share = int(free * _SHARE)
    return share if most is None else min(most, share)


def memory_left(memory: int) -> int:
    """Bytes of a limit for this whole process that are not in use yet."""
    return max(memory - (resident_memory("self") or 0), 0)


def resident_memory(process: str) -> int | None:
    """Size of the resident set of a process in bytes; None if unknown.

    Args:
        process: its number, or ``self``.
    """
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _of_machine(root: Path) -> int | None:
    told = _fields(root / "proc/meminfo").get("MemAvailable:")
    if told is not None:
        return told * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


_OF_CGROUP_1 = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
_OF_CGROUP_2 = "memory.max", "memory.current", "inactive_file"
"""A control group's files with its limit and its use, and the page cache's name in memory.stat."""


def _groups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """The folders of this process's control groups and their ancestors, with the files' names.

    See https://docs.kernel.org/admin-guide/cgroup-v2.html and …/cgroup-v1/memory.html.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        names = _OF_CGROUP_1 if controllers else _OF_CGROUP_2
        # A container sees its own group as the topmost, though its name may be that of the host:
        # what does not exist there has no limit.
        parts = [part for part in name.split("/") if part not in ("", "..")]
        for length in range(len(parts), -1, -1):
            yield top.joinpath(*parts[:length]), names


def _number(path: Path) -> int | None:
    """The number that a file contains; None without such a file, or for the word "max"."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _fields(path: Path) -> dict[str, int]:
    """A file's lines of a name and a number as a dictionary; empty without such a file."""
    try:
        words = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    except OSError:
        return {}
    return {line[0]: int(line[1]) for line in words if len(line) > 1 and line[1].isdecimal()}


_most: ContextVar[int | None] = ContextVar("most threads", default=None)
"""Bound of the threads that this thread may start. A pool's threads begin without one, so a pool
is sized before it starts, and its threads start no others (``tests/solver/test_threads.py``)."""


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_threads() -> int:
    """Number of threads that this thread may start: the bound of :func:`threads`, or all cores."""
    return _most.get() or cores()


@contextmanager
def threads(most: int) -> Iterator[None]:
    """Limit the threads that this thread starts within the block."""
    before = _most.set(most)
    try:
        yield
    finally:
        _most.reset(before)


PIECE = 1024
"""Maximum number of boards in a slice: some milliseconds of work on most lists."""
LEAST = 8
"""Minimum number of boards in a slice, except the last: half a millisecond of work even on the
hardest boards, which bounds how long the other threads wait at the end."""

Pause = Callable[[], None]
"""A function that is called regularly during work, and raises if the work is to end."""


class _Stopped(Exception):
    """Raised in a thread to end it, when another thread has failed or the caller has stopped."""


def _cut(size: int, threads: int, most: int) -> list[tuple[int, int]]:
    """Ranges of a list, shorter towards its end, so that all threads end at about the same time."""
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
    """Call ``work(begin, end, pause)`` for all slices of a list, on several threads.

    Args:
        size: length of the list.
        work: processes a slice; calls ``pause`` about every 10 ms.
        max_slice: maximum size of a slice.
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
