"""What a FILE or PUZZLE argument names, opened once: a file, a pipe, standard input.

A pipe can be read only once, and a FIFO opened a second time waits for a second writer. So what a
source holds is told from its first bytes, which stay part of it.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams import files
from bddsudoku.diagrams.files import MAGIC, Stored
from bddsudoku.errors import DamagedFileError, PuzzleFormatError
from bddsudoku.files import MOST, text_of
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.text.reader import unreadable
from bddsudoku.sets.gridset import DecomposedSet, GridSet, restored
from bddsudoku.sets.solutionset import SolutionSet

T = TypeVar("T")

STDIN = "<standard input>"
"""What messages call it."""


class Source:
    """An open file, pipe or standard input. A context manager; standard input is left open.

    Args:
        argument: a path, or ``-`` for standard input.
        limits: what may be used in reading it.

    Attributes:
        name: what messages call it.
        is_set: it begins like a saved set.

    Raises:
        OSError: the path cannot be opened.
        PuzzleFormatError: standard input is closed.
    """

    def __init__(self, argument: str | Path, context: Context = UNLIMITED) -> None:
        self._context = context
        self._own = str(argument) != "-"
        self.name = str(argument) if self._own else STDIN
        self._file: Any
        if self._own:
            self._file = open(argument, "rb")  # noqa: SIM115
        elif sys.stdin is None:
            raise PuzzleFormatError("cannot be read: it is closed", source=STDIN)
        elif hasattr(sys.stdin, "buffer"):
            self._file = sys.stdin.buffer
        else:  # a test or a notebook has put a text in its place
            self._file = io.BytesIO(sys.stdin.read().encode("utf-8", "surrogateescape"))
        head = b""
        try:
            self._mappable = _is_at_start(self._file)
            while len(head) < len(MAGIC) and (more := self._file.read(len(MAGIC) - len(head))):
                head += more
        except BaseException:
            self.close()
            raise
        self._head = head
        self.is_set = head == MAGIC

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._own:
            self._file.close()

    def stream(self) -> BinaryIO:
        """All bytes, in order, as they come."""
        return Chained(self._head, self._file)  # type: ignore[return-value]

    def text(self, most: int = MOST) -> str:
        """Everything, decoded from UTF-8; see :func:`bddsudoku.files.text_of`."""
        return text_of(self.stream(), self.name, self._context, most)

    def stored(self) -> Stored:
        """What is saved: a file is mapped, anything else read whole.

        Raises:
            DamagedFileError: it is truncated, damaged, or no saved set.
            LimitReached: what comes through a pipe does not fit into the memory.
        """
        if self._mappable and self.is_set:
            return files.load(np.memmap(self._file, dtype=np.uint8, mode="r"), name=self.name)
        return files.load(files.held(self.stream(), self.name, self._context), name=self.name)


def opened(argument: str, context: Context = UNLIMITED) -> Source:
    """:class:`Source` of a PUZZLE argument.

    Raises:
        PuzzleFormatError: it cannot be opened.
    """
    try:
        return Source(argument, context)
    except (OSError, ValueError) as error:
        raise unreadable(STDIN if argument == "-" else argument, error) from None


def saved_in(source: str | Path | Source, read: Callable[[Stored], T]) -> T | None:
    """What a file keeps; None for anything else that can be read or not.

    Args:
        source: a path, or what is open already.
        read: makes the set of it.
    """
    if isinstance(source, Source):
        return read(source.stored()) if source.is_set else None
    if not Path(source).is_file():
        return None
    with Source(source) as opened:
        return saved_in(opened, read)


class Chained(io.RawIOBase):
    """Some bytes, and then a stream; what a pipe has to give is passed on as it comes."""

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head = memoryview(head)
        self._read = getattr(stream, "read1", stream.read)

    def readable(self) -> bool:
        """See :class:`io.IOBase`."""
        return True

    def readinto(self, buffer: Any) -> int:
        """See :class:`io.RawIOBase`."""
        view = memoryview(buffer)
        data = self._head[: len(view)] or self._read(len(view))
        self._head = self._head[len(view) :]
        view[: len(data)] = data
        return len(data)


def _is_at_start(file: Any) -> bool:
    """Whether a file can be mapped: it is a regular one, and nothing of it was read before."""
    try:
        number = file.fileno()
        return stat.S_ISREG(os.fstat(number).st_mode) and os.lseek(number, 0, os.SEEK_CUR) == 0
    except (OSError, ValueError, AttributeError):
        return False


def load(source: str | Path | Source) -> GridSet | DecomposedSet:
    """A saved Sudoku set: a file is memory-mapped, what comes through a pipe is held.

    Args:
        source: a path, ``-`` for standard input, or what is open already.

    Raises:
        DamagedFileError: the file is truncated, damaged, or not a saved Sudoku set.
        OSError: it cannot be read.
    """
    if not isinstance(source, Source):
        with Source(source) as opened:
            return load(opened)
    sets = GridSet, DecomposedSet
    found: GridSet | DecomposedSet = _of(sets, (SudokuDecoder,), "a Sudoku", source.stored())
    return found


def load_covers(source: str | Path | Source) -> SolutionSet | None:
    """A saved set of exact covers or tilings; None for anything else that can be read or not.

    Args:
        source: a path, or what is open already.

    Raises:
        DamagedFileError: the file is damaged, or holds another puzzle's set.
    """
    from bddsudoku.puzzle.exact_cover import CoverDecoder
    from bddsudoku.puzzle.tiling import TilingDecoder

    decoders = CoverDecoder, TilingDecoder
    return saved_in(source, partial(_of, SolutionSet, decoders, "exact covers or tilings"))


def load_assignments(source: str | Path | Source) -> SolutionSet | None:
    """A saved set of a formula's assignments; otherwise as :func:`load_covers`."""
    from bddsudoku.puzzle.formula import FormulaDecoder

    return saved_in(source, partial(_of, SolutionSet, (FormulaDecoder,), "a formula's assignments"))


def _of(sets: Any, decoders: tuple[Any, ...], what: str, stored: Stored) -> Any:
    """The set, if it is one of these, with one of these decoders."""
    kinds = {decoder.kind: decoder.from_dict for decoder in decoders}
    loaded = restored(stored, kinds)
    if loaded.decoder.kind not in kinds or not isinstance(loaded, sets):
        raise DamagedFileError(f"{stored.source}: a saved set, but not of {what}")
    return loaded
