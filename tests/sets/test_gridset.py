from __future__ import annotations

import itertools

import numpy as np
import pytest
from families import diagram_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import four_by_four

from bddsudoku.errors import ModelError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.sets.decoder import PlainGridDecoder
from bddsudoku.sets.gridset import GridSet

LAYOUT = Layout(2, 2)
GRIDS = list(four_by_four())
DECODER = SudokuDecoder(LAYOUT)


def keys_of(grid: tuple[int, ...]) -> list[int]:
    return [4 * cell + digit - 1 for cell, digit in enumerate(grid)]


def whole(order: list[int] | None = None) -> GridSet:
    """All 288 grids, by default read row by row."""
    labels = list(range(64)) if order is None else order
    return GridSet(diagram_of(labels, map(keys_of, GRIDS)), DECODER)


ALL = whole()


def agreeing(hints: dict[int, int]) -> list[tuple[int, ...]]:
    return [g for g in GRIDS if all(g[c] == d for c, d in hints.items())]


HINTS = st.dictionaries(st.integers(0, 15), st.integers(1, 4), max_size=5)


def test_all_288_grids_in_order() -> None:
    assert len(GRIDS) == len(set(GRIDS)) == 288
    assert ALL.count() == 288
    assert ALL.cell_order == tuple(range(16))
    assert [p.cells for p in ALL] == sorted(GRIDS) == GRIDS
    assert [p.line for p in ALL] == sorted(p.line for p in ALL)
    assert np.array_equal(ALL.to_numpy(), np.array(GRIDS, dtype=np.uint8))
    for i, grid in enumerate(GRIDS):
        puzzle = Puzzle(grid)
        assert ALL.unrank(i) == puzzle
        assert hash(ALL.unrank(i)) == hash(puzzle)
        assert ALL.rank(puzzle) == ALL.rank(puzzle.line) == ALL.rank(np.array(grid)) == i
        assert puzzle in ALL
        assert np.array(grid).reshape(4, 4) in ALL


def test_what_is_no_solution() -> None:
    good = list(GRIDS[0])
    for wrong in (
        Puzzle([0] * 16),
        Puzzle([1] * 16),
        Puzzle([2, 1, *good[2:]]),
        "1234",
        None,
        3.5,
        np.zeros((4, 4)),
        [*good[:15], good[15] + 256],
    ):
        assert wrong not in ALL
    with pytest.raises(ValueError, match="not one of the 288"):
        ALL.rank(Puzzle([1] * 16))


@settings(deadline=None, max_examples=30)
@given(HINTS)
def test_given_and_every_answer_by_cell(hints: dict[int, int]) -> None:
    expected = agreeing(hints)
    s = ALL.given(hints)
    assert [p.cells for p in s] == expected
    assert s.count() == len(expected)
    assert s.decoder.puzzle.hints == hints
    assert s == ALL.given({divmod(c, 4): d for c, d in hints.items()})
    assert s == ALL.given(np.array([hints.get(c, 0) for c in range(16)]))
    assert s == ALL.given(Puzzle([hints.get(c, 0) for c in range(16)]))
    marginals = np.zeros((16, 4), dtype=int)
    for grid in expected:
        marginals[range(16), np.array(grid) - 1] += 1
    assert np.array_equal(s.marginals(), marginals.reshape(4, 4, 4))
    assert np.array_equal(s.true_candidates(), marginals.reshape(4, 4, 4) > 0)
    backbone = [g[0] if len(set(g)) == 1 else 0 for g in zip(*expected, strict=True)] or [0] * 16
    assert s.backbone().reshape(-1).tolist() == backbone
    assert s.backbone().dtype == np.uint8
    pairs = list(itertools.combinations(range(16), 2))
    equal = [p for p in pairs if expected and all(g[p[0]] == g[p[1]] for g in expected)]
    different = [p for p in pairs if expected and all(g[p[0]] != g[p[1]] for g in expected)]
    assert [tuple(p) for p in s.always_equal().tolist()] == equal
    assert [tuple(p) for p in s.always_different().tolist()] == different
    if expected:
        weights = np.arange(64).reshape(4, 4, 4) ** 2 % 17
        sums = [sum(weights.reshape(16, 4)[c, d - 1] for c, d in enumerate(g)) for g in expected]
        assert s.minimum(weights) == (min(sums), Puzzle(expected[sums.index(min(sums))]))
        assert s.maximum(weights.reshape(16, 4))[0] == max(sums)
        assert s.minimum({((0, 1), 2): -5, (7, 1): -1})[0] == min(
            -5 * (g[1] == 2) - (g[7] == 1) for g in expected
        )


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(16)))
def test_the_order_is_lexicographic_along_the_cells(cells) -> None:
    order = [4 * cell + s for cell in cells for s in range(4)]
    s = whole(order)
    assert s.cell_order == tuple(cells)
    assert [p.cells for p in s] == sorted(GRIDS, key=lambda g: [g[c] for c in cells])
    assert [p.cells for p in s.in_cell_order()] == GRIDS
    assert s == ALL


def test_wrong_hints_are_refused() -> None:
    for wrong in ({16: 1}, {(0, 4): 1}, {(-1, 0): 1}, {0: 5}, {0: 0}, {-1: 2}, [1, 2]):
        with pytest.raises(ValueError):
            ALL.given(wrong)
    with pytest.raises(ValueError, match="weights of shape"):
        ALL.minimum(np.zeros(64))


def test_bad_sets_are_refused() -> None:
    with pytest.raises(ModelError, match="key 64 is not on a board"):
        GridSet(diagram_of([64], [[64]]), DECODER)
    with pytest.raises(ModelError, match="two symbols are fixed in one cell"):
        GridSet(diagram_of([5], [[5]]), DECODER, fixed=[0, 1])
    assert GridSet(diagram_of([5], []), DECODER, fixed=[0, 1]).count() == 0


@pytest.mark.parametrize("hints", [{}, dict(enumerate(GRIDS[7])), {0: 1, 1: 1}])
def test_exports(hints, tmp_path) -> None:
    s = ALL.given(hints)
    rows = s.to_numpy()
    path, seen = tmp_path / "out", []
    assert s.export(path, "npy") == len(rows)
    assert np.array_equal(np.load(path), rows)
    s.export(path, "line")
    assert path.read_text().split() == ["".join(map(str, r)) for r in rows.tolist()]
    first = min(3, len(rows))
    assert s.export(path, "csv", limit=3, progress=lambda *at: seen.append(at)) == first
    header, *data = path.read_text().splitlines()
    assert header.split(",")[:5] == ["r1c1", "r1c2", "r1c3", "r1c4", "r2c1"]
    assert [[int(x) for x in line.split(",")] for line in data] == rows[:3].tolist()
    assert seen == [(first, first)] * bool(first)
    with pytest.raises(ValueError, match="line, csv, npy"):
        s.export(path, "xml")


def test_exports_of_more_than_nine_symbols(tmp_path) -> None:
    symbols = "123456789ABC"
    cells = [[11, 0], [0, 11], [9, 10]]
    sets = [[12 * c + s for c, s in enumerate(row)] for row in cells]
    s = GridSet(diagram_of(list(range(24)), sets), PlainGridDecoder(1, 2, symbols))
    s.export(tmp_path / "a", "line")
    assert (tmp_path / "a").read_text().split() == ["1C", "AB", "C1"]
    s.export(tmp_path / "b", "csv")
    assert (tmp_path / "b").read_text().split() == ["r1c1,r1c2", "1,12", "10,11", "12,1"]
    assert "AB" in s
    assert "BA" not in s
    assert "zz" not in s
    assert s[0].tolist() == [[1, 12]]


def test_how_it_shows_itself() -> None:
    s = ALL.given({0: 1})
    assert "4x4 cells" in repr(s)
    s.count()
    assert "72 solutions" in repr(s)
    html = s._repr_html_()
    assert html.startswith("<svg")
    assert html.count("<g role") == 16
    assert 'class="hint"' in html
    assert "r1c2: 2 in 24 of 72 (33.3%), 3 in 24 of 72 (33.3%), 4 in 24 of 72 (33.3%)" in html
    assert "72 solutions" in html
    assert "no solution" in ALL.given({0: 1, 1: 1})._repr_html_()
    plain = GridSet(ALL.diagram, PlainGridDecoder(4, 4, "1234"))
    assert "288" in plain._repr_html_()
