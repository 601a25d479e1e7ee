"""Solutions as the bytes of a file (lines, CSV, npy, Parquet) and as record batches of Arrow.

A writer turns one set after the other into bytes, batch by batch, so that its memory does not
depend on the number of solutions; the caller writes them. Parquet and Arrow need pyarrow, which is
imported where one of them is asked for.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, Protocol

import numpy as np

from bddsudoku.errors import BackendUnavailable
from bddsudoku.jit.decorators import U8
from bddsudoku.lazy_imports import is_installed

FORMATS = ("line", "csv", "npy", "parquet")
"""Names of the file formats of solutions."""
_BATCH_ROWS = 4096
_GROUP_BYTES = 1 << 23
"""Bytes of the solutions in one row group of a Parquet file."""


def form_of_file(target: object, form: str | None, default: str) -> str:
    """The form of a file: the one that is named, else that of its ending, else the default.

    Raises:
        ValueError: the ending is that of another form.
    """
    ending = PurePath(target).suffix[1:].lower() if isinstance(target, str | PurePath) else ""
    if ending not in FORMATS:
        return form or default
    if form not in (None, ending):
        raise ValueError(f"expected the form {ending} for {target}, found {form}")
    return ending


class SolutionRows(Protocol):
    """The methods of a solution set that a writer needs."""

    def column_names(self) -> list[str]:
        """Names of the columns of a table of the solutions."""

    def batches(self, size: int, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """Yield the solutions in order as arrays of at most ``size`` rows."""

    def format_lines(self, rows: U8) -> bytes:
        """Solutions, given as rows of bytes, as lines of text."""


class SolutionWriter:
    """Turns sets of solutions into the bytes of one file.

    Args:
        form: one of the :data:`FORMATS`.

    Raises:
        ValueError: an unknown form.
        BackendUnavailable: Parquet without pyarrow.
    """

    def __init__(self, form: str) -> None:
        if form not in FORMATS:
            raise ValueError(f"expected one of {', '.join(FORMATS)}, found {form!r}")
        if form == "parquet":
            require_pyarrow()
        self.form = form
        self._table: _ParquetTable | None = None
        self._done = self._total = 0

    def begin(self, solutions: SolutionRows, total: int) -> bytes:
        """Begin the file: return its header for ``total`` rows with columns as in ``solutions``."""
        columns = solutions.column_names()
        self._total = total
        match self.form:
            case "npy":
                return _npy_header(total, len(columns))
            case "csv":
                header = io.StringIO()
                csv.writer(header, lineterminator="\n").writerow(columns)
                return header.getvalue().encode()
            case "parquet":
                self._table = _ParquetTable(columns)
        return b""

    def batches(self, solutions: SolutionRows, stop: int) -> Iterator[tuple[int, bytes]]:
        """Yield a set's solutions below rank ``stop`` as pairs (number of solutions, bytes)."""
        size = _BATCH_ROWS if self._table is None else self._table.group_rows
        for rows in solutions.batches(size, 0, stop):
            yield len(rows), self._format(solutions, rows)
            self._done += len(rows)

    def _format(self, solutions: SolutionRows, rows: U8) -> bytes:
        """The bytes of given rows of a set."""
        if self._table is not None:
            return self._table.add(rows)
        if self.form == "npy":
            return rows.tobytes()
        if self.form == "line":
            return solutions.format_lines(rows)
        return lines_of_signs(rows, [*map(str, range(int(rows.max(initial=0)) + 1))], ",")

    def end(self) -> bytes:
        """End the file: return its last bytes (for Parquet the last rows and the footer)."""
        return b"" if self._table is None else self._table.end()

    @property
    def cut_off_note(self) -> str | None:
        """A warning that the file is incomplete if writing stops now; None if none is needed."""
        if self._table is not None:
            return "the Parquet file is cut off and cannot be read"
        if self.form != "npy" or not self._done:
            return None
        # It has no lines to count, and its header promises more.
        return f"at most {self._done:,} of {self._total:,} rows were written"


def lines_of_signs(rows: U8, signs: Sequence[str], gap: str = "") -> bytes:
    """A line of text for each row of bytes: the sign of each byte, with a gap between them."""
    text = "".join(signs)
    if len(text) > len(signs) or not text.isascii():
        lines = (gap.join([signs[byte] for byte in row]) for row in rows.tolist())
        return "".join(f"{line}\n" for line in lines).encode()
    step = len(gap) + 1
    out = np.full((len(rows), step * rows.shape[1] - len(gap) + 1), ord(gap or "\n"), np.uint8)
    written = rows.tobytes().translate(text.encode().ljust(256))
    out[:, :-1:step] = np.frombuffer(written, np.uint8).reshape(rows.shape)
    out[:, -1] = ord("\n")
    return out.tobytes()


def _npy_header(count: int, width: int) -> bytes:
    """Header bytes of an npy file that holds ``count`` rows of ``width`` bytes."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "|u1", "fortran_order": False, "shape": (count, width)}
    )
    return out.getvalue()


# -- Arrow and Parquet -----------------------------------------------------------------------------


def require_pyarrow() -> None:
    """Raise BackendUnavailable unless pyarrow is installed, without importing it."""
    if not is_installed("pyarrow"):
        raise BackendUnavailable("Arrow and Parquet need pyarrow: pip install pyarrow")


def arrow_reader(columns: Sequence[str], batches: Iterable[U8]) -> Any:
    """A ``pyarrow.RecordBatchReader`` of rows of bytes: a column of type uint8 for each byte.

    Args:
        columns: names of the columns.
        batches: arrays of rows, turned into a record batch each when the reader comes to them.

    Raises:
        BackendUnavailable: pyarrow is not installed.
    """
    require_pyarrow()
    import pyarrow

    schema = _schema(columns)
    made = (_record_batch(rows, schema) for rows in batches)
    return pyarrow.RecordBatchReader.from_batches(schema, made)


def _schema(columns: Sequence[str]) -> Any:
    """A ``pyarrow.Schema`` of columns of bytes."""
    import pyarrow

    return pyarrow.schema([(name, pyarrow.uint8()) for name in columns])


def _record_batch(rows: U8, schema: Any) -> Any:
    """A ``pyarrow.RecordBatch`` that holds a copy of the given rows."""
    import pyarrow

    columns = [pyarrow.array(column) for column in np.array(rows.T, order="C")]
    return pyarrow.record_batch(columns, schema=schema)


class _ParquetTable:
    """Turns a table into the bytes of a Parquet file, row group by row group.

    pyarrow writes into a buffer in memory: an error of the disk then meets the caller, who writes,
    and a table that is never ended leaves no end in the file that would make it look whole.

    Attributes:
        group_rows: rows in a row group.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        from pyarrow import parquet

        self.group_rows = max(1, _GROUP_BYTES // max(1, len(columns)))
        self._buffer = io.BytesIO()
        self._schema = _schema(columns)
        self._writer = parquet.ParquetWriter(self._buffer, self._schema)
        self._waiting: list[U8] = []
        self._waiting_rows = 0

    def add(self, rows: U8) -> bytes:
        """Add rows; return the bytes of the row group that they complete, or no bytes."""
        self._waiting.append(rows.copy())
        self._waiting_rows += len(rows)
        if self._waiting_rows < self.group_rows:
            return b""
        self._write_row_group()
        return self._take_written_bytes()

    def end(self) -> bytes:
        """Return the bytes of the last row group and the end of the file."""
        if self._waiting_rows:
            self._write_row_group()
        self._writer.close()
        return self._take_written_bytes()

    def _write_row_group(self) -> None:
        """Write the waiting rows as one row group to the buffer in memory."""
        batch = _record_batch(np.concatenate(self._waiting), self._schema)
        self._writer.write_batch(batch, row_group_size=self._waiting_rows)
        self._waiting, self._waiting_rows = [], 0

    def _take_written_bytes(self) -> bytes:
        """Return the bytes in the buffer and empty it."""
        taken = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return taken
