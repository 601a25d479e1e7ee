"""Notebooks: they fit the package as it is, have their outputs, and run."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "experiments" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def sources(path: Path, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in cells(path, kind)]


def test_their_outputs_are_committed_and_small() -> None:
    assert len(NOTEBOOKS) == 10
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
