"""Constraint models of Sudokus, with a variable for each candidate that propagation leaves.

Tateishi & Minato, section 4: nine variables for every cell, named by row, column and digit
(``aa1`` … ``ii9``); cells with a hint get none. Section 6 announces that considering the hints
around a cell would save more variables: this is the allocation ``candidates``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase

from bddsudoku.argument_types import check_types
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.model.allocation import (
    Allocation,
    all_different,
    cell_variables,
    one_value_in_each_cell,
)
from bddsudoku.model.allocation import allocate as allocate_variables
from bddsudoku.model.constraints import Constraint, OneHot
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, Layout
from bddsudoku.puzzle.sudoku.rules.rule import Rule
from bddsudoku.puzzle.sudoku.sudoku_orders import FAMILIES, SudokuOrigin


@lru_cache(maxsize=32)
def empty_board_model(
    layout: Layout, families: Sequence[str] = FAMILIES, rules: tuple[Rule, ...] = ()
) -> Model:
    """The model of the empty board: n³ variables and 4 n² constraints (729 and 324 for 9×9).

    A house with fewer cells than there are digits has each of them at most once.

    Without the family ``block`` the solutions are the Latin squares; the family ``extra`` has the
    extra houses. The constraints of a variant's rules are of the families with the rules' names.
    """
    wide, symbols = layout.column_count, SYMBOLS[: layout.digit_count]
    names = [
        ascii_lowercase[cell // wide] + ascii_lowercase[cell % wide]
        for cell in range(layout.grid_cell_count)
    ]
    names += map(layout.cell_name, range(layout.grid_cell_count, layout.cell_count))
    constraints: list[Constraint] = []
    for family in families:
        if family == "cell":
            constraints += one_value_in_each_cell(names, len(symbols))
            constraints += _digits_of_groups(layout)
            continue
        if family in ("row", "column") and not layout.has_lines:
            continue
        for house in getattr(layout, f"{family}s"):
            first = names[house.cells[0]]
            name = {"row": first[0], "column": first[1], "extra": f"{house.index + 1}"}.get(
                family, first
            )
            constraints += all_different(
                family, name, house.cells, symbols, complete=house.is_complete
            )
    for rule in dict.fromkeys(rule.in_company(rules) for rule in rules):
        try:
            made = rule.constraints(layout)
        except LimitReached as error:
            raise rule.error(str(error)) from None
        # A rule without effect on this board becomes an empty constraint, so the model lists it.
        constraints += made or [OneHot(rule.name, rule.label, (), 0)]
    variables = cell_variables(tuple(names), symbols, layout.values)
    return Model(variables, tuple(constraints)).with_origin(SudokuOrigin(layout, families, rules))


def _digits_of_groups(layout: Layout) -> Iterator[OneHot]:
    """Yield the constraints that cells outside the grid have no digits but those of their group."""
    n = layout.digit_count
    for cell in range(layout.grid_cell_count, layout.cell_count):
        mask = layout.masks[cell]
        never = tuple(cell * n + d for d in range(n) if not mask >> d & 1)
        if never:
            yield OneHot("cells", layout.cell_name(cell), never, 0, True)


def constraint_families(layout: Layout) -> tuple[str, ...]:
    """Names of a board's constraint families: cell, row, column, block; extra for extra houses."""
    return (*FAMILIES, *(("extra",) if layout.extra else ()))


def known_keys(puzzle: Puzzle) -> tuple[list[int], list[int]]:
    """The keys of a puzzle's hints, and those of the digits struck from its open cells."""
    n = puzzle.layout.digit_count
    hints = [cell * n + number - 1 for cell, number in enumerate(puzzle.numbers) if number]
    struck = [
        cell * n + d
        for cell, mask in enumerate(puzzle.candidates or ())
        if not puzzle.numbers[cell]
        for d in range(n)
        if not mask >> d & 1
    ]
    return hints, struck


@check_types
def allocate(puzzle: Puzzle, allocation: Allocation | str = Allocation.PAPER) -> Model:
    """Build a puzzle's constraint model, with a variable per candidate that propagation leaves.

    Hints and deduced digits are in :attr:`~bddsudoku.model.Model.fixed`; digits that are not
    candidates of their cell get no variable. A puzzle whose hints clash becomes a contradictory
    model, which has no solution.
    """
    families = constraint_families(puzzle.layout)
    base = empty_board_model(puzzle.layout, families, puzzle.rules)
    hints, struck = known_keys(puzzle)
    model = allocate_variables(base, hints, allocation, struck=struck)
    return model.with_origin(SudokuOrigin(puzzle.layout, families, puzzle.rules, puzzle))


def constraint_lines(model: Model, schedule: Iterable[int] | None = None) -> list[str]:
    """A model's constraints as lines of text such as ``row a 5: 0 + ab5 + ad5 + 1 == 1``.

    This is the notation of Tateishi and Minato, section 4. The first lines declare the variables
    in their order, so the lines are a file in the language of :mod:`bddsudoku.puzzle.formula`.
    Constraints that are satisfied already, such as those of hinted cells, are left out, as in the
    paper.

    ``schedule`` has the positions of the constraints in the order in which they are written; the
    default is the model's order.

    Raises:
        ModelError: the constraint of a rule is an MDD, which no sum of variables expresses.
    """
    base = model.original
    whole = {(c.family, c.label): c for c in base.constraints}
    open_keys = {v.key for v in model.variables}
    true = {v.key for v in model.fixed}
    symbols = [v.name for v in model.variables]
    lines = ["symbol " + " ".join(symbols[i : i + 16]) for i in range(0, len(symbols), 16)]
    for position in range(len(model.constraints)) if schedule is None else schedule:
        c = whole[model.constraints[position].family, model.constraints[position].label]
        if model.constraints[position].is_trivial:
            continue
        if not isinstance(c, OneHot):
            raise ModelError(f"{c.family} {c.label} is an MDD and no sum of variables")
        terms = [
            base.variables[v].name if v in open_keys else "1" if v in true else "0"
            for v in c.variables
        ]
        relation = f"{'<=' if c.at_most else '=='} {c.total}"
        lines.append(f"{c.family} {c.label}: {' + '.join(terms)} {relation}")
    return lines
