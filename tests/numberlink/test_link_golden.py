"""The boards in data/numberlink: counts that an independent count confirmed stay what they are.

``tests/golden/numberlink.csv`` says which count that was: the plain search beside this file,
Graphillion (test_path_graphillion.py), a known sequence, or, for the contest's board, the side by
side run of experiments/numberlink.py.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import link_search
import pytest

from bddsudoku.numberlink import Board
from bddsudoku.numberlink.link_sets import compile_links, count_links

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data" / "numberlink"
with (ROOT / "tests" / "golden" / "numberlink.csv").open(encoding="utf-8", newline="") as stream:
    ROWS = [
        (r["file"], r["rule"], int(r["count"]), r["confirmed by"].split())
        for r in csv.DictReader(stream)
    ]


def read(name: str, rule: Any = None) -> Board:
    return Board.parse((DATA / name).read_text(encoding="utf-8"), name).with_rule(rule)


def cases(word: str) -> list[Any]:
    """Board, rule and count of the rows with this word."""
    return [pytest.param(*row[:3], id=f"{row[0]}-{row[1]}") for row in ROWS if word in row[3]]


def test_every_board_is_there_under_both_rules() -> None:
    names = sorted(path.name for path in DATA.iterdir())
    assert sorted((name, rule) for name, rule, _, _ in ROWS) == sorted(
        (name, rule) for name in names for rule in ("free", "cover")
    )
    assert all(words for *_, words in ROWS)
    counts = [count for _, _, count, _ in ROWS]
    assert 0 in counts
    assert counts.count(1) >= 5
    assert max(counts) > 2**32


@pytest.mark.parametrize(
    ("name", "rule", "count"),
    [
        pytest.param(*row[:3], marks=pytest.mark.slow if row[:2] == ("nl_q07.txt", "free") else ())
        for row in ROWS
    ],
)
def test_the_engine(name: str, rule: str, count: int) -> None:
    board = read(name, rule)
    assert count_links(board).count == count
    solutions = compile_links(board).solutions
    assert solutions.count() == count
    if count <= 2000:
        found = list(solutions)
        assert len({links.edges for links in found}) == count
    else:
        found = solutions.sample(20, 1)
    assert all(board.fault(links.edges) is None for links in found)


@pytest.mark.parametrize(("name", "rule", "count"), cases("search"))
def test_plain_search(name: str, rule: str, count: int) -> None:
    assert link_search.count(read(name, rule)) == count


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule", "count"), cases("slow-search"))
def test_long_plain_search(name: str, rule: str, count: int) -> None:
    assert link_search.count(read(name, rule)) == count


def test_the_plain_search_on_walks_that_oeis_counts() -> None:
    for side, count in ((2, 2), (3, 12), (4, 184), (5, 8512)):  # A007764
        assert link_search.count(Board.of_cells(side, side, [(0, side * side - 1)])) == count
