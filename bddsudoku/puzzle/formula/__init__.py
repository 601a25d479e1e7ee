"""Constraints as formulas: a language in the manner of BEM-II, and the same operators in Python.

BEM-II (S. Minato, *BEM-II: an arithmetic Boolean expression manipulator using BDDs*, IEICE Trans.
Fundamentals E76-A, 1993) is the calculator in which Tateishi & Minato wrote their Sudoku
constraints (paper, section 3). A file::

    # One statement a line; brackets may go on over several. Comments: # or //
    symbol a b c                        Boolean variables, values 0 and 1
    symbol x[1..9][1..9][1..9]          ... with indices
    integer n m in 0..9                 integer variables (one Boolean a value, exactly one true)
    integer q[1..8] in {1, 2, 5}

    w[1..3] = {12, 7, 9}                a table of numbers
    edges = {(1, 2), (2, 3)}            a set that loops can run over
    F = (a + b + c == 1)                a name for an expression
    S[i] = a + i * b for i in 1..3      ... for several

    F                                   a constraint: the expression shall not be 0
    a -> b | c                          if a then b or c
    row 1: x[1][1][1] + x[1][2][1] == 1           named: family "row", label "1"
    cell: sum(x[r][c][d] for d in 1..9) == 1      named "cell 1,1" and so on
          for r in 1..9, c in 1..9
    x[1][i][j] + x[2][i][j] <= 1 for i in 1..9, j in 1..9 if i != j
    x[u][v][1] for u, v in edges
    all different(q[i] + i for i in 1..8)

    project a n                         count the assignments of these variables only

Operators and their precedence are C's; ``->`` (if … then) and ``<->`` (both or neither) bind less
tightly than ``||`` and more tightly than ``?:``. Numbers are exact integers. Truth is 1 or 0, and
whatever is not 0 is true. ``& | ^`` work on bits, so on truths they are and, or, either; ``~`` of a
truth is ``!``. Comparisons do not chain. Functions: ``sum min max any all abs``, ``all different``;
arguments are listed, come from a loop, or are an array. ``"…"`` is a name with any signs in it;
``"n=3"`` is the Boolean "n is 3". A file of definitions alone demands the last of them. What
divides by 0 (or shifts by a negative count) under some assignment is refused, unless
``&& || -> ?: any all`` guard it, which look no further than what decides. At most 100 brackets may
stand inside each other, and 40 loops.

:class:`Problem` reads such files (:meth:`Problem.read` also ``.opb`` and ``.cnf``), and is built in
Python by operators (:mod:`bddsudoku.puzzle.formula.terms`).
"""

from bddsudoku.puzzle.formula.competition_formats import cnf_lines
from bddsudoku.puzzle.formula.problem import Problem
from bddsudoku.puzzle.formula.problem_draft import FormulaDecoder, Statement
from bddsudoku.puzzle.formula.terms import (
    Term,
    Terms,
    all_different,
    all_of,
    any_of,
    largest,
    smallest,
)

__all__ = [
    "FormulaDecoder",
    "Problem",
    "Statement",
    "Term",
    "Terms",
    "all_different",
    "all_of",
    "any_of",
    "cnf_lines",
    "largest",
    "smallest",
]
