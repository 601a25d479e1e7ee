"""Tilings counted by dancing links, by the frontier, and by methods of their own."""

from __future__ import annotations

import math
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.engine import dlx
from bddsudoku.engine.frontier import compile_spec, count_spec
from bddsudoku.engine.specs.product_spec import model_spec
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.tiling import (
    Board,
    Piece,
    Placement,
    Tiling,
    TilingDecoder,
    count_orbits,
    pieces,
)
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver import iterate_solution_keys

TROMINO_7 = [(0, 1440), (1, 704), (10, 576), (17, 416), (24, 736)]
TROMINO = [
    *((Board.rectangle(7, 7, [removed]), n) for removed, n in TROMINO_7),
    (Board.rectangle(6, 6), 162),
    (Board.rectangle(4, 4, [5]), 1),
    (Board.rectangle(5, 5, [0]), 8),
    (Board.rectangle(5, 5, [1]), 0),
    (Board.rectangle(8, 8, [0]), 30355),
    (Board.rectangle(9, 9), 1193600),
]


def kasteleyn(rows: int, columns: int) -> int:
    """Domino tilings of a rectangle with an even side, in closed form (Kasteleyn 1961)."""
    product = 1.0
    for j in range(1, (rows + 1) // 2 + 1):
        for k in range(1, (columns + 1) // 2 + 1):
            a = math.cos(math.pi * j / (rows + 1))
            b = math.cos(math.pi * k / (columns + 1))
            product *= 4 * a * a + 4 * b * b
    return round(product)


def dominoes(rows: int, columns: int) -> Tiling:
    return Tiling(Board.rectangle(rows, columns), pieces("dominoes"))


@pytest.mark.parametrize(("board", "expected"), TROMINO, ids=[str(i) for i in range(len(TROMINO))])
def test_l_trominoes(board: Board, expected: int) -> None:
    model = Tiling(board, pieces("L3")).model()
    assert count_spec(model_spec(model)) == expected
    assert dlx.count(model).count == expected


@pytest.mark.parametrize(
    ("board", "free"),
    [
        ("3x20", 2),
        ("4x15", 368),
        pytest.param("8x8-r4c4-r4c5-r5c4-r5c5", 65, marks=pytest.mark.slow),
        pytest.param("5x12", 1010, marks=pytest.mark.slow),
        pytest.param("6x10", 2339, marks=pytest.mark.slow),
    ],
)
def test_pentominoes(board: str, free: int) -> None:
    tiling = Tiling(Board.parse(board), pieces("pentominoes"), once=True)
    model = tiling.model()
    images = tiling.symmetry_images()
    assert len(images) == (8 if board.startswith("8") else 4)
    # no tiling with the twelve different pieces maps onto itself
    expected = free * len(images)
    assert dlx.count(model).count == expected
    assert count_spec(model_spec(model)) == expected
    assert count_orbits(images, dlx.covers(model)) == free


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 9), (3, 4), (6, 9), (8, 8)])
def test_dominoes_in_closed_form(rows: int, columns: int) -> None:
    assert count_spec(model_spec(dominoes(rows, columns).model())) == kasteleyn(rows, columns)


def test_dominoes_on_16x16_exactly() -> None:
    # OEIS A004003; far past 2^53 and 2^63
    assert (
        count_spec(model_spec(dominoes(16, 16).model()))
        == 2_444_888_770_250_892_795_802_079_170_816
    )


def test_some_pieces_once_and_others_any_number_of_times() -> None:
    # one monomino and dominoes on 3x3: the monomino on a corner, the centre, not on an edge
    tiling = Tiling(Board.rectangle(3, 3), pieces("I1,I2"), once=["I1"])
    found = list(dlx.covers(tiling.model()))
    assert len(found) == count_spec(model_spec(tiling.model())) == 18
    for cover in found:
        (one,) = [p for p in tiling.decoder().decode(cover) if p.piece == 0]
        assert sum(map(sum, one.cells)) % 2 == 0
    free = Tiling(Board.rectangle(3, 3), pieces("I1,I2"))
    assert dlx.count(free.model()).count == 131  # monomer-dimer coverings, OEIS A028420


EQUAL = {
    # board, pieces, once, symmetry: tilings
    ("2x2", ("##", "#\n#"), True, "free"): 2,
    ("2x4", ("##", "##"), False, "free"): 5,
    ("2x4", ("##", "##"), ("0",), "free"): 5,  # the other one any number of times
    ("2x2", ("##", "#\n#"), True, "fixed"): 0,
    ("2x4", ("#.\n##", "##\n.#", "##"), True, "one-sided"): 6,
    ("2x4", ("###\n#..", "###\n..#"), True, "free"): 2,
    ("2x4", ("###\n#..", "###\n..#"), True, "one-sided"): 0,
    ("3x3", ("#", "##", "##", "##", "##"), True, "free"): 18,
    ("3x3", ("#", "#", "#", "##", "##", "##"), True, "free"): 56,
}


@pytest.mark.parametrize(("key", "expected"), EQUAL.items())
def test_equal_pieces_are_not_told_apart(key: Any, expected: int) -> None:
    """As often as a program counts that covers the first open square with one of each kind."""
    board, shapes, once, symmetry = key
    laid = [Piece.from_picture(str(i), shape) for i, shape in enumerate(shapes)]
    tiling = Tiling(Board.parse(board), laid, once=once, symmetry=symmetry)
    pictures = [tiling.decoder().decode(keys) for keys in iterate_solution_keys(tiling)]
    assert len({p.letters() for p in pictures}) == len(pictures) == expected
    assert count_spec(model_spec(tiling.model())) == expected


def test_sets_in_which_equal_pieces_were_told_apart_are_refused() -> None:
    same = [Piece.from_picture(name, "##") for name in "AB"]
    saved = Tiling(Board.rectangle(2, 2), same).decoder().to_dict()
    assert len(TilingDecoder.from_dict(saved).problem.placements) == saved.pop("placements") == 4
    with pytest.raises(PuzzleFormatError, match="told apart"):
        TilingDecoder.from_dict(saved)


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 4).flatmap(
        lambda rows: st.lists(
            st.text("#.", min_size=4, max_size=4), min_size=rows, max_size=rows
        ).filter(lambda lines: any("#" in line for line in lines))
    ),
    st.lists(
        st.sampled_from(["I1", "I2", "I3", "L3", "T4", "S4"]), min_size=1, max_size=3, unique=True
    ),
    st.booleans(),
    st.sampled_from(["free", "one-sided", "fixed"]),
)
def test_frontier_and_dancing_links_agree_on_any_board(
    lines: list[str], names: list[str], once: bool, symmetry: str
) -> None:
    tiling = Tiling(
        Board.parse("\n".join(lines) + "\n"), pieces(",".join(names)), once=once, symmetry=symmetry
    )
    model = tiling.model()
    by_search = {tuple(c.tolist()) for c in dlx.covers(model)}
    solutions = SolutionSet(compile_spec(model_spec(model)).diagram, TilingDecoder(tiling))
    assert solutions.count() == len(by_search) == count_spec(model_spec(model))
    for picture in solutions:
        laid = sorted(cell for placement in picture for cell in placement.cells)
        assert laid == [*tiling.board.cells]
        assert not once or len({p.piece for p in picture}) == len(picture.placements) == len(names)
        assert picture in solutions


def test_decoder_keeps_everything() -> None:
    tiling = Tiling(Board.parse("###\n#.#\n"), pieces("I1,L3"), once=["L3"], symmetry="one-sided")
    again = TilingDecoder.from_dict(TilingDecoder(tiling).to_dict())
    assert again.problem == tiling
    assert hash(again.space) == hash(TilingDecoder(tiling).space)
    with pytest.raises(PuzzleFormatError, match="expected placements"):
        again.encode([Placement(0, ((9, 9),))])


@pytest.mark.parametrize(
    ("names", "once", "message"),
    [
        ([], True, "at least one piece"),
        (["a", "a"], False, "'a' twice"),
        (["a"], ["b"], "found 'b'"),
        (["a"], "c", "found 'c'"),
    ],
)
def test_tilings_that_make_no_sense(names: list[str], once: bool | list[str], message: str) -> None:
    shapes = [Piece.of(name, [(0, 0)]) for name in names]
    with pytest.raises(PuzzleFormatError, match=message):
        Tiling(Board.rectangle(2, 2), shapes, once=once)


def test_boards_and_pieces_are_refused_before_they_fill_the_memory() -> None:
    for text in ("#" * 10_001, "##\n" * 5001):
        with pytest.raises(PuzzleFormatError, match="expected at most 10000 squares, found more"):
            Board.parse(text)
    endless = ((0, c) for c in count())
    with pytest.raises(PuzzleFormatError, match="piece x: expected at most 10000 squares"):
        Piece.of("x", endless)
    for size in ("9" * 18 + "x2", "9" * 5000 + "x2", "9x9-r" + "9" * 5000 + "c1"):
        with pytest.raises(PuzzleFormatError, match="expected") as caught:
            Board.parse(size)
        assert len(str(caught.value)) < 200
