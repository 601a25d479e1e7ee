"""The cells, pairs, sets and lines that rules speak of, which their two definitions share."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.puzzle.sudoku.rules import Place, rule_from_line

NINE = Layout()
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


def test_lines_of_the_whole_board() -> None:
    assert words("palindrome r1c1 r1c2 r1c3 r1c4 r2c5") == ["r1c1 r2c5", "r1c2 r1c4"]
    columns = words("dutchflatmates", OBLONG)
    assert len(columns) == 9
    assert columns[1] == "r1c2 r2c2 r3c2 r4c2 r5c2 r6c2 r7c2 r8c2"
    squares = words("globalentropy", OBLONG)
    assert len(squares) == 7 * 8
    assert squares[0] == "r1c1 r1c2 r2c1 r2c2"
    assert squares[-1] == "r7c8 r7c9 r8c8 r8c9"
