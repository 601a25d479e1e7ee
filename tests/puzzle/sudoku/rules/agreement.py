"""The grids of a puzzle with rules, from every engine and from a test of all grids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from grids import all_grids, every_grid
from oracles import grid_of

from bddsudoku.context import Context
from bddsudoku.engine.protocol import DiagramEngine, ListingEngine, find_engine
from bddsudoku.model import Constraint
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.comparison import build_puzzle, solutions_from_build

Cells = tuple[int, ...]
"""Digits, cell by cell."""

ENGINES = ("frontier", "search", "dlx", "brute-force")
"""Engines that start fast; BDDs have tests of their own."""


@lru_cache(maxsize=8)
def _constraints(rule: Rule, layout: Layout) -> Sequence[Constraint]:
    return rule.constraints(layout)


def constraints_hold(rule: Rule, grid: Puzzle) -> bool:
    """Whether all constraints of a rule hold in a grid."""
    n = grid.layout.digit_count
    values = [False] * (n * grid.layout.cell_count)
    for cell, digit in enumerate(grid.numbers):
        values[cell * n + digit - 1] = True
    return all(c.holds(values) for c in _constraints(rule, grid.layout))


def expected_grids(puzzle: Puzzle) -> set[Cells]:
    """The grids of the houses that satisfy hints and rules, each tested by definition."""
    small = puzzle.layout.is_usual and puzzle.n < 5
    grids = every_grid(puzzle.layout) if small else all_grids(puzzle)
    return {
        grid.numbers
        for grid in grids
        if all(grid[c] == d for c, d in puzzle.hints.items())
        and all(rule.in_company(puzzle.rules).holds(grid) for rule in puzzle.rules)
    }


def engine_grids(puzzle: Puzzle, name: str) -> set[Cells] | None:
    """The grids that an engine finds; None if it refuses the model."""
    model = allocate(puzzle)
    solver_engine = find_engine(name)
    if solver_engine.refuses(model) is not None:
        return None
    if isinstance(solver_engine, DiagramEngine):
        compiled = solver_engine.diagram(model, Context())
        sets = [*SolutionSet(compiled.diagram, fixed=compiled.fixed)]
    else:
        assert isinstance(solver_engine, ListingEngine)
        sets = [keys.tolist() for keys in solver_engine.solutions(model, Context())]
    cells = {grid_of(keys, puzzle.layout.digit_count, len(puzzle.numbers)) for keys in sets}
    assert len(cells) == len(sets) == solver_engine.count(model, Context())
    return cells


def agreed_grids(puzzle: Puzzle, names: tuple[str, ...] = ENGINES) -> set[Cells]:
    """The expected grids, which every engine must find (or refuse a model that is no cover)."""
    grids = expected_grids(puzzle)
    for name in names:
        cells = engine_grids(puzzle, name)
        if cells is None:
            assert name == "dlx", puzzle.text
            assert allocate(puzzle).why_no_cover, puzzle.text
        else:
            assert cells == grids, (name, puzzle.text)
    return grids


def procedure_grids(puzzle: Puzzle, procedure: int) -> set[Cells]:
    """The grids of the BDD that a procedure of the paper builds."""
    result = build_puzzle(puzzle, procedure=procedure, isolated=False)
    return {grid.numbers for grid in solutions_from_build(puzzle, result)}
