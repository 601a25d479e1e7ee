from bddsudoku.puzzle.sudoku.allocation import Allocation as Allocation
from bddsudoku.puzzle.sudoku.allocation import allocate as allocate
from bddsudoku.puzzle.sudoku.allocation import full_model as full_model
from bddsudoku.puzzle.sudoku.grid import Puzzle as Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout as Layout
