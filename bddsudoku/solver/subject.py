"""What a command is asked about: a puzzle, or a solution set that was saved before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle

if TYPE_CHECKING:
    from bddsudoku.solutions.gridset import GridSet
    from bddsudoku.solutions.solutionset import SolutionSet

__all__ = ["Subject", "load", "load_covers", "subjects"]


@dataclass(frozen=True)
class Subject:
    """One thing to answer questions about.

    Attributes:
        puzzle: the puzzle; for a saved set the puzzle whose hints hold in every solution.
        saved: the set, when a file of one was given.
        source: where it came from, and on which line (None for a saved set).
        name: trailing text in the file, if any.
    """

    puzzle: Puzzle
    saved: GridSet | None = None
    source: str = ""
    line: int | None = None
    name: str = ""


def load(path: str | Path) -> GridSet:
    """A saved Sudoku set, memory-mapped.

    Raises:
        DamagedFileError: the file is truncated, damaged, or not a saved Sudoku set.
    """
    from bddsudoku.errors import DamagedFileError
    from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
    from bddsudoku.solutions.files import load as load_set
    from bddsudoku.solutions.gridset import GridSet

    loaded = load_set(Path(path), {SudokuDecoder.kind: SudokuDecoder.from_dict})
    if not isinstance(loaded, GridSet):
        raise DamagedFileError(f"{path}: a saved set, but not of a Sudoku")
    return loaded


def load_covers(path: str | Path) -> SolutionSet | None:
    """A saved set of exact covers or tilings, memory-mapped; None when the file is no saved set.

    Raises:
        DamagedFileError: the file is damaged, or holds another puzzle's set.
    """
    from bddsudoku.errors import DamagedFileError
    from bddsudoku.puzzle.exact_cover import CoverDecoder
    from bddsudoku.puzzle.tiling import TilingDecoder
    from bddsudoku.solutions.files import load as load_set
    from bddsudoku.solutions.magic import is_saved_set
    from bddsudoku.solutions.solutionset import SolutionSet

    if not Path(path).is_file() or not is_saved_set(Path(path)):
        return None
    kinds = {d.kind: d.from_dict for d in (CoverDecoder, TilingDecoder)}
    loaded = load_set(Path(path), kinds)
    if not isinstance(loaded, SolutionSet) or loaded.decoder.kind not in kinds:
        raise DamagedFileError(f"{path}: a saved set, but not of exact covers or tilings")
    return loaded


def subjects(argument: str, layout: Layout | None = None) -> Iterator[Subject]:
    """Everything that a PUZZLE argument stands for: a saved set, or one puzzle after another.

    Raises:
        PuzzleFormatError: something is not a puzzle (those before it were yielded).
        DamagedFileError: a saved set that cannot be trusted.
    """
    from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, read_argument
    from bddsudoku.solutions.magic import is_saved_set

    if argument != "-" and not looks_like_puzzle(argument) and is_saved_set(Path(argument)):
        saved = load(argument)
        yield Subject(saved.decoder.puzzle, saved, source=argument)
        return
    for record in read_argument(argument, layout):
        yield Subject(record.puzzle, None, record.source or "", record.line, record.name)
