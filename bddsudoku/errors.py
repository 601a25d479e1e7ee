"""Exceptions of the package; each but the base class also derives from a built-in exception.

Every message is one line and shows the offending value, so that the command line can print it
unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any  # traces and details of any engine; arguments of any error

__all__ = [
    "BackendUnavailable",
    "BddSudokuError",
    "DamagedFileError",
    "LimitReached",
    "ModelError",
    "PlugInError",
    "PuzzleFormatError",
    "ScheduleError",
]


class BddSudokuError(Exception):
    """Base class of every error that this package raises on purpose.

    All of them can be pickled and copied with their attributes: a worker whose error cannot be
    unpickled hangs its process pool.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Python would call the class with the message alone, and some need further arguments.
        reduced = super().__reduce__()
        assert isinstance(reduced, tuple)
        return (_rebuild_error, reduced[:2], *reduced[2:])


def _rebuild_error(cls: type[BddSudokuError], args: tuple[Any, ...]) -> BddSudokuError:
    """Make an error from its class and arguments; unpickling sets its attributes afterwards."""
    error = cls.__new__(cls, *args)
    super(BddSudokuError, error).__init__(*args)
    return error


class PuzzleFormatError(BddSudokuError, ValueError):
    """Raised for a text, file or array that is not a puzzle.

    Args:
        expected: what was expected there, and what was found instead.
        source: file name, ``<standard input>`` or ``<argument>``; None when unknown.
        line: line number from 1.
        column: place in the line, from 1.
        cell: the cell as ``r4c7`` (rows and columns from 1).
    """

    def __init__(
        self,
        expected: str,
        *,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
        cell: str | None = None,
    ) -> None:
        place = [source] if source else []
        if line is not None:
            place.append(f"line {line}")
        if column is not None:
            place.append(f"column {column}")
        if cell is not None:
            place.append(f"cell {cell}")
        super().__init__(f"{', '.join(place)}: {expected}" if place else expected)
        self.expected = expected
        self.source = source
        self.line = line
        self.column = column
        self.cell = cell


@contextmanager
def adding_error_place(
    name: str = "",
    *,
    source: str | None = None,
    line: int | None = None,
    cell: str | None = None,
) -> Iterator[None]:
    """Context manager that adds a place to format errors that lack it, a name to all of them."""
    try:
        yield
    except PuzzleFormatError as error:
        raise type(error)(
            f"{name}: {error.expected}" if name else error.expected,
            source=error.source or source,
            line=error.line or line,
            column=error.column,
            cell=error.cell or cell,
        ) from None


class ModelError(BddSudokuError, ValueError):
    """Raised for an inconsistent model, exact cover or diagram."""


class ScheduleError(BddSudokuError, ValueError):
    """Raised for a conjunction schedule that is not a permutation of the model's constraints."""


class DamagedFileError(BddSudokuError, ValueError):
    """Raised for a saved file that is truncated, damaged, or of another format or version."""


class BackendUnavailable(BddSudokuError, ImportError):
    """Raised for a backend or extra that the caller named but that is not installed."""


class PlugInError(BddSudokuError, ImportError):
    """Raised for a rule or engine of another package that cannot be loaded; names the package."""


class LimitReached(BddSudokuError, RuntimeError):
    """Raised when a limit (memory, nodes, states, time, disk) ends the work; has partial results.

    Args:
        message: one line: which limit, where the work stood.
        limit: ``"memory"``, ``"nodes"``, ``"states"``, ``"time"`` or ``"disk"``.
        trace: the partial trace of the work done so far (engine-specific), or None.
        details: numbers about the work so far, such as ``level``, ``states`` and ``bytes``.
    """

    def __init__(
        self, message: str, *, limit: str, trace: Any = None, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.limit = limit
        self.trace = trace
        self.details: dict[str, Any] = details or {}


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """End a message about an unknown word: ``. Did you mean 'count'?``, or ``""``.

    Capital letters, hyphens, blanks and the s of a plural make no difference.
    """
    from difflib import get_close_matches

    by_letters = {_letters(name): name for name in names}
    wanted = _letters(word)
    longer = [name for name in by_letters if len(wanted) > 2 and name.startswith(wanted)]
    near = [wanted] if wanted in longer else longer or get_close_matches(wanted, by_letters, 2, 0.7)
    shown = " or ".join(repr(by_letters[name]) for name in near[:2])
    return shown and f". Did you mean {shown}?"


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower())).removesuffix("s")
