"""Drawing MDDs and binary decision diagrams, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from _drawing import BLACK, BLUE, GREEN, GREY, PALE, RED, arrow, label
from matplotlib.patches import Circle, Rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bddsudoku.model.to_mdd import ConstraintMdd


def box(axes: Axes, x: float, y: float, text: str, colour: str = "white") -> None:
    """A terminal."""
    axes.add_patch(
        Rectangle((x - 0.32, y - 0.26), 0.64, 0.52, facecolor=colour, edgecolor="black", zorder=3)
    )
    label(axes, x, y + 0.02, text, size=12, zorder=4)


def bdd(
    axes: Axes,
    machine: ConstraintMdd,
    names: Sequence[str],
    places: dict[int, float],
    *,
    left: float = 0.0,
    size: float = 11,
) -> None:
    """The BDD of a machine: `places` gives x of each node and terminal by its number."""
    variable, low, high, root = machine.bdd()
    order = [v for (v,) in machine.levels if v in set(variable.tolist())]
    row = {v: n for n, v in enumerate(order)}
    last = len(order) + 0.25

    def at(node: int) -> tuple[float, float]:
        y = last if node < 2 else float(row[int(variable[node - 2])]) + 0.5
        return left + places[node], y

    for n in range(len(variable)):
        start = at(n + 2)
        arrow(axes, start, at(int(low[n])), colour=GREY, style="--", gap=13, bend=0.0)
        arrow(axes, start, at(int(high[n])), colour=BLUE, gap=13, bend=0.0)
    for n in range(len(variable)):
        x, y = at(n + 2)
        ground = PALE[BLUE] if n + 2 == root else "white"
        axes.add_patch(Circle((x, y), 0.3, facecolor=ground, edgecolor="black", zorder=3))
        name = names[int(variable[n])]
        label(axes, x, y, name, size=size, zorder=4)
    for node, text in ((0, "0"), (1, "1")):
        if node in places:
            box(axes, *at(node), text, PALE[GREEN] if node else PALE[RED])


def spread(machine: ConstraintMdd, wide: float) -> dict[int, float]:
    """Places for :func:`bdd`: the nodes of each level evenly, below their parents."""
    variable, low, high, root = machine.bdd()
    place = {root: wide / 2}
    for (v,) in machine.levels:
        here = [n + 2 for n in range(len(variable)) if int(variable[n]) == v]
        above: dict[int, list[float]] = {node: [] for node in here}
        for n in range(len(variable)):
            for child in (int(low[n]), int(high[n])):
                if child in above and n + 2 in place:
                    above[child].append(place[n + 2])
        here.sort(key=lambda node: sum(above[node]) / max(len(above[node]), 1))
        if root not in here:
            for k, node in enumerate(here):
                place[node] = wide * (k + 0.5) / len(here)
    return place | {0: wide * 0.25, 1: wide * 0.75}


def states(
    axes: Axes,
    machine: ConstraintMdd,
    signs: Sequence[Sequence[str]],
    heads: Sequence[str],
    *,
    top: float = 0.0,
    labels: Sequence[Sequence[str]] | None = None,
    step: float = 2.2,
    size: float = 9.5,
) -> None:
    """A machine from left to right: a column of states for each level, arrows with choices.

    Choices that lead nowhere are left out; choices of the same arrow stand together.
    """
    tables = machine.mdd.tables
    widths = machine.mdd.widths
    most = max(widths)

    def at(level: int, state: int) -> tuple[float, float]:
        return 0.8 + step * level, top + 0.8 + most / 2 + (state - (widths[level] - 1) / 2) * 1.0

    for level, table in enumerate(tables):
        for state, row in enumerate(table):
            stated: dict[int, list[str]] = {}
            for choice, child in enumerate(row):
                if child >= 0:
                    stated.setdefault(int(child), []).append(signs[level][choice])
            for child, choices in stated.items():
                start, end = at(level, state), at(level + 1, child)
                arrow(axes, start, end, gap=11, width=0.9, head=8, colour=GREY)
                x = start[0] * 0.62 + end[0] * 0.38
                y = start[1] * 0.62 + end[1] * 0.38
                label(axes, x, y, "".join(choices), size=size, color=BLUE,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
                )  # fmt: skip
        x = 0.8 + step * (level + 0.5)
        label(axes, x, top + 0.35, heads[level])
    for level, wide in enumerate(widths):
        for state in range(wide):
            x, y = at(level, state)
            final = level == len(tables)
            axes.add_patch(
                Circle(
                    (x, y), 0.3, facecolor=PALE[GREEN] if final else "white", edgecolor=BLACK,
                    zorder=3,
                )
            )  # fmt: skip
            text = labels[level][state] if labels is not None else ""
            label(axes, x, y, text, size=size, zorder=4)
