"""Lines in, puzzles out: comments, sections, titles, boards on one line, and grids."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from bddsudoku.errors import BddSudokuError, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import SYMBOLS, Layout, Puzzle
from bddsudoku.puzzle.sudoku.text.grids import (
    RULE,
    SPACE,
    Item,
    decode_row,
    is_sixteen,
    resolve,
)
from bddsudoku.puzzle.sudoku.text.lines import Row, scan
from bddsudoku.puzzle.sudoku.text.symbols import (
    BLANKS,
    alphabet,
    fold,
    is_side,
    number_of,
    shared_layout,
    show,
)

__all__ = ["Collector", "Found"]

_HEAD = re.compile(r"([^ \t,;:|#]+)(?:[ \t,;:|#]+(.*))?", re.DOTALL)
_DIRECTIVE = re.compile(r"(layout|symbols)\s*[:=]\s*(.*)", re.IGNORECASE)
_BLOCK = re.compile(r"(\d+)\s*[x×*]\s*(\d+)", re.IGNORECASE)
_SECTION = re.compile(r"\[\s*([A-Za-z ]+?)\s*\]")
_TITLE = re.compile(r"(?:grid|puzzle|sudoku|board)\s*[#:.]?\s*\d+\W*", re.IGNORECASE)
_HEADER = re.compile(
    r"(?:puzzles?|quizz?(?:es)?|questions?|sudokus?|boards?|grids?)\s*[,;\t]\s*[A-Za-z].*",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"simple sudoku|version \S+|simple sudoku version \S+", re.IGNORECASE)
_MOST_LINES = 200
_FOUR = frozenset("1234xX" + BLANKS)


def _in_numbers(row: Row) -> bool:
    """Whether a line can be a row of numbers, some of them with two digits."""
    count = len(row.tokens)
    return (
        10 <= count <= len(SYMBOLS)
        and len(row.symbols) != count
        and all(number_of(t or ".", count) is not None for t in row.tokens)
    )


class Found(NamedTuple):
    """A puzzle, the line on which it begins, its name, the comments before it."""

    puzzle: Puzzle
    line: int
    name: str
    comments: tuple[str, ...]


class Collector:
    """Takes lines and gives puzzles as soon as they are complete.

    Args:
        source: file name for messages.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.
    """

    def __init__(self, source: str | None, layout: Layout | None, convention: str | None) -> None:
        self._source = source
        self._asked = layout
        self._layout = layout
        self._convention = convention
        if convention is not None and layout is not None:
            alphabet(layout.n, convention)  # refused at once if it does not fit
        self._items: list[Item] = []
        self._rows: list[Row] = []
        self._doubtful = 0
        self._widths: dict[int, int] = {}
        self._comments: list[str] = []
        self._title = ""
        self._section: str | None = None
        self._found_any = False

    @property
    def idle(self) -> bool:
        """True when nothing that came before bears on the next line."""
        return not (
            self._items
            or self._comments
            or self._title
            or self._section is not None
            or self._layout is not self._asked
            or self._convention is not None
        )

    def feed(self, number: int, line: str) -> Iterator[Found]:
        """Take one line.

        Raises:
            PuzzleFormatError: with line and cell.
        """
        text = line.rstrip("\r\n")
        if not text.isascii() or "\0" in text:
            self._check_encoding(number, text)
            text = fold(text)
        stripped = text.strip(" \t")
        if not stripped:
            yield from self._space()
        elif stripped[0] == "#":
            yield from self._comment(number, stripped.lstrip("#").strip())
        elif section := _SECTION.fullmatch(stripped):
            yield from self._close()
            self._section = section[1].lower()
        elif self._section not in (None, "puzzle"):
            return  # the state of play, pencil marks, colours: not the puzzle
        elif _TITLE.fullmatch(stripped) or (number == 1 and _HEADER.fullmatch(stripped)):
            yield from self._close()
            if _TITLE.fullmatch(stripped):
                self._title = stripped
        elif _SIGNATURE.fullmatch(stripped):
            yield from self._close()
        else:
            yield from self._content(number, text)

    def finish(self) -> Iterator[Found]:
        """The end of the text."""
        yield from self._close()
        if self._section is not None and not self._found_any:
            raise PuzzleFormatError("expected a section [Puzzle]", source=self._source)

    def refuse_binary(self, number: int) -> NoReturn:
        """What a line with a NUL is met with."""
        raise PuzzleFormatError(
            "expected text, found binary data", source=self._source, line=number
        )

    def _check_encoding(self, number: int, text: str) -> None:
        if "\0" in text:
            self.refuse_binary(number)
        for symbol in text:
            if 0xD800 <= ord(symbol) <= 0xDFFF:
                raise PuzzleFormatError(
                    f"expected UTF-8 text, found {show(symbol)}", source=self._source, line=number
                )

    # Comments and what they say

    def _comment(self, number: int, text: str) -> Iterator[Found]:
        yield from self._space(comment=True)
        if match := _DIRECTIVE.fullmatch(text):
            yield from self._close()
            self._direct(number, match[1].lower(), match[2].strip())
        elif text:
            self._comments.append(text)

    def _direct(self, number: int, what: str, value: str) -> None:
        """``# layout: 3x2`` and ``# symbols: 0-F``."""
        if what == "symbols":
            self._convention = None if value.lower() == "auto" else value
            return
        if value.lower() == "auto":
            self._layout = self._asked
            return
        match = _BLOCK.fullmatch(value)
        if match is None:
            raise PuzzleFormatError(
                f"expected '# layout: 3x2' (rows x columns of a block), found {show(value)}",
                source=self._source,
                line=number,
            )
        try:
            layout = Layout(int(match[1]), int(match[2]))
        except BddSudokuError as error:
            raise PuzzleFormatError(str(error), source=self._source, line=number) from None
        if self._asked is not None and layout != self._asked:
            raise PuzzleFormatError(
                f"the file says {layout}, but {self._asked} was asked for",
                source=self._source,
                line=number,
            )
        self._layout = layout

    # Cells

    def _content(self, number: int, text: str) -> Iterator[Found]:
        row = scan(text, number)
        if row is None:
            self._items.append(RULE)
        else:
            found = None if row.doubtful else self._board(row, text)
            if found is not None:
                yield from self._close()
                yield self._found(*found)
                return
            self._items.append(row)
            self._rows.append(row)
            if row.doubtful:
                self._doubtful += 1
            else:
                width = len(row.tokens) if _in_numbers(row) else len(row.symbols)
                self._widths[width] = self._widths.get(width, 0) + 1
        if len(self._items) > _MOST_LINES or self._complete():
            yield from self._close()

    def _board(self, row: Row, text: str) -> tuple[Puzzle, int, str] | None:
        """A whole board on one line, with its name; None for a row of a grid."""
        match = _HEAD.match(text.strip(" \t"))
        if match is None:
            return None
        head, rest = match[1], (match[2] or "").strip()
        width, count = len(row.symbols), len(row.tokens)
        symbols, name = "", ""
        side = self._square(len(head))
        if side and not (side == 4 and self._layout is None and self._may_be_wide(row, rest)):
            symbols, name = head, rest
        elif width > len(SYMBOLS) and (side := self._square(width)) and not _in_numbers(row):
            symbols = row.symbols
        elif (side := self._square(count)) and count != width and (side >= 10 or self._layout):
            return self._number_board(row, side)
        elif len(head) > len(SYMBOLS) or width > 2 * len(SYMBOLS):
            singles = next((i for i, t in enumerate(row.tokens) if len(t) != 1), count)
            if len(head) == 1 and (side := self._square(singles)):
                symbols = "".join(row.tokens[:singles])
                name = " ".join(row.tokens[singles:])
            elif count > len(SYMBOLS) or len(head) > len(SYMBOLS):
                raise self._wrong_length(row, count if count > len(SYMBOLS) else len(head))
        if not symbols:
            return None
        digits = decode_row(symbols, side, self._convention, row.line, self._source)
        return Puzzle.trusted(tuple(digits), self._layout or shared_layout(side)), row.line, name

    def _may_be_wide(self, row: Row, rest: str) -> bool:
        """A line that begins with 16 symbols may be a row of a 16×16 board, or all of one."""
        return (not rest or rest.startswith("#") or len(row.symbols) == 256) or not row.bare

    def _square(self, cells: int) -> int:
        """Side of the board with so many cells, 0 when there is none."""
        if self._layout is not None:
            return self._layout.n if cells == self._layout.cell_count else 0
        side = round(cells**0.5)
        return side if side * side == cells and is_side(side) else 0

    def _number_board(self, row: Row, side: int) -> tuple[Puzzle, int, str] | None:
        """A whole board on one line, in numbers."""
        parts = [row.tokens[i : i + side] for i in range(0, side * side, side)]
        if any(number_of(t or ".", 99 if t.isdigit() else side) is None for t in row.tokens):
            return None
        rows = [Row(row.line, row.text, [part]) for part in parts]
        layout = self._layout or shared_layout(side)
        ((puzzle, line),) = resolve(list(rows), layout, self._convention, self._source)
        return puzzle, line, ""

    def _wrong_length(self, row: Row, cells: int) -> PuzzleFormatError:
        if self._layout is not None:
            expected = f"{self._layout.cell_count} for {self._layout}"
        else:
            side = min((4, 6, 8, 9, 10, 12, 16, 25), key=lambda n: abs(n * n - cells))
            expected = f"{side * side} for {side}x{side}"
        return PuzzleFormatError(
            f"{cells} cells on one line, expected n² ({expected})",
            source=self._source,
            line=row.line,
        )

    def _space(self, comment: bool = False) -> Iterator[Found]:
        """A blank line or comment: ends what is open, unless it can part two bands."""
        if not self._rows:
            if not comment:
                self._items.clear()
            return
        if self._undecided():
            if comment and all(set(r.symbols) <= _FOUR for r in self._rows):
                yield from self._close()
            else:
                self._items.append(SPACE)
            return
        n, height = self._side(), len(self._rows)
        gap = next(
            (
                sum(isinstance(i, Row) for i in self._items[:at])
                for at, item in enumerate(self._items)
                if item is SPACE
            ),
            height,
        )
        if height < n and n % gap == 0 and height % gap == 0:
            self._items.append(SPACE)
        else:
            yield from self._close()

    def _undecided(self) -> bool:
        """Up to sixteen lines of 16 symbols: 4×4 boards, or rows of a 16×16 board."""
        return self._layout is None and len(self._rows) < 16 and is_sixteen(self._rows)

    def _side(self) -> int:
        """How many rows the open grid will have, judged from most of its rows so far."""
        if self._layout is not None:
            return self._layout.n
        if not self._widths:
            return len(self._rows[0].symbols)
        return max(self._widths, key=lambda width: self._widths[width])

    def _complete(self) -> bool:
        """True when the open grid has all its rows and no line of dashes could be one more."""
        if not self._rows:
            return False
        certain = len(self._rows) - self._doubtful
        side = self._side()
        return certain == side and not (
            self._doubtful and any(r.doubtful and len(r.symbols) == side for r in self._rows)
        )

    def _close(self) -> Iterator[Found]:
        """Resolve what is open."""
        items, self._items, self._rows, self._doubtful = self._items, [], [], 0
        self._widths = {}
        if not items:
            return
        for puzzle, line in resolve(items, self._layout, self._convention, self._source):
            yield self._found(puzzle, line, "")

    def _found(self, puzzle: Puzzle, line: int, name: str) -> Found:
        self._found_any = True
        found = Found(puzzle, line, name or self._title, tuple(self._comments))
        self._comments.clear()
        self._title = ""
        return found
