"""Reading and writing the strings of Interactive-Sudoku-Solver ("ISS"), a solver in the browser.

Such a string is a row of constraints, each a name and arguments: ``.Cage~10~R1C1~R1C2.AntiKnight``.
Links of the program carry it after ``?q=``. Constraints have other names there
(:mod:`bddsudoku.puzzle.sudoku.iss.forms`, which also tells how to add one); one that is
unknown is an error, which names it. What is written reads back as the same puzzle or one with
equivalent rules.
"""

from bddsudoku.lazy_imports import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
