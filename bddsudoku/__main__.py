"""Entry point of ``python -m bddsudoku`` and of the command ``bddsudoku``."""

from __future__ import annotations

import gc
import os
import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line, after setting the process's signals and garbage collection."""
    # Until there is something to clean up, Ctrl-C ends the process without a message.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Loaded modules are never garbage: scanning them would take a twentieth of the start.
    gc.set_threshold(50_000)
    from bddsudoku.cli import main
    from bddsudoku.cli.lifecycle import read_address_space_limit

    if read_address_space_limit() is not None:
        # OpenBLAS reserves addresses for a thread on every core, and aborts where there are none.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main(prog_name="bddsudoku")


if __name__ == "__main__":
    run()
