"""Solutions written out: box drawing, the contest's rows, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from bddsudoku.cli.outputs import opened

if TYPE_CHECKING:
    from bddsudoku.cli.numberlink.asked import Asked
    from bddsudoku.puzzle.numberlink import Links

__all__ = ["solution_data", "write", "writer"]


def solution_data(links: Links) -> dict[str, Any]:
    """A solution for programs."""
    board = links.board
    return {
        "wire": links.wire,
        "paths": [[list(board.point(cell)) for cell in path] for path in links.paths],
    }


def writer(asked: Asked, **more: Any) -> Callable[[Links], str]:
    """A solution as text, ending in a line feed; ``more`` are members of the JSON objects."""
    from bddsudoku.puzzle.numberlink import answer_text

    if asked.values["as_json"]:
        if asked.values["form"] is not None:
            raise click.UsageError("--json writes lines of JSON; leave --format out")
        head = asked.head | more
        return lambda links: json.dumps(head | solution_data(links), ensure_ascii=False) + "\n"
    return answer_text if asked.values["form"] == "answer" else lambda links: f"{links}\n"


def write(asked: Asked, found: Iterable[Links], **more: Any) -> None:
    """Solutions one after the other, a blank line between them unless they are JSON."""
    text = writer(asked, **more)
    with opened(asked.values["output"]) as target:
        for i, links in enumerate(found):
            if i and not asked.values["as_json"]:
                target.write("\n")
            target.write(text(links))
