"""Boards: what they are, what they refuse, when edges are a solution."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.numberlink import Board, Links

RINGS = Board(3, 3, (((0, 0), (2, 2)), ((1, 1), (2, 1))))


def test_points_cells_and_edges_agree() -> None:
    for width, height in ((1, 1), (1, 4), (4, 1), (2, 2), (5, 3)):
        if width * height < 2:
            continue
        board = Board.of_cells(width, height, [(0, width * height - 1)])
        assert board.edges == tuple(sorted(set(board.edges)))
        assert len(board.edges) == width * (height - 1) + height * (width - 1)
        for edge in board.edges:
            a, b = board.ends(edge)
            assert board.edge(a, b) == board.edge(b, a) == edge
            (xa, ya), (xb, yb) = board.point(a), board.point(b)
            assert abs(xa - xb) + abs(ya - yb) == 1
            assert edge % 2 == (xa == xb)
        for cell in range(board.cell_count):
            assert board.cell(*board.point(cell)) == cell
            with pytest.raises(ValueError, match="not neighbours"):
                board.edge(cell, cell)
    with pytest.raises(ValueError, match="no edge"):
        RINGS.ends(2 * 2)  # to the right of the last column


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 3, (((0, 0), (1, 1)),)), "1x1 or more"),
        ((3, 3, ()), "at least one pair"),
        ((3, 3, (((0, 0), (3, 1)),)), r"\(3,1\) of pair 1 lies outside"),
        ((3, 3, (((0, 0), (0, 0)),)), "r1c1: two terminals in one cell, of pairs 1 and 1"),
        ((3, 3, (((0, 0), (1, 0)),), "half"), "free or cover, found 'half'"),
        ((3, 3, (((0, 0), (1, 0)),), "free", ("a", "b")), "1 different names"),
    ],
)
def test_bad_boards_are_refused_in_one_line(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(PuzzleFormatError, match=message) as refused:
        Board(*arguments)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


# 0 1 2
# 3 4 5      pair 1: 0 – 8, pair 2: 4 – 5
# 6 7 8
def edges(*path: int) -> list[int]:
    return [RINGS.edge(a, b) for a, b in pairwise(path)]


@pytest.mark.parametrize(
    ("used", "message"),
    [
        (edges(0, 3, 6, 7, 8), "0 edges at the terminal r2c2"),
        (edges(0, 3, 6, 7, 8) + edges(1, 4, 5, 2, 1), "2 edges at the terminal r2c2"),
        (edges(0, 3, 6, 7) + edges(4, 5), "1 edges at r3c2"),
        (edges(0, 3, 6) + edges(7, 8) + edges(4, 5), "1 edges at r3c1"),
    ],
)
def test_faults_are_named(used: list[int], message: str) -> None:
    fault = RINGS.fault(used)
    assert fault is not None
    assert message in fault
    with pytest.raises(PuzzleFormatError, match="not a solution"):
        Links(RINGS, used)


def test_rules_are_checked() -> None:
    around = edges(0, 3, 6, 7, 8) + edges(4, 5)
    assert RINGS.fault(around) is None
    assert "not covered" in str(RINGS.with_rule("cover").fault(around))
    board = Board(3, 2, (((0, 0), (2, 0)),))
    detour = [board.edge(a, b) for a, b in ((0, 3), (3, 4), (4, 5), (5, 2))]
    assert board.fault(detour) is None


def test_loops_and_wrong_partners_are_faults() -> None:
    board = Board(4, 2, (((0, 0), (0, 1)),))
    loop = [board.edge(a, b) for a, b in ((0, 4), (2, 3), (3, 7), (6, 7), (2, 6))]
    assert "loop" in str(board.fault(loop))
    crossed = Board(2, 2, (((0, 0), (1, 1)), ((1, 0), (0, 1))))
    assert "ends at" in str(crossed.fault([crossed.edge(0, 1), crossed.edge(2, 3)]))


def test_links_know_their_paths() -> None:
    links = Links.of_paths(RINGS, [(8, 7, 6, 3, 0), (4, 5)])
    assert links.paths == ((0, 3, 6, 7, 8), (4, 5))
    assert links.wire == 5
    assert links.pair_by_cell == (1, 0, 0, 1, 2, 2, 1, 1, 1)
    assert links == Links(RINGS.with_rule("cover").with_rule("free"), links.edges)
    other = Board(3, 3, RINGS.pairs[:1])
    assert links != Links.of_paths(other, [(0, 1, 2, 5, 8)])
    assert pickle.loads(pickle.dumps(links)) == links
    with pytest.raises(PuzzleFormatError, match="not neighbours"):
        Links.of_paths(RINGS, [(0, 8), (4, 5)])
    with pytest.raises(AttributeError):
        links.edges = ()
