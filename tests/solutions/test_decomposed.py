"""Decomposable diagrams and the sets on them, beside ordered diagrams of the same solutions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bddsudoku import DamagedFileError, Puzzle, load, solve
from bddsudoku.diagrams.dnnf import Decomposed, Totals
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.sets.gridset import DecomposedSet, GridSet

SIX = Layout(2, 3)
GRID = "123456456123214365365214531642642531"


def opened(cells: int, seed: int) -> Puzzle:
    """A 6×6 puzzle with some cells of a grid taken away."""
    line = list(GRID)
    for cell in np.random.default_rng(seed).permutation(36)[:cells].tolist():
        line[cell] = "."
    return Puzzle.parse("".join(line), SIX)


def both(puzzle: Puzzle) -> tuple[DecomposedSet, GridSet]:
    apart, ordered = solve(puzzle, engine="components"), solve(puzzle, engine="frontier")
    assert isinstance(apart, DecomposedSet)
    assert isinstance(ordered, GridSet)
    return apart, ordered


@pytest.mark.parametrize("cells", [0, 1, 8, 16, 22, 26, 30])
def test_every_answer_is_that_of_an_ordered_diagram(cells: int) -> None:
    puzzle = opened(cells, cells)
    apart, ordered = both(puzzle)
    count = ordered.count()
    assert apart.count() == count
    assert (apart.marginals() == ordered.marginals()).all()
    assert (apart.true_candidates() == ordered.true_candidates()).all()
    assert (apart.backbone() == ordered.backbone()).all()
    drawn = apart.sample(200, 3)
    assert drawn.shape == (200, 36)
    assert ordered.contains_rows(drawn).all()
    for index in {0, count - 1, count // 2, count // 3}:
        grid = apart.unrank(index)
        assert grid in ordered
        assert grid in apart
        assert apart.rank(grid) == index
    if count < 500:
        assert {g.line for g in apart} == {g.line for g in ordered}
        rows = np.concatenate(list(apart.batches(7)))
        assert [apart.decoder.decode_row(r).line for r in rows] == [g.line for g in apart]


def test_more_hints() -> None:
    apart, ordered = both(opened(27, 5))
    for cell in range(0, 36, 5):
        for symbol in range(1, 7):
            more, expected = apart.given({cell: symbol}), ordered.given({cell: symbol})
            assert more.count() == expected.count()
            assert (more.marginals() == expected.marginals()).all()
            if more:
                assert more.unrank(more.count() - 1) in expected
                assert more.sample(3, 1).shape == (3, 36)
    none = apart.given({0: 1}).given({0: 2})
    assert not none
    assert none.marginals().sum() == 0
    with pytest.raises(ValueError, match="cell"):
        apart.given({99: 1})


def test_no_solution() -> None:
    found = solve(Puzzle.parse("1.........1.....................1..1", SIX), engine="components")
    assert not found
    assert found.backbone().sum() == 0
    assert list(found) == []
    with pytest.raises(IndexError, match="there are 0"):
        found.unrank(0)
    with pytest.raises(ValueError, match="nothing to draw"):
        found.sample(1)


def test_what_is_no_solution() -> None:
    apart, _ = both(opened(20, 2))
    for strange in ("nonsense", GRID[::-1], 7):
        assert strange not in apart
        with pytest.raises(ValueError, match="is not one of"):
            apart.rank(strange)


def independent(pairs: int) -> Decomposed:
    """So many variables that are free: two branches each, and one that holds them together."""
    nodes = pairs + 2
    branches = 2 * pairs + 1
    child_at = np.zeros(branches + 1, np.int64)
    child_at[-1] = pairs
    literal_at = np.append(0, np.repeat(np.arange(1, pairs + 1), 2))
    return Decomposed(
        np.arange(pairs),
        np.concatenate(([0], 2 * np.arange(pairs + 1), [branches])),
        child_at,
        np.append(literal_at, pairs),
        np.arange(1, pairs + 1, dtype=np.int32),
        np.arange(pairs, dtype=np.int32),
        nodes - 1,
    )


@pytest.mark.parametrize("pairs", [1, 10, 61, 62, 63, 64, 65, 200])
def test_counts_of_any_size(pairs: int) -> None:
    diagram = independent(pairs)
    assert diagram.is_sound
    totals = Totals(diagram)
    assert totals.total == 2**pairs
    assert totals.marginals().tolist() == [2 ** (pairs - 1)] * pairs
    for index in (0, 2**pairs - 1, 2**pairs // 3):
        true = totals.unrank(index)
        assert len(true) == len(set(true))
        assert totals.rank(set(true)) == index
    held = np.ones(pairs, bool)
    held[0] = False
    assert Totals(diagram, held).total == 2 ** (pairs - 1)


def test_samples_are_even() -> None:
    apart, _ = both(opened(27, 5))
    count = apart.count()
    assert 20 < count < 400
    lines = [bytes(row) for row in apart.sample(100 * count, 11)]
    _, met = np.unique(lines, return_counts=True)
    assert len(met) == count
    chi = float(((met - 100) ** 2 / 100).sum())
    assert chi < count + 6 * (2 * count) ** 0.5


def test_saved_and_loaded(tmp_path: Path) -> None:
    apart, _ = both(opened(27, 5))
    path = tmp_path / "a.set"
    apart.save(path)
    back = load(path)
    assert isinstance(back, DecomposedSet)
    assert back.count() == apart.count()
    assert (back.marginals() == apart.marginals()).all()
    assert back.unrank(3).line == apart.unrank(3).line
    smaller = apart.given({1: 2})
    smaller.save(path)
    again = load(path)
    assert again.count() == smaller.count() < apart.count()
    assert (again.marginals() == smaller.marginals()).all()


def test_damaged_files(tmp_path: Path) -> None:
    apart, _ = both(opened(20, 2))
    path = tmp_path / "a.set"
    apart.save(path)
    good = path.read_bytes()
    with pytest.raises(DamagedFileError, match="not a GridSet"):
        GridSet.load(path)
    for at in np.random.default_rng(1).integers(0, len(good), 60).tolist():
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :])
        with pytest.raises(DamagedFileError):
            load(path)
    path.write_bytes(good[:-100])
    with pytest.raises(DamagedFileError, match="truncated"):
        load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("child", [5, 5]), ("literal", [9, 0]), ("branch_at", [0, 0, 4, 2, 5]), ("labels", [1, 1])],
)
def test_arrays_that_do_not_fit_together(name: str, value: list[int]) -> None:
    good = independent(2)
    arrays = {n: getattr(good, n) for n in Decomposed.__dataclass_fields__}
    arrays[name] = np.array(value, arrays[name].dtype)
    assert not Decomposed(**arrays).is_sound
