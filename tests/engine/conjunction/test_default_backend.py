"""The default backend where dd has no CUDD: the next one is used, and the program says so."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bddsudoku.cli.command_base import print_log_messages
from bddsudoku.engine.conjunction.backends import BACKENDS, missing_backends_note

HIDING = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
PUZZLE = "1.34341221434..."


def run(folder: Path, hidden: set[str], *arguments: str) -> tuple[str, str]:
    """Output and messages of the program on a host without the hidden modules."""
    (folder / "sitecustomize.py").write_text(HIDING.format(hidden=hidden), encoding="utf-8")
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[3])])
    done = subprocess.run(
        [sys.executable, "-m", "bddsudoku", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_analyse_names_the_backend_it_used(tmp_path: Path) -> None:
    pytest.importorskip("oxidd")
    output, messages = run(tmp_path, {"dd.cudd"}, "analyse", "--no-hints", PUZZLE)
    assert "allocation paper, oxidd " in output
    assert "(no cudd: dd wheels with CUDD exist for" in output
    assert "Solutions: 1\n" in output
    assert "engines agree" in output
    assert messages.count("BDD backend: oxidd (no cudd: ") == 1


def test_build_uses_it_too_and_says_so_once(tmp_path: Path) -> None:
    pytest.importorskip("oxidd")
    output, messages = run(tmp_path, {"dd.cudd"}, "build", PUZZLE)
    assert "backend     oxidd " in output
    assert messages == f"BDD backend: oxidd (no cudd: {BACKENDS['cudd'][1]})\n"


def test_a_warning_leaves_room_for_the_reason_of_the_first_slow_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = logging.getLogger("bddsudoku")
    with print_log_messages(verbose=False, explain=True):
        log.warning("stands in")
        log.info("first")
        log.info("second")
        log.warning("another")
    assert capsys.readouterr().err.splitlines() == ["stands in", "first", "another"]


def test_there_is_no_note_with_the_first_backend() -> None:
    first, *_ = BACKENDS
    assert missing_backends_note(first) == ""
