"""Counts in words: they may be longer than Python is willing to print."""

from __future__ import annotations

__all__ = ["number"]


def number(n: int) -> str:
    """A count in full while it has at most some 150 digits, otherwise as a power of two.

    (Python refuses to print integers of more than 4,300 digits.)
    """
    if abs(n).bit_length() <= 500:
        return f"{n:,}"
    return f"{'-' if n < 0 else ''}about 2**{abs(n).bit_length() - 1}"
