"""``bddsudoku explore``: the board in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bddsudoku.cli.common import How, command, fail, file_names, note
from bddsudoku.cli.puzzles import Given

if TYPE_CHECKING:
    from bddsudoku.explore.server import Server

_FIRST = "000000010400000000020000000000050400008000300001090000000400200050100000000806007"
"""What a first visitor sees: 16 hints, 177,682 solutions."""


@click.command()
@click.argument("puzzle", metavar="[PUZZLE]", required=False, shell_complete=file_names)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: a free one."
)
@click.option("--no-browser", is_flag=True, help="Print the address, open nothing.")
@command("4GiB", json=False)
def explore(puzzle: str | None, port: int, no_browser: bool, how: How) -> None:
    """Show a board in the browser: counts and shares at every step.

    Serves one page on this machine's loopback address until Ctrl-C. The address holds a random
    token and is all that a browser needs: do not pass it on. A question may take two minutes.
    """
    import threading
    import webbrowser

    opening = _FIRST
    if puzzle is not None:
        opening = Given(how.context, how.as_json, puzzle, None).one_record().puzzle.text
    server = _server(opening, port, how.context.memory)

    def open_it() -> None:
        if server.wait_until_started() and not webbrowser.open(server.url):
            note("no browser was found: open the address above in one")

    click.echo(server.url)
    note("serving on this machine only; Ctrl-C ends it")
    if not no_browser:
        threading.Thread(target=open_it, daemon=True).start()
    server.run()


def _server(opening: str, port: int, memory: int | None) -> Server:
    """The server, bound to its port; where it cannot be, one line says why."""
    try:
        from bddsudoku.explore.desk import MEMORY
        from bddsudoku.explore.server import Server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        fail(f"{error.name} is not installed: pip install 'bddsudoku[explore]'")
    try:
        return Server(opening, port, memory=MEMORY if memory is None else memory)
    except OSError as error:
        fail(f"port {port}: {error.strerror}")
