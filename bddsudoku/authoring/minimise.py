"""Hints and rules taken away from one board of any kind, and a second opinion of what is left.

Ordinary boards are worked on by the thousand (:mod:`bddsudoku.engine.bitboard.minimise`); here
every question is a search of its own, of a millisecond or many. A search that takes more than
:data:`TRIED_NODES` is given up, and the hint stays: such puzzles are hard to solve and to verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bddsudoku.context import Context
from bddsudoku.engine.dlx.engine import Base
from bddsudoku.engine.protocol import Engine, Lists, searcher_for
from bddsudoku.engine.protocol import engine as engine_of
from bddsudoku.errors import LimitReached
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.solver.question import question_of

MEMORY = 512 << 20
"""Bytes for a diagram that is asked as the second voice."""
SECOND_NODES = 1_000_000
"""Nodes for a search that is."""
SECOND = ("dlx", "search", "frontier", "backtrack")
"""Who is asked, in this order; none shares code with another."""


def first_at_random(
    puzzle: Puzzle, seed: int, nodes: int, context: Context
) -> tuple[Puzzle | None, bool]:
    """The first solution that a search in shuffled order meets, unless it takes too many nodes.

    Not every solution is equally likely.

    Returns:
        The solution, if one was found, and whether the search was over: there is none if not.

    Raises:
        LimitReached: the time is used up.
    """
    model = question_of(puzzle).model
    found = searcher_for(model).solutions(model, context, limit=1, node_limit=nodes, seed=seed)
    try:
        keys = next(iter(found), None)
    except LimitReached as stop:
        if stop.limit != "nodes":
            raise
        return None, False
    return (None if keys is None else SudokuDecoder(puzzle).decode(keys.tolist())), True


@lru_cache(maxsize=1)
def _empty_board() -> Base:
    """The ordinary board for dancing links."""
    return Base(question_of(Puzzle([0] * 81, Layout())).model)


def search_count(
    puzzle: Puzzle, limit: int, nodes: int, context: Context
) -> tuple[int | None, str]:
    """Solutions of a puzzle, no further than a limit, by the search that suits it.

    Returns:
        The number, None where so many nodes were too few; and the engine's name.

    Raises:
        LimitReached: the time is used up.
    """
    model = question_of(puzzle).model
    searcher = searcher_for(model)
    return _count(searcher, model, limit, nodes, context), searcher.name


def second_count(
    puzzle: Puzzle, first: str, limit: int, context: Context
) -> tuple[str | None, int | None]:
    """Solutions of a puzzle, no further than a limit, by an engine that has not spoken yet.

    Engines are asked one after the other, those with diagrams within :data:`MEMORY`, those that
    search within :data:`SECOND_NODES`: who answers does not depend on the machine.

    Args:
        puzzle: of any board and rules.
        first: name of the engine that has.
        limit: of the count.

    Returns:
        The engine's name and its count; None and None if all give up.

    Raises:
        LimitReached: the time is used up.
    """
    if puzzle.is_ordinary and first != "dlx":  # 0.3 ms each
        keys = [9 * cell + digit - 1 for cell, digit in puzzle.hints.items()]
        return "dlx", _empty_board().count(keys, limit=limit, context=context.silent).count
    model = question_of(puzzle).model
    for name in SECOND:
        engine = engine_of(name)
        if name != first and engine.refuses(model) is None:
            number = _count(engine, model, limit, SECOND_NODES, context)
            if number is not None:
                return name, number
    return None, None


def _count(engine: Engine, model: Model, limit: int, nodes: int, context: Context) -> int | None:
    memory = MEMORY if context.memory is None else min(MEMORY, context.memory)
    try:
        if isinstance(engine, Lists):
            found = engine.solutions(model, context, limit=limit, node_limit=nodes)
            return sum(1 for _ in found)
        return min(limit, engine.count(model, replace(context, memory=memory).silent))
    except LimitReached:
        context.check("while solutions were counted")
        return None


GROUP = 8
"""Units that are first tried together. With fewer hints there are no fewer solutions: so all of a
group can go exactly if each can go after the others, and the puzzle is the same one."""

TRIED_NODES = 300
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
    number, engine = search_count(puzzle, most + 1, TRIED_NODES, context)
    if number is None:
        return replace(left, sure=left.sure and len(units) > 1), False
    if number > most:
        return left, False
    return Thinned(puzzle, number, engine, left.sure), True
