"""One self-contained page about a puzzle: no network, readable on a phone and in print.

It is made of the same sections as :mod:`bddsudoku.report.text`, with pictures between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.report.html_parts import STYLE, Picture, picture
from bddsudoku.report.html_sections import TITLES, WRITERS, limits_reached, stopped_by, summary


def page(
    puzzle: Puzzle,
    sections: Mapping[str, dict[str, Any]],
    pictures: Sequence[Picture] = (),
    *,
    made: Sequence[str] = (),
    live: str = "",
) -> str:
    """The page as one string of HTML.

    Args:
        puzzle: the puzzle.
        sections: as made by the analysis: ``puzzle``, ``solutions``, ``cells``, ``hints``,
            ``variables``, ``procedures``, ``check``; any may be missing, or have ``limit`` alone,
            which says what ended it.
        pictures: shown at the end of their sections (:func:`.figures.page_pictures`).
        made: how it was computed, a line each: versions, limits, command.
        live: HTML of a board to play with, shown with the cells.
    """
    bodies = {
        name: stopped_by(found) or write(found, puzzle)
        for name, write in WRITERS.items()
        if (found := sections.get(name))
    }
    for shown in pictures:
        if shown.section in bodies:
            bodies[shown.section] += picture(shown)
    if "cells" in bodies:
        bodies["cells"] += live
    titles = {name: TITLES[name] for name in bodies} | {"how": "How it was computed"}
    bodies["how"] = _how(made, limits_reached(sections))
    toc = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in titles.items())
    parts = "\n".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{titles[name]}</h2>\n{body}</section>'
        for name, body in bodies.items()
    )
    title = f"Sudoku with {puzzle.hint_count} hint{'' if puzzle.hint_count == 1 else 's'}"
    lead = summary(sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the answers</a>\n'
        f"<header><h1>{title}</h1>\n"
        + (f'<p class="lead">{escape(lead)}</p>\n' if lead else "")
        + f'<nav aria-label="Sections"><ul>{toc}</ul></nav></header>\n'
        f'<main id="main" tabindex="-1">\n{parts}\n</main>\n</body>\n</html>\n'
    )


def _how(made: Sequence[str], limited: Sequence[str]) -> str:
    def items(lines: Sequence[str]) -> str:
        return "".join(f"<li>{escape(line)}</li>" for line in lines)

    stopped = f"<p>What limits kept open:</p><ul>{items(limited)}</ul>" if limited else ""
    how = f"<ul>{items(made)}</ul>" if made else ""
    return (
        "<p>Every number of solutions on this page is exact: sets are counted, not estimated. The "
        "cross-check compares engines that work in different ways. Times were taken once, on the "
        f"machine named here.</p>{stopped}{how}"
    )
