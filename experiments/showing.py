"""Output of experiments: header and tables, as plain text, Markdown or CSV."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from bddsudoku.file_io import open_atomic, write_text
from bddsudoku.number_text import format_size

__all__ = ["FORMATS", "Table", "header_lines", "machine_lines", "save_figure", "show", "table"]

Table = tuple[str, Sequence[str], Sequence[Sequence[Any]]]
"""Title, headers, rows."""

FORMATS = {"plain": "simple", "markdown": "github"}


class Headed(Protocol):
    """Anything with headers, such as a journal."""

    @property
    def headers(self) -> list[tuple[int, dict[str, Any]]]:
        """Versions, machine, limits of every run that has results here, and how many."""
        ...

    @property
    def origin(self) -> str:
        """Whose results these are, in a line."""
        ...

    @property
    def path(self) -> Path | None:
        """File of the results; the table goes beside it."""
        ...


def machine_lines(record: Mapping[str, Any]) -> list[str]:
    """Lines about date, versions and machine, for printing."""
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    memory = format_size(record["memory"]) if record["memory"] else "unknown memory"
    return [
        f"{record['date']}, commit {record['commit'] or 'unknown'}",
        versions,
        f"{record['cpu']}, {record['cores']} cores, {memory}, {record['system']}",
    ]


def header_lines(record: Mapping[str, Any]) -> list[str]:
    """Lines of a header, for printing."""
    return [
        *machine_lines(record),
        f"limits of each run: {format_size(record['max_memory'])}, {record['time_limit']:g} s "
        f"(× where one was reached); seed {record['seed']}",
    ]


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]], form: str = "plain") -> str:
    """A table as plain text, Markdown or CSV; None is a dash."""
    cells = [["–" if c is None else str(c) for c in row] for row in rows]
    if form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([list(headers), *cells])
        return out.getvalue().rstrip("\n")
    from tabulate import tabulate

    return tabulate(
        cells,
        headers=list(headers),
        tablefmt=FORMATS[form],
        disable_numparse=True,
        stralign="right",
    )


def show(
    options: argparse.Namespace,
    journal: Headed,
    tables: Sequence[Table],
) -> None:
    """Print headers and tables; write them beside the results and to the file of ``--table``.

    Args:
        options: of the experiment's parser.
        journal: for its headers and its path.
    """
    lines = [journal.origin]
    for number, header in journal.headers:
        lines += [f"{number} results:"] * (len(journal.headers) > 1) + header_lines(header)
    beside = journal.path and journal.path.with_suffix(".md")
    sinks = [(_form_of(path), path) for path in (beside, options.table) if path]
    for form, sink in (*sinks, (options.format, None)):
        mark = "# " if form == "csv" else ""
        parts = ["\n".join(mark + line for line in lines)]
        if form == "markdown":
            parts = ["\n".join(f"    {line}" for line in lines)]
        for title, headers, rows in tables:
            head = {"csv": f"# {title}", "markdown": f"## {title}\n"}.get(form, title)
            parts.append(f"{head}\n{table(headers, rows, form)}")
        text = "\n\n".join(parts)
        if sink is None:
            print(text)
        else:
            write_text(sink, text + "\n")


def save_figure(figure: Any, path: Path, **how: Any) -> None:
    """Write a matplotlib figure in the format of the file's extension; ``how`` goes to savefig."""
    with open_atomic(path) as file:
        figure.savefig(file, format=path.suffix[1:] or None, **how)


def _form_of(path: Path) -> str:
    """Format of a table file, by its name."""
    return {".md": "markdown", ".csv": "csv"}.get(path.suffix, "plain")
