"""Values of tasks as JSON: numbers of any size, bytes and arrays, too.

A journal's line must be readable years later and by other programs. What JSON has not is an object
with one member whose name begins with ``$``: ``{"$int": "6670903752021072936960"}``.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import cast

from bddsudoku.decimals import from_decimal, to_decimal
from bddsudoku.errors import BddSudokuError, DamagedFileError

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_SAFE = 1 << 53
"""Integers beyond are rounded by some readers of JSON."""
_INTEGER = re.compile("-?[0-9]+")
_PLAIN = re.compile("[<>|=][biuf][0-9]+")
"""Kinds of numbers in an array."""
_SHOWN = 60


def to_json(value: object) -> Json:
    """A value of a task as JSON.

    Args:
        value: None, truth values, numbers, text, bytes, numpy arrays of numbers; lists, tuples and
            dictionaries of these, whose keys are texts.

    Raises:
        BddSudokuError: there is something else in it.
    """
    if value is None or isinstance(value, bool | float | str):
        return value
    if isinstance(value, int):
        return value if abs(value) < _SAFE else {"$int": to_decimal(value)}
    if isinstance(value, bytes):
        return {"$bytes": _packed(value)}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    if isinstance(value, tuple):
        return {"$tuple": [to_json(item) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        made: dict[str, Json] = {key: to_json(item) for key, item in value.items()}
        return {"$dict": made} if len(made) == 1 and next(iter(made)).startswith("$") else made
    return _array_to_json(value)


def _array_to_json(value: object) -> Json:
    import numpy as np

    if isinstance(value, np.ndarray):
        shape: list[Json] = list(value.shape)
        if value.dtype == object:
            return {"$array": ["object", shape, [to_json(v) for v in value.reshape(-1).tolist()]]}
        if value.dtype.kind in "biuf":
            whole = np.ascontiguousarray(value)
            return {"$array": [whole.dtype.str, shape, _packed(whole.tobytes())]}
    raise BddSudokuError(f"a {type(value).__name__} cannot be kept in a journal")


def from_json(kept: Json) -> object:
    """The value that :func:`to_json` was given.

    Raises:
        DamagedFileError: it made no such thing.
    """
    if isinstance(kept, list):
        return [from_json(item) for item in kept]
    if not isinstance(kept, dict):
        return kept
    if len(kept) == 1:
        ((name, inner),) = kept.items()
        if name == "$dict" and isinstance(inner, dict):
            return {key: from_json(item) for key, item in inner.items()}
        if name == "$int" and isinstance(inner, str) and _INTEGER.fullmatch(inner):
            return from_decimal(inner)
        if name == "$bytes" and isinstance(inner, str):
            return _unpacked(inner)
        if name == "$tuple" and isinstance(inner, list):
            return tuple(from_json(item) for item in inner)
        if name == "$array" and isinstance(inner, list):
            return _array_from_json(inner)
        if name.startswith("$"):
            raise DamagedFileError(f"expected a value, found {_shown(kept)}")
    return {key: from_json(item) for key, item in kept.items()}


def _array_from_json(told: list[Json]) -> object:
    import numpy as np

    try:
        kind, shape, data = told
        sizes = tuple(cast("list[int]", shape))
        if kind == "object" and isinstance(data, list):
            whole = np.empty(len(data), dtype=object)
            whole[:] = [from_json(item) for item in data]
        elif isinstance(kind, str) and isinstance(data, str) and _PLAIN.fullmatch(kind):
            whole = np.frombuffer(bytearray(_unpacked(data)), dtype=kind)
        else:
            raise ValueError("unknown kind")
        return whole.reshape(sizes)
    except (TypeError, ValueError) as error:
        found = _shown({"$array": told})
        raise DamagedFileError(f"expected an array, found {found}: {error}") from error


def _shown(kept: Json) -> str:
    """The beginning of a value, for a message."""
    text = json.dumps(kept)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " …"


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode("ascii")


def _unpacked(text: str) -> bytes:
    try:
        return zlib.decompress(base64.b64decode(text))
    except (ValueError, zlib.error) as error:
        raise DamagedFileError(f"expected packed bytes, found {_shown(text)}: {error}") from error
