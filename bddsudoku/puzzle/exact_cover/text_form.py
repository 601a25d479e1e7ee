"""The text format of Knuth's DLX programs: a line of items, then an option a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.exact_cover.items import Parts, check_option, distinct

if TYPE_CHECKING:
    from bddsudoku.puzzle.exact_cover.problem import ExactCover

_COMMENTS = ("|", "\\")


def parse(text: str, source: str | None) -> Parts:
    """The problem in such a text; ``source`` is its name in messages.

    Raises:
        PuzzleFormatError: it holds none; the message names the line.
    """
    header: list[str] | None = None
    known: frozenset[str] = frozenset()
    bar = 0
    options: list[tuple[str, ...]] = []
    for number, raw in enumerate(text.splitlines(), 1):
        words = raw.split()
        if not words or words[0].startswith(_COMMENTS):
            continue
        try:
            if header is None:
                header, bar = _header(words)
                known = distinct(header)
            else:
                option = tuple(words)
                _check_names(option)
                check_option(option, known)
                options.append(option)
        except PuzzleFormatError as error:
            raise PuzzleFormatError(error.expected, source=source, line=number) from None
    if header is None:
        raise PuzzleFormatError("expected a line of items, found none", source=source)
    return Parts(header[:bar], options, header[bar:])


def write(problem: ExactCover) -> str:
    """The problem in Knuth's format; names of options are lost.

    Raises:
        PuzzleFormatError: an item's name cannot be written there (it is empty, holds spaces,
            ``|`` or ``:``, or begins with a backslash).
    """
    _check_names((*problem.primary, *problem.secondary))
    if problem.primary and problem.primary[0].startswith(_COMMENTS):
        raise PuzzleFormatError(f"item {problem.primary[0]!r} would begin a comment")
    header = " ".join(problem.primary)
    if problem.secondary:
        header = f"{header} | {' '.join(problem.secondary)}"
    return "\n".join([header, *map(" ".join, problem.options)]) + "\n"


def _header(words: Sequence[str]) -> tuple[list[str], int]:
    """Item names, and how many of them are primary."""
    if words.count("|") > 1:
        raise PuzzleFormatError("expected one | before the optional items, found several")
    bar = words.index("|") if "|" in words else len(words)
    items = [w for w in words if w != "|"]
    _check_names(items)
    return items, bar


def _check_names(items: Iterable[str]) -> None:
    for item in items:
        if ":" in item:
            raise PuzzleFormatError(
                f"expected an item without a colour, found {item!r} (colours are not supported)"
            )
        if not item or "|" in item or item != "".join(item.split()) or item.startswith("\\"):
            raise PuzzleFormatError(f"expected the name of an item, found {item!r}")
