"""Layout: the shape of a board, that is, its cells, houses and digits (not its rules).

Cells are numbered row by row from 0; rows, columns and blocks from 0. In text, ``r4c7`` is row 4,
column 7, both from 1, and digits past 9 are written A, B, C, …

Most boards have n rows, n columns and the digits 1 to n. A digit is everywhere what is written, on
a board with the digits 0 to 8 the first is 0. Arrays with an entry for each digit, the bits of
masks and :meth:`Layout.key` have the digits in ascending order (:attr:`Layout.values`). Only inside
a puzzle a digit is kept as its *number* in this order, from 1, so that 0 is an open cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise, starmap
from typing import Any

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.number_text import cells_by_place
from bddsudoku.puzzle.sudoku.places import CellGroup, Place

SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
"""Digit ``d`` of a board whose digits begin with 1 is written ``SYMBOLS[d - 1]``."""
VALUE_SYMBOLS = "0" + SYMBOLS
"""The value ``v`` is written ``VALUE_SYMBOLS[v]``."""

SMALLEST, LARGEST = 4, 25
"""Smallest and largest side of boards that are read; a layout (Latin squares) may be smaller."""

_SPAN = re.compile(r"([0-9A-P])(?:-([0-9A-P]))?")


def written_digits(text: str) -> frozenset[int]:
    """The digits that a text such as ``4``, ``1-35`` or ``[^12]`` (all others) stands for.

    ``.`` are all digits, whatever the board has.
    """
    every = frozenset(range(LARGEST + 1))
    if text == ".":
        return every
    ends = ([VALUE_SYMBOLS.index(symbol) for symbol in (a, b or a)] for a, b in _SPAN.findall(text))
    found = every.intersection(d for low, high in ends for d in range(low, high + 1))
    return every - found if "^" in text else found


@dataclass(frozen=True, slots=True)
class House:
    """A set of cells with different digits.

    Attributes:
        family: ``row``, ``column``, ``block`` or ``extra``.
        index: number within the family, from 0.
        cells: ascending cell numbers.
        is_complete: whether every digit stands in the house, as it has a cell for each of them.
    """

    family: str
    index: int
    cells: tuple[int, ...]
    is_complete: bool = True


@check_types
@dataclass(frozen=True)
class Layout:
    """The shape of a board: rows × columns in blocks of ``box_rows`` × ``box_columns`` cells.

    Where nothing else is said there are ``n = box_rows * box_columns`` rows, columns and digits; a
    band is ``box_rows`` rows, a stack ``box_columns`` columns.

    Args:
        box_rows, box_columns: sides of the rectangular blocks. With ``regions`` they determine
            only n and how candidates are arranged within a cell.
        regions: blocks of any shape instead (jigsaw): for every cell the number of its block, or
            -1 for a cell without a block; an empty sequence for no blocks (Latin squares).
        extra: further houses.
        shape: (rows, columns) if these are not both n.
        digits: (least, greatest) digit if these are not 1 and the greater number of rows and
            columns.
        groups: named groups of further cells outside the grid, whose numbers follow those of the
            grid's cells. They are in no house.
        has_lines: whether rows and columns are houses. Without them there may be fewer digits than
            cells in a row, and only ``regions`` and ``extra`` make houses.

    A house has as many cells as there are digits; only if ``shape`` or ``digits`` is given, it may
    have fewer, and not every digit stands in it.

    Raises:
        PuzzleFormatError: a side below 1 or above 25, fewer digits than a row or column has cells,
            blocks that do not fill the board, a house with a wrong number of cells, or two groups
            of one name or with digits that the board does not have.
    """

    box_rows: int = 3
    box_columns: int = 3
    regions: tuple[int, ...] | None = None
    extra: tuple[tuple[int, ...], ...] = ()
    shape: tuple[int, int] | None = field(default=None, repr=False)
    digits: tuple[int, int] | None = field(default=None, repr=False)
    groups: tuple[CellGroup, ...] = field(default=(), repr=False)
    has_lines: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        size = self.box_size
        blocks = f"blocks of {self.box_rows}x{self.box_columns} cells"
        rows, columns = self.shape or (size, size)
        least, greatest = self.digits or (1, max(rows, columns))
        if self.shape and not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
            raise PuzzleFormatError(
                f"a board of {rows}x{columns} cells: boards have at most {LARGEST} rows and columns"
            )
        if self.box_rows < 1 or self.box_columns < 1 or size > LARGEST:
            raise PuzzleFormatError(
                f"{blocks}: a block has at least 1x1 and at most {LARGEST} cells (boards of "
                f"{SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST})"
            )
        if rows % self.box_rows or columns % self.box_columns:
            raise PuzzleFormatError(f"{blocks} do not fill a board of {rows}x{columns}")
        if not 0 <= least <= greatest <= LARGEST or greatest - least >= LARGEST:
            raise PuzzleFormatError(
                f"the digits {least}-{greatest}: at most {LARGEST} digits, from 0 to {LARGEST}"
            )
        in_house = size if self.regions is None else 0
        if greatest - least + 1 < max(in_house, 1, *((rows, columns) if self.has_lines else ())):
            raise PuzzleFormatError(
                f"a board of {rows}x{columns} cells in blocks of {size} has more cells in a "
                f"house than there are digits ({least}-{greatest})"
            )
        put = object.__setattr__
        if rows == columns == size:
            put(self, "shape", None)
        if (least, greatest) == (1, max(rows, columns)):
            put(self, "digits", None)
        if self.regions is not None:
            usual = [self._default_block(cell) for cell in range(self.grid_cell_count)]
            found = self._renumber_blocks(self.regions)
            put(self, "regions", None if list(found) == usual else found)
        houses = tuple(dict.fromkeys(tuple(sorted(house)) for house in self.extra))
        for house in houses:
            different = len({*house})
            fits = self._is_size_of_house(different)
            if not fits or len(house) != different:
                raise PuzzleFormatError(
                    f"a house has {self._house_sizes} different cells, not "
                    f"{len(house) if fits else different}"
                )
            if not 0 <= house[0] <= house[-1] < self.cell_count:
                raise PuzzleFormatError(f"a house with cell {house[-1]}, which is not on the board")
        put(self, "extra", houses)
        self._check_groups(least, greatest)

    def _check_groups(self, least: int, greatest: int) -> None:
        """Check that the groups' names differ, and that the board has their digits."""
        names = [group.name for group in self.groups]
        for group in self.groups:
            if names.count(group.name) > 1:
                raise PuzzleFormatError(f"two groups of cells are called {group.name}")
            low, high = group.digits or (least, greatest)
            if not least <= low <= high <= greatest:
                wanted = f"'# digits: {min(low, least)}-{max(high, greatest)}'"
                raise PuzzleFormatError(
                    f"the cells {group.name} have the digits {low}-{high}, but the board "
                    f"{least}-{greatest}: {wanted} above it says that it has more"
                )

    @classmethod
    @check_types
    def jigsaw(cls, regions: Sequence[int]) -> Layout:
        """The board whose irregular blocks are given by each cell's block number (-1 for none).

        Raises:
            PuzzleFormatError: not n² cells, or a block that does not have n cells.
        """
        n = round(len(regions) ** 0.5)
        if n * n != len(regions) or not n:
            raise PuzzleFormatError(f"a board has n² cells, not {len(regions)}")
        return cls.of_side_or_rows(n).with_regions(regions)

    @classmethod
    @check_types
    def of_shape(
        cls,
        rows: int,
        columns: int,
        digits: tuple[int, int] | None = None,
        box_size: int | None = None,
    ) -> Layout:
        """The board of rows × columns cells whose equal blocks are as square as possible.

        The digits (least, greatest) are by default 1 and the greater of rows and columns, which is
        the default number of a block's cells, too. Where no blocks of that size with two or more
        rows and columns fill the board it has none.
        """
        size = max(rows, columns) if box_size is None else box_size
        for small in range(int(max(size, 0) ** 0.5), 1, -1):
            for high, wide in ((small, size // small), (size // small, small)):
                if not (size % small or rows % high or columns % wide):
                    return cls(high, wide, shape=(rows, columns), digits=digits)
        return cls(1, max(columns, 1), (), shape=(rows, columns), digits=digits)

    @classmethod
    @check_types
    def latin(cls, n: int) -> Layout:
        """The board of Latin squares: rows and columns, no blocks."""
        return cls.of_side_or_rows(n).with_regions(())

    @check_types
    def with_regions(self, regions: Iterable[int]) -> Layout:
        """This board with other blocks; an empty sequence stands for no blocks."""
        return replace(self, regions=tuple(regions))

    @property
    def simplified(self) -> Layout:
        """This board with a block size instead of regions, if the regions are equal rectangles."""
        size = max(Counter(self.regions or ()).values(), default=0)
        sides = [(h, size // h) for h in range(1, size + 1) if size % h == 0]
        shapes = (
            replace(self, box_rows=high, box_columns=wide, regions=None, shape=self._sides)
            for high, wide in sides
            if self.row_count % high == 0 == self.column_count % wide
        )
        return next((s for s in shapes if s.with_regions(self.regions or ()) == s), self)

    @classmethod
    @check_types
    def of_side_or_rows(cls, n: int) -> Layout:
        """The usual layout of side ``n``; where there is none, a layout whose blocks are rows."""
        return cls.of_size(n) if has_default_blocks(n) else cls(1, n)

    @classmethod
    @check_types
    def of_size(cls, n: int) -> Layout:
        """The usual layout of side ``n``: blocks as square as possible, never higher than wide.

        4 → 2×2, 6 → 2×3, 8 → 2×4, 9 → 3×3, 10 → 2×5, 12 → 3×4, 16 → 4×4, 25 → 5×5.

        Raises:
            PuzzleFormatError: ``n`` is prime, below 4 or above 25.
        """
        if not has_default_blocks(n):
            raise PuzzleFormatError(why_no_default_blocks(n))
        return cls.of_shape(n, n)

    @property
    def is_usual(self) -> bool:
        """Whether the board has n rows, n columns and the digits 1 to n, whatever its blocks.

        All rows and columns are houses, and there are no cells outside the grid.
        """
        return self._has_usual_sides and not self.groups and self.has_lines

    @property
    def _has_usual_sides(self) -> bool:
        return self.shape is None and self.digits is None

    @property
    def is_plain(self) -> bool:
        """Whether the board can be recognised by its cells: it is usual, and n is not below 4."""
        return self.is_usual and self.box_size >= SMALLEST

    @property
    def n(self) -> int:
        """The number n of a board with n rows, n columns and the digits 1 to n.

        Raises:
            PuzzleFormatError: the board has another shape or other digits.
        """
        if not self.is_usual:
            raise PuzzleFormatError(
                f"expected a board with n rows, n columns and the digits 1 to n, found {self}"
            )
        return self.box_size

    @property
    def _sides(self) -> tuple[int, int]:
        return self.shape or (self.box_size,) * 2

    @cached_property
    def row_count(self) -> int:
        """Number of rows of the board."""
        return self._sides[0]

    @cached_property
    def column_count(self) -> int:
        """Number of columns of the board."""
        return self._sides[1]

    @cached_property
    def values(self) -> range:
        """The digits, ascending."""
        least, greatest = self.digits or (1, max(self._sides))
        return range(least, greatest + 1)

    @property
    def blank(self) -> int:
        """What stands for an open cell among digits: 0, on a board with the digit 0 -1."""
        return min(self.values.start - 1, 0)

    @check_types
    def key(self, cell: int, digit: int) -> int:
        """The key of the variable that says that a cell has a digit: ``cell * n + digit - 1``.

        On a board with other digits than 1 to n it has the position in :attr:`values` instead.

        Raises:
            ValueError: the board has no such digit.
        """
        return cell * self.digit_count + self.values.index(digit)

    @cached_property
    def digit_count(self) -> int:
        """Number of different digits that the board's cells can hold."""
        return len(self.values)

    @cached_property
    def cell_count(self) -> int:
        """Number of cells of the board: those of the grid, then those of the groups."""
        return self.grid_cell_count + sum(group.cell_count for group in self.groups)

    @cached_property
    def grid_cell_count(self) -> int:
        """Number of cells of the grid: rows times columns."""
        return self.row_count * self.column_count

    @property
    def array_shape(self) -> tuple[int, int, int]:
        """The shape of arrays with an entry for each row, column and digit.

        On a board with cells outside the grid all cells are one row, in the order of their numbers.
        """
        sides = (1, self.cell_count) if self.groups else (self.row_count, self.column_count)
        return (*sides, self.digit_count)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The digits that the board allows in each cell, bit i for the digit ``values[i]``."""
        found = [(1 << self.digit_count) - 1] * self.grid_cell_count
        for group in self.groups:
            least, greatest = group.digits or (self.values[0], self.values[-1])
            mask = (1 << greatest + 1 - self.values[0]) - (1 << least - self.values[0])
            found += [mask] * group.cell_count
        return tuple(found)

    @cached_property
    def cells_by_group(self) -> dict[CellGroup, range]:
        """The numbers of the cells of each group outside the grid."""
        ends = accumulate((g.cell_count for g in self.groups), initial=self.grid_cell_count)
        return dict(zip(self.groups, starmap(range, pairwise(ends)), strict=True))

    @cached_property
    def symbols(self) -> str:
        """The symbols of the digits, as one string."""
        return VALUE_SYMBOLS[self.values.start : self.values.stop]

    @property
    def box_size(self) -> int:
        """The number of cells of a rectangular block, which is its rows times its columns."""
        return self.box_rows * self.box_columns

    @property
    def frame(self) -> Layout:
        """This board with its rectangular blocks, without regions and extra houses."""
        return replace(self, regions=None if self.has_lines else (), extra=())

    @cached_property
    def grid(self) -> Layout:
        """This board without the cells outside the grid."""
        cells = range(self.grid_cell_count)
        houses = (house for house in self.extra if house[-1] in cells)
        return replace(self, groups=(), extra=tuple(houses)) if self.groups else self

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The place of every cell, by its number."""
        wide = self.column_count
        found = [Place(*divmod(cell, wide)) for cell in range(self.grid_cell_count)]
        return (*found, *(place for group in self.groups for place in group.places()))

    @cached_property
    def cells_by_place(self) -> dict[Any, int]:
        """The number of every cell, by its number, its place as (row, column) and its name."""
        found = dict(cells_by_place(self.row_count, self.column_count))
        for cell in range(self.grid_cell_count, self.cell_count):
            found |= dict.fromkeys((cell, self.places[cell], str(self.places[cell])), cell)
        return found

    @check_types
    def cell(self, place: tuple[int, int]) -> int:
        """The number of the cell at (row, column), all counted from 0, or of a group's cell."""
        return self.cells_by_place[place]

    @check_types
    def has_cell(self, place: tuple[int, int]) -> bool:
        """Whether (row, column), counted from 0, or a place of a group is a cell of the board."""
        return place in self.cells_by_place

    @check_types
    def cell_name(self, cell: int) -> str:
        """The name of a cell in messages and texts, such as ``r4c7`` or ``D3``."""
        return str(self.places[cell])

    def _is_size_of_house(self, size: int) -> bool:
        """Whether a block or an extra house may have this number of cells."""
        return size == self.digit_count or (not self.is_usual and 0 < size < self.digit_count)

    @property
    def _house_sizes(self) -> str:
        return f"{self.digit_count}" if self.is_usual else f"1 to {self.digit_count}"

    def _default_block(self, cell: int) -> int:
        row, column = divmod(cell, self.column_count)
        stacks = self.column_count // self.box_columns
        return row // self.box_rows * stacks + column // self.box_columns

    @check_types
    def block_index(self, cell: int) -> int:
        """The number of a cell's block, from 0 in the order of first cells; -1 without a block."""
        if cell >= self.grid_cell_count:
            return -1
        if self.regions is None:
            return self._default_block(cell)
        return self.regions[cell] if self.regions else -1

    @property
    def is_default(self) -> bool:
        """True when the blocks are equal rectangles and there are no extra houses."""
        return self.regions is None and not self.extra

    def _houses(self, family: str, cells: Iterable[Sequence[int]]) -> tuple[House, ...]:
        """Make the houses of one family, such as ``row``, from the cells of each house."""
        count = self.digit_count
        return tuple(House(family, i, tuple(c), len(c) == count) for i, c in enumerate(cells))

    @cached_property
    def rows(self) -> tuple[House, ...]:
        """The rows of the board as houses, from top to bottom."""
        wide = self.column_count
        return self._houses(
            "row", (range(c, c + wide) for c in range(0, self.grid_cell_count, wide))
        )

    @cached_property
    def columns(self) -> tuple[House, ...]:
        """The columns of the board as houses, from left to right."""
        wide = self.column_count
        return self._houses("column", (range(c, self.grid_cell_count, wide) for c in range(wide)))

    @cached_property
    def blocks(self) -> tuple[House, ...]:
        """The blocks of the board as houses, in the order of their first cells (perhaps none)."""
        cells: dict[int, list[int]] = {}
        for cell in range(self.grid_cell_count):
            if (block := self.block_index(cell)) >= 0:
                cells.setdefault(block, []).append(cell)
        return self._houses("block", cells.values())

    @cached_property
    def extras(self) -> tuple[House, ...]:
        """The houses other than rows, columns and blocks."""
        return self._houses("extra", self.extra)

    @cached_property
    def houses(self) -> tuple[House, ...]:
        """All houses: rows, then columns, then blocks, then the extra houses."""
        lines = self.rows + self.columns if self.has_lines else ()
        return lines + self.blocks + self.extras

    @cached_property
    def houses_by_cell(self) -> tuple[tuple[House, ...], ...]:
        """The houses that contain each cell (three on classic boards), by cell number."""
        out: list[list[House]] = [[] for _ in range(self.cell_count)]
        for house in self.houses:
            for cell in house.cells:
                out[cell].append(house)
        return tuple(tuple(h) for h in out)

    def __str__(self) -> str:
        blocks = f"{self.box_rows}x{self.box_columns} blocks"
        if self.regions is not None:
            blocks = "blocks of its own" if self.regions else "no blocks"
        more = f" and {len(self.extra)} extra houses" if self.extra else ""
        if self.digits is not None:
            more += f", digits {self.values[0]}-{self.values[-1]}"
        if not self.has_lines:
            more += ", rows and columns no houses"
        if self.groups:
            more += f", cells {', '.join(group.text for group in self.groups)}"
        return f"{self.row_count}x{self.column_count} ({blocks}{more})"

    def _renumber_blocks(self, regions: Sequence[int]) -> tuple[int, ...]:
        """Renumber the blocks of all cells in the order of the blocks' first cells."""
        if not len(regions) or all(r < 0 for r in regions):
            return ()
        if len(regions) != self.grid_cell_count:
            raise PuzzleFormatError(
                f"the blocks of {len(regions)} cells on a board of {self.grid_cell_count}"
            )
        sizes = Counter(r for r in regions if r >= 0)
        for region, size in sizes.items():
            if not self._is_size_of_house(size):
                first = self.cell_name(regions.index(region))
                raise PuzzleFormatError(
                    f"the region of {first} has {size} cells, a region has {self._house_sizes}"
                )
        number = {region: i for i, region in enumerate(sizes)}
        return tuple(number.get(r, -1) for r in regions)


def has_default_blocks(n: int) -> bool:
    """Whether a board of side ``n`` has usual blocks (:meth:`Layout.of_size`)."""
    return SMALLEST <= n <= LARGEST and any(n % h == 0 for h in range(2, n))


def why_no_default_blocks(n: int) -> str:
    """The error message for a side ``n`` for which :meth:`Layout.of_size` has no blocks."""
    if SMALLEST <= n <= LARGEST:
        return (
            f"a {n}x{n} board has no usual blocks: '# layout: 1x{n}' above it makes a Latin square "
            "of it, and a line 'regions …' below it a jigsaw"
        )
    return f"a board of {n}x{n} cells: boards are {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST}"


def cell_name(cell: int, columns: int) -> str:
    """The name of a cell in messages and texts, such as ``r4c7``."""
    row, column = divmod(cell, columns)
    return f"r{row + 1}c{column + 1}"
