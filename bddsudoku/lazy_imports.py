"""Packages that import their public names on first use, so that the program starts fast.

The public names of such a package are listed once, in the stub that type checkers read::

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
from importlib.util import find_spec

_REEXPORT = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(
    package: str, file: str
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """Make a package's ``__all__``, ``__getattr__`` and ``__dir__``, which import on first use.

    Args:
        package: ``__name__`` of the package.
        file: ``__file__`` of the package; the stub ``__init__.pyi`` is in the same folder.
    """
    with open(file.removesuffix("c") + "i", encoding="utf-8") as stub:
        source_modules = {name: module for module, name in _REEXPORT.findall(stub.read())}
    public = sorted(source_modules)

    def __getattr__(name: str) -> object:  # noqa: N807 - what Python calls on a module
        if name not in source_modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(source_modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[package]), *public})

    return public, __getattr__, __dir__


def is_installed(package: str) -> bool:
    """Whether a package can be imported; it is looked for, not imported."""
    try:
        return find_spec(package) is not None
    except (ValueError, ModuleNotFoundError):  # hidden by a None in sys.modules; without a parent
        return False
