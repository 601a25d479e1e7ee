"""Reading a PUZZLE argument: a saved set, one puzzle or a list of puzzles."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BddSudokuError, PuzzleFormatError
from bddsudoku.file_io import PrefixedStream
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, read_argument, read_puzzles
from bddsudoku.puzzle.sudoku.text.headers import find_header
from bddsudoku.puzzle.sudoku.text.reader import LONGEST_LINE
from bddsudoku.puzzle.sudoku.text.symbols import fold_lookalikes

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U8
    from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder

T = TypeVar("T")

READ_BYTES = 1 << 18
"""Bytes that are read at a time: some 3,000 puzzles, a few milliseconds of work."""
_CHUNK_FRACTION = 8
"""A chunk has at most this fraction (1/8) of the puzzles before it."""
MIN_GROUP = 16
"""Number of puzzles up to which they are yielded one by one, which needs fewer kernels."""
_BLANK = re.compile(rb"(?:[ \t]*+\r?+\n)++")
_COMMENT = re.compile(rb"[ \t]*[#%%][^\r\n\0]{0,%d}\r?\n" % (LONGEST_LINE // 2))
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
    return _read_argument(read_stream_or_chunks, argument, layout, context)


def read_open_file(file: IO[str] | IO[bytes]) -> Iterator[ClassicBoardChunk | PuzzleRecord]:
    """Read an open text or binary file as :func:`read_records_or_chunks` reads it by its path."""
    own = getattr(file, "name", None)
    stream = _EncodedText(file) if isinstance(file.read(0), str) else file
    name = own if isinstance(own, str) else "<stream>"
    return read_stream_or_chunks(cast("BinaryIO", stream), None, name=name)


class _EncodedText:
    """A text stream as a stream of bytes."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Read at most ``size`` bytes."""
        found = self._rest or self._stream.read(size).encode(errors="surrogatepass")
        self._rest = found[size:]
        return found[:size]


def _read_argument(
    read_stream: Callable[..., Iterator[T]], argument: str, layout: Layout | None, context: Context
) -> Iterator[T | PuzzleRecord]:
    """Read a PUZZLE argument; ``read_stream`` reads the puzzles of a file or a pipe."""
    if looks_like_puzzle(argument, layout):
        yield from read_argument(argument, layout)
        return
    from bddsudoku.solver.input_source import load, open_source

    with open_source(argument, context) as source:
        if source.is_set:
            saved = load(source)
            decoder = cast("SudokuDecoder", saved.decoder)
            yield PuzzleRecord(decoder.puzzle, source.name, saved=saved)
        else:
            yield from read_stream(source.stream(), layout, name=source.name)


def read_stream_or_chunks(
    stream: BinaryIO, layout: Layout | None, *, name: str
) -> Iterator[ClassicBoardChunk | PuzzleRecord]:
    """Read lines of classic boards as arrays; from the first other line on, as single puzzles."""
    from bddsudoku.puzzle.sudoku.text.fast_lines import read_fast_lines

    rest, line, any_found = b"", 1, False
    skipped = 0  # lines that were passed over behind the first one of the rest
    ended, more = False, True
    while layout in (None, Layout()) and more and not ended:
        ended = not (block := stream.read(READ_BYTES))
        rest += block
        if line == 1:
            rest = rest.removeprefix(_BOM)
        digits = np.empty((len(rest) // 81 + 1, 81), np.uint8)
        lines: list[int] = []
        names: list[str] = []
        at, last = 0, b""
        while more and at < len(rest):
            data = memoryview(rest)[at:]
            found = read_fast_lines(data, is_last=ended, rows=digits[len(lines) :])
            if number := len(found.digits):
                lines += [line, *range(line + skipped + 1, line + skipped + number)]
                names += found.names
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
            if not more and not ended and b"\n" not in rest[at : at + LONGEST_LINE]:
                more = len(rest) - at < LONGEST_LINE  # a comment that is cut off here
                break
        rest = rest[at:]
        boards = ClassicBoardChunk(digits[: len(lines)], name, lines, names)
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
    """The length in bytes of blank lines or of a mere comment at an offset; 0 if neither."""
    if blank := _BLANK.match(data, offset):
        return len(blank[0])
    line = _COMMENT.match(data, offset)
    if line is None:
        return 0
    try:
        text = fold_lookalikes(line[0].decode())
    except UnicodeDecodeError:
        return 0
    return 0 if find_header(text) else len(line[0])


def next_chunk_size(done: int, max_size: int) -> int:
    """Number of puzzles in the next chunk: an eighth of those done, at least 1.

    A chunk that is running when the work is stopped is lost, so each chunk is short compared with
    the work before it; and the same list is always divided at the same places.
    """
    return max(1, min(max_size, done // _CHUNK_FRACTION))


def split_into_chunks(
    puzzles: Iterable[ClassicBoardChunk | PuzzleRecord], max_size: int
) -> Iterator[Chunk]:
    """Divide a stream of puzzles into chunks of at most ``max_size``; arrays of boards stay arrays.

    The puzzles before a reading error are yielded before it is raised.

    Raises:
        BddSudokuError: the stream contains a saved set.
    """
    before = 0
    waiting: list[PuzzleRecord] = []
    try:
        for group in puzzles:
            if isinstance(group, ClassicBoardChunk):
                if waiting:
                    yield waiting
                before += len(waiting)
                waiting, begin = [], 0
                while begin < len(group):
                    end = min(begin + next_chunk_size(before, max_size), len(group))
                    yield group.slice(begin, end)
                    before += end - begin
                    begin = end
                continue
            if group.saved is not None:
                raise BddSudokuError(f"{group.source}: a saved set is not shared out")
            waiting.append(group._replace(notes=()))  # printed already
            if len(waiting) >= next_chunk_size(before, max_size):
                yield waiting
                before += len(waiting)
                waiting = []
    except Exception:
        if waiting:
            yield waiting
        raise
    if waiting:
        yield waiting
