"""What the pictures share: figures on a white ground, small grids, layered graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.patches import FancyArrowPatch, Rectangle

from bddsudoku.file_io import open_atomic
from bddsudoku.report.plots import PALETTE, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK = PALETTE
GREY = "#6b6b6b"
PALE = {BLUE: "#cfe3f3", RED: "#f9dcc9", GREEN: "#c9ebdf", PINK: "#f2dcea", ORANGE: "#fbe8bf"}
"""Grounds on which black digits are legible."""


def canvas(width: float, height: float, wide: float, high: float) -> tuple[Figure, Axes]:
    """A figure with one empty drawing area; y runs downwards."""
    figure = new_figure(width, height)
    axes = figure.add_subplot()
    axes.set(xlim=(0, wide), ylim=(high, 0), aspect="equal")
    axes.axis("off")
    return figure, axes


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as SVG, letters as outlines: it looks the same in every browser."""
    style = mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": name})
    with style, open_atomic(folder / f"{name}.svg") as file:
        figure.savefig(file, format="svg", facecolor="white", metadata={"Date": None})


@contextmanager
def chart(
    folder: Path,
    name: str,
    width: float,
    height: float,
    xlabel: str,
    ylabel: str = "",
    *,
    grid: str = "both",
    **legend: Any,
) -> Iterator[Axes]:
    """Axes of a chart, drawn in the block, and kept at its end: a light grid, two sides of a frame.

    With lines that have labels there is a legend; ``legend`` says where.
    """
    figure = new_figure(width, height)
    axes = figure.add_subplot()
    axes.set(xlabel=xlabel, ylabel=ylabel)
    yield axes
    plain(axes)
    if grid != "both":
        axes.grid(False, axis="y" if grid == "x" else "x")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(**{"frameon": False, "fontsize": 10} | legend)
    save(figure, folder, name)


def label(axes: Axes, x: float, y: float, text: str, size: float = 11, **look: Any) -> None:
    """A text with its middle at a place."""
    axes.text(x, y, text, ha="center", va="center", fontsize=size, **look)


def grid(
    axes: Axes,
    left: float,
    top: float,
    rows: Sequence[str],
    *,
    side: float = 1.0,
    box: tuple[int, int] = (3, 3),
    grounds: Mapping[tuple[int, int], str] | None = None,
    size: float = 12,
    bold: bool = False,
) -> None:
    """A board, or a piece of one: its symbols ('.' is open), cells with grounds."""
    high, wide = len(rows), len(rows[0])
    for (r, c), colour in (grounds or {}).items():
        axes.add_patch(
            Rectangle((left + c * side, top + r * side), side, side, facecolor=colour, lw=0)
        )
    for r, row in enumerate(rows):
        for c, sign in enumerate(row):
            if sign not in ".0":
                label(
                    axes,
                    left + (c + 0.5) * side,
                    top + (r + 0.54) * side,
                    sign,
                    size=size,
                    fontweight="bold" if bold else "normal",
                )
    for r in range(high + 1):
        heavy = r % box[0] == 0 or r == high
        y = top + r * side
        axes.plot([left, left + wide * side], [y, y], color="black", lw=1.6 if heavy else 0.5)
    for c in range(wide + 1):
        heavy = c % box[1] == 0 or c == wide
        x = left + c * side
        axes.plot([x, x], [top, top + high * side], color="black", lw=1.6 if heavy else 0.5)


def arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    colour: str = BLACK,
    bend: float = 0.0,
    style: str = "-",
    width: float = 1.2,
    head: float = 10,
    gap: float = 0.0,
) -> None:
    """An arrow; `bend` curves it, `gap` keeps it off both ends (points)."""
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>" if head else "-",
            mutation_scale=head or 1,
            connectionstyle=f"arc3,rad={bend}",
            linestyle=style,
            color=colour,
            lw=width,
            shrinkA=gap,
            shrinkB=gap,
        )
    )


def plain(axes: Axes) -> None:
    """Axes of a chart: a light grid, no frame above and to the right."""
    axes.grid(True, which="major", alpha=0.3)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def layered(
    axes: Axes,
    left: float,
    wide: float,
    layers: Sequence[Sequence[object]],
    edges: Sequence[tuple[int, object, object]],
    *,
    colour: str = BLUE,
    size: float = 14,
    width: float = 0.7,
) -> None:
    """A layered graph, one layer a unit of height: nodes as dots, edges (layer, from, to)."""
    place = {}
    for level, nodes in enumerate(layers):
        for n, node in enumerate(nodes):
            place[level, node] = left + wide * (n + 0.5) / len(nodes)
    for level, start, end in edges:
        xs = [place[level, start], place[level + 1, end]]
        axes.plot(xs, [level, level + 1], color=GREY, lw=width, zorder=1)
    for (level, _), x in place.items():
        axes.scatter([x], [level], s=size, color=colour, zorder=2)
