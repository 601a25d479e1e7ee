from bddsudoku.puzzle.sudoku.fpuzzles.reading import FPuzzle as FPuzzle
from bddsudoku.puzzle.sudoku.fpuzzles.reading import read_fpuzzles as read_fpuzzles
from bddsudoku.puzzle.sudoku.fpuzzles.writing import write_fpuzzles as write_fpuzzles
from bddsudoku.puzzle.sudoku.fpuzzles.writing import write_link as write_link
