"""The reference page of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from bddsudoku.cli import main

HEAD = """# Command line

This page is made from the commands themselves. What they read is told in
[File formats](files.md), what they print with `--json` in [JSON](json.md), how they end in
[Exit codes](exit_codes.md).

"""


def page() -> str:
    """Every command: usage, what it does, its arguments, options and actions."""
    context = main.make_context("bddsudoku", ["count", "-"])
    out = [
        HEAD,
        _prose(main.help or ""),
        "",
        "## All commands",
        "",
        "| command | what it does |",
        "| --- | --- |",
    ]
    commands = [(name, main.get_command(context, name)) for name in main.list_commands(context)]
    for name, command in commands:
        assert command is not None
        summary = _cell(command.get_short_help_str(200))
        out.append(f"| [`{name}`](#{_anchor(f'bddsudoku {name}')}) | {summary} |")
    for name, command in commands:
        assert command is not None
        out += _command(command, f"bddsudoku {name}", context, 2)
    return "\n".join(out) + "\n"


def _command(command: click.Command, path: str, above: click.Context, level: int) -> list[str]:
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=above)
    pieces = " ".join(command.collect_usage_pieces(context))
    out = [
        "",
        f"{'#' * level} {path}",
        "",
        "```text",
        f"{_words(path, command, pieces)}",
        "```",
        "",
    ]
    out += [_prose(command.help or ""), ""]
    rows = list(_options(command, context))
    if rows:
        out += ["| option | default | meaning |", "| --- | --- | --- |", *rows, ""]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            out += _command(below, f"{path} {name}", context, level + 1)
    elif command.epilog:
        out += [_prose(command.epilog), ""]
    return out


def _words(path: str, command: click.Command, pieces: str) -> str:
    """Usage; the subject of an action stands before its name."""
    parts = path.split(" ")
    if len(parts) == 3:
        return f"{parts[0]} {parts[1]} SUBJECT {parts[2]} {pieces}".replace(
            "SUBJECT", _subject(parts[1])
        )
    return f"{path} {pieces}"


def _subject(name: str) -> str:
    group = main.get_command(click.Context(main), name)
    assert isinstance(group, click.Group)
    (argument,) = (p for p in group.params if isinstance(p, click.Argument))
    return argument.make_metavar(click.Context(group))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """A row for each option but --help."""
    for param in command.params:
        if not isinstance(param, click.Option) or param.hidden:
            continue
        record = param.get_help_record(context)
        assert record is not None
        names, meaning = record
        facts = re.search(r"\s*\[([^\[\]]*)\]$", meaning)
        default, bounds = "", []
        if facts:
            meaning = meaning[: facts.start()]
            found = [fact.strip() for fact in facts[1].split(";")]
            default = "".join(f"`{f[9:]}`" for f in found if f.startswith("default: "))
            bounds = [_bounds(f) for f in found if not f.startswith("default: ")]
        if isinstance(param.type, click.Choice):
            names = re.sub(r"\[[^\]]*\]", "NAME", names)
            bounds.insert(0, "one of " + ", ".join(f"`{c}`" for c in param.type.choices))
        names = names.replace("INTEGER RANGE", "N").replace("INTEGER", "N")
        end = "" if meaning.endswith((".", "?")) or not bounds else "."
        summary = "; ".join(bounds)
        more = f"{end} {summary[:1].upper()}{summary[1:]}." if bounds else ""
        shown = ", ".join(f"`{name}`" for name in re.split(r", | / ", names))
        yield f"| {shown} | {default} | {_cell(meaning)}{more} |"


def _bounds(fact: str) -> str:
    """``x>=0`` and the like in words."""
    low = re.search(r"(\d+)<=x|x>=(\d+)", fact)
    high = re.search(r"x<=(\d+)", fact)
    if low and high:
        return f"from {low[1] or low[2]} to {high[1]}"
    if low:
        return f"at least {low[1] or low[2]}"
    return fact


def _cell(text: str) -> str:
    """Help as the text of a table's cell."""
    text = text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    return _code(text)


def _prose(text: str) -> str:
    """Help as Markdown: blocks marked with \\b keep their lines."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        if paragraph.lstrip().startswith("\b"):
            lines = paragraph.lstrip().removeprefix("\b").strip("\n")
            paragraphs.append(f"```text\n{lines}\n```")
        else:
            paragraphs.append(_code(paragraph.replace("<", "&lt;").replace("*", "\\*")))
    return "\n\n".join(paragraphs)


def _code(text: str) -> str:
    """Options, and what stands in apostrophes, as code."""
    text = re.sub(r"(?<![`\w-])(--[a-z][a-z-]*)", r"`\1`", text)
    return re.sub(r"(?<!\w)'([^' ][^']*?)'(?!\w)", lambda m: _tick(m[1]), text)


def _tick(text: str) -> str:
    return "`" + text.replace("&lt;", "<").replace("\\*", "*").replace("`", "") + "`"


def _anchor(title: str) -> str:
    return title.replace(" ", "-")
