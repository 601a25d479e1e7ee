"""Tilings drawn as text and as SVG."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bddsudoku.engine import dlx
from bddsudoku.puzzle.tiling import Board, Tiling, pieces
from bddsudoku.puzzle.tiling.tiling import PALETTE, TilingPicture, map_colouring

SVG = "{http://www.w3.org/2000/svg}"


def drawn(board: str, names: str, *, once: bool = False, seed: int = 0) -> TilingPicture:
    tiling = Tiling(Board.parse(board), pieces(names), once=once)
    (cover,) = dlx.covers(tiling.model(), seed=seed, limit=1)
    return tiling.decoder().decode(cover)


def test_text() -> None:
    picture = drawn("2x3-r1c1", "I5,P5")
    assert picture.text() == (
        "    ┌───────┐\n    │       │\n┌───┘       │\n│           │\n└───────────┘"
    )
    assert picture.letters() == ".AA\nAAA"


def test_two_pieces_have_a_line_between_them() -> None:
    tiling = Tiling(Board.parse("2x2"), pieces("I2"))
    texts = {tiling.decoder().decode(c).text() for c in dlx.covers(tiling.model())}
    assert texts == {
        "┌───────┐\n│       │\n├───────┤\n│       │\n└───────┘",
        "┌───┬───┐\n│   │   │\n│   │   │\n│   │   │\n└───┴───┘",
    }


def test_squares_that_nothing_covers() -> None:
    tiling = Tiling(Board.parse("1x3"), pieces("I2"))
    picture = tiling.decoder().decode([0])
    assert picture.letters() == "AA?"
    assert picture.text().splitlines()[1] == "│       │   │"
    assert picture.svg().count("#ffffff") == 1


def test_svg_is_xml_with_one_path_a_piece() -> None:
    picture = drawn("6x10", "pentominoes", once=True)
    root = ET.fromstring(picture.svg())
    assert root.tag == f"{SVG}svg"
    paths = root.findall(f"{SVG}path")
    fills = [p.get("fill") for p in paths if p.get("fill") != "none"]
    assert len(fills) == 12
    assert set(fills) <= set(PALETTE)
    assert {t.text for p in paths for t in p.findall(f"{SVG}title")} == {
        f"{c}5" for c in "FILNPTUVWXYZ"
    }
    assert picture._repr_svg_() == picture.svg()


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([("6x6", "L3"), ("8x8", "I2"), ("6x6", "trominoes"), ("4x5", "tetrominoes")]),
    st.integers(0, 10_000),
)
def test_neighbours_differ_in_colour_and_letter(problem: tuple[str, str], seed: int) -> None:
    picture = drawn(*problem, seed=seed)

    owner = picture.owner
    colours = map_colouring(owner, len(picture.placements))
    assert max(colours) < len(PALETTE)
    letters = picture.letters().splitlines()
    for (r, c), here in owner.items():
        for cell in ((r + 1, c), (r, c + 1)):
            if cell in owner:
                same = owner[cell] == here
                assert (colours[owner[cell]] == colours[here]) == same
                assert (letters[cell[0]][cell[1]] == letters[r][c]) == same


@pytest.mark.parametrize("board", ["3x3-r2c2", "#..\n###\n..#"])
def test_holes_and_ragged_boards(board: str) -> None:
    picture = drawn(board, "I1,I2", seed=1)
    holes = picture.tiling.board.rows * picture.tiling.board.columns - picture.tiling.board.area
    assert picture.letters().count(".") == holes
    ET.fromstring(picture.svg())
