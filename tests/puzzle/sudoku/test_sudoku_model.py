"""The three allocations against their definitions and the paper's figures."""

from __future__ import annotations

from hypothesis import given, settings
from strategies import puzzles, solved_puzzles

from bddsudoku.model import Model, OneHot
from bddsudoku.puzzle.sudoku import Allocation, Layout, Puzzle, allocate, empty_board_model
from bddsudoku.puzzle.sudoku.sudoku_model import constraint_lines

FIGURE = Puzzle.parse(
    "4.3.1...2.7..2..3.5...3.8...5..42.6.69.157.43.4.96..1...2.7...5.6..8..9.8...9.1.7"
)


def satisfied(c: OneHot, model: Model, true: set[int]) -> bool:
    total = sum(model.variables[v].key in true for v in c.variables)
    return total <= c.total if c.at_most else total == c.total


def test_full_model() -> None:
    model = empty_board_model(Layout())
    assert len(model.variables) == 729
    assert len(model.constraints) == 324
    assert model.families == ("cell", "row", "column", "block")
    assert [v.name for v in model.variables[:10]] == [f"aa{d}" for d in range(1, 10)] + ["ab1"]
    assert model.variables[-1].name == "ii9"
    assert [v.key for v in model.variables] == list(range(729))
    assert all(len(c.variables) == 9 and c.total == 1 for c in model.constraints)
    arrays = model.cover()
    assert (arrays.primary, arrays.items, arrays.options) == (324, 324, 729)
    assert set(arrays.indptr[1:] - arrays.indptr[:-1]) == {4}


def test_figure_1() -> None:
    paper, candidates, singles = (allocate(FIGURE, a) for a in Allocation)
    assert len(paper.variables) == 9 * (81 - 35) == 414
    assert len(candidates.variables) == 127
    assert len(singles.variables) == 0  # the puzzle falls to singles alone
    assert len(singles.fixed) == 81
    assert {v.key for v in paper.fixed} == {c * 9 + d - 1 for c, d in FIGURE.hints.items()}


@settings(max_examples=40)
@given(puzzles())
def test_paper_by_definition(puzzle: Puzzle) -> None:
    n = puzzle.n
    model = allocate(puzzle, "paper")
    assert [v.key for v in model.variables] == [
        c * n + d for c in puzzle.open_cells for d in range(n)
    ]
    base = empty_board_model(puzzle.layout)
    assert len(model.constraints) == len(base.constraints)
    hints = {c * n + d - 1 for c, d in puzzle.hints.items()}
    for c, b in zip(model.constraints, base.constraints, strict=True):
        assert (c.family, c.label) == (b.family, b.label)
        assert c.total == 1 - len(hints & set(b.variables))
        keys = {model.variables[v].key for v in c.variables}
        assert keys == {v for v in b.variables if not puzzle[v // n]}
    assert model.is_contradictory >= any(puzzle.clashes())


@settings(max_examples=40)
@given(puzzles())
def test_candidates_by_definition(puzzle: Puzzle) -> None:
    n = puzzle.n
    model = allocate(puzzle, "candidates")
    expected = [
        c * n + d - 1
        for c in puzzle.open_cells
        for d in range(1, n + 1)
        if not any(puzzle[o] == d for house in puzzle.layout.houses_by_cell[c] for o in house.cells)
    ]
    assert [v.key for v in model.variables] == expected
    assert all(c.total > 0 or not c.variables for c in model.constraints)
    model.cover()


@settings(max_examples=40)
@given(puzzles())
def test_every_model_is_fit_for_covers(puzzle: Puzzle) -> None:
    """Also with clashing hints, whose contradictions become items that no option covers."""
    for allocation in ("candidates", "singles"):
        model = allocate(puzzle, allocation)
        arrays = model.cover()
        if any(puzzle.clashes()):
            assert model.is_contradictory
        if model.is_contradictory:
            covered = set(arrays.indices.tolist())
            assert set(range(arrays.primary)) - covered


@settings(max_examples=40)
@given(solved_puzzles())
def test_no_allocation_loses_a_solution(pair: tuple[Puzzle, Puzzle]) -> None:
    puzzle, solution = pair
    n = puzzle.n
    true = {c * n + d - 1 for c, d in solution.hints.items()}
    sizes = []
    for allocation in Allocation:
        model = allocate(puzzle, allocation)
        assert not model.is_contradictory
        keys = {v.key for v in model.variables}
        fixed = {v.key for v in model.fixed}
        assert fixed <= true
        assert not fixed & keys
        assert true <= fixed | keys
        assert all(satisfied(c, model, true & keys) for c in model.constraints)
        sizes.append(len(keys))
    assert sizes == sorted(sizes, reverse=True)
    fixpoint = allocate(puzzle, "singles")
    assert not any(c.total == 1 and len(c.variables) == 1 for c in fixpoint.constraints)


def test_constraints_as_the_paper_writes_them() -> None:
    lines = constraint_lines(allocate(FIGURE, "paper"))
    symbols = [line for line in lines if line.startswith("symbol ")]
    assert " ".join(line.removeprefix("symbol ") for line in symbols).split()[:2] == ["ab1", "ab2"]
    written = lines[len(symbols) :]
    assert written[0] == "cell ab: ab1 + ab2 + ab3 + ab4 + ab5 + ab6 + ab7 + ab8 + ab9 == 1"
    assert any(": 0 + ab1 + 0 + ad1 + 1 + af1 + ag1 + ah1 + 0 == 1" in line for line in written)
    assert not any("== 0" in line for line in written)
    # Of a settled constraint nothing is left to conjoin.
    assert not any(set(line.partition(": ")[2]) <= set("01+ =") for line in written)
    empty = constraint_lines(allocate(Puzzle([0] * 81)))
    assert sum(line.endswith("== 1") for line in empty) == 324
