"""Pages name only existing commands, options, Python names and files of the repository.

Blocks that are run show it themselves (:mod:`test_snippets`); this is about all other mentions.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import click
import pytest
from cli.commands import leaves
from snippets import KINDS, ROOT, blocks

from bddsudoku.errors import BackendUnavailable

PAGES = [
    *ROOT.glob("README*.md"),
    *(ROOT / "data").rglob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
]
BY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
_OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][a-z-]*")


def options() -> dict[str, set[str]]:
    """Command → its options; of one with actions, those of all of them."""
    found: dict[str, set[str]] = {}
    for path, command in leaves():
        own = {"--help", "-h"}
        own |= {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
        for name in {" ".join(path), path[0]}:
            found[name] = found.get(name, set()) | own
    return found


OPTIONS = options()
STRANGERS = {"--nthreads"}
"""Options of other programs that pages speak of."""
SCRIPTS = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "experiments").rglob("*.py")
)


def mentions(page: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of every piece of code in running text, and of every line of blocks not run."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(page):
        if block.not_run or block.kind not in KINDS:
            for number, line in enumerate(block.text.splitlines(), block.line + 1):
                yield number, line.removeprefix("$ ")
    prose = re.sub(r"^ *```.*?^ *```", lambda m: "\n" * m[0].count("\n"), text, flags=re.M | re.S)
    for match in re.finditer(r"`([^`]+)`", prose):
        yield prose.count("\n", 0, match.start()) + 1, " ".join(match[1].split())


@BY_PAGE
def test_commands_and_options(page: Path) -> None:
    for line, text in mentions(page):
        words = text.removeprefix("bddsudoku ").split()
        names = words[0].split("|") if words else []
        options_named = {name for name in _OPTION.findall(text) if name.startswith("--")}
        if text.startswith("bddsudoku "):
            assert {*names} <= {*OPTIONS, "--help", "--version", "-h"}, f"{page}, line {line}"
        elif text.startswith("--"):
            every = set().union(*OPTIONS.values())
            every |= STRANGERS
            assert all(name in every or name in SCRIPTS for name in options_named), (
                f"{page}, line {line}"
            )
            continue
        if names and {*names} <= {*OPTIONS}:
            known = set().union(*(OPTIONS[name] for name in names))
            assert options_named <= known, f"{page}, line {line}: {text}"


def test_the_reference_names_every_option() -> None:
    sys.path.insert(0, str(ROOT / "docs" / "machinery"))
    try:
        reference = import_module("command_line").page()
    finally:
        sys.path.pop(0)
    parts = re.split(r"^#+ bddsudoku ", reference, flags=re.M)
    named = {part.split("\n")[0]: set(re.findall(r"--[a-z-]+", part)) for part in parts[1:]}
    for path, command in leaves():
        own = {
            name
            for param in command.params
            if isinstance(param, click.Option)
            for name in (*param.opts, *param.secondary_opts)
            if name.startswith("--")
        }
        assert own <= named[" ".join(path)], path


@BY_PAGE
def test_python_names(page: Path) -> None:
    for block in blocks(page):
        if block.kind != "python" or not block.not_run:
            continue
        for node in ast.walk(ast.parse(block.text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bddsudoku"):
                with suppress(BackendUnavailable):  # it needs a package that is not installed
                    module = import_module(node.module or "")
                    for alias in node.names:
                        found = hasattr(module, alias.name)
                        assert found, f"{page}, line {block.line}: {alias.name}"


@BY_PAGE
def test_files(page: Path) -> None:
    for line, text in mentions(page):
        for name in re.findall(
            r"(?<![\w/.])(?:bddsudoku|experiments|data|docs|tests)/[\w./-]+", text
        ):
            found = "NAME" in name or (ROOT / name).exists()
            assert found, f"{page}, line {line}: {name}"


def test_the_reach_of_search() -> None:
    from bddsudoku.engine.search.model_translation import MAX_CANDIDATES

    for name in ("README.md", "README.ja.md", "docs/explanation/engines.md"):
        assert f"{MAX_CANDIDATES:,}" in (ROOT / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name.endswith(".ja.md")], ids=lambda page: page.name
)
def test_no_line_of_a_japanese_page_ends_within_a_sentence(page: Path) -> None:
    """A browser shows the end of a line as a blank."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    lines = text.split("\n")
    for line, after in pairwise(lines):
        begins = re.match(r"\s*([-*+] |\d+\. |[#|<>]|!\[|:::|$)| {4}", after)
        assert begins or re.match(r"$|[#|<>]|!\[", line), after
