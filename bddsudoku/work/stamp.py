"""What tells two installations apart: the version, and the sources that kernels are made from."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from bddsudoku import __version__


@cache
def stamp() -> str:
    """``0.1.0 (sources 25aee17ce57e)``: equal where the same code runs; 20 ms, once a process."""
    package = Path(__file__).parents[1]
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{__version__} (sources {found.hexdigest()[:12]})"
