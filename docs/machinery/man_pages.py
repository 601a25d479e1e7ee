"""Man pages of all commands, from the commands themselves: `make docs` writes them.

The package click-man does not write them: it finds no commands that are imported on demand, and
shortens the lines that say what a command does.

    python docs/machinery/man_pages.py build/man
    man -l build/man/bddsudoku-count.1
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from bddsudoku import __version__
from bddsudoku.cli import main
from bddsudoku.file_io import write_text


def man_pages() -> dict[str, str]:
    """A page for the program, for every command and for every action: file name → its text."""
    context = click.Context(main, info_name="bddsudoku", **main.context_settings)
    return dict(_pages(main, context, "bddsudoku", "all solutions of a Sudoku, as a set"))


def _pages(
    command: click.Command, context: click.Context, name: str, summary: str
) -> Iterator[tuple[str, str]]:
    """The page of a command, then those of the commands below it."""
    below: dict[str, tuple[click.Command, str]] = {}
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            found = command.get_command(context, word)
            assert found is not None
            below[word] = (found, found.get_short_help_str(1000))
    yield f"{name}.1", _page(command, context, name, summary, below)
    for word, (found, line) in below.items():
        inner = click.Context(found, info_name=word, parent=context)
        yield from _pages(found, inner, f"{name}-{word}", line)


def _page(
    command: click.Command,
    context: click.Context,
    name: str,
    summary: str,
    below: dict[str, tuple[click.Command, str]],
) -> str:
    """One page in the macros of man(7)."""
    usage = [context.command_path, *command.collect_usage_pieces(context)]
    lines = [
        f'.TH "{name.upper()}" "1" "" "bddsudoku {__version__}" "bddsudoku"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{_text(usage[0])}\\fR {_text(' '.join(usage[1:]))}",
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    own = [param for param in command.get_params(context) if isinstance(param, click.Option)]
    records = [option.get_help_record(context) for option in own]
    if options := [record for record in records if record is not None]:
        lines.append(".SH OPTIONS")
        for names, meaning in options:
            lines += [".TP", f"\\fB{_text(names)}\\fR", _text(meaning)]
    if below:
        lines.append(".SH COMMANDS")
        for word, (_, line) in below.items():
            lines += [".TP", f"\\fB{_text(f'{name}-{word}')}\\fR(1)", _text(line)]
    if command.epilog:
        title, _, rest = command.epilog.partition("Examples:\n")
        lines += [f".SH {'NOTES' if title else 'EXAMPLES'}", *_paragraphs(title or rest)]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """A help text as lines of a page; a paragraph that click marks with \\b keeps its lines."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        yield ".PP"
        if paragraph.lstrip().startswith("\b"):
            kept = paragraph.lstrip().removeprefix("\b").strip("\n")
            yield from (".nf", *map(_text, kept.split("\n")), ".fi")
        else:
            yield _text(" ".join(paragraph.split()))


def _text(text: str) -> str:
    """A line as troff reads it: backslashes and dashes literal, no request at its beginning."""
    safe = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{safe}" if safe.startswith((".", "'")) else safe


def write_man_pages(folder: Path) -> None:
    """Write all pages into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages().items():
        write_text(folder / name, text)


if __name__ == "__main__":
    write_man_pages(Path(sys.argv[1]))
