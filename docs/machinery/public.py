"""What of the package is public, and where a page tells of it.

A name is told where it is first found: in the package itself, else in the first of the modules one
level below it.
"""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module
from types import FunctionType, ModuleType

MODULES = (
    "bddsudoku",
    "bddsudoku.puzzle",
    "bddsudoku.model",
    "bddsudoku.sets",
    "bddsudoku.solver",
    "bddsudoku.authoring",
    "bddsudoku.report",
    "bddsudoku.explore",
    "bddsudoku.engine",
    "bddsudoku.work",
    "bddsudoku.context",
    "bddsudoku.errors",
)
"""What people import from, the package first."""


@cache
def homes() -> dict[int, str]:
    """The identity of each public object → the path under which it is told."""
    found: dict[int, str] = {}
    for module in MODULES:
        for name in names(module):
            found.setdefault(id(getattr(import_module(module), name)), f"{module}.{name}")
    return found


def names(module: str) -> list[str]:
    """A module's public names."""
    return [n for n in import_module(module).__all__ if not n.startswith("__")]


def object_at(path: str) -> object:
    """The object of a dotted path; its modules are imported.

    Raises LookupError where there is none.
    """
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if error.name and not error.name.startswith("bddsudoku") and parts[0] == "bddsudoku":
                return None  # it is there, and needs a package that is not
            continue
        except ImportError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part) and part not in getattr(found, "__annotations__", ()):
                raise LookupError(path)
            found = getattr(found, part, None)
        return found
    raise LookupError(path)


def callable_or_property(member: object) -> bool:
    """Whether it has a docstring of its own, and so a place on a page."""
    kinds = (property, cached_property, classmethod, staticmethod, FunctionType)
    return isinstance(member, kinds)


def told_at(path: str) -> str | None:
    """Where the pages tell of what has this path; None where they do not.

    Raises LookupError where there is nothing of that path.
    """
    found = object_at(path)
    if isinstance(found, ModuleType):
        return homes().get(id(found)) or (path if path in MODULES else None)
    if found is not None and id(found) in homes():
        return homes()[id(found)]
    owner, _, member = path.rpartition(".")
    if not owner or member.startswith("_"):
        return None
    parent = object_at(owner)
    for base in getattr(parent, "__mro__", ()):
        own = {*vars(base), *vars(base).get("__annotations__", ())}
        if member in own:
            home = homes().get(id(base))
            shown = getattr(vars(base).get(member), "__doc__", None) and callable_or_property(
                vars(base)[member]
            )
            return f"{home}.{member}" if home and shown else home
    return None
