"""Tasks on a real cluster of Dask: killed workers, killed schedulers, other code."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bddsudoku.errors import BackendUnavailable, BddSudokuError, LimitReached, ScheduleError
from bddsudoku.limits import Limits
from bddsudoku.work import Client, DaskRunner, Journal, Task, cluster, runner_for, values

distributed = pytest.importorskip("distributed", reason="needs bddsudoku[cluster]")

from dask_cluster import own_cluster  # noqa: E402 - after the skip

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of killed schedulers
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    here = str(Path(__file__).parent)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=60,
            env={"PYTHONPATH": os.pathsep.join([here, *(p for p in sys.path if p)])},
        ) as local,
        distributed.Client(local, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture
def runner(client: Any) -> DaskRunner:
    return DaskRunner(client)


def squares(number: int, seconds: float = 0.0) -> list[Task]:
    return [Task("working:slow_square", (n, seconds)) for n in range(number)]


def test_a_client_is_one(client: Any, runner: DaskRunner) -> None:
    assert isinstance(client, Client)
    assert runner.workers == 2
    with runner_for(client=client) as found:
        assert isinstance(found, DaskRunner)
    assert list(values(squares(5), client=client)) == [0, 1, 4, 9, 16]


def test_values_in_order_and_as_they_come(runner: DaskRunner) -> None:
    assert [o.result() for o in runner.run(squares(30), ordered=True)] == [n * n for n in range(30)]
    found = list(runner.run(squares(30)))
    assert {o.result() for o in found} == {n * n for n in range(30)}
    assert all(o.where.startswith("tcp://") for o in found)
    (one,) = runner.run([Task("working:threads")])
    assert one.value == 1


def test_errors_are_outcomes(runner: DaskRunner) -> None:
    tasks = [Task(f"working:{f}") for f in ("wrong", "unpicklable", "stopped", "absent")]
    found = list(runner.run([*tasks, Task("nowhere:at_all")], ordered=True))
    assert isinstance(found[0].error, ScheduleError)
    assert "LocalError: home-made" in str(found[1].error)
    assert (found[2].limit, str(found[2].error)) == ("nodes", "too many")
    assert "no function working:absent" in str(found[3].error)
    assert isinstance(found[4].error, ModuleNotFoundError)


def test_the_time_for_everything(runner: DaskRunner) -> None:
    begin = time.monotonic()
    with pytest.raises(LimitReached, match=r"time limit of 0\.3 s"):
        list(runner.run([Task("working:slow_square", (1, 3.0))], limits=Limits(seconds=0.3)))
    assert time.monotonic() - begin < 2


def test_other_code_is_refused(runner: DaskRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "stamp", lambda: "0.1.0 (sources 0123456789ab)")
    (found,) = runner.run([Task("working:square", 77)])
    assert "a worker runs bddsudoku" in str(found.error)
    assert "0123456789ab): install the same everywhere" in str(found.error)


def test_three_workers_are_killed_and_nothing_is_lost(client: Any, runner: DaskRunner) -> None:
    killed: list[int] = []

    def kill() -> None:
        for _ in range(3):
            time.sleep(1.0)
            pids = client.run(os.getpid, on_error="ignore")
            victim = next(pid for pid in pids.values() if pid not in killed)
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    killer = threading.Thread(target=kill)
    killer.start()
    found = list(runner.run(squares(60, 0.12), ordered=True))
    killer.join()
    assert [o.result() for o in found] == [n * n for n in range(60)]
    assert len(killed) == 3


def test_what_kills_every_worker_is_given_up(runner: DaskRunner) -> None:
    (found,) = runner.run([Task("working:deadly")], ordered=True)
    assert found.limit == "memory"
    assert "ended every worker" in str(found.error)
    assert [o.result() for o in runner.run(squares(4), ordered=True)] == [0, 1, 4, 9]


def test_the_scheduler_is_killed_and_the_journal_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    tasks = [Task("working:logged", (n, 0.1, str(log))) for n in range(30)]
    question = {"what": "squares"}
    with own_cluster(tmp_path) as first:
        runner = cluster.connected(file=first.file)
        with Journal(tmp_path / "journal", question) as journal:
            running = runner.run(tasks, ordered=True, journal=journal)
            done = [next(running).result() for _ in range(10)]
            first.scheduler.kill()
            begin = time.monotonic()
            with pytest.raises(LimitReached, match="the cluster's scheduler is gone") as caught:
                done.extend(outcome.result() for outcome in running)
        assert time.monotonic() - begin < 5
        assert "\n" not in str(caught.value)
        runner.close()
    kept = len(journal)
    assert len(done) >= 10
    assert len(done) <= kept < 30
    before = log.read_text(encoding="utf-8").split()
    with own_cluster(tmp_path) as second:
        runner = cluster.connected(file=second.file)
        with Journal(tmp_path / "journal", question) as journal:
            found = list(runner.run(tasks, ordered=True, journal=journal))
        runner.close()
    assert [o.result() for o in found] == [n * n for n in range(30)]
    assert [o.where for o in found].count("journal") == kept
    after = log.read_text(encoding="utf-8").split()[len(before) :]
    assert len(after) == len(set(after)) == 30 - kept  # what is in the journal is not done again


def test_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_ANSWER", 1.0)
    with pytest.raises(LimitReached, match="no scheduler answers at tcp:") as caught:
        cluster.connected("tcp://127.0.0.1:9")
    assert caught.value.limit == "cluster"
    with pytest.raises(BddSudokuError, match="there is no such scheduler file"):
        cluster.connected(file=tmp_path / "absent.json")


def test_no_worker_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with own_cluster(tmp_path, workers=0) as empty:
        runner = cluster.connected(file=empty.file)
        with pytest.raises(LimitReached, match=r"no worker for 0\.5 s"):
            list(runner.run(squares(3)))
        runner.close()


def test_without_distributed_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BackendUnavailable, match=r"pip install 'bddsudoku\[cluster\]'"):
        cluster.connected("tcp://127.0.0.1:9")
