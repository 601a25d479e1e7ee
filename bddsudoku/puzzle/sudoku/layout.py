"""Layout: the shape of a board, that is, its cells and houses (rules are no part of it).

Cells are numbered row by row from 0; rows, columns and blocks from 0; digits from 1. In text,
``r4c7`` is row 4, column 7, both from 1, and digits past 9 are written A, B, C, …
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bddsudoku.errors import PuzzleFormatError

SYMBOLS = "123456789ABCDEFGHIJKLMNOP"
"""Digit ``d`` is written ``SYMBOLS[d - 1]``."""

SMALLEST, LARGEST = 4, 25
"""Smallest and largest side of boards that are read; a layout (Latin squares) may be smaller."""


@dataclass(frozen=True, slots=True)
class House:
    """A set of n cells in which every digit stands once.

    Attributes:
        family: ``row``, ``column``, ``block`` or ``extra``.
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

    Args:
        box_rows, box_columns: sides of the rectangular blocks. With ``regions`` they determine
            only n and how candidates are arranged within a cell.
        regions: blocks of any shape instead (jigsaw): for every cell the number of its block, or
            -1 for a cell without a block; an empty sequence for no blocks (Latin squares).
        extra: further houses, n cells each.

    Raises:
        PuzzleFormatError: a side below 1, n above 25, or a house that does not have n cells.
    """

    box_rows: int = 3
    box_columns: int = 3
    regions: tuple[int, ...] | None = None
    extra: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.box_rows < 1 or self.box_columns < 1 or self.n > LARGEST:
            raise PuzzleFormatError(
                f"blocks of {self.box_rows}x{self.box_columns} cells: a block has at least 1x1 and "
                f"at most {LARGEST} cells (boards of {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST})"
            )
        if self.regions is not None:
            usual = [self._default_block(cell) for cell in range(self.cell_count)]
            found = _number_blocks(self.regions, self.n)
            object.__setattr__(self, "regions", None if list(found) == usual else found)
        houses = tuple(dict.fromkeys(tuple(sorted(house)) for house in self.extra))
        for house in houses:
            if len({*house}) != self.n or len(house) != self.n:
                size = len({*house}) if len({*house}) != self.n else len(house)
                raise PuzzleFormatError(f"a house has {self.n} different cells, not {size}")
            if not 0 <= house[0] <= house[-1] < self.cell_count:
                raise PuzzleFormatError(f"a house with cell {house[-1]}, which is not on the board")
        object.__setattr__(self, "extra", houses)

    @classmethod
    def jigsaw(cls, regions: Sequence[int]) -> Layout:
        """The board with irregular blocks, given as the block number of every cell (-1 for none).

        Raises:
            PuzzleFormatError: not n² cells, or a block that does not have n cells.
        """
        n = round(len(regions) ** 0.5)
        if n * n != len(regions) or not n:
            raise PuzzleFormatError(f"a board has n² cells, not {len(regions)}")
        return cls.of_side_or_rows(n).with_regions(regions)

    @classmethod
    def latin(cls, n: int) -> Layout:
        """The board of Latin squares: rows and columns, no blocks."""
        return cls.of_side_or_rows(n).with_regions(())

    def with_regions(self, regions: Iterable[int]) -> Layout:
        """This board with other blocks; an empty sequence stands for no blocks."""
        return replace(self, regions=tuple(regions))

    @property
    def simplified(self) -> Layout:
        """This layout; regions that are equal rectangles become blocks of that size."""
        heights = [h for h in range(1, self.n + 1) if self.n % h == 0] if self.regions else []
        shapes = (Layout(h, self.n // h, extra=self.extra) for h in heights)
        return next((s for s in shapes if s.with_regions(self.regions or ()) == s), self)

    @classmethod
    def of_side_or_rows(cls, n: int) -> Layout:
        """The usual layout of side ``n``; where there is none, a layout whose blocks are rows."""
        return cls.of_size(n) if has_default_blocks(n) else cls(1, n)

    @classmethod
    def of_size(cls, n: int) -> Layout:
        """The usual layout of side ``n``: blocks as square as possible, never higher than wide.

        4 → 2×2, 6 → 2×3, 8 → 2×4, 9 → 3×3, 10 → 2×5, 12 → 3×4, 16 → 4×4, 25 → 5×5.

        Raises:
            PuzzleFormatError: ``n`` is prime, below 4 or above 25.
        """
        if has_default_blocks(n):
            height = next(h for h in range(int(n**0.5), 1, -1) if n % h == 0)
            return cls(height, n // height)
        raise PuzzleFormatError(why_no_default_blocks(n))

    @property
    def n(self) -> int:
        """Side of the board, number of digits."""
        return self.box_rows * self.box_columns

    @property
    def cell_count(self) -> int:
        """Number of cells, n²."""
        return self.n * self.n

    @property
    def symbols(self) -> str:
        """The symbols of the digits 1 to n, as one string."""
        return SYMBOLS[: self.n]

    def _default_block(self, cell: int) -> int:
        row, column = divmod(cell, self.n)
        return row // self.box_rows * self.box_rows + column // self.box_columns

    def block_index(self, cell: int) -> int:
        """Number of the block of a cell (blocks are numbered by their first cells); -1 for none."""
        if self.regions is None:
            return self._default_block(cell)
        return self.regions[cell] if self.regions else -1

    @property
    def is_default(self) -> bool:
        """True when the blocks are equal rectangles and there are no extra houses."""
        return self.regions is None and not self.extra

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
        """The blocks, in the order of their first cells: n of them, or fewer, or none."""
        cells: dict[int, list[int]] = {}
        for cell in range(self.cell_count):
            if (block := self.block_index(cell)) >= 0:
                cells.setdefault(block, []).append(cell)
        return tuple(House("block", b, tuple(cs)) for b, cs in cells.items())

    @cached_property
    def extras(self) -> tuple[House, ...]:
        """The houses other than rows, columns and blocks."""
        return tuple(House("extra", i, cells) for i, cells in enumerate(self.extra))

    @cached_property
    def houses(self) -> tuple[House, ...]:
        """All houses: rows, then columns, then blocks, then the extra houses."""
        return self.rows + self.columns + self.blocks + self.extras

    @cached_property
    def houses_by_cell(self) -> tuple[tuple[House, ...], ...]:
        """For every cell the houses that contain it (three on usual boards)."""
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
        return f"{self.n}x{self.n} ({blocks}{more})"


def _number_blocks(regions: Sequence[int], n: int) -> tuple[int, ...]:
    """The block of every cell, blocks renumbered in the order of their first cells.

    Raises:
        PuzzleFormatError: not n² cells, or a block that does not have n cells.
    """
    if not len(regions) or all(r < 0 for r in regions):
        return ()
    if len(regions) != n * n:
        raise PuzzleFormatError(f"the blocks of {len(regions)} cells on a board of {n * n}")
    sizes = Counter(r for r in regions if r >= 0)
    for region, size in sizes.items():
        if size != n:
            first = cell_name(regions.index(region), n)
            raise PuzzleFormatError(f"the region of {first} has {size} cells, a region has {n}")
    number = {region: i for i, region in enumerate(sizes)}
    return tuple(number.get(r, -1) for r in regions)


def has_default_blocks(n: int) -> bool:
    """Whether a board of side ``n`` has usual blocks (:meth:`Layout.of_size`)."""
    return SMALLEST <= n <= LARGEST and any(n % h == 0 for h in range(2, n))


def why_no_default_blocks(n: int) -> str:
    """The message that explains why a board of side ``n`` has no usual blocks."""
    if SMALLEST <= n <= LARGEST:
        return (
            f"a {n}x{n} board has no usual blocks: '# layout: 1x{n}' above it makes a Latin square "
            "of it, and a line 'regions …' below it a jigsaw"
        )
    return f"a board of {n}x{n} cells: boards are {SMALLEST}x{SMALLEST} to {LARGEST}x{LARGEST}"


def cell_name(cell: int, n: int) -> str:
    """The name of a cell in messages and texts, such as ``r4c7``."""
    row, column = divmod(cell, n)
    return f"r{row + 1}c{column + 1}"
