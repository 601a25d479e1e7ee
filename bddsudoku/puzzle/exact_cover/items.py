"""What items and options must be, whatever they were read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError


class Parts(NamedTuple):
    """What a text says of a problem: the arguments of :class:`.problem.ExactCover`."""

    primary: Sequence[str]
    options: Sequence[Sequence[str]]
    secondary: Sequence[str] = ()
    names: Sequence[str] | None = None


def distinct(items: Sequence[str]) -> frozenset[str]:
    """The items as a set.

    Raises:
        PuzzleFormatError: one of them is there twice.
    """
    seen: set[str] = set()
    for item in items:
        if item in seen:
            raise PuzzleFormatError(f"expected every item once, found {item!r} twice")
        seen.add(item)
    return frozenset(seen)


def check_option(option: tuple[str, ...], known: frozenset[str], where: str = "") -> None:
    """Refuse an option without items, with an unknown one, or with one twice.

    Args:
        option: names of its items.
        known: the problem's items.
        where: what to say before the message.

    Raises:
        PuzzleFormatError: it is no option.
    """
    if not option:
        raise PuzzleFormatError(f"{where}expected at least one item, found none")
    seen = set()
    for item in option:
        if item not in known:
            raise PuzzleFormatError(f"{where}expected one of the items, found {item!r}")
        if item in seen:
            raise PuzzleFormatError(f"{where}expected every item once, found {item!r} twice")
        seen.add(item)
