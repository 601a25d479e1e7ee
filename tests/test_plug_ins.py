"""Rules and engines of other packages; the documentation's pages install and run two of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bddsudoku import count, count_many, plug_ins
from bddsudoku.engine import engine_names, protocol, unregister
from bddsudoku.errors import BddSudokuError, PlugInError
from bddsudoku.puzzle import Puzzle, known_rules
from bddsudoku.puzzle.sudoku.rules import rule

ROOT = Path(__file__).parent.parent
BOARD = "." * 16
SOLVED = "123456789456789123789123456231674895875912364694538217317265948542897631968341572"
RULE = """
from dataclasses import dataclass
from bddsudoku.puzzle import FieldKind, Places, Rule
@dataclass(frozen=True)
class Odd(Rule):
    name, about, fields = "uneven", "all digits are odd", {"cells": FieldKind.PLACES}
    cells: Places
    def constraints(self, layout):
        from bddsudoku.puzzle import rule_constraints
        odd = lambda digit: digit % 2
        return [rule_constraints.allowed_digits(self, layout, place, odd) for place in self.cells]
    def holds(self, grid):
        return all(grid[place] % 2 for place in self.cells)
class Unfinished(Rule):
    name = "unfinished"
class Cage(Odd):
    name = "cage"
"""


def run(site: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the program where the packages of a folder are installed, too."""
    path = os.pathsep.join([str(site), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "bddsudoku", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        input=text,
        capture_output=True,
        text=True,
    )


class Site:
    """A folder in which packages are installed, and which Python searches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, package: str, group: str, *entries: str, code: str = "") -> None:
        module = package.replace("-", "_")
        (self.folder / f"{module}.py").write_text(code, encoding="utf-8")
        about = self.folder / f"{module}-1.5.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.5\n")
        lines = "\n".join(entries)
        (about / "entry_points.txt").write_text(f"[bddsudoku.{group}]\n{lines}\n")


def forget() -> None:
    plug_ins._entry_points.cache_clear()
    rule._plug_in_rule_names.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(protocol, "_registry", protocol._registry.copy())
    monkeypatch.setattr(rule, "_REGISTRY", rule._REGISTRY.copy())
    before = {*sys.modules}
    forget()
    yield Site(tmp_path)
    forget()
    for name in {*sys.modules} - before:
        if name.startswith(("good_", "bad_")):
            del sys.modules[name]


def test_a_rule_is_known_before_its_package_is_imported(site: Site) -> None:
    site.install("good-rules", "rules", "uneven = good_rules:Odd", code=RULE)
    puzzle = Puzzle.parse(f"{BOARD}\nuneven r1c1\n")
    assert [r.text for r in puzzle.rules] == ["uneven r1c1"]
    assert "uneven" in known_rules()


def test_plain_puzzles_and_names_of_this_package_look_for_no_plug_ins(site: Site) -> None:
    Puzzle.parse(f"{BOARD}\ncage 3 r1c1 r1c2\n")
    protocol.find_engine("frontier")
    assert count(Puzzle.parse(SOLVED[:80] + ".")) == 1
    assert count_many([SOLVED[:60].ljust(81, ".")] * 3).tolist() == [4, 4, 4]
    assert count(Puzzle.parse(BOARD), "frontier") == 288
    assert not plug_ins._entry_points.cache_info().misses


@pytest.mark.parametrize(
    ("entry", "code", "why"),
    [
        ("uneven = bad_rules:Odd", "import nothing_of_this_name", "No module named"),
        ("uneven = bad_rules:Missing", RULE, "has no attribute 'Missing'"),
        ("uneven = bad_rules:Places", RULE, "expected a class derived from Rule"),
        ("uneven = bad_rules:Odd", "raise SystemExit('two\\nlines')", "SystemExit: two lines"),
        ("odd_one = bad_rules:Odd", RULE, "the class is called 'uneven'"),
        ("unfinished = bad_rules:Unfinished", RULE, "the class lacks constraints, holds"),
        ("cage = bad_rules:Cage", RULE, "the name is taken"),
    ],
)
def test_a_broken_rule(site: Site, entry: str, code: str, why: str) -> None:
    site.install("bad-rules", "rules", entry, code=code)
    with pytest.raises(PlugInError, match=r"package bad-rules 1\.5") as caught:
        known_rules()
    assert why in str(caught.value)
    assert entry in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_packages_of_the_same_name(site: Site) -> None:
    for package in ("good-one", "good-two"):
        entry = f"uneven = {package.replace('-', '_')}:Odd"
        site.install(package, "rules", entry, code=RULE)
    with pytest.raises(PlugInError, match=r"good-(one|two) 1.5.*good-(one|two) 1.5"):
        known_rules()


def test_a_broken_rule_ends_in_one_line(site: Site) -> None:
    site.install("bad-rules", "rules", "uneven = bad_rules:Odd", code="import nothing_at_all")
    done = run(site.folder, "count", "-", text=f"{BOARD}\nuneven r1c1\n")
    assert done.returncode == 1
    assert re.fullmatch(
        r"bddsudoku: .*package bad-rules 1.5.*No module named 'nothing_at_all'\n", done.stderr
    )
    assert run(site.folder, "count", BOARD).stdout == "288\n"  # nobody needs the package


@pytest.mark.parametrize("damage", [b"uneven = \xff", b"nothing that is a list"])
@pytest.mark.parametrize("group", [b"bddsudoku.rules", b"console_scripts"])
def test_a_damaged_list_of_entry_points_concerns_nobody_else(
    site: Site, group: bytes, damage: bytes
) -> None:
    site.install("good-rules", "rules", "uneven = good_rules:Odd", code=RULE)
    site.install("bad-rules", "rules")
    path = site.folder / "bad_rules-1.5.dist-info" / "entry_points.txt"
    path.write_bytes(b"[%b]\n%b\n" % (group, damage))
    assert "'nobody' is not one of" in run(site.folder, "count", BOARD, "--engine", "nobody").stderr
    if group == b"console_scripts":
        assert "uneven" in known_rules()
    else:
        with pytest.raises(PlugInError, match=r"bad-rules 1\.5: its entry points cannot be read"):
            known_rules()
    compiled = run(site.folder, "rules", f"{BOARD}\ndiagonals")
    assert (compiled.returncode, "Traceback" in compiled.stderr) == (0, False)


ENGINE = """
from bddsudoku.engine import Engine, Forecast
class Guess(Engine):
    name = "guess"
    def count(self, model, context):
        return 42
    def forecast(self, model, context):
        return Forecast(0.0, "a guess")
class Needy(Guess):
    name = "needy"
    def __init__(self, something):
        pass
"""


def test_engines(site: Site) -> None:
    names = engine_names()
    forget()
    site.install("good-engines", "engines", "guess = good_engines:Guess", code=ENGINE)
    assert set(engine_names()) - set(names) == {"guess"}
    assert "good_engines" not in sys.modules
    found = protocol.find_engine("guess")
    assert found.name == "guess"
    assert found in list(protocol.engines())
    with pytest.raises(BddSudokuError, match="already called"):
        protocol.register(found)
    with pytest.raises(BddSudokuError, match="of an installed package"):
        unregister("guess")


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("needy = bad_engines:Needy", "TypeError"),
        ("dlx = bad_engines:Guess", "the name is taken"),
        ("other = bad_engines:Guess", "the class is called 'guess'"),
    ],
)
def test_a_broken_engine(site: Site, entry: str, why: str) -> None:
    site.install("bad-engines", "engines", entry, code=ENGINE)
    with pytest.raises(PlugInError, match=f"package bad-engines 1.5.*{why}"):
        list(protocol.engines())
    done = run(site.folder, "count", "--engine", entry.split()[0], BOARD)
    if entry.startswith("dlx"):
        assert done.stdout == "288\n"
    else:
        assert done.returncode == 1
        assert re.fullmatch(rf"bddsudoku: package bad-engines 1.5.*{why}.*\n", done.stderr)


def test_an_engine_on_the_command_line(site: Site) -> None:
    site.install("good-engines", "engines", "guess = good_engines:Guess", code=ENGINE)
    assert run(site.folder, "count", "--engine", "guess", BOARD).stdout == "42\n"
    assert "guess" in run(site.folder, "count", "--help").stdout
    assert "guess" in run(site.folder, "count", "--engine", "nothing", BOARD).stderr
    checked = run(site.folder, "check", BOARD)
    assert checked.returncode == 1
    assert re.search(r"^guess +42 ", checked.stdout, re.M)
