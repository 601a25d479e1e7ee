"""A real cluster of Dask for tests: scheduler and workers are processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import Client

HERE = Path(__file__).parent
TIMEOUT = 300


class Cluster:
    """A scheduler and its workers, each of which can be killed.

    Args:
        folder: where they put their files.
        workers: how many, each with one thread and a nanny that starts it again.
    """

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.file.unlink(missing_ok=True)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._begin(
            "scheduler", "--scheduler-file", self.file, "--port", "0", "--host", "127.0.0.1",
            "--dashboard-address", "127.0.0.1:0",  # without one it binds port 8787 all the same
        )  # fmt: skip
        if not workers:
            return
        self._begin(
            "worker", "--scheduler-file", self.file, "--nworkers", workers, "--nthreads", 1,
            "--no-dashboard", "--local-directory", folder, "--host", "127.0.0.1",
        )  # fmt: skip

    def _begin(self, kind: str, *options: object) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(HERE), *(p for p in sys.path if p)])
        with (self.folder / f"{kind}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "distributed.cli.dask_" + kind, *map(str, options)],
                stdout=log,
                stderr=log,
                env=os.environ | {"PYTHONPATH": path},
            )
        self.processes.append(process)
        return process

    def close(self) -> None:
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def own_cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A cluster that has begun to work; that may take long on a busy machine."""
    made = Cluster(folder, workers)
    try:
        while not (made.file.exists() and made.file.stat().st_size):
            assert made.scheduler.poll() is None, (folder / "scheduler.log").read_text()
            time.sleep(0.1)
        if workers:
            address = str(made.file)
            with Client(scheduler_file=address, timeout=TIMEOUT, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=TIMEOUT)
        yield made
    finally:
        made.close()
