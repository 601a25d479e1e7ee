"""Lines in, puzzles out: comments, sections, titles, boards on one line, grids, and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numbers import number_in
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import (
    SMALLEST,
    Layout,
    has_usual_blocks,
    no_usual_blocks,
)
from bddsudoku.puzzle.sudoku.text.blocks import Block, block_for
from bddsudoku.puzzle.sudoku.text.forms import is_words
from bddsudoku.puzzle.sudoku.text.grids import RULE, SPACE, Item, resolve
from bddsudoku.puzzle.sudoku.text.lines import Row, scan, unquoted, untabbed
from bddsudoku.puzzle.sudoku.text.placed import are_irregular
from bddsudoku.puzzle.sudoku.text.regions import RegionMapError, refuse_faulty_map
from bddsudoku.puzzle.sudoku.text.rule_lines import (
    RuleLineError,
    begins_like_one,
    is_one,
    is_unknown,
    with_line,
)
from bddsudoku.puzzle.sudoku.text.sides import is_sixteen
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, alphabet, fold, show
from bddsudoku.puzzle.sudoku.text.table import Column, column_of
from bddsudoku.puzzle.sudoku.text.wholes import board_on_line, in_numbers

_DIRECTIVE = re.compile(r"(layout|symbols)\s*[:=]\s*(.*)", re.IGNORECASE)
_BLOCK = re.compile(r"(\d+)\s*[x×*]\s*(\d+)", re.IGNORECASE)
_SECTION = re.compile(r"\[\s*([A-Za-z ]+?)\s*\]")
_TITLE = re.compile(r"(?:grid|puzzle|sudoku|board)\s*[#:.]?\s*\d+\W*", re.IGNORECASE)
_PASSED_OVER = re.compile(
    # what Simple Sudoku, py-sudoku and LaTeX write around their grids; a Python string's ends
    r"simple sudoku|version \S+|simple sudoku version \S+"
    r"|\d+x\d+ \(\d+x\d+\) sudoku puzzle|difficulty: .*"
    r"|\\(?:begin|end)\{.*|\\[hc]line.*|\\centering"
    r"|(?:[a-z_]\w*\s*=\s*)?[rbuf]{0,2}(?:\"\"\"|''')\\?[,;)]*",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"\\begin\{(?:logicpuzzle|sudoku)")
"""In this environment of LaTeX a row ends with a bar and a dot."""
_DOT = re.compile(r"\|[ \t]*\.[ \t]*$")
_MOST_LINES = 200
_FOUR = frozenset("1234xX" + BLANKS)


class Collector:
    """Takes lines and gives puzzles as soon as they are complete.

    A board is handed out when what follows it is known: rules, or a map of regions. What stands
    directly below a grid belongs to it. Where that is neither a rule nor another grid, the grid is
    refused with it. (Lists of boards on one line may hold faulty ones; only words below such a
    board belong to it.)

    Args:
        source: file name for messages.
        layout: the layout asked for, or None.
        convention: the symbols asked for, or None.

    Raises:
        PuzzleFormatError: boards of that layout are not read.
    """

    def __init__(self, source: str | None, layout: Layout | None, convention: str | None) -> None:
        self._source = source
        self._asked = layout
        self._layout = layout
        self._convention = convention
        if layout is not None and layout.n < SMALLEST:
            raise PuzzleFormatError(no_usual_blocks(layout.n), source=source)
        if convention is not None and layout is not None:
            alphabet(layout.n, convention)  # refused at once if it does not fit
        self._items: list[Item] = []
        self._rows: list[Row] = []
        self._doubtful = 0
        self._widths: dict[int, int] = {}
        self._comments: list[str] = []
        self._title = ""
        self._section: str | None = None
        self._column: Column | None = None
        self._block: Block | None = None
        self._held: PuzzleRecord | None = None
        self._in_rows = self._lacks_blocks = False  # of what is held
        self._touches = False  # the next line stands directly below what is held
        self._belongs = False  # and so does what is open
        self._begun = self._found_any = False
        self._dotted = False

    @property
    def idle(self) -> bool:
        """True when nothing that came before bears on the next line if that is a board."""
        return not (
            self._items
            or self._comments
            or self._title
            or self._section is not None
            or self._layout is not self._asked
            or self._convention is not None
            or self._column is not None
            or self._block is not None
        )

    @property
    def passes_blanks(self) -> bool:
        """True when a blank line says nothing."""
        return not (self._items or self._touches or self._block is not None)

    def feed(self, number: int, line: str) -> Iterator[PuzzleRecord]:
        """Take one line.

        Raises:
            PuzzleFormatError: with line and cell.
        """
        yield from self._guarded(self._line(number, line))

    def finish(self) -> Iterator[PuzzleRecord]:
        """The end of the text."""
        yield from self._guarded(self._end())
        yield from self.release()

    def refuse_binary(self, number: int) -> NoReturn:
        """What a line with a NUL is met with."""
        raise PuzzleFormatError(
            "expected text, found binary data", source=self._source, line=number
        )

    def _guarded(self, found: Iterator[PuzzleRecord]) -> Iterator[PuzzleRecord]:
        """Hand out what is held before an error, unless the error is about it."""
        try:
            yield from found
        except (RegionMapError, RuleLineError):
            raise
        except PuzzleFormatError:
            yield from self.release()
            raise

    def release(self) -> Iterator[PuzzleRecord]:
        """What is held.

        Raises:
            PuzzleFormatError: its size has no usual blocks, and no line has said others.
        """
        held, self._held = self._held, None
        if held is not None:
            self._check_blocks(held)
            yield held

    def _check_blocks(self, held: PuzzleRecord) -> None:
        if self._lacks_blocks:
            what = no_usual_blocks(held.puzzle.n)
            raise PuzzleFormatError(what, source=self._source, line=held.line)

    def _hold(self, found: PuzzleRecord, *, in_rows: bool = False) -> Iterator[PuzzleRecord]:
        """Hold a board in place of the one before, which is handed out.

        Raises:
            RegionMapError: it is a map of the regions of the one before.
        """
        if self._held is not None and self._held.puzzle.n == found.puzzle.n:
            refuse_faulty_map(found.puzzle, found.line, self._source)
        yield from self.release()
        self.hold(found)
        self._in_rows = in_rows
        self._lacks_blocks = self._layout is None and not has_usual_blocks(found.puzzle.n)

    # Lines

    def _line(self, number: int, line: str) -> Iterator[PuzzleRecord]:
        raw = text = line.rstrip("\r\n")
        if not text.isascii() or "\0" in text:
            self._check_encoding(number, text)
            text = fold(text)
        stripped = text.strip(" \t")
        if self._block is not None:
            with self._below():
                is_taken = self._block.take(number, text, raw)
            if is_taken:
                if self._block.is_complete:
                    yield from self._close_block()
                return
            yield from self._close_block()
        if not stripped:
            tabs = text.count("\t")
            if self._rows and tabs >= SMALLEST - 1 and self._rows[-1].text.count("\t") == tabs:
                self._items.append(Row(number, text, [[""] * (tabs + 1)], hollow=True))
            else:
                yield from self._space()
            self._touches = False
        elif stripped[0] == "#":
            yield from self._comment(number, stripped.lstrip("#").strip())
        elif section := _SECTION.fullmatch(stripped):
            yield from self._close()
            self._section = section[1].lower()
            self._touches = False
        elif self._section not in (None, "puzzle"):
            return  # the state of play, pencil marks, colours: not the puzzle
        elif _TITLE.fullmatch(stripped):
            yield from self._close()
            self._title = stripped
            self._touches = False
        elif _PASSED_OVER.fullmatch(stripped):
            yield from self._close()
            self._dotted = _DOTTED.match(stripped) is not None
            self._touches = False
        elif begins_like_one(stripped) or self._is_strange(stripped):
            yield from self._rule(number, stripped)
        elif not self._begun and (header := column_of(stripped)) is not None:
            self._column = header if header.at else None
        else:
            yield from self._content(number, text, stripped, raw)
            self._begun = True

    def _rule(self, number: int, text: str) -> Iterator[PuzzleRecord]:
        """A line about the board that is held."""
        yield from self._close()
        with self._at(number):
            if self._held is None:
                raise PuzzleFormatError(f"{text.split()[0]}: a rule stands below its grid")
            self._held = self._held._replace(puzzle=with_line(self._held.puzzle, text))
            self._lacks_blocks &= not text.lower().startswith("regions")
            self._touches = True

    def _is_strange(self, text: str) -> bool:
        """Whether a line is meant as a rule of the board that is held, or now complete."""
        held = self._held
        return held is not None and not self._items and is_unknown(text, held.puzzle.n)

    @contextmanager
    def _at(self, number: int) -> Iterator[None]:
        """Say where an error stands."""
        try:
            yield
        except PuzzleFormatError as error:
            if error.line is not None:
                raise
            raise RuleLineError(str(error), source=self._source, line=number) from None

    @contextmanager
    def _below(self) -> Iterator[None]:
        """Where what is open belongs to the board above it, errors are about that."""
        try:
            yield
        except RegionMapError:
            raise
        except PuzzleFormatError as error:
            if not self._belongs or self._held is None:
                raise
            self._check_blocks(self._held)
            raise RuleLineError(
                f"below the board stands neither a rule nor another board: {error.expected}",
                source=self._source,
                line=error.line,
                cell=error.cell,
            ) from None

    def hold(self, found: PuzzleRecord) -> None:
        """Take a board that was read elsewhere, on a line: what follows may be about it."""
        self._held = found
        self._found_any = self._begun = self._touches = True
        self._in_rows = self._lacks_blocks = False

    def _end(self) -> Iterator[PuzzleRecord]:
        if self._block is not None:
            yield from self._close_block()
        yield from self._close()
        if self._section is not None and not self._found_any:
            raise PuzzleFormatError("expected a section [Puzzle]", source=self._source)

    def _check_encoding(self, number: int, text: str) -> None:
        if "\0" in text:
            self.refuse_binary(number)
        for symbol in text:
            if 0xD800 <= ord(symbol) <= 0xDFFF:
                raise PuzzleFormatError(
                    f"expected UTF-8 text, found {show(symbol)}", source=self._source, line=number
                )

    # Comments and what they say

    def _comment(self, number: int, text: str) -> Iterator[PuzzleRecord]:
        yield from self._space(comment=True)
        self._touches = False
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
            layout = Layout(number_in(match[1]) or 0, number_in(match[2]) or 0)
            if layout.n < SMALLEST:
                raise PuzzleFormatError(no_usual_blocks(layout.n))
        except PuzzleFormatError as error:
            raise PuzzleFormatError(str(error), source=self._source, line=number) from None
        if self._asked is not None and layout != self._asked:
            raise PuzzleFormatError(
                f"the file says {layout}, but {self._asked} was asked for",
                source=self._source,
                line=number,
            )
        self._layout = layout

    # Cells

    def _content(self, number: int, text: str, stripped: str, raw: str) -> Iterator[PuzzleRecord]:
        if self._column is not None:
            text = self._column.first(text, number, self._source)
        elif block := block_for(number, stripped, self._layout, self._convention, self._source):
            yield from self._close()
            self._block = block
            self._belongs = self._touches and self._in_rows
            with self._below():
                block.take(number, text, raw)
            if block.is_complete:
                yield from self._close_block()
            return
        text = untabbed(unquoted(text))
        if self._dotted:
            text = _DOT.sub("|", text)
        row = scan(text, number)
        if row is None:
            self._items.append(RULE)
        elif row.hollow:
            self._items.append(row)
        else:
            whole = None
            if not row.doubtful:
                whole = board_on_line(row, text, self._layout, self._convention, self._source)
            if whole is not None:
                yield from self._close()
                yield from self._hold(self._found(whole[0], row.line, whole[1]))
                return
            if not self._rows:
                self._belongs = self._touches and (self._in_rows or is_words(row))
            self._items.append(row)
            self._rows.append(row)
            if row.doubtful:
                self._doubtful += 1
            else:
                width = len(row.tokens) if in_numbers(row) else len(row.symbols)
                self._widths[width] = self._widths.get(width, 0) + 1
        if len(self._items) > _MOST_LINES or self._complete():
            yield from self._close()

    def _space(self, comment: bool = False) -> Iterator[PuzzleRecord]:
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
        if height < n and n % gap == 0 and height % gap == 0 and not self._irregular():
            self._items.append(SPACE)
        else:
            yield from self._close()

    def _undecided(self) -> bool:
        """Up to sixteen lines of 16 symbols: 4×4 boards, or rows of a 16×16 board."""
        return self._layout is None and len(self._rows) < 16 and is_sixteen(self._rows)

    def _irregular(self) -> bool:
        """Whether open cells may have been left blank."""
        rows = [r for r in self._rows if not r.doubtful]
        return any(isinstance(i, Row) and i.hollow for i in self._items) or (are_irregular(rows))

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
        if certain != side or side < SMALLEST or self._irregular():
            return False
        return not (
            self._doubtful and any(r.doubtful and len(r.symbols) == side for r in self._rows)
        )

    def _close(self) -> Iterator[PuzzleRecord]:
        """Resolve what is open."""
        items, self._items, self._rows, self._doubtful = self._items, [], [], 0
        self._widths = {}
        if not items:
            return
        with self._below():
            grids = resolve(items, self._layout, self._convention, self._source)
        self._belongs = False
        for puzzle, line in grids:
            yield from self._hold(self._found(puzzle, line, ""), in_rows=True)

    def _close_block(self) -> Iterator[PuzzleRecord]:
        """Read what a block of another form holds."""
        block, self._block = self._block, None
        if block is None:
            return
        with self._below():
            boards = list(block.boards())
        self._belongs = False
        for puzzle, line in boards:
            yield from self._hold(self._found(puzzle, line, "")._replace(notes=block.notes))
            self._lacks_blocks = False  # f-puzzles says them

    def _found(self, puzzle: Puzzle, line: int, name: str) -> PuzzleRecord:
        self._found_any = True
        if is_one(name):
            with self._at(line):
                raise PuzzleFormatError(f"{name.split()[0]}: a rule stands on a line of its own")
        found = PuzzleRecord(puzzle, self._source, line, name or self._title, tuple(self._comments))
        self._comments.clear()
        self._title = ""
        return found
