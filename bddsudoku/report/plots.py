"""Plots with matplotlib (extra ``plot``): every ``plot_`` function returns a Figure.

Colours are Okabe and Ito's, which colour-blind readers can distinguish, and every line has a
marker or a dash pattern of its own, so that plots can be printed in black and white.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bddsudoku.argument_types import check_types
from bddsudoku.errors import BackendUnavailable, PuzzleFormatError
from bddsudoku.file_io import open_atomic
from bddsudoku.lazy_imports import is_installed
from bddsudoku.notebook_html import entropy
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.svg.elements import inset_outlines, small_digit_grid
from bddsudoku.report.formatting import solution_count_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bddsudoku.jit.decorators import AnyArray

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


ENDINGS = (".png", ".svg", ".pdf")


def require_matplotlib() -> None:
    """Raise BackendUnavailable where matplotlib is not installed; imports nothing."""
    if not is_installed("matplotlib"):
        raise BackendUnavailable("pictures need matplotlib: pip install matplotlib")


def require_picture_ending(path: str | Path) -> str:
    """Return the ending of a picture's file name in lower case; PuzzleFormatError for others."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise PuzzleFormatError(f"expected a picture ending in .png, .svg or .pdf, found {path}")
    return ending


def new_figure(width: float, height: float) -> Figure:
    """Make a figure that needs no window system and displays itself in notebooks."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    figure._repr_png_ = partial(png_bytes, figure)
    return figure  # type: ignore[no-any-return]  # matplotlib is untyped


def png_bytes(figure: Figure, dpi: int = 100) -> bytes:
    """Render a figure as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file as PNG, SVG or PDF, by the file's ending."""
    ending = require_picture_ending(path)
    import matplotlib as mpl

    # Text stays text in SVG (searchable, small); files do not depend on the date.
    options: dict[str, Any] = {"Date": None} if ending == ".svg" else {}
    style = mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bddsudoku"})
    with style, open_atomic(path) as file:
        figure.savefig(file, format=ending[1:], dpi=160, metadata=options or None)


def _board_axes(figure: Figure, layout: Layout, scale: float) -> Axes:
    """Axes with a board's lines, rows and columns; a cell is a square of side 1."""
    axes = figure.add_subplot()
    high, wide = layout.row_count, layout.column_count
    axes.hlines(range(1, high), 0, wide, color="black", lw=0.5, zorder=3)
    axes.vlines(range(1, wide), 0, high, color="black", lw=0.5, zorder=3)
    areas = [range(layout.grid_cell_count), *(block.cells for block in layout.blocks)]
    for area in areas:
        for line in inset_outlines([divmod(cell, wide) for cell in area], 0):
            axes.plot(*zip(*line, line[0], strict=True), color="black", lw=2.0, zorder=3)
    axes.set(xlim=(-0.03, wide + 0.03), ylim=(high + 0.03, -0.03), aspect="equal")
    axes.set_xticks(np.arange(wide) + 0.5, [f"c{i + 1}" for i in range(wide)])
    axes.set_yticks(np.arange(high) + 0.5, [f"r{i + 1}" for i in range(high)])
    axes.tick_params(length=0, labelsize=8 * scale)
    axes.xaxis.tick_top()
    axes.spines[:].set_visible(False)
    return axes


@check_types
def plot_marginals(puzzle: Puzzle, counts: NDArray[Any], *, title: str | None = None) -> Figure:
    """Draw the marginals of the grid's cells as a heat map; a cell's colour is its entropy.

    A hint is bold, and a cell of the backbone shows its digit large; elsewhere every digit in some
    solution is drawn at its place in the cell, the larger the more solutions have it.

    Args:
        puzzle: the puzzle whose hints are marked.
        counts: exact marginals, shape (n, n, n).
        title: by default the number of solutions.

    Raises:
        BackendUnavailable: matplotlib is not installed.
    """
    layout, total = puzzle.layout, int(counts[0, 0].sum())
    high, wide, n = layout.grid.array_shape
    cells = counts.reshape(-1, n)[: layout.grid_cell_count].tolist()
    figure = new_figure(0.72 * wide + 1.4, 0.72 * high + 0.8)
    from matplotlib.colors import LinearSegmentedColormap

    large = max(1.0, wide / 9)  # large pictures are scaled down when shown
    axes = _board_axes(figure, layout, large)
    heat = axes.imshow(
        np.reshape([entropy(cell) for cell in cells], (high, wide)),
        # black digits stay legible, in grey print, too
        cmap=LinearSegmentedColormap.from_list("paper", ["#f7fbff", "#65aad4"]),
        vmin=0,
        vmax=float(np.log2(n)),
        extent=(0, wide, high, 0),
    )
    down, right = small_digit_grid(n)
    for number, cell in enumerate(cells):
        row, column = divmod(number, wide)
        hint, live = puzzle.numbers[number], [d for d, k in enumerate(cell) if k]
        for d in [hint - 1] if hint else live:
            y, x, size = row + 0.53, column + 0.5, 20.0
            if len(live) > 1:
                y, x = row + (d // right + 0.5) / down, column + (d % right + 0.5) / right
                size = (5.5 + 8.5 * (int(cell[d]) / total) ** 0.5) * 3 / right
            style: dict[str, Any] = {
                "color": PALETTE[0] if len(live) == 1 and not hint else "black"
            }
            style["fontweight"] = "bold" if hint else "normal"
            axes.text(x, y, layout.symbols[d], ha="center", va="center", fontsize=size, **style)
    axes.set_title(title or solution_count_text(total), fontsize=11 * large)
    if total > 1:
        legend = (
            "bold: hint   blue: the same in all   small: the larger, the more solutions have it"
        )
        axes.set_xlabel(legend, fontsize=8 * large if wide > 6 else 6, loc="left")
        bar = figure.colorbar(heat, ax=axes, shrink=0.8, pad=0.02)
        bar.set_label("entropy of the cell [bits]", fontsize=10 * large)
        bar.ax.tick_params(labelsize=9 * large)
    return figure


Points: TypeAlias = "Sequence[tuple[float, float]]"


def _log_chart(
    lines: Mapping[str, Points],
    labels: tuple[str, str, str],
    crosses: Mapping[str, Points],
    marked: bool = False,
    **style: Any,
) -> Figure:
    """Plot lines on a log scale; crosses mark the points where a limit was reached.

    ``labels``: the title and the names of both axes.
    """
    figure = new_figure(7.2, 4.6)
    axes = figure.add_subplot()
    for i, (name, points) in enumerate(lines.items()):
        k = i % len(PALETTE)
        x, y = [at for at, _ in points], [float(value) for _, value in points]
        marker = MARKERS[k] if marked else ""
        axes.plot(x, y, color=PALETTE[k], ls=DASHES[k], label=name, marker=marker, **style)
        for at in crosses.get(name, ()):
            axes.plot(*at, "x", ms=9, mew=2.2, color=PALETTE[k])
    axes.grid(True, which="major", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    title, xlabel, ylabel = labels
    axes.set(xlabel=xlabel, ylabel=ylabel, yscale="log")
    if lines:
        # Below the picture, where it hides no line; as many columns as there is room for.
        columns = max(1, min(3, len(lines), 78 // (max(map(len, lines)) + 5)))
        axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns)
    axes.set_title(title, fontsize=11)
    return figure


@check_types
def plot_steps(
    runs: Mapping[str, Sequence[int]], *, stopped: Sequence[str] = (), title: str | None = None
) -> Figure:
    """Plot the nodes of the BDD after every conjunction, with one line for each procedure.

    Args:
        runs: name of a procedure → number of nodes after every step.
        stopped: names of runs that a limit ended; their last point is crossed out.
        title: for the top of the picture.
    """
    lines, crosses = {}, {}
    for name, nodes in runs.items():
        points = [(step, max(1, size)) for step, size in enumerate(nodes, 1)]
        is_stopped = name in stopped
        label = f"{name} (× limit)" if is_stopped else name
        lines[label], crosses[label] = points, points[-1:] if is_stopped else []
    labels = title or "Size of the BDD while it is built", "constraints conjoined", "BDD nodes"
    return _log_chart(lines, labels, crosses, lw=1.5)


@check_types
def plot_removal(
    curves: Mapping[str, Sequence[tuple[int, float]]],
    *,
    stopped: Mapping[str, Sequence[tuple[int, float]]] | None = None,
    ylabel: str = "solutions",
    title: str | None = None,
) -> Figure:
    """Plot how a quantity grows, on a log scale, as hints are removed (fewer to the right).

    Args:
        curves: name → points (hints, exact value > 0).
        stopped: name of a curve → points (hints, value) at which a limit was reached, crossed out.
        ylabel: name of the values.
        title: for the top of the picture.
    """
    labels = title or "Taking hints away", "hints left", ylabel
    figure = _log_chart(curves, labels, stopped or {}, marked=True, ms=4.5, lw=1.3)
    from matplotlib.ticker import MaxNLocator

    (axes,) = figure.axes
    figure.set_figheight(4.7)
    axes.invert_xaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


@check_types
def plot_profiles(
    profiles: Mapping[str, Sequence[int] | AnyArray], *, title: str | None = None
) -> Figure:
    """Plot the width of a diagram at every variable, for several variable orders.

    Levels without a node (variables that are false in every solution) are left out.

    Args:
        profiles: name of the order → nodes at each level, top first.
        title: for the top of the picture.
    """
    named = {
        f"{name}: {int(np.sum(widths)):,} nodes": [
            (level, int(nodes)) for level, nodes in enumerate(widths) if nodes
        ]
        for name, widths in profiles.items()
    }
    labels = (
        title or "Width of the diagram",
        "level of the variable (0 = root)",
        "nodes at the level",
    )
    return _log_chart(named, labels, {}, lw=1.1)
