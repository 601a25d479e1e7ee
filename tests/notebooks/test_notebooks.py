"""Notebooks: they fit the package as it is, have their outputs, and run."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bddsudoku import Layout, Problem, Puzzle, solve

FOLDER = Path(__file__).parents[2] / "experiments" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: What the type checker says of a name, a parameter or an attribute that is not there.
MISSING = ("name-defined", "attr-defined", "call-arg", "call-overload", "import-not-found")


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def sources(path: Path, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path, kind)]


def test_their_outputs_are_committed_and_small() -> None:
    assert len(NOTEBOOKS) == 9
    assert sum(path.stat().st_size for path in NOTEBOOKS) < 3_000_000
    for path in NOTEBOOKS:
        code = cells(path, "code")
        assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)], path
        outputs = [output for cell in code for output in cell["outputs"]]
        assert len(outputs) > 2
        assert not {"error", "stderr"} & {o.get("name", o["output_type"]) for o in outputs}
        assert str(Path.home()) not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_ask_import_once_and_say_what_was_found(path: Path) -> None:
    told = sources(path, "markdown")
    assert "**The question.**" in told[0]
    assert told[-1].startswith("## What was found\n")
    for text in sources(path, "code")[1:]:
        assert [
            n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)
        ] == []


def test_all_that_they_use_is_there(tmp_path: Path) -> None:
    """By the type checker: running them takes minutes."""
    pytest.importorskip("mypy")
    assert complaints(tmp_path, "import bddsudoku\nbddsudoku.Puzzle.parse('', lay=1)\n")
    assert complaints(tmp_path, "import bddsudoku\nbddsudoku.solve(bddsudoku.Puzzle([])).knots\n")
    for path in NOTEBOOKS:
        (tmp_path / f"n{path.stem}.py").write_text("\n\n".join(sources(path, "code")), "utf-8")
    assert complaints(tmp_path) == []


def complaints(folder: Path, text: str = "") -> list[str]:
    """What the files of a folder use and is not there."""
    (folder / "small.py").write_text(text, "utf-8")
    (folder / "mypy.ini").write_text(
        "[mypy]\nignore_missing_imports = True\nfollow_untyped_imports = False\n"
        "check_untyped_defs = True\nfollow_imports = silent\n",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", *map(str, folder.glob("*.py"))],
        cwd=folder,
        env={"MYPYPATH": str(FOLDER.parents[1]), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr + done.stdout
    return [
        line
        for line in done.stdout.splitlines()
        if line.endswith(tuple(f"[{kind}]" for kind in MISSING)) and not of_some_set(line)
    ]


def of_some_set(line: str) -> bool:
    """`solve` promises a set; which attributes it has depends on what is solved."""
    found = re.search(r'"SolutionFamily" has no attribute "(\w+)"', line)
    grids, others = (
        solve(Puzzle([0] * 4, Layout(1, 2)), "frontier"),
        solve(Problem.parse("symbol a\na")),
    )
    return found is not None and any(hasattr(family, found[1]) for family in (grids, others))


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None,
    reason="notebooks need the extra: pip install '.[notebook]'",
)
def test_all_of_them_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "execute.py"), "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for path in NOTEBOOKS:
        assert any(cell["outputs"] for cell in cells(tmp_path / path.name, "code"))
