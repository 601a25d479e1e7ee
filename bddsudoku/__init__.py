"""All solutions of a Sudoku as a decision diagram: counted exactly, sampled, queried, measured.

The pipeline in ten lines::

    from bddsudoku import Puzzle, solve

    puzzle = Puzzle.parse(open("data/paper/35.txt").read())
    solutions = solve(puzzle)                      # the set of all solutions
    print(puzzle.hint_count, solutions.count())    # 35 1
    wider = solve(puzzle.without((0, 0), (7, 1)))  # fewer hints, more solutions
    print(wider.count())                           # exact, of any size
    print(wider.backbone())                        # cells with one digit in all solutions
    print(wider.marginals()[0, 0])                 # how many solutions have 1, 2, …, 9 in r1c1
    for grid in wider:                             # Puzzle objects, in the set's order
        print(grid.line)

Its packages: :mod:`bddsudoku.puzzle` (puzzles, their texts and rules), :mod:`bddsudoku.model`
(variables and constraints), :mod:`bddsudoku.engine` (from a model to its count or its set),
:mod:`bddsudoku.sets` (sets of solutions), :mod:`bddsudoku.report` (tables, plots and pages). The
names here are loaded on first use.
"""

from __future__ import annotations

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
__all__ += ["__version__"]

__version__ = "2.0.0"
