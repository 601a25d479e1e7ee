"""Decoder of Sudoku solutions: from keys of variables to grids and back.

The key of "digit d in cell c" (:attr:`bddsudoku.model.Variable.key`) is :meth:`.Layout.key`; on
boards with the digits 1 to n it is ``c * n + d - 1``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle, board_of_keys, empty_board
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.places import parse_groups
from bddsudoku.puzzle.sudoku.rules import rule_from_dict
from bddsudoku.puzzle.sudoku.text.cell_resolver import CellResolver
from bddsudoku.puzzle.sudoku.text.symbols import make_alphabet
from bddsudoku.sets.decoder import GridDecoder, row_of_array

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U8, AnyArray


class SudokuDecoder(GridDecoder[Puzzle]):
    """Converter between solutions of a Sudoku's model and complete :class:`Puzzle` objects.

    The hints of ``puzzle`` hold in every solution. A Layout stands for the empty puzzle of that
    shape. ``rows`` and ``columns`` are their numbers; on a board with cells outside the grid all
    cells are one row. ``values`` are the digits, ``symbols`` has a symbol for each.
    """

    kind = "sudoku"

    def __init__(self, puzzle: Puzzle | Layout) -> None:
        if isinstance(puzzle, Layout):
            puzzle = empty_board(puzzle)
        self.puzzle = puzzle
        self.layout: Layout = puzzle.layout
        rows, columns, _ = self.layout.array_shape
        self.rows: int = rows
        self.columns: int = columns
        self.symbols: str = self.layout.symbols
        self.values: range = self.layout.values

    @property
    def cells_by_place(self) -> Mapping[Any, int]:
        """See :attr:`.Layout.cells_by_place`."""
        return self.layout.cells_by_place

    @property
    def cell_names(self) -> list[str]:
        """The name of every cell, such as ``r1c2``."""
        return [*map(self.layout.cell_name, range(self.layout.cell_count))]

    @property
    def space(self) -> Hashable:
        """The puzzle's kind and layout; sets of solutions that agree in both can be combined."""
        return (self.kind, self.layout)

    def decode(self, keys: Sequence[int]) -> Puzzle:
        """The grid with the digits of the variables that have the keys :meth:`.Layout.key`."""
        return board_of_keys(keys, self.layout, self.puzzle.rules)

    def decode_row(self, row: U8) -> Puzzle:
        """The grid of one row of a solution table: an array of digits, a byte for each cell.

        The row comes from a set of solutions and is not checked, which makes this some ten times
        as fast as the constructor of Puzzle.
        """
        if self.values.start != 1:
            row = row - self.values.start + 1
        return Puzzle.trusted(tuple(row.tobytes()), self.layout, self.puzzle.rules)

    def encode_row(self, solution: Any) -> U8:
        """A grid as one row of a solution table, a byte for each cell: the inverse of decode_row.

        Raises:
            PuzzleFormatError: the solution is no grid of this layout.
        """
        if isinstance(solution, str):
            solution = Puzzle.parse(solution, self.layout)
        if not isinstance(solution, Puzzle):
            return row_of_array(solution, self.layout.cell_count, self.values)
        if solution.layout != self.layout:
            raise PuzzleFormatError(f"expected a grid of {self.layout}, found {solution.layout}")
        return np.array(solution.cells).astype(np.uint8)

    def merge(self, other: SudokuDecoder, is_intersection: bool) -> SudokuDecoder:
        """The decoder of the intersection (if ``is_intersection``) or the union of two sets."""
        mine, theirs = self.puzzle, other.puzzle
        rules = mine.rules
        if {*rules} != {*theirs.rules}:
            # A rule can mean something else in other company: its present meaning is written out.
            ours = [rule.in_company(mine.rules) for rule in mine.rules]
            others = [rule.in_company(theirs.rules) for rule in theirs.rules]
            rules = tuple(
                dict.fromkeys([*ours, *others])
                if is_intersection
                else [r for r in ours if r in others]
            )
        masks: Iterable[int] = mine.within(theirs.masks).masks
        if not is_intersection:
            pairs = zip(mine.masks, theirs.masks, strict=True)
            if mine.candidates is None and theirs.candidates is None:  # the hints of both stay
                everything = (1 << self.layout.digit_count) - 1
                masks = (a if a == b else everything for a, b in pairs)
            else:
                masks = (a | b for a, b in pairs)
        return SudokuDecoder(Puzzle.from_masks([*masks], self.layout, rules))

    def with_hints(
        self, hints: Mapping[int, int], masks: Sequence[int] | None = None
    ) -> SudokuDecoder:
        """The decoder with hints added and candidates restricted to one mask per cell."""
        puzzle = self.puzzle if masks is None else self.puzzle.within(masks)
        merged: dict[Any, int] = {**hints, **puzzle.hints}
        return SudokuDecoder(puzzle.with_hints(merged))

    def picture(self, marginals: AnyArray) -> str:
        """The board with marginals, as SVG."""
        from bddsudoku.puzzle.sudoku.svg import board_svg

        cells = marginals.reshape(self.layout.cell_count, -1).tolist()
        return board_svg(self.puzzle, marginals=cells, title=f"{sum(cells[0]):,} solutions")

    def to_dict(self) -> dict[str, Any]:
        """The decoder's layout, puzzle line and rules as JSON values."""
        found: dict[str, Any] = {
            "kind": self.kind,
            "rows": self.rows,
            "columns": self.columns,
            "symbols": self.symbols,
            "box_rows": self.layout.box_rows,
            "box_columns": self.layout.box_columns,
            "puzzle": self.puzzle.line,
        }
        if self.layout.regions is not None:
            found["regions"] = list(self.layout.regions)
        if self.layout.extra:
            found["extra"] = [list(house) for house in self.layout.extra]
        if not self.layout.is_usual:
            found["values"] = [self.layout.values[0], self.layout.values[-1]]
        if self.layout.groups:
            found["shape"] = [self.layout.row_count, self.layout.column_count]
            found["groups"] = [group.text for group in self.layout.groups]
        if not self.layout.has_lines:
            found["houses"] = "none"
        if self.puzzle.rules:
            found["rules"] = [rule.to_dict() for rule in self.puzzle.rules]
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SudokuDecoder:
        """The decoder described by the JSON values of :meth:`to_dict`.

        Raises:
            PuzzleFormatError: layout, puzzle or rules are malformed.
        """
        regions, extra, values = data.get("regions"), data.get("extra", ()), data.get("values")
        rows, columns = data.get("shape", (data["rows"], data["columns"]))
        layout = Layout(
            int(data["box_rows"]),
            int(data["box_columns"]),
            None if regions is None else tuple(map(int, regions)),
            tuple(tuple(map(int, house)) for house in extra),
            None if values is None else (int(rows), int(columns)),
            None if values is None else (int(values[0]), int(values[1])),
            tuple(group for text in data.get("groups", ()) for group in parse_groups(str(text))),
            data.get("houses") != "none",
        )
        rules = [rule_from_dict(rule) for rule in data.get("rules", ())]
        line, resolver = str(data["puzzle"]), CellResolver(layout)
        if candidates := resolver.layout_of_candidates(line):
            puzzle = resolver.puzzle_from_candidates(line, 1, candidates)
        else:
            # Not by the reader of texts, which refuses what may be something else than a board.
            numbers = make_alphabet(layout.digit_count, layout.symbols).digits(line)
            if numbers is None or len(line) != layout.cell_count:
                raise PuzzleFormatError(f"{line!r} is not a puzzle line")
            puzzle = Puzzle.trusted(tuple(numbers), layout)
        return cls(puzzle.with_rule(*rules))
