"""Formatting of a report's sentences, tables and lists as text, HTML and data frames.

The content of a section is a list of parts, which are plain data. :func:`section_parts_to_text`
writes them for a terminal (tables by tabulate), :func:`section_parts_to_html` for a page; frames
are for notebooks. ``Any`` stands for what a cell of a table holds, and for pandas, which may be
missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from bddsudoku.argument_types import check_types
from bddsudoku.number_text import from_decimal, short_repr
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, VALUE_SYMBOLS

CROSS = "×"
"""Sign in place of a number that is unknown because a limit was reached."""
_MAX_LISTED = 24
_MAX_LISTED_HTML = 600
_MAX_IN_SENTENCE = 12


def number_or_dash(number: int | None) -> str:
    """Write a number with commas: ``2,284,505``; a dash for None."""
    return "–" if number is None else f"{number:,}"


def count_or_cross(count: str | int | None) -> str:
    """Write a count with commas: ``2,284,505``; a cross for None, an unknown count."""
    return CROSS if count is None else number_or_dash(int(count))


def format_decimal(number: str) -> str:
    """Put commas into a decimal fraction: ``2284.50`` becomes ``2,284.50``."""
    whole, dot, places = number.partition(".")
    return f"{int(whole):,}{dot}{places}"


def solution_count_text(count: int) -> str:
    """Write a number of solutions: ``no solution``, ``1 solution``, ``2,284,505 solutions``."""
    return f"{count:,} solution{'' if count == 1 else 's'}" if count else "no solution"


def format_hint(hint: Mapping[str, Any]) -> str:
    """Write a hint, a mapping with ``cell`` and ``digit``, as ``r1c2=3``."""
    return f"{hint['cell']}={VALUE_SYMBOLS[hint['digit']]}"


def format_first_items(items: Sequence[str]) -> str:
    """Write the first 24 items with commas between them, and how many more there are."""
    more = f" … and {len(items) - _MAX_LISTED} more" if len(items) > _MAX_LISTED else ""
    return (", ".join(items[:_MAX_LISTED]) or "none") + more


_NUMBERS = re.compile(r"[-+\d.,e%±×–≥ ]*")


def _text_columns(rows: Iterable[Sequence[Any]]) -> list[bool]:
    """Which columns have words, and are aligned left; others have numbers."""
    return [
        any(_NUMBERS.fullmatch(str(content)) is None for content in column)
        for column in zip(*rows, strict=True)
    ]


def format_table(rows: Iterable[Sequence[Any]], headers: Sequence[str]) -> str:
    """Format a table with tabulate; the contents of cells are not changed.

    Args:
        rows: contents of the cells.
        headers: one for each column.
    """
    shown = [[str(content) for content in row] for row in rows]
    aligned = ["left" if is_text else "right" for is_text in _text_columns(shown)]
    return tabulate(shown, headers=list(headers), colalign=aligned, disable_numparse=True)


class Table(NamedTuple):
    """A table as data, for text and HTML.

    Attributes:
        caption: on a page above the table, and its name for screen readers.
        headers: one for each column.
        rows: contents of the cells; the first of a row is its heading.
        highlighted_rows: numbers of the rows that a page highlights.
        title: heading of a table that can be folded on a page; printed in the text, too.
        page_only: whether the text leaves the table out.
    """

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[Any]]
    highlighted_rows: Sequence[int] = ()
    title: str = ""
    page_only: bool = False

    def text(self) -> str | None:
        """The table for a terminal."""
        if self.page_only:
            return None
        shown = format_table(self.rows, self.headers)
        return f"{self.title}:\n{shown}\n" if self.title else shown

    def html(self) -> str:
        """The table for a page; one that is too wide scrolls sideways."""
        aligned_left = _text_columns(self.rows or [self.headers])

        def cells(tag: str, row: Sequence[Any], scope: str) -> Iterator[str]:
            for i, content in enumerate(row):
                kind = ' class="t"' if aligned_left[i] else ""
                name = tag if i else "th"
                heading = f' scope="{scope}"' if name == "th" else ""
                yield f"<{name}{heading}{kind}>{escape(str(content))}</{name}>"

        body = "".join(
            ('<tr class="mark">' if i in self.highlighted_rows else "<tr>")
            + "".join(cells("td", row, "row"))
            + "</tr>"
            for i, row in enumerate(self.rows)
        )
        caption = escape(self.caption)
        shown = (
            f'<section class="scroll" tabindex="0" aria-label="{caption}">'
            f'<table class="data"><caption>{caption}</caption>'
            f"<thead><tr>{''.join(cells('th', self.headers, 'col'))}</tr></thead>"
            f"<tbody>{body}</tbody></table></section>"
        )
        title = f"<details open><summary>{self.title}</summary>{shown}</details>"
        return title if self.title else shown


class Listing(NamedTuple):
    """A title and a list of items, of which text and HTML show a limited number."""

    title: str
    items: Sequence[str]

    def text(self) -> str:
        """The title and the first items."""
        return f"{self.title}: {format_first_items(self.items)}"

    def html(self) -> str:
        """Few items in a sentence, many in a folded element."""
        title, items, most = escape(self.title), self.items, _MAX_LISTED_HTML
        if len(items) <= _MAX_IN_SENTENCE:
            return f"<p>{title}: {escape(', '.join(items) or 'none')}.</p>"
        more = f" … and {len(items) - most:,} more" if len(items) > most else ""
        return (
            f"<details><summary>{title}: {len(items):,}</summary>"
            f"<p>{escape(', '.join(items[:most]))}{more}</p></details>"
        )


class PerMedium(NamedTuple):
    """A part of a section with its own text and its own HTML; a missing form shows nothing."""

    words: str | None = None
    draw: Callable[[], str] = str

    def text(self) -> str | None:
        """The text, if there is one."""
        return self.words

    def html(self) -> str:
        """The HTML, which is made only where it is asked for."""
        return self.draw()


SectionPart = str | Table | Listing | PerMedium


def section_parts_to_text(parts: Iterable[SectionPart]) -> str:
    """Write the parts of a section as text for a terminal, without a final newline."""
    texts = (part if isinstance(part, str) else part.text() for part in parts)
    return "\n".join(text for text in texts if text is not None)


def section_parts_to_html(parts: Iterable[SectionPart]) -> str:
    """Write the parts of a section as HTML."""
    return "".join(
        part.html() if not isinstance(part, str) else f"<p>{escape(part.strip())}</p>"
        for part in parts
        if part != ""
    )


# -- frames ----------------------------------------------------------------------------------------


def members_of(answer: Any) -> Mapping[str, Any]:
    """The members of an answer (:class:`bddsudoku.solver.Hint` and the like) as JSON values."""
    if not isinstance(answer, Mapping) and not hasattr(answer, "to_dict"):
        raise TypeError(f"expected an answer, found {short_repr(answer)}")
    return answer if isinstance(answer, Mapping) else answer.to_dict()


@check_types
def to_frame(answer: Any, columns: Sequence[str] | None = None, symbols: str = SYMBOLS) -> Any:
    """Make a ``pandas.DataFrame`` of an answer; where pandas is missing, a list of dictionaries.

    The rows of a frame are numbered from 1.
    Counts stay exact: columns with integers past 64 bits hold Python integers (dtype object).

    Args:
        answer: one of these, whose rows are

            * marginals, an array (rows, columns, digits): a row for each digit that a cell has in
              some solution: ``row``, ``column``, ``digit`` (as written), ``count``;
            * counts of several puzzles, an array or any integers: ``puzzle`` from 1, ``count``;
            * the answer of ``clue_ablation``, ``hint_impact`` or ``rule_impact``: a row for each
              hint and rule that is removed: ``kind``, ``removed``, ``count``, ``redundant``;
            * the answer of ``check``: a row for each engine;
            * results or steps of a build (dataclasses): a row for each, a column for each field;
            * mappings: a row for each.
        columns: names of the columns in their order; by default all.
        symbols: of marginals, those of the digits (``layout.symbols``), where they are not 1 to n.

    Raises:
        TypeError: the answer is none of these.
    """
    records = [dict(row) for row in _table_rows(answer, symbols)]
    if columns is not None:
        records = [{key: row.get(key) for key in columns} for row in records]
    try:
        import pandas as pd
    except ImportError:
        return records
    return pd.DataFrame(records, range(1, len(records) + 1), columns)


def _table_rows(answer: Any, symbols: str) -> Iterable[Mapping[str, Any]]:
    """Make table rows from an answer of any kind that :func:`to_frame` accepts."""
    if isinstance(answer, np.ndarray) and answer.ndim == 3:
        rows = ((r, c, symbols[d - 1], k) for r, c, d, k in _marginal_rows(answer))
        return [dict(zip(_MARGINAL_COLUMNS, row, strict=True)) for row in rows]
    if isinstance(answer, Mapping) or hasattr(answer, "to_dict"):
        return _rows_of_record(members_of(answer))
    return [_table_row(item, number) for number, item in enumerate(answer, 1)]


def _rows_of_record(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make table rows from a record: one for each engine's run, or each removed rule or hint."""
    if "runs" in record:
        return [{**run, "count": _count_from_text(run["count"])} for run in record["runs"]]
    if "without" not in record:
        raise TypeError(f"expected an answer with rows, found a record of {', '.join(record)}")
    removed = [("rule", row["rule"], row) for row in record.get("rules", ())]
    removed += [("hint", format_hint(row), row) for row in record["without"]]
    return [
        {
            "kind": kind,
            "removed": name,
            "count": _count_from_text(row["count"]),
            "redundant": row["redundant"],
        }
        for kind, name, row in removed
    ]


def _table_row(item: Any, number: int) -> Mapping[str, Any]:
    """Make a table row from a mapping, a dataclass, or the solution count of puzzle ``number``."""
    if isinstance(item, Mapping):
        return item
    if is_dataclass(item):
        return {field.name: getattr(item, field.name) for field in fields(item) if field.repr}
    if isinstance(item, int | np.integer):
        return {"puzzle": number, "count": int(item)}
    raise TypeError(f"expected a row of an answer, found {item!r}")


def _count_from_text(count: str | None) -> int | None:
    return None if count is None else from_decimal(count)


_MARGINAL_COLUMNS = ("row", "column", "digit", "count")


def _marginal_rows(counts: NDArray[Any]) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, column, digit (all from 1) and count for each marginal that is not 0."""
    for r, c, d in np.argwhere(counts != 0).tolist():
        yield r + 1, c + 1, d + 1, int(counts[r, c, d])


def marginals_csv(
    counts: NDArray[Any], least_digit: int = 1, names: Sequence[str] | None = None
) -> str:
    """Write the marginals above 0 as CSV ``row,column,digit,count``, rows and columns from 1.

    ``least_digit`` is the least digit of the board. If the cells have ``names``, the columns are
    ``cell,digit,count``.
    """
    heads = _MARGINAL_COLUMNS if names is None else ("cell", *_MARGINAL_COLUMNS[2:])
    rows = (
        (*((r, c) if names is None else (names[c - 1],)), d - 1 + least_digit, k)
        for r, c, d, k in _marginal_rows(counts)
    )
    return "".join(",".join(map(str, row)) + "\n" for row in (heads, *rows))


@check_types
def marginals_table(
    counts: NDArray[Any], symbols: str = SYMBOLS, names: Sequence[str] | None = None
) -> str:
    """Write marginals as a table: a line for each cell, a column for each digit, a dot for 0.

    Args:
        counts: shape (rows, columns, digits), exact; or texts, empty for 0.
        symbols: those of the digits.
        names: those of the cells, by default ``r1c1``, ….
    """
    rows, columns, digits = counts.shape
    names = names or [f"r{r + 1}c{c + 1}" for r in range(rows) for c in range(columns)]
    lines = [
        [name, *((k if isinstance(k, str) else f"{int(k):,}") if k else "." for k in of_cell)]
        for name, of_cell in zip(names, counts.reshape(-1, digits), strict=True)
    ]
    return format_table(lines, ["cell", *symbols[:digits]])
