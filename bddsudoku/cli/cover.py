"""``bddsudoku cover FILE count | enumerate | compile | sample | check``."""

from __future__ import annotations

from typing import Any

import click

from bddsudoku.cli import coverlike
from bddsudoku.cli.actions import acting_on, asking
from bddsudoku.cli.common import How, note


@acting_on("file")
def cover() -> None:
    """Exact covers: FILE is Knuth's text format, JSON, a saved set, or - for standard input.

    In the text format the first line names the items (those after | are optional), and every
    other line is an option; lines that begin with | or \\ are comments. Options without a
    primary item are ignored with a message.
    """


def _asked(file: str, how: How) -> coverlike.Asked:
    """The problem or saved set that FILE stands for."""
    from bddsudoku.puzzle.exact_cover import CoverDecoder, ExactCover
    from bddsudoku.solver import load_covers, question_of
    from bddsudoku.solver.source import Source

    with Source(file, how.context) as source:
        saved = load_covers(source)
        if saved is None:
            decoder = ExactCover.parse(source.text(), source=source.name).decoder()
        elif saved.decoder.kind != CoverDecoder.kind:
            raise click.UsageError(f"{file} holds tilings: bddsudoku tiling {file} …")
        else:
            decoder = saved.decoder
    problem: ExactCover = decoder.problem
    for o in problem.ignored[:3]:
        note(f"option {o + 1} ({problem.labels[o]}) is ignored: it has no primary item")
    if len(problem.ignored) > 3:
        note(f"… and {len(problem.ignored) - 3} more options without a primary item")

    def data(solution: tuple[str, ...]) -> dict[str, Any]:
        numbers = list(decoder.encode(solution))
        return {"cover": list(solution), "numbers": [n + 1 for n in numbers]}

    head = {
        "problem": file,
        "items": len(problem.primary),
        "optional": len(problem.secondary),
        "options": len(problem.options),
    }
    return coverlike.Asked(head, question_of(problem), ", ".join, data, saved)


for _action in (
    coverlike.count,
    coverlike.enumerate_,
    coverlike.compile_,
    coverlike.sample,
    coverlike.check,
):
    cover.add_command(_action(asking(_asked), "covers"))
