"""What readers of f-puzzles and of Interactive-Sudoku-Solver share: single values."""

from __future__ import annotations

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import parse_whole_number
from bddsudoku.puzzle.sudoku.text.symbols import show_symbol


def expected_error(what: str, value: object) -> PuzzleFormatError:
    """The error, not yet raised, for a value: it says what was expected and what was found."""
    if isinstance(value, str):
        found = show_symbol(value) if value else "nothing"
    elif isinstance(value, dict):
        found = "an object"
    elif isinstance(value, list):
        found = f"a list of {len(value)}" if value else "an empty list"
    else:
        found = "null" if value is None else str(value).lower()
    return PuzzleFormatError(f"expected {what}, found {found}")


def read_number(value: object) -> int:
    """The whole number that a text or a JSON value is; an error if it is none."""
    number = parse_whole_number(value.strip()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise expected_error("a number", value)
    return number
