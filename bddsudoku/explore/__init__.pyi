from bddsudoku.explore.embedded import board_widget as board_widget
