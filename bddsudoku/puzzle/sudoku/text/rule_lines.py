"""Lines above a board that state its shape, digits, blocks or symbols, and below it its rules.

A line whose first character is ``#`` or ``%`` is a comment. It is a *header* if it begins with
``digits``, ``shape``, ``layout``, ``symbols``, ``cells`` or ``houses`` and then has a colon, an
equals sign or (not the last two) a number:
``# digits: 0-8``, ``# shape 8x9``. Such a line is obeyed or refused, never passed over; in
``# digits are from 0`` or ``# shapes`` the words are only words.

Below a grid are rules, irregular blocks and extra houses::

    .........
    …
    antiknight
    cage 15 r1c1 r1c2 r2c1
    regions 111222333 111222333 …      the block of every cell; "." for none; "regions none"
    house r1c1 r2c2 r3c3 …             another set of n cells with every digit
    any of (cage 8 r1c1 r1c2; thermo r1c1 r1c2)     one of several rules

A bracket that is open at the end of a line goes on in the next ones, where each line is a rule.
Blank lines and comments may stand between these lines. The next grid ends them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.grid import Puzzle, empty_board
from bddsudoku.puzzle.sudoku.layout import SMALLEST, Layout, why_no_default_blocks
from bddsudoku.puzzle.sudoku.places import CellGroup, parse_groups
from bddsudoku.puzzle.sudoku.rules import cells, is_rule_name, rule_from_line
from bddsudoku.puzzle.sudoku.rules.rule import near_rule_names
from bddsudoku.puzzle.sudoku.rules.rule_tokens import open_brackets, split_rule_name
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, LETTERS, show_symbol

COMMENT = ("#", "%")
"""First characters of comments."""
_CELL = re.compile(r"r\d+c\d+", re.IGNORECASE)
"""The name of a cell, as the heading of a column."""
_HEADING = re.compile(r"[A-Za-z_#][\w .()/#%-]*")
_PUZZLE = re.compile(
    r"(?:puzzles?|quizz?(?:es)?|questions?|sudokus?|boards?|grids?|clues|unsolved|givens?|mission)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"(layout|symbols|shape|digits|cells(?=\s*[:=])|houses(?=\s*[:=]))"
    r"(?:\s*[:=]\s*|\s+(?=[-+]?\d|auto$))(.*)",
    re.IGNORECASE | re.ASCII,
)
_VALUES = {
    "digits": (r"(\d+)\s*(?:-|\.\.|…|to)\s*(\d+)", "0-8' (the least and the greatest)"),
    "shape": (r"(\d+)\s*[x*]\s*(\d+)", "8x9' (rows x columns)"),
    "layout": (r"(\d+)\s*[x*]\s*(\d+)", "3x2' (rows x columns of a block)"),
    "houses": ("none", "none'"),
}


def find_header(comment: str) -> tuple[str, str] | None:
    """A header's first word and what it says; None for a mere comment."""
    match = _HEADER.fullmatch(comment.lstrip("#% \t").strip())
    return (match[1].lower(), match[2].strip()) if match else None


class Headers:
    """What the headers read so far state about the boards below them.

    Attributes:
        symbols: the digits in order, if they are not the usual ones.
        line: the number of the last header.
    """

    def __init__(self, layout: Layout | None, symbols: str | None) -> None:
        self.symbols = symbols
        self.line: int = 0
        self._asked = layout
        self._stated: dict[str, tuple[int, int]] = {}
        self._groups: tuple[CellGroup, ...] = ()
        self._are_groups_used = False

    def add(self, name: str, value: str, line: int) -> None:
        """Note a header, such as ``layout`` and ``3x2``.

        ``auto`` ends what was stated in this way, with ``layout`` all but the symbols.

        Raises:
            PuzzleFormatError: it does not have two numbers.
        """
        self.line = line
        is_auto = value.lower() == "auto"
        if name == "symbols":
            self.symbols = None if is_auto else value
        elif name == "cells":  # lines without a board between them add up
            before = () if is_auto or self._are_groups_used else self._groups
            self._groups = before if is_auto else (*before, *parse_groups(value))
            self._are_groups_used = False
        elif not is_auto:
            pattern, example = _VALUES[name]
            match = re.fullmatch(pattern, value, re.IGNORECASE)
            if match is None:
                found = show_symbol(value)
                raise PuzzleFormatError(f"expected '# {name}: {example}, found {found}")
            numbers = match.groups() or ("0", "0")
            high, wide = (parse_whole_number(number) or 0 for number in numbers)
            self._stated[name] = high, wide
        elif name == "layout":
            self._stated.clear()
            self._groups = ()
        else:
            self._stated.pop(name, None)

    @property
    def layout(self) -> Layout | None:
        """The layout that ``layout``, ``shape`` and ``digits`` state together, or the asked one.

        Where only the digits are stated there are as many rows and columns.
        """
        layout = self._stated_layout
        if layout is None:
            return self._asked
        layout = replace(layout, groups=self.groups)
        if self._asked is not None and layout.frame != self._asked.frame:
            raise PuzzleFormatError(f"the file says {layout}, but {self._asked} was asked for")
        return self._asked or layout

    @property
    def groups(self) -> tuple[CellGroup, ...]:
        """The groups of cells outside the grid."""
        self._are_groups_used = True
        return self._groups

    @property
    def _stated_layout(self) -> Layout | None:
        """The grid that headers state; None if they do not."""
        if not self._stated:
            return None
        digits, shape = self._stated.get("digits"), self._stated.get("shape")
        if "houses" in self._stated:
            if shape is None:
                raise PuzzleFormatError("'# houses: none' needs a line such as '# shape: 8x9'")
            return Layout(1, shape[1], (), shape=shape, digits=digits, has_lines=False)
        if "layout" in self._stated:
            layout = Layout(*self._stated["layout"], shape=shape, digits=digits)
            if [*self._stated] == ["layout"] and layout.n < SMALLEST:
                raise PuzzleFormatError(why_no_default_blocks(layout.n))
            return layout
        if digits is not None and digits[0] > digits[1]:
            raise PuzzleFormatError(f"expected the least and the greatest digit, found {digits}")
        side = 0 if digits is None else digits[1] - digits[0] + 1
        return Layout.of_shape(*(shape or (side, side)), digits)


# Tables of puzzles: one per line, in a column that the first line names

Column = tuple[str, int]
"""A table's separator, and the index of the column with the puzzles."""


def find_column(text: str) -> Column | None:
    """Return a table's separator and puzzle column from its header line; None for other lines.

    A line that names every cell (``r1c1,r1c2,…``, as ``enumerate --format csv`` writes) means that
    the columns are cells; its column is 0.
    """
    for separator in ",;\t":
        names = [n.strip(" \"'") for n in text.split(separator)]
        if all(_CELL.fullmatch(n) for n in names):
            return separator, 0
        if len(names) > 1 and all(_HEADING.fullmatch(n) for n in names):
            for index, name in enumerate(names):
                if _PUZZLE.fullmatch(name):
                    return separator, index
    return None


def move_puzzle_first(text: str, column: Column) -> str:
    """A line of a table with the puzzle's field moved to the front."""
    separator, index = column
    (fields,) = csv.reader([text], delimiter=separator)
    if len(fields) <= index:
        raise PuzzleFormatError(
            f"expected the puzzle in column {index + 1}, found {len(fields)} columns"
        )
    first = fields.pop(index).strip()
    return separator.join([first, *filter(None, fields)])


class RuleLineError(PuzzleFormatError):
    """Error in a line below a board, such as a rule; the board is refused as well."""


_LINE = re.compile(
    r"([a-z]{3,})[:,]?(?:[\s,]+(?:-?\d{1,3}|r\d+c\d+|>|[a-z]{1,12}))*", re.IGNORECASE
)
_NAMED = re.compile(r"[a-z]{3,}[\s:,]", re.IGNORECASE)
_PLACE = re.compile(r"\br\d{1,2}c\d{1,2}\b", re.IGNORECASE)
_DATA = re.compile(r"\br\d+c\d+\s*(?:[=≠]|<>|!=)\s*\d+|\b[.\d]{216,}(?!\S)", re.IGNORECASE)
"""A hint, an eliminated candidate, or the candidates of a board (a hash has 128 symbols)."""
_REGION_SYMBOLS = "123456789" + LETTERS


def begins_like_rule(text: str) -> bool:
    """Whether a line begins with ``regions``, ``house`` or the name of a rule."""
    name, _ = split_rule_name(text)
    return is_rule_name(name) or name in ("regions", "house", "cells")


@lru_cache(maxsize=1 << 12)
def may_be_no_name(word: str) -> bool:
    """Whether a text that begins with this word, and names no cells, may be a header or a rule."""
    return find_header(f"{word}: 1") is not None or begins_like_rule(word)


def why_no_name(text: str) -> str:
    """What a text behind a board says, so that it cannot be a mere name; "" for a name.

    It is a header, or a rule (what begins like one and names a cell or is complete), or names
    hints, eliminated candidates or the candidates of all cells.
    """
    word = text.split()[0][:40]
    if find_header(text):
        return f"{word} a header stands on a line of its own, above the board"
    if begins_like_rule(text) and (_PLACE.search(text) or _is_complete_rule(text)):
        return f"{word}: a rule stands on a line of its own"
    if data := _DATA.search(text):
        return f"{data[0][:40]}: hints and candidates of cells are not read behind a board"
    return ""


def _is_complete_rule(text: str) -> bool:
    """Whether a text is a rule that needs no cells, such as ``antiknight``, or a map of regions."""
    name, rest = split_rule_name(text)
    if name in ("regions", "house", "cells"):
        return bool(rest.strip())
    try:
        rule_from_line(text)
    except PuzzleFormatError:
        return False
    return True


def is_unknown_rule_line(text: str, n: int) -> bool:
    """Whether a line below a board of side n looks like a rule with an unknown name."""
    names_a_cell = _NAMED.match(text) is not None and _PLACE.search(text) is not None
    hyphened = "-" in text.split()[0] and near_rule_names(text)
    if begins_like_rule(text) or not (names_a_cell or hyphened or _LINE.fullmatch(text)):
        return False
    return not (len(text) == n and {*text.upper()} <= {*LETTERS[:n], "X"})


def with_rule_line(puzzle: Puzzle, text: str) -> Puzzle:
    """Return the puzzle with the rule, blocks or extra house that a line defines."""
    word, rest = (*re.split(r"[\s,:]+", text.strip(), maxsplit=1), "")[:2]
    layout = puzzle.layout
    match word.lower():
        case "regions":
            return _with_layout(puzzle, layout.with_regions(_parse_regions(rest, layout)))
        case "house":
            places = cells(rest)
            for place in places:
                if not layout.has_cell(place):
                    raise PuzzleFormatError(f"house: {place} is not on the board")
            house = tuple(map(layout.cell, places))
            return _with_layout(puzzle, replace(layout, extra=(*layout.extra, house)))
        case "cells":
            return puzzle.within(_parse_group_digits(rest, layout))
        case _:
            return puzzle.with_rule(rule_from_line(text))


def split_rule_file(lines: Iterable[str], source: str | None = None) -> list[tuple[int, str]]:
    """Split a file of rules into rules with line numbers, without comments and blank lines.

    Lines that continue an open bracket are joined to the line that opens it.

    Raises:
        PuzzleFormatError: a comment is a header, which states what board it is.
    """
    found: list[tuple[int, str]] = []
    depth = 0
    for number, line in enumerate(lines, 1):
        words, _, comment = line.partition("#")
        if not words.strip() and (header := find_header(comment)):
            raise PuzzleFormatError(
                f"expected a rule, found '# {header[0]}', which belongs above a board; here the "
                "option --layout names its blocks",
                source=source,
                line=number,
            )
        if words := words.strip():
            if depth > 0:
                found[-1] = (found[-1][0], f"{found[-1][1]}; {words}")
            else:
                found.append((number, words))
            depth = max(depth, 0) + open_brackets(words)
    return found


def board_with_rules(
    lines: Iterable[tuple[int | None, str]], layout: Layout, source: str | None = None
) -> Puzzle:
    """The empty board with the rules, blocks and extra houses that lines of text describe.

    Lines have their numbers, which messages about them name; or None.

    Raises:
        PuzzleFormatError: a line is no rule, or does not fit the board.
    """
    board = empty_board(layout)
    for number, line in lines:
        with adding_error_place(source=source, line=number):
            board = with_rule_line(board, line)
    return board


def rule_lines(puzzle: Puzzle) -> list[str]:
    """The lines that define a puzzle's irregular blocks, extra houses and rules."""
    return [*layout_lines(puzzle.layout), *(rule.text for rule in puzzle.rules)]


def layout_lines(layout: Layout) -> list[str]:
    """The lines that define a layout's irregular blocks and extra houses."""
    n = layout.column_count
    lines: list[str] = []
    if layout.regions is not None:
        if len(layout.blocks) > len(_REGION_SYMBOLS):
            raise PuzzleFormatError(f"more than {len(_REGION_SYMBOLS)} regions cannot be written")
        signs = "".join("." if r < 0 else _REGION_SYMBOLS[r] for r in layout.regions)
        region_text = (
            " ".join(signs[i : i + n] for i in range(0, len(signs), n)) if signs else "none"
        )
        lines.append(f"regions {region_text}")
    lines += ["house " + " ".join(map(layout.cell_name, house)) for house in layout.extra]
    return lines


_CELL_TEXT = re.compile(r"\{\w*\}|\S")


def _parse_group_digits(text: str, layout: Layout) -> list[int]:
    """Parse a line such as ``D 5..{12}.``: the candidates of all cells, few only in that group.

    It has a text for each cell of the group: a digit, an open-cell symbol, candidates in braces.
    """
    name, signs = (*text.strip().split(maxsplit=1), "", "")[:2]
    cells = [c for c, p in enumerate(layout.places) if getattr(p, "group", "") == name.upper()]
    texts = _CELL_TEXT.findall(signs.replace(",", " "))
    if not cells or len(texts) != len(cells):
        known = ", ".join(group.text for group in layout.groups) or "none"
        raise PuzzleFormatError(
            f"cells: expected the digits of {len(cells)} cells {name}, found {len(texts)}"
            if cells
            else f"cells: expected cells outside the grid ({known}), found {name[:20]!r}"
        )
    masks = list(layout.masks)
    for cell, written in zip(cells, texts, strict=True):
        if written not in BLANKS or written in layout.symbols:
            digits = [layout.symbols.find(sign) for sign in written.strip("{}").upper()]
            if min(digits, default=0) < 0:
                what = f"digits {layout.values[0]}-{layout.values[-1]}"
                raise PuzzleFormatError(
                    f"expected {what}, found {show_symbol(written)}", cell=layout.cell_name(cell)
                )
            masks[cell] = sum(1 << digit for digit in digits)
    return masks


def _with_layout(puzzle: Puzzle, layout: Layout) -> Puzzle:
    return Puzzle(puzzle.cells, layout, puzzle.candidates, puzzle.rules)


def _parse_regions(text: str, layout: Layout) -> tuple[int, ...]:
    """Parse one symbol per cell into block numbers (-1 for ``.``); () if the text is ``none``."""
    signs = "".join(text.replace(",", " ").split())
    if signs.lower() in ("none", ""):
        return ()
    if len(signs) != layout.grid_cell_count:
        raise PuzzleFormatError(
            f"regions: expected {layout.grid_cell_count} symbols, one a cell, found {len(signs)}"
        )
    names = {sign: i for i, sign in enumerate(dict.fromkeys(signs.replace(".", "")))}
    return tuple(names.get(sign, -1) for sign in signs)
