"""The house's one-way imports: who may import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "bddsudoku"

GROUND = {"errors", "jit"}
"""What every room may import; these import no room."""
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "jit": set(),
    "model": set(),
    "puzzle": {"model"},
    "engine": {"model", "solutions"},
    "solutions": set(),
    "solver": {"model", "puzzle", "engine", "solutions"},
    "report": {"puzzle", "solutions"},
    "cli": {"solver", "report", "puzzle"},
}
INDEPENDENT = {"dlx.py", "dlx_bits.py", "dlx_links.py", "dlx_state.py", "backtrack.py"}


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
    surplus = imported_rooms(path) - ALLOWED[room] - {room}
    if room != "errors":
        surplus -= {"errors"} if room in GROUND else GROUND
    assert not surplus, f"{path.relative_to(PACKAGE)} imports {sorted(surplus)}"


@pytest.mark.parametrize("name", sorted(INDEPENDENT))
def test_the_cross_checkers_share_no_code_with_the_diagram_engines(name: str) -> None:
    path = PACKAGE / "engine" / name
    rooms = imported_rooms(path)
    if name.startswith("dlx"):
        text = path.read_text(encoding="utf-8")
        of_engine = re.findall(r"bddsudoku\.engine(?: import (.+)|\.(\w+))", text)
        names = {n for pair in of_engine for part in pair for n in part.split(", ") if n}
        assert names <= {"dlx", "dlx_bits", "dlx_links", "dlx_state"}
        rooms -= {"engine"}
    assert rooms <= {"errors", "jit", "model"}


def test_every_room_is_known() -> None:
    rooms = {room_of(p) for p in FILES}
    assert rooms <= set(ALLOWED)
