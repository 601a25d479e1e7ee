"""The grids of a puzzle with rules, by every engine that takes it, and by looking at all grids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from grids import all_grids, every_grid
from oracles import grid_of

from bddsudoku.context import Context
from bddsudoku.engine.protocol import DiagramEngine, ListingEngine, engine
from bddsudoku.model import Constraint
from bddsudoku.puzzle.sudoku import Layout, Puzzle, allocate
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.paper_procedures import build_puzzle, solutions_from_build

Cells = tuple[int, ...]
"""Digits, cell by cell."""

ENGINES = ("frontier", "search", "dlx", "brute-force")
"""Those that are quick to begin; the BDD has tests of its own."""


@lru_cache(maxsize=8)
def _constraints(rule: Rule, layout: Layout) -> Sequence[Constraint]:
    return rule.constraints(layout)


def obeyed(rule: Rule, grid: Puzzle) -> bool:
    """Whether all constraints of a rule hold in a grid."""
    n = grid.n
    values = [False] * n**3
    for cell, digit in enumerate(grid.cells):
        values[cell * n + digit - 1] = True
    return all(c.holds(values) for c in _constraints(rule, grid.layout))


def wanted(puzzle: Puzzle) -> set[Cells]:
    """All grids of the houses, each looked at."""
    small = puzzle.n < 5
    grids = every_grid(puzzle.layout) if small else all_grids(puzzle)
    return {
        grid.cells
        for grid in grids
        if all(grid[c] == d for c, d in puzzle.hints.items())
        and all(rule.in_company(puzzle.rules).holds(grid) for rule in puzzle.rules)
    }


def found(puzzle: Puzzle, name: str) -> set[Cells] | None:
    """What an engine finds; None when it refuses."""
    model = allocate(puzzle)
    asked = engine(name)
    if asked.refuses(model) is not None:
        return None
    if isinstance(asked, DiagramEngine):
        done = asked.diagram(model, Context())
        sets = [*SolutionSet(done.diagram, fixed=done.fixed)]
    else:
        assert isinstance(asked, ListingEngine)
        sets = [keys.tolist() for keys in asked.solutions(model, Context())]
    cells = {grid_of(keys, puzzle.n) for keys in sets}
    assert len(cells) == len(sets) == asked.count(model, Context())
    return cells


def agreed(puzzle: Puzzle, names: tuple[str, ...] = ENGINES) -> set[Cells]:
    """The grids that are wanted; every engine finds them, or refuses what is no cover."""
    grids = wanted(puzzle)
    for name in names:
        cells = found(puzzle, name)
        if cells is None:
            assert name == "dlx", puzzle.text
            assert allocate(puzzle).why_no_cover, puzzle.text
        else:
            assert cells == grids, (name, puzzle.text)
    return grids


def conjoined(puzzle: Puzzle, procedure: int) -> set[Cells]:
    """What the BDD holds that a procedure of the paper builds."""
    result = build_puzzle(puzzle, procedure=procedure, isolated=False)
    return {grid.cells for grid in solutions_from_build(puzzle, result)}
