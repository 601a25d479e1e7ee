"""Texts are read whole, up to a bound: the one way in which this package reads what is no stream.

Input without an end (a device, a pipe that somebody keeps feeding) is refused in one line, and so
is what is no text. Puzzles are read line by line, as they come:
:mod:`bddsudoku.puzzle.sudoku.text`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import PuzzleFormatError

MOST = 1 << 28
"""Bytes of any text."""
MOST_OF_A_BOARD = 1 << 24
"""Bytes of what describes one board: a picture, pieces, a pattern, rules."""
_SHARE = 64
"""What is made of a text takes up to so many times its bytes, and is to fit into the memory."""
_CHUNK = 1 << 20
_MOST_DIGITS = 4300
"""Python reads no longer ones, as long as nobody tells it to."""


def chunks(stream: BinaryIO, name: str, context: Context) -> Iterator[bytes]:
    """What is left of a stream, piece by piece.

    Args:
        stream: open for binary reading.
        name: what messages call it.

    Raises:
        LimitReached: the time is used up.
        OSError: it cannot be read.
    """
    while chunk := stream.read(_CHUNK):
        yield chunk
        context.check(f"while {name} was read")


def text_of(stream: BinaryIO, name: str, context: Context = UNLIMITED, most: int = MOST) -> str:
    """What is left of a stream, decoded from UTF-8 (a byte order mark may stand first).

    Args:
        stream: open for binary reading.
        name: what messages call it.
        most: bytes that it may have at most, however much memory there is.

    Raises:
        PuzzleFormatError: it is no text in UTF-8, or longer than ``most``.
        LimitReached: it is too long for the memory, or the time is used up.
        OSError: it cannot be read.
    """
    share = None if context.memory is None else context.memory // _SHARE
    data = bytearray()
    for chunk in chunks(stream, name, context):
        data += chunk
        if (zero := chunk.find(0)) >= 0:
            raise _no_text(data, len(data) - len(chunk) + zero, name)
        if len(data) > most:
            raise PuzzleFormatError(f"expected at most {most:,} bytes, found more", source=name)
        if share is not None and len(data) > share:
            where = f"while {name} was read: it has more than {share:,} bytes"
            raise context.reached(where, limit="memory")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_text(data, error.start, name) from None


def _no_text(data: bytearray, at: int, name: str) -> PuzzleFormatError:
    return PuzzleFormatError(
        f"expected UTF-8 text, found byte 0x{data[at]:02x}",
        source=name,
        line=data.count(b"\n", 0, at) + 1,
        column=at - data.rfind(b"\n", 0, at),
    )


def read_text(path: str | os.PathLike[str], context: Context = UNLIMITED, most: int = MOST) -> str:
    """A file's text; arguments and errors as for :func:`text_of`."""
    with open(path, "rb") as file:
        return text_of(file, os.fspath(path), context, most)


def parse_json(text: str, name: str | None = None) -> Any:
    """The value of a JSON text whose integers have at most 4,300 digits.

    Args:
        text: all of it.
        name: what messages call it.

    Raises:
        PuzzleFormatError: it is no such text; the message names line and column.
    """
    try:
        return json.loads(text, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise PuzzleFormatError(
            f"expected JSON: {error.msg}", source=name, line=error.lineno, column=error.colno
        ) from None
    except OverflowError as error:
        raise PuzzleFormatError(f"expected JSON: {error}", source=name) from None
    except RecursionError:
        raise PuzzleFormatError("expected JSON: it is nested too deep", source=name) from None


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise OverflowError(f"a number has more than {_MOST_DIGITS:,} digits")
    return int(digits)
