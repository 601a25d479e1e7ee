"""The pieces of a page: tables that scroll by themselves, pictures, lists."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #c8c8c8;
  --accent: #0060a0; --mark: #fdf0d5; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #eee; --paper: #1b1b1b;
  --line: #555; --accent: #82bdf2; --mark: #4a3c18; } }
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


class Picture(NamedTuple):
    """A figure and where it belongs.

    Attributes:
        section: name of the section.
        short: what it is, in a few words, for those who do not see it.
        caption: how to read it.
        drawn: a figure of matplotlib, or a whole SVG.
    """

    section: str
    short: str
    caption: str
    drawn: Figure | str


def picture(shown: Picture) -> str:
    """A picture with its caption; a figure as a PNG, which looks the same to all readers."""
    content = shown.drawn if isinstance(shown.drawn, str) else _png(shown.drawn, shown.short)
    return f"<figure>{content}<figcaption>{escape(shown.caption)}</figcaption></figure>"


def _png(figure: Figure, short: str) -> str:
    import base64

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120)
    width, height = (round(120 * inches) for inches in figure.get_size_inches())
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return (
        f'<img alt="{escape(short)}" width="{width}" height="{height}" '
        f'src="data:image/png;base64,{data}">'
    )


def data_table(
    caption: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    words: Sequence[int] = (0,),
    marked: Sequence[int] = (),
) -> str:
    """A table with a caption and row headings, which scrolls sideways where it is too wide.

    Args:
        caption: above the table, and its name for screen readers.
        headers: one a column.
        rows: what stands in the cells; the first of a row is its heading.
        words: columns that hold words rather than numbers (aligned left).
        marked: rows to stand out.
    """

    def cell(tag: str, column: int, content: Any, scope: str = "") -> str:
        kind = ' class="t"' if column in words else ""
        return f"<{tag}{scope}{kind}>{escape(str(content))}</{tag}>"

    head = "".join(cell("th", i, h, ' scope="col"') for i, h in enumerate(headers))
    body = "".join(
        ('<tr class="mark">' if number in marked else "<tr>")
        + "".join(
            cell("th", i, c, ' scope="row"') if i == 0 else cell("td", i, c)
            for i, c in enumerate(row)
        )
        + "</tr>"
        for number, row in enumerate(rows)
    )
    return (
        f'<section class="scroll" tabindex="0" aria-label="{escape(caption)}">'
        f'<table class="data"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></section>"
    )


def listed(title: str, items: Sequence[str], *, most: int = 600, inline: int = 12) -> str:
    """Few items in a sentence, many behind a summary that opens; never more than `most`."""
    if len(items) <= inline:
        return f"<p>{escape(title)}: {escape(', '.join(items) or 'none')}.</p>"
    more = f" … and {len(items) - most:,} more" if len(items) > most else ""
    return (
        f"<details><summary>{escape(title)}: {len(items):,}</summary>"
        f"<p>{escape(', '.join(items[:most]))}{more}</p></details>"
    )
