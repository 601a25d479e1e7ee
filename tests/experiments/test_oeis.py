"""The files for the OEIS have the numbers of the experiments' published tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "table", "column"),
    [
        ("proper_6x6", "census.md: all grids of 6x6", 2),
        ("minimal_6x6", "census.md: all grids of 6x6", 3),
        ("minimal_4x4", "census.md: all grids of 4x4", 3),
        ("A233807", "tromino_table.md: square boards", 2),
    ],
)
def test_a_sequence_is_what_was_measured(name: str, table: str, column: int) -> None:
    file, _, heading = table.partition(": ")
    text = (ROOT / "experiments" / "results" / file).read_text(encoding="utf-8")
    rows = text.partition(f"{heading}\n")[2].partition("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    measured = {row[1].split("x")[0]: row[column].replace(",", "") for row in cells if len(row) > 3}
    terms = dict(
        line.split() for line in (ROOT / "data/oeis" / f"{name}.b.txt").read_text().splitlines()
    )
    assert terms
    assert terms.items() <= (dict.fromkeys(terms, "0") | measured).items()
    entry = (ROOT / "data/oeis" / f"{name}.txt").read_text(encoding="utf-8")
    data = re.findall(r"\d+", "".join(re.findall(r"^%[STU] (.*)$", entry, re.M)))
    assert data == list(terms.values())[: len(data)]
