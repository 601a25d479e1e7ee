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

_MEMORY_FRACTION = 0.85
"""Fraction of the available memory that is used without a limit; the rest is left to others."""


def available_memory(root: str | Path = "/") -> int | None:
    """Bytes that this process could allocate now; None if unknown.

    This is the available memory of the host, or what the limits of the process's control groups
    (a container's limit, say) leave, if that is less. Takes half a millisecond.

    Args:
        root: the folder that contains ``proc`` and ``sys``.
    """
    least = _available_host_memory(Path(root))
    for folder, (limit, use, cache) in _control_groups(Path(root)):
        most, taken = _read_number(folder / limit), _read_number(folder / use)
        if most is None or taken is None or (least is not None and most - taken >= least):
            continue
        # The page cache is released when memory is needed.
        left = max(most - taken + _read_numbers_by_name(folder / "memory.stat").get(cache, 0), 0)
        least = left if least is None else min(least, left)
    return least


def memory_allowance(upper_bound: int | None = None) -> int | None:
    """A memory limit in bytes: 85 % of the available memory, or an upper bound if that is less.

    Args:
        upper_bound: of the result; None for no bound (then the result is None if unknown).
    """
    free = available_memory()
    if free is None:
        return upper_bound
    portion = int(free * _MEMORY_FRACTION)
    return portion if upper_bound is None else min(upper_bound, portion)


def unused_memory(memory_limit: int) -> int:
    """Bytes of a memory limit that this process does not use yet; at least 0."""
    return max(memory_limit - (resident_memory("self") or 0), 0)


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


def _available_host_memory(root: Path) -> int | None:
    """Available memory of the host in bytes, else its total memory; None if both are unknown."""
    available = _read_numbers_by_name(root / "proc/meminfo").get("MemAvailable:")
    if available is not None:
        return available * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


_CGROUP_1_FILES = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
_CGROUP_2_FILES = "memory.max", "memory.current", "inactive_file"
"""A control group's files with its limit and its use, and the page cache's name in memory.stat."""


def _control_groups(root: Path) -> Iterator[tuple[Path, tuple[str, str, str]]]:
    """Yield the folders of this process's control groups, with the names of their memory files.

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
        names = _CGROUP_1_FILES if controllers else _CGROUP_2_FILES
        # A container sees its own group as the topmost, though its name may be that of the host:
        # what does not exist there has no limit.
        parts = [part for part in name.split("/") if part not in ("", "..")]
        for length in range(len(parts), -1, -1):
            yield top.joinpath(*parts[:length]), names


def _read_number(path: Path) -> int | None:
    """The number that a file contains; None without such a file, or for the word "max"."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _read_numbers_by_name(path: Path) -> dict[str, int]:
    """Read a file of lines with a name and a number as a dictionary; empty if it is missing."""
    try:
        words = [line.split() for line in path.read_text(encoding="ascii").splitlines()]
    except OSError:
        return {}
    return {line[0]: int(line[1]) for line in words if len(line) > 1 and line[1].isdecimal()}


_thread_limit: ContextVar[int | None] = ContextVar("most threads", default=None)
"""Bound of the threads that this thread may start. A pool's threads begin without one, so a pool
is sized before it starts, and its threads start no others (``tests/solver/test_threads.py``)."""


def available_threads() -> int:
    """Number of threads that may be started: the limit of :func:`limit_threads`, else all cores."""
    if (limit := _thread_limit.get()) is not None:
        return limit
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def limit_threads(max_threads: int) -> Iterator[None]:
    """In a with block, limit how many threads the current thread may start."""
    before = _thread_limit.set(max_threads)
    try:
        yield
    finally:
        _thread_limit.reset(before)


MAX_SLICE = 1024
"""Maximum number of boards in a slice: some milliseconds of work on most lists."""
MIN_SLICE = 8
"""Minimum number of boards in a slice, except the last: half a millisecond of work even on the
hardest boards, which bounds how long the other threads wait at the end."""

CheckPoint = Callable[[], None]
"""A function that is called regularly during work, and raises if the work is to end."""


class _Stopped(Exception):
    """Raised in a thread to end it, when another thread has failed or the caller has stopped."""


def _shrinking_slice_ranges(size: int, threads: int, max_slice: int) -> list[tuple[int, int]]:
    """Divide a list into slices that shrink towards its end, so that all threads end together."""
    least = max(1, min(MIN_SLICE, max_slice, size // (4 * threads)))
    begin, pieces = 0, []
    while begin < size:
        portion = max_slice if threads == 1 else (size - begin) // (2 * threads)
        end = min(begin + max(least, min(max_slice, portion)), size)
        pieces.append((begin, end))
        begin = end
    return pieces


def run_slices(
    size: int,
    work: Callable[[int, int, CheckPoint], None],
    *,
    max_slice: int = MAX_SLICE,
    jobs: int | None = None,
    context: Context = UNLIMITED,
) -> None:
    """Process slices of a list of ``size`` elements on several threads.

    Args:
        size: length of the list.
        work: called as ``work(begin, end, check_stop)`` to process a slice; it calls ``check_stop``
            about every 10 ms, which raises an error if the work is to end.
        max_slice: maximum size of a slice.
        jobs: threads; by default one for each core, as far as there is work for them.

    Raises:
        LimitReached: the time is used up.
    """
    threads = max(1, min(jobs or available_threads(), size))
    report = context.check_and_report
    pieces = iter(_shrinking_slice_ranges(size, threads, max_slice))
    finished = [0] * threads
    stopped = False

    def report_progress() -> None:
        report(sum(finished), size)

    def check_stop() -> None:
        if stopped:
            raise _Stopped

    def worker(number: int, check_stop: CheckPoint) -> None:
        for begin, end in pieces:  # the next of a shared iterator is one step under the GIL
            work(begin, end, check_stop)
            finished[number] += end - begin
            check_stop()

    if threads == 1:
        worker(0, report_progress)
        return
    with ThreadPoolExecutor(threads - 1) as pool:
        try:
            running = [pool.submit(worker, number, check_stop) for number in range(1, threads)]
            worker(0, report_progress)  # this thread works, too
            while True:
                done, left = wait(running, timeout=0.05, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if not left:
                    break
                report_progress()
        finally:
            stopped = True
