"""Examples in docstrings are run; every function that the first pages call has one."""

from __future__ import annotations

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest
from snippets import ROOT, blocks

NODES = (ast.Module, ast.ClassDef, ast.FunctionDef)
FIRST_PAGES = ("README.md", "docs/tutorial/first_picture.md", "docs/tutorial/first_variant.md")
OF_PYTHON = {"open", "print", "read"}


def examples() -> dict[str, doctest.DocTest]:
    """The examples of every docstring that has some, by module and name."""
    found = {}
    for path in sorted((ROOT / "bddsudoku").rglob("*.py")):
        if ">>> " not in (text := path.read_text(encoding="utf-8")):
            continue
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(text)):
            shown = ast.get_docstring(node) if isinstance(node, NODES) else None
            if shown and ">>> " in shown:
                name, line = getattr(node, "name", ""), getattr(node, "lineno", 1)
                names = dict(vars(import_module(module)))
                test = doctest.DocTestParser().get_doctest(shown, names, name, str(path), line)
                found[f"{module}-{name}"] = test
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_show_what_happens(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert doctest.DocTestRunner().run(EXAMPLES[name]).failed == 0


@pytest.mark.parametrize("page", FIRST_PAGES)
def test_what_the_first_pages_call_has_an_example(page: str) -> None:
    shown = {name.partition("-")[2] for name in EXAMPLES}
    for block in blocks(ROOT / page):
        for node in ast.walk(ast.parse(block.text)) if block.kind == "python" else ():
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                assert called in shown | OF_PYTHON, called
