"""What a text that is no board looks like, by name, so that a message can say it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bddsudoku.puzzle.sudoku.layout import SMALLEST
from bddsudoku.puzzle.sudoku.text.rows import Row
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, show

TAKEN = "a board is n² symbols on one line, a grid of n lines, lists in brackets or an HTML table"
"""What is taken, in half a sentence."""

_FORMS: tuple[tuple[str, str], ...] = (
    (r"https?://", "a link; the puzzle is elsewhere"),
    (r"(scl|scf|ctc)[A-Za-z0-9]{8}", "a SudokuPad export (compressed)"),
    (r"SumoCue\w*", "a SumoCue code (killer or jigsaw), whose rules cannot be read yet"),
    (r"\d+x\d+(:\w?)+:", "a killer or jigsaw code, whose rules cannot be read yet"),
    (r"<\?xml|<opensudoku|<sudoku", "XML"),
    (r"<svg", "a picture (SVG)"),
    (r"<", "HTML or XML"),
    (r"\\(begin|documentclass|hline|usepackage|setsudoku)|.*&.*\\\\", "LaTeX"),
    (r"%PDF", "a PDF document"),
    (r"\{\\rtf", "a document in rich text (RTF)"),
    (r"[\[{]\s*([\"']\s*\w+\s*[\"'])\s*:", "JSON"),
    (r".*\breshape\s*\(\s*\(/|.*\(/.*/\)", "Fortran, which counts columns first"),
    (r".*\bmatrix\s*\(\s*c\s*\(", "R, which counts columns first"),
)  # fmt: skip
_VAGUE: tuple[tuple[str, str], ...] = (
    (r"(import|from|def|class|for|if|while|return|using|package|public|let|var|const|print)\b"
     r"|#include|.*[;{}]\s*$", "program text"),
)  # fmt: skip
MOST_IN_BRACKETS = 1_000_000
"""Characters within one pair of brackets."""
_FRAGMENT = 4
"""So many brackets and quotes are no slip in a grid."""
_MAGIC = (
    (b"\x1f\x8b", "compressed data (gzip)"),
    (b"BZh", "compressed data (bzip2)"),
    (b"\xfd7zXZ", "compressed data (xz)"),
    (b"\x28\xb5\x2f\xfd", "compressed data (zstandard)"),
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet (.xlsx, .ods); export it as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or document (.xls, .doc); export it as CSV"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"SQLite format", "a database (SQLite)"),
)


def is_words(row: Row) -> bool:
    """Whether most of a line is neither a digit nor an open cell."""
    return 2 * sum(s in BLANKS or s.isdigit() for s in row.symbols) < len(row.symbols)


def form_of(text: str) -> str | None:
    """What the beginning of a text looks like: half a sentence, or None."""
    return _named(text, _FORMS) or _named(text, _VAGUE)


def _named(text: str, forms: Sequence[tuple[str, str]]) -> str | None:
    return next((name for p, name in forms if re.match(p, text.strip(), re.IGNORECASE)), None)


def form_of_bytes(start: bytes) -> str | None:
    """What kind of file begins with these bytes, where that is no text."""
    return next((name for magic, name in _MAGIC if start.startswith(magic)), None)


def what_else(rows: Sequence[Row]) -> str | None:
    """What rows that cannot be read are instead of a board; None when they may well be one."""
    row = rows[0]
    text = row.text.strip()
    symbols = "".join(r.symbols for r in rows)
    likely = sum(s in BLANKS or s.isdigit() for s in symbols)
    form = _named(text, _FORMS)
    if form is None and 2 * likely < len(symbols):
        form = _named(text, _VAGUE)
    if form is not None:
        return f"this looks like {form}; {TAKEN}"
    if sum(s in "[](){}\"'" for s in symbols) >= _FRAGMENT:
        return f"this looks like a part of a list; {TAKEN}"
    if labels := _labels(rows):
        return f"the rows seem to begin with labels ({labels}): leave them out"
    words = sum(len(t) >= 3 and t.isalpha() for r in rows for t in r.tokens)
    if 5 * likely < len(symbols) and (words >= 2 * len(rows) or len(rows) == 1):
        return f"expected a puzzle, found {show(text)}; {TAKEN}"
    return None


def not_a_board(rows: Sequence[Row]) -> str:
    """Why rows of these lengths are no board."""
    if (other := what_else(rows)) is not None:
        return other
    text = rows[0].text.strip()
    count = len(rows[0].symbols)
    found = f"{count} symbol{'s' * (count > 1)} {show(text)}"
    if len(rows) > 1:
        widths = sorted({len(r.symbols) for r in rows})
        spread = f"{widths[0]} to {widths[-1]}" if len(widths) > 1 else f"{widths[0]}"
        found = f"{len(rows)} lines of {spread} symbols"
    return f"found {found}; boards are 4x4 to 25x25, n lines of n symbols or n² on one line"


def _labels(rows: Sequence[Row]) -> str:
    """The first labels when every row begins with its number or letter; "" when not so."""
    if all(len(r.tokens) == len(rows) for r in rows):
        return ""  # a column of the board
    firsts = [r.tokens[0].rstrip(".:)") for r in rows if len(r.tokens) > SMALLEST]
    for labels in ("123456789", "012345678", "ABCDEFGHI", "abcdefghi"):
        for start in (0, 1):
            here = firsts[start : start + 9]
            if len(here) >= SMALLEST and "".join(here) == labels[: len(here)]:
                return f"{here[0]}, {here[1]}, …"
    return ""
