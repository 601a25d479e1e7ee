"""Lists of puzzles in pieces: ordinary 9×9 boards as arrays, all others as they are."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bitboard import Boards
from bddsudoku.engine.bitboard.batch import boards_of
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.text.fast_lines import read_lines

Puzzles = NDArray[np.uint8] | NDArray[np.uint16] | Iterable[str | Puzzle]
"""Digits (uint8, 0 where open) or candidate masks (uint16, bit d - 1 for digit d) of shape
(n, 81); or lines or :class:`Puzzle` objects one after the other, of any size. Of an open text file
blank lines and comments are passed over."""

PIECE = 1 << 16
"""Puzzles of a stream that are worked on together."""
SHORTER = 16
"""How many times the first piece is shorter: who reads a stream has its first answers soon."""
ROWS = 1 << 18
"""The same of a list or an array, which is there already."""

Piece = tuple[Boards, list[Puzzle | None]]
"""Ordinary boards, and what stands in the list: None for the next of them, or another puzzle."""


def ordinary_pieces(puzzles: Puzzles, size: int | None = None) -> Iterator[Boards]:
    """Pieces of a list that must all be ordinary boards.

    Args:
        puzzles: the list.
        size: of the pieces; by default what suits threads.

    Raises:
        PuzzleFormatError: one is not; it says which.
    """
    begin = 0
    for boards, others in pieces_of(puzzles, size):
        for k, other in enumerate(others):
            if other is not None:
                raise PuzzleFormatError(
                    f"puzzle {begin + k}: expected an ordinary 9x9 board, found {other.layout}"
                )
        yield boards
        begin += len(others)


def pieces_of(puzzles: Puzzles, size: int | None = None) -> Iterator[Piece]:
    """Pieces of a list, of one size or growing."""
    if isinstance(puzzles, np.ndarray):
        checked = boards_of(puzzles)
        step = ROWS if size is None else size
        for begin in range(0, len(checked), step):
            boards = checked[begin : begin + step]
            yield boards, [None] * len(boards)
        return
    for begin, piece in cut(puzzles, size):
        yield piece_of(piece, begin)


def cut(
    puzzles: Iterable[str | Puzzle], always: int | None = None
) -> Iterator[tuple[int, list[str | Puzzle]]]:
    """Pieces of a list, of one size or growing, with the number of the first in each."""
    if isinstance(puzzles, (str, Puzzle)):
        raise TypeError(f"expected many puzzles, found one {type(puzzles).__name__}")
    begin, size, most = 0, max(1, PIECE // SHORTER), PIECE
    if isinstance(puzzles, Sequence):
        size = most = ROWS
    if always is not None:
        size = most = always
    is_file = isinstance(puzzles, io.TextIOBase)
    rest = iter(puzzles)
    while piece := list(islice(rest, size)):
        if is_file:
            piece = [line for line in piece if cast("str", line)[0] > "#" or _says(line)]
        if piece:
            yield begin, piece
        begin += len(piece)
        size = min(2 * size, most)


def _says(line: str | Puzzle) -> bool:
    """Whether a line of a file is more than a blank one or a comment."""
    text = cast("str", line).strip().lower()
    is_comment = text.startswith("#") and not any(word in text for word in ("layout", "symbols"))
    return bool(text) and not is_comment


def digits_of(piece: list[str | Puzzle]) -> NDArray[np.uint8] | None:
    """Lines that are ordinary boards, with or without their ends; None if there is another one.

    A few steps for all of them together: other threads wait for the GIL meanwhile.
    """
    try:
        text = "\n".join(cast("list[str]", piece)) + "\n"
    except TypeError:
        return None
    if piece[0].endswith("\n"):  # type: ignore[union-attr]
        text = text.replace("\n\n", "\n")
    data = text.encode(errors="surrogatepass")
    found = read_lines(data, last=True)
    # None is two, for a line end within: there would be more lines, or one that is no board.
    fits = len(found.digits) == len(piece) and found.used == len(data)
    return found.digits if fits else None


def piece_of(piece: list[str | Puzzle], begin: int) -> Piece:
    """A piece of a list, the number of whose first puzzle is known."""
    digits = digits_of(piece)
    if digits is not None:
        return digits, [None] * len(piece)
    masks = np.zeros((len(piece), 81), dtype=np.uint16)
    others: list[Puzzle | None] = []
    rows = 0
    for k, given in enumerate(piece):
        puzzle = read_one(given, begin + k)
        if not puzzle.is_ordinary:
            others.append(puzzle)
            continue
        others.append(None)
        if puzzle.candidates is None:
            cells = np.array(puzzle.cells, dtype=np.uint16)
            masks[rows] = np.where(cells == 0, 0x1FF, 1 << np.maximum(cells, 1) - 1)
        else:
            masks[rows] = puzzle.candidates
        rows += 1
    return masks[:rows], others


def read_one(given: str | Puzzle, number: int) -> Puzzle:
    """A puzzle of a list; errors name its number."""
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        raise TypeError(f"puzzle {number}: expected a line or a Puzzle, found {given!r}")
    try:
        return Puzzle.parse(given)
    except PuzzleFormatError as error:
        raise PuzzleFormatError(f"puzzle {number}: {error}") from None


def chunks_of(puzzles: Puzzles, size: int) -> Iterator[Boards | list[Puzzle]]:
    """Pieces of so many puzzles, to be sent away: arrays of ordinary boards, or puzzles.

    Raises:
        PuzzleFormatError: something is no puzzle; it says which.
    """
    if isinstance(puzzles, np.ndarray):
        checked = boards_of(puzzles)
        for begin in range(0, len(checked), size):
            yield checked[begin : begin + size].copy()
        return
    for begin, piece in cut(puzzles, size):
        digits = digits_of(piece)
        if digits is None:
            yield [read_one(given, begin + k) for k, given in enumerate(piece)]
        else:
            yield digits
