"""Sets of grids that are held in other ways, beside ordered diagrams of the same solutions."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bddsudoku import DamagedFileError, Linear, ModelError, Puzzle, load, solve
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.sudoku_decoder import SudokuDecoder
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.sets.gridset import DnnfGridSet, GridSet
from bddsudoku.sets.listedset import ListedSet, SearchedSet

SIX = Layout(2, 3)
GRID = "123456456123214365365214531642642531"


def opened(cells: int, seed: int) -> Puzzle:
    """A 6×6 puzzle with some cells of a grid taken away."""
    line = list(GRID)
    for cell in np.random.default_rng(seed).permutation(36)[:cells].tolist():
        line[cell] = "."
    return Puzzle.parse("".join(line), SIX)


def ordered(puzzle: Puzzle) -> GridSet:
    found = solve(puzzle, engine="frontier")
    assert isinstance(found, GridSet)
    return found


def decomposed(puzzle: Puzzle) -> DnnfGridSet:
    found = solve(puzzle, engine="components")
    assert isinstance(found, DnnfGridSet)
    return found


def listed(puzzle: Puzzle) -> ListedSet:
    return ListedSet(ordered(puzzle).to_numpy(), SudokuDecoder(puzzle))


def searched(puzzle: Puzzle) -> SearchedSet:
    rows = ordered(puzzle).to_numpy().astype(np.int64) - 1

    def search(limit: int) -> Iterator[np.ndarray]:
        return iter(rows[:limit] + np.arange(36) * 6)

    return SearchedSet(len(rows), search, SudokuDecoder(puzzle))


Maker = Callable[[Puzzle], GridFamily]
MAKERS = [decomposed, listed, searched]
CASES = [(maker, cells) for maker in MAKERS for cells in (0, 16)] + [(decomposed, 30)]


@pytest.mark.parametrize(("maker", "cells"), CASES)
def test_every_answer_is_that_of_an_ordered_diagram(maker: Maker, cells: int) -> None:
    puzzle = opened(cells, cells)
    found, expected = maker(puzzle), ordered(puzzle)
    count = expected.count()
    assert found.count() == count
    assert (found.marginals() == expected.marginals()).all()
    assert (found.true_candidates() == expected.true_candidates()).all()
    assert (found.backbone() == expected.backbone()).all()
    drawn = found.sample(50, 3)
    assert drawn.shape == (50, 36)
    assert all(row in expected for row in drawn)
    for index in {0, count - 1, count // 2, count // 3}:
        grid = found.unrank(index)
        assert grid in expected
        assert grid in found
        assert found.rank(grid) == index
    if count < 500:
        rows = np.concatenate(list(found.batches(7)))
        assert [found.decode_row(r).line for r in rows] == [g.line for g in found]
        assert sorted(rows.tolist()) == expected.to_numpy().tolist()
        assert found.always_equal().tolist() == expected.always_equal().tolist()
        assert found.always_different().tolist() == expected.always_different().tolist()
        for form in ("line", "csv"):
            texts = io.BytesIO(), io.BytesIO()
            assert found.export(texts[0], form) == expected.export(texts[1], form) == count
            written = [text.getvalue().splitlines() for text in texts]
            assert sorted(written[0]) == sorted(written[1])
    for other_board in ("nonsense", GRID[::-1], 7):
        assert other_board not in found
        with pytest.raises(ValueError, match="is not one of"):
            found.rank(other_board)


@pytest.mark.parametrize("maker", MAKERS)
def test_one_more_constraint(maker: Maker) -> None:
    found, expected = maker(opened(20, 5)), ordered(opened(20, 5))
    keys = np.argwhere((expected.marginals() % expected.count()).reshape(-1)).reshape(-1).tolist()
    for high in (0, 1, 2):
        constraint = Linear("at most", "", tuple(keys[:5]), (1, 1, 1, 1, 1), None, high)
        if maker is decomposed:
            with pytest.raises(ModelError, match="compile_set"):
                found.where(constraint)
        else:
            rows = found.where(constraint).to_numpy()
            assert sorted(rows.tolist()) == expected.where(constraint).to_numpy().tolist()
            assert len(rows) < expected.count()


@pytest.mark.parametrize("maker", MAKERS)
def test_more_hints(maker: Maker) -> None:
    found, expected = maker(opened(20, 5)), ordered(opened(20, 5))
    masks = Puzzle.from_masks([63 - (1 << cell % 6) for cell in range(36)], SIX)
    for hints in ({0: 1}, {(1, 2): 3, 30: 6}, {5: 2}, masks, [0] * 36):
        assert found.given(hints).count() == expected.given(hints).count()
        assert (found.given(hints).marginals() == expected.given(hints).marginals()).all()
    none = found.given({0: 1}).given({0: 2})
    assert not none
    assert none.marginals().sum() == none.backbone().sum() == 0
    assert list(none) == []
    with pytest.raises(IndexError, match="there are 0"):
        none.unrank(0)
    with pytest.raises(ValueError, match="nothing to draw"):
        none.sample(1)
    with pytest.raises(ValueError, match="cell"):
        found.given({99: 1})


@pytest.mark.parametrize("maker", [decomposed, listed])
def test_samples_are_even(maker: Maker) -> None:
    found = maker(opened(27, 5))
    count = found.count()
    assert 20 < count < 400
    lines = [bytes(row) for row in found.sample(100 * count, 11)]
    _, met = np.unique(lines, return_counts=True)
    assert len(met) == count
    chi = float(((met - 100) ** 2 / 100).sum())
    assert chi < count + 6 * (2 * count) ** 0.5


def test_saved_and_loaded(tmp_path: Path) -> None:
    whole = decomposed(opened(27, 5))
    path = tmp_path / "a.set"
    for found in (whole, whole.given({1: 2})):
        found.save(path)
        back = load(path)
        assert isinstance(back, DnnfGridSet)
        assert back.count() == found.count()
        assert (back.marginals() == found.marginals()).all()
        assert back.unrank(3).line == found.unrank(3).line
    with pytest.raises(DamagedFileError, match="not a GridSet"):
        GridSet.load(path)
    good = path.read_bytes()
    for at in np.random.default_rng(1).integers(0, len(good), 60).tolist():
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :])
        with pytest.raises(DamagedFileError):
            load(path)
