"""Arguments of a wrong type, refused in words: one value, or all by a function's annotations."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, TypeVar, cast

from bddsudoku.number_text import short_repr

F = TypeVar("F", bound=Callable[..., Any])


class _StreamType(type):
    def __instancecheck__(cls, value: object) -> bool:
        return hasattr(value, "read") or hasattr(value, "write")


class _Stream(metaclass=_StreamType):
    """Anything that can be read or written, as streams need not have a class in common."""


_KINDS: dict[str, Any] = {
    "int": Integral,
    "float": Real,
    "str": str,
    "type": type,
    "None": type(None),
    "Callable": Callable,
    "Mapping": Mapping,
    "dict": Mapping,
    "Iterable": Iterable,
    "IO": _Stream,
    "BinaryIO": _Stream,
} | dict.fromkeys(("Sequence", "Collection", "tuple", "list", "frozenset"), Collection)
"""What is taken where an annotation has a word."""
LEAST = {"limit": 0, "start": 0, "size": 1, "jobs": 1}
"""The least value of arguments with these names, as on the command line."""


def require_type(value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Refuse a value of a wrong type in one line.

    Raises:
        TypeError: what was expected, and what was found.
    """
    if not isinstance(value, kinds):
        raise TypeError(f"expected {expected}, found {short_repr(value)}")


def check_types(function: F) -> F:
    """A function, or a class, that first refuses arguments whose types do not fit.

    Compared are plain annotations: unions of built-in types, collections, arrays, and classes that
    the module imports at run time. Others are left to the function. A text is no collection, an
    array is one. Numbers below :data:`LEAST` are refused, too. A call takes a microsecond more.
    """
    if isinstance(function, type):
        function.__init__ = check_types(function.__init__)  # type: ignore[misc]
        return function
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    title = re.sub(r"\.__\w+__$", "", function.__qualname__)
    has_limits = any(str(note).startswith("Unpack[") for note in function.__annotations__.values())

    @cache
    def kinds_by_name() -> dict[str, tuple[str, tuple[type, ...]]]:
        known = SimpleNamespace(**(function.__globals__ | _KINDS))
        notes = {name: str(note) for name, note in function.__annotations__.items()}
        for keywords, note in [*notes.items()]:
            if note.startswith("Unpack["):
                del notes[keywords]
                limits = getattr(known, note[7:-1])
                known = SimpleNamespace(**(vars(sys.modules[limits.__module__]) | vars(known)))
                shared = limits.__annotations__
                notes |= {name: shared[name].__forward_arg__ for name in shared}
        return {name: (note, _kinds(note, known)) for name, note in notes.items()}

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        wanted = kinds_by_name()
        given: dict[str, Any] = dict(zip(names, args, strict=False)) | kwargs
        for name in kwargs if has_limits else ():
            if name not in wanted:
                raise TypeError(f"{title}() got an unexpected keyword argument {name!r}")
        for name, value in given.items():
            note, kinds = wanted.get(name, _UNCHECKED)
            if not isinstance(value, kinds) or (type(value) is str and str not in kinds):
                raise TypeError(f"{title}: expected {note} as {name}, found {short_repr(value)}")
            if name in LEAST and value is not None and given[name] < LEAST[name]:
                raise ValueError(f"expected {LEAST[name]} or more as {name}, found {value}")
        return function(*args, **kwargs)

    return cast("F", checked)


_UNCHECKED = ("", (object, str))


def _kinds(note: str, known: SimpleNamespace) -> tuple[type, ...]:
    """The classes of an annotation's words; all where one of them is not known, or is no class."""
    while note != (note := re.sub(r"\[[^][]*\]", "", note)):
        pass
    try:
        found = [attrgetter(word)(known) for word in note.split(" | ")]
        found = [getattr(kind, "__origin__", kind) for kind in found]
        if all(isinstance(kind, type) and isinstance(note, kind) is not None for kind in found):
            return tuple(found)
    except (AttributeError, TypeError):  # a protocol that cannot be asked for at run time
        pass
    return _UNCHECKED[1]
