from bddsudoku.puzzle.sudoku.iss.reading import read_iss as read_iss
from bddsudoku.puzzle.sudoku.iss.writing import write_iss as write_iss
