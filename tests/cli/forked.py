"""Hundreds of real runs of the program, forked from one process that has loaded it.

A new interpreter takes a second to load compilers and kernels; a fork of one that has them takes
some hundredths. What comes after is the program's own: its standard streams, made from whatever
descriptors it got, its exit, Python's last flush.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CLOSED = -1
"""Stands for a standard stream that is closed."""


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code (minus the signal's number) and what it wrote."""

    code: int
    out: str
    err: str


class Program:
    """``with Program(...) as program: program.run(["count", …], folder)``.

    Args:
        warm: commands to run once, so that what they load is there in every fork.
    """

    def __init__(self, warm: Sequence[Sequence[str]], folder: Path) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._scratch = folder
        self._server = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno()), json.dumps(warm)],
            pass_fds=[theirs.fileno()],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()
        self._server.wait(60)

    def start(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        file_size: int | None = None,
        data: int | None = None,
    ) -> int:
        """Begin a run; its process.

        Args:
            arguments: the command line.
            folder: where to run.
            stdin: a descriptor, :data:`CLOSED`, or None for nothing to read.
            stdout: the same; None for a scratch file, which ``end`` reads.
            stderr: the same.
            file_size: no file may grow beyond so many bytes, as on a full disk.
            data: the process may ask the system for so many bytes of memory more than it has.
        """
        handed: list[int] = []
        made: list[int] = []
        usual = (os.devnull, self._scratch / "stdout", self._scratch / "stderr")
        for number, (given, path) in enumerate(zip((stdin, stdout, stderr), usual, strict=True)):
            if number:
                Path(path).write_bytes(b"")
            if given is None:
                made.append(os.open(path, os.O_RDWR))
                given = made[-1]
            handed.append(given)
        request = {
            "arguments": list(arguments),
            "folder": str(folder),
            "closed": [n for n, fd in enumerate(handed) if fd == CLOSED],
            "file_size": file_size,
            "data": data,
        }
        socket.send_fds(
            self._socket,
            [json.dumps(request).encode()],
            [fd if fd != CLOSED else 0 for fd in handed],
        )
        for descriptor in made:
            os.close(descriptor)
        self._process = int(self._line())
        return self._process

    def end(self, seconds: float = 30) -> Ended:
        """Wait for the run that was started last; one that takes longer is ended."""
        try:
            status = int(self._line(seconds))
        except TimeoutError:
            os.kill(self._process, signal.SIGABRT)
            status = int(self._line())
        out, err = ((self._scratch / n).read_bytes() for n in ("stdout", "stderr"))
        code = os.waitstatus_to_exitcode(status)
        return Ended(code, out.decode(errors="replace"), err.decode(errors="replace"))

    def _line(self, seconds: float | None = None) -> bytes:
        self._socket.settimeout(seconds)
        line = b""
        while not line.endswith(b"\n"):
            line += (got := self._socket.recv(1))
            assert got, "the process that forks is gone"
        return line

    def run(self, arguments: Sequence[str], folder: Path, **streams: Any) -> Ended:
        """Start and wait."""
        self.start(arguments, folder, **streams)
        return self.end()


def serve(connection: socket.socket) -> None:
    """Fork for every request; returns in the children only."""
    while True:
        text, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 3)
        if not text:
            os._exit(0)
        request = json.loads(text)
        if (child := os.fork()) == 0:
            connection.detach()  # its number may be 0, 1 or 2 no more than any other
            become(request, descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(b"%d\n" % child)
        _, status = os.waitpid(child, 0)
        connection.send(b"%d\n" % status)


def become(request: dict[str, Any], descriptors: list[int]) -> None:
    """Take on the streams, the folder and the arguments, as a new interpreter would have them."""
    assert min(descriptors) > 2
    for number, descriptor in enumerate(descriptors):
        if number in request["closed"]:
            os.close(number)
        else:
            os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    streams = []
    for number, mode in enumerate("rww"):
        try:
            os.fstat(number)
        except OSError:
            streams.append(None)
            continue
        errors = "backslashreplace" if number == 2 else None
        buffering = 1 if number == 2 else -1
        streams.append(
            open(  # noqa: SIM115 - as long as the process
                number, mode, buffering, encoding="utf-8", errors=errors, closefd=False
            )
        )
    sys.stdin, sys.stdout, sys.stderr = streams  # type: ignore[assignment]
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = streams  # type: ignore[misc]
    os.chdir(request["folder"])
    if request["file_size"] is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"],) * 2)
    if request["data"] is not None:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + request["data"]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    sys.argv = ["bddsudoku", *request["arguments"]]


def run_here(
    task: str, argument: Any, *, on_message: Callable[[Any], None] | None = None, **context: Any
) -> Any:
    """Replace ``run_isolated``: run the task in this process, without limits."""
    module, _, name = task.partition(":")
    return getattr(import_module(module), name)(argument, on_message or (lambda message: None))


def warm_up(commands: Sequence[Sequence[str]]) -> None:
    """Run commands here, so that their kernels are loaded; no thread may outlive them.

    Procedures then run in the program's own process: half a second saved for each.
    """
    import threading

    from bddsudoku.engine.conjunction import engine as conjunction

    conjunction.run_isolated = run_here

    from click.testing import CliRunner
    from tqdm import tqdm

    from bddsudoku.cli import main

    # tqdm's own is shared by processes: one that is killed with it would stop all others
    tqdm.set_lock(threading.RLock())
    for arguments in commands:
        result = CliRunner().invoke(main, arguments, prog_name="bddsudoku")
        if result.exit_code:
            sys.exit(f"{arguments}: {result.output} {result.exception!r}")
    if tqdm.monitor is not None:
        tqdm.monitor.exit()
        tqdm.monitor = None
    assert threading.active_count() == 1, threading.enumerate()


def ended() -> int:
    """Run the program and do what Python does at its end, but for taking its memory to pieces,
    which takes a second; the exit code."""
    import atexit
    import threading

    from bddsudoku.__main__ import run

    code = 0
    try:
        run()
    except SystemExit as leave:
        code = int(leave.code or 0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except Exception:
            os.write(2, b"Exception ignored in: the last flush\n")
            code = 120
    return code


if __name__ == "__main__":
    own = os.dup(int(sys.argv[1]))
    os.close(int(sys.argv[1]))
    faulthandler.enable(2)  # a run that hangs tells where
    # what starts the tests in the background has them ignore Ctrl-C or, as nohup, hanging up
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    warm_up(json.loads(sys.argv[2]))
    # as in the first moments of a new interpreter; the program takes care of it as it starts
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve(socket.socket(fileno=own))
    os._exit(ended())
