"""Opening a saved set without knowing what it is a set of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bddsudoku.diagrams import files
from bddsudoku.diagrams.files import DecoderFactory, Stored
from bddsudoku.sets.dnnfset import DecomposedSet
from bddsudoku.sets.gridset import GridSet
from bddsudoku.sets.solutionset import SolutionSet

AnySet = SolutionSet | DecomposedSet
"""An ordered diagram, or a decomposable one."""


def load(
    path: str | Path,
    decoders: Mapping[str, DecoderFactory] | None = None,
    *,
    verify: bool = True,
) -> AnySet:
    """The set in a file, memory-mapped: a GridSet where it holds grids.

    Args:
        path: the file.
        decoders: see :func:`restored`.
        verify: see :func:`bddsudoku.diagrams.files.load`.

    Raises:
        DamagedFileError: the file is foreign, of another version, truncated or damaged.
        OSError: the file cannot be read.
    """
    return restored(files.load(path, verify=verify), decoders)


def restored(stored: Stored, decoders: Mapping[str, DecoderFactory] | None = None) -> AnySet:
    """The set that a file keeps: a GridSet where it holds grids.

    Args:
        stored: what was read.
        decoders: for each kind of decoder what makes it from its saved description, such as
            ``{"sudoku": SudokuDecoder.from_dict}``. A kind that is missing here is read plainly:
            grids become arrays, other solutions tuples of keys.

    Raises:
        DamagedFileError: the description makes no sense.
    """
    kinds: tuple[type[AnySet], ...] = (GridSet, DecomposedSet)
    cls = next((c for c in kinds if c.kind == stored.kind), SolutionSet)
    return cls.restored(stored, decoders)
