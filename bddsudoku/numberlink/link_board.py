"""The Numberlink board: a grid, its pairs of terminals, its rules. Immutable and comparable.

Points are (x, y) = (column, row) from 0, as in the texts of the DA Symposium's algorithm design
contest; cells are numbered row by row (``y * width + x``). The edge between a cell and the one to
its right has the key ``2 * cell``, the edge to the one below it ``2 * cell + 1``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

from bddsudoku.argument_types import check_types
from bddsudoku.errors import PuzzleFormatError, adding_error_place
from bddsudoku.numberlink.board_text import (
    EMPTY,
    RULES,
    Point,
    Rule,
    board_fields_from_json,
    check_board_size,
    check_terminals,
    parse_board_fields,
)

_SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@check_types
@dataclass(frozen=True)
class Board:
    """A grid, the pairs of cells to be joined, and the rules that a solution must obey.

    A solution joins the two terminals of every pair by a path along edges of the grid; no two paths
    share a cell, so none passes through a terminal either.

    Attributes:
        width: cells in a row.
        height: rows.
        pairs: for every pair its two terminals, each (x, y).
        rule: ``free`` (cells may stay empty) or ``cover`` (every cell lies on a path).
        names: names of the pairs; by default 1, 2, 3, …

    Raises:
        PuzzleFormatError: no cells or more than a million, no pair, a terminal outside, two
            terminals in one cell, an unknown rule, or names that are empty, doubled, not printable,
            or not one a pair.
    """

    width: int
    height: int
    pairs: tuple[tuple[Point, Point], ...]
    rule: Rule = "free"
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_board_size(self.width, self.height)
        if self.rule not in RULES:
            raise PuzzleFormatError(f"expected the rule free or cover, found {self.rule!r:.60}")
        pairs = tuple(
            ((int(a[0]), int(a[1])), (int(b[0]), int(b[1])))
            for a, b in (tuple(pair) for pair in self.pairs)
        )
        names = tuple(str(n) for n in self.names) or tuple(str(k + 1) for k in range(len(pairs)))
        object.__setattr__(self, "pairs", pairs)
        object.__setattr__(self, "names", names)
        if not pairs:
            raise PuzzleFormatError("expected at least one pair, found none")
        if len(names) != len(pairs) or len(set(names)) != len(names) or not all(names):
            raise PuzzleFormatError(
                f"expected {len(pairs)} different names of pairs, found {_join_names(names)}"
            )
        if odd := [name for name in names if not name.isprintable()]:
            raise PuzzleFormatError(f"expected a printable name of a pair, found {odd[0]!r}")
        size = self.width, self.height
        check_terminals(size, [(*each, None) for each in zip(names, pairs, strict=True)])

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """A whole number for each pair: its name if all names are such numbers, else 1, 2, 3, …

        For formats without names.
        """
        if all(n.isascii() and n.isdecimal() and n[0] != "0" and len(n) < 10 for n in self.names):
            return tuple(map(int, self.names))
        return tuple(range(1, len(self.pairs) + 1))

    # -- cells and edges -------------------------------------------------------------------------

    @property
    def size(self) -> str:
        """The width and the height as text: ``17x15``."""
        return f"{self.width}x{self.height}"

    @property
    def cell_count(self) -> int:
        """Number of cells, width · height."""
        return self.width * self.height

    @check_types
    def cell(self, x: int, y: int) -> int:
        """The number of the cell in column x and row y, all from 0."""
        return y * self.width + x

    @check_types
    def point(self, cell: int) -> Point:
        """The column x and the row y, both from 0, of the cell with the given number."""
        y, x = divmod(cell, self.width)
        return x, y

    def cell_name(self, cell: int) -> str:
        """The name of a cell by row and column from 1: ``r4c7``."""
        x, y = self.point(cell)
        return f"r{y + 1}c{x + 1}"

    @cached_property
    def cell_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of terminals, as cell numbers."""
        return tuple((self.cell(*a), self.cell(*b)) for a, b in self.pairs)

    @property
    def space(self) -> tuple[int, int, tuple[tuple[int, ...], ...]]:
        """The size and unordered pairs; solution sets that agree in these can be compared."""
        return self.width, self.height, tuple(sorted(tuple(sorted(p)) for p in self.cell_pairs))

    @cached_property
    def pair_at(self) -> dict[int, int]:
        """For every cell with a terminal, the number of its pair, from 0."""
        return {cell: k for k, pair in enumerate(self.cell_pairs) for cell in pair}

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of every cell, ascending."""
        out = []
        for cell in range(self.cell_count):
            x, y = self.point(cell)
            near = ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))
            out.append(
                tuple(
                    self.cell(u, v) for u, v in near if 0 <= u < self.width and 0 <= v < self.height
                )
            )
        return tuple(out)

    @cached_property
    def edges(self) -> tuple[int, ...]:
        """Keys of all edges, ascending."""
        return tuple(
            self.edge(cell, near)
            for cell in range(self.cell_count)
            for near in self.neighbours[cell]
            if near > cell
        )

    @check_types
    def edge(self, a: int, b: int) -> int:
        """Key of the edge between two cells.

        Raises:
            ValueError: they are not neighbours.
        """
        low, high = sorted((a, b))
        if not 0 <= low < self.cell_count or high not in self.neighbours[low]:
            raise ValueError(f"cells {a} and {b} are not neighbours on a {self.size} board")
        return 2 * low + (high - low != 1 or self.width == 1)

    @check_types
    def ends(self, edge: int) -> tuple[int, int]:
        """The two cells of an edge.

        Raises:
            ValueError: there is no such edge.
        """
        cell, down = divmod(edge, 2)
        other = cell + (self.width if down else 1)
        if not 0 <= cell < self.cell_count or other not in self.neighbours[cell]:
            raise ValueError(f"there is no edge {edge} on a {self.size} board")
        return cell, other

    # -- other boards ----------------------------------------------------------------------------

    def with_rule(self, rule: Rule | None) -> Board:
        """The same board under another rule; None for its own."""
        return self if rule is None else replace(self, rule=rule)

    @classmethod
    @check_types
    def parse(cls, text: str, source: str | None = None) -> Board:
        """Parse a board in the DA Symposium contest's format, as a grid of symbols, or as JSON.

        Args:
            text: of the board.
            source: file name for messages.

        Raises:
            PuzzleFormatError: one line that names the place: a symbol that stands once or three
                times, a terminal outside, two terminals in one cell, a wrong count, and so on.
        """
        with adding_error_place(source=source):
            return cls(**parse_board_fields(text))

    def to_dict(self) -> dict[str, Any]:
        """The complete board as JSON values."""
        return {
            "width": self.width,
            "height": self.height,
            "pairs": [[list(a), list(b)] for a, b in self.pairs],
            "rule": self.rule,
            "names": list(self.names),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Board:
        """The board described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: the value is not a board.
        """
        return cls(**board_fields_from_json(data))

    @classmethod
    @check_types
    def of_cells(
        cls,
        width: int,
        height: int,
        pairs: Iterable[Sequence[int]],
        rule: Rule = "free",
    ) -> Board:
        """Make a board from pairs of cell numbers."""
        points = []
        for a, b in pairs:
            (ya, xa), (yb, xb) = divmod(a, max(width, 1)), divmod(b, max(width, 1))
            points.append(((xa, ya), (xb, yb)))
        return cls(width, height, tuple(points), rule)

    # -- what a solution must obey ---------------------------------------------------------------

    @check_types
    def paths(self, edges: Iterable[int]) -> tuple[tuple[int, ...], ...]:
        """The paths that a solution's edges form: for each pair its cells from end to end.

        Raises:
            PuzzleFormatError: the edges are not a solution; the message says why, in one line.
            ValueError: one of them is no edge of the grid.
        """
        joined: list[list[int]] = [[] for _ in range(self.cell_count)]
        for edge in set(edges):
            a, b = self.ends(edge)
            joined[a].append(b)
            joined[b].append(a)
        name = self.cell_name
        for cell, near in enumerate(joined):
            if cell in self.pair_at:
                if len(near) != 1:
                    raise PuzzleFormatError(
                        f"{len(near)} edges at the terminal {name(cell)}, not one"
                    )
            elif len(near) not in (0, 2):
                raise PuzzleFormatError(f"{len(near)} edges at {name(cell)}, neither none nor two")
        out = []
        for called, (start, goal) in zip(self.names, self.cell_pairs, strict=True):
            path = [start, *joined[start]]
            while path[-1] not in self.pair_at:
                path.append(next(c for c in joined[path[-1]] if c != path[-2]))
            if path[-1] != goal:
                raise PuzzleFormatError(
                    f"the path of pair {called} from {name(start)} ends at {name(path[-1])}"
                )
            out.append(tuple(path))
        seen = {cell for path in out for cell in path}
        for cell, near in enumerate(joined):
            if near and cell not in seen:
                raise PuzzleFormatError(f"a loop through {name(cell)}")
            if self.rule == "cover" and cell not in seen:
                raise PuzzleFormatError(f"{name(cell)} is not covered")
        return tuple(out)

    @check_types
    def fault(self, edges: Iterable[int]) -> str | None:
        """Why a set of edges is not a solution, in one line; None if it is one.

        Raises:
            ValueError: one of them is no edge of the grid.
        """
        try:
            self.paths(edges)
        except PuzzleFormatError as error:
            return error.expected
        return None

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbol of every pair in the board's grid of symbols.

        The pairs' names where they are so short that a grid of them can be read. Otherwise (and
        where they are the numbers from 1 on, some of two digits) 1 to 9, A to Z, a to z.
        """
        names = self.names
        counted = tuple(str(k + 1) for k in range(len(names)))
        readable = all(len(n.split()) == 1 and n[0] not in "#{[." for n in names)
        longest = max(map(len, names))
        if readable and (longest == 1 or (longest <= 3 and names != counted and self.width > 1)):
            return names
        return tuple(_SYMBOLS[: len(names)]) if len(names) <= len(_SYMBOLS) else counted

    def __str__(self) -> str:
        """The symbol grid; reads back as the same board up to the rule and the pairs' order."""
        wide = max(map(len, self.symbols))
        symbols = [
            self.symbols[self.pair_at[cell]] if cell in self.pair_at else EMPTY
            for cell in range(self.cell_count)
        ]
        return "\n".join(
            ("" if wide == 1 else " ").join(
                s.rjust(wide) for s in symbols[start : start + self.width]
            )
            for start in range(0, self.cell_count, self.width)
        )

    def _repr_svg_(self) -> str:
        """The board without paths as SVG, for notebooks."""
        return board_svg(self)


def _join_names(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return f"{shown}, … ({len(names)} in all)" if len(names) > 5 else shown


parse_board = Board.parse
"""Parse a board's text, see :meth:`Board.parse`."""


@check_types
def board_json(board: Board) -> str:
    """A board as one line of JSON text."""
    return json.dumps(board.to_dict(), ensure_ascii=False)


@check_types
def contest_text(board: Board) -> str:
    """A board in the DA Symposium contest's format, which numbers the pairs and has no rule."""
    lines = [f"SIZE {board.width}X{board.height}", f"LINE_NUM {len(board.pairs)}"]
    for k, ((xa, ya), (xb, yb)) in zip(board.numbers, board.pairs, strict=True):
        lines.append(f"LINE#{k} ({xa},{ya})-({xb},{yb})")
    return "\n".join(lines) + "\n"


CELL = 30
"""Side of a cell in a picture, in pixels."""


def pair_colour(pair: int) -> str:
    """The drawing colour of a pair, well distinguished from those of the pairs before it."""
    return f"hsl({round(360 * (0.61803398875 * pair % 1))},65%,42%)"


def cell_centre(board: Board, cell: int) -> tuple[int, int]:
    """The centre of a cell in a picture, in pixels."""
    x, y = board.point(cell)
    return x * CELL + CELL // 2, y * CELL + CELL // 2


def board_svg(board: Board, elements: Iterable[str] = ()) -> str:
    """The board as SVG: the grid, then the given SVG elements, then the terminals."""
    w, h = board.width * CELL, board.height * CELL
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w + 2}" height="{h + 2}" '
        f'viewBox="-1 -1 {w + 2} {h + 2}" font-family="sans-serif" font-size="13">',
        f'<rect width="{w}" height="{h}" fill="#fff" stroke="#333"/>',
    ]
    grid = [f"M{x * CELL} 0V{h}" for x in range(1, board.width)]
    grid += [f"M0 {y * CELL}H{w}" for y in range(1, board.height)]
    if grid:
        out.append(f'<path d="{"".join(grid)}" stroke="#ddd" fill="none"/>')
    out += elements
    for cell, k in sorted(board.pair_at.items()):
        x, y = cell_centre(board, cell)
        out.append(
            f'<circle cx="{x}" cy="{y}" r="{CELL * 2 // 5}" fill="#fff" stroke="{pair_colour(k)}" '
            f'stroke-width="2"/><text x="{x}" y="{y + 5}" text-anchor="middle">'
            f"{escape(board.names[k])}</text>"
        )
    return "\n".join([*out, "</svg>"])
