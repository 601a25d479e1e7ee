"""Parser of puzzles from a text, line by line: titles, tables, grids and all other forms.

The way of a line: it is a blank line, a comment (perhaps a header, ``rule_lines``), a title, a rule
(``rule_lines``), the beginning of a form that is no line of cells (``multi_line_forms``; lists are
taken apart into lines of cells), or a line of cells. This is a board (``one_line_boards``) or a row
or border of a grid (``grid_rows``). The texts of a board's cells become a puzzle in one place
(``cell_resolver``).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.file_io import refuse_undecoded
from bddsudoku.puzzle.sudoku.fpuzzles.compressed_links import OWN_LINK, unpack_own_link
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import (
    SMALLEST,
    Layout,
    has_default_blocks,
    why_no_default_blocks,
)
from bddsudoku.puzzle.sudoku.rules.rule_tokens import open_brackets
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.grid_rows import (
    FieldRow,
    is_mostly_words,
    not_a_puzzle,
    parse_row,
    resolve_grids,
    strip_quotes,
)
from bddsudoku.puzzle.sudoku.text.multi_line_forms import FormCollector, detect_form
from bddsudoku.puzzle.sudoku.text.one_line_boards import board_on_line
from bddsudoku.puzzle.sudoku.text.rule_lines import (
    COMMENT,
    Column,
    Headers,
    RuleLineError,
    begins_like_rule,
    find_column,
    find_header,
    is_unknown_rule_line,
    move_puzzle_first,
    why_no_name,
    with_rule_line,
)
from bddsudoku.puzzle.sudoku.text.symbols import (
    fold_lookalikes,
    make_alphabet,
)

_BEFORE_PROSE = "".join(COMMENT) + "＃％"
_SECTION = re.compile(r"\[\s*([A-Za-z ]+?)\s*\]")
_TITLE = re.compile(r"(?:grid|puzzle|sudoku|board)\s*[#:.]?\s*\d+\W*", re.IGNORECASE)
_IGNORED_LINE = re.compile(
    # text around the grids of Simple Sudoku
    r"simple sudoku|version \S+|simple sudoku version \S+",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"([0-9.]{36}|[0-9.]{81})(?:[ \t,;]([A-Za-z][\w ]{,30}\w))?")
"""The most common line: a board and perhaps its name, which is too short for a map of regions."""
_CLASSIC = CellResolver(), CellResolver(Layout())
_MAX_LINES = 200
MAX_COMMENTS = 200
"""Number of comments above a board that are kept; the last ones are."""


class LineCollector:
    """Push parser: takes one line at a time and yields puzzles as soon as they are complete.

    A board is *pending* until the next lines are known, which may be its rules or a map of its
    regions. Text directly below a grid belongs to it: if it is neither a rule nor another grid,
    the grid is refused as well. (Below a board on one line only words belong to it, because a list
    of boards may contain faulty lines.)
    """

    def __init__(
        self, source: str | None, resolver: CellResolver, *, keep_going: bool = False
    ) -> None:
        layout = resolver.layout
        if layout and layout.is_default and layout.is_usual and not layout.is_plain:
            raise PuzzleFormatError(why_no_default_blocks(layout.n))
        if layout is not None and resolver.convention is not None:
            make_alphabet(layout.digit_count, resolver.convention)  # check now that symbols fit
        self._source = source
        self._resolver = resolver
        self._headers = Headers(layout, resolver.convention)  # its line is 0 once they are obeyed
        self._rows: list[FieldRow] = []
        self._border, self._is_spaced = "", False  # what stands above the next row
        self._comments = deque[str](maxlen=MAX_COMMENTS)
        self._title = ""
        self._section = ""
        self.column: Column | None = None  # of a table
        self._block: FormCollector | None = None
        self._string_line = -1  # the line last read that is a string of several constraints
        self._open_rule: tuple[int, str, int] | None = None  # its line, text and open brackets
        self._pending: PuzzleRecord | None = None
        self._in_rows = self._lacks_blocks = False  # of the pending board
        self._touches = False  # the next line is directly below it
        self._belongs = False  # and so are the open lines
        self._keep_going = keep_going
        self._taken = 0  # the line last read that is part of what is collected
        self._has_refused = False  # a board, the rules of which may follow
        self._begun = False
        self.has_given: bool = False  # whether a board was yielded
        self.may_be_no_rule: bool = False  # the last line may be a puzzle that is none, or a rule

    @property
    def expects_classic_boards(self) -> bool:
        """Whether a classic board in the next lines is just that, whatever was read before."""
        begun = self._rows, self._comments, self._title, self._section, self._headers.line
        return (
            not any(begun)
            and self._block is None
            and self._open_rule is None
            and self._resolver in _CLASSIC
        )

    @property
    def is_between_boards(self) -> bool:
        """Whether the board last read is complete, unless rules follow below it."""
        return not self._in_rows and not self._rows and self._block is None

    def feed(self, number: int, line: str) -> Iterator[PuzzleRecord]:
        """Parse one line, and yield the puzzles that it completes."""
        if not (line or self._rows or self._touches or self._block is not None):
            return  # of blank lines there may be many
        self.may_be_no_rule = False
        yield from self._yield_pending_before_error(self._read_line(number, line), number)

    def forget(self, line: int) -> bool:
        """Give up the board that was not read; return whether ``line`` is a part of it."""
        self._rows, self._block, self._open_rule, self._pending = [], None, None, None
        self._border, self._is_spaced = "", False
        self._touches = self._lacks_blocks = False
        self._comments.clear()
        self._title = ""
        self._has_refused = self.has_given = True
        return self._taken == line

    def finish(self) -> Iterator[PuzzleRecord]:
        """Yield the puzzles that remain at the end of the text."""
        if self._open_rule is not None:
            number, text, _ = self._open_rule
            raise RuleLineError(f"expected ')' for the rule {text[:40]!r}, found none", line=number)
        yield from self._yield_pending_before_error(self._yield_collected_boards())
        yield from self.yield_pending()
        if self._section and not self._begun:
            raise PuzzleFormatError("expected a section [Puzzle]")

    def _yield_pending_before_error(
        self, puzzles: Iterator[PuzzleRecord], line: int | None = None
    ) -> Iterator[PuzzleRecord]:
        """Yield puzzles; on an error that does not concern the board kept back, yield it first."""
        with adding_error_place(line=line):
            try:
                yield from puzzles
            except RuleLineError:
                raise
            except PuzzleFormatError as error:
                if self._belongs and self._pending is not None:
                    self._check_has_blocks(self._pending)
                    raise RuleLineError(
                        "below the board stands neither a rule nor another board: "
                        + error.expected,
                        line=error.line or line,
                        cell=error.cell,
                    ) from None
                yield from self.yield_pending()
                raise

    def yield_pending(self) -> Iterator[PuzzleRecord]:
        """Yield the board, if any, that was kept back because rules may follow below it."""
        held, self._pending = self._pending, None
        if held is not None:
            self._check_has_blocks(held)
            self.has_given = True
            yield held

    def _check_has_blocks(self, pending: PuzzleRecord) -> None:
        """Raise an error if a board has no blocks: no usual ones exist and none were given."""
        if self._lacks_blocks:
            raise PuzzleFormatError(
                why_no_default_blocks(pending.puzzle.layout.row_count), line=pending.line
            )

    def _replace_pending(
        self, puzzle: Puzzle, line: int, name: str = "", *, in_rows: bool = False
    ) -> Iterator[PuzzleRecord]:
        """Keep a board until its rules or regions are known, and yield the board kept before."""
        if name and (why := why_no_name(name)):
            raise RuleLineError(why, line=line)
        yield from self.yield_pending()
        form, layout = self._block, puzzle.layout
        notes, said = ((), ()) if form is None else (form.notes, form.comments)
        comments = (*self._comments, *said)
        self._pending = PuzzleRecord(
            puzzle, self._source, line, name or self._title, comments, notes
        )
        self._comments.clear()
        self._title = ""
        self._begun = self._touches = True
        self._has_refused = False
        self._in_rows = in_rows and form is None
        needs_blocks = self._resolver.layout is None and layout.grid.is_usual
        self._lacks_blocks = needs_blocks and not has_default_blocks(layout.digit_count)

    # Lines

    def _read_line(self, number: int, line: str) -> Iterator[PuzzleRecord]:
        """Parse a line, whatever it is."""
        text = line
        if not text.isascii() or "\0" in text:
            refuse_undecoded(text, first_line=number)
            text = fold_lookalikes(text)
        if self.column is None and self.expects_classic_boards:
            plain = _PLAIN.fullmatch(text)
            if plain and self._resolver.layout_of(len(plain[1])):
                puzzle = self._resolver.make_puzzle(plain[1], [number] * len(plain[1]))
                yield from self._replace_pending(puzzle, number, plain[2] or "")
                return
        stripped = text.strip(" \t")
        if stripped.startswith(OWN_LINK):
            for linked in unpack_own_link(stripped).split("\n"):
                yield from self._read_line(number, linked)
            return
        if self._block is not None:
            if is_taken := self._block.add_line(text, line):
                self._taken = number
            if not is_taken or self._block.is_complete:
                yield from self._yield_collected_boards()
            if is_taken:
                return
        if self._open_rule is not None:
            if stripped[:1] not in COMMENT:
                number, begun, depth = self._open_rule
                yield from self._read_rule(number, stripped, f"{begun}; ", depth)
        elif not stripped and not self._is_row_of_tabs(text):
            yield from self._read_separator()
        elif stripped[:1] in COMMENT:
            yield from self._read_comment(number, stripped, line)
        elif section := _SECTION.fullmatch(stripped):
            yield from self._yield_collected_boards()
            self._section = section[1].lower()
        elif self._section not in ("", "puzzle"):
            return  # state of play, pencil marks, colours: not part of the puzzle
        elif _TITLE.fullmatch(stripped):
            yield from self._yield_collected_boards()
            self._title = stripped
        elif _IGNORED_LINE.fullmatch(stripped):
            yield from self._yield_collected_boards()
        elif begins_like_rule(stripped) or self._is_unknown_rule(stripped):
            yield from self._read_rule(number, stripped)
            return
        elif not self._begun and (header := find_column(stripped)) is not None:
            self.column = header if header[1] else None
        else:
            yield from self._read_cells_or_form(number, text, line)
            self._begun = True
            return
        self._touches = False

    def _is_row_of_tabs(self, text: str) -> bool:
        """Whether a line without signs is a row of open cells in a table with tabs."""
        tabs = text.count("\t")
        above = self._rows[-1].text if self._rows else ""
        return tabs >= SMALLEST - 1 and above.count("\t") == tabs

    def _read_rule(
        self, number: int, text: str, begun: str = "", depth: int = 0
    ) -> Iterator[PuzzleRecord]:
        """Add the rule on a line to the board above the line.

        A line that leaves a bracket open is kept until the lines that close it are read; ``begun``
        is what came before, with ``depth`` open brackets.
        """
        self._taken = number
        yield from self._yield_collected_boards()
        depth += open_brackets(text)
        text = begun + text
        self._open_rule = (number, text, depth) if depth > 0 else None
        if self._open_rule is not None or (self._pending is None and self._has_refused):
            return
        try:
            if self._pending is None:
                raise PuzzleFormatError(f"{text.split()[0]}: a rule stands below its grid")
            self._pending = self._pending._replace(
                puzzle=with_rule_line(self._pending.puzzle, text)
            )
        except PuzzleFormatError as error:
            raise RuleLineError(str(error), line=number) from None
        self._lacks_blocks &= not text.lower().startswith("regions")
        self._touches = True

    def _is_unknown_rule(self, text: str) -> bool:
        """Whether a line below the board last read looks like a rule with an unknown name."""
        held = self._pending
        if held is None or self._rows:
            return False
        found = is_unknown_rule_line(text, held.puzzle.layout.column_count)
        self.may_be_no_rule = found and not self._in_rows
        return found

    # Comments and headers

    def _read_comment(self, number: int, text: str, raw: str) -> Iterator[PuzzleRecord]:
        """Parse a comment, which may be a header such as ``# layout: 3x2``; else it is prose."""
        yield from self._read_separator()
        if header := find_header(text):
            yield from self._yield_collected_boards()
            self._headers.add(*header, number)
        elif words := raw.strip(" \t").lstrip(_BEFORE_PROSE).strip():
            self._comments.append(words)

    # Cells

    def _read_cells_or_form(self, number: int, text: str, raw: str) -> Iterator[PuzzleRecord]:
        """Parse a line of cells, or the first line of another form such as JSON."""
        if self._headers.line:
            with adding_error_place(line=self._headers.line):
                stated = self._headers
                self._resolver = CellResolver(stated.layout, stated.symbols, stated.groups)
            self._headers.line = 0
        if self.column is not None:
            text = move_puzzle_first(text, self.column)
        elif (form := detect_form(text.strip(" \t"))) and not (
            self._resolver.is_board_unusual and form == "brackets"  # candidates in braces
        ):
            yield from self._yield_collected_boards()
            self._belongs = self._touches and self._in_rows
            self._block = FormCollector(form, number, number - 1 == self._string_line)
            self._block.add_line(text, raw)
            if self._block.is_on_one_line:
                self._string_line = number
            if self._block.is_complete:
                yield from self._yield_collected_boards()
            return
        yield from self._read_cells(number, text)

    def _read_cells(self, number: int, text: str) -> Iterator[PuzzleRecord]:
        """Parse a line of cells: a border, a row of a grid, or a board on one line."""
        text = strip_quotes(text)
        row = parse_row(text, number)
        if row is None:
            self._border = text
            return
        whole = board_on_line(row, text, self._resolver)
        if whole is not None:
            yield from self._yield_rows()
            yield from self._replace_pending(whole[0], number, whole[1])
            return
        if not self._rows:
            is_no_row = is_mostly_words(row.symbols)
            if self._keep_going and is_no_row and not self._in_rows:
                raise PuzzleFormatError(not_a_puzzle(text), line=number)
            self._belongs = self._touches and (self._in_rows or is_no_row)
        self._taken = number
        row.border, row.is_spaced = self._border if self._rows else "", self._is_spaced
        self._border, self._is_spaced = "", False
        self._rows.append(row)
        if len(self._rows) > _MAX_LINES or (self._block is None and self._is_grid_complete()):
            yield from self._yield_rows()

    def _read_separator(self) -> Iterator[PuzzleRecord]:
        """Parse a blank line or comment; it ends the grid unless it may stand between two bands."""
        rows = self._rows
        if not rows:
            return
        gap = next((i for i, row in enumerate(rows) if i and row.is_spaced), len(rows))
        high, height = self._row_count, len(rows)
        if height < high and high % gap == 0 and height % gap == 0:
            self._is_spaced = True
        else:
            yield from self._yield_collected_boards()

    @property
    def _row_count(self) -> int:
        """The number of rows that the unfinished grid should have, by the width of its rows."""
        if (layout := self._resolver.layout) is not None:
            return layout.row_count
        widths = [row.width for row in self._rows]
        return max(widths, key=widths.count)

    def _is_grid_complete(self) -> bool:
        """Whether the grid has all rows."""
        high = self._row_count
        return len(self._rows) == high and (high >= SMALLEST or self._resolver.is_board_unusual)

    def _yield_collected_boards(self) -> Iterator[PuzzleRecord]:
        """Make boards of the collected lines; keep the last board and yield the others."""
        form = self._block
        yield from self._yield_rows()
        if form is None:
            return
        try:
            with adding_error_place(line=form.line):
                found = form.read(self._resolver.layout)
                if isinstance(found, Puzzle):
                    self._belongs = False
                    yield from self._replace_pending(found, form.line)
                    self._lacks_blocks = False  # the text contains blocks
                    return
                for lines in found:
                    for number, text in lines:
                        yield from self._read_cells(number, text)
                    yield from self._yield_rows()
        finally:
            self._block = None

    def _yield_rows(self) -> Iterator[PuzzleRecord]:
        """Make boards of the collected rows; keep the last board and yield the others."""
        rows, self._rows = self._rows, []
        self._border, self._is_spaced = "", False
        if rows:
            boards = resolve_grids(rows, self._resolver)
            if self._block is not None and 1 < len(boards) < len(rows):
                raise PuzzleFormatError(
                    f"expected the rows of one board in brackets, found {len(rows)} rows"
                )
            self._belongs = False
            for puzzle, line in boards:
                yield from self._replace_pending(puzzle, line, in_rows=True)
