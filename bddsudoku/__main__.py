"""``python -m bddsudoku``, and the command ``bddsudoku``."""

from __future__ import annotations

import gc
import os
import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line as the process's one purpose."""
    # Until there is something to clean up, Ctrl-C ends it without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What is loaded stays: looking through it again and again would take a twentieth of the start.
    gc.set_threshold(50_000)
    from bddsudoku.cli import main
    from bddsudoku.cli.entry import address_space

    if address_space() is not None:
        # OpenBLAS would reserve some for a thread on every core, and end the process without it.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main(prog_name="bddsudoku")


if __name__ == "__main__":
    run()
