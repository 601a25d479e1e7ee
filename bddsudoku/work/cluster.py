"""Running tasks on a cluster of Dask's ``distributed`` (extra ``cluster``).

``distributed`` assigns tasks to free workers, repeats the tasks of workers that have died (a task
that ends four workers is given up), and identifies equal tasks by their keys. This module adds
three things: a check that the workers run the same code (each task carries a code stamp), an error
instead of endless waiting when the scheduler is lost, and journals.

Sources: https://distributed.dask.org/en/stable/resilience.html, …/client.html.
"""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BackendUnavailable, BddSudokuError, LimitReached
from bddsudoku.file_io import parse_json, read_text
from bddsudoku.work.journal import code_stamp
from bddsudoku.work.resources import limit_threads
from bddsudoku.work.runner import NumberedOutcome, Runner, TaskFunctions
from bddsudoku.work.task import Outcome, Task, format_traceback, run_to_outcome

_LOG = logging.getLogger(__name__)
MAX_IDLE_SECONDS = 30.0
"""Seconds without any worker after which the work ends."""
_SILENT_SECONDS = 10.0
"""Seconds after which a scheduler that does not answer is named."""
_POLL = 0.2
_RESULT_SECONDS = 2.0
"""Seconds for fetching a result, during which time limits are not checked."""
_CONNECT_SECONDS = 10.0
"""Seconds within which a scheduler must answer when connecting."""
_ADDRESS = re.compile(
    r"((tcp|tls|ws|wss|ucx)://)?(\[[0-9a-fA-F:.]+(%\w+)?\]|[\w.-]+):0*"
    r"([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])/?"
)
"""Address of a scheduler: an optional protocol, the host, the port."""
_MAX_FILE_BYTES = 1 << 20


@runtime_checkable
class Client(Protocol):
    """The part of ``distributed.Client`` that :class:`DaskRunner` uses."""

    @property
    def status(self) -> str:
        """State of the client: ``running`` while it has a scheduler."""

    def submit(self, func: Callable[..., object], *args: object, **kwargs: object) -> Any:
        """Submit a call to a worker; return its future."""

    def scheduler_info(self, n_workers: int = 5) -> Mapping[str, Mapping[str, object]]:
        """What the client knows about the workers, as nested dictionaries."""

    def close(self, timeout: object = ...) -> object:
        """Disconnect from the cluster."""


class DaskRunner(Runner):
    """A runner on the cluster of a ``distributed`` client; each task uses one thread.

    Args:
        client: a ``distributed.Client`` (a synchronous one).
        owned: close it with this runner.
    """

    @check_types
    def __init__(self, client: Client, *, owned: bool = False) -> None:
        self._client = client
        self._owned = owned

    @property
    def workers(self) -> int:
        """Number of tasks that run in parallel: all threads of the known workers, at least one."""
        worker_infos = self._client.scheduler_info(-1).get("workers", {}).values()
        return max(1, sum(int(w["nthreads"]) for w in worker_infos if isinstance(w, dict)))

    @contextmanager
    def open_task_queue(self, context: Context) -> Iterator[TaskFunctions]:
        """In a with block, give two functions: one submits a task, one waits for an outcome.

        A task gets its limits; one that does not check the time continues on its worker after the
        block has ended. The memory of a worker is limited by its nanny.
        """
        inbox: queue.SimpleQueue[tuple[int, Task, Any]] = queue.SimpleQueue()
        under_way: dict[int, Any] = {}
        heard, has_worker, ended = time.monotonic(), True, threading.Event()

        def watch_scheduler() -> None:
            """Ask the scheduler in a thread of its own: one that is stopped never answers."""
            nonlocal heard, has_worker
            with suppress(Exception):  # it is lost, which the client's status tells
                while not ended.wait(_POLL):
                    has_worker = bool(self._client.scheduler_info(1).get("workers"))
                    heard = time.monotonic()

        threading.Thread(target=watch_scheduler, daemon=True).start()

        def watch_future(number: int, task: Task, future: Any) -> None:
            future.add_done_callback(lambda done: inbox.put((number, task, done)))

        def submit(number: int, task: Task) -> None:
            try:
                future = self._client.submit(
                    _run_on_worker, task, code_stamp(), key=f"bddsudoku-{task.key}", pure=True
                )
            except Exception as error:  # the client is closed, or has lost its scheduler
                raise _lost_scheduler_error(error) from error
            under_way[number] = future
            watch_future(number, task, future)

        def next_outcome() -> NumberedOutcome:
            idle_since: float | None = None
            nonlocal heard
            while True:
                context.check()
                try:
                    number, task, future = inbox.get(timeout=_POLL)
                except queue.Empty:
                    if self._client.status != "running":
                        raise _lost_scheduler_error() from None
                    if time.monotonic() - heard > _SILENT_SECONDS:
                        _LOG.warning("the cluster's scheduler does not answer: waiting for it")
                        heard = math.inf
                    idle_since = None if has_worker else idle_since or time.monotonic()
                    if idle_since and time.monotonic() - idle_since > MAX_IDLE_SECONDS:
                        message = f"the cluster has had no worker for {MAX_IDLE_SECONDS:g} s"
                        raise LimitReached(message, limit="cluster") from None
                    continue
                try:
                    outcome = _outcome_of_future(task, future)
                except OSError as error:
                    if self._client.status != "running":
                        raise _lost_scheduler_error(error) from error
                    # Its worker has died, and the task is computed again; or the scheduler has,
                    # and the client has not noticed yet.
                    time.sleep(_POLL)
                    watch_future(number, task, future)
                    continue
                under_way.pop(number)
                return number, outcome

        try:
            yield submit, next_outcome
        finally:
            ended.set()
            if self._client.status == "running":
                for future in under_way.values():
                    future.cancel()

    def close(self) -> None:
        """Close the client if this runner owns it."""
        if self._owned:
            self._client.close(timeout=1)


def _lost_scheduler_error(error: Exception | None = None) -> LimitReached:
    """The error for a cluster whose scheduler no longer answers, with the reason."""
    why = f": {str(error).splitlines()[0]}" if error is not None and str(error) else ""
    return LimitReached(f"the cluster's scheduler is gone{why}", limit="cluster")


def _run_on_worker(task: Task, client_code: str) -> Outcome:
    """Run a task on this worker, or return an error if worker and client run different code."""
    if client_code != code_stamp():
        message = (
            f"a worker runs bddsudoku {code_stamp()}, this is {client_code}: "
            "install the same everywhere"
        )
        return Outcome(task, error=BddSudokuError(message))
    with limit_threads(1):
        found = run_to_outcome(task, _worker_address())
    trace = "" if found.error is None else format_traceback(found.error)
    return replace(found, task=Task(task.function), trace=trace)


def _worker_address() -> str:
    """Address of the worker on which the current task runs."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return "here"


def _outcome_of_future(task: Task, future: Any) -> Outcome:
    """The outcome of a finished future; raise OSError if the task must be computed again."""
    status = future.status
    if status == "finished":
        found = future.result(timeout=_RESULT_SECONDS)
        future.release()
        if not isinstance(found, Outcome):
            raise BddSudokuError(f"a worker answers with a {type(found).__name__}")
        return replace(found, task=task)
    if status == "cancelled":
        raise _lost_scheduler_error()
    if status != "error":
        raise TimeoutError(status)  # it was over, and its worker has died
    error = future.exception(timeout=_RESULT_SECONDS)
    future.release()
    name = type(error).__name__
    if name == "KilledWorker":
        message = (
            "a task ended every worker that took it up, as one does that needs more memory than "
            "they have"
        )
        return Outcome(task, error=LimitReached(message, limit="memory"))
    reason = str(error).strip().partition("\n")[0]
    failure = BddSudokuError(f"a worker cannot do this: {name}: {reason}")
    failure.__cause__ = error
    return Outcome(task, error=failure)


def connect(
    address: str | None = None, file: str | Path | None = None, context: Context = UNLIMITED
) -> DaskRunner:
    """Connect a new client to the scheduler at an address or in a scheduler file.

    Args:
        address: such as ``tcp://10.0.0.1:8786``.
        file: a scheduler file, which contains the address; takes precedence over ``address``.

    Raises:
        BackendUnavailable: ``distributed`` is not installed.
        LimitReached: no scheduler answers (``limit`` is "cluster"), or the time is used up.
        BddSudokuError: the file is no scheduler file, or the address is invalid.
        OSError: the file cannot be read.
    """
    where = address if file is None else _read_scheduler_address(Path(file))
    if not isinstance(where, str) or not _ADDRESS.fullmatch(where):
        place = "" if file is None else f"{file}: "
        raise BddSudokuError(
            f"{place}expected a scheduler's address such as tcp://10.0.0.1:8786, found {where!r}"
        )
    try:
        import distributed
    except ImportError as error:
        message = "a cluster needs distributed: pip install distributed"
        raise BackendUnavailable(message) from error
    # Silence these loggers: the caller reports errors in one line.
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    begin: Any = distributed.Client
    patience = min(context.seconds_left or _CONNECT_SECONDS, _CONNECT_SECONDS)
    try:
        # A client would wait forever for a peer that accepts a connection but does not answer.
        found = asyncio.run(asyncio.wait_for(_server_type(where, patience), patience))
        if found != "Scheduler":
            raise BddSudokuError(f"{where}: expected a scheduler, found a {found}")
        client = begin(where, timeout=patience, set_as_default=False)
    except (OSError, TimeoutError) as error:
        context.check(f"before a scheduler answered at {where}")
        message = f"no scheduler answers at {where} within {_CONNECT_SECONDS:g} s"
        raise LimitReached(message, limit="cluster") from error
    return DaskRunner(client, owned=True)


async def _server_type(address: str, timeout: float) -> object:
    """The type of the server at an address, such as ``Scheduler``; raise OSError if unknown."""
    import distributed
    from distributed.core import rpc

    peer_at: Any = rpc
    security: Any = distributed.Security
    secured = security().get_connection_args("client")
    try:
        async with peer_at(address, timeout=timeout, connection_args=secured) as peer:
            return (await peer.identity())["type"]
    except Exception as error:  # any server may answer, and in any way
        raise ConnectionError(str(error)) from error


def _read_scheduler_address(file: Path) -> object:
    """Read the address of a Dask scheduler from the JSON file that the scheduler wrote."""
    if not file.is_file():
        raise BddSudokuError(f"{file}: there is no such scheduler file")
    found = parse_json(read_text(file, max_bytes=_MAX_FILE_BYTES), str(file))
    if not isinstance(found, dict) or "address" not in found:
        raise BddSudokuError(f'{file}: expected a scheduler\'s file, {{"address": "tcp://…", …}}')
    return found["address"]
