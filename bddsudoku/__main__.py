"""``python -m bddsudoku``."""

from bddsudoku.cli import main

if __name__ == "__main__":
    main(prog_name="bddsudoku")
