"""Readers of boards that are not lines of cells: lists, JSON, links, strings of ISS.

A form collects lines until it is complete, and is then read as a puzzle or taken apart into lines
of cells. The readers of rarer forms are imported on demand.

Of lists and objects as JSON and Python write them are accepted n rows of n cells, n strings of n
symbols, n² cells in one list, a list of such boards, and an object that has a board under a usual
key (``puzzle``, ``board``, …) and no key that could be a rule. A cell is a number, a string with a
symbol, or empty (``None``, ``null``, ``""``). Cells that are lists or have several digits are
candidates.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, VALUE_SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.text.rule_lines import COMMENT, find_header
from bddsudoku.puzzle.sudoku.text.symbols import (
    LETTERS,
    fold_lookalikes,
    goes_on_iss,
    is_iss,
    is_link,
    show_symbol,
)

Lines = list[tuple[int, str]]
"""Lines of cells, with their numbers."""

_BEGIN = re.compile(r"\s{,400}(?:[A-Za-z_]\w{,80}\s*(?::[^=]{1,80})?=\s*)?[\[({]")
"""A bracket, perhaps after a name to which Python assigns it."""
_BRACED_ROW = re.compile(r"(?:(?:\{\w*\}|\w)[ \t|]+){3}")
"""The beginning of a row of cells, each with its candidates in braces."""
_NO_BRACKETS = re.compile(r"""\#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[^\[\](){}]""")
_LISTS = (ast.List, ast.Tuple)
_DIGITS = {*map(str, range(1, LARGEST + 1))}
_GAPS = re.compile(r"[\s|,]+")
_BOARD = re.compile(
    "puzzle|board|grid|quiz|mission|question|sudoku|clues|givens|task|unsolved|cells|values|rows"
    "|matrix|candidates"
)
"""Keys under which an object has its board."""
_BESIDE = re.compile(
    "solution|solved|answer|difficulty|level|rating|score|name|id|title|author|date|source|hints"
    "|count|seed|size|n|url|message|status|win_rate|exact|engine|why|seconds|order|rank|symmetry"
    "|limit|description|comment|results|unique|solutions|missing|created"
)
"""Keys that are ignored beside a board."""


def opens_brackets(text: str) -> bool:
    """Whether a line begins a list or object, perhaps after ``x =``."""
    return _BEGIN.match(text) is not None and not _BRACED_ROW.match(text)


def bracket_depth_change(text: str) -> int:
    """The number of brackets that a line opens minus those that it closes."""
    bare = _NO_BRACKETS.sub("", text)
    return 2 * sum(map(bare.count, "[({")) - len(bare)


def lines_in_brackets(text: str, line: int) -> Iterator[Lines]:
    """The lines of each board in brackets; ``line`` is the number of the first line."""
    if bracket_depth_change(text) > 0:
        raise PuzzleFormatError("the brackets are not closed", line=line)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes such as \\/ that JSON has and Python lacks
            (statement,) = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        statement = ast.Pass()
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign)) or statement.value is None:
        found = show_symbol(text.strip().partition("\n")[0])
        what = f"expected a list or object as JSON or Python writes it, found {found}"
        raise PuzzleFormatError(what, line=line)
    return _boards(statement.value, line - 1)


def _boards(node: ast.expr, above: int) -> Iterator[Lines]:
    """The lines of each board in an expression; ``above`` is the number of lines above it."""
    line = above + node.lineno
    match node:
        case ast.Dict():
            yield from _boards(_board_in_object(node, line), above)
        case ast.Constant(str(text)):
            yield [(line, _without_gaps(text))]
        case ast.List(items) | ast.Tuple(items) if items:
            rows = [_row(item) for item in items]
            cells = [row for row in rows if row is not None]
            if len(cells) < len(items):
                for item in items:
                    yield from _boards(item, above)
            elif min(map(len, cells)) < SMALLEST and not any(isinstance(i, _LISTS) for i in items):
                yield [(line, " ".join(cells))]
            else:
                yield [(above + i.lineno, row) for i, row in zip(items, cells, strict=True)]
        case _:
            found = show_symbol(ast.unparse(node)[:100])
            raise PuzzleFormatError(f"expected a board in brackets, found {found}", line=line)


def _row(node: ast.expr) -> str | None:
    """The line of cells that a string or a list of cells is; None for anything else."""
    if not isinstance(node, _LISTS):
        return _cell(node)
    cells = [_cell(item) for item in node.elts]
    return None if None in cells else " ".join(map(str, cells))


def _cell(node: ast.expr) -> str | None:
    """The text of a cell, -1 if it is empty, with its candidates in braces; None for no cell."""
    if isinstance(node, ast.Name) and node.id in ("null", "nan", "NaN"):
        return "-1"
    try:
        value = node.value if isinstance(node, ast.Constant) else ast.literal_eval(node)
    except ValueError:
        return None
    match value:
        case None | -1:
            return "-1"
        case float():
            return str(value).removesuffix(".0")
        case str() | int():
            return _without_gaps(str(value)) or "-1"
        case []:
            raise PuzzleFormatError("an empty list of candidates may mean all or none; list them")
        case [*items]:
            digits = [int(text) for text in map(str, items) if text in _DIGITS]
            if len(digits) == len(items) and digits == sorted({*digits}):
                return f"{{{''.join(VALUE_SYMBOLS[digit] for digit in digits)}}}"
    return None


def _without_gaps(text: str) -> str:
    """The cells of a string, without spaces, bars and commas."""
    return _GAPS.sub("", fold_lookalikes(text))


def _board_in_object(node: ast.Dict, line: int) -> ast.expr:
    """The board in an object, which stands under a key such as ``puzzle``."""
    names = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
    others = {
        str(name): item
        for name, item in zip(names, node.values, strict=True)
        if not _BESIDE.fullmatch(str(name).lower())
    }
    boards = [
        board
        for key, board in others.items()
        if _BOARD.fullmatch(key.lower()) or isinstance(board, (ast.Dict, ast.List))
    ]
    if len(boards) == len(others) == 1:
        return boards[0]  # also in {"newboard": {"grids": [{"value": …}]}}
    shown = [show_symbol(k) for k in others if not _BOARD.fullmatch(k.lower())] or ["no board"]
    raise PuzzleFormatError(
        f"this looks like JSON with {', '.join(shown[:3])}{', …' * (len(shown) > 3)}; an object is "
        "read when its board stands under 'puzzle', 'board' or 'grid' and nothing beside it can be "
        "a rule",
        line=line,
    )


MAX_BRACKET_BYTES = 1_000_000
"""Limit on the characters within one pair of brackets."""
_CLASSIC = re.compile(r"(?:/|puzzleid=)classic(\w+)$")
"""The cells of a classic board in a link to SudokuPad."""
_CELLS_AND_BLANKS = "0123456789" + LETTERS + LETTERS.lower()[:24]
_OLDER_BLANKS = LETTERS + LETTERS.lower()


def _classic_cells(code: str) -> str:
    """The 81 cells of a link to SudokuPad: a sign is a cell and up to 5 open ones after it.

    Older links have digits, and letters for the number of open cells between them.
    """
    signs = [_CELLS_AND_BLANKS.find(sign) for sign in code]
    older = sum(1 if sign in "123456789" else _OLDER_BLANKS.find(sign) for sign in code)
    cells = "".join(str(sign % 10) + "0" * (sign // 10) for sign in signs)
    if len(cells) != 81 or min(signs) < 0 or older == 81:
        raise PuzzleFormatError(
            f"expected the code of 81 cells in a link 'classic…' to SudokuPad, found {len(cells)}"
        )
    return cells


def detect_form(text: str) -> str:
    """The form of input, such as ``link``, that a first line shows; "" for a line of cells."""
    if is_iss(text):
        return "string"
    if is_link(text):
        return "link"
    if opens_brackets(text):
        return "brackets"
    return ""


_CONSTRAINT = re.compile(r"\.(?!(?:Or|And|End)\b)[A-Za-z~]")
"""The beginning of a constraint in a string of Interactive-Sudoku-Solver."""


class FormCollector:
    """Collects the lines of a link, JSON object, list or string of Interactive-Sudoku-Solver.

    Such a string extends over the lines below its first that are indented or, where each line has
    one constraint, begin as a string does; comments between these are passed over. Once the puzzle
    is read, ``notes`` has messages for the user about it, ``comments`` what it says in words.

    Args:
        form: see :func:`detect_form`.
        line: number of the first line.
        is_on_one_line: whether a string on one line stands directly above: then this is another.
    """

    def __init__(self, form: str, line: int, is_on_one_line: bool) -> None:
        self.form = form
        self.line = line
        self.is_on_one_line: bool = is_on_one_line
        self.is_complete: bool = form == "link"
        self.notes: tuple[str, ...] = ()
        self.comments: tuple[str, ...] = ()
        self._lines: list[str] = []
        self._bytes_left = MAX_BRACKET_BYTES
        self._depth = 0

    def add_line(self, text: str, raw: str) -> bool:
        """Add a line and return True; return False if it does not belong to this form of input.

        ``raw`` is the line as it stands in the file, with look-alikes of ASCII characters.
        """
        if self.form == "string":
            has_several = len(_CONSTRAINT.findall(text)) > 1
            if not self._lines:
                self.is_on_one_line |= has_several
            elif text[:1] not in (" ", "\t"):
                begun = self._lines[0].lstrip(" \t")
                is_mere_comment = text[:1] in COMMENT and not find_header(text)
                if is_mere_comment and not self.is_on_one_line:
                    return True
                goes_on = begun[0] == "." and goes_on_iss(text)
                if self.is_on_one_line or not goes_on:
                    return False
                if has_several:
                    if len(self._lines) > 1:
                        raise PuzzleFormatError(
                            "expected one constraint as in the lines above, or a blank line "
                            f"before another puzzle, found '{text[:40]}'"
                        )
                    return False
        elif self.form == "brackets":
            text = raw  # JSON and Python know ASCII quotes only
            self._depth += bracket_depth_change(text)
            self.is_complete = self._depth <= 0
        self._lines.append(text)
        self._bytes_left -= len(text)
        if self._bytes_left < 0:
            raise PuzzleFormatError(
                f"more than {MAX_BRACKET_BYTES:,} characters in brackets", line=self.line
            )
        return True

    def read(self, layout: Layout | None) -> Puzzle | Iterable[Lines]:
        """Read the collected lines: as a puzzle, or as the lines of cells of each board."""
        text = "\n".join(self._lines)
        if self.form == "string":
            from bddsudoku.puzzle.sudoku.iss.reading import read_iss

            puzzle = read_iss(text, layout)
            if puzzle.dead_cells and "\n." in text:
                name = puzzle.layout.cell_name(puzzle.dead_cells[0])
                raise PuzzleFormatError(
                    f"the lines of one string leave {name} no digit; strings of several puzzles "
                    "stand after blank lines"
                )
            return puzzle
        from bddsudoku.puzzle.sudoku.fpuzzles.reading import is_fpuzzles, read_fpuzzles

        if self.form == "link" and (classic := _CLASSIC.search(text)):
            return [[(self.line, _classic_cells(classic[1]))]]
        if self.form == "link" or is_fpuzzles(text):
            found = read_fpuzzles(text, layout, None, self.line)
            self.notes, self.comments = found.notes, found.info.comments
            return found.puzzle
        return lines_in_brackets(text, self.line)
