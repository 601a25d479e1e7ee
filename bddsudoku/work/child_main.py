"""The main loop of a child process: read tasks from the parent, run them, send the results back.

Both pipes carry pickles: tasks to the child, (kind, content) pairs to the parent.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bddsudoku.work.resources import limit_threads
from bddsudoku.work.task import (
    format_traceback,
    import_function,
    memory_limit_error,
    picklable_error,
    run_task,
)


def serve() -> None:
    """Run the tasks from standard input one after the other until it ends; then end the process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends us inside a library call, too
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the pickles

    def send_error(error: Exception) -> None:
        send("error", (picklable_error(error), format_traceback(error)))

    def send(kind: str, content: object) -> None:
        out.write(pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL))
        out.flush()

    parent, most = pickle.load(sys.stdin.buffer)
    _end_with_parent(parent)
    while True:
        try:
            task, bound = pickle.load(sys.stdin.buffer)
        except EOFError:
            break
        except Exception as error:  # its class is unknown in this process, say
            send_error(error)
            continue
        try:
            import_function(task.function)  # before the bound: libraries map more than they take
            with _limit_address_space_growth(bound), limit_threads(most):
                value = run_task(task, lambda message: send("message", message))
            send("result", value)
        except MemoryError as error:
            send_error(memory_limit_error(error))
        except Exception as error:
            send_error(error)
    out.close()
    # No interpreter shutdown: freeing a BDD manager of gigabytes node by node takes long.
    os._exit(0)


@contextmanager
def _limit_address_space_growth(memory: int | None) -> Iterator[None]:
    """In a with block, limit the growth of the address space, in bytes; None sets no limit."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        memory = None
    if memory is None:
        yield
        return
    before = _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = pages * resource.getpagesize() + memory
    if hard != resource.RLIM_INFINITY:
        bound = min(bound, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _end_with_parent(parent_pid: int) -> None:
    """Ask Linux to end this process when its parent is gone."""
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)
