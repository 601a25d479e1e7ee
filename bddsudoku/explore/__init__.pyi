from bddsudoku.explore.notebook import board_widget as board_widget
