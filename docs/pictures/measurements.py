"""The picture of the page on measurements: times of other programs, divided by ours."""

from __future__ import annotations

import re
from pathlib import Path

from _drawing import BLACK, BLUE, chart

PAGE = Path(__file__).parents[1] / "explanation" / "measurements.md"


def _rows(heading: str) -> list[list[str]]:
    """The tables below a heading of the page: the cells of each row."""
    part = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return [re.split(r" *\| *", line)[1:-1] for line in part.splitlines() if line[:1] == "|"]


def _number(cell: str) -> float:
    return float(cell.strip(">").replace(",", ""))


def draw(folder: Path) -> None:
    """A line for each program, from the least ratio to the most, and a mark at its mean."""
    bars: dict[str, list[float]] = {}
    for row in _rows("Lists beside C++ and Rust")[2:]:
        for name, column in (("tdoku, lists", 5), ("sudoku (Rust), lists", 7)):
            bars.setdefault(name, []).append(1 / _number(row[column]))
    for row in _rows("Variants beside Interactive-Sudoku-Solver")[2:]:
        bars.setdefault("ISS, variants", []).append(_number(row[4]) / _number(row[3]))
    for row in _rows("Numberlink beside Graphillion")[2:]:
        bars.setdefault("Graphillion, Numberlink", []).append(_number(row[-1]))
    for row in _rows("Tilings and other exact covers"):
        if row[1] in ("search", "count", "diagram"):
            bars[re.sub(r" \(.*|$", "", row[0], count=1) + ", covers"] = [
                _number(row[k]) for k in (4, 3, 5)
            ]
    with chart(folder, "measurements_beside", 7.4, 4.6, "time of the other program / ours") as axes:
        for y, (name, ratios) in enumerate(bars.items()):
            middle = ratios[1] if y > 3 else sorted(ratios)[len(ratios) // 2]
            axes.plot([min(ratios), max(ratios)], [y, y], color=BLUE, lw=3, solid_capstyle="round")
            axes.plot(middle, y, "o", color=BLUE, mec="white", ms=9)
            axes.text(max(ratios) * 1.3, y, name, va="center", fontsize=10)
        axes.axvline(1, color=BLACK, lw=1)
        axes.set(xscale="log", xlim=(0.05, 3e6), yticks=[])
        axes.set_xticks(
            [0.1, 1, 10, 100, 1000, 10_000], ["0.1", "1", "10", "100", "1,000", "10,000"]
        )
        axes.invert_yaxis()
