"""Opening a saved set without knowing what it is a set of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bddsudoku.solutions import files
from bddsudoku.solutions.files import DecoderFactory, Stored
from bddsudoku.solutions.gridset import GridSet
from bddsudoku.solutions.solutionset import SolutionSet

__all__ = ["load", "restored"]


def load(
    path: str | Path,
    decoders: Mapping[str, DecoderFactory] | None = None,
    *,
    verify: bool = True,
) -> SolutionSet:
    """The set in a file, memory-mapped: a GridSet where it holds grids.

    Args:
        path: the file.
        decoders: see :func:`restored`.
        verify: see :func:`bddsudoku.solutions.files.load`.

    Raises:
        DamagedFileError: the file is foreign, of another version, truncated or damaged.
        OSError: the file cannot be read.
    """
    return restored(files.load(path, verify=verify), decoders)


def restored(stored: Stored, decoders: Mapping[str, DecoderFactory] | None = None) -> SolutionSet:
    """The set that a file keeps: a GridSet where it holds grids.

    Args:
        stored: what was read.
        decoders: for each kind of decoder what makes it from its saved description, such as
            ``{"sudoku": SudokuDecoder.from_dict}``. A kind that is missing here is read plainly:
            grids become arrays, other solutions tuples of keys.

    Raises:
        DamagedFileError: the description makes no sense.
    """
    cls = GridSet if stored.kind == GridSet.kind else SolutionSet
    return cls.restored(stored, decoders)
