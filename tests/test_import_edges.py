"""The house's one-way imports: who may import whom."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "bddsudoku"

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "jit": set(),
    "context": set(),
    "files": set(),
    "numbers": set(),
    "lazy": set(),
    "work": set(),
    "model": set(),
    "puzzle": {"model", "sets"},
    "engine": {"model", "diagrams", "sets", "work"},
    "diagrams": {"model"},
    "sets": {"diagrams", "model"},
    "solver": {"model", "puzzle", "engine", "diagrams", "sets", "work"},
    "numberlink": {"model", "engine", "diagrams", "sets", "solver"},
    "authoring": {"model", "puzzle", "engine", "diagrams", "sets", "solver", "work"},
    "report": {"puzzle", "sets"},
    "explore": {"solver", "report", "puzzle"},
    "cli": {
        "authoring",
        "engine",
        "explore",
        "model",
        "numberlink",
        "puzzle",
        "report",
        "sets",
        "solver",
        "work",
    },
}
GROUND = {"errors", "jit", "context", "lazy", "files", "numbers"}
"""What every room may import; these import no room."""
INDEPENDENT = {"dlx/engine.py", "dlx/bits.py", "dlx/links.py", "brute_force.py"}


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imported_rooms(path: Path) -> set[str]:
    """Rooms of the package that a file imports, wherever in the file (lazy imports count)."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "bddsudoku" and len(parts) > 1:
                rooms.add(parts[1])
    return rooms - {"__version__"}


FILES = sorted(
    p
    for p in PACKAGE.rglob("*.py")
    if p.name not in {"__init__.py", "__main__.py"} or p.parent != PACKAGE
)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_file_imports_only_what_its_room_may(path: Path) -> None:
    room = room_of(path)
    surplus = imported_rooms(path) - ALLOWED[room] - GROUND - {room}
    assert not surplus, f"{path.relative_to(PACKAGE)} imports {sorted(surplus)}"


@pytest.mark.parametrize("name", sorted(INDEPENDENT))
def test_the_cross_checkers_share_no_code_with_the_diagram_engines(name: str) -> None:
    path = PACKAGE / "engine" / name
    rooms = imported_rooms(path)
    if name.startswith("dlx"):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"bddsudoku\.engine[. ](\w+)", text)) <= {"dlx", "protocol"}
        rooms -= {"engine"}
    if name == "brute_force.py":
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"bddsudoku\.engine[. ]\w*", text)) == {"bddsudoku.engine.protocol"}
        rooms -= {"engine"}
    assert rooms <= {"context", "errors", "jit", "model"}


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in PACKAGE.rglob("*.py")}

A_CLASS_READS_ITS_TEXT = {("bddsudoku.puzzle.sudoku.grid", "bddsudoku.puzzle.sudoku.text")}
"""Circles that are known: ``Puzzle.parse`` asks the readers, and these make a Puzzle."""


def is_for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imported_modules(node: ast.AST) -> set[str]:
    """Files of the package that Python imports, wherever below a node (lazy imports count)."""
    if is_for_type_checkers(node):
        assert isinstance(node, ast.If)
        return set().union(*map(imported_modules, node.orelse))
    found: set[str] = set()
    if isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            found.add(inner if inner in MODULES else node.module)
    elif isinstance(node, ast.Import):
        found |= {alias.name for alias in node.names}
    for child in ast.iter_child_nodes(node):
        found |= imported_modules(child)
    return found


@cache
def imports_of(name: str) -> frozenset[str]:
    """The files that a file imports, but for the circles that are known."""
    found = imported_modules(ast.parse(MODULES[name].read_text(encoding="utf-8")))
    return frozenset(
        other for other in found & MODULES.keys() if (name, other) not in A_CLASS_READS_ITS_TEXT
    )


def way_back(start: str) -> list[str] | None:
    """The shortest way along imports from a file to itself."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:  # grows while it is gone through
        for other in sorted(imports_of(way[-1])):
            if other == start:
                return [*way, start]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return None


@pytest.mark.parametrize("name", sorted(MODULES))
def test_no_circle_of_imports(name: str) -> None:
    circle = way_back(name)
    assert circle is None, " → ".join(circle)


def test_the_frontier_knows_no_spec() -> None:
    for name in MODULES:
        if name.startswith("bddsudoku.engine.frontier"):
            assert not [
                other for other in imports_of(name) if other.startswith("bddsudoku.engine.specs")
            ]


def test_imports_are_found() -> None:
    assert "bddsudoku.diagrams.files" in imports_of("bddsudoku.sets.solutionset")
    assert "bddsudoku.solver" in imports_of("bddsudoku.cli.count")  # in a function
    assert "bddsudoku.numberlink.board" not in imports_of("bddsudoku.numberlink.text")


def test_every_room_is_known() -> None:
    rooms = {room_of(p) for p in FILES}
    assert rooms <= set(ALLOWED)
