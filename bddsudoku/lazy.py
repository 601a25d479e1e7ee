"""Packages whose names are loaded when they are first asked for: the program starts at once.

The names that such a package offers stand once, in the stub beside it, as type checkers read them::

    # __init__.pyi
    from package.heavy import answer as answer

    # __init__.py
    __all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module

_OFFERED = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(
    package: str, file: str
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package that loads its names on first use.

    Args:
        package: its ``__name__``.
        file: its ``__file__``; the stub of the same name lies beside it.
    """
    with open(file.removesuffix("c") + "i", encoding="utf-8") as stub:
        home = {name: module for module, name in _OFFERED.findall(stub.read())}
    public = sorted(home)

    def __getattr__(name: str) -> object:  # noqa: N807 - what Python calls on a module
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[package]), *public})

    return public, __getattr__, __dir__
