"""Completion in shells, the examples of the tutorial and the man pages."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.commands import leaves
from click.testing import Result

import bddsudoku
from bddsudoku.cli.examples import EXAMPLE_LINES as LINES_OF_HELP
from bddsudoku.cli.examples import EXAMPLES

Run = Callable[..., Result]
HEAVY = ("numba", "numpy", "dd", "matplotlib")
"""Packages that take longer to import than an answer to the Tab key may take."""
LINES = [
    ("bddsudoku c", "count"),
    ("bddsudoku count --engine f", "frontier"),
    ("bddsudoku generate --sym", "--symmetry"),
    ("bddsudoku formula x.formula m", "marginals"),
    ("bddsudoku numberlink x m", "marginals"),
    ("bddsudoku example cin", "cinema.formula"),
]
"""A command line, and a word that completes its last one."""


def completing(line: str, shell: str = "bash") -> dict[str, str]:
    """The environment in which a shell asks the program for completions."""
    words = line if shell != "fish" else line.rpartition(" ")[0]
    cword = str(line.count(" ")) if shell != "fish" else line.rpartition(" ")[2]
    asked = {"COMP_WORDS": words, "COMP_CWORD": cword, "_BDDSUDOKU_COMPLETE": f"{shell}_complete"}
    return os.environ | asked


@pytest.mark.parametrize(("line", "word"), LINES)
def test_a_completion_loads_nothing_heavy(line: str, word: str) -> None:
    code = (
        "import atexit, sys\n"
        f"heavy = set({HEAVY})\n"
        "atexit.register(lambda: print(*sorted(sys.modules.keys() & heavy), file=sys.stderr))\n"
        "from bddsudoku.__main__ import run\n"
        "run()\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=completing(line), capture_output=True, text=True, check=True)
    assert word in [found.partition(",")[2] for found in done.stdout.splitlines()]
    assert done.stderr == "\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_of_the_shells(shell: str, tmp_path: Path) -> None:
    """The script that the documentation installs is one that the shell reads, if it is there."""
    environment = os.environ | {"_BDDSUDOKU_COMPLETE": f"{shell}_source"}
    command = [sys.executable, "-m", "bddsudoku"]
    script = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert f"_BDDSUDOKU_COMPLETE={shell}_complete" in script.stdout
    done = subprocess.run(
        command, env=completing("bddsudoku cou", shell), capture_output=True, text=True, check=True
    )
    assert "count" in re.split(r"[,\s]", done.stdout)
    if program := shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(script.stdout, encoding="utf-8")
        subprocess.run([program, "-n", str(path)], check=True)


# -- examples --------------------------------------------------------------------------------------


def test_examples_are_listed_and_printed(run: Run) -> None:
    folder = Path(bddsudoku.__file__).parent / "examples"
    assert {path.name for path in folder.iterdir()} == EXAMPLES.keys()
    listed = run("example", "--list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [*EXAMPLES]
    for name in EXAMPLES:
        assert run("example", name).stdout == (folder / name).read_text(encoding="utf-8")


def test_the_help_of_every_command_ends_with_examples() -> None:
    used = []
    for path, command in leaves():
        first, _, *lines = (command.epilog or "").split("\n")
        assert first == "Examples:"
        assert lines[0] == "\b"
        assert len(lines) > 1, path
        used += [line.removeprefix("bddsudoku ") for line in lines[1:]]
    assert sorted(used) == sorted(LINES_OF_HELP)


@pytest.mark.parametrize("line", LINES_OF_HELP)
def test_examples_of_the_help_run(
    run: Run, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(Path(bddsudoku.__file__).parent / "examples", tmp_path, dirs_exist_ok=True)
    words = shlex.split(line)
    shown = run(*words, *["--help"] * (words[0] in ("explore", "mcp", "warm-up")))
    assert shown.stdout or "-o" in words


def test_what_is_no_example_is_refused_by_name(run: Run) -> None:
    assert "'other.txt' is not one of 'puzzle.txt'" in run("example", "other.txt", code=2).stderr
    assert "or --list" in run("example", code=2).stderr
    assert "or --list" in run("example", "puzzle.txt", "--list", code=2).stderr


# -- man pages -------------------------------------------------------------------------------------


def test_every_command_has_a_man_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machinery = Path(__file__).parents[2] / "docs" / "machinery"
    monkeypatch.syspath_prepend(machinery)
    from man_pages import man_pages

    pages = man_pages()
    for path, command in leaves():
        page = pages[f"{'-'.join(('bddsudoku', *path))}.1"]
        assert page.startswith(f'.TH "{"-".join(("bddsudoku", *path)).upper()}" "1"')
        for param in command.params:
            for name in param.opts if param.param_type_name == "option" else ():
                assert name.replace("-", r"\-") in page, (path, name)
    assert {"bddsudoku.1", "bddsudoku-cover.1"} < pages.keys()
    assert r"\fBbddsudoku\-count\fR(1)" in pages["bddsudoku.1"]
    if not (groff := shutil.which("groff")):
        pytest.skip("groff is not installed")
    for name, page in pages.items():
        command_line = [groff, "-man", "-Tutf8", "-ww", "-Kutf8"]
        done = subprocess.run(command_line, input=page.encode(), capture_output=True, check=True)
        assert not done.stderr, (name, done.stderr)
        assert done.stdout
