"""Tasks here and in processes: in order or not, stopped, killed, given up."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from traceback import format_exception

import pytest

from bddsudoku.context import Context
from bddsudoku.errors import BddSudokuError, LimitReached, ScheduleError
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.solver import count, hint_impact
from bddsudoku.solver.question import make_question
from bddsudoku.work import LocalRunner, Processes, Runner, Task, open_runner, task_values
from bddsudoku.work.task import pickle_canonically

LINUX = sys.platform == "linux"


def squares(number: int, seconds: float = 0.0) -> list[Task]:
    return [Task("working:slow_square", (n, seconds * (n % 3))) for n in range(number)]


class TestTask:
    def test_keys_know_function_and_argument_alone(self) -> None:
        task = Task("working:square", [("a" * 3, 5)])
        assert task.key == Task("working:square", [("aa" + "a", 5)], memory=7, seconds=2.0).key
        others = [Task("working:wrong", task.argument), Task("working:square", [("aaa", 6)])]
        assert task.key not in {other.key for other in others}

    def test_keys_are_those_of_other_processes(self) -> None:
        code = (
            "from bddsudoku.work import Task; from bddsudoku.puzzle.sudoku.grid import Puzzle;"
            "print(Task('a:b', ({'x': [1, 2]}, Puzzle([0] * 81))).key)"
        )
        reports = {
            subprocess.run(
                [sys.executable, "-c", code],
                env=os.environ | {"PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(reports) == 1

    @pytest.mark.parametrize("text", ["1....2.........4", "1" + "." * 15 + "\ndiagonals"])
    def test_keys_do_not_know_what_an_argument_was_used_for(self, text: str) -> None:
        puzzle = Puzzle.parse(text)
        model = make_question(puzzle).model
        arguments = puzzle, model, [PuzzleRecord(puzzle)], {"layout": puzzle.layout}
        before = [Task("working:square", argument).key for argument in arguments]
        count(puzzle)
        hint_impact(puzzle)
        assert model.families
        assert puzzle.layout.houses
        assert [Task("working:square", argument).key for argument in arguments] == before
        assert pickle.loads(pickle_canonically(puzzle)) == puzzle

    def test_what_cannot_be_sent_is_told(self) -> None:
        with pytest.raises(BddSudokuError, match="cannot be sent"):
            _ = Task("working:square", lambda: 0).key


@pytest.mark.parametrize("kind", ["here", "processes"])
class TestBoth:
    @pytest.fixture
    def runner(self, kind: str, two: Processes) -> Runner:
        return LocalRunner() if kind == "here" else two

    def test_values_in_order(self, runner: Runner) -> None:
        reports: list[float] = []
        found = runner.run(
            squares(20, 0.01),
            ordered=True,
            context=Context(progress=lambda d, t: reports.append(d)),
        )
        assert [o.result() for o in found] == [n * n for n in range(20)]
        assert reports == list(range(1, 21))
        assert {o.result() for o in runner.run(squares(20, 0.01))} == {n * n for n in range(20)}
        assert list(runner.run([])) == []

    def test_errors_are_outcomes(self, runner: Runner) -> None:
        tasks = [Task(f"working:{f}") for f in ("wrong", "unpicklable", "stopped", "absent")]
        found = list(runner.run([*tasks, Task("nowhere:at_all")], ordered=True))
        assert isinstance(found[0].error, ScheduleError)
        assert "LocalError: home-made" in str(found[1].error)
        assert (found[2].limit, str(found[2].error)) == ("nodes", "too many")
        assert "no function working:absent" in str(found[3].error)
        assert isinstance(found[4].error, ModuleNotFoundError)
        for outcome, place in zip(found[:2], ("wrong", "unpicklable"), strict=True):
            with pytest.raises(BddSudokuError) as caught:
                outcome.result()
            assert f"in {place}\n" in "".join(format_exception(caught.value))

    def test_a_long_stream_is_not_held(self, runner: Runner) -> None:
        taken = 0

        def endless() -> Iterator[Task]:
            nonlocal taken
            while True:
                yield Task("working:square", taken)
                taken += 1

        found = runner.run(endless(), ordered=True)
        assert [next(found).result() for _ in range(10)] == [n * n for n in range(10)]
        found.close()  # type: ignore[attr-defined]
        assert taken < 10 + 8 + 2

    def test_an_error_of_the_input_comes_in_its_turn(self, runner: Runner) -> None:
        def poisoned() -> Iterator[Task]:
            yield from squares(3, 0.02)
            raise ScheduleError("line 4 is no puzzle")

        found = []
        with pytest.raises(ScheduleError, match="line 4"):
            found.extend(o.result() for o in runner.run(poisoned(), ordered=True))
        assert found == [0, 1, 4]

    def test_tasks_know_their_limits(self, runner: Runner) -> None:
        (found,) = runner.run([Task("working:deadline", seconds=50.0)])
        assert isinstance(found.value, float)
        assert 40 < found.value <= 50


class TestProcesses:
    def test_each_works_on_one_thread(self, two: Processes) -> None:
        (found,) = two.run([Task("working:threads")])
        assert found.value == 1

    def test_what_kills_its_process_once_is_done_again(
        self, two: Processes, tmp_path: Path
    ) -> None:
        tasks = [*squares(4), Task("working:deadly_once", str(tmp_path / "mark")), *squares(4)]
        found = [o.result() for o in two.run(tasks, ordered=True)]
        assert found == [0, 1, 4, 9, "survived", 0, 1, 4, 9]

    def test_what_kills_its_process_thrice_is_given_up(self, two: Processes) -> None:
        found = list(two.run([Task("working:deadly"), *squares(3)], ordered=True))
        assert found[0].limit == "memory"
        assert "ended 3 processes" in str(found[0].error)
        assert [o.result() for o in found[1:]] == [0, 1, 4]

    @pytest.mark.skipif(not LINUX, reason="only Linux tells the resident set of another process")
    def test_limits_of_a_task(self, two: Processes) -> None:
        tasks = [
            Task("working:slow_square", (2, 60.0), seconds=0.5),
            Task("working:hoard", 1 << 20, memory=150 << 20),
            Task("working:hoard", 1 << 30, memory=150 << 20),
            *squares(2),
        ]
        found = list(two.run(tasks, ordered=True))
        assert [o.limit for o in found] == ["time", "memory", "memory", None, None]

    def test_the_time_for_everything(self, two: Processes, tmp_path: Path) -> None:
        never = Task("working:awaited", str(tmp_path / "absent"))
        with pytest.raises(LimitReached, match=r"time limit of 0\.3 s"):
            list(two.run([never], context=Context(time_limit=0.3)))
        assert [o.result() for o in two.run(squares(3), ordered=True)] == [0, 1, 4]

    def test_nothing_stays_behind(self) -> None:
        runner = Processes(2)
        running = runner.run([Task("working:slow_square", (n, 60.0)) for n in range(4)])
        pids: list[int] = []

        def close() -> None:
            while len(runner._children) < 2:
                time.sleep(0.01)
            pids.extend(child.pid for child in runner._children)
            runner.close()

        closing = threading.Thread(target=close)
        closing.start()
        with pytest.raises(LimitReached, match="closed"):
            assert all(o.error is not None for o in running)
        closing.join()
        assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_values_by_what_the_caller_has() -> None:
    tasks = [Task("working:square", n) for n in range(5)]
    assert list(task_values(tasks)) == list(task_values(tasks, 2)) == [0, 1, 4, 9, 16]
    with open_runner(1) as runner:
        assert isinstance(runner, LocalRunner)
        assert list(task_values(tasks, client=runner)) == [0, 1, 4, 9, 16]
    with pytest.raises(ScheduleError):
        list(task_values([Task("working:wrong")], 2))
