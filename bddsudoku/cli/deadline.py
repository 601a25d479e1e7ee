"""One deadline for a whole command: whatever it is doing, it ends soon after its time limit.

Engines look at the limit themselves, several times a second, and say where the work stood. This is
for everything in between (an import, a compilation, a long call into a library): a signal ends it
a moment after the deadline, and where the main thread is deaf to signals a second thread ends the
process. Exit code 3 either way.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from bddsudoku.cli.entry import lines_so_far
from bddsudoku.context import Context
from bddsudoku.errors import LimitReached

_GENTLE = 0.4
"""Seconds after the deadline until a signal ends what does not look at the limit."""
_HARD = 1.4
"""Seconds after the deadline until the process ends without being asked."""


@contextmanager
def ended_late(context: Context) -> Iterator[None]:
    """End the process when the block is still running long after the deadline."""
    if context.deadline is None or not _is_ours():
        yield
        return
    over = threading.Event()
    with suppress(RuntimeError):  # no thread can be started: then the alarm alone must do
        threading.Thread(target=_end_late, args=(context, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()


@contextmanager
def alarmed(context: Context) -> Iterator[None]:
    """Let a timer raise the limit's error in the main thread, where there are such timers.

    A block within another one has a timer of its own; that of the other goes on afterwards.

    Raises:
        LimitReached: a moment after the deadline; also in place of any other error from then on,
            because what an alarm has interrupted (an import, say) may be left in pieces.
    """
    main = threading.current_thread() is threading.main_thread()
    if context.deadline is None or not main or not hasattr(signal, "setitimer"):
        yield
        return
    late = context.deadline + _GENTLE

    def ring(number: int, frame: FrameType | None) -> NoReturn:
        # What is interrupted while it is being taken to pieces has nothing to say any more.
        sys.unraisablehook = lambda _: None
        raise context.reached()

    before, hook = signal.signal(signal.SIGALRM, ring), sys.unraisablehook
    begin = time.monotonic()
    outer, _ = signal.setitimer(signal.ITIMER_REAL, max(late - begin, 1e-3))
    try:
        yield
    except LimitReached:
        raise
    except Exception as error:
        if time.monotonic() < late:
            raise
        raise context.reached() from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            left = begin + outer - time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, max(left, 1e-3))
        if not _is_ours():
            sys.unraisablehook = hook


def _is_ours() -> bool:
    """Whether the process is the program's own; else somebody runs the command within theirs."""
    from bddsudoku.streams import Stream

    return isinstance(getattr(sys.stdout, "buffer", None), Stream)


def _end_late(context: Context, over: threading.Event) -> None:
    """End the process when the command is still there long after its deadline."""
    assert context.deadline is not None
    if over.wait(max(context.deadline + _HARD - time.monotonic(), 0)):
        return
    from bddsudoku.writing import discard_unfinished

    discard_unfinished()
    # Standard output may be blocked by a reader that does not read: try, but do not wait for it.
    flusher = threading.Thread(target=_flush, daemon=True)
    flusher.start()
    flusher.join(0.2)
    lines = lines_so_far()
    with suppress(OSError):
        os.write(2, f"bddsudoku: {context.reached()}{lines}\n".encode())
    os._exit(3)


def _flush() -> None:
    with suppress(OSError, ValueError):
        sys.stdout.flush()
