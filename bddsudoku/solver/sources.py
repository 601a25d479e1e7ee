"""The door: whatever a PUZZLE or a list of puzzles in Python is, it becomes records here.

Long lists of classic boards become arrays, whatever they are written in.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from bddsudoku.argument_types import check_types, require_type
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import BddSudokuError, PuzzleFormatError
from bddsudoku.input_source import InputSource
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord, Unread
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.board_lists import BoardsInLines, ClassicBoardChunk
from bddsudoku.puzzle.sudoku.text.reader import (
    MIN_GROUP,
    TextInput,
    each_record,
    only_record,
    open_argument,
    read_source,
)

if TYPE_CHECKING:
    from bddsudoku.diagrams.set_files import StoredSet
    from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
    from bddsudoku.sets.gridset import DnnfGridSet, GridSet
    from bddsudoku.sets.solutionset import SolutionSet

T = TypeVar("T")

Found = ClassicBoardChunk | PuzzleRecord | Unread
"""What the door yields: many boards at once, a puzzle or a saved set, or what was not read."""
Chunk = ClassicBoardChunk | list[PuzzleRecord]
"""Consecutive puzzles of a list."""
PuzzleLike = (
    Puzzle
    | PuzzleRecord
    | TextInput
    | bytes
    | NDArray[np.integer[Any]]
    | Sequence[int]
    | Sequence[Sequence[int | str] | NDArray[np.integer[Any]]]
    | Sequence[str]
)
"""A puzzle in any form: a :class:`Puzzle`; text, or a path as on the command line; a ``Path``, an
open file; digits as :class:`Puzzle` takes them, 0 where open: 81, 9 rows of 9, an array of any type
of integers; rows of text."""
Puzzles = TextInput | NDArray[Any] | Iterable[PuzzleLike]
"""Many puzzles in any form: an array of digits of shape (n, 81) or (n, 9, 9), with ``masks`` of
candidate masks (bit d - 1 for digit d) instead; an iterable, or a column of a table, of texts or of
any :data:`PuzzleLike`; a file, by its path or open, or a text, which is read as commands read it.
"""

LIST_CHUNK = 4096
"""Puzzles of a list that are taken together, at most: some milliseconds of work on easy ones."""
HARD_CHUNK = 64
"""Puzzles of a list that a worker takes together, at most, where each takes some 10 ms."""
_CHUNK_FRACTION = 8
"""A chunk has at most this fraction (1/8) of the puzzles before it."""


@check_types
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
    return each_record(_read_argument(argument, layout, context))


def read_records_or_chunks(
    argument: str,
    layout: Layout | None = None,
    context: Context = UNLIMITED,
    *,
    keep_going: bool = False,
) -> Iterator[Found]:
    """Read a PUZZLE argument: yield single puzzles, and classic boards of long lists as arrays.

    A saved set is read as by :func:`read_records`. Input from a pipe is passed on as it arrives.
    With ``keep_going`` boards that cannot be read are yielded as unread.
    """
    return _gather_boards(_read_argument(argument, layout, context, keep_going), MIN_GROUP)


def _read_argument(
    argument: TextInput,
    layout: Layout | None = None,
    context: Context = UNLIMITED,
    keep_going: bool = False,
) -> Iterator[Found | None]:
    """Read a PUZZLE argument; None as in ``read_source``."""
    with open_argument(argument, layout, context) as source:
        if source.is_set:
            saved = load(source)
            decoder = cast("SudokuDecoder", saved.decoder)
            yield PuzzleRecord(decoder.puzzle, source.name, saved=saved)
        else:
            yield from read_source(source, layout, keep_going=keep_going)


def read_one(puzzle: PuzzleLike) -> PuzzleRecord:
    """The only puzzle of anything that may be one, or a saved set.

    Raises:
        PuzzleFormatError: it holds no puzzle, or several.
        TypeError: it is nothing of this kind.
    """
    if isinstance(puzzle, PuzzleRecord):
        return puzzle
    if isinstance(puzzle, Puzzle):
        return PuzzleRecord(puzzle)
    if isinstance(puzzle, bytes):
        puzzle = io.BytesIO(puzzle)
    if isinstance(puzzle, (str, os.PathLike)) or hasattr(puzzle, "read"):
        return only_record(each_record(_read_argument(cast("TextInput", puzzle))))
    cells: Any = puzzle.tolist() if isinstance(puzzle, np.ndarray) else puzzle
    require_type(cells, Iterable, "a puzzle (text, a path, digits, rows of digits)")
    corner = cells
    while isinstance(corner, Sequence) and corner and not isinstance(corner, str):
        corner = corner[0]
    if isinstance(corner, str):
        return PuzzleRecord(Puzzle.parse(json.dumps([*map(list, cells)], default=int)))
    return PuzzleRecord(Puzzle(cells))


def as_puzzle(puzzle: PuzzleLike) -> Puzzle:
    """The only puzzle of anything that may be one; see :func:`read_one`."""
    return puzzle if isinstance(puzzle, Puzzle) else read_one(puzzle).puzzle


def as_list(puzzles: Puzzles, masks: bool = False) -> Puzzles:
    """Many puzzles, whose tables and arrays have become arrays for the kernels or lists.

    Args:
        puzzles: in any form.
        masks: whether an array holds candidate masks.

    Raises:
        PuzzleFormatError: a number of an array is none of a board's.
        TypeError: they are one puzzle, or none at all.
    """
    if masks or hasattr(puzzles, "__array__"):
        from bddsudoku.engine.bitboard.engine import as_boards

        array = np.asarray(puzzles)
        if array.shape[1:] == (9, 9):
            array = array.reshape(-1, 81)
        if masks or (array.shape[1:] == (81,) and np.issubdtype(array.dtype, np.integer)):
            if array.dtype == np.uint16 and not masks:
                # Up to 2.0 the type said so. Where no cell is open, numbers above 9 are no slips.
                masks = bool(array.min(initial=9) > 0 and array.max(initial=0) > 9)
                if masks:
                    what = "candidate masks are asked for by masks=True"
                    warn(what, DeprecationWarning, stacklevel=4)
            return as_boards(array, masks)
        # A table of one column is a list of puzzles, too.
        puzzles = array.reshape(-1).tolist() if array.shape[1:] in ((), (1,)) else [*array]
    if isinstance(puzzles, (Puzzle, PuzzleRecord)):
        raise TypeError(f"expected many puzzles, found one {type(puzzles).__name__}")
    require_type(puzzles, (Iterable, os.PathLike), "many puzzles")
    if isinstance(puzzles, (list, tuple)) and len(puzzles) > 1:
        row: Any = puzzles[0]
        if isinstance(row, (list, tuple, np.ndarray)) and len(row) == len(puzzles):
            row = row[0]
        if isinstance(row, (int, np.integer)):
            raise TypeError("expected many puzzles, found one (a list of one is [puzzle])")
    return puzzles


def read_list(puzzles: Puzzles, *, keep_going: bool = False) -> Iterator[Found]:
    """Read a list of puzzles from Python: all classic boards as arrays, others as records.

    Args:
        puzzles: see :data:`Puzzles`; arrays have been checked (:func:`as_list`).
        keep_going: yield what cannot be read as unread.

    Raises:
        PuzzleFormatError: something is no puzzle; the message has its number, or its line.
    """
    if isinstance(puzzles, np.ndarray):
        step = 64 * LIST_CHUNK  # there is nothing to be read
        for begin in range(0, len(puzzles), step):
            lines = range(begin, min(begin + step, len(puzzles)))
            boards = puzzles[begin : begin + step]
            yield ClassicBoardChunk(boards, None, lines, [""] * len(boards))
    elif isinstance(puzzles, (str, os.PathLike)) or hasattr(puzzles, "read"):
        with open_argument(cast("TextInput", puzzles)) as source:
            found = read_source(source, with_names=False, keep_going=keep_going)
            yield from _gather_boards(found, 0)
    else:
        yield from _gather_boards(_read_elements(puzzles, keep_going), 0)


def _read_elements(puzzles: Iterable[PuzzleLike], keep_going: bool) -> Iterator[Found | None]:
    """Read the elements of a list, in slices that grow, as ``read_source`` reads."""
    number, size, rest = 0, MIN_GROUP, iter(puzzles)
    while elements := list(islice(rest, min(size, LIST_CHUNK))):
        lines = [*map(_line_of_element, elements)]
        starts = [0, *accumulate(map(len, lines))]
        boards, at = BoardsInLines(b"".join(lines), is_list=True), 0
        while at < len(elements):
            begin, end = boards.boards_from(starts[at])
            if begin < end:
                yield boards.chunk(begin, end, None, number + at, names=False)
                at += end - begin
                continue
            found = _read_element(elements[at], number + at)
            if isinstance(found, Unread) and not keep_going:
                raise found.error
            yield found
            at += 1
        yield None
        number += at
        size *= 2


def _line_of_element(element: PuzzleLike) -> bytes:
    """An element that is a line, with a line feed; a blank line for any other."""
    text = element.rstrip("\r\n") if isinstance(element, str) else ""
    if isinstance(element, bytes):
        text = element.rstrip(b"\r\n").decode(errors="surrogateescape")
    return (text if "\n" not in text else "").encode(errors="surrogatepass") + b"\n"


def _read_element(element: PuzzleLike, number: int) -> PuzzleRecord | Unread:
    """Read a puzzle from an element of a list; an error names the number of the element."""
    try:
        found = Puzzle.parse(element) if isinstance(element, str) else read_one(element)
        record = found if isinstance(found, PuzzleRecord) else PuzzleRecord(found)
        if record.saved is not None:
            raise PuzzleFormatError("expected a puzzle, found a saved set", source=record.source)
        return record._replace(line=number)
    except PuzzleFormatError as error:
        return Unread(PuzzleFormatError(f"puzzle {number}: {error}"))
    except TypeError as error:
        raise TypeError(f"puzzle {number}: {error}") from None


# -- groups of puzzles -----------------------------------------------------------------------------


def _gather_boards(found: Iterable[Found | None], least: int) -> Iterator[Found]:
    """Make arrays of more than ``least`` classic boards that follow each other.

    Boards wait for others only as long as more are there (None: they have to be waited for), and no
    longer than until there are as many as before them.
    """
    waiting: list[ClassicBoardChunk | PuzzleRecord] = []
    size = done = 0
    try:
        for one in found:
            board = one if isinstance(one, ClassicBoardChunk) or _is_mere_board(one) else None
            if isinstance(board, (ClassicBoardChunk, PuzzleRecord)):
                waiting.append(board)
                size += len(board) if isinstance(board, ClassicBoardChunk) else 1
            if board is None or size > max(done, least):
                yield from _joined(waiting, size > least)
                done += size
                waiting, size = [], 0
            if one is not None and board is None:
                yield one
    except Exception:
        yield from _joined(waiting, size > least)
        raise
    yield from _joined(waiting, size > least)


def _is_mere_board(found: PuzzleRecord | Unread | None) -> bool:
    """Whether what was found is a classic board and nothing else."""
    if not isinstance(found, PuzzleRecord):
        return False
    return found.puzzle.is_classic and not found.notes and found.saved is None


def _joined(boards: list[ClassicBoardChunk | PuzzleRecord], as_array: bool) -> Iterator[Found]:
    """Boards that follow each other, as one array or one by one."""
    if boards and as_array:
        yield ClassicBoardChunk.joined(boards)
    else:
        yield from each_record(boards)


def next_chunk_size(done: int, max_size: int) -> int:
    """Number of puzzles in the next chunk: an eighth of those done, at least 1.

    A chunk that is running when the work is stopped is lost, so each chunk is short compared with
    the work before it; and the same list is always divided at the same places.
    """
    return max(1, min(max_size, done // _CHUNK_FRACTION))


def split_into_chunks(puzzles: Iterable[Found], max_size: int) -> Iterator[Chunk | Unread]:
    """Divide a stream of puzzles into chunks of at most ``max_size``; arrays of boards stay arrays.

    What was not read stands between them. The puzzles before a reading error are yielded before it
    is raised.

    Raises:
        BddSudokuError: the stream contains a saved set.
    """
    before = 0
    waiting: list[PuzzleRecord] = []
    try:
        for group in puzzles:
            if not isinstance(group, PuzzleRecord):
                if waiting:
                    yield waiting
                before += len(waiting)
                waiting, begin = [], 0
                if isinstance(group, Unread):
                    yield group
                    continue
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


# -- saved sets ------------------------------------------------------------------------------------


def read_stored_set(source: InputSource) -> StoredSet:
    """Read a saved set; a file is memory-mapped, a pipe is read into memory.

    Raises:
        DamagedFileError: it is truncated, damaged, or no saved set.
        LimitReached: what comes through a pipe does not fit into the memory.
    """
    from bddsudoku.diagrams import set_files as files

    if source.mappable is not None and source.is_set:
        return files.load(np.memmap(source.mappable, dtype=np.uint8, mode="r"), name=source.name)
    return files.load(files.read_set_bytes(source, source.name, source.context), name=source.name)


def load_if_saved(source: str | Path | InputSource, restore: Callable[[StoredSet], T]) -> T | None:
    """Load a saved set from a source; None if it has no saved set or is no regular file.

    Args:
        source: a path, or an open source.
        restore: makes the set from the file's content.
    """
    if isinstance(source, InputSource):
        return restore(read_stored_set(source)) if source.is_set else None
    if not Path(source).is_file():
        return None
    with InputSource(source) as opened:
        return load_if_saved(opened, restore)


@check_types
def load(source: str | Path | InputSource) -> GridSet[Puzzle] | DnnfGridSet[Puzzle]:
    """Load a saved Sudoku set; a file is memory-mapped, input from a pipe is read into memory.

    Args:
        source: a path, ``-`` for standard input, or an open source.

    Raises:
        DamagedFileError: the file is truncated, damaged, or no saved set.
        PuzzleFormatError: it is a saved set of another kind.
        OSError: it cannot be read.

    >>> from bddsudoku import compile_set
    >>> compile_set("1...............").save("one.set")
    >>> load("one.set").count()
    72
    """
    if not isinstance(source, InputSource):
        with InputSource(source) as opened:
            return load(opened)
    from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder

    found: GridSet[Puzzle] | DnnfGridSet[Puzzle] = _restore_set(
        (SudokuDecoder,), "a Sudoku", read_stored_set(source), of_grids=True
    )
    return found


@check_types
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
