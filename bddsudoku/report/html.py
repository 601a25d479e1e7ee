"""One self-contained page about a puzzle: no network, readable on a phone and in print.

It is made of the same sections as :mod:`bddsudoku.report.text`, with pictures between them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bddsudoku.puzzle.sudoku.grid import SYMBOLS, Puzzle
from bddsudoku.report.tables import thousands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light; --ink: #1a1a1a; --line: #c8c8c8; --accent: #0072b2; }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: #fff;
  max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; border-bottom: 2px solid var(--accent); }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 3px solid #d55e00; }
.skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; background: #fff; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1rem; list-style: none; padding: 0; }
.scroll { overflow-x: auto; }
table.data { border-collapse: collapse; font-size: .85rem; }
table.data caption { text-align: left; font-weight: 600; padding: .3rem 0; }
table.data th, table.data td { padding: .2rem .5rem; border-bottom: 1px solid var(--line);
  text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
table.data th:first-child, table.data td:first-child { text-align: left; }
table.grid { border-collapse: collapse; margin: .5rem 0; }
table.grid td { border: 1px solid #999; width: min(2.1rem, 10vw); height: min(2.1rem, 10vw);
  text-align: center; padding: 0; }
table.grid td.hint { font-weight: 700; } table.grid td.found { color: var(--accent); }
table.grid td.t { border-top: 2px solid #000; } table.grid td.l { border-left: 2px solid #000; }
table.grid tr:last-child td { border-bottom: 2px solid #000; }
table.grid td:last-child { border-right: 2px solid #000; }
.side { display: flex; flex-wrap: wrap; gap: 2rem; }
figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; }
code { font-size: .85rem; }
@media print { nav, .skip { display: none; } body { max-width: none; font-size: 11pt; }
  h2, figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .scroll { overflow: visible; } details > * { display: block; } }
"""


def page(
    puzzle: Puzzle,
    sections: Mapping[str, dict[str, Any]],
    figures: Sequence[tuple[str, str, Figure]] = (),
    *,
    made: str = "",
) -> str:
    """The page as one string of HTML.

    Args:
        puzzle: the puzzle.
        sections: as made by the analysis: ``puzzle``, ``variables``, ``procedures``,
            ``solutions``, ``cells``, ``hints``, ``check``; any may be missing.
        figures: (section that it belongs to, caption, figure).
        made: how it was computed: versions, limits, command.
    """
    bodies = {
        name: writer(sections[name], puzzle)
        for name, writer in _WRITERS.items()
        if name in sections
    }
    for section, caption, figure in figures:
        bodies[section] = bodies.get(section, "") + _picture(figure, caption)
    titles = {name: _TITLES[name] for name in bodies}
    toc = "".join(f'<li><a href="#{name}">{title}</a></li>' for name, title in titles.items())
    parts = "".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{titles[name]}</h2>{body}</section>'
        for name, body in bodies.items()
    )
    how = f'<section aria-labelledby="how"><h2 id="how">How it was computed</h2>{_how(made)}</section>'
    title = f"Sudoku with {puzzle.hint_count} hints"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the answers</a>\n'
        f'<header><h1>{title}</h1><nav aria-label="Sections"><ul>{toc}'
        '<li><a href="#how">How it was computed</a></li></ul></nav></header>\n'
        f'<main id="main">{parts}{how}</main>\n</body>\n</html>\n'
    )


def _how(made: str) -> str:
    lines = "".join(f"<li>{escape(line)}</li>" for line in made.splitlines() if line.strip())
    return (
        "<p>Every number of solutions on this page is exact. Diagrams are counted, not sampled; "
        "the cross-check compares engines that share no code. Times were taken on the machine "
        f"named here and say more as ratios than as seconds.</p><ul>{lines}</ul>"
    )


def _table(caption: str, headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(str(h))}</th>' for h in headers)
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{escape(str(c))}</th>' if i == 0 else f"<td>{escape(str(c))}</td>"
            for i, c in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="data"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _grid(puzzle: Puzzle, hints: Puzzle, label: str) -> str:
    layout, n = puzzle.layout, puzzle.n
    rows = []
    for r in range(n):
        cells = []
        for c in range(n):
            digit = puzzle[r, c]
            classes = ["hint" if hints[r, c] else "found"]
            classes += ["t"] * (r % layout.box_rows == 0) + ["l"] * (c % layout.box_columns == 0)
            symbol = SYMBOLS[digit - 1] if digit else ""
            cells.append(f'<td class="{" ".join(classes)}">{symbol}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<table class="grid" aria-label="{escape(label)}"><tbody>{"".join(rows)}</tbody></table>'
    )


def _picture(figure: Figure, caption: str) -> str:
    """The figure as an embedded PNG: one size for all readers, and far smaller than its SVG."""
    import base64

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    text = escape(caption)
    return (
        f'<figure><img alt="{text}" src="data:image/png;base64,{data}">'
        f"<figcaption>{text}</figcaption></figure>"
    )


def _puzzle(data: dict[str, Any], puzzle: Puzzle) -> str:
    clashes = "".join(f"<p><strong>Hints clash:</strong> {escape(t)}</p>" for t in data["clashes"])
    return (
        _grid(puzzle, puzzle, "The puzzle")
        + f"<p>{escape(data['layout'])}, {data['hints']} hints: <code>{puzzle.line}</code></p>"
        + clashes
    )


def _variables(data: dict[str, Any], puzzle: Puzzle) -> str:
    rows = [(a, d["variables"], d["constraints"], d["fixed"]) for a, d in data.items()]
    return _table(
        "Variables under each allocation",
        ["allocation", "variables", "constraints", "cells settled"],
        rows,
    )


def _time(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _procedures(data: dict[str, Any], puzzle: Puzzle) -> str:
    rows = [
        (
            run["procedure"],
            "×" if run["nodes"] is None else thousands(run["nodes"]),
            thousands(run["peak_nodes"]),
            _time(run["seconds"]),
            run["limit"] or "",
        )
        for run in data["runs"]
    ]
    caption = (
        f"BDD by conjunction, allocation {data['allocation']}, {data['backend']}; "
        f"limits {data['limits']}; × where one was reached"
    )
    return _table(caption, ["procedure", "nodes", "peak nodes", "seconds", "stopped by"], rows)


def _solutions(data: dict[str, Any], puzzle: Puzzle) -> str:
    if data.get("limit"):
        return f"<p>× {escape(data['limit'])}</p>"
    count = int(data["count"])
    noun = "solution" if count == 1 else "solutions"
    out = [
        f"<p><strong>{thousands(count)} {noun}</strong>, counted by {escape(data['engine'])} in "
        f"{_time(data['seconds'])} s: {escape(data['why'])}.</p>"
    ]
    if data.get("zdd_nodes") is not None:
        out.append(
            f"<p>As a diagram: {thousands(data['zdd_nodes'])} ZDD nodes, "
            f"{thousands(data['bdd_nodes'])} BDD nodes over the same variables "
            f"(cell order {escape(str(data['order']))}).</p>"
        )
    first = [Puzzle.parse(line, puzzle.layout) for line in data["first"]]
    if count == 1 and first:
        out.append(_grid(first[0], puzzle, "The only solution"))
    elif first:
        items = "".join(f"<li><code>{grid.line}</code></li>" for grid in first)
        out.append(f"<p>The first:</p><ol>{items}</ol>")
    return "".join(out)


def _cells(data: dict[str, Any], puzzle: Puzzle) -> str:
    return (
        f"<p>{data['settled']} of {data['open']} open cells are the same in all solutions. "
        f"The hints leave {data['candidates']} candidates, of which {data['dead']} stand in no "
        "solution.</p>"
    )


def _hints(data: dict[str, Any], puzzle: Puzzle) -> str:
    out = []
    if "without" in data:
        rows = [
            (
                r["cell"],
                SYMBOLS[r["digit"] - 1],
                "×" if r["count"] is None else thousands(int(r["count"])),
                "redundant" if r["redundant"] else "",
            )
            for r in data["without"]
        ]
        verdict = {True: "minimal", False: "not minimal", None: "minimal or not: a limit was hit"}
        out.append(
            _table("Solutions without each hint", ["hint", "digit", "solutions", "note"], rows)
            + f"<p>The puzzle is {verdict[data['minimal']]}.</p>"
        )
    if "marginals" in data:
        out.append(_additions(data, puzzle))
    return "".join(out)


def _additions(data: dict[str, Any], puzzle: Puzzle) -> str:
    n = puzzle.n
    rows = []
    for cell in puzzle.open_cells:
        counts = [int(k) for k in data["marginals"][cell // n][cell % n]]
        if sum(1 for k in counts if k) > 1:
            rows.append(
                (f"r{cell // n + 1}c{cell % n + 1}", *(f"{k:,}" if k else "" for k in counts))
            )
    out = []
    if rows:
        out.append(
            "<details open><summary>Solutions left if a digit is added</summary>"
            + _table("One more hint", ["cell", *SYMBOLS[:n]], rows)
            + "</details>"
        )
    places = {
        key: ", ".join(f"{i['cell']}={SYMBOLS[i['digit'] - 1]}" for i in data[key]) or "none"
        for key in ("unique", "dead")
    }
    if int(data["count"]) > 1:
        out.append(f"<p>Single additions that make it unique: {places['unique']}.</p>")
    out.append(f"<p>Candidates in no solution ({len(data['dead'])}): {places['dead']}.</p>")
    for key, words in (
        ("always_equal", "Cells always equal"),
        ("always_different", "Cells always different though they share no house"),
    ):
        if data.get(key) is not None:
            listed = ", ".join(f"{a}–{b}" for a, b in data[key]) or "none"
            out.append(f"<p>{words}: {listed}.</p>")
    return "".join(out)


def _check(data: dict[str, Any], puzzle: Puzzle) -> str:
    rows = [
        (
            run["engine"],
            "×" if run["count"] is None else thousands(int(run["count"])),
            _time(run["seconds"]),
            run["limit"] or "",
        )
        for run in data["runs"]
    ]
    verdict = {
        True: f"{data['finished']} engines agree.",
        False: "The engines disagree!",
        None: "Fewer than two engines finished within the limits.",
    }[data["agree"]]
    return (
        _table("The engines side by side", ["engine", "solutions", "seconds", "stopped by"], rows)
        + f"<p>{verdict}</p>"
    )


_TITLES = {
    "puzzle": "The puzzle",
    "solutions": "Its solutions",
    "cells": "What they have in common",
    "hints": "What the hints contribute",
    "variables": "Variables",
    "procedures": "The paper's procedures",
    "check": "Cross-check",
}
_WRITERS = {
    "puzzle": _puzzle,
    "solutions": _solutions,
    "cells": _cells,
    "hints": _hints,
    "variables": _variables,
    "procedures": _procedures,
    "check": _check,
}
