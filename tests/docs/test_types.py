"""Examples pass the type checker: those of the pages strictly, notebooks in what they use."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from snippets import ROOT, blocks, pages

from bddsudoku import Layout, Problem, Puzzle, solve

STRICT = ("README", "docs/tutorial/", "docs/howto/")
NOTEBOOKS = sorted((ROOT / "experiments" / "notebooks").glob("*.ipynb"))
#: What the type checker says of a name, a parameter or an attribute that is not there.
MISSING = ("name-defined", "attr-defined", "call-arg", "call-overload", "import-not-found")
SETTINGS = """[mypy]
strict = True
ignore_missing_imports = True
follow_untyped_imports = False
follow_imports = silent
"""
#: What a user may rely on; its last two lines are wrong.
PROMISED = """
from typing import Any, assert_type

from bddsudoku import Model, Problem, Puzzle, compile_set, load, solve
from bddsudoku.sets import GridSet, SolutionSet
from bddsudoku.sets.gridset import DnnfGridSet
from bddsudoku.sets.solution_family import GridFamily, SolutionFamily

puzzle, problem, model = Puzzle.parse(""), Problem(), Model((), ())
assert_type(solve(puzzle), GridFamily[Puzzle])
assert_type(solve("4.txt", time_limit="3s"), GridFamily[Puzzle])
assert_type(solve(problem), SolutionSet[dict[str, int]])
assert_type(solve(model), SolutionFamily)
assert_type(compile_set(puzzle), GridSet[Puzzle])
assert_type(compile_set([[1]], "rows"), GridSet[Puzzle])
assert_type(compile_set(problem), SolutionSet[dict[str, int]])
assert_type(compile_set(model), SolutionSet)
assert_type(load("p.set"), GridSet[Puzzle] | DnnfGridSet[Puzzle])

grids = compile_set(puzzle)
assert_type(grids - grids.given({(0, 0): 6}), GridSet[Puzzle])
assert_type(grids[0], Puzzle)
assert_type(grids.unrank(0), Puzzle)
assert_type(grids.rank(grids[0]), int)
assert_type(next(iter(grids[1:])), Puzzle)
assert_type(next(iter(solve(problem))), dict[str, int])
assert_type(compile_set(model)[0], Any)

Puzzle.parse("", lay=1)
solve(puzzle).knots
"""


def test_examples_pass(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "promised.py").write_text(PROMISED, "utf-8")
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        stem = re.sub(r"\W", "_", name)
        if name.startswith(STRICT):
            python = [b.text for b in blocks(page) if b.kind == "python" and not b.not_run]
            (tmp_path / f"{stem}.py").write_text("\n".join(python), "utf-8")
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        (tmp_path / f"note_{path.stem}.py").write_text("\n\n".join(code), "utf-8")
    (tmp_path / "mypy.ini").write_text(SETTINGS, "utf-8")
    files = sorted(path.name for path in tmp_path.glob("*.py"))
    assert len(files) > 20
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *files],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    found = [line for line in done.stdout.splitlines() if ": error: " in line]
    wrong = [line for line in found if not line.startswith("note_") or is_missing(line)]
    assert [line.split(": error: ")[1] for line in wrong] == [
        'Unexpected keyword argument "lay" for "parse" of "Puzzle"  [call-arg]',
        '"GridFamily[Puzzle]" has no attribute "knots"  [attr-defined]',
    ]


def is_missing(line: str) -> bool:
    """Whether a notebook uses what is not there; what kind of set `solve` made, it knows."""
    if not line.endswith(tuple(f"[{kind}]" for kind in MISSING)):
        return False
    found = re.search(r'"(?:Grid|Solution)Family\[\w+\]" has no attribute "(\w+)"', line)
    grids, others = (
        solve(Puzzle([0] * 4, Layout(1, 2)), "frontier"),
        solve(Problem.parse("symbol a\na")),
    )
    return found is None or not any(hasattr(family, found[1]) for family in (grids, others))
