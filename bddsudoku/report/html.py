"""A self-contained HTML page about a puzzle: no network, readable on a phone and in print.

The page has the same sections as the text (:mod:`bddsudoku.report.sections`), and figures.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.report.formatting import CROSS, solution_count_text
from bddsudoku.report.plots import plot_profiles, plot_steps, png_bytes
from bddsudoku.report.sections import SECTIONS, section_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bddsudoku.jit.decorators import AnyArray

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #c8c8c8;
  --accent: #0060a0; --mark: #fdf0d5; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #eee; --paper: #1b1b1b;
  --line: #555; --accent: #82bdf2; --mark: #4a3c18; }
  figure img { filter: invert(.89) hue-rotate(180deg); } }  /* white paper becomes the page's */
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin-bottom: .3rem; }
h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 2px solid var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid #d55e00; outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem; background: var(--paper); }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; }
nav a { display: inline-block; padding: .3rem 0; }
.lead { font-size: 1.1rem; }
.scroll { overflow-x: auto; margin: .5rem 0; }
.scroll::-webkit-scrollbar { height: .6rem; }  /* seen where there is more, also on phones */
.scroll::-webkit-scrollbar-thumb { background: var(--line); border-radius: .3rem; }
table.data { border-collapse: collapse; font-size: .85rem; }
table.data caption { text-align: left; font-weight: 600; padding: .3rem 0; }
table.data th, table.data td { padding: .2rem .6rem; border-bottom: 1px solid var(--line);
  text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
table.data th.t, table.data td.t { text-align: left; }
table.data tr.mark { background: var(--mark); }
svg { display: block; margin: .5rem 0; max-width: 100%; height: auto; }
figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; }
figcaption { font-size: .85rem; }
code { font-size: .85rem; } summary { cursor: pointer; padding: .3rem 0; font-weight: 600; }
@media print { nav, .skip { display: none; } body { max-width: none; font-size: 10pt; padding: 0; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  figure, tr, svg { break-inside: avoid; } h2 { break-after: avoid; }
  .scroll { overflow: visible; } table.data { font-size: 7pt; }
  table.data th, table.data td { padding: .1rem .3rem; } figure img { max-height: 16cm; } }
"""


class PageFigure(NamedTuple):
    """A figure of the page.

    Attributes:
        section: name of the section at whose end it is placed.
        alt_text: a short description for screen readers.
        caption: an explanation below the figure.
        image: a figure of matplotlib, or an SVG.
    """

    section: str
    alt_text: str
    caption: str
    image: Figure | str


def figure_html(page_figure: PageFigure) -> str:
    """Write a figure with its caption as HTML; a figure of matplotlib becomes a PNG image."""
    image = page_figure.image
    if isinstance(image, str):
        content = image
    else:
        width, height = (round(120 * inches) for inches in image.get_size_inches())
        data = base64.b64encode(png_bytes(image, 120)).decode("ascii")
        content = (
            f'<img alt="{escape(page_figure.alt_text)}" width="{width}" height="{height}" '
            f'src="data:image/png;base64,{data}">'
        )
    return f"<figure>{content}<figcaption>{escape(page_figure.caption)}</figcaption></figure>"


def summary_sentences(sections: Mapping[str, dict[str, Any]]) -> str:
    """Say in one or two sentences how many solutions there are, and whether hints are redundant."""
    found = sections.get("solutions", {})
    if found.get("count") is None:
        return "The number of solutions stayed open at a limit." if found else ""
    parts = [f"{solution_count_text(int(found['count'])).capitalize()}."]
    hints = sections.get("hints", {})
    if "minimal" in hints and hints["without"]:
        parts.append(
            {
                True: "No hint can go without adding solutions: the puzzle is minimal.",
                False: f"{hints['redundant']} of {len(hints['without'])} hints could go, "
                "one at a time, without adding a solution.",
                None: "Whether it is minimal stayed open at a limit.",
            }[hints["minimal"]]
        )
    return " ".join(parts)


def page_html(
    puzzle: Puzzle,
    sections: Mapping[str, dict[str, Any]],
    pictures: Sequence[PageFigure] = (),
    *,
    provenance: Sequence[str] = (),
) -> str:
    """Write the whole page about a puzzle as one string of HTML.

    Args:
        puzzle: the subject of the page.
        sections: data of the analysis by name; one may be missing, or have ``limit`` alone, the
            message of the limit that ended it.
        pictures: placed at the end of their sections.
        provenance: lines about the computation: versions, limits, command.
    """
    bodies = {
        name: section_html(name, found, puzzle)
        for name in SECTIONS
        if (found := sections.get(name))
    }
    for shown in pictures:
        if shown.section in bodies:
            bodies[shown.section] += figure_html(shown)
    titles = {name: SECTIONS[name][0] for name in bodies} | {"how": "How it was computed"}
    bodies["how"] = _provenance_html(provenance)
    toc = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in titles.items())
    parts = "\n".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{titles[name]}</h2>\n{body}</section>'
        for name, body in bodies.items()
    )
    title = f"Sudoku with {puzzle.hint_count} hint{'' if puzzle.hint_count == 1 else 's'}"
    lead = summary_sentences(sections)
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


def _provenance_html(provenance: Sequence[str]) -> str:
    """Write the section about the computation, with its limits, versions and command."""
    items = "".join(f"<li>{escape(line)}</li>" for line in provenance)
    return (
        "<p>Every number of solutions on this page is exact: sets are counted, not estimated; "
        f"{CROSS} is what a limit left open. The cross-check compares engines that work in "
        "different ways. Times were taken once, on the machine named here.</p>"
        + (f"<ul>{items}</ul>" if provenance else "")
    )


# -- pictures --------------------------------------------------------------------------------------


def procedure_sizes_figure(procedures: Mapping[str, Any]) -> Figure:
    """Plot the BDD's size after each conjunction, for each procedure of Tateishi & Minato."""
    runs = {f"procedure {run['procedure']}": run["steps"] for run in procedures["runs"]}
    stopped = [f"procedure {run['procedure']}" for run in procedures["runs"] if run["limit"]]
    return plot_steps(runs, stopped=stopped)


def page_figures(
    puzzle: Puzzle,
    sections: Mapping[str, Any],
    counts: AnyArray | None = None,
    profiles: Mapping[str, AnyArray] | None = None,
    *,
    plots: bool = True,
) -> list[PageFigure]:
    """Make the figures of a page: diagram widths, marginals, and BDD sizes by procedure.

    Args:
        puzzle: the subject of the page.
        sections: data of the analysis by name.
        counts: exact marginals, shape (n, n, n); drawn as SVG, without matplotlib.
        profiles: name of a variable order → nodes at each level.
        plots: whether matplotlib may be used.
    """
    out = []
    if plots and profiles and max(int(widths.max()) for widths in profiles.values()) > 1:
        out.append(
            PageFigure(
                "solutions",
                "Width of the diagram, variable by variable",
                "Nodes of the diagram at every variable, from its root down.",
                plot_profiles(profiles),
            )
        )
    if counts is not None and int(counts[0, 0].sum()) > 1:
        out.append(
            PageFigure(
                "cells",
                "Which digits the solutions have in every cell",
                "Digits in every cell over all solutions, the larger the more solutions have them; "
                "the more a cell is coloured, the less is known about it (entropy). The numbers "
                "come up where the pointer rests on a cell.",
                _marginals_svg(puzzle, counts),
            )
        )
    if plots and any(run["steps"] for run in sections.get("procedures", {}).get("runs", ())):
        out.append(
            PageFigure(
                "procedures",
                "Size of the BDD after every constraint, procedure by procedure",
                "Nodes of the BDD after every constraint; a cross where a limit ended the run.",
                procedure_sizes_figure(sections["procedures"]),
            )
        )
    return out


def _marginals_svg(puzzle: Puzzle, counts: AnyArray) -> str:
    """Draw the board with its marginals as SVG; strike out pencil marks that no solution has."""
    cell_counts = counts.reshape(len(puzzle.cells), -1).tolist()
    struck = None
    if puzzle.candidates is not None:
        struck = [
            mask & ~sum(1 << d for d, k in enumerate(cell) if k)
            for mask, cell in zip(puzzle.candidates, cell_counts, strict=True)
        ]
    title = f"The digits of {solution_count_text(sum(cell_counts[0]))}"
    return board_svg(puzzle, marginals=cell_counts, struck=struck, title=title)
