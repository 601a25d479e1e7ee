"""Rules about connected cells: yin-yang, caves, islands."""

from __future__ import annotations

from bddsudoku.model.connectivity import Connected as ConnectedCells
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Places
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import variable_by_digit


@rule(
    "connected",
    "the cells with one of these digits, at least one or as many as the size, are connected",
)
class Connected(Rule):
    """The cells with certain digits are connected by their sides.

    Attributes:
        digits: the digits.
        size: how many cells have one of them; None for one or more.
        group: the name of the cells outside the grid of which it speaks, in small letters; "" for
            the grid.
    """

    digits: tuple[int, ...]
    size: int | None = None
    group: str = ""

    def places(self, layout: Layout) -> tuple[Places, int]:
        """The cells of the grid or the group, row by row, and its number of columns."""
        if not self.group:
            return layout.places[: layout.grid_cell_count], layout.column_count
        for group in layout.groups:
            if group.name == self.group.upper():
                return tuple(group.places()), group.columns
        raise self.error(f"no cells are called {self.group.upper()}")

    def number_range(self, layout: Layout) -> Reach:
        """The range of the size: up to the number of cells."""
        return 1, len(self.places(layout)[0]), "a size"

    def check(self, layout: Layout) -> None:
        """Check that there are digits, each named once."""
        self.places(layout)
        super().check(layout)
        for digit in self.digits:
            self.check_digit(digit, layout)
            if self.digits.count(digit) > 1:
                raise self.error(f"{digit} is named twice")
        if not self.digits:
            raise self.error("expected digits, found none")

    def constraints(self, layout: Layout) -> list[ConnectedCells]:
        """One constraint over all cells."""
        places, columns = self.places(layout)
        groups = tuple(
            tuple(v for d, v in variable_by_digit(layout, place).items() if d in self.digits)
            for place in places
        )
        return [ConnectedCells(self.name, self.label, groups, columns, self.size)]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether there are such cells, and a walk from one of them reaches all others."""
        places, _ = self.places(grid.layout)
        left = {(place.row, place.column) for place in places if grid[place] in self.digits}
        if not left or self.size not in (None, len(left)):
            return False
        ahead = [left.pop()]
        while ahead:
            row, column = ahead.pop()
            for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                if (place := (row + down, column + right)) in left:
                    left.remove(place)
                    ahead.append(place)
        return not left
