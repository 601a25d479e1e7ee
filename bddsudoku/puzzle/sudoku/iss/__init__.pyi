from bddsudoku.puzzle.sudoku.iss.reading import read_iss as read_iss
