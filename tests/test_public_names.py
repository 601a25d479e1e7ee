"""Public names: the list of them, and imports that users write."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

from bddsudoku.errors import BackendUnavailable

ROOT = Path(__file__).parent.parent
_IMPORT = re.compile(r"^\s*(?:from (bddsudoku[\w.]*) import (.+)|import (bddsudoku[\w.]*))", re.M)


def texts() -> dict[str, str]:
    """The Python in notebooks and in the pages for users."""
    found = {}
    for path in sorted((ROOT / "experiments" / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found[path.name] = "\n".join(
            "".join(c["source"]) for c in cells if c["cell_type"] == "code"
        )
    for path in (
        ROOT / "README.md",
        ROOT / "README.ja.md",
        *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
        *sorted((ROOT / "docs" / "howto").glob("*.md")),
        *sorted((ROOT / "docs" / "reference").glob("*.md")),
        ROOT / "docs" / "explanation" / "architecture.md",
    ):
        blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S)
        found[path.name] = "\n".join(blocks)
    return found


def modules() -> list[str]:
    """The package and its public subpackages and modules."""
    parts = [
        "authoring", "engine", "errors", "explore", "context", "model", "numberlink", "puzzle",
        "report", "sets", "solver", "symmetry", "work",
    ]  # fmt: skip
    return ["bddsudoku", *(f"bddsudoku.{part}" for part in parts)]


def test_the_list_of_public_names() -> None:
    """A name that comes or goes is a decision: the list is changed with it."""
    kept = (ROOT / "tests" / "public_names.txt").read_text(encoding="utf-8")
    found = [f"{m}.{name}" for m in modules() for name in importlib.import_module(m).__all__]
    assert found == kept.split()


@pytest.mark.parametrize("name", texts())
def test_imports_are_shallow_and_public(name: str) -> None:
    for source, names, plain in _IMPORT.findall(texts()[name]):
        module = source or plain
        assert module.count(".") <= 1, f"{module} is too deep"
        try:
            loaded = importlib.import_module(module)
        except BackendUnavailable:
            continue  # its extra is not installed here
        for one in names.strip("()").split(",") if names else ():
            wanted = one.split(" as ")[0].strip(" ()\\")
            if wanted:
                assert wanted in loaded.__all__, f"{wanted} is no public name of {module}"


def test_there_is_something_to_look_at() -> None:
    assert sum(len(_IMPORT.findall(text)) for text in texts().values()) >= 8
