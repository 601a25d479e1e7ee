"""All solutions to a file, streamed in batches: text lines, CSV or NumPy's npy.

Nothing is held but one batch. Text is made by the same walk as the arrays: a level writes the
character instead of the number.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from bddsudoku.diagrams.canonical import U8
from bddsudoku.diagrams.ranking import RowFormat, Walker
from bddsudoku.files import writing

if TYPE_CHECKING:
    from bddsudoku.sets.solutionset import SolutionSet

FORMATS = ("line", "csv", "npy")
"""What :func:`export` writes."""

_BATCH = 32768


def npy_header(count: int, width: int) -> bytes:
    """Head of an npy file that holds ``count`` rows of ``width`` bytes."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "|u1", "fortran_order": False, "shape": (count, width)}
    )
    return out.getvalue()


def _text_form(solutions: SolutionSet, form: str) -> RowFormat | None:
    """Rows of characters for grids with symbols of one character; None if there are none such."""
    symbols = getattr(solutions.decoder, "symbols", None)
    if symbols is None or not symbols.isascii() or (form == "csv" and len(symbols) > 9):
        return None
    grid = solutions.form
    codes = np.frombuffer((("0" if form == "csv" else ".") + symbols).encode(), dtype=np.uint8)
    if form == "csv":
        codes = np.arange(len(codes), dtype=np.uint8) + ord("0")
    cells = len(grid.blank)
    gap = 2 if form == "csv" else 1
    blank = np.full(gap * (cells - 1) + 2, ord(","), dtype=np.uint8)
    blank[: gap * cells : gap] = codes[grid.blank]
    blank[-1] = ord("\n")
    return RowFormat(grid.position * gap, codes[grid.value], blank)


def _header(solutions: SolutionSet) -> bytes:
    """First line of the CSV: cells as r1c1, …, or the variables' keys."""
    shape = getattr(solutions, "shape", None)
    if shape is None:
        names = [str(key) for key in solutions.keys.tolist()]
    else:
        names = [f"r{r + 1}c{c + 1}" for r in range(shape[0]) for c in range(shape[1])]
    return (",".join(names) + "\n").encode()


def _slow_lines(solutions: SolutionSet, form: str, rows: U8) -> bytes:
    """Lines that have no fixed width."""
    if form == "csv":
        lines = [",".join(map(str, row)) for row in rows.tolist()]
    elif (symbols := getattr(solutions.decoder, "symbols", None)) is not None:
        written = "." + symbols
        lines = ["".join(written[s] for s in row) for row in rows.tolist()]
    else:
        lines = [" ".join(map(str, solutions.keys[row != 0].tolist())) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode()


def chunks(
    solutions: SolutionSet, form: str, start: int = 0, stop: int | None = None, size: int = _BATCH
) -> Iterator[tuple[int, Any]]:
    """The solutions from ``start`` to ``stop`` as (how many, bytes) batches, without any header.

    The bytes may be a view of an array that is used again for the next batch.

    Args:
        solutions: the set.
        form: ``line`` (a grid's symbols; the true variables' keys for other sets), ``csv`` (symbols
            as numbers; 0 and 1 for other sets) or ``npy`` (uint8).
        start: rank of the first solution.
        stop: rank behind the last; None for all.
        size: solutions in a batch.

    Raises:
        ValueError: an unknown form.
    """
    if form not in FORMATS:
        raise ValueError(f"expected one of {', '.join(FORMATS)}, found {form!r}")
    total = solutions.count()
    stop = total if stop is None else min(stop, total)
    text = None if form == "npy" else _text_form(solutions, form)
    if form != "npy" and text is None:
        for rows in solutions.batches(size, start, stop):
            yield len(rows), _slow_lines(solutions, form, rows)
        return
    if start >= stop:
        return
    rows_form = text or solutions.form
    walker = Walker(solutions.diagram, rows_form, solutions.counts if start else None, start)
    out = np.empty((min(size, stop - start), len(rows_form.blank)), dtype=np.uint8)
    while start < stop:
        k = walker.fill(out[: min(len(out), stop - start)])
        yield k, out[:k].reshape(-1).data if k * out.shape[1] else b""
        start += k


def export(
    solutions: SolutionSet,
    target: str | Path | BinaryIO,
    form: str = "line",
    *,
    limit: int | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> int:
    """Write the solutions, in the set's order, without holding more than a batch of them.

    Args:
        solutions: the set.
        target: a path, which appears when it is whole, or a file open for binary writing.
        form: ``line``: one line a grid, its symbols as the puzzle writes them (the keys of the true
            variables, space-separated, for sets that are no grids). ``csv``: a header, then one
            column a cell with the symbol's number (a column a variable with 0 and 1). ``npy``:
            uint8, shape (solutions, cells) or (solutions, variables).
        limit: write the first so many only.
        progress: called with (done, total) after every batch.

    Returns:
        The number of solutions written.

    Raises:
        ValueError: an unknown form.
        OSError: the file cannot be written.
    """
    if form not in FORMATS:
        raise ValueError(f"expected one of {', '.join(FORMATS)}, found {form!r}")
    total = solutions.count()
    total = total if limit is None else min(limit, total)
    opened: Any = writing(target) if isinstance(target, str | Path) else nullcontext(target)
    done = 0
    with opened as file:
        if form == "npy":
            file.write(npy_header(total, len(solutions.form.blank)))
        elif form == "csv":
            file.write(_header(solutions))
        for k, data in chunks(solutions, form, 0, total):
            file.write(data)
            done += k
            if progress is not None:
                progress(done, total)
    return done
