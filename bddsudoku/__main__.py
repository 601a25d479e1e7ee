"""``python -m bddsudoku``, and the command ``bddsudoku``."""

from __future__ import annotations

import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line as the process's one purpose."""
    # Until there is something to clean up, Ctrl-C ends it without a word.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from bddsudoku.cli import main

    main(prog_name="bddsudoku")


if __name__ == "__main__":
    run()
