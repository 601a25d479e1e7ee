"""The cache of compiled kernels: reuse by another process, trust, damage."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bddsudoku.diagrams.canonical import Nodes
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import highest_bit_index, lowest_bit_index
from bddsudoku.jit.kernel_cache import BASELINE_CPU


@kernel
def same(given):  # type: ignore[no-untyped-def]
    return given


@pytest.mark.parametrize(
    "given", [np.zeros(2), (1, np.zeros(2)), Nodes(np.zeros(2), np.zeros(2), np.zeros(2), 1)]
)
def test_a_kernel_that_returns_other_things_than_numbers_is_refused(given: Any) -> None:
    assert same((1, 2.5)) == (1, 2.5)
    with pytest.raises(TypeError, match="the kernel same returns "):
        same(given)


TINY = """
from bddsudoku.jit import kernel

@kernel
def twice(number):
    return number * 2
"""
ASK = """
from bddsudoku.jit import before_compile_hooks
before_compile_hooks.append(lambda: print("compiled", end=" "))
from tiny import twice
print(twice(21))
"""


class KernelCacheFolders:
    """The folders in which a tiny kernel is compiled and cached."""

    def __init__(self, root: Path) -> None:
        (root / "tiny.py").write_text(TINY, encoding="utf-8")
        self.root = root

    def ask(self, code: str = ASK, cache_folder: Path | None = None, **more: str) -> str:
        """Run the kernel in a process of its own; what that prints."""
        path = [str(self.root), *(p for p in sys.path if p)]
        more |= {
            "PYTHONPATH": os.pathsep.join(path),
            "NUMBA_CACHE_DIR": str(cache_folder or self.root / "cache"),
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | more,
        )
        self.errors = done.stderr
        return done.stdout.strip()

    @property
    def file(self) -> Path:
        """The one file of machine code."""
        (found,) = (self.root / "cache").glob("bddsudoku-*/tiny.twice-*")
        return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> KernelCacheFolders:
    made = KernelCacheFolders(tmp_path_factory.mktemp("machine"))
    assert made.ask() == "compiled 42"
    assert made.ask() == "42"
    assert made.errors == ""
    shutil.copytree(made.root / "cache", made.root / "kept")
    return made


@pytest.fixture
def machine(compiled: KernelCacheFolders) -> KernelCacheFolders:
    """The folders in their state after the compilation."""
    for name in ("cache", "empty"):
        shutil.rmtree(compiled.root / name, ignore_errors=True)
    shutil.copytree(compiled.root / "kept", compiled.root / "cache")
    return compiled


def test_where_nothing_can_be_kept_it_is_compiled_and_said(machine: KernelCacheFolders) -> None:
    for _ in range(2):
        assert machine.ask(cache_folder=machine.root / "tiny.py") == "compiled 42"
        assert "compiled kernels cannot be kept" in machine.errors
        assert "Not a directory" in machine.errors or os.name == "nt"


@pytest.mark.parametrize("damage", ["cut", "changed", "pickle", "class"])
def test_a_damaged_file_is_compiled_anew(machine: KernelCacheFolders, damage: str) -> None:
    whole = machine.file.read_bytes()
    bodies = {"pickle": pickle.dumps(5)[:-1], "class": b"cnowhere\nabsent\n."}
    if damage in bodies:  # and yet with a checksum that fits
        body = bodies[damage]
        data = zlib.crc32(body).to_bytes(4, "little") + body
    else:
        data = whole[:-9] if damage == "cut" else whole[:-9] + b"x" + whole[-8:]
    machine.file.write_bytes(data)
    assert machine.ask() == "compiled 42"
    assert machine.file.read_bytes() != data
    assert machine.ask() == "42"


SHIPPED = """
from pathlib import Path
from bddsudoku.jit import kernel_cache
(kernel_cache.SHIPPED_FOLDER,) = Path({folder!r}).iterdir()
{change}
"""


@pytest.fixture(scope="module")
def shipped(compiled: KernelCacheFolders) -> Path:
    """A folder with the machine code for the baseline CPU, as a wheel has it."""
    folder = compiled.root / "baseline"
    baseline = {"NUMBA_CPU_NAME": BASELINE_CPU, "NUMBA_CPU_FEATURES": ""}
    assert compiled.ask(cache_folder=folder, **baseline) == "compiled 42"
    return folder


@pytest.mark.parametrize(
    ("change", "compiles"),
    [
        ("", False),
        ("kernel_cache._BASELINE_FEATURES = ['absent']", BASELINE_CPU != "generic"),
        ("kernel_cache.numba.__version__ = 'another'", True),
        ("kernel_cache.EXTENSION_SUFFIXES = ['.another.so']", True),
        ("(kernel_cache.SHIPPED_FOLDER / 'tiny.py').parent.chmod(0o777)", False),
    ],
    ids=["fits", "CPU", "numba", "Python", "as safe as the package"],
)
def test_machine_code_of_a_wheel_is_run_where_it_fits(
    machine: KernelCacheFolders, shipped: Path, change: str, compiles: bool
) -> None:
    code = SHIPPED.format(folder=str(shipped), change=change) + ASK
    answer = machine.ask(code, cache_folder=machine.root / "empty")
    assert answer == ("compiled 42" if compiles else "42")


def test_faults_of_our_own_are_not_taken_for_damage(machine: KernelCacheFolders) -> None:
    """A time limit, say, that is reached while machine code is read."""
    fault = """
from numba.core.compiler import CompileResult
from bddsudoku.errors import LimitReached

def reached(*_):
    raise LimitReached("time limit reached", limit="time")

CompileResult._rebuild = reached
from tiny import twice
try:
    twice(21)
except LimitReached as stop:
    print(stop)
"""
    assert machine.ask(fault) == "time limit reached"


@pytest.mark.parametrize("word", [1, 2, 3, 0b1011000, 1 << 63, (1 << 64) - 1])
def test_lowest_and_highest_bit(word: int) -> None:
    @subroutine
    def ends(bits):  # type: ignore[no-untyped-def]
        return lowest_bit_index(bits), highest_bit_index(bits)

    assert ends(np.uint64(word)) == ((word & -word).bit_length() - 1, word.bit_length() - 1)
