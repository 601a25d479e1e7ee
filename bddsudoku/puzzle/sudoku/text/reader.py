"""Readers of puzzles from files, streams, command-line arguments and strings."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from math import isqrt
from typing import IO

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BddSudokuError, PuzzleFormatError, adding_error_place
from bddsudoku.file_io import NO_UTF16, refuse_undecoded, text_encoding
from bddsudoku.input_source import READ_BYTES, STDIN, InputSource
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord, Unread
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.text.board_lists import BoardsInLines, ClassicBoardChunk
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.line_collector import LineCollector
from bddsudoku.puzzle.sudoku.text.multi_line_forms import MAX_BRACKET_BYTES, opens_brackets
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    LETTERS,
    fold_lookalikes,
    is_iss,
    is_link,
)

TextInput = str | os.PathLike[str] | IO[str] | IO[bytes]

IDLE_SECONDS = 0.1
"""Seconds without input from a pipe after which a board waits no longer for its rules."""
MIN_GROUP = 16
"""Number of puzzles up to which they are yielded one by one, which needs fewer kernels."""
LONGEST_LINE = 1 << 16
_PARTS = re.compile(r"[ \t,;|]+")
_OTHER_FORM = re.compile(r"https?://|[<\"']|r\d+c\d+\s*[=:]|\w+\s*=\s*[\"']", re.I)
_LINE = re.compile(rb"[^\n]+\n|\n+")
"""A line, or all blank lines that follow each other."""
_SEPARATORS = 8
"""Least number of commas, semicolons and spaces in an argument with brackets that is no path."""
_PATH = re.compile(r"[/\\]|\.[A-Za-z]{1,5}\d?$")


def parse_one(text: str, layout: Layout | None = None) -> Puzzle:
    """Read the only puzzle of a text.

    Args:
        text: anything that :mod:`bddsudoku.puzzle.sudoku.text` describes.
        layout: the shape; by default the one in the text, or else the usual one of that size.

    Raises:
        PuzzleFormatError: no puzzle, more than one, or a malformed one.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    whole = lines + "\n" * (lines[-1:] != "\n")
    blocks = [whole.encode(errors="surrogatepass")] if text else []
    return only_record(each_record(_read_blocks(blocks, CellResolver(layout), None))).puzzle


def only_record(records: Iterable[PuzzleRecord]) -> PuzzleRecord:
    """The only one of the records of a text or file, which raises its own error if it has none.

    Raises:
        PuzzleFormatError: there is a second one; the message has its line.
    """
    first, *more = islice(records, 2)
    if more:
        what = "expected one puzzle, found a second"
        raise PuzzleFormatError(what, source=more[0].source, line=more[0].line)
    return first


@check_types
def read_puzzles(
    source: TextInput,
    layout: Layout | None = None,
    *,
    symbols: str | None = None,
    name: str | None = None,
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

    Raises:
        PuzzleFormatError: the file cannot be read or contains no puzzle, or a line is malformed;
            raised when the iteration reaches the error.
    """
    with open_source(source, name=name) as opened:
        yield from each_record(read_source(opened, layout, symbols))


def each_record(
    found: Iterable[ClassicBoardChunk | PuzzleRecord | Unread | None],
) -> Iterator[PuzzleRecord]:
    """What :func:`read_source` yields, one by one; an error that was passed over is raised."""
    for one in found:
        if isinstance(one, ClassicBoardChunk):
            yield from one
        elif isinstance(one, Unread):
            raise one.error
        elif one is not None:
            yield one


def open_source(
    source: TextInput, context: Context = UNLIMITED, *, name: str | None = None
) -> InputSource:
    """Open a file, a pipe, standard input or a stream for reading.

    Raises:
        PuzzleFormatError: it cannot be opened.
    """
    try:
        return InputSource(source, context, name=name)
    except BddSudokuError:
        raise
    except (OSError, ValueError) as error:
        shown = os.fspath(source) if isinstance(source, (str, os.PathLike)) else name or "<stream>"
        raise unreadable_error(STDIN if shown == "-" else shown, error) from None


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


def open_argument(
    argument: TextInput, layout: Layout | None = None, context: Context = UNLIMITED
) -> InputSource:
    """Open a command-line argument (a path, ``-``, or the text of a puzzle), a path or a stream."""
    if isinstance(argument, str) and looks_like_puzzle(argument, layout):
        return InputSource(io.StringIO(argument, newline=""), context, name="<argument>")
    return open_source(argument, context)


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
    text = fold_lookalikes(argument).strip()
    if "\n" in argument or "\r" in argument or is_iss(text):
        return True
    if layout is not None and len(text) == layout.cell_count and {*text} <= {*layout.symbols}:
        return True
    if len(text) < 15:
        return False
    is_list = '"' in text or sum(c in ", ;" for c in text) >= _SEPARATORS
    if _OTHER_FORM.match(text) or is_link(text) or (is_list and opens_brackets(text)):
        return True
    words = _PARTS.split(text)
    is_path = _PATH.search(text) is not None
    for symbols in (words[0], "".join(words)):
        n = isqrt(len(symbols))
        known = {*SYMBOLS[: max(n, 9)], *LETTERS[:n], *BLANKS, "X"}
        share = sum(c in known for c in symbols.upper()) / max(len(symbols), 1)
        if len(symbols) >= 15 and share >= 0.9 and (n * n == len(symbols) or not is_path):
            return True
    return False


def read_source(
    source: InputSource,
    layout: Layout | None = None,
    symbols: str | None = None,
    *,
    with_names: bool = True,
    keep_going: bool = False,
) -> Iterator[ClassicBoardChunk | PuzzleRecord | Unread | None]:
    """Read the puzzles of an input: long lists of classic boards as arrays, all else as records.

    Yields None where more has to be waited for; input from a pipe is passed on as it arrives.

    Args:
        source: is left open.
        layout: the shape of all boards; by default the one in the text.
        symbols: the digits in order, if they are not 1-9, A, B, ….
        with_names: whether the names of boards in arrays are wanted.
        keep_going: whether a board that cannot be read is yielded as unread; by default the error
            is raised.
    """
    blocks, resolver = _blocks_of_lines(source), CellResolver(layout, symbols)
    return _read_blocks(blocks, resolver, source.name, with_names, keep_going)


def _read_blocks(
    blocks: Iterable[bytes],
    resolver: CellResolver,
    name: str | None,
    with_names: bool = True,
    keep_going: bool = False,
) -> Iterator[ClassicBoardChunk | PuzzleRecord | Unread | None]:
    """Read the puzzles of a text in blocks of lines (:func:`_blocks_of_lines`)."""

    def feed(number: int, line: str | None) -> Iterator[PuzzleRecord | Unread]:
        try:
            with adding_error_place(source=name):
                if line is None:
                    yield from collector.finish()
                    return
                if len(line) >= LONGEST_LINE:
                    _check_long_line(line, number)
                yield from collector.feed(number, line)
        except PuzzleFormatError as error:
            if not keep_going:
                raise
            # A word below a board on one line is its rule, or a line of the list: neither is read.
            yield from [Unread(error)] * (1 + collector.may_be_no_rule)
            is_part = collector.forget(number)
            if line is not None and not is_part and (error.line or number) < number:
                yield from feed(number, line)

    with adding_error_place(source=name):
        collector = LineCollector(name, resolver, keep_going=keep_going)
        number = 1
        for block in blocks:
            if not block:
                if collector.is_between_boards:
                    yield from collector.yield_pending()
                yield None
                continue
            boards, at = None, 0
            is_long = len(block) > MIN_GROUP * 81  # enough for an array
            while at < len(block):
                if is_long and collector.expects_classic_boards:
                    if boards is None or boards.column != collector.column:
                        boards = BoardsInLines(block, collector.column)
                    begin, end = boards.boards_from(at)
                    if end - begin > MIN_GROUP:
                        yield from collector.yield_pending()
                        # What follows the last one may name its rules.
                        yield boards.chunk(begin, end - 1, name, number, names=with_names)
                        last = boards.start(end - 1)
                        number += block.count(b"\n", at, last)
                        at = last
                        collector.has_given = True
                line = _LINE.match(block, at)
                assert line is not None
                yield from feed(number, line[0].strip(b"\n").decode(errors="surrogateescape"))
                number += line[0].count(b"\n")
                at = line.end()
            yield None
        yield from feed(number, None)
        if not collector.has_given:
            raise PuzzleFormatError("no puzzle in here" + ", it is empty" * (number == 1))


def _blocks_of_lines(source: InputSource) -> Iterator[bytes]:
    """Yield the text of an input as blocks of lines that end with line feeds, in UTF-8.

    An empty block means that a pipe gave nothing for a while.
    """
    encoding, errors = text_encoding(source.head)
    is_utf8 = errors != "strict"
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    rest, number, is_first, is_last = b"", 1, True, False
    while not is_last:
        if not is_first and source.is_idle(IDLE_SECONDS):
            yield b""
        block = source.read(READ_BYTES)
        is_last = not block
        if not is_utf8:
            try:
                block = decoder.decode(block, is_last).encode()
            except UnicodeError:
                raise PuzzleFormatError(NO_UTF16, source=source.name) from None
        rest += block.removeprefix(codecs.BOM_UTF8) if is_first else block
        is_first = False
        if is_last and rest:
            rest += b"\n"
        whole = rest.removesuffix(b"\r")  # a line feed may follow
        end = max(whole.rfind(b"\n"), whole.rfind(b"\r")) + 1
        block, rest = rest[:end], rest[end:]
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if block:
            yield block
        number += block.count(b"\n")
        if len(rest) > LONGEST_LINE:
            _check_long_line(rest.decode(errors="surrogateescape"), number)


def _check_long_line(line: str, number: int) -> None:
    """Refuse a long line, unless it is a board in braces, a puzzle string or a link."""
    head = line[:400].lstrip()
    longest = LONGEST_LINE
    if head[:1] == "{" or is_link(head) or is_iss(head):
        longest += MAX_BRACKET_BYTES
    if len(line) >= longest:
        refuse_undecoded(line, first_line=number)
        what = f"the line has more than {longest - 1} characters; this is no puzzle"
        raise PuzzleFormatError(what, line=number)
