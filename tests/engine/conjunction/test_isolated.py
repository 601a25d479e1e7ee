"""Isolated processes: results, limits, crashes, and that none outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import pytest

from bddsudoku.context import Context
from bddsudoku.engine.conjunction import ConjunctionStep, available_backends, build
from bddsudoku.errors import BddSudokuError, LimitReached, ScheduleError
from bddsudoku.model.schedules import make_puzzle_schedule
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.work.processes import ProcessEndedError, run_isolated

FIGURE_1 = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
LINUX = sys.platform == "linux"


# Tasks: run in the child, found there by name.


def task_square(x, send):
    for i in range(x):
        send(i)
    print("a library's chatter on standard output")
    return x * x


def task_raise(_, send):
    send("before")
    raise ScheduleError("no such thing")


def task_unpicklable_error(_, send):
    class LocalError(Exception):
        pass

    raise LocalError("home-made")


def task_kill(number, send):
    send(os.getpid())
    os.kill(os.getpid(), number)
    time.sleep(60)


def task_segfault(_, send):
    send("last words")
    ctypes.string_at(0)


def task_exit(_, send):
    sys.stderr.write("giving up: reasons\n")
    sys.stderr.flush()
    os._exit(7)


def task_sleep(_, send):
    send(os.getpid())
    time.sleep(600)


def task_hoard(step, send):
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1 << 10) * (step >> 10)))
        send(len(hoard))


def task_path(task) -> str:
    return f"{__name__}:{task.__name__}"


def is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except FileNotFoundError:
            return True
        if state[0] == "Z":
            return True
        time.sleep(0.05)
    return False


class TestRunIsolated:
    def test_messages_and_result(self) -> None:
        seen: list[int] = []
        assert run_isolated(task_path(task_square), 5, on_message=seen.append) == 25
        assert seen == [0, 1, 2, 3, 4]

    def test_exceptions_of_the_child_are_raised(self) -> None:
        seen: list[str] = []
        with pytest.raises(ScheduleError, match="no such thing"):
            run_isolated(task_path(task_raise), None, on_message=seen.append)
        assert seen == ["before"]
        with pytest.raises(Exception, match="LocalError: home-made"):
            run_isolated(task_path(task_unpicklable_error), None)

    def test_an_exception_of_the_listener_ends_the_child(self) -> None:
        pids: list[int] = []

        def listener(pid: int) -> None:
            pids.append(pid)
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            run_isolated(task_path(task_sleep), None, on_message=listener)
        assert is_gone(pids[0])

    @pytest.mark.skipif(not LINUX, reason="RLIMIT_AS")
    def test_memory_in_one_piece(self) -> None:
        seen: list[int] = []
        with pytest.raises(LimitReached) as caught:
            run_isolated(task_path(task_hoard), 1 << 30, memory=150 << 20, on_message=seen.append)
        assert caught.value.limit == "memory"
        assert seen == []

    def test_a_kill_from_outside_is_taken_for_the_memory_killer(self) -> None:
        with pytest.raises(LimitReached, match="killed from outside") as caught:
            run_isolated(task_path(task_kill), signal.SIGKILL)
        assert caught.value.limit == "memory"

    def test_the_message_of_a_crash_is_one_line(self) -> None:
        seen: list[str] = []
        with pytest.raises(ProcessEndedError) as caught:
            run_isolated(task_path(task_segfault), None, on_message=seen.append)
        assert "SIGSEGV" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert seen == ["last words"]
        with pytest.raises(ProcessEndedError, match="exit status 7: giving up: reasons"):
            run_isolated(task_path(task_exit), None)


build_isolated = partial(build, isolated=True)


class TestBuildIsolated:
    @pytest.mark.parametrize("name", available_backends())
    def test_same_result_as_in_this_process(self, name: str) -> None:
        model = allocate(Puzzle.parse(FIGURE_1), "candidates")
        plan = make_puzzle_schedule(model, 3)
        seen: list[ConjunctionStep] = []
        far = build_isolated(
            model, plan, backend=name, context=Context(max_memory=400 << 20), on_step=seen.append
        )
        near = build(model, plan, backend=name)
        assert far.steps == tuple(seen)
        assert [s.nodes for s in far.steps] == [s.nodes for s in near.steps]
        assert far.diagram() == near.diagram()
        assert (far.nodes, far.count(), far.schedule) == (127, 1, "procedure 3")
        if LINUX:
            assert far.peak_rss < 400 << 20

    def test_time_ends_a_conjunction_under_way(self) -> None:
        model = allocate(Puzzle.parse(SEVENTEEN), "paper")
        plan = make_puzzle_schedule(model, 1)
        seen: list[ConjunctionStep] = []
        begin = time.monotonic()
        with pytest.raises(LimitReached) as caught:
            build_isolated(
                model, plan, context=Context(max_memory=2 << 30, time_limit=3), on_step=seen.append
            )
        assert time.monotonic() - begin < 15
        stop = caught.value
        assert stop.limit == "time"
        assert list(stop.trace) == seen != []
        assert f"step {len(seen) + 1} of {len(plan)}" in str(stop)

    @pytest.mark.parametrize("name", available_backends())
    def test_memory_is_that_of_the_whole_process(self, name: str) -> None:
        model = allocate(Puzzle.parse(SEVENTEEN), "candidates")
        plan = make_puzzle_schedule(model, 1)
        limit = 72 << 20
        with pytest.raises(LimitReached) as caught:
            build_isolated(model, plan, backend=name, context=Context(max_memory=limit))
        stop = caught.value
        assert stop.limit == "memory"
        assert 0 < len(stop.trace) < len(plan)
        assert str(stop).startswith("memory limit of 72 MiB reached in step ")
        assert "\n" not in str(stop)
        if LINUX:
            assert stop.details["peak_rss"] < 1.05 * limit


SCRIPT = """
import signal
import sys
# a test run in the background of a shell inherits that Ctrl-C is ignored
signal.signal(signal.SIGINT, signal.default_int_handler)
from bddsudoku.engine.conjunction import build
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle
from bddsudoku.model.schedules import make_puzzle_schedule
import bddsudoku.work.processes as isolated

popen = isolated.subprocess.Popen
def told(*args, **kwargs):
    child = popen(*args, **kwargs)
    print(child.pid, flush=True)
    return child
isolated.subprocess.Popen = told

puzzle = Puzzle([int(c) for c in {line!r}], Layout(3, 3))
model = allocate(puzzle, "paper")
steps = []
def step(s):
    steps.append(s)
    if s.nodes > 100_000 and len(steps) > 150:
        print("busy", flush=True)
try:
    build(model, make_puzzle_schedule(model, 1), on_step=step, isolated=True)
except KeyboardInterrupt:
    print("interrupted after", len(steps), flush=True)
"""


@pytest.mark.skipif(not LINUX, reason="signals and /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_child_ends_with_its_parent(number: int) -> None:
    script = textwrap.dedent(SCRIPT).format(line=SEVENTEEN)
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert parent.stdout is not None
    try:
        child = int(parent.stdout.readline())
        assert parent.stdout.readline() == "busy\n"
        assert Path(f"/proc/{child}/stat").exists()
        parent.send_signal(number)
        begin = time.monotonic()
        rest = parent.stdout.read()
        parent.wait(timeout=20)
        assert time.monotonic() - begin < 10
        if number == signal.SIGINT:
            assert "interrupted after" in rest
        assert is_gone(child)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()


def test_a_result_that_cannot_be_sent_is_an_error() -> None:
    class Local:
        """Known to nobody else."""

    with pytest.raises(BddSudokuError, match="cannot be sent to a process of its own"):
        run_isolated("math:sqrt", Local())
