"""Packages whose names are loaded when they are first asked for: the program starts at once.

Such a package tells type checkers by plain imports what it offers, and Python by a table::

    if TYPE_CHECKING:
        from package.heavy import answer as answer
    else:
        __all__, __getattr__, __dir__ = lazy_names(__name__, {"package.heavy": ["answer"]})

The branches keep ``__getattr__`` from type checkers: a name that is not there is an error to them.
``tests/test_lazy_names.py`` holds the two lists together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(
    package: str, homes: Mapping[str, Iterable[str]]
) -> tuple[list[str], Callable[[str], object], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a package that loads its names on first use.

    Args:
        package: its ``__name__``.
        homes: by module, the names that are found there.
    """
    home = {name: module for module, names in homes.items() for name in names}
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
