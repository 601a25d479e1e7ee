"""With little address space or no threads, a command answers or fails with one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

resource = pytest.importorskip("resource")

Run = Callable[..., Any]

NO_THREADS = "bddsudoku: no thread can be started: memory or processes are limited here"
WITHOUT_THREADS = """
import sys, threading
from bddsudoku.__main__ import run

def start(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
sys.argv[0] = "bddsudoku"
run()
"""


@pytest.fixture
def boards(tmp_path: Path) -> str:
    """A list that several threads count."""
    path = tmp_path / "list.txt"
    path.write_text(("." * 40 + "1" + "." * 40 + "\n") + ("1" + "." * 80 + "\n") * 40)
    return str(path)


def bounded(limit: int, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A program that may have so many bytes of addresses."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | more,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )


@pytest.mark.parametrize("asked", [("count", "--jobs", "4"), ("hints", "--jobs", "2")])
def test_no_thread_can_be_started(boards: str, asked: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THREADS, *asked, boards, "--time-limit", "100"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == NO_THREADS
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("mebibytes", [100, 800])
def test_few_addresses(boards: str, mebibytes: int, run: Run) -> None:
    run("count", boards, "--limit", "2", "--jobs", "1")  # kernels are compiled where there is room
    done = bounded(mebibytes << 20, "-m", "bddsudoku", "count", boards, "--limit", "2")
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert (done.returncode, len(done.stderr.splitlines())) == (3, 1), done.stderr
    else:
        assert done.stdout == "2 or more\n" * 41


@pytest.mark.parametrize("asked", ["build", "hints"])
def test_few_addresses_are_told_in_one_line(asked: str) -> None:
    done = bounded(300_000 << 10, "-m", "bddsudoku", asked, "1...............")
    assert (done.returncode, len(done.stderr.splitlines())) == (3, 1), done.stderr


@pytest.mark.parametrize("asked", ["build", "check --engine bdd", "report"])
def test_no_room_for_temporary_files(asked: str, run: Run) -> None:
    """A file may have 8 KiB: all is answered without files, in memory and through pipes."""
    run("report", "1...............")  # kernels are compiled where there is room
    name, *options = asked.split()
    done = subprocess.run(
        [sys.executable, "-m", "bddsudoku", name, "1...............", *options],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "72" in done.stdout


def test_other_libraries_start_no_threads_of_their_own() -> None:
    code = (
        "import sys; sys.argv[1:] = ['count', '1...............']\n"
        "import os, atexit; atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS']))\n"
        "from bddsudoku.__main__ import run; run()"
    )
    assert bounded(2 << 30, "-c", code, OPENBLAS_NUM_THREADS="3").stdout == "72\n3\n"
    os.environ.pop("OPENBLAS_NUM_THREADS", None)
    assert bounded(2 << 30, "-c", code).stdout == "72\n1\n"
