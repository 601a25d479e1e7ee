"""Reading a PUZZLE argument: a saved set, one puzzle or a list of puzzles."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.file_io import PrefixedStream
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, read_argument, read_puzzles
from bddsudoku.puzzle.sudoku.text.fast_lines import read_fast_lines
from bddsudoku.puzzle.sudoku.text.symbols import fold_lookalikes
from bddsudoku.solver.input_source import load, open_source

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U8
    from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder

T = TypeVar("T")

READ_BYTES = 1 << 18
"""Bytes that are read at a time: some 3,000 puzzles, a few milliseconds of work."""
MIN_GROUP = 16
"""Number of puzzles up to which they are yielded one by one, which needs fewer kernels."""
_BLANK = re.compile(rb"(?:[ \t]*+\r?+\n)++")
_COMMENT = re.compile(rb"[ \t]*#[^\r\n\0]{0,999}\r?\n")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class ClassicBoardChunk:
    """Classic boards read from lines of a file, as one array.

    Attributes:
        digits: uint8, (n, 81), 0 where open.
        source: name of the file.
        lines: numbers of the lines, from 1.
        names: text behind the cells of each line.
    """

    digits: U8
    source: str
    lines: list[int]
    names: list[str]

    def __len__(self) -> int:
        return len(self.digits)

    def __iter__(self) -> Iterator[PuzzleRecord]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, i: int) -> PuzzleRecord:
        return PuzzleRecord(self.puzzle(i), self.source, self.lines[i], self.names[i])

    def slice(self, begin: int, end: int) -> ClassicBoardChunk:
        """The boards from ``begin`` to ``end``."""
        cut = slice(begin, end)
        digits = np.ascontiguousarray(self.digits[cut])
        return ClassicBoardChunk(digits, self.source, self.lines[cut], self.names[cut])

    def puzzle(self, i: int) -> Puzzle:
        """The board at a position as a Puzzle."""
        return Puzzle(self.digits[i].tolist(), Layout())

    @cached_property
    def texts(self) -> list[str]:
        """The boards as lines of text, in the form of :attr:`Puzzle.line`."""
        signs = np.where(self.digits == 0, ord("."), self.digits + ord("0")).astype(np.uint8)
        text = signs.tobytes().decode("ascii")
        return [text[i : i + 81] for i in range(0, len(text), 81)]

    @cached_property
    def hint_counts(self) -> list[int]:
        """The number of hints of each board."""
        counts: list[int] = np.count_nonzero(self.digits, axis=1).tolist()
        return counts


Chunk = ClassicBoardChunk | list[PuzzleRecord]
"""Consecutive puzzles of a list."""


def read_records(
    argument: str, layout: Layout | None = None, context: Context = UNLIMITED
) -> Iterator[PuzzleRecord]:
    """Read a PUZZLE argument: yield a saved set, or one puzzle after another.

    Args:
        argument: a path, ``-`` for standard input, or the puzzle itself.
        layout: the layout of all boards; by default the one that the text names.

    Raises:
        PuzzleFormatError: something is not a puzzle (those before it were yielded), or cannot be
            read.
        DamagedFileError: a saved set that cannot be trusted.
    """
    return _read_argument(read_puzzles, argument, layout, context)


def read_records_or_chunks(
    argument: str, layout: Layout | None = None, context: Context = UNLIMITED
) -> Iterator[ClassicBoardChunk | PuzzleRecord]:
    """Read a PUZZLE argument: yield single puzzles, and classic boards of long lists as arrays.

    A saved set is read as by :func:`read_records`. Input from a pipe is passed on as it arrives.
    """
    return _read_argument(_read_classic_lines, argument, layout, context)


def _read_argument(
    read_stream: Callable[..., Iterator[T]], argument: str, layout: Layout | None, context: Context
) -> Iterator[T | PuzzleRecord]:
    """Read a PUZZLE argument; ``read_stream`` reads the puzzles of a file or a pipe."""
    if looks_like_puzzle(argument):
        yield from read_argument(argument, layout)
        return
    with open_source(argument, context) as source:
        if source.is_set:
            saved = load(source)
            decoder = cast("SudokuDecoder", saved.decoder)
            yield PuzzleRecord(decoder.puzzle, source.name, saved=saved)
        else:
            yield from read_stream(source.stream(), layout, name=source.name)


def _read_classic_lines(
    stream: BinaryIO, layout: Layout | None, *, name: str
) -> Iterator[ClassicBoardChunk | PuzzleRecord]:
    """Read lines of classic boards as arrays; from the first other line on, as single puzzles."""
    rest, line, any_found = b"", 1, False
    skipped = 0  # lines that were passed over behind the first one of the rest
    ended, more = False, True
    while layout in (None, Layout()) and more and not ended:
        ended = not (block := stream.read(READ_BYTES))
        rest += block
        if line == 1:
            rest = rest.removeprefix(_BOM)
        digits = [np.empty((0, 81), np.uint8)]
        lines: list[int] = []
        names: list[str] = []
        at, last = 0, b""
        while more and at < len(rest):
            data = memoryview(rest)[at:]
            found = read_fast_lines(data, is_last=ended)
            if number := len(found.digits):
                digits.append(found.digits)
                lines += [line, *range(line + skipped + 1, line + skipped + number)]
                names += [found.name(data, i) for i in range(number)]
                last = bytes(data[slice(*found.spans[-1].tolist())])
                line += skipped + number
                skipped = 0
                at += found.used
            if found.more:
                break
            skipped_bytes = _skippable_length(rest, at)
            line += rest.count(b"\n", at, at + skipped_bytes)
            at += skipped_bytes
            more = skipped_bytes > 0
        rest = rest[at:]
        boards = ClassicBoardChunk(np.concatenate(digits), name, lines, names)
        if lines and (rest or not ended):  # what follows may name rules of the last board
            rest = last + b"\n" + rest
            skipped = line - lines[-1] - 1
            line = lines[-1]
            boards = boards.slice(0, len(boards) - 1)
        any_found |= len(boards) > 0
        if len(boards) > MIN_GROUP:
            yield boards
        else:
            yield from boards
    if any_found and ended and not rest:
        return
    first, end, rest = rest.partition(b"\n")
    left = PrefixedStream(first + end + b"\n" * skipped + rest, stream)
    for record in read_puzzles(io.BufferedReader(left), layout, name=name, first_line=line):
        any_found = True
        yield record
    if not any_found:
        raise PuzzleFormatError("no puzzle in here", source=name)


def _skippable_length(data: bytes, offset: int) -> int:
    """The length in bytes of blank lines or of an ordinary comment at an offset; 0 if neither."""
    if blank := _BLANK.match(data, offset):
        return len(blank[0])
    line = _COMMENT.match(data, offset)
    if line is None:
        return 0
    try:
        text = fold_lookalikes(line[0].decode()).lower()
    except UnicodeDecodeError:
        return 0
    # A comment may contain a directive, which may be written with other than ASCII letters.
    words = (":", "=") if not text.isascii() else ("layout", "symbols", "shape", "digits")
    return 0 if any(word in text for word in words) else len(line[0])
