"""The first use of a command: what it loads, and its CPU time on a new machine and afterwards.

For every command, one process each: with an empty cache of machine code (cold), again (warm), and
once more under a profiler. CPU time is that of the process and its children; files entered are
those of the package in which a function is called, imports left out; modules: ``sys.modules``.

    python experiments/first_use.py                   three minutes
    python experiments/first_use.py count             commands that contain a word
    python experiments/first_use.py --keep            without empty caches: the columns at the right

The Python that runs it decides what is measured: a checkout, or a wheel that is installed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import harness

from bddsudoku.report.formatting import format_table

BOARD = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
FIGURE_1 = "403010002070020030500030800050042060690157043040960010002070005060080090800090107"
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
COMMANDS = [
    f"count {BOARD}",
    f"count {SEVENTEEN}",
    "count variant.txt",
    f"marginals {BOARD}",
    "generate --seed 1",
    f"hints {SEVENTEEN}",
    "formula three.formula count",
    f"analyse {FIGURE_1}",
]
PROFILED = """
import sys
import bddsudoku
from bddsudoku.cli import main
package = bddsudoku.__file__.removesuffix("__init__.py")
files, importing = set(), 0
def note(frame, event, _):
    global importing
    code = frame.f_code
    if code.co_name == "<module>":
        importing += (event == "call") - (event == "return")
    elif event == "call" and not importing and code.co_filename.startswith(package):
        files.add(code.co_filename)
sys.setprofile(note)
try:
    main(sys.argv[1:])
except SystemExit:
    pass
sys.setprofile(None)
print("\\n", len(files), len(sys.modules))
"""


def environment(cache: Path | None) -> dict[str, str]:
    """The environment of a command, with its own cache of machine code if there is one."""
    return {**os.environ} if cache is None else {**os.environ, "NUMBA_CACHE_DIR": str(cache)}


def cpu_seconds(words: list[str], folder: Path, cache: Path | None) -> float:
    """CPU seconds of a command and its child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "bddsudoku", *words]
    subprocess.run(command, cwd=folder, env=environment(cache), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def loaded(words: list[str], folder: Path, cache: Path | None) -> tuple[int, int]:
    """Files of the package entered by a command, and modules loaded."""
    command = [sys.executable, "-c", PROFILED, *words]
    done = subprocess.run(
        command, cwd=folder, env=environment(cache), check=True, capture_output=True, text=True
    )
    files, modules = map(int, done.stdout.split()[-2:])
    return files, modules


@click.command()
@click.argument("word", default="")
@click.option("--keep", is_flag=True, help="Use the machine code that is there.")
def main(word: str, keep: bool) -> None:
    """Print a table of the usual commands."""
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        variant = f"{BOARD}\ndiagonals\ncage 9 r1c1 r1c2\n"
        (folder / "variant.txt").write_text(variant, encoding="utf-8")
        (folder / "three.formula").write_text("symbol a b c\na + b + c == 1\n", encoding="utf-8")
        for number, line in enumerate(COMMANDS):
            if word not in line:
                continue
            words, cache = line.split(), None if keep else folder / f"cache{number}"
            cold = "" if keep else f"{cpu_seconds(words, folder, cache):.2f}"
            warm = min(cpu_seconds(words, folder, cache) for _ in range(3))
            rows.append([line[:30], *loaded(words, folder, cache), cold, f"{warm:.2f}"])
    titles = ["command", "files", "modules", "cold CPU s", "warm CPU s"]
    harness.print_machine()
    click.echo(format_table(rows, titles))


if __name__ == "__main__":
    main()
