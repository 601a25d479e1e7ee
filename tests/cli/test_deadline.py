"""One deadline for a whole command: exit code 3 soon after it, whatever the command is doing."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bddsudoku import LimitReached
from bddsudoku.cli.lifecycle import enforce_deadline
from bddsudoku.context import Context

SLACK = 2.0
"""Seconds that a command may take past its limit; start-up of a loaded machine comes on top."""
SIDES = (16, 36, 64, 100, 144, 256, 625)


def timed(*arguments: str, limit: float) -> tuple[subprocess.CompletedProcess[str], float]:
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "bddsudoku", *arguments, "--time-limit", str(limit)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done, time.monotonic() - begin - limit


def check(command: str, cells: int, limit: float) -> None:
    done, late = timed(command, "." * cells, limit=limit)
    assert late < SLACK + 1
    assert done.returncode in (0, 3), done.stderr
    if done.returncode == 3:
        # A cross-check goes on with the next engine; what it lacks in the end is a second count.
        # Before its first engine, on a slow machine, it ends as other commands do.
        reached = [f"time limit of {limit:g} s reached"]
        reached += ["fewer than two engines counted"] * (command == "check")
        assert any(text in done.stderr for text in reached)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("command", "cells"), [("count", 144), ("sample", 256), ("hints", 625)])
def test_empty_large_boards(command: str, cells: int) -> None:
    check(command, cells, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["count", "sample", "compile", "hints", "marginals", "check"])
@pytest.mark.parametrize("cells", SIDES)
@pytest.mark.parametrize("limit", [1.0, 5.0])
def test_every_size(command: str, cells: int, limit: float) -> None:
    check(command, cells, limit)


def test_what_an_alarm_interrupts_is_no_bad_data(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A reader that wraps all errors must not wrap the limit's error."""
    path = tmp_path / "a.set"
    run("compile", "1" + "." * 15, "--output", str(path))
    monkeypatch.setattr("bddsudoku.diagrams.set_files._read_diagram", lambda *_: time.sleep(30))
    outcome = run("count", str(path), "--time-limit", "0.5", code=3)
    assert outcome.stderr == "bddsudoku: time limit of 0.5 s reached\n"


def test_an_alarm_within_another_leaves_it_ticking() -> None:
    rung = []

    def deaf() -> None:
        try:
            with enforce_deadline(Context(time_limit=0.1)):
                time.sleep(10)
        except LimitReached as stop:
            rung.append(str(stop))
        time.sleep(10)

    begin = time.monotonic()
    with pytest.raises(LimitReached, match=r"0\.9 s"), enforce_deadline(Context(time_limit=0.9)):
        deaf()
    assert time.monotonic() - begin < 5
    assert rung == ["time limit of 0.1 s reached"]
