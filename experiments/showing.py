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

__all__ = ["FORMATS", "Table", "header_lines", "save_figure", "show", "table"]

Table = tuple[str, Sequence[str], Sequence[Sequence[Any]]]
"""Title, headers, rows."""

FORMATS = {"plain": "simple", "markdown": "github"}


class Headed(Protocol):
    """Anything with a header, such as a journal."""

    @property
    def header(self) -> dict[str, Any]:
        """Versions, machine, limits."""
        ...


def header_lines(record: Mapping[str, Any]) -> list[str]:
    """Lines of a header, for printing."""
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    memory = format_size(record["memory"]) if record["memory"] else "unknown memory"
    resumed = f" (goes on with results since {record['resumed']})" if "resumed" in record else ""
    return [
        f"{record['date']}, commit {record['commit'] or 'unknown'}{resumed}",
        versions,
        f"{record['cpu']}, {record['cores']} cores, {memory}, {record['system']}",
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
    """Print header and tables, and write them to the file of ``--table`` if given.

    Args:
        options: of the experiment's parser.
        journal: for its header.
    """
    lines = header_lines(journal.header)
    for form, sink in ((_form_of(options.table), options.table), (options.format, None)):
        if form is None:
            continue
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


def _form_of(path: Path | None) -> str | None:
    """Format of a table file, by its name."""
    if path is None:
        return None
    return {".md": "markdown", ".csv": "csv"}.get(path.suffix, "plain")
