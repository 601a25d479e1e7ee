"""Alphabets of puzzles: which character is which digit, and look-alikes of characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number, short_repr
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, VALUE_SYMBOLS, Layout, cell_name

BLANKS = ".0_*-?"
"""Symbols of open cells (``X`` as well, where it is no digit)."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_BAD = 255


_LOOKALIKES = (
    ("・･·•∙⋅□■▢◻◼◽◾▫▪☐⬜⬛🔲🔳🟦⬚", "."),
    ("−–—‐‑‒―", "-"),
    ("\u00a0\u3000\u2002\u2003\u2007\u2009\u202f", " "),
    # characters without width, and those that turn 5 into 5️⃣
    ("\ufeff\u200b\u2060\u200e\u200f\ufe0e\ufe0f\u20e3", ""),
    ("×", "x"),
    ("、", ","),
    ("“”„‟", '"'),
    ("‘’‚‛", "'"),
    # Box drawing, U+2500 … U+257F: verticals separate cells, all others are borders.
    (map(chr, range(0x2500, 0x2580)), "+"),
    ("│┃║┆┇┊┋╎╏╵╷╹╻╽╿", "|"),
    ("─━═┄┅┈┉╌╍╴╶╸╺╼╾", "="),
)


def _lookalike_replacements() -> dict[int, str]:
    """The ASCII replacement of each look-alike character, for ``str.translate``."""
    table = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    for characters, sign in _LOOKALIKES:
        table.update(dict.fromkeys(map(ord, characters), sign))
    for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, *range(0x1D7CE, 0x1D800, 10)):
        table.update({zero + d: str(d) for d in range(10)})  # decimal digits of other scripts
    return table


_FOLDING = _lookalike_replacements()


def fold_lookalikes(text: str) -> str:
    """The text with full-width and typographic look-alikes replaced by ASCII characters."""
    return text if text.isascii() else text.translate(_FOLDING)


def show_symbol(symbol: str) -> str:
    """A short, printable form of a character or token for error messages."""
    if len(symbol) == 1:
        code = ord(symbol)
        if 0xDC80 <= code <= 0xDCFF:
            return f"byte 0x{code - 0xDC00:02X}, which is not UTF-8"
        if not symbol.isprintable():
            return f"U+{code:04X}"
    symbol = "".join(c if c.isprintable() else "\ufffd" for c in symbol)
    return repr(symbol if len(symbol) <= 24 else symbol[:24] + "…")


_LINK = re.compile(
    r"""(?:https?://)?(?:[\w-]+\.)*(?:f-puzzles\.com|sudokupad\.app|crackingthecryptic\.com)(?:[/?]|$)
    | (?:fpuz(?:zles)?|sc[lf]|ctc)?N4Ig\S | fpuz(?:zles)?N4 | bddsudoku:""",
    re.VERBOSE,
)
"""Beginnings of links; ``N4Ig`` is LZString's form of the first letters of JSON."""


def is_link(text: str) -> bool:
    """Whether a text begins like a link to f-puzzles or SudokuPad, its data, or a link of ours."""
    return _LINK.match(text) is not None


_ISS = re.compile(
    r"""\.+[A-Za-z]*~ | (?:\.(?:Or|And|[A-Z][a-z][A-Za-z]{3,}))+(?:[.~\s]|$)
    | (?:https?://[^\s?\#]*|sigh\.github\.io/[^\s?\#]*)?[?\#](?:\S*&)?q=(?:\.|%2E)
    | (?:https?://)?sigh\.github\.io/Interactive-Sudoku-Solver""",
    re.VERBOSE,
)
"""Beginnings of Interactive-Sudoku-Solver's strings, and links with one."""


def is_iss(text: str) -> bool:
    """Whether a text begins like one of Interactive-Sudoku-Solver's strings or links."""
    return _ISS.match(text) is not None


def goes_on_iss(text: str) -> bool:
    """Whether a line below one of Interactive-Sudoku-Solver's strings continues it.

    It begins with a dot and a constraint's name or a tilde; a line of cells that begins with a dot
    has neither.
    """
    return text[:1] == "." and (is_iss(text) or text.startswith(".End"))


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The symbols of digits and open cells on boards of one size.

    The table has 256 bytes for ``bytes.translate``: ASCII character → digit, 0 when open, 255 when
    neither.
    """

    n: int
    title: str
    """The symbols in messages, such as ``1-G``."""
    table: bytes

    def digits(self, symbols: str) -> bytes | None:
        """The digits of a string of symbols, one byte each; None if a symbol is unknown."""
        if not symbols.isascii():
            return None
        found = symbols.encode("ascii").translate(self.table)
        return None if _BAD in found else found

    def unknown_symbol_error(
        self, symbols: str, lines: Sequence[int], columns: int
    ) -> PuzzleFormatError:
        """The error for the first unknown symbol; ``lines`` has the line of each symbol."""
        at = next(i for i, symbol in enumerate(symbols) if self.digits(symbol) is None)
        return PuzzleFormatError(
            f"expected {self.title} or an open cell (. 0 _ * -), found {show_symbol(symbols[at])}",
            line=lines[at],
            cell=cell_name(at % self.n**2, columns),
        )


_RANGE = re.compile(r"([0-9A-Z])\s*(?:-|\.\.|…|to)\s*([0-9A-Z])", re.IGNORECASE)
_ALL = "0123456789" + LETTERS


def _expand_ranges(convention: str, n: int) -> str:
    """The n symbols that a text gives as a range such as ``0-F`` or as a complete list."""
    convention = convention.strip()
    if match := _RANGE.fullmatch(convention):
        first, last = _ALL.index(match[1].upper()), _ALL.index(match[2].upper())
        symbols = _ALL[first : last + 1]
    else:
        symbols = re.sub(r"[\s,]+", "", convention).upper()
    if len(symbols) != n or len(set(symbols)) != n or not set(symbols) <= set(_ALL):
        raise PuzzleFormatError(
            f"expected {n} symbols such as {SYMBOLS[0]}-{SYMBOLS[n - 1]}, "
            f"found {show_symbol(convention)}"
        )
    return symbols


@lru_cache(maxsize=128)
def make_alphabet(n: int, convention: str | None = None) -> Alphabet:
    """The alphabet of a board of n digits.

    The convention is None for 1-9, A, B, …; otherwise ``first-last`` or all n symbols in order.
    """
    symbols = SYMBOLS[:n] if convention is None else _expand_ranges(convention, n)
    table = bytearray([_BAD]) * 256
    for blank in BLANKS + "Xx":
        table[ord(blank)] = 0
    for digit, symbol in enumerate(symbols, 1):
        table[ord(symbol)] = table[ord(symbol.lower())] = digit
    return Alphabet(n, f"{symbols[0]}-{symbols[-1]}", bytes(table))


def refuse_ambiguous_zero(cells: Iterable[str], n: int) -> None:
    """Raise an error if a board's cells do not tell whether 0 is a digit or an open cell."""
    present = {cell.upper() or "." for cell in cells}
    blanks = {cell for cell in present if not cell.strip(BLANKS + "X") or cell == "-1"}
    zeros = {cell for cell in blanks if not cell.strip("0")}
    if zeros and blanks - zeros and present.isdisjoint((SYMBOLS[n - 1], str(n))):
        other = min(blanks - zeros).replace("-1", ".")
        raise PuzzleFormatError(
            f"both 0 and {other} occur on this {n}x{n} board, {SYMBOLS[n - 1]} does "
            f"not: 0 may be a digit or an open cell; say '# symbols: 0-{_ALL[n - 1]}' or "
            f"'# symbols: 1-{SYMBOLS[n - 1]}'"
        )


def token_digit(token: str, values: range) -> int | None:
    """The place among a board's digits, from 1, of what stands in a cell of its own.

    It is 0 for an open cell, None for anything else. Only boards with digits from 10 on have texts
    of two characters (``07`` and ``..`` among them).
    """
    longest = 2 if values[-1] >= 10 else 1
    if token.isascii() and token.isdigit() and len(token) <= longest:
        value = int(token)
        return value - values[0] + 1 if value in values else None if value else 0
    if len({*token}) == 1 and token[0] in BLANKS + "Xx" and (len(token) <= longest):
        return 0
    value = VALUE_SYMBOLS.find(token.upper()) if len(token) == 1 else -1
    return value - values[0] + 1 if value in values else None


@lru_cache(maxsize=64)
def usual_layout(n: int) -> Layout:
    """The cached layout of side ``n``, with its usual blocks or, if it has none, rows as blocks."""
    return Layout.of_side_or_rows(n)


def expected_error(what: str, value: object) -> PuzzleFormatError:
    """The error, not yet raised, for a value: it says what was expected and what was found."""
    if isinstance(value, str):
        found = show_symbol(value) if value else "nothing"
    elif isinstance(value, dict):
        found = "an object"
    elif isinstance(value, list):
        found = f"a list of {len(value)}" if value else "an empty list"
    else:
        found = "null" if value is None else short_repr(value).lower()
    return PuzzleFormatError(f"expected {what}, found {found}")


def read_number(value: object) -> int:
    """The whole number that a text or a JSON value is; an error if it is none."""
    number = parse_whole_number(value.strip()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise expected_error("a number", value)
    return number
