"""Names that functions or facades import lazily exist; no other test would notice."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from figures import FIGURE_1

FEW_HINTS = "000000010400000000020000000000050400008000300001090000000400200050100000000806000"
ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "bddsudoku"
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "experiments").rglob("*.py")])
FACADES = [
    path.parent.relative_to(ROOT).as_posix().replace("/", ".")
    for path in PACKAGE.rglob("__init__.py")
    if "lazy_names" in path.read_text(encoding="utf-8")
]


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def own_imports(node: ast.AST) -> Iterator[ast.ImportFrom]:
    """Imports from the package anywhere below a node, as Python executes them."""
    if is_type_checking(node):
        assert isinstance(node, ast.If)
        for child in node.orelse:
            yield from own_imports(child)
        return
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "bddsudoku":
        yield node
    for child in ast.iter_child_nodes(node):
        yield from own_imports(child)


def late_names(path: Path) -> list[tuple[str, str]]:
    """(module, name) of all that functions import from the package."""
    text = path.read_text(encoding="utf-8")
    if "        from bddsudoku" not in text and "    from bddsudoku" not in text:
        return []
    tree = ast.parse(text)
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    found = {
        (node.module or "", alias.name)
        for function in functions
        for node in own_imports(function)
        for alias in node.names
    }
    return sorted(found)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_functions_import_is_there(path: Path) -> None:
    for module, name in late_names(path):
        if module == "bddsudoku.explore.widget" and find_spec("anywidget") is None:
            continue
        loaded = import_module(module)
        if not hasattr(loaded, name):
            import_module(f"{module}.{name}")  # a submodule


def stub_imports(package: str) -> set[tuple[str, str]]:
    """(module, name) of the imports in a facade's stub."""
    file = import_module(package).__file__
    assert file is not None
    tree = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    return {
        (node.module or "", alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_there_is_one_way_to_load_names_late() -> None:
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [n for n in tree.body if getattr(n, "name", "") == "__getattr__"], path


@pytest.mark.parametrize("package", FACADES)
def test_a_facade_offers_the_names_of_its_stub(package: str) -> None:
    facade = import_module(package)
    in_stub = stub_imports(package)
    assert set(facade.__all__) - {"__version__"} == {name for _, name in in_stub}
    for module, name in in_stub:
        assert name in dir(facade)
        assert getattr(facade, name) is getattr(import_module(module), name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_that_name'"):
        facade.nothing_of_that_name  # noqa: B018


@pytest.mark.parametrize("package", FACADES)
def test_a_facade_loads_nothing_before_it_is_asked(package: str) -> None:
    heavy = {"numpy", "numba", "click", "json"}
    code = f"import sys, {package}; print(*({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("question", "unneeded"),
    [
        ((FIGURE_1,), "numba bddsudoku.sets.solutionset bddsudoku.engine.bitboard"),
        ((FEW_HINTS,), "bddsudoku.engine.search bddsudoku.engine.dlx bddsudoku.engine.frontier"),
        ((FIGURE_1, "--limit", "2"), "bddsudoku.engine.search bddsudoku.sets.solutionset"),
    ],
)
def test_one_board_loads_no_engine_that_it_does_not_need(
    question: tuple[str, ...], unneeded: str
) -> None:
    code = f"""import sys
from bddsudoku.cli import main
try:
    main(["count", *{question!r}])
except SystemExit:
    print(*({set(unneeded.split())} & set(sys.modules)))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == []
