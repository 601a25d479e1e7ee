"""Machine code that one process leaves behind is what the next one looks for."""

from __future__ import annotations

import subprocess
import sys

import pytest

KERNELS = (
    "bddsudoku.engine.frontier.sweep",
    "bddsudoku.engine.frontier.count",
    "bddsudoku.engine.quick.search",
    "bddsudoku.engine.bands.kernels",
    "bddsudoku.solutions.counting",
)
STAMPS = f"""
from importlib import import_module
from bddsudoku.jit.kept import Kept
stamps = {{}}
before = Kept.__init__
def noted(self, function, *, nrt):
    before(self, function, nrt=nrt)
    stamps[self._name] = self._stamp.hex()
Kept.__init__ = noted
import_module(FIRST)
for name in {KERNELS!r}:
    import_module(name)
print(sorted(stamps.items()))
"""


def stamps_after(first: str) -> dict[str, str]:
    code = STAMPS.replace("FIRST", repr(first))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, str] = dict(eval(done.stdout))
    return found


@pytest.mark.parametrize(
    "first",
    ["bddsudoku.solver.live", "bddsudoku.engine.frontier.expansion", "bddsudoku.solutions"],
)
def test_the_stamp_of_a_kernel_does_not_tell_who_was_imported_first(first: str) -> None:
    usual = stamps_after("bddsudoku.solver.solving")
    other = stamps_after(first)
    assert len(usual) > 20
    assert {name: other[name] for name in usual.keys() & other.keys()} == {
        name: usual[name] for name in usual.keys() & other.keys()
    }
