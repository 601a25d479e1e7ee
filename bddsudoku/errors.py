"""What can go wrong, as few exceptions; each is also a child of the builtin that fits.

Every message is one line and shows the offending value, so that the command line can print it
as it stands.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BackendUnavailable",
    "BddSudokuError",
    "DamagedFileError",
    "LimitReached",
    "ModelError",
    "PuzzleFormatError",
    "ScheduleError",
]


class BddSudokuError(Exception):
    """Parent of every error that this package raises on purpose.

    All of them can be pickled and copied, with what they carry: a pool's worker whose error cannot
    be unpickled hangs the pool.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        # Python would call the class with the message alone, and some want more than that.
        made = super().__reduce__()
        assert isinstance(made, tuple)
        return (_made_again, made[:2], *made[2:])


def _made_again(cls: type[BddSudokuError], args: tuple[Any, ...]) -> BddSudokuError:
    """An error before its attributes are put back."""
    error = cls.__new__(cls, *args)
    super(BddSudokuError, error).__init__(*args)
    return error


class PuzzleFormatError(BddSudokuError, ValueError):
    """A text, file or array that is not a puzzle.

    Args:
        expected: what should have stood there, and what stood there instead.
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


class ModelError(BddSudokuError, ValueError):
    """A model, cover or diagram that breaks its own rules."""


class ScheduleError(BddSudokuError, ValueError):
    """A conjunction schedule that is not a permutation of the model's constraints."""


class DamagedFileError(BddSudokuError, ValueError):
    """A saved file that is truncated, damaged, or of another format or version."""


class BackendUnavailable(BddSudokuError, ImportError):
    """A backend or extra that was named by the caller but is not installed."""


class LimitReached(BddSudokuError, RuntimeError):
    """A memory, node, state or time limit ended the work; what was known by then is kept.

    Args:
        message: one line: which limit, where the work stood.
        limit: ``"memory"``, ``"nodes"``, ``"states"`` or ``"time"``.
        trace: the partial trace of the work done so far (engine-specific), or None.
        details: numbers worth keeping, such as ``level``, ``states`` and ``bytes``.
    """

    def __init__(
        self, message: str, *, limit: str, trace: Any = None, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.limit = limit
        self.trace = trace
        self.details = details or {}
