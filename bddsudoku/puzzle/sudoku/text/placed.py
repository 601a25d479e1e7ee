"""Rows whose open cells are left blank: every cell is told by its place in the line.

Three dresses, each taken only where no other reading is possible:

* every cell between bars of its own (``| 5 | 3 |   | | 7 |``; Markdown tables, their header and
  the line of dashes below it included);
* blocks between bars at the same places in every row (``|5 3  |  7  |     |``, as py-sudoku
  prints);
* neither: n lines of n symbols (or 2n - 1, every second a space), the first and last column in
  use or every line padded to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from bddsudoku.puzzle.sudoku.layout import LARGEST, SMALLEST, SYMBOLS, Layout, has_usual_blocks
from bddsudoku.puzzle.sudoku.text.lines import Row, stretches
from bddsudoku.puzzle.sudoku.text.symbols import BLANKS, alphabet

_DOUBLE = re.compile(r"([|!])[|!]+")
_PARTED = frozenset(",;\t")


_BLANKS = frozenset(BLANKS + "xX")


def are_irregular(rows: Sequence[Row]) -> bool:
    """Whether open cells may have been left blank.

    So it is when spaces part the symbols of some rows, and not of all rows at the same places, and
    no symbol stands for an open cell; but not where the rows fit a board as they are.
    """
    if not any(r.gapped for r in rows) or any(not _BLANKS.isdisjoint(r.symbols) for r in rows):
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


def placed(rows: Sequence[Row], layout: Layout | None, headed: bool) -> list[Row] | None:
    """The rows with every cell in its place; None when blanks are no open cells.

    Args:
        rows: in order, hollow ones among them.
        layout: the layout asked for, or None.
        headed: the only border line within the rows stands after the first, as in Markdown.

    Returns:
        New rows; a table's header is left out.
    """
    if any(r.bare != rows[0].bare or _PARTED.intersection(r.text) for r in rows):
        return None
    if rows[0].bare:
        cells = _without_bars(rows, layout)
        bar = ""
    else:
        bar = "|"
        cells = _blocks(rows, layout)
        if (fields := _fields(rows, layout, headed)) is not None:
            if cells is not None and len(cells[0][0]) > 1:
                return None  # one cell between two bars, or several: both fit
            rows, cells = fields
    if cells is None:
        return None
    out = []
    for row, groups in zip(rows, cells, strict=True):
        text = bar.join(" ".join(c or "." for c in group) for group in groups)
        out.append(Row(row.line, f"{bar}{text}{bar}", groups))
    return out


Cells = list[list[list[str]]]
"""Row by row, stretch by stretch between bars, cell by cell; "" for an open one."""


def _sides(rows: int, parts: int, layout: Layout | None) -> Iterator[int]:
    """Sides of boards of which so many rows may be made, each in so many parts."""
    for n in range(SMALLEST, LARGEST + 1) if layout is None else (layout.n,):
        if rows % n == 0 and n % parts == 0 and (layout is not None or has_usual_blocks(n)):
            yield n


def _fields(
    rows: Sequence[Row], layout: Layout | None, headed: bool
) -> tuple[Sequence[Row], Cells] | None:
    """Bars around every cell: the rows that are no header, and their cells."""
    for texts in ([r.text for r in rows], [_DOUBLE.sub(r"\1", r.text) for r in rows]):
        parted = [[s.strip(" ") for s in stretches(text)] for text in texts]
        n = len(parted[0])
        if any(len(p) != n for p in parted) or n not in (*_sides(n, n, layout),):
            continue
        kept = list(zip(rows, parted, strict=True))
        if headed:
            if len(kept) == n + 1 and _is_header(kept[0][1]):
                del kept[0]
            elif len(kept) != n or not any(kept[0][1]):
                continue  # a row too many, or one that may be a header or a row of open cells
        longest = max(len(s) for _, p in kept for s in p)
        if len(kept) % n or longest > 1 + (n >= 10) or any(" " in s for _, p in kept for s in p):
            continue
        if not headed and all(s for _, p in kept for s in p):
            return None  # nothing is blank: the usual way
        return [row for row, _ in kept], [[[s] for s in p] for _, p in kept]
    return None


def _is_header(names: Sequence[str]) -> bool:
    """Whether the first row of a table names its columns, or names nothing."""
    text = "".join(names)
    return (
        not text
        or text in ("".join(SYMBOLS[: len(names)]), "ABCDEFGHIJKLMNOPQRSTUVWXY"[: len(names)])
        or any(len(name) > 1 or name.upper() not in SYMBOLS[: len(names)] for name in names)
    )


def _blocks(rows: Sequence[Row], layout: Layout | None) -> Cells | None:
    """Bars around the blocks, at the same places in every row."""
    full = [r for r in rows if not r.hollow]
    if any(not _BLANKS.isdisjoint(r.symbols) for r in full):
        return None
    if len(full) == len(rows) and not are_irregular(rows):
        return None
    texts = [r.text.rstrip(" ") for r in rows]
    bars = [i for i, c in enumerate(texts[0]) if c in "|!"]
    if any([i for i, c in enumerate(t) if c in "|!"] != bars for t in texts):
        return None
    starts_open = any(t[: bars[0]].strip(" ") for t in texts)
    ends_open = any(t[bars[-1] + 1 :] for t in texts)
    if starts_open != ends_open or (ends_open and not _evenly_ended(rows)):
        return None
    found: list[Cells] = []
    edges = [-1, *bars, None] if starts_open else [*bars]
    parts = len(edges) - 1
    for n in _sides(len(rows), parts, layout):
        width = n // parts
        for size, step, pad in _schemes(n):
            length = 2 * pad + step * (width - 1) + size
            cells = _cut(texts, edges, width, size, step, pad, length)
            if cells is not None and cells not in found:
                found.append(cells)
    return found[0] if len(found) == 1 else None


def _schemes(n: int) -> Iterator[tuple[int, int, int]]:
    """(characters of a cell, characters from one cell to the next, spaces at a block's ends)."""
    yield from ((1, 1, 0), (1, 2, 0), (1, 2, 1), (1, 3, 1))
    if n >= 10:
        yield from ((2, 3, 0), (2, 3, 1))


def _cut(
    texts: Sequence[str],
    edges: Sequence[int | None],
    width: int,
    size: int,
    step: int,
    pad: int,
    length: int,
) -> Cells | None:
    """The cells of every block, when blocks have this length and nothing stands beside a cell."""
    out: Cells = []
    for text in texts:
        groups = []
        for left, right in pairwise(edges):
            assert left is not None
            block = text[left + 1 : right]
            if left == -1 and len(block) == length - pad:
                block = " " * pad + block  # the line may begin without a margin
            if right is None:
                block = block.ljust(length)
            if len(block) != length:
                return None
            at = range(pad, pad + step * width, step)
            cells = [block[i : i + size] for i in at]
            if sum(len(c.strip(" ")) for c in cells) != len(block.replace(" ", "")):
                return None
            groups.append([c.strip(" ") for c in cells])
        out.append(groups)
    flat = [c for groups in out for group in groups for c in group]
    # a full grid that lost a cell or two is none of these
    return None if any(" " in c for c in flat) or flat.count("") < len(out[0]) * width else out


def _are_padded(rows: Sequence[Row]) -> bool:
    """Whether spaces fill the lines up to one length."""
    return len({len(r.text) for r in rows}) == 1


def _evenly_ended(rows: Sequence[Row]) -> bool:
    """Whether no line ends in spaces, or all of them at the same place: else some were lost."""
    return _are_padded(rows) or not any(r.text.endswith(" ") for r in rows)


def _without_bars(rows: Sequence[Row], layout: Layout | None) -> Cells | None:
    """n lines, the cells packed or parted by single spaces."""
    n = len(rows)
    if n not in (*_sides(n, n, layout),) or not are_irregular(rows):
        return None
    digits = set(SYMBOLS[:n])
    if any(not set(r.symbols.upper()) <= digits for r in rows):
        return None
    if not _evenly_ended(rows):
        return None
    used = max(len(r.text.rstrip(" ")) for r in rows)
    for step, length in ((1, n), (2, 2 * n - 1)):
        padded = length <= len(rows[0].text) < length + step and _are_padded(rows)
        spanned = used == length and any(r.text[0] != " " for r in rows)
        if used > length or not (padded or spanned):
            continue
        if any(i % step for r in rows for i in r.columns):
            continue
        cells = [r.text.ljust(length)[0:length:step] for r in rows]
        # Some rows must have gaps, lest a full grid with a cell too few is taken for one of these.
        inner = sum(line.rstrip(" ").count(" ") for line in cells)
        if inner >= n // 2 and sum(line.count(" ") for line in cells) >= n:
            return [[[c.strip(" ") for c in line]] for line in cells]
    return None
