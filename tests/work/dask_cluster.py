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

HERE = Path(__file__).parent


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
            "scheduler", "--scheduler-file", self.file, "--no-dashboard", "--port", "0",
            "--host", "127.0.0.1",
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
    made = Cluster(folder, workers)
    try:
        for _ in range(300):
            if made.file.exists() and made.file.stat().st_size:
                break
            time.sleep(0.1)
        yield made
    finally:
        made.close()
