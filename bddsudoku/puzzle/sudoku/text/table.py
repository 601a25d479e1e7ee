"""Tables of puzzles: one a line, in a column that the first line names."""

from __future__ import annotations

import re
from typing import NamedTuple

from bddsudoku.errors import PuzzleFormatError

_PUZZLE = re.compile(
    r"(?:puzzles?|quizz?(?:es)?|questions?|sudokus?|boards?|grids?|clues|unsolved|givens?|mission)",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z_#][\w .()/#%-]*")
_CELL = re.compile(r"r\d+c\d+", re.IGNORECASE)


class Column(NamedTuple):
    """Where in a line the puzzle stands.

    Attributes:
        separator: between the fields.
        at: number of the puzzle's field, from 0.
    """

    separator: str
    at: int

    def first(self, text: str, line: int, source: str | None) -> str:
        """The line with the puzzle's field before all others.

        Raises:
            PuzzleFormatError: the line has too few fields.
        """
        import csv

        (fields,) = csv.reader([text], delimiter=self.separator)
        if len(fields) <= self.at:
            raise PuzzleFormatError(
                f"expected the puzzle in column {self.at + 1}, found {len(fields)} columns",
                source=source,
                line=line,
            )
        others = [f for i, f in enumerate(fields) if i != self.at and f]
        return self.separator.join([fields[self.at].strip(), *others])


def column_of(text: str) -> Column | None:
    """What a table's first line says; None when it is no such line.

    A line that names every cell (``r1c1,r1c2,…``, as ``enumerate --format csv`` writes) says that
    the cells are the columns: they are read as any line of cells is.
    """
    for separator in ",;\t":
        names = [n.strip(" \"'") for n in text.split(separator)]
        if len(names) < 2 or not all(_NAME.fullmatch(n) for n in names):
            continue
        if all(_CELL.fullmatch(n) for n in names):
            return Column(separator, 0)
        for index, name in enumerate(names):
            if _PUZZLE.fullmatch(name):
                return Column(separator, index)
    return None
