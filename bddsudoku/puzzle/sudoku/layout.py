"""Layout: the shape of a board, its cells and houses.

Cells are numbered row by row from 0; rows, columns and blocks from 0; digits from 1. In text,
``r4c7`` is row 4, column 7, both from 1, and digits past 9 are written A, B, C, …
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bddsudoku.errors import PuzzleFormatError

__all__ = [
    "LARGEST",
    "SMALLEST",
    "SYMBOLS",
    "House",
    "Layout",
    "cell_name",
    "has_usual_blocks",
    "no_usual_blocks",
]

SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
"""Digit ``d`` is written ``SYMBOLS[d - 1]``."""

SMALLEST, LARGEST = 4, 25
"""Sides of the boards that are read; a layout may be smaller (for Latin squares), never larger."""


@dataclass(frozen=True, slots=True)
class House:
    """A set of n cells in which every digit stands once.

    Attributes:
        family: ``row``, ``column`` or ``block``.
        index: number within the family, from 0.
        cells: ascending cell numbers.
    """

    family: str
    index: int
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """The shape of a board: n × n cells in blocks of ``box_rows`` × ``box_columns`` cells.

    ``n = box_rows * box_columns``; a band is ``box_rows`` rows, a stack ``box_columns`` columns.

    Raises:
        PuzzleFormatError: a side below 1, or n above 25.
    """

    box_rows: int = 3
    box_columns: int = 3

    def __post_init__(self) -> None:
        if self.box_rows < 1 or self.box_columns < 1 or self.n > LARGEST:
            raise PuzzleFormatError(
                f"blocks of {self.box_rows}x{self.box_columns} cells: a block has at least 1x1 and "
                f"at most {LARGEST} cells (boards of {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST})"
            )

    @classmethod
    def of_size(cls, n: int) -> Layout:
        """The usual layout of side ``n``: blocks as square as can be, wider than high.

        4 → 2×2, 6 → 2×3, 8 → 2×4, 9 → 3×3, 10 → 2×5, 12 → 3×4, 16 → 4×4, 25 → 5×5.

        Raises:
            PuzzleFormatError: ``n`` is prime, below 4 or above 25.
        """
        if has_usual_blocks(n):
            height = next(h for h in range(int(n**0.5), 1, -1) if n % h == 0)
            return cls(height, n // height)
        raise PuzzleFormatError(no_usual_blocks(n))

    @property
    def n(self) -> int:
        """Side of the board, number of digits."""
        return self.box_rows * self.box_columns

    @property
    def cell_count(self) -> int:
        """n²."""
        return self.n * self.n

    @property
    def symbols(self) -> str:
        """The digits as written."""
        return SYMBOLS[: self.n]

    def block_of(self, cell: int) -> int:
        """Number of the block that holds a cell, counted row by row."""
        row, column = divmod(cell, self.n)
        return row // self.box_rows * self.box_rows + column // self.box_columns

    @cached_property
    def rows(self) -> tuple[House, ...]:
        """The n rows."""
        n = self.n
        return tuple(House("row", r, tuple(range(r * n, r * n + n))) for r in range(n))

    @cached_property
    def columns(self) -> tuple[House, ...]:
        """The n columns."""
        n = self.n
        return tuple(House("column", c, tuple(range(c, n * n, n))) for c in range(n))

    @cached_property
    def blocks(self) -> tuple[House, ...]:
        """The n blocks, row by row."""
        cells: list[list[int]] = [[] for _ in range(self.n)]
        for cell in range(self.cell_count):
            cells[self.block_of(cell)].append(cell)
        return tuple(House("block", b, tuple(cs)) for b, cs in enumerate(cells))

    @cached_property
    def houses(self) -> tuple[House, ...]:
        """Rows, then columns, then blocks."""
        return self.rows + self.columns + self.blocks

    @cached_property
    def houses_of(self) -> tuple[tuple[House, ...], ...]:
        """For every cell the three houses that hold it."""
        out: list[list[House]] = [[] for _ in range(self.cell_count)]
        for house in self.houses:
            for cell in house.cells:
                out[cell].append(house)
        return tuple(tuple(h) for h in out)

    def __str__(self) -> str:
        return f"{self.n}x{self.n} ({self.box_rows}x{self.box_columns} blocks)"


def has_usual_blocks(n: int) -> bool:
    """Whether :meth:`Layout.of_size` knows a layout of side ``n``."""
    return SMALLEST <= n <= LARGEST and any(n % h == 0 for h in range(2, n))


def no_usual_blocks(n: int) -> str:
    """Why there is none, for people."""
    if SMALLEST <= n <= LARGEST:
        return (
            f"a {n}x{n} board has no blocks of its own: its regions must be given, which this "
            f"release cannot read ('# layout: 1x{n}' makes a Latin square of it)"
        )
    return f"a board of {n}x{n} cells: boards are {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST}"


def cell_name(cell: int, n: int) -> str:
    """``r4c7`` for a cell number."""
    row, column = divmod(cell, n)
    return f"r{row + 1}c{column + 1}"
