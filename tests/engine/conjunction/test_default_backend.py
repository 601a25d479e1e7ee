"""The default backend where dd has no CUDD: the next one is used, and the program says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


def run(folder: Path, hidden: set[str], *arguments: str) -> str:
    """Output of the program on a host without the hidden modules."""
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
    return done.stdout


@pytest.mark.parametrize(
    ("hidden", "taken"),
    [({"dd.cudd"}, "oxidd"), ({"dd.cudd", "oxidd", "oxidd.bcdd"}, "autoref")],
)
def test_analyse_names_the_backend_it_used(hidden: set[str], taken: str, tmp_path: Path) -> None:
    if taken == "oxidd":
        pytest.importorskip("oxidd")
    output = run(tmp_path, hidden, "analyse", "--no-hints", PUZZLE)
    assert f"allocation paper, {taken} " in output
    assert "(no cudd: dd wheels with CUDD exist for" in output
    assert "Solutions: 1\n" in output
    assert "engines agree" in output


def test_build_uses_it_too(tmp_path: Path) -> None:
    pytest.importorskip("oxidd")
    assert "oxidd" in run(tmp_path, {"dd.cudd"}, "build", PUZZLE)


def test_there_is_no_note_with_the_first_backend() -> None:
    first, *_ = BACKENDS
    assert missing_backends_note(first) == ""
