"""Boards: which squares are to be tiled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bddsudoku.errors import PuzzleFormatError

LARGEST = 10_000
"""Squares of a board or a piece."""
_SIZE = re.compile(r"(\d{1,18})\s*[x×]\s*(\d{1,18})", re.IGNORECASE)
_CELL = re.compile(r"r(\d{1,9})c(\d{1,9})", re.IGNORECASE)


@dataclass(frozen=True)
class Board:
    """Squares of a grid.

    Attributes:
        rows: height of the grid.
        columns: width of the grid.
        cells: (row, column) of the squares to be tiled, from 0, ascending.
    """

    rows: int
    columns: int
    cells: tuple[tuple[int, int], ...]

    @classmethod
    def rectangle(
        cls, rows: int, columns: int, removed: Iterable[tuple[int, int] | int] = ()
    ) -> Board:
        """A rectangle, some squares removed: as (row, column) or counted row by row, from 0.

        Raises:
            PuzzleFormatError: the board has no or more than 10,000 squares, or a removed one is
                not on it.
        """
        if rows < 1 or columns < 1 or rows * columns > LARGEST:
            raise PuzzleFormatError(
                f"expected a board of 1 to {LARGEST} squares, found {rows}x{columns}"
            )
        gone = set()
        for place in removed:
            row, column = divmod(place, columns) if isinstance(place, int) else place
            if not (0 <= row < rows and 0 <= column < columns):
                raise PuzzleFormatError(
                    f"expected a square of the {rows}x{columns} board, "
                    f"found r{row + 1}c{column + 1}"
                )
            gone.add((row, column))
        return cls(
            rows,
            columns,
            tuple((r, c) for r in range(rows) for c in range(columns) if (r, c) not in gone),
        )

    @classmethod
    def parse(cls, text: str, source: str | None = None) -> Board:
        """A board from ``8x8``, ``8x8-r4c4-r4c5`` (squares removed), or a picture.

        In a picture ``#``, ``O``, ``o`` and ``*`` are squares, ``.``, ``_`` and space are none.

        Raises:
            PuzzleFormatError: it is none of these.
        """
        text = text.removeprefix("\ufeff")
        if "\n" not in text.strip() and (size := _SIZE.match(text.strip())):
            return cls._from_size(text.strip(), size, source)
        lines = [line.rstrip() for line in text.splitlines()]
        first = next((i for i, line in enumerate(lines) if line), len(lines))
        while lines and not lines[-1]:
            lines.pop()
        cells = []
        for r, line in enumerate(lines[first:]):
            for c, symbol in enumerate(line):
                if symbol in "#Oo*":
                    cells.append((r, c))
                    if len(cells) > LARGEST:
                        raise PuzzleFormatError(
                            f"expected at most {LARGEST} squares, found more", source=source
                        )
                elif symbol not in "._ ":
                    raise PuzzleFormatError(
                        f"expected # for a square or . for none, found {symbol!r}",
                        source=source,
                        line=first + r + 1,
                        cell=f"r{r + 1}c{c + 1}",
                    )
        if not cells:
            raise PuzzleFormatError(
                "expected a board such as 6x10, 8x8-r1c1, or a picture with #", source=source
            )
        rows = len(lines) - first
        return cls(rows, 1 + max(c for _, c in cells), tuple(cells))

    @classmethod
    def _from_size(cls, text: str, size: re.Match[str], source: str | None) -> Board:
        rows, columns = int(size[1]), int(size[2])
        removed = []
        for part in re.split(r"[-,\s]+", text[size.end() :]):
            if not part:
                continue
            cell = _CELL.fullmatch(part)
            if cell is None:
                raise PuzzleFormatError(
                    f"expected a square to remove such as r4c5, found {part[:40]!r}", source=source
                )
            removed.append((int(cell[1]) - 1, int(cell[2]) - 1))
        try:
            return cls.rectangle(rows, columns, removed)
        except PuzzleFormatError as error:
            raise PuzzleFormatError(error.expected, source=source) from None

    @property
    def area(self) -> int:
        """Number of squares to be tiled."""
        return len(self.cells)

    @cached_property
    def reading_order(self) -> tuple[tuple[int, int], ...]:
        """The squares along the shorter side first, which keeps a frontier narrow."""
        if self.columns <= self.rows:
            return self.cells
        return tuple(sorted(self.cells, key=lambda cell: (cell[1], cell[0])))

    def __contains__(self, cell: object) -> bool:
        return cell in self._set

    @cached_property
    def _set(self) -> frozenset[tuple[int, int]]:
        return frozenset(self.cells)

    def symmetries(self) -> list[dict[tuple[int, int], tuple[int, int]]]:
        """The turns and reflections that map the board onto itself, the identity first."""
        maps = []
        last_row, last_column = self.rows - 1, self.columns - 1
        for transpose in (False, True):
            for flip_rows in (False, True):
                for flip_columns in (False, True):
                    moved = {}
                    for r, c in self.cells:
                        a = last_row - r if flip_rows else r
                        b = last_column - c if flip_columns else c
                        moved[r, c] = (b, a) if transpose else (a, b)
                    if all(cell in self for cell in moved.values()):
                        maps.append(moved)
        return maps

    def __str__(self) -> str:
        return "\n".join(
            "".join("#" if (r, c) in self else "." for c in range(self.columns))
            for r in range(self.rows)
        )
