"""The cells, pairs, sets and lines that rules speak of, which their two definitions share."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.puzzle.sudoku.rules import Place, rule_from_line

NINE = Layout()
SIX = Layout(2, 3)
OBLONG = Layout.of_shape(8, 9)


def rule(line: str) -> Any:
    return rule_from_line(line)


def words(line: str, layout: Layout = NINE) -> list[str]:
    return [" ".join(map(str, places)) for places in rule(line).sequences(layout).values()]


def places(layout: Layout) -> list[Place]:
    return [Place(*at) for at in product(range(layout.row_count), range(layout.column_count))]


@pytest.mark.parametrize("layout", [NINE, OBLONG])
@pytest.mark.parametrize(
    ("line", "square"),
    [("antiknight", 5), ("antiking", 2), ("nonconsecutive", 1), ("negative xv", 1)],
)
def test_pairs_at_a_distance(line: str, square: int, layout: Layout) -> None:
    found = [tuple(sorted(pair)) for pair in rule(line).pairs(layout)]
    assert len(found) == len({*found})
    assert {*found} == {
        (a, b)
        for a, b in combinations(places(layout), 2)
        if (a.row - b.row) ** 2 + (a.column - b.column) ** 2 == square
    }


def test_cells_as_many_steps_apart_as_their_digit_says() -> None:
    found = [(d, *sorted(pair)) for d, *pair in rule("antitaxicab").meetings(OBLONG)]
    assert len(found) == len({*found})
    assert {*found} == {
        (abs(a.row - b.row) + abs(a.column - b.column), a, b)
        for a, b in combinations(places(OBLONG), 2)
        if a.row != b.row
        and a.column != b.column
        and abs(a.row - b.row) + abs(a.column - b.column) < 10
    }


def test_windows_along_a_line() -> None:
    assert words("entropic r1c1 r1c2") == ["r1c1 r1c2"]
    assert words("modular 2 r1c1 r1c2 r1c3") == ["r1c1 r1c2", "r1c2 r1c3"]


def test_pairs_that_are_spared_or_marked() -> None:
    every = {*rule("negative ratio").pairs(SIX)}
    left = {*rule("negative ratio r1c2 r1c1 r3c3 r4c3").pairs(SIX)}
    assert every - left == {(Place(0, 0), Place(0, 1)), (Place(2, 2), Place(3, 2))}
    pairs = [f"{a} {b}" for a, b in rule("minimum r1c1 r2c1 > r2c2").pairs(SIX)]
    assert sorted(pairs) == ["r1c1 r1c2", "r2c1 r3c1"]


@pytest.mark.parametrize(
    ("line", "group"),
    [
        ("diagonal", lambda r, c: r == c or None),
        ("antidiagonal", lambda r, c: r + c == 8 or None),
        ("windoku", lambda r, c: (r // 4, c // 4) if r % 4 and c % 4 else None),
        ("disjointgroups", lambda r, c: (r % 3, c % 3)),
    ],
)
def test_sets_in_which_digits_differ(line: str, group: Any) -> None:
    expected: dict[object, set[Place]] = {}
    for place in places(NINE):
        if (key := group(*place)) is not None:
            expected.setdefault(key, set()).add(place)
    found = [{*cells} for cells in rule(line).sets(NINE).values()]
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected.values()))


def test_both_diagonals() -> None:
    assert rule("diagonals").sets(NINE) == rule("diagonal").sets(NINE) | rule("antidiagonal").sets(
        NINE
    )


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("rowindexer r2c3", "r1c3 r2c3 r3c3 r4c3 r5c3 r6c3"),
        ("columnindexer r2c3", "r2c1 r2c2 r2c3 r2c4 r2c5 r2c6"),
        ("boxindexer r4c2", "r3c1 r3c2 r3c3 r4c1 r4c2 r4c3"),
    ],
)
def test_lines_that_a_digit_indexes(line: str, cells: str) -> None:
    indexer = rule(line)
    assert " ".join(map(str, indexer.indexed_cells(SIX, indexer.cells[0]))) == cells


@pytest.mark.parametrize(
    ("line", "sides"),
    [
        ("doublearrow r1c1 r1c2 r1c3 r2c3", "r1c1 r2c3, r1c2 r1c3"),
        ("zipper r1c1 r1c2 r1c3 r1c4", "r1c1 r1c4, r1c2 r1c3"),
        ("zipper r1c1 r1c2 r1c3", "r1c2, r1c1 r1c3"),
        ("regionsum r1c2 r1c3 r1c4 r2c4 r2c3", "r1c2 r1c3, r1c4 r2c4, r2c3"),
        ("equalsums r1c1 r1c2 > r1c2 r5c5", "r1c1, r5c5"),
    ],
)
def test_sides_of_equal_sums(line: str, sides: str) -> None:
    assert ", ".join(" ".join(map(str, side)) for side in rule(line).sides(NINE)) == sides


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sandwich 5 r2c0", "r2c1 r2c2 r2c3 r2c4 r2c5 r2c6"),
        ("xsum 5 r2c7", "r2c6 r2c5 r2c4 r2c3 r2c2 r2c1"),
        ("skyscraper 2 r0c3", "r1c3 r2c3 r3c3 r4c3 r5c3 r6c3"),
        ("numberedroom 2 r7c3", "r6c3 r5c3 r4c3 r3c3 r2c3 r1c3"),
        ("littlekiller 9 dr r0c3", "r1c4 r2c5 r3c6"),
        ("littlekiller 9 ul r4c7", "r3c6 r2c5 r1c4"),
        ("between r1c1 r1c2 r1c3", "r1c1 r1c3 r1c2"),
        ("lockout r1c1 r1c2 r2c3", "r1c1 r2c3 r1c2"),
        ("sumline 5 r1c1 r1c2 r2c2 r1c1", "r1c1 r1c2 r2c2"),
        ("countdistinct r1c1 > r2c2 r3c3", "r2c2 r3c3 r1c1"),
    ],
)
def test_lines_that_are_read(line: str, expected: str) -> None:
    assert words(line, SIX) == [expected]


def test_lines_of_the_whole_board() -> None:
    assert words("palindrome r1c1 r1c2 r1c3 r1c4 r2c5") == ["r1c1 r2c5", "r1c2 r1c4"]
    columns = words("dutchflatmates", OBLONG)
    assert len(columns) == 9
    assert columns[1] == "r1c2 r2c2 r3c2 r4c2 r5c2 r6c2 r7c2 r8c2"
    squares = words("globalentropy", OBLONG)
    assert len(squares) == 7 * 8
    assert squares[0] == "r1c1 r1c2 r2c1 r2c2"
    assert squares[-1] == "r7c8 r7c9 r8c8 r8c9"
