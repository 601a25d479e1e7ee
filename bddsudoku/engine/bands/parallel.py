"""Running kernels on threads: they release the GIL; the caller's thread watches.

The watching thread wakes several times a second, so progress is reported, Ctrl-C is heard, and
whatever the progress callback raises ends the run.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from bddsudoku.work.cores import available_threads

__all__ = ["Team", "alone"]


def alone(kernel: Callable[..., None], calls: list[tuple[Any, ...]]) -> None:
    """Call a kernel with each tuple of arguments, on the caller's thread."""
    for call in calls:
        kernel(*call)


class Team:
    """A number of threads.

    Attributes:
        threads: how many.
        stop: one int64 that kernels look at; non-zero asks them to return early.
        done: (threads,) int64, counters for kernels that report their progress.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = max(1, threads or available_threads())
        self.stop = np.zeros(1, dtype=np.int64)
        self.done = np.zeros(self.threads, dtype=np.int64)

    def run(
        self,
        kernel: Callable[..., None],
        calls: list[tuple[Any, ...]],
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        """Call a kernel with each tuple of arguments, on all threads, watching meanwhile."""
        queue = iter(calls)
        if len(calls) < 2:
            for call in queue:
                kernel(*call)
            return

        def worker(_: int) -> None:
            # next() on a shared list iterator is one step under the GIL.
            for call in queue:
                if self.stop[0]:
                    return
                kernel(*call)

        self.each(worker, watch)

    def each(self, worker: Callable[[int], None], watch: Callable[[], None]) -> None:
        """Run ``worker(thread)`` once on every thread; call `watch` now and then meanwhile."""
        self.stop[0] = 0
        with ThreadPoolExecutor(self.threads, "bands") as pool:
            futures = [pool.submit(worker, n) for n in range(self.threads)]
            pending = set(futures)
            try:
                while pending:
                    _, pending = wait(pending, timeout=0.1, return_when=FIRST_EXCEPTION)
                    for future in futures:
                        if future.done() and future.exception() is not None:
                            self.stop[0] = 1
                    watch()
            except BaseException:
                self.stop[0] = 1
                raise
        for future in futures:
            future.result()
