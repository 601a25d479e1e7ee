"""Classic boards of long lists as arrays: found in the lines of a text, whatever they stand in.

A board is found here if :class:`.line_collector.LineCollector` reads it as a classic one in any
list: 81 symbols on a line, alone, in quotes, or in the column of a table, with a name in printable
ASCII; or a grid of nine lines with nine symbols. Lines that could be anything else besides (a map
of regions, candidates of some cells, a border, a rule, a header) are left to the collector.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.text.field_rows import strip_quotes
from bddsudoku.puzzle.sudoku.text.headers import Column, move_puzzle_first
from bddsudoku.puzzle.sudoku.text.rule_lines import may_be_no_name, why_no_name
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64, U8, U16, AnyArray, Flags

_CELLS, _SIDE = 81, 9
_CLASSIC = Layout()
_LONGEST_NAME = 200
"""Greatest length of what stands around the cells; the candidates of a board are longer."""
_HEAD = 8
"""Signs of a name that tell most often that it is one."""
_SEPARATORS = " \t,;:|#"
_NEWLINE, _TAB, _QUOTE, _DASH = b'\n\t"-'


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
        boards = as_masks(self.boards)
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
            rows = [as_masks(row) for row in rows]
        return cls(np.concatenate(rows), boards[0].source, lines, names)


def as_masks(boards: AnyArray) -> U16:
    """Boards as masks of candidates."""
    if boards.dtype == np.uint16:
        return boards
    masks: U16 = np.where(boards, 1 << (boards.astype(np.uint16) - 1), 0x1FF).astype(np.uint16)
    return masks


class BoardsInLines:
    """The classic boards in lines of text.

    Args:
        block: complete lines with line feeds.
        column: the column of a table in which the boards stand; by default the first.
        grids: whether nine lines can be a board.

    Attributes:
        line_count: the number of lines.
        column: as given.
    """

    def __init__(self, block: bytes, column: Column | None = None, *, grids: bool = True) -> None:
        self.column = column
        self._block = block
        data = np.frombuffer(block + bytes(_HEAD), dtype=np.uint8)
        # Cells are looked up for all bytes at once; the last lines may end before 81 of them.
        symbols = np.frombuffer(block.translate(_TABLE) + bytes(_CELLS), dtype=np.uint8)
        self._ends = np.flatnonzero(data == _NEWLINE)
        self._starts = np.concatenate([[0], self._ends[:-1] + 1])
        self.line_count = len(self._ends)
        lines, digits = self._boards_on_lines(data, symbols)
        is_other = self._ends > self._starts
        self._filled = [*np.flatnonzero(is_other).tolist(), self.line_count]
        is_other[lines] = False
        if grids and column is None:
            firsts, more = self._boards_in_nine_lines(data, symbols)
            is_other[firsts[:, None] + np.arange(_SIDE)] = False
            lines, digits = np.concatenate([lines, firsts]), np.concatenate([digits, more])
            order = np.argsort(lines)
            lines, digits = lines[order], digits[order]
        self._firsts, self._digits = lines, digits
        self._first_lines: list[int] = self._firsts.tolist()
        self._others: list[int] = [*np.flatnonzero(is_other).tolist(), self.line_count]

    def line(self, number: int) -> str:
        """A line, from 0, as text."""
        return self._block[self._starts[number] : self._ends[number]].decode(
            errors="surrogateescape"
        )

    def line_after(self, line: int) -> int:
        """The line below another one, below a blank one that which is not blank."""
        is_blank = self._ends[line] == self._starts[line]
        return self._filled[bisect_left(self._filled, line)] if is_blank else line + 1

    def boards_from(self, line: int) -> tuple[int, int]:
        """The range of the boards that stand one after the other from a line on.

        Nothing but blank lines is between them. The range is empty if a board begins above.
        """
        begin = bisect_left(self._first_lines, line)
        end = bisect_left(self._first_lines, self._others[bisect_left(self._others, line)])
        return (begin, end) if self._first_lines[begin : begin + 1] == [line] else (begin, begin)

    def first_line(self, board: int) -> int:
        """The first line of a board, from 0."""
        return self._first_lines[board]

    def chunk(
        self, begin: int, end: int, source: str | None, number: int, *, names: bool = True
    ) -> ClassicBoardChunk:
        """Some of the boards; the first line of the block has a number."""
        lines = (self._firsts[begin:end] + number).tolist()
        found = self._names(begin, end) if names else [""] * (end - begin)
        return ClassicBoardChunk(self._digits[begin:end], source, lines, found)

    def _names(self, begin: int, end: int) -> list[str]:
        """The names of some boards."""
        firsts = self._firsts[begin:end]
        is_named = self._ends[firsts] - self._starts[firsts] > _CELLS
        names = [""] * (end - begin)
        if is_named.any():
            for i in np.flatnonzero(is_named).tolist():
                text = self.line(self._first_lines[begin + i])
                if self.column is not None:
                    text = move_puzzle_first(text, self.column)
                names[i] = strip_quotes(text)[_CELLS:].lstrip(_SEPARATORS).rstrip(" \t")
        return names

    def _boards_on_lines(self, data: U8, symbols: U8) -> tuple[I64, U8]:
        """The lines that are boards, and their digits."""
        starts, ends = self._starts, self._ends
        length = ends - starts
        lines = np.flatnonzero((length >= _CELLS) & (length < _CELLS + _LONGEST_NAME))
        at = starts[lines]
        if self.column is not None:
            separator, index = self.column
            parts = data == ord(separator)
            if b'"' in self._block:  # what stands within quotes parts no fields
                parts &= np.cumsum(data == _QUOTE) % 2 == 0
            found = np.append(np.flatnonzero(parts), [len(data)] * index)
            at = found[np.searchsorted(found, at) + index - 1] + 1
        fits = at + _CELLS <= ends[lines]
        lines, at = lines[fits], at[fits]
        quoted = data[at] == _QUOTE
        at = at + quoted
        behind = data[np.minimum(at + _CELLS, ends[lines])]
        fits = np.where(quoted, behind == _QUOTE, _IS_END[behind]) & (at + _CELLS <= ends[lines])
        if b'"' in self._block:
            fits &= self._are_quotes_removed(data, lines, at, quoted)
        lines, at, quoted = lines[fits], at[fits], quoted[fits]
        digits = np.lib.stride_tricks.sliding_window_view(symbols, _CELLS)[at]
        fits = _are_boards(digits)
        for i in np.flatnonzero(data[at] == _DASH).tolist():
            fits[i] &= self._block[at[i] : at[i] + _CELLS].strip(b"-") != b""
        if self.column is None and (at + _CELLS == ends[lines]).all():
            return lines[fits], digits[fits]
        # No line with a cell (r1c1), which may be a rule, or with anything but printable ASCII.
        odd = np.flatnonzero(data - 32 > 126 - 32)
        odd = odd[(data[odd] != _NEWLINE) & (data[odd] != _TAB)]
        columns = np.flatnonzero((data | 32) == ord("c"))
        columns = columns[data[columns - 1] - ord("0") < 10]
        for found in (odd, columns):
            fits &= ~np.isin(lines, np.searchsorted(ends, found))
        self._leave_out_rules(data, lines, at + _CELLS + quoted, fits)
        return lines[fits], digits[fits]

    def _are_quotes_removed(self, data: U8, lines: I64, at: I64, quoted: Flags) -> Flags:
        """For each line, whether the reader of lines removes the quotes around its board."""
        quotes = np.flatnonzero(data == _QUOTE)
        first, last = (np.searchsorted(quotes, x) for x in (self._starts, self._ends))
        number = last - first
        fits: Flags = np.full(len(lines), not (number % 2).any())
        if self.column is None:
            fits &= ~quoted | (number[lines] >= 4) | (at + _CELLS + 1 == self._ends[lines])
        return fits

    def _leave_out_rules(self, data: U8, lines: I64, behind: I64, fits: Flags) -> None:
        """Take out of ``fits`` the lines on which rules, headers or maps of regions may stand."""
        is_table = self.column is not None
        named = np.flatnonzero(fits & ((behind < self._ends[lines]) | is_table))
        ends = self._ends[lines[named]]
        if not is_table:
            at = behind[named]
            for _ in range(_SIDE):
                is_end = _IS_END[data[at]] & (at < ends)
                if not is_end.any():
                    break
                at = at + is_end
            # The first cells of a map are of one region.
            near = [data[at] == data[np.minimum(at + step, ends)] for step in (1, _SIDE)]
            fits[named[(ends - at >= _CELLS) & (near[0] | near[1])]] = False
        else:  # what stands before the board is the beginning of its name
            at = self._starts[lines[named]]
        fits[named[_IS_END[data[at]] & (at < ends)]] = False
        is_word = (data[at] | 32) - ord("a") < 26
        named, at, ends = named[is_word], at[is_word], ends[is_word]
        heads = np.lib.stride_tricks.sliding_window_view(data, _HEAD)[at].copy().view(np.uint64)
        for head in np.unique(heads):
            word, *more = head.tobytes().decode("ascii", "replace").split(maxsplit=1)
            if more and not may_be_no_name(word):
                continue  # as most names of a list begin
            alike = heads.ravel() == head
            for i, a, b in zip(*(x[alike].tolist() for x in (named, at, ends)), strict=True):
                text = self._block[a:b].decode("ascii", "replace")
                if may_be_no_name(text.split(maxsplit=1)[0]) and (is_table or why_no_name(text)):
                    fits[i] = False

    def _boards_in_nine_lines(self, data: U8, symbols: U8) -> tuple[I64, U8]:
        """The first lines of grids of nine lines with nine symbols, and their digits."""
        starts = self._starts
        rows = np.flatnonzero(self._ends - starts == _SIDE)
        none = rows[:0], np.zeros((0, _CELLS), np.uint8)
        if len(rows) < _SIDE:
            return none
        window = starts[rows, None] + np.arange(_SIDE)
        digits = symbols[window]
        may_be_border = ~digits.any(axis=1) & (data[window] == _DASH).any(axis=1)
        is_row = (digits.max(axis=1) <= _SIDE) & ~may_be_border
        rows, digits = rows[is_row], digits[is_row]
        # Each run of rows that touch is cut into boards.
        if len(rows) < _SIDE:
            return none
        breaks = np.flatnonzero(np.diff(rows) > 1) + 1
        begins = np.concatenate([[0], breaks])
        sizes = np.diff([*begins.tolist(), len(rows)])
        place = np.arange(len(rows)) - np.repeat(begins, sizes)
        firsts = np.flatnonzero((place % _SIDE == 0) & (place + _SIDE <= np.repeat(sizes, sizes)))
        boards = digits[firsts[:, None] + np.arange(_SIDE)].reshape(-1, _CELLS)
        fits = _are_boards(boards)
        return rows[firsts[fits]], boards[fits]


def _are_boards(digits: U8) -> Flags:
    """Which rows of 81 symbols are boards: not a map of regions, nor candidates of some cells."""
    hints = digits > 0
    number = hints.view(np.uint8).sum(axis=1, dtype=np.uint8)
    is_free = (hints & (digits != _PLACES)).any(axis=1)
    fits: Flags = (digits.max(axis=1) <= _SIDE) & (is_free | (number < 2))
    full = np.flatnonzero(fits & (number > _CELLS - 2 * _SIDE))
    fits[full] &= ~(digits[full, _SIDE:] == digits[full, :-_SIDE]).any(axis=1)
    return fits


_TABLE = make_alphabet(_SIDE).table
_PLACES = np.tile(np.arange(1, _SIDE + 1, dtype=np.uint8), _SIDE)
_IS_END = np.isin(np.arange(256), [*map(ord, _SEPARATORS), _NEWLINE])
"""Whether a sign ends the cells of a line."""
