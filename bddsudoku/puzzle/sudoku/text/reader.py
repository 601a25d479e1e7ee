"""Readers of puzzles from files, streams, command-line arguments and strings."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from typing import IO

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.file_io import NO_UTF16, PrefixedStream, refuse_undecoded, text_encoding
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.line_collector import LineCollector
from bddsudoku.puzzle.sudoku.text.multi_line_forms import MAX_BRACKET_BYTES
from bddsudoku.puzzle.sudoku.text.nested_lists import opens_brackets
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    LETTERS,
    adding_error_place,
    fold_lookalikes,
    is_iss,
    is_link,
)

TextInput = str | os.PathLike[str] | IO[str] | IO[bytes]

STDIN = "<standard input>"
"""The name of standard input in messages."""

LONGEST_LINE = 1 << 16
_PARTS = re.compile(r"[ \t,;|]+")
_OTHER_FORM = re.compile(r"https?://|r\d+c\d+\s*[=:]|\w+\s*=\s*[\"']", re.I)
_SEPARATORS = 8
"""Least number of commas, semicolons and spaces in an argument with brackets that is no path."""
_PATH = re.compile(r"[/\\]|\.[A-Za-z]{1,5}\d?$")


def parse_one(
    text: str,
    layout: Layout | None = None,
    source: str | None = None,
    *,
    symbols: str | None = None,
) -> Puzzle:
    """Read the only puzzle of a text.

    Args:
        text: anything that :mod:`bddsudoku.puzzle.sudoku.text` describes.
        layout: the shape; by default the one in the text, or else the usual one of that size.
        source: the name of the text in error messages.
        symbols: the digits in order, such as ``0-F``, if they are not 1-9, A, B, ….

    Raises:
        PuzzleFormatError: no puzzle, more than one, or a malformed one.
    """
    found = _read_text_stream(io.StringIO(text, newline=None), source, layout, symbols)
    first = next(found)
    second = next(found, None)
    if second is not None:
        raise PuzzleFormatError(
            "expected one puzzle, found a second", source=source, line=second.line
        )
    return first.puzzle


def read_puzzles(
    source: TextInput,
    layout: Layout | None = None,
    *,
    symbols: str | None = None,
    name: str | None = None,
    first_line: int = 1,
) -> Iterator[PuzzleRecord]:
    """Read all puzzles of a file or stream as an iterator, which holds one at a time.

    The rate is some 30,000 puzzles per second if each is on one line. A path is opened only once,
    so it may be a pipe.

    Args:
        source: a path, ``-`` for standard input, or an open stream (text or binary), which is
            left open.
        layout: the shape of all boards; by default the one in the text.
        symbols: the digits in order, if they are not 1-9, A, B, ….
        name: the name of a stream in messages and records; by default its own name.
        first_line: the number of a stream's next line; if this is not 1, the stream need not
            contain a puzzle.

    Raises:
        PuzzleFormatError: the file cannot be read or contains no puzzle, or a line is malformed;
            raised when the iteration reaches the error.
    """
    if not isinstance(source, (str, os.PathLike)):
        own = getattr(source, "name", None)
        called = name or (own if isinstance(own, str) else "<stream>")
        yield from _read_stream(source, called, layout, symbols, first_line)
        return
    path = os.fspath(source)
    if path == "-":
        if sys.stdin is None:
            raise PuzzleFormatError("cannot be read: it is closed", source=STDIN)
        stdin = getattr(sys.stdin, "buffer", sys.stdin)
        yield from _read_stream(stdin, STDIN, layout, symbols)
        return
    try:
        with open(path, "rb") as stream:
            yield from _read_stream(stream, path, layout, symbols)
    except PuzzleFormatError:
        raise
    except (OSError, ValueError) as error:
        raise unreadable_error(path, error) from None


def unreadable_error(path: str, error: Exception) -> PuzzleFormatError:
    """The error for a path that cannot be opened or read."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in path)
    shown = shown if len(shown) <= 200 else shown[:200] + "…"
    symbols = fold_lookalikes(path).strip()
    is_missing = isinstance(error, FileNotFoundError) and not {*symbols} & {*"/\\"}
    if isinstance(error, IsADirectoryError):
        what = "expected a file, found a directory"
    elif not path:
        return PuzzleFormatError("expected a path, - or a puzzle, found an empty argument")
    elif is_missing and 2 * sum(c.isdigit() or c in BLANKS for c in symbols) > len(symbols):
        count = f"{len(symbols)} symbol" + "s" * (len(symbols) > 1)
        what = f"neither a file nor a puzzle: {count}, expected n² (81 for 9x9)"
    else:
        what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    return PuzzleFormatError(what, source=shown)


def read_argument(
    argument: str, layout: Layout | None = None, *, symbols: str | None = None
) -> Iterator[PuzzleRecord]:
    """Read the puzzles of a command-line argument: a path, ``-``, or the text of a puzzle."""
    if looks_like_puzzle(argument, layout):
        stream = io.StringIO(argument, newline=None)
        return _read_text_stream(stream, "<argument>", layout, symbols)
    return read_puzzles(argument, layout, symbols=symbols)


def looks_like_puzzle(argument: str, layout: Layout | None = None) -> bool:
    """Whether a command-line argument is the text of a puzzle and not a path.

    Existing files are paths, and so are texts of less than 15 characters unless they are strings
    of Interactive-Sudoku-Solver. Texts of several lines are puzzles, and so are texts that begin
    like brackets, markup, a link or a listing of hints, that consist of digits and open cells with
    few exceptions (so that a typing error does not turn a puzzle into a path), or that have exactly
    n² symbols, or as many digits as a requested layout has cells.
    """
    if "\0" not in argument and os.path.lexists(argument):
        return False
    if "\n" in argument or "\r" in argument:
        return True
    text = fold_lookalikes(argument).strip()
    if is_iss(text):
        return True
    if layout is not None and len(text) == layout.cell_count and {*text} <= {*layout.symbols}:
        return True
    if len(text) < 15:
        return False
    cells = _PARTS.sub("", text)
    if _may_be_board(_PARTS.split(text)[0]) or _may_be_board(cells):
        return True
    if text[0] in "<\"'" or _OTHER_FORM.match(text) or is_link(text):
        return True
    is_list = '"' in text or sum(c in ", ;" for c in text) >= _SEPARATORS
    if is_list and {*text} & {*"[({"} and opens_brackets(text):
        return True
    if _PATH.search(text):
        return False
    return sum(c.isdigit() or c in BLANKS + "xX" for c in cells) >= 0.9 * len(cells)


def _may_be_board(symbols: str) -> bool:
    """Whether symbols fit a square board in number, and at least 90 % are digits or blanks."""
    asked = CellResolver()
    layout = asked.layout_of(len(symbols)) or asked.layout_of_candidates(symbols)
    side = 0 if layout is None else layout.n
    symbols = symbols.upper()
    known = {*SYMBOLS[:side], *BLANKS, "X", *LETTERS[:side]}
    return side > 0 and sum(c in known for c in symbols) >= 0.9 * len(symbols)


def _read_stream(
    stream: IO[str] | IO[bytes],
    source: str,
    layout: Layout | None,
    symbols: str | None,
    first_line: int = 1,
) -> Iterator[PuzzleRecord]:
    """Yield the puzzles of a text or binary stream; the stream is left open."""
    if isinstance(stream, io.TextIOBase) or not hasattr(stream, "readinto"):
        first = stream.read(0)
        if isinstance(first, str):
            yield from _read_text_stream(stream, source, layout, symbols, first_line)  # type: ignore[arg-type]
            return
    binary = io.BufferedReader(PrefixedStream(b"", stream))
    # Only a stream read from its first line can begin with a byte order mark.
    start = binary.peek(8)[:8] if first_line == 1 else b""
    encoding, errors = text_encoding(start)
    text = io.TextIOWrapper(binary, encoding, errors, newline=None)
    try:
        yield from _read_text_stream(text, source, layout, symbols, first_line)
    except UnicodeError:
        raise PuzzleFormatError(NO_UTF16, source=source) from None


def _read_text_stream(
    stream: IO[str],
    source: str | None,
    layout: Layout | None,
    symbols: str | None,
    first_line: int = 1,
) -> Iterator[PuzzleRecord]:
    """Yield the puzzles of a text stream as records with line numbers."""
    with adding_error_place(source=source):
        collector = LineCollector(source, CellResolver(layout, symbols))
        number = first_line - 1
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if collector.ignores_blank_lines and line.strip(" \t") in ("\n", "\r\n"):
                continue
            if len(line) == LONGEST_LINE and line[-1] != "\n":
                line = _read_long_line(line, stream, number)
            # Text streams that do not translate line ends may return several lines at once.
            for extra, piece in enumerate(line.rstrip("\r\n").split("\r")):
                number += extra > 0
                yield from collector.feed(number, piece)
        yield from collector.finish()
        if not collector.has_given and first_line == 1:
            raise PuzzleFormatError("no puzzle in here" + ", it is empty" * (not number))


def _read_long_line(line: str, stream: IO[str], number: int) -> str:
    """Read the rest of a long line, which must be a board in braces, a puzzle string or a link."""
    head = line[:400].lstrip()
    longest = LONGEST_LINE
    if head[:1] == "{" or is_link(head) or is_iss(head):
        longest += MAX_BRACKET_BYTES
        line += stream.readline(MAX_BRACKET_BYTES)
        if len(line) < longest or line[-1] == "\n":
            return line
    what = f"the line has more than {longest - 1} characters; this is no puzzle"
    refuse_undecoded(line, first_line=number)
    raise PuzzleFormatError(what, line=number)
