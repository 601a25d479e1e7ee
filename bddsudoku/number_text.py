"""Numbers to text and back: counts of any length, numbers in puzzles, cells, sizes, durations.

Python's own ``str`` and ``int`` refuse more than 4,300 digits, unless the limit of the whole
process is changed (``sys.set_int_max_str_digits``). Counts can be longer; numbers in puzzles are
not.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any

from bddsudoku.errors import PuzzleFormatError

_SAFE_BITS = 2000
"""Bits of an integer that Python converts to text under every setting."""
_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)


def to_decimal(number: int) -> str:
    """Write an integer of any length in decimal: ``2284505``.

    Cost: quadratic in the digits, some 0.1 s for 100,000.
    """
    return str(number) if number.bit_length() <= _SAFE_BITS else _format_big_integer(number, "f")


def group_digits(number: int) -> str:
    """Write an integer of any length with commas: ``2,284,505``."""
    return f"{number:,}" if number.bit_length() <= _SAFE_BITS else _format_big_integer(number, ",f")


def _format_big_integer(number: int, form: str) -> str:
    """Write an integer of any length with a format, by way of a ``Decimal``."""
    from decimal import Decimal

    return format(Decimal(number), form)


def format_integer(number: int) -> str:
    """Write an integer with commas: in full up to some 150 digits, beyond that as ``about 2**k``.

    For messages and tables, where the digits of a longer one would not be read.
    """
    if abs(number).bit_length() <= 500:
        return f"{number:,}"
    return f"{'-' if number < 0 else ''}about 2**{abs(number).bit_length() - 1}"


def from_decimal(text: str) -> int:
    """Read an integer of any length in decimal; the inverse of :func:`to_decimal`.

    Raises:
        ValueError: the text is not an integer.
    """
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"expected an integer, found {text[:40]!r}")
    if len(text) <= _SAFE_BITS // 4:
        return int(text)
    from decimal import Decimal

    return int(Decimal(text))


MAX_DIGITS = 9
"""Digits of a number in a puzzle; longer ones are refused."""
_NUMBER = re.compile(r"-?(\d+)", re.ASCII)


def parse_whole_number(text: str) -> int | None:
    """Read a whole number, maybe negative, in a puzzle's text; None if it is none.

    Raises:
        PuzzleFormatError: the number has more than nine digits.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    if len(match[1]) > MAX_DIGITS:
        raise PuzzleFormatError(
            f"expected a number of at most {MAX_DIGITS} digits, "
            f"found {text[:12]}… of {len(match[1]):,}"
        )
    return int(text)


def short_repr(value: object) -> str:
    """A value's ``repr`` for a message, on one line, cut to 40 characters."""
    try:
        text = re.sub(r"\s*\n\s*", " ", repr(value))
    except ValueError:
        return "a huge number"
    return text if len(text) <= 40 else f"{text[:39]}…"


@lru_cache(maxsize=64)
def cells_by_place(rows: int, columns: int) -> dict[Any, int]:
    """The number of every cell of a board, by its number, (row, column) and name ``r1c1``."""
    found = dict[Any, int]()
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        found |= dict.fromkeys((cell, (row, column), f"r{row + 1}c{column + 1}"), cell)
    return found


def cell_at(
    place: Any, cells: Mapping[Any, int], board: str, error: type[Exception] = ValueError
) -> int:
    """The number of a cell, from its number, its (row, column) from 0, or its name ``r1c1``.

    Args:
        place: what names the cell.
        cells: the number of every cell by each of these (:func:`cells_by_place`).
        board: what the board is called in messages, as ``9x9``.
        error: the class of the error.

    Raises:
        ValueError: there is no such cell (or an error of another class that is asked for).
    """
    if not isinstance(place, Hashable):
        raise error(f"expected a cell's number, (row, column) or name, found {short_repr(place)}")
    found = cells.get(place)
    if found is None:
        raise error(f"there is no cell {short_repr(place)} on a board of {board}")
    return found


_SIZES = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZES |= {f"{k}I": 1024**i for i, k in enumerate("KMGT", 1)}
_TIMES = {"": 1.0, "S": 1.0, "MS": 1e-3, "M": 60.0, "MIN": 60.0, "H": 3600.0}
# The largest values that system calls take; a larger limit means none.
_MAX_SIZE = 1 << 62
_MAX_SECONDS = 1e9


def parse_size(text: str) -> int:
    """Read a size in bytes, such as ``4GiB``, ``200 MiB``, ``1.5GB`` or ``1000000``.

    Returns:
        Bytes, at most 4 EiB, which is no limit.

    Raises:
        ValueError: the text is no size, or zero.
    """
    m = re.fullmatch(
        r"\s*(\d+(?:\.\d+)?|\d+e\d+)\s*([KMGT]?I?)B?\s*", text.upper().replace("E", "e")
    )
    if not m or m[2] not in _SIZES or float(m[1]) * _SIZES[m[2]] < 1:
        raise ValueError(f"expected a size such as 4GiB or 200MiB, found {text!r}")
    return int(min(float(m[1]) * _SIZES[m[2]], _MAX_SIZE))


def parse_duration(text: str) -> float:
    """Read a duration, such as ``60``, ``1.5s``, ``2min`` or ``1h``.

    Returns:
        Seconds, at most 30 years, which is no limit.

    Raises:
        ValueError: the text is no duration, or zero.
    """
    m = re.fullmatch(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*([A-Z]*)\s*", text.upper())
    if not m or m[2] not in _TIMES or float(m[1]) <= 0:
        raise ValueError(f"expected a time such as 60, 1.5s or 2min, found {text!r}")
    return min(float(m[1]) * _TIMES[m[2]], _MAX_SECONDS)


def format_size(size: float) -> str:
    """Write a size in bytes for people: ``4.0 GiB``, ``312 MiB``, ``17 KiB``."""
    for unit, power in (("GiB", 3), ("MiB", 2), ("KiB", 1)):
        if size >= 1024**power:
            value = size / 1024**power
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{size:.0f} B"


def format_seconds(seconds: float) -> str:
    """Write a duration for people: ``0.8 ms``, ``0.31 s``, ``12.4 s``, ``3 min 05 s``."""
    if seconds < 0.1:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s"


def round_bound(number: int) -> int:
    """The greatest of 0, 1, 2, 5, 10, 20, 50, … below a positive number: a bound for people."""
    if number < 2:
        return 0
    power: int = 10 ** (len(to_decimal(number - 1)) - 1)
    return max(k * power for k in (1, 2, 5) if k * power < number)
