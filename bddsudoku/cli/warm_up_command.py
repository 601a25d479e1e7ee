"""Command ``bddsudoku warm-up``: compile all kernels before a question has to wait for one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

import bddsudoku
from bddsudoku.cli.command_base import CommandRequest, command

if TYPE_CHECKING:
    from bddsudoku.work.task import TaskContext

_FILES = {
    "few.txt": "000000010400000000020000000000050400008000300001090000000400200050100000000806000",
    "one.txt": "000000010400000000020000000000050407008000300001090000000400200050100000000806000",
    "easy.txt": "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7",
    "empty.txt": "." * 81,
    "small.txt": "1234341221434...",
    "grid.txt": "1234341221434321",
    "lines.txt": "." * 81 + "\nantiknight\ndiagonals\ncage 9 r1c1 r1c2\n",
    "cover.dlx": "a b c d e | f\na b\nc d\na c e\nb d\ne:1\n",
    "pairs.txt": "A..A\n....\nB..B\n",
}
"""What the commands below read, beside the examples."""
_COMMANDS = """
"""


def run_command(words: list[str], _: TaskContext) -> None:
    """Run a command in a child process, whose output nobody sees; the task of ``warm-up``."""
    from bddsudoku.cli import main

    main(words)


@click.command()
@command(json=False, layout=False)
def warm_up(request: CommandRequest) -> None:
    """Compile all kernels on all cores, so that no question waits for one.

    What is compiled already is not compiled again.
    """
