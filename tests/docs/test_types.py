"""Examples pass the type checker: those of the pages strictly, notebooks in what they use."""

from __future__ import annotations

import json
import os
import re
import shutil
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
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.sets.solution_family import SolutionFamily

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

#: What a user does with the package, each thing once.
SCRIPT = """
from io import StringIO
from pathlib import Path

import numpy as np

from bddsudoku import Context, Layout, LimitReached, Problem, Puzzle, check, compile_set, count
from bddsudoku import count_many, hint_impact, load, marginals, rule_impact, solve, solve_many
from bddsudoku import true_candidates
from bddsudoku.authoring import minimal_subsets, subset_answers
from bddsudoku.model import Linear
from bddsudoku.puzzle import Board, ExactCover, Tiling, pieces

TEXT = "1....2.........4"
Path("four.txt").write_text(TEXT)
rows = [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 4]]
forms = TEXT, Path("four.txt"), "four.txt", rows, np.array(rows), StringIO(TEXT), TEXT.encode()
assert {count(form) for form in forms} == {6}
puzzle = Puzzle.parse(TEXT, Layout(2, 2))
assert count(puzzle.with_rule("antiknight")) == 0 and count(puzzle.without("r1c1"), limit=9) == 9
assert count_many([TEXT, rows, "." * 16], limit=9).tolist() == [6, 6, 9]
counts, grids = solve_many(["." * 81], limit=2)
assert counts[0] == 2 and grids.shape == (1, 81)

solutions = solve(puzzle)
first: Puzzle = solutions[0]
assert first in solutions and solutions.unrank(solutions.rank(first)) == first
assert solutions.sample(3, 1).shape == (3, 16)
assert (marginals(puzzle) == solutions.marginals()).all()
assert true_candidates(puzzle).sum() == (solutions.marginals() > 0).sum()
assert solutions.backbone()[0, 0] == 1 and solutions.given({"r1c2": 3}).count() == 3
compiled = compile_set(puzzle)
compiled.save("four.set")
assert load("four.set") == compiled and compiled.restrict(["r1c2=3"]) <= compiled
assert compiled.where(Linear("mine", "", (6, 7), (1, 1), 1, 1)).count() == 6

hints = hint_impact(puzzle)
worth: dict[str, int | None] = {str(hint.cell): hint.count for hint in hints.without}
assert worth["r1c1"] == 18 and hints.minimal and hints.next is not None
assert count(puzzle.with_hint(hints.unique[0].cell, hints.unique[0].digit)) == 1
assert hints.to_dict()["count"] == "6" and len(hints.to_frame()) == 3
rules = rule_impact(puzzle.with_rule("antiknight"))
assert [rule.rule for rule in rules.rules if rule.count] == ["antiknight"]
assert check(puzzle, ["dlx", "frontier"]).runs[0].count == 6
assert subset_answers(minimal_subsets(puzzle)).minimal.sizes == {3: 1}

problem = Problem()
a, b = problem.symbols("a b")
x = problem.integer("x", range(1, 4))
problem.add((a + b == 1) & (x >= 2))
found = solve(problem)
assert found.marginals_by_name()["x=2"] == 2 and found.backbone_by_name() == {"x=1": 0}
assert found.given({"a": 1, "x": 3})[0] == {"a": 1, "b": 0, "x": 3} and repr(a & b) == "(a & b)"
shares: list[float] = [solution["x"] / 2 for solution in found]
assert (found & found) - found.given({"a": 1}) == found.given({"b": 1})
cover = solve(ExactCover("123", ["12", "3", "1", "23"]))
assert cover.count() == 2 and cover.marginals_by_name()["1 2"] == 1
assert count(Tiling(Board.rectangle(2, 3), pieces("dominoes"))) == 3

limits = Context(time_limit=60)
assert count(puzzle, context=limits) == count(puzzle, max_memory="1GiB", time_limit="1min")
try:
    solve("." * 81, "frontier", time_limit=0.1)
except LimitReached as stop:
    assert stop.limit == "time"
"""


def test_examples_pass(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "promised.py").write_text(PROMISED, "utf-8")
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
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


def test_the_script_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.slow
def test_pyright_agrees(tmp_path: Path) -> None:
    """No error in the script, and at least 98 % of the package's types are known."""
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    (tmp_path / "script.py").write_text(SCRIPT, "utf-8")
    settings = {"include": ["script.py"], "extraPaths": ["."], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), "utf-8")
    (tmp_path / "bddsudoku").symlink_to(ROOT / "bddsudoku", target_is_directory=True)

    def asked(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [pyright, "--pythonpath", sys.executable, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    assert (done := asked()).returncode == 0, done.stdout
    done = asked("--verifytypes", "bddsudoku", "--ignoreexternal")
    score = re.search(r"completeness score: ([\d.]+)%", done.stdout)
    assert score, done.stderr
    assert float(score[1]) >= 98
