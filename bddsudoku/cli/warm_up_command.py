"""Command ``bddsudoku warm-up``: compile all kernels, before a question has to wait for one."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from bddsudoku.cli.command_base import CommandRequest, command
from bddsudoku.cli.lifecycle import EXIT_LIMIT
from bddsudoku.errors import BddSudokuError

if TYPE_CHECKING:
    from bddsudoku.work.task import TaskContext

_FILES = {
    "15": "000000010400000000020000000000050400008000300001090000000400200050100000000806000",
    "16": "000000010400000000020000000000050407008000300001090000000400200050100000000806000",
    "30": ".....9.71..215....31..42....3....7.5..45.68..2.7....4....42..87....314..48.6.....",
    "35": "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7",
    "empty": "." * 81,
    "six": "." * 36,
    "part": "123456456" + "." * 27,
    "list": "\n".join(20 * ["1" + "." * 6 + "23" + "." * 36 + "4" + "." * 35]),
    "small": "1...............",
    "grid": "1234341221434321",
    "cage": "000000010400000000020000000000050400008000300001090000000400200050100000000806000\n"
    "diagonals\ncage 9 r1c1 r1c2",
    "variant": "." * 72 + "2" + "." * 8 + "\nantiknight\nthermo r8c8 r9c8 r8c7 r7c8 r6c8\n"
    "thermo r6c1 r5c1 r4c1 r3c2\narrow r3c5 > r4c5 r5c6\narrow r5c7 > r4c7 r4c8\n"
    "whispers r8c5 r9c5 r8c4 r7c3\ncage 20 r4c9 r5c9 r6c9\nsandwich 27 r3c0\n"
    "littlekiller 30 ur r10c5\ndifference 1 r2c7 r2c8",
    "islands": "1" + "." * 15 + "\nconnected 1 2",
    "wishes": "antiknight\nplace 2 thermo",
    "free": "symbol v[1..70]\nv[1] + v[2] >= 1",
    "words": "symbol p[0..3] q[0..3]\nA = sum(p[i] << i for i in 0..3)\n"
    "B = sum(q[i] << i for i in 0..3)\ncommon = A & B\nA * B >= 12\nA % 3 == 1\ncommon != 0\n"
    "(common & common - 1) == 0",
    "links": "SIZE 10X10\nLINE_NUM 5\nLINE#1 (3,3)-(9,9)\nLINE#2 (0,9)-(3,4)\nLINE#3 (1,0)-(2,4)\n"
    "LINE#4 (9,8)-(1,1)\nLINE#5 (1,8)-(1,9)",
    "pairs": "A..A\n....\nB..B",
}
"""Name and text of each file that the commands below read."""
_COMMANDS = """
count --engine search small
count --engine frontier 15
marginals empty
numberlink links count
count --engine components small
sample empty
minimal grid
minimal 16
count 15
count six
sample 15
hints 16
enumerate --order rows --limit 3 15
unavoidable grid --rows 1,2
canonical 16
numberlink pairs compile
formula free marginals
analyse small
minimal 30 --for r1c1=5
count --engine components part
rank six 123456456123231564564231312645645312
marginals --engine components small
generate --seed 1
generate --hints 26-28 --symmetry rotate180 --seed 3
check grid
count --limit 2 list
count --engine search islands
count --estimate --precision 10% 15
rules cage
count variant
rules --each 3 variant
generate --layout 2x3 --rules wishes --seed 1
formula words count
analyse 35
"""
"""Small uses that compile all kernels; uses of the same kernels stand far apart, as several run at
a time."""


def run_command(words: list[str], _: TaskContext) -> None:
    """Run a command; the task of ``warm-up`` in its child processes, whose output nobody sees.

    Raises:
        BddSudokuError: the command failed.
    """
    from bddsudoku.cli import main

    try:
        main(words)
    except SystemExit as end:
        if end.code not in (0, EXIT_LIMIT):
            raise BddSudokuError(
                f"'bddsudoku {' '.join(words)}' ended with code {end.code}"
            ) from end


@click.command()
@command(json=False, layout=False)
def warm_up(request: CommandRequest) -> None:
    """Compile all kernels on all cores, so that no question has to wait for one.

    It takes a minute or so on a new machine, and seconds where all are compiled.
    """
    from bddsudoku.work.processes import Processes
    from bddsudoku.work.resources import available_threads
    from bddsudoku.work.task import Task

    with TemporaryDirectory() as folder, request.with_progress_bar("compiling", "use") as context:
        for name, text in _FILES.items():
            Path(folder, name).write_text(text + "\n", encoding="utf-8")
        lines = [line.split() for line in _COMMANDS.strip().splitlines()]
        tasks = [
            Task(
                "bddsudoku.cli.warm_up_command:run_command",
                [os.path.join(folder, word) if word in _FILES else word for word in line],
            )
            for line in lines
        ]
        with Processes(available_threads()) as runner:
            for outcome in runner.run(tasks, context=context):
                outcome.result()
