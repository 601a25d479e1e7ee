"""Tasks on a real cluster of Dask: killed workers, killed schedulers, other code."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bddsudoku.context import Context
from bddsudoku.errors import BackendUnavailable, BddSudokuError, LimitReached, ScheduleError
from bddsudoku.work import Client, DaskRunner, Journal, Task, cluster, open_runner, task_values

distributed = pytest.importorskip("distributed", reason="needs bddsudoku[cluster]")

from dask_cluster import own_cluster  # noqa: E402 - after the skip
from working import journaled  # noqa: E402

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
            dashboard_address=":0",  # without one it binds port 8787 all the same
            silence_logs=60,
            env={"PYTHONPATH": os.pathsep.join([here, *(p for p in sys.path if p)])},
        ) as local,
        distributed.Client(local, set_as_default=False) as made,
    ):
        yield made


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a worker is not there again as soon as in use."""
    monkeypatch.setattr(cluster, "MAX_IDLE_SECONDS", 300.0)
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 100.0)
    monkeypatch.setattr(cluster, "_RESULT_SECONDS", 100.0)


@pytest.fixture
def runner(client: Any) -> DaskRunner:
    return DaskRunner(client)


def squares(number: int, seconds: float = 0.0) -> list[Task]:
    return [Task("working:slow_square", (n, seconds)) for n in range(number)]


def test_a_client_is_one(client: Any, runner: DaskRunner) -> None:
    assert isinstance(client, Client)
    assert runner.workers == 2
    with open_runner(client=client) as found:
        assert isinstance(found, DaskRunner)
    assert list(task_values(squares(5), client=client)) == [0, 1, 4, 9, 16]


def test_values_in_order_and_as_they_come(runner: DaskRunner) -> None:
    assert [o.result() for o in runner.run(squares(30), ordered=True)] == [n * n for n in range(30)]
    found = list(runner.run(squares(30)))
    assert {o.result() for o in found} == {n * n for n in range(30)}
    assert all(o.where.startswith("tcp://") for o in found)
    (one,) = runner.run([Task("working:threads")])
    assert one.value == 1


def test_errors_are_outcomes(runner: DaskRunner) -> None:
    tasks = [Task(f"working:{f}") for f in ("wrong", "unpicklable", "stopped")]
    found = list(runner.run(tasks, ordered=True))
    assert "LocalError: home-made" in str(found[1].error)
    assert (found[2].limit, str(found[2].error)) == ("nodes", "too many")
    with pytest.raises(ScheduleError) as caught:
        found[0].result()
    assert "in wrong\n" in str(caught.value.__cause__)  # where it was raised


def test_the_time_for_everything(runner: DaskRunner, tmp_path: Path) -> None:
    go = tmp_path / "go"  # the task does not end before
    with pytest.raises(LimitReached, match=r"time limit of 0\.3 s"):
        list(runner.run([Task("working:awaited", str(go))], context=Context(time_limit=0.3)))
    go.touch()


def test_other_code_is_refused(runner: DaskRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "code_stamp", lambda: "0.1.0 (sources 0123456789ab)")
    (found,) = runner.run([Task("working:square", 77)])
    assert "a worker runs bddsudoku" in str(found.error)
    assert "0123456789ab): install the same everywhere" in str(found.error)


def test_three_workers_are_killed_and_nothing_is_lost(client: Any, runner: DaskRunner) -> None:
    killed: list[int] = []

    def kill() -> None:
        while len(killed) < 3:
            time.sleep(0.5)
            pids = client.run(os.getpid, on_error="ignore")
            if victims := set(pids.values()) - set(killed):
                killed.append(victims.pop())
                os.kill(killed[-1], signal.SIGKILL)

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
        runner = cluster.connect(file=first.file)
        with Journal(tmp_path / "journal", question) as journal:
            running = journaled(runner, journal).run(tasks, ordered=True)
            done = [next(running).result() for _ in range(10)]
            first.scheduler.kill()
            with pytest.raises(LimitReached, match="the cluster's scheduler is gone") as caught:
                done.extend(outcome.result() for outcome in running)
        assert "\n" not in str(caught.value)
        runner.close()
    kept = len(journal)
    assert len(done) >= 10
    assert len(done) <= kept < 30
    before = log.read_text(encoding="utf-8").split()
    with own_cluster(tmp_path) as second:
        runner = cluster.connect(file=second.file)
        with Journal(tmp_path / "journal", question) as journal:
            found = list(journaled(runner, journal).run(tasks, ordered=True))
        runner.close()
    assert [o.result() for o in found] == [n * n for n in range(30)]
    assert [o.where for o in found].count("journal") == kept
    after = log.read_text(encoding="utf-8").split()[len(before) :]
    assert len(after) == len(set(after)) == 30 - kept  # what is in the journal is not done again


@pytest.mark.parametrize(
    "address",
    [
        "", "garbage", "x:0", "x:65536", "tcp://a b:1", "http://x:1", "x:1\n",
    ],
)  # fmt: skip
def test_what_is_no_address_is_told_before_anybody_is_asked(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    expected = f"expected a scheduler's address such as tcp://10.0.0.1:8786, found {address!r}"
    with pytest.raises(BddSudokuError) as caught:
        cluster.connect(address)
    assert str(caught.value) == expected
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address}), encoding="utf-8")
    with pytest.raises(BddSudokuError) as caught:
        cluster.connect(file=file)
    assert str(caught.value) == f"{file}: {expected}"


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8786",
        "tls://[::1]:65535",
    ],
)
def test_addresses(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BackendUnavailable):
        cluster.connect(address)


@pytest.mark.parametrize(
    "text", [b"", b"nonsense", b"[1]", b"5", b"{}", b"\xff\xfe", b'{"address": ', b"[" * 9999]
)
def test_what_is_no_scheduler_file_is_told_at_once(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "scheduler.json"
    file.write_bytes(text)
    with pytest.raises(BddSudokuError, match=r"scheduler\.json.*: expected") as caught:
        cluster.connect(file=file)
    assert "\n" not in str(caught.value)


def test_somebody_else_answers(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (worker, *_) = client.scheduler_info()["workers"]
    with pytest.raises(BddSudokuError, match=f"{worker}: expected a scheduler, found a Worker"):
        cluster.connect(worker)
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as mute:  # takes connections, and is silent
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(LimitReached, match=f"no scheduler answers at {address} within 1 s"):
            cluster.connect(address)
        with pytest.raises(LimitReached, match=f"of 0.3 s .*a scheduler answered at {address}"):
            cluster.connect(address, context=Context(time_limit=0.3))


def test_no_worker_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "MAX_IDLE_SECONDS", 0.5)
    with own_cluster(tmp_path, workers=0) as empty:
        runner = cluster.connect(file=empty.file)
        with pytest.raises(LimitReached, match=r"no worker for 0\.5 s"):
            list(runner.run(squares(3)))
        runner.close()
