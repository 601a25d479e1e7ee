"""Which sources machine code was made from."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import types

_PACKAGE = Path(__file__).parents[1]
_IMPORTS = re.compile(
    rb"^(?:from (bddsudoku[.\w]*) import (\([^)]*\)|.*)|import (bddsudoku[.\w]*))", re.MULTILINE
)


@cache
def _read(path: str, _mtime: int, _size: int) -> tuple[bytes, frozenset[str]]:
    """Fingerprint of a file, and the modules of the package that it may import."""
    text = Path(path).read_bytes()
    modules = set()
    for base, names, whole in _IMPORTS.findall(text):
        start = (base or whole).decode()
        modules.add(start)
        modules.update(f"{start}.{name.decode()}" for name in re.findall(rb"\w+", names))
    return hashlib.sha256(text).digest(), frozenset(modules)


def _file_of(name: str) -> str | None:
    """Where a module's text is; None if it is no module.

    Those of the package are looked for on disk: which of them are loaded already, and so how far a
    fingerprint goes, would depend on who imported what first.
    """
    if name.partition(".")[0] == _PACKAGE.name:
        return _place(name)
    path: str | None = getattr(sys.modules.get(name), "__file__", None)
    return path


@cache
def _place(name: str) -> str | None:
    """The file of a module of the package."""
    place = os.path.join(_PACKAGE.parent, *name.split("."))
    files = (f"{place}.py", os.path.join(place, "__init__.py"))
    return next(filter(os.path.isfile, files), None)


def fingerprint(names: Sequence[str]) -> bytes | None:
    """Fingerprint of modules and all that they import from the package; None if it cannot be had.

    Only imports at the beginning of a line count: others give no names to kernels.
    """
    found: dict[str, bytes] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _file_of(name)
        if path is None and name not in names:
            continue  # a name that is no module
        if path is None:
            return None
        try:
            info = os.stat(path)
            found[name], imported = _read(path, info.st_mtime_ns, info.st_size)
        except OSError:
            return None
        waiting.extend(imported)
    return hashlib.sha256(repr(sorted(found.items())).encode()).digest()


def classes_in(signature: Iterable[Any]) -> list[type] | None:
    """The parameter classes in a signature; None where another process could not name one."""
    classes: list[type] = []
    waiting = list(signature)
    while waiting:
        kind: Any = waiting.pop()
        cls = getattr(kind, "instance_class", None)
        if isinstance(cls, type):
            found: Any = getattr(sys.modules.get(cls.__module__), cls.__qualname__, None)
            if cls.__module__ == "__main__" or found is not cls:
                return None
            classes.append(cls)
        if isinstance(kind, types.Callable):
            return None
        waiting.extend(getattr(kind, "types", ()))
    return classes
