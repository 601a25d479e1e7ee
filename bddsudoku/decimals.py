"""Integers of any length as decimal text and back.

Python's own ``str`` and ``int`` refuse more than 4,300 digits, unless the whole process is told
otherwise (``sys.set_int_max_str_digits``). Counts are longer at times.
"""

from __future__ import annotations

import re

_SAFE = 2000
"""Bits that Python converts under every setting."""
_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)


def to_decimal(n: int) -> str:
    """``2284505``.

    Cost: quadratic in the digits, some 0.1 s for 100,000.
    """
    return str(n) if n.bit_length() <= _SAFE else _by_decimal(n, "f")


def grouped(n: int) -> str:
    """``2,284,505``."""
    return f"{n:,}" if n.bit_length() <= _SAFE else _by_decimal(n, ",f")


def _by_decimal(n: int, form: str) -> str:
    from decimal import Decimal

    return format(Decimal(n), form)


def from_decimal(text: str) -> int:
    """The integer that :func:`to_decimal` wrote.

    Raises:
        ValueError: the text is none.
    """
    if not _INTEGER.fullmatch(text):
        raise ValueError(f"expected an integer, found {text[:40]!r}")
    if len(text) <= _SAFE // 4:
        return int(text)
    from decimal import Decimal

    return int(Decimal(text))
