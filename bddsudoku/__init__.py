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

Below it: :mod:`bddsudoku.model` (variables and constraints), :mod:`bddsudoku.puzzle` (what is
asked), :mod:`bddsudoku.engine` (model → answer), :mod:`bddsudoku.solutions` (the answer as a set),
:mod:`bddsudoku.report` (the answer to look at). The names here are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.errors import BackendUnavailable as BackendUnavailable
    from bddsudoku.errors import BddSudokuError as BddSudokuError
    from bddsudoku.errors import DamagedFileError as DamagedFileError
    from bddsudoku.errors import LimitReached as LimitReached
    from bddsudoku.errors import ModelError as ModelError
    from bddsudoku.errors import PuzzleFormatError as PuzzleFormatError
    from bddsudoku.errors import ScheduleError as ScheduleError
    from bddsudoku.limits import Limits as Limits
    from bddsudoku.model import Formula as Formula
    from bddsudoku.model import Linear as Linear
    from bddsudoku.model import Model as Model
    from bddsudoku.model import OneHot as OneHot
    from bddsudoku.model import Variable as Variable
    from bddsudoku.puzzle.formula import Problem as Problem
    from bddsudoku.puzzle.sudoku.allocation import Allocation as Allocation
    from bddsudoku.puzzle.sudoku.allocation import allocate as allocate
    from bddsudoku.puzzle.sudoku.grid import Layout as Layout
    from bddsudoku.puzzle.sudoku.grid import Puzzle as Puzzle
    from bddsudoku.solver import check as check
    from bddsudoku.solver import compile_set as compile_set
    from bddsudoku.solver import count as count
    from bddsudoku.solver import count_each as count_each
    from bddsudoku.solver import count_many as count_many
    from bddsudoku.solver import load as load
    from bddsudoku.solver import solve as solve
    from bddsudoku.solver import solve_many as solve_many
    from bddsudoku.solver import true_candidates as true_candidates
    from bddsudoku.solver import true_candidates_many as true_candidates_many
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.errors": [
                "BackendUnavailable",
                "BddSudokuError",
                "DamagedFileError",
                "LimitReached",
                "ModelError",
                "PuzzleFormatError",
                "ScheduleError",
            ],
            "bddsudoku.limits": ["Limits"],
            "bddsudoku.model": ["Formula", "Linear", "Model", "OneHot", "Variable"],
            "bddsudoku.puzzle.formula": ["Problem"],
            "bddsudoku.puzzle.sudoku.allocation": ["Allocation", "allocate"],
            "bddsudoku.puzzle.sudoku.grid": ["Layout", "Puzzle"],
            "bddsudoku.solver": [
                "check",
                "compile_set",
                "count",
                "count_each",
                "count_many",
                "load",
                "solve",
                "solve_many",
                "true_candidates",
                "true_candidates_many",
            ],
        },
    )
    __all__ += ["__version__"]

__version__ = "1.0.0"
