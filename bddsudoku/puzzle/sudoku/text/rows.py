"""Lines become rows of fields: quotes, bars and gaps come off, borders are told from cells.

Rows whose open cells were left blank are filled in by :func:`placed`: every cell is told by its
place in the line. Two forms, each taken only where no other reading is possible:

* every cell between bars of its own (``| 5 | 3 |   | | 7 |``; Markdown tables, their header and
  the line of dashes below it included);
* blocks between bars at the same places in every row (``|5 3  |  7  |     |``, as py-sudoku
  prints), or no bars: n lines of n symbols (or 2n - 1, every second a space), the first and last
  column in use or every line padded to its end.

Lines that are no rows are told by name (:func:`what_else`), so that a message can say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, SYMBOLS, has_usual_blocks
from bddsudoku.puzzle.sudoku.text.cells import Resolver
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, LETTERS, alphabet, number_of, show

_DRAWN = frozenset("+=:'`")
"""Signs of borders, and of nothing else."""
_BARS = frozenset("|! \t")
_BORDER = _BARS | _DRAWN
_FRAMED = _BORDER | {*"-.*,"}
_FRAME = re.compile(r"[.*,]-[-.*,]*-[.*,]|[.*,]-+[.*,]")
_BAR = re.compile(r"[|!]")
_GAPS = re.compile(r"[ \t,;]+")
_AROUND_A_FIELD = ("", *",;|! \t")
_STRING = re.compile(
    r"""(?:[A-Za-z_]\w*[ \t]*[:=][ \t]*)?[rbuf]{0,2}"""
    r"""(?:"{1,3}([^"]*)"{1,3}|'{1,3}([^']*)'{1,3}|`([^`]*)`)"""
    r"""[ \t]*[,;+\\)]*[ \t]*(?:\#.*)?"""
)
_OPEN = frozenset(BLANKS + "xX")


@dataclass(eq=False, slots=True)
class Row:
    """A line that holds cells, or may hold them.

    Attributes:
        line: line number from 1.
        text: the line after folding.
        groups: tokens between vertical bars, one list for each stretch; fields left empty are "".
        doubtful: only dashes (and frame corners): a border, or open cells written as dashes.
        hollow: only bars and spaces: a border, or a row of open cells left blank.
        tokens: all tokens in order.
        symbols: all symbols in order, an empty field as an open cell.
    """

    line: int
    text: str
    groups: list[list[str]]
    doubtful: bool = False
    hollow: bool = False
    tokens: list[str] = field(init=False)
    symbols: str = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = [t for group in self.groups for t in group]
        self.symbols = "".join([t or "." for t in self.tokens])

    @property
    def is_bare(self) -> bool:
        """True when no vertical bar parts the cells."""
        return "|" not in self.text and "!" not in self.text

    @property
    def is_gapped(self) -> bool:
        """True when spaces, and nothing else but bars, stand between the symbols."""
        text = self.text.strip(" ")
        return " " in text and not any(c in text for c in ",;\t")

    @property
    def columns(self) -> tuple[int, ...]:
        """Where in the line its symbols stand."""
        return tuple(i for i, c in enumerate(self.text) if c not in _BARS)

    @property
    def is_in_numbers(self) -> bool:
        """Whether it can be a row of numbers, some of them with two digits."""
        count = len(self.tokens)
        return 10 <= count <= LARGEST and len(self.symbols) != count and are_numbers([self], count)


def are_numbers(rows: Sequence[Row], n: int) -> bool:
    """Whether every token of some rows is a number or open on an n×n board."""
    return all(number_of(t or ".", n) is not None for r in rows for t in r.tokens)


def undressed(text: str) -> str:
    """A line without the quotes of a string or of a spreadsheet's fields."""
    if ('"' in text or "'" in text or "`" in text) and any(map(str.isalnum, text)):
        if match := _STRING.fullmatch(text.strip(" \t")):
            text = (match[1] or match[2] or match[3] or "").removesuffix("\\n")
        else:
            for mark in "\"'":
                if text.count(mark) >= 4 and _stands_around_fields(text, mark):
                    text = text.replace(mark, "")
                    break
    return text


def _stands_around_fields(text: str, mark: str) -> bool:
    """Whether quotes stand around whole fields only: behind a separator, and before one."""
    places = [at for at, c in enumerate(text) if c == mark]
    return len(places) % 2 == 0 and all(
        (text[at + 1 : at + 2] if closes % 2 else text[at - 1 : at]) in _AROUND_A_FIELD
        for closes, at in enumerate(places)
    )


def stretches(text: str) -> list[str]:
    """What stands between single vertical bars; outer bars bound and do not part."""
    parts = _BAR.split(text.strip(" \t"))
    if len(parts) > 1 and not parts[0]:
        del parts[0]
    if len(parts) > 1 and not parts[-1]:
        del parts[-1]
    return parts


def row_of(text: str, line: int) -> Row | None:
    """A folded line as cells, a comment at its end cut off; None when it is a border."""
    if "#" in text:
        text = text[: text.index("#")].rstrip(" \t")
    chars = {*text}
    if chars == {"\t"}:
        return Row(line, text, [[""] * (len(text) + 1)])
    if chars <= _BARS and " " in chars and len(stretches(text)) > 1:
        return Row(line, text, [[]], hollow=True)
    if chars <= _BORDER:
        return None
    doubtful = False
    if "-" in chars and chars <= _FRAMED:
        if chars & _DRAWN:
            return None
        if chars & {*".*,"}:
            doubtful = _FRAME.fullmatch(text.strip(" \t")) is not None
        else:
            # Single dashes between bars are cells; a border's dashes touch.
            doubtful = "--" in text or not chars & {*"|!"}
    fields = None if _BAR.search(text) else _fields(text)
    groups = [[f for f in _GAPS.split(part) if f] for part in _BAR.split(text)]
    return Row(line, text, [g for g in groups if g] if fields is None else [fields], doubtful)


def _fields(text: str) -> list[str] | None:
    """The fields of a line that leaves some of them empty (``5,3,,,7``); None for other lines."""
    for separator in ",;\t":
        if separator in text:
            fields = [f.strip(" \t") for f in text.split(separator)]
            is_whole = len(fields) >= 4 and "" in fields and not any(map(_GAPS.search, fields))
            return fields if is_whole else None
    return None


# Open cells left blank


def are_irregular(rows: Sequence[Row]) -> bool:
    """Whether open cells may have been left blank.

    So it is when spaces part the symbols of some rows, and not of all rows at the same places, and
    no symbol stands for an open cell; but not where the rows fit a board as they are.
    """
    if not any(r.is_gapped for r in rows) or any(_OPEN & {*r.symbols} for r in rows):
        return False
    counts = {len(r.tokens) for r in rows}
    if len(counts) == 1 and counts.pop() >= 10:
        return False  # numbers, some of them of two digits
    if len({r.columns for r in rows}) == 1:
        return False
    n = len(rows[0].symbols)
    if not has_usual_blocks(n) or any(len(r.symbols) != n for r in rows):
        return True
    return alphabet(n).digits("".join(r.symbols for r in rows)) is None


Cells = list[list[list[str]]]
"""Row by row, stretch by stretch between bars, cell by cell; "" for an open one."""


def placed(rows: Sequence[Row], resolver: Resolver, headed: bool) -> list[Row] | None:
    """The rows with every cell in its place; None when blanks are no open cells.

    Args:
        rows: in order, hollow ones among them.
        resolver: with what was asked for.
        headed: the only border line within the rows stands after the first, as in Markdown.

    Returns:
        New rows; a table's header is left out.
    """
    if any(r.is_bare != rows[0].is_bare or {*",;\t"} & {*r.text} for r in rows):
        return None
    cells = _cut_at_places(rows, resolver)
    bar = "" if rows[0].is_bare else "|"
    if bar and (fields := _between_bars(rows, resolver, headed)) is not None:
        if cells is not None and len(cells[0][0]) > 1:
            return None  # one cell between two bars, or several: both fit
        rows, cells = fields
    if cells is None:
        return None
    return [
        Row(row.line, bar + bar.join(" ".join(c or "." for c in g) for g in groups) + bar, groups)
        for row, groups in zip(rows, cells, strict=True)
    ]


def _sides(rows: int, parts: int, resolver: Resolver) -> Iterator[int]:
    """Sides of boards of which so many rows may be made, each in so many parts."""
    for n in range(SMALLEST, LARGEST + 1):
        if rows % n == 0 and n % parts == 0 and resolver.fits(n):
            yield n


def _between_bars(
    rows: Sequence[Row], resolver: Resolver, headed: bool
) -> tuple[Sequence[Row], Cells] | None:
    """Bars around every cell: the rows that are no header, and their cells."""
    parted = [[s.strip(" ") for s in stretches(row.text)] for row in rows]
    n = len(parted[0])
    if any(len(p) != n for p in parted) or n not in _sides(n, n, resolver):
        return None
    if headed:
        if len(rows) == n + 1 and _is_header(parted[0]):
            rows, parted = rows[1:], parted[1:]
        elif len(rows) != n or not any(parted[0]):
            return None  # a row too many, or one that may be a header or a row of open cells
    cells = [s for p in parted for s in p]
    if len(rows) % n or max(map(len, cells)) > 1 + (n >= 10) or " " in "".join(cells):
        return None
    if not headed and all(cells):
        return None  # nothing is blank: the usual way
    return rows, [[[s] for s in p] for p in parted]


def _is_header(names: Sequence[str]) -> bool:
    """Whether the first row of a table names its columns, or names nothing."""
    text, symbols = "".join(names), SYMBOLS[: len(names)]
    return text in ("", symbols, LETTERS[: len(names)]) or any(
        len(name) > 1 or name.upper() not in symbols for name in names
    )


def _cut_at_places(rows: Sequence[Row], resolver: Resolver) -> Cells | None:
    """Rows cut at the same places, and at their bars where there are some."""
    full = [r for r in rows if not r.hollow]
    if any(_OPEN & {*r.symbols} for r in full):
        return None
    if len(full) == len(rows) and not are_irregular(rows):
        return None
    texts = [r.text.rstrip(" ") for r in rows]
    bars = [[i for i, c in enumerate(text) if c in "|!"] for text in texts]
    if any(b != bars[0] for b in bars):
        return None
    starts_open = not bars[0] or any(t[: bars[0][0]].strip(" ") for t in texts)
    ends_open = not bars[0] or any(t[bars[0][-1] + 1 :] for t in texts)
    if starts_open != ends_open or (ends_open and not _are_evenly_ended(rows)):
        return None
    edges = [-1, *bars[0], None] if starts_open else [*bars[0]]
    found: list[Cells] = []
    for n in _sides(len(rows), len(edges) - 1, resolver):
        width = n // (len(edges) - 1)
        schemes = _SCHEMES[: 2 if not bars[0] else None if n >= 10 else 4]
        for size, step, pad in schemes:
            at = range(pad, pad + step * width, step)
            length = at[-1] + size + pad
            if not bars[0] and not (n == len(rows) and _fills(rows, n, length, step)):
                continue
            cells = _cut(texts, edges, at, size, length)
            if cells is not None and cells not in found:
                found.append(cells)
    return found[0] if len(found) == 1 else None


_SCHEMES = ((1, 1, 0), (1, 2, 0), (1, 2, 1), (1, 3, 1), (2, 3, 0), (2, 3, 1))
"""Characters of a cell, characters from one cell to the next, spaces at a block's ends."""


def _cut(
    texts: Sequence[str], edges: Sequence[int | None], at: range, size: int, length: int
) -> Cells | None:
    """The cells of every block, when blocks have this length and nothing stands beside a cell."""
    out: Cells = []
    for text in texts:
        groups = []
        for left, right in pairwise(edges):
            assert left is not None
            block = text[left + 1 : right]
            if left == -1 and len(block) == length - at[0]:
                block = " " * at[0] + block  # the line may begin without a margin
            if right is None:
                block = block.ljust(length)
            cells = [block[i : i + size].strip(" ") for i in at]
            if len(block) != length or "".join(cells) != block.replace(" ", ""):
                return None
            groups.append(cells)
        out.append(groups)
    flat = [c for groups in out for group in groups for c in group]
    # a full grid that lost a cell or two is none of these
    return None if flat.count("") < len(flat) // len(out) else out


def _are_padded(rows: Sequence[Row]) -> bool:
    """Whether spaces fill the lines up to one length."""
    return len({len(r.text) for r in rows}) == 1


def _are_evenly_ended(rows: Sequence[Row]) -> bool:
    """Whether no line ends in spaces, or all of them at the same place: else some were lost."""
    return _are_padded(rows) or not any(r.text.endswith(" ") for r in rows)


def _fills(rows: Sequence[Row], n: int, length: int, step: int) -> bool:
    """Whether rows without bars are n digits and blanks, with gaps within.

    Some rows must have gaps, lest a full grid with a cell too few is taken for one of these.
    """
    used = max(len(r.text.rstrip(" ")) for r in rows)
    is_padded = length <= len(rows[0].text) < length + step and _are_padded(rows)
    is_spanned = used == length and any(r.text[0] != " " for r in rows)
    inner = sum(r.text.rstrip(" ")[::step].count(" ") for r in rows)
    return (
        used <= length
        and (is_padded or is_spanned)
        and inner >= n // 2
        and {*"".join(r.symbols for r in rows).upper()} <= {*SYMBOLS[:n]}
    )


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
    if sum(s in "[]()\"'" for s in symbols) >= _FRAGMENT:
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
