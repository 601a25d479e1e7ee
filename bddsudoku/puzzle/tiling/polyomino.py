"""Polyominoes and the boards that they tile: sets of unit squares, read from names or drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import count, islice, product
from string import ascii_lowercase

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.puzzle.exact_cover import check_unique

LARGEST = 10_000
"""Largest number of squares of a board or a piece."""
_SIZE = re.compile(r"(\d{1,18})\s*[x×]\s*(\d{1,18})", re.IGNORECASE)
_CELL = re.compile(r"r(\d{1,9})c(\d{1,9})", re.IGNORECASE)

Cell = tuple[int, int]
"""Row and column, from 0."""
Cells = tuple[Cell, ...]


@dataclass(frozen=True)
class Board:
    """The squares of a grid that are to be tiled.

    Attributes:
        rows: height of the grid.
        columns: width of the grid.
        cells: (row, column) of the squares to be tiled, from 0, ascending.
    """

    rows: int
    columns: int
    cells: Cells

    @classmethod
    @check_types
    def rectangle(cls, rows: int, columns: int, removed: Iterable[Cell | int] = ()) -> Board:
        """Make a rectangle without some squares: (row, column) pairs or row-major indices, from 0.

        Raises:
            PuzzleFormatError: the board has no or more than 10,000 squares, or a removed one is
                not on it.
        """
        if rows < 1 or columns < 1 or rows * columns > LARGEST:
            raise PuzzleFormatError(
                f"expected a board of 1 to {LARGEST} squares, found {rows}x{columns}"
            )
        cells = dict.fromkeys(product(range(rows), range(columns)))
        for place in removed:
            row, column = divmod(place, columns) if isinstance(place, int) else place
            if not (0 <= row < rows and 0 <= column < columns):
                raise PuzzleFormatError(
                    f"expected a square of the {rows}x{columns} board, "
                    f"found r{row + 1}c{column + 1}"
                )
            cells.pop((row, column), None)
        return cls(rows, columns, tuple(cells))

    @classmethod
    @check_types
    def parse(cls, text: str, source: str | None = None) -> Board:
        """Parse a board from ``8x8``, ``8x8-r4c4-r4c5`` (squares removed), or a picture.

        In a picture ``#``, ``O``, ``o`` and ``*`` are squares, ``.``, ``_`` and space are none.

        Raises:
            PuzzleFormatError: the text has none of these forms.
        """
        text = text.removeprefix("\ufeff")
        with adding_error_place(source=source):
            if "\n" not in text.strip() and (size := _SIZE.match(text.strip())):
                return cls._from_size(size)
            return cls._from_picture(text.splitlines())

    @classmethod
    def _from_picture(cls, rows: list[str]) -> Board:
        lines = [line.rstrip() for line in rows]
        drawn = [r for r, line in enumerate(lines) if line]
        first, last = (drawn[0], drawn[-1]) if drawn else (0, -1)
        cells = []
        for r, line in enumerate(lines[first : last + 1]):
            for c, symbol in enumerate(line):
                if symbol in "#Oo*":
                    cells.append((r, c))
                    if len(cells) > LARGEST:
                        raise PuzzleFormatError(f"expected at most {LARGEST} squares, found more")
                elif symbol not in "._ ":
                    raise PuzzleFormatError(
                        f"expected # for a square or . for none, found {symbol!r}",
                        line=first + r + 1,
                        cell=f"r{r + 1}c{c + 1}",
                    )
        if not cells:
            raise PuzzleFormatError("expected a board such as 6x10, 8x8-r1c1, or a picture with #")
        return cls(last - first + 1, 1 + max(c for _, c in cells), tuple(cells))

    @classmethod
    def _from_size(cls, size: re.Match[str]) -> Board:
        """Make a rectangle of the matched size without the squares that follow it in the text."""
        removed = []
        for part in re.split(r"[-,\s]+", size.string[size.end() :]):
            cell = _CELL.fullmatch(part)
            if cell:
                removed.append((int(cell[1]) - 1, int(cell[2]) - 1))
            elif part:
                raise PuzzleFormatError(
                    f"expected a square to remove such as r4c5, found {part[:40]!r}"
                )
        return cls.rectangle(int(size[1]), int(size[2]), removed)

    @property
    def area(self) -> int:
        """Number of squares to be tiled."""
        return len(self.cells)

    @cached_property
    def reading_order(self) -> Cells:
        """The squares line by line along the shorter side, which keeps a frontier small."""
        if self.columns <= self.rows:
            return self.cells
        return tuple(sorted(self.cells, key=lambda cell: (cell[1], cell[0])))

    def __contains__(self, cell: object) -> bool:
        return cell in self._cell_set

    @cached_property
    def _cell_set(self) -> frozenset[Cell]:
        return frozenset(self.cells)

    def symmetries(self) -> list[dict[Cell, Cell]]:
        """The symmetries of the board, each as a permutation of its squares; the identity first."""
        maps = [
            {cell: _transform_cell(cell, way, self) for cell in self.cells}
            for way in _BOARD_SYMMETRIES
        ]
        return [moved for moved in maps if self._cell_set.issuperset(moved.values())]

    def __str__(self) -> str:
        return _cells_as_text(self._cell_set, self.rows, self.columns)


def _cells_as_text(cells: frozenset[Cell], rows: int, columns: int) -> str:
    """Draw squares as text: ``#`` for a square, ``.`` for none."""
    return "\n".join(
        "".join("#" if (r, c) in cells else "." for c in range(columns)) for r in range(rows)
    )


_BOARD_SYMMETRIES = tuple(product((False, True), repeat=3))
"""The symmetries of a square: whether rows become columns, and whether each is reversed before. An
even number of these makes a rotation."""


def _transform_cell(cell: Cell, symmetry: tuple[bool, ...], board: Board | None = None) -> Cell:
    """The image of a square under a symmetry of the board or, without a board, of the plane."""
    transposed, reversed_rows, reversed_columns = symmetry
    rows, columns = (board.rows, board.columns) if board else (1, 1)
    r = rows - 1 - cell[0] if reversed_rows else cell[0]
    c = columns - 1 - cell[1] if reversed_columns else cell[1]
    return (c, r) if transposed else (r, c)


class Symmetry(StrEnum):
    """Which orientations of a piece are allowed: rotated and reflected, only rotated, or fixed."""

    FREE = "free"
    """Rotations and reflections: at most 8 orientations."""
    ONE_SIDED = "one-sided"
    """Only rotations: at most 4 orientations."""
    FIXED = "fixed"
    """Neither: 1 orientation."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A polyomino: a named set of unit squares.

    Attributes:
        name: shown in output; unique within a set.
        cells: (row, column) of its squares, moved into the corner and ascending. A piece need
            not be connected.
    """

    name: str
    cells: Cells

    @classmethod
    def of(cls, name: str, cells: Iterable[Cell]) -> Piece:
        """Make a piece from squares anywhere, moved so that its least row and column are 0.

        Raises:
            PuzzleFormatError: no squares, a square twice, or more squares than a board has.
        """
        given = list(islice(cells, LARGEST + 1))
        if len(given) > LARGEST:
            raise PuzzleFormatError(f"piece {name}: expected at most {LARGEST} squares, found more")
        if not given or len(set(given)) != len(given):
            raise PuzzleFormatError(f"piece {name}: expected different squares, found {given}")
        return cls(name, _move_to_corner(given))

    @classmethod
    def from_picture(cls, name: str, text: str) -> Piece:
        """Make a piece from a drawing: ``.`` and space are empty, all else is a square."""
        return cls.of(
            name,
            (
                (r, c)
                for r, row in enumerate(text.splitlines())
                for c, symbol in enumerate(row)
                if symbol not in " ."
            ),
        )

    @property
    def area(self) -> int:
        """Number of squares."""
        return len(self.cells)

    def orientations(self, symmetry: Symmetry | str = Symmetry.FREE) -> list[Cells]:
        """The piece's distinct allowed orientations, sorted; their least row and column are 0."""
        return sorted(_symmetric_images(self.cells, Symmetry(symmetry)))

    def __str__(self) -> str:
        return _cells_as_text(frozenset(self.cells), *height_and_width(self.cells))


def height_and_width(cells: Cells) -> Cell:
    """Height and width of a set of squares whose least row and column are 0."""
    return 1 + max(r for r, _ in cells), 1 + max(c for _, c in cells)


def _move_to_corner(cells: Iterable[Cell]) -> Cells:
    """Move squares so that their least row and column are 0, and sort them."""
    cells = list(cells)
    top = min(r for r, _ in cells)
    left = min(c for _, c in cells)
    return tuple(sorted((r - top, c - left) for r, c in cells))


def _symmetric_images(cells: Cells, symmetry: Symmetry) -> set[Cells]:
    """The allowed rotations and reflections of squares, moved to have least row and column 0."""
    return {
        _move_to_corner(_transform_cell(cell, way) for cell in cells)
        for way in _BOARD_SYMMETRIES
        if symmetry is Symmetry.FREE
        or not any(way)
        or (symmetry is Symmetry.ONE_SIDED and sum(way) % 2 == 0)
    }


@lru_cache(maxsize=16)
def polyominoes(area: int) -> tuple[Piece, ...]:
    """All free polyominoes of an area (1, 1, 2, 5, 12, 35, 108, 369, … of them; OEIS A000105).

    Up to area 5 they are named by the usual letters, beyond ``6a``, ``6b``, … in order of squares.

    Raises:
        PuzzleFormatError: the area is not 1 to 9 (there are 1285 of area 9).
    """
    if not 1 <= area <= 9:
        raise PuzzleFormatError(f"expected an area of 1 to 9, found {area}")
    shapes: set[Cells] = {((0, 0),)}
    for _ in range(area - 1):
        grown = set()
        for shape in shapes:
            for r, c in shape:
                for square in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                    if square not in shape:
                        grown.add(min(_symmetric_images((*shape, square), Symmetry.FREE)))
        shapes = grown
    known = {min(p.orientations()): p.name for p in _LETTER_NAMES}
    letters = ("".join(word) for k in count(1) for word in product(ascii_lowercase, repeat=k))
    found = [
        Piece(known.get(shape, f"{area}{word}"), shape)
        for word, shape in zip(letters, sorted(shapes), strict=False)
    ]
    return tuple(sorted(found, key=lambda p: p.name) if area <= 5 else found)


# The usual letters; free, so any orientation will do.
_LETTER_NAMES = tuple(
    Piece.from_picture(name, rows.replace("/", "\n"))
    for name, rows in {
        "I1": "#", "I2": "##", "I3": "###", "L3": "##/#.",
        "I4": "####", "L4": "###/#..", "O4": "##/##", "S4": ".##/##.", "T4": "###/.#.",
        "F5": ".##/##./.#.", "I5": "#####", "L5": "####/#...", "N5": "##../.###", "P5": "##/##/#.",
        "T5": "###/.#./.#.", "U5": "#.#/###", "V5": "#../#../###", "W5": "#../##./.##",
        "X5": ".#./###/.#.", "Y5": "####/.#..", "Z5": "##./.#./.##",
    }.items()
)  # fmt: skip

_SETS = (
    "monominoes", "dominoes", "trominoes", "tetrominoes", "pentominoes", "hexominoes", "heptominoes"
)  # fmt: skip
"""Names of the sets of all polyominoes, by area."""


@check_types
def pieces(names: str) -> tuple[Piece, ...]:
    """The pieces that a comma-separated text names, such as ``I2,I3`` or ``pentominoes``.

    Known are the sets ``monominoes`` to ``heptominoes``, the polyominoes up to area 5 by letter and
    area (``L3``, ``T4``, ``W5``), and what :func:`polyominoes` calls the larger ones.

    Raises:
        PuzzleFormatError: a name is not known, or a piece is named twice.
    """
    found: list[Piece] = []
    for name in (part.strip() for part in names.split(",")):
        wanted = name.lower()
        digits = re.fullmatch(r"[a-z]([1-5])|([6-9])[a-z]+", wanted)
        if wanted in _SETS:
            match = polyominoes(1 + _SETS.index(wanted))
        else:
            every = polyominoes(int(digits[1] or digits[2])) if digits else ()
            match = tuple(p for p in every if p.name.lower() == wanted)
        if not match:
            raise PuzzleFormatError(
                f"expected a piece such as L3 or a set such as pentominoes, found {name!r}"
            )
        found += match
    check_unique([piece.name for piece in found], "piece")
    return tuple(found)


def parse_pieces(text: str, source: str | None = None) -> tuple[Piece, ...]:
    """Parse pieces drawn one below the other, separated by blank lines or ``name:`` lines.

    Lines that begin with ``;`` are comments. Without a name a piece is called by its number.

    Raises:
        PuzzleFormatError: there are no pieces, or two of one name.
    """
    found: list[Piece] = []
    rows: list[str] = []
    name = ""
    for number, line in enumerate([*text.removeprefix("\ufeff").splitlines(), ""], 1):
        stripped = line.rstrip()
        if stripped.startswith(";"):
            continue
        if stripped and not stripped.endswith(":"):
            if not set(stripped) <= set("#. "):
                raise PuzzleFormatError(
                    f"expected # and . of a piece, found {stripped[:40]!r}",
                    source=source,
                    line=number,
                )
            rows.append(stripped)
            continue
        if rows:
            found.append(Piece.from_picture(name or str(len(found) + 1), "\n".join(rows)))
            rows, name = [], ""
        if stripped:
            name = stripped[:-1].strip()
    if not found:
        raise PuzzleFormatError("expected a piece drawn with #, found none", source=source)
    check_unique([piece.name for piece in found], "piece")
    return tuple(found)
