"""The release: wheel, source archive, and the program installed from the wheel alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import bddsudoku

ROOT = Path(__file__).parent.parent
PUZZLE = "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
SMALL = "1.34341221434..."
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_one_place_for_the_version() -> None:
    assert bddsudoku.__version__ == "2.0.0"
    assert "version" in PROJECT["dynamic"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {bddsudoku.__version__}\n" in citation
    assert re.search(r"^date-released: \d{4}-\d\d-\d\d$", citation, re.M)


def test_all_extras_of_users_are_in_all() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = re.fullmatch(r"bddsudoku\[(.*)\]", everything)
    assert named
    assert {*named[1].split(",")} == {*extras} - {"all", "docs", "peers", "test"}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Wheel and source archive, built from a copy of what a checkout has."""
    pytest.importorskip("setuptools", minversion="77", reason="builds the archives")
    folder = tmp_path_factory.mktemp("release")
    copy = folder / "checkout"
    leave = shutil.ignore_patterns(
        ".*", "__pycache__", "*.egg-info", "build", "dist", "experiments", "drawn"
    )
    shutil.copytree(ROOT, copy, ignore=leave)
    project = copy / "pyproject.toml"
    urls = '[project.urls]\nRepository = "https://example.org/r"\n\n[project.scripts]'
    project.write_text(project.read_text(encoding="utf-8").replace("[project.scripts]", urls))
    code = (
        "from setuptools import build_meta as b\n"
        f"b.build_sdist({str(folder)!r}); b.build_wheel({str(folder)!r})"
    )
    subprocess.run([sys.executable, "-c", code], cwd=copy, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    (source,) = folder.glob("*.tar.gz")
    return wheel, source


def test_the_wheel_holds_the_package_and_nothing_else(archives: tuple[Path, Path]) -> None:
    wheel = archives[0]
    assert wheel.name == f"bddsudoku-{bddsudoku.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if not name.endswith("/")}
        (shown,) = (file.read(n).decode() for n in names if n.endswith("/METADATA"))
    ours = {n for n in names if n.startswith("bddsudoku/")}
    package = ROOT / "bddsudoku"
    wanted = {*package.rglob("*.py")} | {*(package / "explore" / "static").iterdir()}
    wanted |= {*(package / "examples").iterdir()}
    wanted |= {package / "py.typed", *package.rglob("*.pyi"), *package.rglob("*.toml")}
    assert ours == {p.relative_to(ROOT).as_posix() for p in wanted}
    assert {n.split("/")[0] for n in names - ours} == {
        f"bddsudoku-{bddsudoku.__version__}.dist-info"
    }
    assert [n for n in names if n.endswith("licenses/LICENSE")]
    assert "](https://example.org/r/blob/v2.0.0/docs/index.md)" in shown
    assert "](https://example.org/r/raw/v2.0.0/docs/marginals.png)" in shown
    assert not re.search(r"\]\((?!https?:)", shown)
    for version in ("3.11", "3.12", "3.13"):
        assert f"Classifier: Programming Language :: Python :: {version}" in shown
    assert "Requires-Python: >=3.11" in shown


def test_the_source_archive_builds_and_has_no_tests(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[1]) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff", "bddsudoku/py.typed"} <= names
    assert not [n for n in names if n.split("/")[0] in ("tests", "docs", "experiments", "data")]


@pytest.mark.slow
def test_a_wheel_with_machine_code_compiles_nothing(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", minversion="77", reason="builds the wheel")
    words = [sys.executable, "experiments/build_wheel.py", str(tmp_path / "dist")]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-none-"
    assert tag in wheel.name
    assert not wheel.name.endswith("-any.whl")
    there = install_beside(wheel, tmp_path)
    cache = tmp_path / "cache"
    for words in (["count", PUZZLE], ["marginals", SMALL], ["analyse", "--no-hints", SMALL]):
        run(there, *words, NUMBA_CACHE_DIR=str(cache))
    assert not list(cache.rglob("*-*-*"))


OLDEST = str(re.search(r"numba>=([\d.]+)", " ".join(PROJECT["dependencies"]))[1])  # type: ignore[index]


@pytest.mark.slow
@pytest.mark.parametrize("numba", [f"numba=={OLDEST}.*", "numba"], ids=["oldest", "newest"])
def test_the_oldest_and_the_newest_numba(
    numba: str, archives: tuple[Path, Path], tmp_path: Path
) -> None:
    there = install_from_index(sys.executable, tmp_path, archives[0], numba)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):  # compiled, and loaded
        assert run(there, "count", PUZZLE, **cache) == "1\n"
        assert run(there, "count", "--engine", "search", "1234341221434...", **cache) == "1\n"
        assert run(there, "compile", SMALL, **cache)


@pytest.fixture(scope="module")
def installed(
    archives: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """The program of the wheel in an environment of its own, and an empty folder."""
    return install_beside(archives[0], tmp_path_factory.mktemp("bare"))


def install_beside(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """Install a wheel into an environment of its own; the program, and an empty folder.

    Other packages are those of this environment, so that no network is needed.
    """
    venv.create(folder / "venv", with_pip=True)
    bin_ = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = bin_ / "python"
    words = [python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", wheel]
    subprocess.run(words, check=True)
    (inner,) = (folder / "venv").rglob("site-packages")
    lent = [*site.getsitepackages(), str(Path(pytest.__file__).parent.parent)]
    (inner / "lent.pth").write_text("\n".join(dict.fromkeys(lent)) + "\n", encoding="utf-8")
    empty = folder / "empty"
    empty.mkdir()
    return bin_ / "bddsudoku", empty


def bare() -> dict[str, str]:
    """The environment without anything that leads to a checkout."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "BDDSUDOKU"))}


def run(installed: tuple[Path, Path], *arguments: str, **more: str) -> str:
    program, folder = installed
    words, env = [str(program), *arguments], bare() | more
    done = subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
class TestInstalled:
    def test_it_is_the_wheel(self, installed: tuple[Path, Path]) -> None:
        program, folder = installed
        code = "import bddsudoku; print(bddsudoku.__file__)"
        words = [str(program.with_name("python")), "-c", code]
        done = subprocess.run(
            words, cwd=folder, env=bare(), capture_output=True, text=True, check=True
        )
        assert Path(done.stdout.strip()).is_relative_to(program.parent.parent)
        assert run(installed, "--version").split()[-1] == bddsudoku.__version__

    def test_analyse_on_a_pasted_puzzle(self, installed: tuple[Path, Path]) -> None:
        shown = run(installed, "analyse", "--time-limit", "500", "--no-hints", PUZZLE)
        assert "Solutions: 1\n" in shown
        assert "engines agree" in shown

    def test_formula(self, installed: tuple[Path, Path]) -> None:
        (installed[1] / "one.formula").write_text("symbol a b c\na + b + c == 1\n", "utf-8")
        assert run(installed, "formula", "one.formula", "count") == "3\n"


def find_interpreter(version: str) -> str | None:
    """Path of an interpreter of this version: on PATH, or among those that pyenv installed."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for path in map(str, filter(None, places)):
        # pyenv's own python3.12 on PATH exists but refuses to run where 3.12 is not chosen.
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        if shown.returncode == 0 and shown.stdout.startswith(f"Python {version}."):
            return path
    return None


def install_from_index(interpreter: str, folder: Path, *packages: str | Path) -> tuple[Path, Path]:
    """The program in an environment with just what pip takes for it, and an empty folder."""
    subprocess.run([interpreter, "-m", "venv", folder / "venv"], check=True)
    bin_ = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    pip(bin_ / "python", "install", *packages)
    empty = folder / "empty"
    empty.mkdir()
    return bin_ / "bddsudoku", empty


def pip(python: Path, *words: str | Path) -> None:
    """Run pip, or skip the test where no package index is reached."""
    done = subprocess.run(
        [python, "-m", "pip", *words], env=bare(), capture_output=True, text=True, check=False
    )
    if done.returncode and re.search("NewConnectionError|from versions: none", done.stderr):
        pytest.skip("no package index is reached")
    assert done.returncode == 0, done.stderr


OTHERS = [v for v in ("3.11", "3.12", "3.13", "3.14") if not sys.version.startswith(v)]


@pytest.mark.slow
@pytest.mark.parametrize("version", OTHERS)
def test_another_interpreter_answers(
    version: str, archives: tuple[Path, Path], tmp_path: Path
) -> None:
    interpreter = find_interpreter(version)
    if interpreter is None:
        pytest.skip(f"no python{version} on PATH or among pyenv's versions")
    there = install_from_index(interpreter, tmp_path, archives[0])
    assert run(there, "--help").startswith("Usage: bddsudoku")
    assert run(there, "count", PUZZLE) == "1\n"
    backends = {"cudd": "dd.cudd", "oxidd": "oxidd"}
    code = "import importlib, sys; importlib.import_module(sys.argv[1])"
    python = there[0].with_name("python")
    first = next(
        name
        for name, module in backends.items()
        if not subprocess.run([python, "-c", code, module], capture_output=True).returncode
    )
    built = json.loads(run(there, "build", "--procedure", "3", "--json", SMALL))
    assert (built["backend"], built["count"]) == (first, "1")
    (there[1] / "one.formula").write_text("symbol a b c\na + b + c == 1\n", "utf-8")
    assert run(there, "formula", "one.formula", "count") == "3\n"
    assert "three.formula" in run(there, "example", "--list")
