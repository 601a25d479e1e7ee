"""Plug-ins: rules and engines that other installed packages declare as entry points.

A package names its classes in its ``pyproject.toml``, and they are found where it is installed::

    [project.entry-points."bddsudoku.rules"]
    divides = "my_rules:Divides"

The name of an entry point is that of the rule or engine, so that a package is imported only when
its name is needed. The list of entry points is read when a name is not the project's own, or when
all names are asked for: reading it takes some 30 ms. A plug-in that cannot be loaded is an error
that names its package, never skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from bddsudoku.errors import PlugInError

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")
U = TypeVar("U")


@cache
def _entry_points(group: str) -> Mapping[str, EntryPoint]:
    """A mapping from name to entry point, for all entry points of a group.

    Raises:
        PlugInError: two packages use the same name, or what one says of this group is no list.
    """
    from importlib.metadata import distributions

    found: dict[str, EntryPoint] = {}
    for entry in chain.from_iterable(_read_entry_points(d, group) for d in distributions()):
        other = found.setdefault(entry.name, entry)
        packages = {getattr(each.dist, "name", None) for each in (other, entry)}
        if other.value != entry.value and len(packages) > 1:  # of one package the first counts
            raise _plug_in_error(
                entry, f"package {_package_and_version(other)} has a plug-in of this name, too"
            )
    return found


def _read_entry_points(package: Distribution, group: str) -> Iterable[EntryPoint]:
    """The entry points of a package in a group; none if its list is damaged and has no such group.

    Other packages' lists are no concern of ours: a line without ``=`` or not in UTF-8, say.
    """
    try:
        return package.entry_points.select(group=group)
    except Exception as error:
        text = getattr(error, "object", None) or package.read_text("entry_points.txt")
        if group not in str(text):
            return ()
        why = f"its entry points cannot be read: {error}"
        raise PlugInError(f"package {package.name} {package.version}: {why}") from error


def plug_in_names(group: str, taken: Collection[str] = ()) -> tuple[str, ...]:
    """The names of the installed plug-ins of a group, without importing them.

    Args:
        group: ``bddsudoku.rules`` or ``bddsudoku.engines``.
        taken: names that no plug-in may have.

    Raises:
        PlugInError: two packages use the same name, or one that is taken.
    """
    found = _entry_points(group)
    for name in found.keys() & set(taken):
        raise _plug_in_error(found[name], "the name is taken")
    return tuple(found)


def load_plug_in(group: str, name: str, base: type[T], convert: Callable[[type[T]], U]) -> U:
    """Import the class of a plug-in, check it, and return the result of ``convert`` for it.

    Args:
        group, name: of an entry point (:func:`plug_in_names`).
        base: the class that it must derive from.
        convert: registers the class, or makes its object.

    Raises:
        PlugInError: the package cannot be imported, or its class is no plug-in of this group.
    """
    entry = _entry_points(group)[name]
    try:
        found = entry.load()
        if not (isinstance(found, type) and issubclass(found, base)):
            raise TypeError(f"expected a class derived from {base.__name__}, found {found!r}")
        if missing := sorted(getattr(found, "__abstractmethods__", ())):
            raise TypeError(f"the class lacks {', '.join(missing)}")
        if getattr(found, "name", None) != name:
            raise ValueError(f"the class is called {getattr(found, 'name', None)!r}")
        return convert(found)
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise _plug_in_error(entry, why) from error


def _package_and_version(entry: EntryPoint) -> str:
    """Name and version of the package that an entry point belongs to."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "without a name"


def _plug_in_error(entry: EntryPoint, why: str) -> PlugInError:
    place = f"{entry.name} = {entry.value} ({entry.group})"
    return PlugInError(
        f"package {_package_and_version(entry)}: the plug-in {place} cannot be used: {why}"
    )
