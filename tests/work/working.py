"""Tasks for the tests of runners: found by their import path wherever they run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from bddsudoku.errors import LimitReached, ScheduleError
from bddsudoku.work import Journal, Runner


def journaled(runner: Runner, journal: Journal) -> Runner:
    runner.journal = journal
    return runner


def square(n: int, home: Any) -> int:
    home(n)
    return n * n


def slow_square(told: tuple[int, float], home: Any) -> int:
    n, seconds = told
    time.sleep(seconds)
    return n * n


def awaited(path: str, home: Any) -> None:
    """Ends when a file is there."""
    while not Path(path).exists():
        time.sleep(0.05)


def logged(told: tuple[int, float, str], home: Any) -> int:
    """A square that leaves a line in a file when it is done."""
    n, seconds, path = told
    time.sleep(seconds)
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{n}\n")
    return n * n


def pid(_: object, home: Any) -> int:
    return os.getpid()


def threads(_: object, home: Any) -> int:
    from bddsudoku.work.resources import available_threads

    return available_threads()


def wrong(_: object, home: Any) -> None:
    raise ScheduleError("no such thing")


def stopped(_: object, home: Any) -> None:
    raise LimitReached("too many", limit="nodes")


def unpicklable(_: object, home: Any) -> None:
    class LocalError(Exception):
        pass

    raise LocalError("home-made")


def deadly(_: object, home: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def deadly_once(path: str, home: Any) -> str:
    """Ends its process the first time."""
    if not Path(path).exists():
        Path(path).touch()
        os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
    return "survived"


def hoard(step: int, home: Any) -> None:
    kept = []
    while True:
        kept.append(bytearray(os.urandom(1 << 10) * (step >> 10)))


def deadline(_: object, home: Any) -> float | None:
    return home.context.seconds_left
