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
    """A line for each program, from the least ratio to the most; a mark at its median or mean."""
    lists, variants, boards = (
        _rows(heading)[2:]
        for heading in (
            "Lists beside C++ and Rust",
            "Variants beside Interactive-Sudoku-Solver",
            "Numberlink beside Graphillion",
        )
    )
    bars = {
        "tdoku, lists": [1 / _number(row[5]) for row in lists if len(row) == 8],
        "sudoku (Rust), lists": [1 / _number(row[7]) for row in lists if len(row) == 8],
        "ISS, variants": [_number(row[4]) / _number(row[3]) for row in variants],
        "Graphillion, Numberlink": [_number(row[-1]) for row in boards],
    }
    for name, kind, *_, mean, least, most in _rows("Tilings and other exact covers"):
        if kind in ("search", "count", "diagram"):
            bars[f"{name.partition(' (')[0]}, covers"] = [*map(_number, (least, mean, most))]
    with chart(folder, "measurements_beside", 7.4, 4.6, "time of the other program / ours") as axes:
        for y, (name, ratios) in enumerate(bars.items()):
            axes.plot([min(ratios), max(ratios)], [y, y], color=BLUE, lw=3)
            axes.plot(sorted(ratios)[len(ratios) // 2], y, "o", color=BLUE, mec="white", ms=9)
            axes.text(max(ratios) * 1.3, y, name, va="center", fontsize=10)
        axes.axvline(1, color=BLACK, lw=1)
        axes.set(xscale="log", xlim=(0.05, 3e6), yticks=[])
        axes.xaxis.set_major_formatter("{x:,.7g}")
        axes.invert_yaxis()
