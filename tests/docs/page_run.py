"""A run of the code blocks of a page, in order, in a separate folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from shown import matches
from snippets import KINDS, ROOT, Block, Command, commands

_CAT = re.compile(r"^cat ([\w.-]+)$")
_SECONDS = 240


class BrokenSnippetError(AssertionError):
    """Raised for a code block whose output differs from its page."""


class PageRun:
    """The folder, the programs and the Python process of one page.

    Args:
        name: of the page, for messages.
        folder: an empty one.
        checkout: where the package is.
        place: where the commands run; by default in the folder, beside a copy of ``data``.

    Raises BrokenSnippetError where a block fails or prints something else than what is shown.
    """

    def __init__(
        self, name: str, folder: Path, checkout: Path = ROOT, place: Path | None = None
    ) -> None:
        self.name = name
        self.folder = place or folder / "page"
        if place is None:
            shutil.copytree(checkout / "data", self.folder / "data")
        programs = folder / "bin"
        programs.mkdir()
        python = shlex.quote(sys.executable)
        for program, words in (
            ("bddsudoku", "-m bddsudoku "),
            ("python", ""),
            ("python3", ""),
        ):
            path = programs / program
            path.write_text(f'#!/bin/sh\nexec {python} {words}"$@"\n', encoding="utf-8")
            path.chmod(0o755)
        # What a page installs is built from its folder, and goes into a folder of the page's own.
        packages = folder / "packages"
        options = f"-q --no-index --no-deps --no-build-isolation --target {packages}"
        (programs / "pip").write_text(
            f'#!/bin/sh\ncommand=$1; shift\nexec {python} -m pip "$command" {options} "$@"\n',
            encoding="utf-8",
        )
        (programs / "pip").chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}",
            "PYTHONPATH": os.pathsep.join([str(checkout), str(packages)]),
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "100",
            "MPLBACKEND": "agg",
        }
        self._python: subprocess.Popen[str] | None = None

    def __enter__(self) -> PageRun:
        return self

    def __exit__(self, *_: object) -> None:
        if self._python is not None:
            self._python.kill()
            self._python.communicate()

    def run(self, blocks: Iterable[Block]) -> int:
        """Run what is to be run; how many blocks that were."""
        done = 0
        for block in blocks:
            if block.not_run:
                continue
            if block.title:
                self._write(block.title, block.text)
            if block.kind == "console":
                for command in commands(block):
                    self.run_command(command)
            elif block.kind == "python":
                self._block(block)
            done += block.kind in KINDS
        return done

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_command(self, command: Command) -> None:
        """Run a command; it exits with 0, or says what is shown."""
        cat = _CAT.match(command.text.strip())
        if cat and command.shown and not (self.folder / cat[1]).exists():
            self._write(cat[1], command.shown + "\n")
            return
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
        if not command.shown:
            if done.returncode:
                self._broken(command.line, command.text, "exit code 0", _output_of(done))
            return
        both = [done.stderr + done.stdout, done.stdout + done.stderr]
        candidates = both if done.returncode else [done.stdout, *both]
        if not any(matches(command.shown, text) for text in candidates):
            self._broken(command.line, command.text, command.shown, _output_of(done))

    def _block(self, block: Block) -> None:
        if self._python is None:
            script = Path(__file__).with_name("page_process.py")
            self._python = subprocess.Popen(
                [sys.executable, str(script)],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        request = {"name": self.name, "line": block.line, "text": block.text}
        self._python.stdin.write(json.dumps(request) + "\n")
        self._python.stdin.flush()
        answer = self._python.stdout.readline()
        if not answer:
            self._broken(block.line, block.text, "a process that goes on", "it has ended")
        reply = json.loads(answer)
        if reply["error"]:
            self._broken(block.line, block.text, "no exception", reply["error"])
        if block.printed is not None and not matches(block.printed, reply["printed"]):
            self._broken(block.line, block.text, block.printed, reply["printed"])

    def _broken(self, line: int, text: str, shown: str, printed: str) -> None:
        raise BrokenSnippetError(
            f"{self.name}, line {line}:\n{text}\n--- the page shows:\n{shown}\n"
            f"--- the run gave:\n{printed}"
        )


def _output_of(done: subprocess.CompletedProcess[str]) -> str:
    code = f"(exit code {done.returncode})\n" if done.returncode else ""
    return code + done.stdout + (f"(standard error)\n{done.stderr}" if done.stderr else "")
