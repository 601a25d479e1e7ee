"""Input sources of FILE and PUZZLE arguments (a file, a pipe, standard input), opened only once.

A pipe can be read only once, and a FIFO opened a second time waits for a second writer. So the kind
of content is recognized by the first bytes, which remain part of the stream.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.file_io import MAGIC, MAX_TEXT_BYTES, PrefixedStream, read_stream_text
from bddsudoku.puzzle.sudoku.text.reader import unreadable_error

if TYPE_CHECKING:
    from bddsudoku.diagrams.set_files import StoredSet
    from bddsudoku.sets.gridset import DnnfGridSet, GridSet
    from bddsudoku.sets.solutionset import SolutionSet

T = TypeVar("T")

STDIN = "<standard input>"
"""Name of standard input in messages."""


class InputSource:
    """An open file, pipe or standard input; a context manager that leaves standard input open.

    Args:
        argument: a path, or ``-`` for standard input.
        context: limits for reading.

    Attributes:
        name: its name in messages.
        is_set: whether it begins like a saved set.

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
            self._mappable = _is_mappable(self._file)
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
        """A stream of all bytes, including those already read to recognize the format."""
        return PrefixedStream(self._head, self._file)  # type: ignore[return-value]

    def text(self, max_bytes: int = MAX_TEXT_BYTES) -> str:
        """The whole content as text, decoded from UTF-8."""
        return read_stream_text(self.stream(), self.name, self._context, max_bytes)

    def read_stored_set(self) -> StoredSet:
        """Read a saved set; a file is memory-mapped, a pipe is read into memory.

        Raises:
            DamagedFileError: it is truncated, damaged, or no saved set.
            LimitReached: what comes through a pipe does not fit into the memory.
        """
        from bddsudoku.diagrams import set_files as files

        if self._mappable and self.is_set:
            return files.load(np.memmap(self._file, dtype=np.uint8, mode="r"), name=self.name)
        return files.load(
            files.read_set_bytes(self.stream(), self.name, self._context), name=self.name
        )


def open_source(argument: str, context: Context = UNLIMITED) -> InputSource:
    """Open a PUZZLE argument: a file, a pipe or standard input.

    Raises:
        PuzzleFormatError: it cannot be opened.
    """
    try:
        return InputSource(argument, context)
    except (OSError, ValueError) as error:
        raise unreadable_error(STDIN if argument == "-" else argument, error) from None


def load_if_saved(source: str | Path | InputSource, restore: Callable[[StoredSet], T]) -> T | None:
    """Load a saved set from a source; None if it has no saved set or is no regular file.

    Args:
        source: a path, or an open source.
        restore: makes the set from the file's content.
    """
    if isinstance(source, InputSource):
        return restore(source.read_stored_set()) if source.is_set else None
    if not Path(source).is_file():
        return None
    with InputSource(source) as opened:
        return load_if_saved(opened, restore)


def _is_mappable(file: Any) -> bool:
    """Whether a file can be memory-mapped: it is regular, and nothing of it has been read."""
    try:
        number = file.fileno()
        return stat.S_ISREG(os.fstat(number).st_mode) and os.lseek(number, 0, os.SEEK_CUR) == 0
    except (OSError, ValueError, AttributeError):
        return False


def load(source: str | Path | InputSource) -> GridSet | DnnfGridSet:
    """Load a saved Sudoku set; a file is memory-mapped, input from a pipe is read into memory.

    Args:
        source: a path, ``-`` for standard input, or an open source.

    Raises:
        DamagedFileError: the file is truncated, damaged, or no saved set.
        PuzzleFormatError: it is a saved set of another kind.
        OSError: it cannot be read.
    """
    if not isinstance(source, InputSource):
        with InputSource(source) as opened:
            return load(opened)
    from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder

    found: GridSet | DnnfGridSet = _restore_set(
        (SudokuDecoder,), "a Sudoku", source.read_stored_set(), of_grids=True
    )
    return found


def load_covers(source: str | Path | InputSource) -> SolutionSet | None:
    """Load a saved set of exact covers or tilings; None if the source is no saved set.

    Args:
        source: a path, or an open source.

    Raises:
        DamagedFileError: the file is damaged.
        PuzzleFormatError: it is a saved set of another kind.
    """
    from bddsudoku.puzzle.exact_cover import CoverDecoder
    from bddsudoku.puzzle.tiling import TilingDecoder

    decoders = CoverDecoder, TilingDecoder
    return load_if_saved(source, partial(_restore_set, decoders, "exact covers or tilings"))


def load_assignments(source: str | Path | InputSource) -> SolutionSet | None:
    """Load a saved set of a formula's assignments; None if the source is no saved set.

    Argument and errors are those of :func:`load_covers`.
    """
    from bddsudoku.puzzle.formula import FormulaDecoder

    return load_if_saved(
        source, partial(_restore_set, (FormulaDecoder,), "a formula's assignments")
    )


def _restore_set(
    decoders: tuple[Any, ...], set_name: str, stored: StoredSet, *, of_grids: bool = False
) -> Any:
    """Make the set of a file's content; an error if its class or its decoder is not expected."""
    from bddsudoku.sets.gridset import DnnfGridSet, GridSet, set_from_stored
    from bddsudoku.sets.solutionset import SolutionSet

    kinds = {decoder.kind: decoder.from_dict for decoder in decoders}
    loaded = set_from_stored(stored, kinds)
    expected = GridSet | DnnfGridSet if of_grids else SolutionSet
    if loaded.decoder.kind not in kinds or not isinstance(loaded, expected):
        raise other_set_error(stored, set_name)
    return loaded


def other_set_error(stored: StoredSet, wanted: str) -> PuzzleFormatError:
    """The error for a saved set of another kind of puzzle than is wanted."""
    kind = f"a saved set of the kind {stored.decoder['kind']!r}, not of {wanted}"
    return PuzzleFormatError(
        f"{kind}; SolutionSet.load reads every kind", source=str(stored.source)
    )
