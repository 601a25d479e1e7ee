"""A digit is what is written, on boards of any digits, wherever a user meets one."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import bddsudoku
from bddsudoku import Puzzle, count, solve
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku import Layout
from bddsudoku.report import to_frame
from bddsudoku.sets import GridSet
from bddsudoku.solver import hint_impact

BOARDS = {
    "0-3": "# digits: 0-3\n....\n0...\n..1.\n....",
    "5-8": "# digits: 5-8\n....\n5...\n..7.\n....",
    "2-11": "# digits: 2-11\n# shape: 2x2\n# layout: 1x2\n.2\nB.",
    "0-10": "# digits: 0-10\n# shape: 2x2\n# layout: 1x2\n.0\n.A",
    "0-4, 2x3": "# digits: 0-4\n# shape: 2x3\n# layout: 1x1\n...\n.0.\nregions none",
    "1-4": "....\n1...\n..3.\n....",
}


@pytest.fixture(params=BOARDS, ids=str)
def puzzle(request: pytest.FixtureRequest) -> Puzzle:
    return Puzzle.parse(BOARDS[request.param])


def test_puzzles(puzzle: Puzzle) -> None:
    layout = puzzle.layout
    blank = -1 if 0 in layout.values else 0
    written = [layout.symbols.find(s) for s in puzzle.line]
    cells = tuple(blank if i < 0 else layout.values[i] for i in written)
    assert puzzle.cells == cells == tuple(puzzle[c] for c in range(layout.cell_count))
    assert puzzle.hints == {c: d for c, d in enumerate(cells) if d != blank}
    assert Puzzle(cells, layout) == Puzzle(np.array(cells), layout) == puzzle
    empty = Puzzle([blank] * len(cells), layout)
    assert empty.with_hints(dict(puzzle.hints)) == puzzle.with_hints(dict(puzzle.hints)) == puzzle
    assert empty.hint_count == 0
    for wrong in {layout.values.start - 1, layout.values.stop} - {blank}:
        for make in (lambda d: empty.with_hint(0, d), lambda d: Puzzle([d, *cells[1:]], layout)):
            with pytest.raises(PuzzleFormatError, match=f"r1c1.*{layout.values[0]} to .*{wrong}$"):
                make(wrong)


@pytest.mark.parametrize("engine", ["auto", "frontier", "components"])
def test_sets(puzzle: Puzzle, engine: str, tmp_path: Path) -> None:
    solutions, values = solve(puzzle, engine), puzzle.layout.values
    grids, rows = [*solutions], solutions.to_numpy()
    assert [tuple(row) for row in rows.tolist()] == [grid.cells for grid in grids]
    assert {tuple(row) for row in solutions.sample(9, 1).tolist()} <= {g.cells for g in grids}
    for i in (0, len(grids) // 2, len(grids) - 1):
        for same in (grids[i], rows[i], grids[i].cells, grids[i].line, rows[i].astype(np.int64)):
            assert solutions.rank(same) == i
        assert solutions.given(grids[i]).count() == solutions.given(rows[i]).count() == 1
    held = np.array([[[g[c] == v for v in values] for c in range(len(g.cells))] for g in grids])
    assert (solutions.marginals().reshape(held.shape[1:]) == held.sum(axis=0)).all()
    for cell, counts in enumerate(held.sum(axis=0).tolist()):
        found = [solutions.given({divmod(cell, solutions.shape[1]): v}).count() for v in values]
        assert found == counts
    assert solutions.given(puzzle).count() == solutions.given(np.array(puzzle.cells)).count()
    backbone = solutions.backbone().reshape(-1).tolist()
    assert Puzzle(backbone, puzzle.layout).hints == {
        c: grids[0][c] for c in range(len(backbone)) if len({g[c] for g in grids}) == 1
    }
    target = io.BytesIO()
    solutions.export(target)
    assert target.getvalue().decode().split()[1:] == [",".join(map(str, g.cells)) for g in grids]
    solutions.save(tmp_path / "s.set")
    assert [*bddsudoku.load(tmp_path / "s.set")] == grids
    if isinstance(solutions, GridSet):
        plain = GridSet.load(tmp_path / "s.set")  # its grids are arrays
        assert (plain.to_numpy() == rows).all()
        weights = {(c, v): v * 3**c for c in range(len(backbone)) for v in values}
        best = max(sum(v * 3**c for c, v in enumerate(g.cells)) for g in grids)
        assert solutions.maximum(weights)[0] == best
    with pytest.raises(ValueError, match=f"a digit {values[0]} to {values[-1]} in cell 0"):
        solutions.given({0: values.stop})


def test_answers(puzzle: Puzzle) -> None:
    found = hint_impact(puzzle)
    assert {puzzle.layout.cell(h.cell): h.digit for h in found.without} == puzzle.hints
    for row, (cell, digit) in zip(found.without, puzzle.hints.items(), strict=True):
        assert row.count == count(puzzle.without(cell)), digit
    shortest = found.next.shortest.hints
    more = {h.cell: h.digit for h in shortest}
    assert count(puzzle.with_hints(more)) == 1
    frame = to_frame(solve(puzzle).marginals(), symbols=puzzle.layout.symbols)
    digits = frame["digit"] if hasattr(frame, "loc") else [row["digit"] for row in frame]
    assert {*digits} <= {*puzzle.layout.symbols}


def test_keys_are_places() -> None:
    layout = Layout(2, 2, digits=(0, 3))
    assert [layout.key(2, d) for d in range(4)] == [8, 9, 10, 11]
    with pytest.raises(ValueError, match="4"):
        layout.key(0, 4)
