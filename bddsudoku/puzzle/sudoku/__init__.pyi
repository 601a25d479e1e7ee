from bddsudoku.model.allocation import Allocation as Allocation
from bddsudoku.puzzle.sudoku.grid import Puzzle as Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout as Layout
from bddsudoku.puzzle.sudoku.places import CellGroup as CellGroup
from bddsudoku.puzzle.sudoku.sudoku_model import allocate as allocate
from bddsudoku.puzzle.sudoku.sudoku_model import empty_board_model as empty_board_model
