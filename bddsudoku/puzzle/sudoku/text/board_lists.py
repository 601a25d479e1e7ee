"""Classic boards of long lists as arrays: found in the lines of a text, whatever they stand in.

A board is found here if :class:`.line_collector.LineCollector` reads it as a classic one in any
list: 81 symbols on a line, alone, in quotes, or in the column of a table, with a name in printable
ASCII; or a grid of nine lines with nine symbols. Lines that could be anything else besides (a map
of regions, candidates of some cells, a border, a rule, a header) are left to the collector.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.grid_rows import strip_quotes
from bddsudoku.puzzle.sudoku.text.rule_lines import Column, may_be_no_name, move_puzzle_first
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet
from bddsudoku.sets.decoder import masks_of_boards

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U8, AnyArray, Flags

_CELLS, _SIDE = 81, 9
_CLASSIC = Layout()
_SEPARATORS = " \t,;:|#"

# What is in printable ASCII and names no cell (r1c1), with quotes in pairs, to the end of the line.
_PLAIN = r"(?:[ !#-BD-bd-~\t]++|(?<!\d)[Cc])"
_REST = rf"(?=.{{0,280}}$)(?=(?:{_PLAIN}|\"{_PLAIN}*+\")*+$)"
_SYMBOLS = r"(?P<quote>\"?)(?!-{81})(?P<cells>[0-9._*?xX-]{81})(?P=quote)"
_WORD = r"[ \t,;:|#\"']*+(?P<word>[A-Za-z][^\s\"',;:|#]*)?"
"""The first word of a name, if it begins with a letter."""
_NAME = (
    # The first cells of a map of regions are of one region; candidates are longer.
    rf"(?:$|(?=[ \t,;:|#].{{0,199}}$){_REST}"
    rf"(?=[ \t,;:|#\"']++(?!(?=.{{81}})(.)(?:\3|.{{8}}\3))){_WORD}.*$)"
)
_COLUMN = rf"(?![ \t,;:|#%]|\"\")(?={_WORD})"
_FIELD = r"(?:\"[^\"\n]*+\"|[^\"\n{0}]*+){0}"
_GRID = r"^(?P<grid>(?:(?![._0*?xX-]*-[._0*?xX-]*$)[0-9._*?xX-]{9}\n){9})"
"""Nine lines, none of which may be a border."""


@dataclass(frozen=True, eq=False)
class ClassicBoardChunk:
    """Classic boards of a list as one array.

    Attributes:
        boards: uint8, (n, 81): digits, 0 where open; or uint16, (n, 81): masks of candidates.
        source: name of the file; None for a list in Python.
        lines: numbers of the lines, from 1; of a list in Python, of its elements, from 0.
        names: text behind the cells of each line.
    """

    boards: AnyArray
    source: str | None
    lines: Sequence[int]
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.boards)

    def __iter__(self) -> Iterator[PuzzleRecord]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, i: int) -> PuzzleRecord:
        return PuzzleRecord(self.puzzle(i), self.source, self.lines[i], self.names[i])

    def slice(self, begin: int, end: int) -> ClassicBoardChunk:
        """The boards from ``begin`` to ``end``."""
        cut = slice(begin, end)
        boards = np.ascontiguousarray(self.boards[cut])
        return ClassicBoardChunk(boards, self.source, self.lines[cut], self.names[cut])

    def take(self, which: Sequence[int]) -> ClassicBoardChunk:
        """Some of the boards, in the order in which they are named."""
        return ClassicBoardChunk(
            self.boards[[*which]],
            self.source,
            [self.lines[i] for i in which],
            [self.names[i] for i in which],
        )

    def puzzle(self, i: int) -> Puzzle:
        """The board at a position as a Puzzle."""
        cells = self.boards[i].tolist()
        if self.boards.dtype == np.uint16:
            return Puzzle.from_masks(cells, _CLASSIC)
        return Puzzle.trusted(tuple(cells), _CLASSIC)

    @cached_property
    def texts(self) -> list[str]:
        """The boards as lines of text, in the form of :attr:`Puzzle.line`."""
        if self.boards.dtype == np.uint16:
            return [record.puzzle.line for record in self]
        signs = np.where(self.boards == 0, ord("."), self.boards + ord("0")).astype(np.uint8)
        text = signs.tobytes().decode("ascii")
        return [text[i : i + _CELLS] for i in range(0, len(text), _CELLS)]

    @cached_property
    def hint_counts(self) -> list[int]:
        """The number of hints of each board."""
        boards = masks_of_boards(self.boards)
        open_cells = boards & (boards - 1)
        counts: list[int] = (_CELLS - np.count_nonzero(open_cells, axis=1)).tolist()
        return counts

    @classmethod
    def joined(cls, boards: Sequence[ClassicBoardChunk | PuzzleRecord]) -> ClassicBoardChunk:
        """Classic boards of one source as one chunk."""
        rows: list[AnyArray] = []
        lines: list[int] = []
        names: list[str] = []
        for one in boards:
            if isinstance(one, ClassicBoardChunk):
                rows.append(one.boards)
                lines += one.lines
                names += one.names
            else:
                masks = one.puzzle.candidates
                rows.append(
                    np.array([one.puzzle.numbers], dtype=np.uint8)
                    if masks is None
                    else np.array([masks], dtype=np.uint16)
                )
                lines.append(one.line or 0)
                names.append(one.name)
        if len({row.dtype for row in rows}) > 1:
            rows = [*map(masks_of_boards, rows)]
        return cls(np.concatenate(rows), boards[0].source, lines, names)


class BoardsInLines:
    """The classic boards in lines of text.

    Args:
        block: complete lines with line feeds.
        column: the column of a table in which the boards stand; by default the first.
        is_list: whether each line is an element of a list: nine of them are no board, and blank
            ones are not passed over.

    Attributes:
        column: as given.
    """

    def __init__(
        self, block: bytes, column: Column | None = None, *, is_list: bool = False
    ) -> None:
        self.column = column
        self._block = block
        found = [
            one
            for one in _boards_pattern(column, is_list).finditer(block)
            if (word := one["word"]) is None or not may_be_no_name(word.decode())
        ]
        cells = b"".join([one["cells"] or one["grid"] for one in found])
        digits = np.frombuffer(cells.translate(_TABLE, b"\n"), dtype=np.uint8).reshape(-1, _CELLS)
        fits = _are_boards(digits)
        starts, ends = (
            np.array([*places], dtype=np.int64)[fits]
            for places in (map(re.Match.start, found), map(re.Match.end, found))
        )
        self._digits = digits[fits]
        self._starts: list[int] = starts.tolist()
        self._ends: list[int] = ends.tolist()
        # The boards that do not stand directly below another one.
        self._breaks = [*(np.flatnonzero(starts[1:] != ends[:-1]) + 1).tolist(), len(starts)]

    def boards_from(self, at: int) -> tuple[int, int]:
        """The range of the boards that stand one after the other from a place in the block on.

        Nothing but blank lines is between them. The range is empty if no board begins there.
        """
        begin = bisect_left(self._starts, at)
        if self._starts[begin : begin + 1] != [at]:
            return begin, begin
        return begin, self._breaks[bisect_right(self._breaks, begin)]

    def start(self, board: int) -> int:
        """Where a board begins in the block."""
        return self._starts[board]

    def chunk(
        self, begin: int, end: int, source: str | None, number: int, *, names: bool = True
    ) -> ClassicBoardChunk:
        """Some of the boards; the line of the first has a number."""
        first, last = self._starts[begin], self._ends[end - 1]
        feeds = np.flatnonzero(np.frombuffer(self._block[first:last], dtype=np.uint8) == _NEWLINE)
        starts = np.array(self._starts[begin:end]) - first
        lines = (np.searchsorted(feeds, starts) + number).tolist()
        found = [self._name(i) if names else "" for i in range(begin, end)]
        return ClassicBoardChunk(self._digits[begin:end], source, lines, found)

    def _name(self, board: int) -> str:
        """The name of a board."""
        line = self._block[self._starts[board] : self._ends[board]].rstrip(b"\n")
        if len(line) == _CELLS or b"\n" in line:
            return ""
        text = line.decode("ascii")
        if self.column is not None:
            text = move_puzzle_first(text, self.column)
        return strip_quotes(text)[_CELLS:].lstrip(_SEPARATORS).rstrip(" \t")


@lru_cache(maxsize=8)
def _boards_pattern(column: Column | None, is_list: bool) -> re.Pattern[bytes]:
    """The pattern of a classic board in a text."""
    if column is not None:
        separator, index = column
        before = _COLUMN + _FIELD.format(separator) * index
        form = rf"^{_REST}{before}{_SYMBOLS}(?:{separator}.*)?$\n(?P<grid>)"
    else:
        form = rf"^{_SYMBOLS}{_NAME}\n" + ("(?P<grid>)" if is_list else f"|{_GRID}")
    return re.compile((form if is_list else rf"(?:{form})\n*+").encode(), re.MULTILINE)


def _are_boards(digits: U8) -> Flags:
    """Which rows of 81 symbols are boards: not a map of regions, nor candidates of some cells."""
    hints = digits > 0
    number = hints.view(np.uint8).sum(axis=1, dtype=np.uint8)
    is_free = (hints & (digits != _PLACES)).any(axis=1)
    fits: Flags = (digits.max(axis=1) <= _SIDE) & (is_free | (number < 2))
    full = np.flatnonzero(fits & (number > _CELLS - 2 * _SIDE))
    fits[full] &= ~(digits[full, _SIDE:] == digits[full, :-_SIDE]).any(axis=1)
    return fits


_NEWLINE = ord("\n")
_TABLE = make_alphabet(_SIDE).table
_PLACES = np.tile(np.arange(1, _SIDE + 1, dtype=np.uint8), _SIDE)
