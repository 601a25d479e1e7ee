"""Layout (the shape of the board) and Puzzle (the hints on it), both immutable.

Cells are numbered row by row from 0; rows, columns and blocks from 0; digits from 1. In text,
``r4c7`` is row 4, column 7, both from 1, and digits past 9 are written A, B, C, …
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape

from bddsudoku.errors import PuzzleFormatError

__all__ = ["SYMBOLS", "Layout", "Puzzle", "cell_name"]

SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Digit ``d`` is written ``SYMBOLS[d - 1]``."""


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
        PuzzleFormatError: a side below 1, or n above 35 (there are no more symbols).
    """

    box_rows: int = 3
    box_columns: int = 3

    def __post_init__(self) -> None:
        if self.box_rows < 1 or self.box_columns < 1 or self.n > len(SYMBOLS):
            raise PuzzleFormatError(
                f"a layout has blocks of at least 1x1 and at most {len(SYMBOLS)} cells, "
                f"not {self.box_rows}x{self.box_columns}"
            )

    @classmethod
    def of_size(cls, n: int) -> Layout:
        """The usual layout of side ``n``: blocks as square as can be, wider than high.

        4 → 2×2, 6 → 2×3, 8 → 2×4, 9 → 3×3, 10 → 2×5, 12 → 3×4, 16 → 4×4, 25 → 5×5.

        Raises:
            PuzzleFormatError: ``n`` is prime or below 4.
        """
        for height in range(int(max(n, 0) ** 0.5), 1, -1):
            if n % height == 0:
                return cls(height, n // height)
        raise PuzzleFormatError(f"no block shape is usual for a board of side {n}")

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


def cell_name(cell: int, n: int) -> str:
    """``r4c7`` for a cell number."""
    row, column = divmod(cell, n)
    return f"r{row + 1}c{column + 1}"


@lru_cache(maxsize=32)
def _layout(box_rows: int, box_columns: int) -> Layout:
    """One shared Layout per shape, so that its houses are computed once."""
    return Layout(box_rows, box_columns)


class Puzzle:
    """Hints on a board; immutable, hashable, comparable. A solution is a Puzzle without open cells.

    Args:
        cells: n² digits row by row (or n rows of n); 0 for an open cell.
        layout: the shape; by default the usual one of that size.

    Raises:
        PuzzleFormatError: a wrong number of cells, or a digit outside 0…n.

    Hints that contradict each other are allowed: such a puzzle has no solution
    (see :meth:`clashes`).
    """

    __slots__ = ("_hash", "cells", "layout")

    cells: tuple[int, ...]
    layout: Layout
    _hash: int | None

    def __init__(
        self, cells: Iterable[int] | Iterable[Iterable[int]], layout: Layout | None = None
    ) -> None:
        flat: list[int] = []
        for item in cells:
            flat.extend(map(int, item) if isinstance(item, Iterable) else (int(item),))
        if layout is None:
            side = round(len(flat) ** 0.5)
            if side * side != len(flat):
                raise PuzzleFormatError(f"a board has n² cells, not {len(flat)}")
            layout = Layout.of_size(side)
        layout = _layout(layout.box_rows, layout.box_columns)
        if len(flat) != layout.cell_count:
            raise PuzzleFormatError(f"{layout} has {layout.cell_count} cells, not {len(flat)}")
        for cell, digit in enumerate(flat):
            if not 0 <= digit <= layout.n:
                raise PuzzleFormatError(
                    f"expected a digit 0 to {layout.n}, found {digit}",
                    cell=cell_name(cell, layout.n),
                )
        object.__setattr__(self, "cells", tuple(flat))
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "_hash", None)

    @classmethod
    def trusted(cls, cells: tuple[int, ...], layout: Layout) -> Puzzle:
        """A puzzle from n² digits that the caller has checked (the fast way for readers)."""
        puzzle = object.__new__(cls)
        object.__setattr__(puzzle, "cells", cells)
        object.__setattr__(puzzle, "layout", layout)
        object.__setattr__(puzzle, "_hash", None)
        return puzzle

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Puzzle is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Puzzle is immutable: {name} cannot be deleted")

    def __reduce__(self) -> tuple[type[Puzzle], tuple[tuple[int, ...], Layout]]:
        return Puzzle, (self.cells, self.layout)

    @property
    def n(self) -> int:
        """Side of the board."""
        return self.layout.n

    @property
    def hints(self) -> dict[int, int]:
        """Digit of every hinted cell, by cell number ascending."""
        return {cell: digit for cell, digit in enumerate(self.cells) if digit}

    @property
    def hint_count(self) -> int:
        """Number of hinted cells."""
        return len(self.cells) - self.cells.count(0)

    @property
    def open_cells(self) -> tuple[int, ...]:
        """Cells without a hint, ascending."""
        return tuple(cell for cell, digit in enumerate(self.cells) if not digit)

    @property
    def is_complete(self) -> bool:
        """True when no cell is open (the puzzle may still contradict itself)."""
        return 0 not in self.cells

    def __getitem__(self, place: int | tuple[int, int]) -> int:
        """Digit at a cell number or at (row, column), both from 0; 0 when open."""
        return self.cells[self._cell(place)]

    def _cell(self, place: int | tuple[int, int]) -> int:
        n = self.layout.n
        if isinstance(place, tuple):
            row, column = place
            if not (0 <= row < n and 0 <= column < n):
                raise IndexError(f"no cell in row {row}, column {column} on a board of side {n}")
            return row * n + column
        if not 0 <= place < n * n:
            raise IndexError(f"no cell {place} on a board of side {n}")
        return place

    def with_hint(self, place: int | tuple[int, int], digit: int) -> Puzzle:
        """This puzzle with one more hint (or another digit in that cell)."""
        return self.with_hints({place: digit})

    def with_hints(self, hints: Mapping[int | tuple[int, int], int]) -> Puzzle:
        """This puzzle with more hints, given as {cell or (row, column): digit}."""
        cells = list(self.cells)
        for place, digit in hints.items():
            if not 1 <= digit <= self.n:
                raise PuzzleFormatError(
                    f"expected a digit 1 to {self.n}, found {digit}",
                    cell=cell_name(self._cell(place), self.n),
                )
            cells[self._cell(place)] = digit
        return Puzzle(cells, self.layout)

    def without(self, *places: int | tuple[int, int]) -> Puzzle:
        """This puzzle with the hints of some cells taken away.

        Raises:
            ValueError: one of the cells has no hint.
        """
        cells = list(self.cells)
        for place in places:
            cell = self._cell(place)
            if not cells[cell]:
                raise ValueError(f"{cell_name(cell, self.n)} has no hint to take away")
            cells[cell] = 0
        return Puzzle(cells, self.layout)

    def clashes(self) -> Iterator[tuple[int, int, House]]:
        """Pairs of hints that cannot stand together: (cell, cell, the first house they share)."""
        told: set[tuple[int, int]] = set()
        for house in self.layout.houses:
            first: dict[int, list[int]] = {}
            for cell in house.cells:
                if digit := self.cells[cell]:
                    first.setdefault(digit, []).append(cell)
            for cells in first.values():
                for i, a in enumerate(cells):
                    for b in cells[i + 1 :]:
                        if (a, b) not in told:
                            told.add((a, b))
                            yield a, b, house

    @property
    def is_solution(self) -> bool:
        """True when every cell has a digit and no two clash."""
        return self.is_complete and next(self.clashes(), None) is None

    @property
    def line(self) -> str:
        """The puzzle on one line, n² symbols, ``.`` for an open cell."""
        return "".join("." if d == 0 else SYMBOLS[d - 1] for d in self.cells)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Puzzle):
            return NotImplemented
        return self.cells == other.cells and self.layout == other.layout

    def __hash__(self) -> int:
        value = self._hash
        if value is None:
            value = hash((self.cells, self.layout))
            object.__setattr__(self, "_hash", value)
        return value

    def __repr__(self) -> str:
        usual = self.n >= 4 and any(self.n % h == 0 for h in range(2, self.n))
        shape = (
            ""
            if usual and self.layout == Layout.of_size(self.n)
            else f", Layout({self.layout.box_rows}, {self.layout.box_columns})"
        )
        return f"Puzzle.parse({self.line!r}{shape})"

    @classmethod
    def parse(cls, text: str, layout: Layout | None = None) -> Puzzle:
        """The one puzzle in a text, in any form that :mod:`bddsudoku.puzzle.sudoku.text` reads."""
        from bddsudoku.puzzle.sudoku.text import parse_one

        return parse_one(text, layout)

    def __str__(self) -> str:
        """The grid with borders; reads back as the same puzzle."""
        lay, n = self.layout, self.n
        border = "+".join("-" * (2 * lay.box_columns + 1) for _ in range(lay.box_rows))
        lines = []
        for row in range(n):
            if row % lay.box_rows == 0:
                lines.append(f"+{border}+")
            symbols = ["." if d == 0 else SYMBOLS[d - 1] for d in self.cells[row * n : row * n + n]]
            groups = [
                " ".join(symbols[c : c + lay.box_columns]) for c in range(0, n, lay.box_columns)
            ]
            lines.append("| " + " | ".join(groups) + " |")
        return "\n".join([*lines, f"+{border}+"])

    def _repr_html_(self) -> str:
        """A bordered table for notebooks."""
        lay, n = self.layout, self.n
        rows = []
        for row in range(n):
            tds = []
            for column in range(n):
                digit = self.cells[row * n + column]
                style = "border:1px solid #999;width:1.6em;height:1.6em;text-align:center;padding:0"
                if row % lay.box_rows == 0:
                    style += ";border-top:2px solid #000"
                if column % lay.box_columns == 0:
                    style += ";border-left:2px solid #000"
                if row == n - 1:
                    style += ";border-bottom:2px solid #000"
                if column == n - 1:
                    style += ";border-right:2px solid #000"
                symbol = escape(SYMBOLS[digit - 1]) if digit else "&nbsp;"
                tds.append(f'<td style="{style}">{symbol}</td>')
            rows.append(f"<tr>{''.join(tds)}</tr>")
        return f'<table style="border-collapse:collapse">{"".join(rows)}</table>'
