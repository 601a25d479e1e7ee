"""Tasks for the tests of runners: found by their import path wherever they run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from bddsudoku.errors import BddSudokuError, LimitReached, ScheduleError
from bddsudoku.work import Journal, Runner


def journaled(runner: Runner, journal: Journal) -> Runner:
    runner.journal = journal
    return runner


def square(n: int, worker: Any) -> int:
    worker(n)
    return n * n


def slow_square(argument: tuple[int, float], worker: Any) -> int:
    n, seconds = argument
    time.sleep(seconds)
    return n * n


def awaited(path: str, worker: Any) -> None:
    """Ends when a file is there."""
    while not Path(path).exists():
        time.sleep(0.05)


def logged(argument: tuple[int, float, str], worker: Any) -> int:
    """A square that leaves a line in a file when it is done."""
    n, seconds, path = argument
    time.sleep(seconds)
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{n}\n")
    return n * n


def pid(_: object, worker: Any) -> int:
    return os.getpid()


def threads(_: object, worker: Any) -> int:
    from bddsudoku.work.resources import available_threads

    return available_threads()


def wrong(_: object, worker: Any) -> None:
    raise ScheduleError("no such thing")


def stopped(_: object, worker: Any) -> None:
    raise LimitReached("too many", limit="nodes")


def unpicklable(_: object, worker: Any) -> None:
    class LocalError(Exception):
        pass

    raise LocalError("home-made")


def deadly(_: object, worker: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def deadly_once(path: str, worker: Any) -> str:
    """Ends its process the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
    return "survived"


def hoard(step: int, worker: Any) -> None:
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 10) * (step >> 10)))


def deadline(_: object, worker: Any) -> float | None:
    return worker.context.seconds_left


def open_journals(folder: str, number: int, barrier: Any, let_in: Any) -> None:
    """Open new journals at the same time as another process; count those that let it in."""
    for i in range(number):
        barrier.wait()
        try:
            journal = Journal(Path(folder) / f"journal{i}", {"what": "squares"})
        except BddSudokuError:
            barrier.wait()
        else:
            journal.add(f"{i}", i)
            let_in[i] += 1
            barrier.wait()
            journal.close()
