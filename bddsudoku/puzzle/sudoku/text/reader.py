"""Puzzles from files, streams, arguments and strings, one after the other."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import SYMBOLS, Layout, Puzzle
from bddsudoku.puzzle.sudoku.text.collector import Collector
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, alphabet, fold, is_side, shared_layout

__all__ = ["PuzzleRecord", "looks_like_puzzle", "parse_one", "read_argument", "read_puzzles"]

Source = str | os.PathLike[str] | IO[str] | IO[bytes]

LONGEST_LINE = 1 << 16
_HEAD = re.compile(r"([^ \t,;:|#]+)[ \t,;:|#]+(.*)", re.DOTALL)
_PARTS = re.compile(r"[ \t,;|]+")
_EXTENSION = re.compile(r"\.[A-Za-z]{1,5}\d?$")


class PuzzleRecord(NamedTuple):
    """A puzzle and where it came from.

    Attributes:
        puzzle: the puzzle.
        source: file name, ``<standard input>``, ``<argument>``, or None for a string.
        line: line on which it begins, from 1.
        name: text after the cells, or the title above them; "" when there is none.
        comments: comment lines since the puzzle before, without their ``#``.
    """

    puzzle: Puzzle
    source: str | None
    line: int
    name: str = ""
    comments: tuple[str, ...] = ()


def parse_one(
    text: str,
    layout: Layout | None = None,
    source: str | None = None,
    *,
    symbols: str | None = None,
) -> Puzzle:
    """The one puzzle in a text.

    Args:
        text: anything that :mod:`bddsudoku.puzzle.sudoku.text` describes.
        layout: the shape; by default what the text says, else the usual one of that size.
        source: what error messages call the text.
        symbols: the digits in order, such as ``0-F``, where they are not 1-9, A, B, ….

    Raises:
        PuzzleFormatError: no puzzle, more than one, or a malformed one.
    """
    found = _records(io.StringIO(text, newline=None), source, layout, symbols)
    first = next(found)
    second = next(found, None)
    if second is not None:
        raise PuzzleFormatError(
            "expected one puzzle, found a second", source=source, line=second.line
        )
    return first.puzzle


def read_puzzles(
    source: Source,
    layout: Layout | None = None,
    *,
    symbols: str | None = None,
) -> Iterator[PuzzleRecord]:
    """All puzzles of a file or stream, one after the other, without holding them all.

    Some 10⁵ puzzles a second where each stands on a line of its own.

    Args:
        source: a path, ``-`` for standard input, or an open stream (text or binary), which is
            left open.
        layout: the shape of all boards; by default what the text says.
        symbols: the digits in order, where they are not 1-9, A, B, ….

    Raises:
        PuzzleFormatError: the file cannot be read or holds no puzzle, or some line is malformed;
            raised when the iteration gets there.
    """
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if path == "-":
            stdin = getattr(sys.stdin, "buffer", sys.stdin)
            yield from _from_stream(stdin, "<standard input>", layout, symbols)
            return
        try:
            if Path(path).is_dir():
                raise PuzzleFormatError("expected a file, found a directory", source=path)
            with open(path, "rb") as stream:
                yield from _from_stream(stream, path, layout, symbols)
        except (OSError, ValueError) as error:
            if isinstance(error, PuzzleFormatError):
                raise
            reason = getattr(error, "strerror", None) or str(error)
            shown = "".join(c if c.isprintable() else "\ufffd" for c in path)
            raise PuzzleFormatError(
                f"cannot be read: {reason}",
                source=shown if len(shown) <= 200 else shown[:200] + "…",
            ) from None
        return
    name = getattr(source, "name", None)
    yield from _from_stream(source, name if isinstance(name, str) else "<stream>", layout, symbols)


def read_argument(
    argument: str, layout: Layout | None = None, *, symbols: str | None = None
) -> Iterator[PuzzleRecord]:
    """What a command line's PUZZLE stands for: a path, ``-``, or the puzzle itself."""
    if looks_like_puzzle(argument):
        stream = io.StringIO(argument, newline=None)
        return _records(stream, "<argument>", layout, symbols)
    return read_puzzles(argument, layout, symbols=symbols)


def looks_like_puzzle(argument: str) -> bool:
    """Whether an argument is meant as a puzzle and not as a path.

    An existing file is a path; so is anything shorter than 15 characters. Texts of several lines
    are puzzles, and so is what is almost all digits and open cells (a few wrong characters or
    cells too few do not turn a puzzle into a path), or has exactly n² symbols.
    """
    if os.path.lexists(argument) if "\0" not in argument else False:
        return False
    if "\n" in argument or "\r" in argument:
        return True
    text = fold(argument).strip()
    if len(text) < 15:
        return False
    head = _PARTS.split(text)[0]
    cells = _PARTS.sub("", text)
    if any(_fits(candidate) for candidate in (head, cells)):
        return True
    if "/" in text or "\\" in text or _EXTENSION.search(text):
        return False
    likely = sum(c.isdigit() or c in BLANKS + "xX" for c in cells)
    return likely >= 0.9 * len(cells)


def _fits(symbols: str) -> bool:
    """Whether n² symbols are, but for a few, digits and open cells of an n×n board."""
    side = round(len(symbols) ** 0.5)
    if side * side != len(symbols) or not is_side(side):
        return False
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:side] if side >= 10 else ""
    known = {*SYMBOLS[:side], *BLANKS, "X", *letters}
    return sum(c in known for c in symbols.upper()) >= 0.9 * len(symbols)


def _from_stream(
    stream: IO[str] | IO[bytes], source: str, layout: Layout | None, symbols: str | None
) -> Iterator[PuzzleRecord]:
    """Decode if need be. The caller's stream is left open."""
    if isinstance(stream, io.TextIOBase) or not hasattr(stream, "readinto"):
        first = stream.read(0)
        if isinstance(first, str):
            yield from _records(stream, source, layout, symbols)  # type: ignore[arg-type]
            return
    binary = io.BufferedReader(_Raw(stream))
    start = binary.peek(4)[:4]
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    # Bytes that are not UTF-8 come through as lone surrogates and are refused with their place.
    text = io.TextIOWrapper(
        binary,
        encoding="utf-16" if wide else "utf-8-sig",
        errors="strict" if wide else "surrogateescape",
        newline=None,
    )
    try:
        yield from _records(text, source, layout, symbols)
    except UnicodeError:
        raise PuzzleFormatError("the file is not valid UTF-16", source=source) from None


class _Raw(io.RawIOBase):
    """A binary stream seen through a wrapper that may be dropped without closing it."""

    def __init__(self, stream: IO[str] | IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._stream.read(len(view))
        view[: len(data)] = data  # type: ignore[assignment]
        return len(data)


def _records(
    stream: IO[str], source: str | None, layout: Layout | None, symbols: str | None
) -> Iterator[PuzzleRecord]:
    """The puzzles of a decoded stream.

    One-line boards of 6×6, 8×8 and 9×9 take the short way; all else goes to the Collector.
    """
    collector = Collector(source, layout, symbols)
    short = {
        n * n: (shared_layout(n), alphabet(n))
        for n in (6, 8, 9)
        if symbols is None and (layout is None or layout == shared_layout(n))
    }
    count = number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if collector.idle:
            text = line.strip(" \t\r\n")
            name = ""
            if len(text) not in short and (parted := _HEAD.match(text)):
                text, name = parted[1], parted[2]
            if len(text) in short and text.isascii() and name.isprintable():
                shape, letters = short[len(text)]
                digits = letters.digits(text)
                if digits is not None and text.strip("-"):
                    count += 1
                    yield PuzzleRecord(Puzzle.trusted(tuple(digits), shape), source, number, name)
                    continue
        if len(line) == LONGEST_LINE and line[-1] != "\n":
            if "\0" in line:
                collector.refuse_binary(number)
            raise PuzzleFormatError(
                f"the line has more than {LONGEST_LINE - 1} characters; this is no puzzle",
                source=source,
                line=number,
            )
        # Text streams that do not translate line ends may hand over several lines at once.
        for extra, piece in enumerate(line.rstrip("\r\n").split("\r")):
            number += extra > 0
            for found in collector.feed(number, piece):
                count += 1
                yield PuzzleRecord(found.puzzle, source, found.line, found.name, found.comments)
    for found in collector.finish():
        count += 1
        yield PuzzleRecord(found.puzzle, source, found.line, found.name, found.comments)
    if not count:
        raise PuzzleFormatError(
            "no puzzle in here" if number else "no puzzle in here, it is empty", source=source
        )
