"""Rules about connected cells: yin-yang, caves, islands; regions that are to be found."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import accumulate, chain, pairwise

from bddsudoku.model.connectivity import Connected as ConnectedCells
from bddsudoku.model.connectivity import DistinctInRegions
from bddsudoku.model.constraints import Constraint
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Place, Places
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Reach, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    Digits,
    WordRule,
    accept_all,
    cell_variables,
    mdd_constraint,
    variable_by_digit,
    word_mdd,
)


def _are_one_part(places: Iterable[Place]) -> bool:
    """Whether a walk from one cell to neighbours reaches all cells, of which there is one."""
    left = {(place.row, place.column) for place in places}
    ahead = [left.pop()]
    while ahead:
        row, column = ahead.pop()
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            if (place := (row + down, column + right)) in left:
                left.remove(place)
                ahead.append(place)
    return not left


def _cells_of_group(rule: Rule, layout: Layout, name: str) -> tuple[Places, int]:
    """The cells of the group with a name in small letters, and its number of columns."""
    for group, cells in layout.cells_by_group.items():
        if group.name == name.upper():
            return layout.places[cells.start : cells.stop], group.columns
    shape = f"{name.upper()} {layout.row_count}x{layout.column_count}"
    raise rule.error(f"no cells are called {name.upper()}; '# cells: {shape}' declares them")


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
        return _cells_of_group(self, layout, self.group)

    def number_range(self, layout: Layout) -> Reach:
        """The range of the size: up to the number of cells."""
        return 1, len(self.places(layout)[0]), "a size"

    def faults(self, layout: Layout) -> Iterator[str]:
        """No cells of this name, no digits, or a digit that is named twice."""
        self.places(layout)
        for digit in self.digits:
            self.check_digit(digit, layout)
            if self.digits.count(digit) > 1:
                yield f"{digit} is named twice"
        if not self.digits:
            yield "expected digits, found none"

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
        found = [place for place in places if grid[place] in self.digits]
        return bool(found) and self.size in (None, len(found)) and _are_one_part(found)


def _step_region(last: int, number: int, greatest: int) -> int | None:
    """The greatest number of a region so far; None if one is left out or there are too many."""
    return max(last, number) if number <= min(last + 1, greatest) else None


@rule(
    "chaos",
    "the group's cells number connected regions of the grid, which hold no digit twice",
)
class Chaos(Rule):
    """Regions that are to be found: a group of the grid's shape has the number of each cell's.

    Regions are numbered by their first cells, in reading order, so that they have one numbering.

    Attributes:
        size: the number of cells of a region; None for that of the longer side.
        group: the name of the group, in small letters.
    """

    size: int | None = None
    group: str = "cc"

    def cells_of_region(self, layout: Layout) -> int:
        """The number of cells of a region."""
        return self.size or max(layout.row_count, layout.column_count)

    def number_range(self, layout: Layout) -> Reach:
        """The range of the size."""
        return 2, layout.digit_count, "a size"

    def faults(self, layout: Layout) -> Iterator[str]:
        """A group of another shape than the grid's, or cells that are not regions of the size."""
        places, columns = _cells_of_group(self, layout, self.group)
        if (len(places), columns) != (layout.grid_cell_count, layout.column_count):
            yield f"the cells {self.group.upper()} do not have the shape of the grid"
        count, rest = divmod(len(places), self.cells_of_region(layout))
        if rest or count > layout.digit_count:
            yield (
                f"{len(places)} cells are not 1 to {layout.digit_count} regions of "
                f"{self.cells_of_region(layout)}"
            )

    def constraints(self, layout: Layout) -> list[Constraint]:
        """Each region is connected; values differ in it; regions are numbered in order."""
        places, columns = _cells_of_group(self, layout, self.group)
        size, first = self.cells_of_region(layout), layout.values[0]
        count = len(places) // size
        numbers = [cell_variables(layout, place)[:count] for place in places]
        values = [cell_variables(layout, place) for place in layout.places[: len(places)]]
        order = (first - 1, _step_region, accept_all, first + count - 1)
        return [
            DistinctInRegions(
                self.name, self.label, (*numbers, *values), size == layout.digit_count
            ),
            mdd_constraint(
                self,
                layout,
                places,
                word_mdd(layout.values, len(places), *order),
                label=f"{self.label} order",
            ),
            *(
                ConnectedCells(
                    self.name, f"{self.label} {k}", tuple((of[k],) for of in numbers), columns, size
                )
                for k in range(count)
            ),
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the cells of each number are connected, as many as they must be, and differ."""
        layout = grid.layout
        places, _ = _cells_of_group(self, layout, self.group)
        regions: dict[int, list[Place]] = {}
        for place in places:
            regions.setdefault(grid[place], []).append(Place(place.row, place.column))
        size = self.cells_of_region(layout)
        return [*regions] == [*layout.values[: len(regions)]] and all(
            len(cells) == len({grid[cell] for cell in cells}) == size and _are_one_part(cells)
            for cells in regions.values()
        )


@rule(
    "chaosarrow",
    "the digit, plus the number (0 or 1), counts the arms' cells in the region of their first "
    "cell, up to another region",
)
class ChaosArrow(WordRule):
    """A digit that counts cells of one region from a cell on, along one or more arms.

    Arms of one further cell count those of some cells that are in the region of the first.

    Attributes:
        control: the cell with the digit.
        cells: the cells with the numbers of the regions: the arms one after the other, each from
            the same cell on.
        value: 1 if the first cell is not counted, 0 if it is.
    """

    control: Places
    cells: Places
    value: int = 0
    discs = 0.4, None, "black", "circle"
    start = ()
    loops = True

    def number_range(self, layout: Layout) -> Reach:
        """The range of what is added to the digit."""
        return 0, 1, "a number"

    def faults(self, layout: Layout) -> Iterable[str]:
        """Several cells with the digit."""
        self.check_places(self.control, layout, 1, 1)
        return ()

    @property
    def arms(self) -> list[Places]:
        """The arms without their first cell."""
        starts = [i for i, place in enumerate(self.cells) if place == self.cells[0]]
        return [self.cells[a + 1 : b] for a, b in pairwise([*starts, len(self.cells)])]

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The first cell, the arms, the cell with the digit."""
        return {self.label: (self.cells[0], *chain(*self.arms), *self.control)}

    @staticmethod
    def step(
        state: tuple[int, ...], digit: int, ends: tuple[int, ...], value: int
    ) -> tuple[int, ...] | None:
        """Read a region's number or, at last, the digit.

        A state is (cells read, region of the first cell, whether it goes on, cells counted).
        """
        if not state:
            return 1, digit, 1, 1
        read, region, goes_on, counted = state
        if read > ends[-1]:
            return state if digit + value == counted else None
        goes_on = int(digit == region and (goes_on or read - 1 in ends))
        return read + 1, region, goes_on, counted + goes_on

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """How many cells are read at the end of each arm, and what is added to the digit."""
        return tuple(accumulate(map(len, self.arms), initial=0)), self.value

    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digit is the number of cells before another region, on all arms."""
        first, *rest, digit = digits
        counted = 1
        for arm in self.arms:
            mine, rest = rest[: len(arm)], rest[len(arm) :]
            counted += next((i for i, k in enumerate(mine) if k != first), len(mine))
        return digit + self.value == counted
