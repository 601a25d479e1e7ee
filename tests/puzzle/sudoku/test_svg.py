"""Pictures of boards: well-formed SVG, right lines, several pictures on one page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import puzzles

from bddsudoku.puzzle.sudoku import Layout, Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS
from bddsudoku.puzzle.sudoku.rules import Knight, Rule, cells
from bddsudoku.puzzle.sudoku.rules.places_and_marks import (
    DashedOutline,
    Disc,
    Mark,
    Stroke,
    WordMark,
)
from bddsudoku.puzzle.sudoku.svg import board_svg
from bddsudoku.puzzle.sudoku.svg.elements import inset_outlines

SVG = "{http://www.w3.org/2000/svg}"
NINE = Puzzle.parse(
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
)
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
JIGSAW = Layout.jigsaw([0, 0, 0, 1, 0, 2, 1, 1, 2, 2, 3, 1, 2, 3, 3, 3])


@dataclass(frozen=True)
class Toy(Rule):
    """A rule that has only marks."""

    drawn: tuple[Mark, ...] = ()
    name: ClassVar[str] = "toy"
    about: ClassVar[str] = "<nothing>"

    def constraints(self, layout: Layout) -> tuple[()]:
        return ()

    def holds(self, grid: object) -> bool:
        return True

    def marks(self, layout: Layout) -> Iterable[Mark]:
        return self.drawn


def toy(*marks: Mark, n: int = 4) -> Puzzle:
    return Puzzle([0] * n * n, Layout.of_size(n), rules=[Toy(marks)])


def parsed(puzzle: Puzzle, **options: object) -> ElementTree.Element:
    return ElementTree.fromstring(board_svg(puzzle, **options))  # type: ignore[arg-type]


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter() if name in e.get("class", "").split()]


def texts(root: ElementTree.Element, name: str) -> str:
    return "".join("".join(e.itertext()) for e in of_class(root, name))


# The whole


@given(puzzles(largest=25))
def test_every_hint_stands_there_and_it_is_well_formed(puzzle: Puzzle) -> None:
    root = parsed(puzzle)
    assert texts(root, "hint") == "".join(SYMBOLS[d - 1] for d in puzzle.hints.values())
    assert board_svg(puzzle) == board_svg(puzzle)
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == root.get("aria-label")


def test_nothing_clashes_on_one_page() -> None:
    marks = [Disc((1, 1), 0.2), Stroke(((0, 0), (2, 2)), arrow=True), WordMark((2, 2), "x")]
    text = board_svg(toy(*marks, DashedOutline(cells("r1c1"), "3")))
    assert not re.findall(r'\bid="|href|url\(', text)
    (style,) = re.findall("<style>(.*?)</style>", text)
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{", "", style))
    assert all(s.startswith(".bddsudoku-board") for s in selectors)
    assert "prefers-color-scheme:dark" in style
    assert "var(" not in style  # converters know none


def test_what_is_written_is_escaped() -> None:
    puzzle = toy(WordMark((1, 1), '<&"\x00'), DashedOutline(cells("r1c1"), "<b>"))
    root = parsed(puzzle, title="a < b & 'c'\x1b")
    assert root[0].text == "a < b & 'c'\ufffd"
    assert {e.text for e in root.iter(f"{SVG}text")} == {'<&"\ufffd', "<b>"}


def test_it_is_described_in_words() -> None:
    root = parsed(Puzzle(NINE.cells, rules=[Knight()]))
    title_lines = (root[1].text or "").splitlines()
    assert root[1].tag == f"{SVG}desc"
    assert title_lines == [*(NINE.line[i : i + 9] for i in range(0, 81, 9)), "antiknight"]


@pytest.mark.parametrize("n", [4, 6, 9, 12, 16, 25])
def test_sizes(n: int) -> None:
    full = (1 << n) - 1
    puzzle = Puzzle([0] * n * n, candidates=[full - 1] * n * n)
    root = parsed(puzzle)
    assert texts(root, "marks") == SYMBOLS[1:n] * n * n
    wide = parsed(puzzle, size=10).get("width")
    assert wide == str(round(10 * (n + 0.12)))


# Lines of the grid


def heavy(root: ElementTree.Element, n: int) -> set[tuple[int, int, int, int]]:
    """Heavy lines within the board, cut into sides of cells."""
    sides = set()
    for found in of_class(root, "thick"):
        corners = [
            (int(x) // 100, int(y) // 100)
            for x, y in re.findall(r"(\d+) (\d+)", found.get("d", ""))
        ]
        for a, b in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            (x1, y1), (x2, y2) = sorted((a, b))
            sides |= {(i, y1, i + 1, y1) for i in range(x1, x2) if 0 < y1 < n}
            sides |= {(x1, i, x1, i + 1) for i in range(y1, y2) if 0 < x1 < n}
    return sides


NO_BLOCK = Layout.jigsaw([0, 0, -1, -1, 0, 0, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1])


@pytest.mark.parametrize(
    "layout", [Layout(), Layout(2, 5), Layout(3, 2), JIGSAW, NO_BLOCK, Layout.latin(5)], ids=str
)
def test_heavy_lines_stand_exactly_between_blocks(layout: Layout) -> None:
    n, block = layout.n, layout.block_index
    expected = {
        (c, r, c + 1, r)
        for r in range(1, n)
        for c in range(n)
        if block(r * n + c) != block(r * n + c - n)
    } | {
        (c, r, c, r + 1)
        for r in range(n)
        for c in range(1, n)
        if block(r * n + c) != block(r * n + c - 1)
    }
    assert heavy(parsed(Puzzle([0] * n * n, layout)), n) == expected


# Lines around cells


def is_within(x: float, y: float, lines: list[list[tuple[float, float]]]) -> bool:
    """Whether a point is inside closed lines, by the parity of vertical lines to the right."""
    crossed = 0
    for line in lines:
        for (x1, y1), (x2, y2) in zip(line, [*line[1:], line[0]], strict=True):
            assert (x1 == x2) != (y1 == y2)
            crossed += x1 == x2 > x and min(y1, y2) < y < max(y1, y2)
    return crossed % 2 == 1


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_outlines_keep_to_their_cells(some: set[tuple[int, int]]) -> None:
    lines = inset_outlines(some, 0.1)
    assert lines == inset_outlines(sorted(some, reverse=True), 0.1)
    for r in range(-1, 6):
        for c in range(-1, 6):
            inside = (r, c) in some
            assert is_within(c + 0.51, r + 0.49, lines) == inside
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1)):
                near = is_within(c + 0.5 + 0.45 * dc, r + 0.5 + 0.45 * dr, lines)
                around = {(r + dr, c), (r, c + dc), (r + dr, c + dc)}
                assert near == (inside and around <= some)


# Digits


def test_a_solution_fills_open_cells() -> None:
    root = parsed(NINE, solution=Puzzle.parse(SOLVED))
    assert texts(root, "hint") == NINE.line.replace(".", "")
    found = [s for s, hint in zip(SOLVED, NINE.cells, strict=True) if not hint]
    assert texts(root, "found") == "".join(found)


def test_candidates_struck_and_none() -> None:
    puzzle = Puzzle([0] * 16, candidates=[0, 6, *[15] * 14])
    root = parsed(puzzle, struck=[0, 4, 1, *[0] * 13])
    assert texts(root, "none") == "∅"
    assert texts(root, "struck") == "31"
    assert [e.get("d", "").count("M") for e in of_class(root, "strike")] == [1, 1]
    assert texts(root, "marks") == "2234" + "1234" * 13


def test_marginals_are_exact() -> None:
    large = 10**40
    marginals = [[2 * large, 0, large, large], [0, 4 * large, 0, 0], *[[large] * 4] * 14]
    puzzle = Puzzle([0] * 15 + [4])
    root = parsed(puzzle, marginals=marginals)
    assert root.get("role") == "group"  # so that its cells are read out
    groups = list(root.iter(f"{SVG}g"))
    assert len(groups) == 16
    title = groups[0][0].text
    assert title == groups[0].get("aria-label")
    assert title == (
        f"r1c1: 1 in {2 * large:,} of {4 * large:,} (50.0%), "
        f"3 in {large:,} of {4 * large:,} (25.0%), 4 in {large:,} of {4 * large:,} (25.0%)"
    )
    assert groups[1][0].text == f"r1c2: 2 in all {4 * large:,}"
    assert texts(root, "found") == "2"
    assert texts(root, "hint") == "4"


def test_rules_that_draw_nothing_are_written_below_the_board() -> None:
    rules = ["connected 1 2 size 5", "antiknight", "sandwich 3 r5c1"]
    texts = re.findall(
        r'y="([\d.]+)"[^>]*>([^<]*)</text>', board_svg(Puzzle([0] * 16, rules=rules))
    )
    assert [text for _, text in texts] == ["3", "connected 1 2 size 5"]
    assert float(texts[0][0]) < float(texts[1][0])
