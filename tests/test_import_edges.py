"""Imports between the packages: only in the permitted directions, and without cycles."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "bddsudoku"

GROUND = {
    "argument_types", "errors", "jit", "context", "lazy_imports", "file_io",
    "input_source", "notebook_html", "number_text",
    "plug_ins",
}  # fmt: skip
"""Modules that every package may import; these import no package."""
ALLOWED: dict[str, set[str]] = {
    **{name: set() for name in GROUND},
    "work": set(),
    "model": set(),
    "puzzle": {"model", "sets", "symmetry"},
    "engine": {"model", "diagrams", "sets", "work"},
    "diagrams": {"model"},
    "sets": {"diagrams", "model"},
    "solver": {"model", "puzzle", "engine", "diagrams", "report", "sets", "work"},
    "symmetry": {"model", "puzzle", "engine", "diagrams", "sets", "solver", "work"},
    "numberlink": {"model", "engine", "diagrams", "sets", "solver"},
    "authoring": {"model", "puzzle", "engine", "diagrams", "sets", "solver", "symmetry", "work"},
    "cpmpy_solver": {"puzzle", "sets", "solver"},
    "report": {"puzzle", "sets"},
    "explore": {"authoring", "sets", "solver", "report", "puzzle"},
    "cli": {
        "authoring", "engine", "explore", "model", "numberlink", "puzzle", "report", "sets",
        "solver", "symmetry", "work",
    },
}  # fmt: skip
INDEPENDENT = {"dlx.py", "brute_force.py"}


def package_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_packages(path: Path) -> set[str]:
    """Subpackages that a file imports, anywhere in the file (imports in functions count)."""
    packages = set()
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
                packages.add(parts[1])
    return packages - {"__version__"}


FILES = sorted(
    p
    for p in PACKAGE.rglob("*.py")
    if p.name not in {"__init__.py", "__main__.py"} or p.parent != PACKAGE
)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_file_imports_only_what_it_may(path: Path) -> None:
    part = package_of(path)
    surplus = imported_packages(path) - ALLOWED[part] - GROUND - {part}
    assert not surplus, f"{path.relative_to(PACKAGE)} imports {sorted(surplus)}"


@pytest.mark.parametrize("name", sorted(INDEPENDENT))
def test_the_cross_checkers_share_no_code_with_the_diagram_engines(name: str) -> None:
    path = PACKAGE / "engine" / name
    engines = set(re.findall(r"bddsudoku\.engine[. ](\w*)", path.read_text(encoding="utf-8")))
    assert engines <= ({"dlx", "protocol"} if name.startswith("dlx") else {"protocol"})
    assert imported_packages(path) - {"engine"} <= {"context", "errors", "jit", "model"}


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in PACKAGE.rglob("*.py")}

OUTWARD_IMPORTS = {
    # a method that people expect on the class asks what makes the class
    ("puzzle.sudoku.grid", "puzzle.sudoku.text.reader"),
    ("puzzle.sudoku.grid", "puzzle.sudoku.text.writer"),
    ("puzzle.sudoku.grid", "puzzle.sudoku.svg.board_picture"),
    ("puzzle.sudoku.grid", "symmetry.canonical"),
    ("puzzle.sudoku.grid", "symmetry.puzzle_symmetries"),
}
"""Imports left out in the search for cycles."""

IN_FUNCTIONS = {
    "__main__",
    "engine.conjunction.backends",
    "engine.conjunction.engine",
    "engine.board_lists",
    "engine.portfolio",
    "engine.protocol",
    "engine.unfinished_counts",
    "explore.embedded",
    "explore.server",
    "model.mdd",
    "model.to_mdd",
    "puzzle.sudoku.grid",
    "puzzle.sudoku.sudoku_decoder",
    "puzzle.sudoku.rules.regex_and_formula_rules",
    "puzzle.sudoku.text.multi_line_forms",
    "puzzle.sudoku.text.writer",
    "solver.answers",
    "solver.cube_and_conquer",
    "solver.dispatch",
    "solver.puzzle_lists",
    "solver.question",
    "solver.sources",
    "work.processes",
}
"""Files that import others of the package inside functions: a single board needs no sets, no lists
and few engines. The command line's do, too: a command loads what it needs, when it is called."""


def imported_from(node: ast.AST) -> set[str]:
    """Files of the package that are imported anywhere below a node.

    For type checkers and inside functions, too. A name that a package hands on leads to the package
    and to the file that it comes from.
    """
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Import):
            found |= {alias.name for alias in inner.names}
        elif isinstance(inner, ast.ImportFrom) and inner.module:
            for alias in inner.names:
                name = f"{inner.module}.{alias.name}"
                found |= {name} if name in MODULES else {inner.module, defining_module(name)}
    return found & MODULES.keys()


@cache
def reexports(face: str) -> dict[str, str]:
    """The names that a package re-exports, with the modules that define them."""
    stub = MODULES[face].with_suffix(".pyi")
    tree = ast.parse((stub if stub.exists() else MODULES[face]).read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def defining_module(name: str) -> str:
    """The file that a name of a package comes from."""
    package, _, last = name.rpartition(".")
    if package not in MODULES or MODULES[package].name != "__init__.py":
        return package
    return reexports(package).get(last, package)


@cache
def imports_of(name: str) -> frozenset[str]:
    """The modules that a module imports, without the permitted outward imports."""
    found = imported_from(ast.parse(MODULES[name].read_text(encoding="utf-8")))
    return frozenset(
        other for other in found if (short_name(name), short_name(other)) not in OUTWARD_IMPORTS
    )


def short_name(name: str) -> str:
    return name.removeprefix("bddsudoku.")


def import_cycle(start: str) -> list[str] | None:
    """Find the shortest cycle of imports through a file."""
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
    circle = import_cycle(name)
    assert circle is None, " → ".join(circle)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_stand_at_the_top(name: str) -> None:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    late = [
        node.name for node in ast.walk(tree) if isinstance(node, functions) if imported_from(node)
    ]
    assert not late or short_name(name) in IN_FUNCTIONS or short_name(name).startswith("cli"), late


def test_the_frontier_knows_no_spec() -> None:
    for name in MODULES:
        if name.startswith("bddsudoku.engine.frontier."):
            assert not [o for o in imports_of(name) if o.startswith("bddsudoku.engine.specs")]


def test_imports_are_found() -> None:
    assert "bddsudoku.diagrams.set_files" in imports_of("bddsudoku.sets.diagram_set")
    assert "bddsudoku.solver.cube_and_conquer" in imports_of(
        "bddsudoku.cli.count_commands"
    )  # in a function
    assert "bddsudoku.engine.frontier.spec" in imports_of(
        "bddsudoku.engine.order_choice"
    )  # for checkers
    assert defining_module("bddsudoku.solver.count") != "bddsudoku.solver"


def test_every_package_is_known() -> None:
    assert {package_of(p) for p in FILES} <= set(ALLOWED)
