"""All solutions of a Sudoku as a decision diagram: counted exactly, sampled, queried, measured.

The pipeline in ten lines::

    from bddsudoku import Puzzle, solve

    puzzle = Puzzle.parse(open("data/paper/35.txt").read())
    solutions = solve(puzzle)                      # the set of all solutions
    print(puzzle.hint_count, solutions.count())    # 35 1
    wider = solve(puzzle.without((0, 0), (7, 1)))  # fewer hints, more solutions
    print(wider.count())                           # exact, of any size
    print(wider.backbone())                        # cells that are settled all the same
    print(wider.marginals()[0, 0])                 # how many solutions have 1, 2, …, 9 in r1c1
    for grid in wider:                             # Puzzle objects, in the set's order
        print(grid.line)

Below it: :mod:`bddsudoku.model` (one-hot constraints), :mod:`bddsudoku.puzzle` (what is asked),
:mod:`bddsudoku.engine` (model → answer), :mod:`bddsudoku.solutions` (the answer as a set),
:mod:`bddsudoku.report` (the answer to look at). The names here are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bddsudoku.errors import (
        BackendUnavailable,
        BddSudokuError,
        DamagedFileError,
        LimitReached,
        ModelError,
        PuzzleFormatError,
        ScheduleError,
    )
    from bddsudoku.model import Model, OneHot, Variable
    from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
    from bddsudoku.puzzle.sudoku.grid import Layout, Puzzle
    from bddsudoku.solver import compile_set, count, load, solve

__version__ = "0.1.0"

_HOME = {
    "Allocation": "bddsudoku.puzzle.sudoku.allocation",
    "BackendUnavailable": "bddsudoku.errors",
    "BddSudokuError": "bddsudoku.errors",
    "DamagedFileError": "bddsudoku.errors",
    "Layout": "bddsudoku.puzzle.sudoku.grid",
    "LimitReached": "bddsudoku.errors",
    "Model": "bddsudoku.model",
    "ModelError": "bddsudoku.errors",
    "OneHot": "bddsudoku.model",
    "Puzzle": "bddsudoku.puzzle.sudoku.grid",
    "PuzzleFormatError": "bddsudoku.errors",
    "ScheduleError": "bddsudoku.errors",
    "Variable": "bddsudoku.model",
    "allocate": "bddsudoku.puzzle.sudoku.allocation",
    "compile_set": "bddsudoku.solver",
    "count": "bddsudoku.solver",
    "load": "bddsudoku.solver",
    "solve": "bddsudoku.solver",
}

__all__ = [
    "Allocation",
    "BackendUnavailable",
    "BddSudokuError",
    "DamagedFileError",
    "Layout",
    "LimitReached",
    "Model",
    "ModelError",
    "OneHot",
    "Puzzle",
    "PuzzleFormatError",
    "ScheduleError",
    "Variable",
    "__version__",
    "allocate",
    "compile_set",
    "count",
    "load",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
