"""Hints and rules taken away from one board of any kind, until there were too many solutions.

The same as :func:`bddsudoku.solver.reducing.reduced` does for ordinary boards by the thousand; here
every question is a search of its own, of a millisecond or many. A search that takes more than
:data:`NODES` is given up, and the hint stays: such puzzles are hard to solve and to verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bddsudoku.context import Context
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.solver.reducing import search_count

GROUP = 8
"""Units that are first tried together. With fewer hints there are no fewer solutions: so all of a
group can go exactly if each can go after the others, and the puzzle is the same one."""

NODES = 300
"""Nodes of one search."""

Unit = Sequence[int] | Rule
"""Cells whose hints go together, or a rule."""


@dataclass(frozen=True)
class Thinned:
    """What is left.

    Attributes:
        puzzle: hints and rules.
        solutions: its number of solutions.
        engine: who counted them.
        sure: whether no search was given up: what is left could not go.
    """

    puzzle: Puzzle
    solutions: int
    engine: str
    sure: bool = True


def thinned(
    full: Puzzle, units: Sequence[Unit], *, must: int, most: int, least: int, context: Context
) -> Thinned | None:
    """Take units away in their order, each if there are no more than so many solutions without it.

    Args:
        full: a grid with rules that hold in it.
        units: what may go, in the order in which it is tried.
        must: so many units at the front have to go.
        most: solutions.
        least: hints that stay at least.

    Returns:
        What is left; None if a unit that has to go cannot.

    Raises:
        LimitReached: a limit ended it.
    """
    left = Thinned(full, 1, "given")
    for unit in units[:must]:
        left, goes = _without(full, left, [unit], most, least, context)
        if not goes:
            return None
    rest = units[must:]
    waiting = [rest[i : i + GROUP] for i in range(0, len(rest), GROUP)][::-1]
    while waiting:
        group = waiting.pop()
        left, goes = _without(full, left, group, most, least, context)
        if not goes and len(group) > 1:
            half = len(group) // 2
            waiting += [group[half:], group[:half]]
    return left


def _without(
    grid: Puzzle, left: Thinned, units: Sequence[Unit], most: int, least: int, context: Context
) -> tuple[Thinned, bool]:
    """The board without some units, if it has hints enough and not too many solutions then.

    The grid is one of them: a rule may say more when another one is gone.
    """
    context.check("while hints were taken away")
    gone: list[int | Rule] = []
    for unit in units:
        gone += [unit] if isinstance(unit, Rule) else [c for c in unit if left.puzzle[c]]
    puzzle = left.puzzle.without(*gone)
    rules = puzzle.rules
    if rules != left.puzzle.rules and not Puzzle(grid.cells, grid.layout, rules=rules).is_solution:
        return left, False  # a mark of which another rule speaks
    if puzzle.hint_count < min(least, left.puzzle.hint_count):
        return left, False
    number, engine = search_count(puzzle, most + 1, NODES, context)
    if number is None:
        return replace(left, sure=left.sure and len(units) > 1), False
    if number > most:
        return left, False
    return Thinned(puzzle, number, engine, left.sure), True
