"""Code blocks of a page: commands with their output, Python, and what it prints.

A page's blocks run in order, in one temporary folder with a copy of ``data/``:

* ```` ```console ````: a line that begins with ``$ `` is a command for bash (a backslash at its
  end, or ``<<WORD``, carries it over the next lines); the lines below it are its output. A command
  whose output is not shown must exit with 0. One that fails must show what it said, standard
  error too.
* ```` ```python ````: the blocks of a page share one namespace, in a process of their own. An
  expression with a literal in the comment behind it must be equal to that literal.
* ```` ```text ```` directly after a Python block is what the block prints.
* ``title="NAME"`` behind a fence's kind makes the block a file of that name; so does ``$ cat NAME``
  where there is no such file yet.
* ``<!-- no test: reason -->`` above a block takes it out. ``<!-- slow -->`` anywhere in a page
  makes it one for ``make slow``.

How output is compared is said in ``shown.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
KINDS = ("console", "python")
#: Fences that look like commands or Python and would not be run.
STRANGERS = ("bash", "sh", "shell", "shell-session", "zsh", "py", "python3", "pycon", "pytb")
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>[\w-]*)(?P<rest>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$",
    re.M | re.S,
)
_LEFT_OUT = re.compile(r"<!-- no test: (?P<reason>[^>]+?) -->\s*\Z")
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fence: its kind, text, first line in the page, file name, why it is not run."""

    kind: str
    text: str
    line: int
    title: str = ""
    not_run: str = ""
    printed: str | None = None


@dataclass(frozen=True)
class Command:
    """A command and the lines shown below it."""

    text: str
    shown: str
    line: int


def pages() -> list[Path]:
    """The pages whose blocks are run: both READMEs and everything in ``docs``."""
    found = [ROOT / "README.md", ROOT / "README.ja.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if any(b.kind in KINDS for b in blocks(path))]


def is_slow(page: Path) -> bool:
    """Whether a page's blocks take longer than an ordinary run should."""
    return "<!-- slow -->" in page.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    """The fences of a page, in order."""
    return parsed(page.read_text(encoding="utf-8"))


def parsed(page: str) -> list[Block]:
    """The fences of a page's text, in order; the text after a Python block becomes its output."""
    out: list[Block] = []
    end = 0
    for match in _FENCE.finditer(page):
        indent = len(match["indent"])
        text = re.sub(rf"^ {{0,{indent}}}", "", match["text"], flags=re.M)
        before = page[end : match.start()]
        if match["kind"] == "text" and out and out[-1].kind == "python" and not before.strip():
            last = out.pop()
            out.append(Block("python", last.text, last.line, last.title, last.not_run, text))
        else:
            left_out = _LEFT_OUT.search(before)
            title = _TITLE.search(match["rest"])
            out.append(
                Block(
                    match["kind"],
                    text,
                    page.count("\n", 0, match.start()) + 2,
                    title[1] if title else "",
                    left_out["reason"] if left_out else "",
                )
            )
        end = match.end()
    return out


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block.

    Raises ValueError where a block does not begin with one.
    """
    lines = block.text.splitlines()
    if not lines or not lines[0].startswith("$ "):
        raise ValueError(f"line {block.line}: a console block begins with a command, '$ …'")
    at = 0
    while at < len(lines):
        begin = at
        words = [lines[at][2:]]
        at += 1
        here = re.search(r"<<-?\s*['\"]?(\w+)['\"]?", words[0])
        while at < len(lines) and (words[-1].endswith("\\") or (here and words[-1] != here[1])):
            words.append(lines[at].removeprefix("> "))
            at += 1
        shown = []
        while at < len(lines) and not lines[at].startswith("$ "):
            shown.append(lines[at])
            at += 1
        yield Command("\n".join(words), "\n".join(shown), block.line + begin)
