from bddsudoku.puzzle.sudoku.allocation import Allocation as Allocation
from bddsudoku.puzzle.sudoku.allocation import allocate as allocate
from bddsudoku.puzzle.sudoku.allocation import empty_board_model as empty_board_model
from bddsudoku.puzzle.sudoku.grid import Puzzle as Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout as Layout
