"""Whole numbers in texts and messages: none is longer than anything that a puzzle can mean."""

from __future__ import annotations

import re

from bddsudoku.errors import PuzzleFormatError

DIGITS = 9
"""Longer numbers are refused. (Python itself neither reads nor writes one of 4,301 digits.)"""
_NUMBER = re.compile(r"-?(\d+)", re.ASCII)


def number_in(text: str) -> int | None:
    """The whole number that a text is; None for any other text.

    Raises:
        PuzzleFormatError: it has more than nine digits.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    if len(match[1]) > DIGITS:
        raise PuzzleFormatError(
            f"expected a number of at most {DIGITS} digits, found {text[:12]}… of {len(match[1]):,}"
        )
    return int(text)


def short_repr(value: object) -> str:
    """A number, or any other value, as messages show it: 40 characters at most."""
    try:
        text = repr(value)
    except ValueError:
        return "a huge number"
    return text if len(text) <= 40 else f"{text[:39]}…"
