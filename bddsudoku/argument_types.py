"""Arguments of a wrong type, refused in words: one value, or all by a function's annotations."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from bddsudoku.number_text import short_repr

P = ParamSpec("P")
R = TypeVar("R")
_KINDS: dict[str, type] = {
    "int": Integral,
    "float": Real,
    "str": str,
    "None": type(None),
    "Sequence": Collection,
    "Iterable": Iterable,
    "Mapping": Mapping,
}


def require_type(value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """Refuse a value of a wrong type in one line.

    Raises:
        TypeError: what was expected, and what was found.
    """
    if not isinstance(value, kinds):
        raise TypeError(f"expected {expected}, found {short_repr(value)}")


def check_types(function: Callable[P, R]) -> Callable[P, R]:
    """A function that first refuses arguments whose types do not fit their plain annotations.

    Unions of built-in types, collections and classes of the function's module are checked; aliases
    and types that only type checkers import are left to the function. A text is no sequence,
    an array is one. A call takes a microsecond more.
    """
    notes: dict[str, str] = function.__annotations__
    names: tuple[str, ...] = function.__code__.co_varnames

    @cache
    def kinds(name: str) -> tuple[type, ...]:
        words = notes.get(name, "Any")
        while words != (words := re.sub(r"\[[^][]*\]", "", words)):
            pass
        known = function.__globals__ | _KINDS
        found = [known.get(word) for word in words.split(" | ")]
        classes = [k for k in found if isinstance(k, type) and k is not Any]
        return tuple(classes) if len(classes) == len(found) else ()

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            wanted = kinds(name)
            if wanted and (
                not isinstance(value, wanted) or (isinstance(value, str) and str not in wanted)
            ):
                what = f"expected {notes[name]} as {name}, found {short_repr(value)}"
                raise TypeError(f"{function.__name__}: {what}")
        return function(*args, **kwargs)

    return checked
