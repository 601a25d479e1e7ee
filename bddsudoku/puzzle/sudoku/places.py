"""Places by their names: cells of the grid, places beside it, and cells of groups outside it.

A cell of the grid is called ``r4c7``. Beside the grid a board may have groups of further cells,
which rules name like those of the grid (:attr:`.Layout.groups`): ``D3`` is the third cell in the
first row of the group D, and ``Dr2c1`` the first cell in its second row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from bddsudoku.errors import PuzzleFormatError


class Place(NamedTuple):
    """A cell, or a place beside the board (row or column -1 or n), numbered from 0.

    In text places are numbered from 1, as ``r1c1``: those outside have row or column 0 or n + 1.
    """

    row: int
    column: int

    def __str__(self) -> str:
        return f"r{self.row + 1}c{self.column + 1}"


class GroupPlace(Place):
    """A cell of a group outside the grid: its row and column in the group ``group``, from 0.

    It is equal to no place of the grid.
    """

    group: str

    def __new__(cls, row: int, column: int, group: str) -> GroupPlace:
        """Make the place of a row and column of a group."""
        place = super().__new__(cls, row, column)
        place.group = group
        return place

    def __getnewargs__(self) -> tuple[int, int, str]:
        return (self.row, self.column, self.group)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, GroupPlace) and self.group == other.group
        return same and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.__getnewargs__())

    def __str__(self) -> str:
        return f"{self.group}{super().__str__() if self.row else self.column + 1}"


Places: TypeAlias = "tuple[Place, ...]"
"""Places in the order in which a rule reads them."""

PLACE_NAME = r"(?:r\d{1,2}c|[a-z]{1,8}?(?:r\d{1,2}c)?)\d{1,3}"
"""A regular expression for a place's name, in small letters."""
_WRITTEN = re.compile(r"([a-z]{0,8}?)(?:r(\d{1,2})c)?(\d{1,3})", re.IGNORECASE)


def is_place(word: str) -> bool:
    """Whether a word has the form of a place's name, such as ``r1c1`` or ``D3``."""
    match = _WRITTEN.fullmatch(word)
    return match is not None and bool(match[1] or match[2])


def parse_place(word: str) -> Place:
    """The place named by a word such as ``r1c1`` or ``D3``.

    Raises:
        PuzzleFormatError: the word names no place.
    """
    match = _WRITTEN.fullmatch(word)
    if match is None or not (match[1] or match[2]):
        raise PuzzleFormatError(f"expected a cell such as r1c1, found {word[:20]!r}")
    row, column = int(match[2] or 1) - 1, int(match[3]) - 1
    return GroupPlace(row, column, match[1].upper()) if match[1] else Place(row, column)


def cells(text: str | Iterable[str | tuple[int, int]]) -> Places:
    """The cells named by a text such as ``"r1c1 D3"``, or given as (row, column) pairs from 0.

    Raises:
        PuzzleFormatError: a word names no cell.
    """
    parts = re.split(r"[\s,]+", text.strip()) if isinstance(text, str) else text
    made = (parse_place(p) if isinstance(p, str) else p for p in parts if p)
    return tuple(p if isinstance(p, Place) else Place(*p) for p in made)


MAX_GROUP_CELLS = 1_000
"""Greatest number of cells of a group."""
_GROUP = re.compile(
    r"\s*([A-Za-z]{1,8})\s+(?:(\d{1,4})\s*[x*×]\s*)?(\d{1,4})"
    r'(?:\s+(\d{1,2})\s*(?:-|\.\.|to)\s*(\d{1,2}))?(?:\s+"([^"\n]*)")?\s*'
)


@dataclass(frozen=True)
class CellGroup:
    """A named group of cells outside the grid: further cells for rules to speak of.

    Attributes:
        name: one to eight capital letters.
        rows: number of rows, from 1.
        columns: number of columns, from 1.
        digits: (least, greatest) digit, if it does not have all digits of the board.
        label: what the cells are for, as drawings show it.
    """

    name: str
    rows: int = 1
    columns: int = 1
    digits: tuple[int, int] | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Z]{1,8}", self.name):
            raise PuzzleFormatError(
                f"the name of a group of cells is 1 to 8 capital letters, not {self.name[:20]!r}"
            )
        if not (self.rows > 0 < self.columns and self.cell_count <= MAX_GROUP_CELLS):
            raise PuzzleFormatError(
                f"the cells {self.name} are {self.rows}x{self.columns}, "
                f"expected 1 to {MAX_GROUP_CELLS} cells"
            )

    @property
    def cell_count(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    def places(self) -> Iterator[GroupPlace]:
        """Yield the cells row by row."""
        for row in range(self.rows):
            for column in range(self.columns):
                yield GroupPlace(row, column, self.name)

    @property
    def text(self) -> str:
        """The group as text, which :func:`parse_groups` reads: ``D 9``, ``S 2x3 0-1 "shade"``."""
        size = f"{self.rows}x{self.columns}" if self.rows > 1 else f"{self.columns}"
        words = [self.name, size]
        if self.digits is not None:
            words.append(f"{self.digits[0]}-{self.digits[1]}")
        if self.label:
            words.append(f'"{self.label}"')
        return " ".join(words)


def parse_groups(text: str) -> tuple[CellGroup, ...]:
    """The groups of cells that a text lists, as ``D 9, S 2x3 0-1 "shade"``.

    Each has a name, a number of cells or rows x columns, perhaps digits, perhaps a label in quotes.

    Raises:
        PuzzleFormatError: it is no such list.
    """
    found = []
    for part in re.split(r',(?=(?:[^"]*"[^"]*")*[^"]*$)', text):
        match = _GROUP.fullmatch(part)
        if match is None:
            wanted = 'cells such as D 9, or S 2x3 0-1 "shade"'
            raise PuzzleFormatError(f"expected {wanted}, found {part.strip()[:30]!r}")
        name, rows, columns, least, greatest, label = match.groups()
        digits = None if least is None else (int(least), int(greatest))
        found.append(CellGroup(name.upper(), int(rows or 1), int(columns), digits, label or ""))
    return tuple(found)
