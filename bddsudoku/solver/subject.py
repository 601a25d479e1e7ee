"""What a command is asked about: a puzzle, or a solution set that was saved before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bddsudoku.context import UNLIMITED
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.solver.source import STDIN, Source, saved_in

if TYPE_CHECKING:
    from bddsudoku.context import Context
    from bddsudoku.diagrams.files import DecoderFactory, Stored
    from bddsudoku.puzzle.sudoku.text import PuzzleRecord
    from bddsudoku.sets.dnnfset import DecomposedSet
    from bddsudoku.sets.gridset import GridSet
    from bddsudoku.sets.solutionset import SolutionSet


@dataclass(frozen=True)
class Subject:
    """One thing to answer questions about.

    Attributes:
        puzzle: the puzzle; for a saved set the puzzle whose hints hold in every solution.
        saved: the set, when a file of one was given.
        source: where it came from, and on which line (None for a saved set).
        name: trailing text in the file, if any.
        notes: what was passed over in reading it.
    """

    puzzle: Puzzle
    saved: GridSet | DecomposedSet | None = None
    source: str = ""
    line: int | None = None
    name: str = ""
    notes: tuple[str, ...] = ()


def load(source: str | Path | Source) -> GridSet | DecomposedSet:
    """A saved Sudoku set: a file is memory-mapped, what comes through a pipe is held.

    Args:
        source: a path, ``-`` for standard input, or what is open already.

    Raises:
        DamagedFileError: the file is truncated, damaged, or not a saved Sudoku set.
        OSError: it cannot be read.
    """
    from bddsudoku.errors import DamagedFileError
    from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
    from bddsudoku.sets.dnnfset import DecomposedSet
    from bddsudoku.sets.gridset import GridSet
    from bddsudoku.sets.saved import restored

    if not isinstance(source, Source):
        with Source(source) as opened:
            return load(opened)
    loaded = restored(source.stored(), {SudokuDecoder.kind: SudokuDecoder.from_dict})
    if not isinstance(loaded, GridSet | DecomposedSet):
        raise DamagedFileError(f"{source.name}: a saved set, but not of a Sudoku")
    return loaded


def load_covers(source: str | Path | Source) -> SolutionSet | None:
    """A saved set of exact covers or tilings; None for anything else that can be read or not.

    Args:
        source: a path, or what is open already.

    Raises:
        DamagedFileError: the file is damaged, or holds another puzzle's set.
    """
    from bddsudoku.puzzle.exact_cover import CoverDecoder
    from bddsudoku.puzzle.tiling import TilingDecoder

    kinds = {d.kind: d.from_dict for d in (CoverDecoder, TilingDecoder)}
    return saved_in(source, partial(_of_kinds, kinds, "exact covers or tilings"))


def load_assignments(source: str | Path | Source) -> SolutionSet | None:
    """A saved set of a formula's assignments; otherwise as :func:`load_covers`."""
    from bddsudoku.puzzle.formula import FormulaDecoder

    kinds = {FormulaDecoder.kind: FormulaDecoder.from_dict}
    return saved_in(source, partial(_of_kinds, kinds, "a formula's assignments"))


def _of_kinds(kinds: Mapping[str, DecoderFactory], what: str, stored: Stored) -> SolutionSet:
    from bddsudoku.errors import DamagedFileError
    from bddsudoku.sets.saved import restored
    from bddsudoku.sets.solutionset import SolutionSet

    loaded = restored(stored, kinds)
    if loaded.decoder.kind not in kinds or not isinstance(loaded, SolutionSet):
        raise DamagedFileError(f"{stored.source}: a saved set, but not of {what}")
    return loaded


def subjects(
    argument: str, layout: Layout | None = None, context: Context = UNLIMITED
) -> Iterator[Subject]:
    """Everything that a PUZZLE argument stands for: a saved set, or one puzzle after another.

    A file or pipe is opened once.

    Args:
        argument: a path, ``-`` for standard input, or the puzzle itself.
        layout: the shape of all boards; by default what the text says.

    Raises:
        PuzzleFormatError: something is not a puzzle (those before it were yielded), or cannot be
            read.
        DamagedFileError: a saved set that cannot be trusted.
    """
    from bddsudoku.puzzle.sudoku.text import looks_like_puzzle, read_argument, read_puzzles

    if looks_like_puzzle(argument):
        for record in read_argument(argument, layout):
            yield read_subject(record, record.source or "")
        return
    with opened(argument, context) as source:
        if source.is_set:
            yield saved_subject(source)
            return
        for record in read_puzzles(source.stream(), layout, name=source.name):
            yield read_subject(record, source.name)


def read_subject(record: PuzzleRecord, source: str) -> Subject:
    """What was read.

    Args:
        record: by a reader.
        source: what to call the file.
    """
    return Subject(record.puzzle, None, source, record.line, record.name, record.notes)


def opened(argument: str, context: Context = UNLIMITED) -> Source:
    """The file, pipe or standard input that an argument names; arguments as of :class:`Source`.

    Raises:
        PuzzleFormatError: it cannot be opened.
    """
    from bddsudoku.puzzle.sudoku.text.reader import unreadable

    try:
        return Source(argument, context)
    except (OSError, ValueError) as error:
        raise unreadable(STDIN if argument == "-" else argument, error) from None


def saved_subject(source: Source) -> Subject:
    """The saved set that a source holds.

    Raises:
        DamagedFileError: it is truncated, damaged, or not of a Sudoku.
    """
    saved = load(source)
    return Subject(saved.decoder.puzzle, saved, source=source.name)
