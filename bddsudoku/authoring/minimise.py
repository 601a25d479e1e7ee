"""Hints and rules taken away from one board of any kind, and a second opinion of what is left.

Ordinary boards are worked on by the thousand (:mod:`bddsudoku.engine.bitboard.minimise`); here
every question is a search of its own, of a millisecond or many. A search that takes more than
:data:`TRIED_NODES` is given up, and the hint stays: such puzzles are hard to solve and to verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bddsudoku.context import Context
from bddsudoku.engine.protocol import Engine, Lists, engine, searcher_for
from bddsudoku.errors import LimitReached
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.solver.ask import search_count
from bddsudoku.solver.many import prepared_board
from bddsudoku.solver.question import question_of

MEMORY = 512 << 20
"""Bytes for a diagram that is asked as the second voice."""
SECOND_NODES = 1_000_000
"""Nodes for a search that is."""
SECOND = ("dlx", "search", "frontier", "brute-force")
"""Who is asked, in this order; none shares code with another."""
GROUP = 8
"""Units that are first tried together. With fewer hints there are no fewer solutions: so all of a
group can go exactly if each can go after the others, and the puzzle is the same one."""
TRIED_NODES = 300
"""Nodes of one search."""

Unit = Sequence[int] | Rule
"""Cells whose hints go together, or a rule."""


def _count(voice: Engine, model: Model, limit: int, nodes: int, context: Context) -> int | None:
    """Solutions, no further than a limit; None where nodes or memory are too few."""
    memory = MEMORY if context.memory is None else min(MEMORY, context.memory)
    try:
        if isinstance(voice, Lists):
            return search_count(voice, model, limit, nodes, context)
        return min(limit, voice.count(model, replace(context, memory=memory).silent))
    except LimitReached:
        context.check("while solutions were counted")
        return None


def first_count(puzzle: Puzzle, limit: int, nodes: int, context: Context) -> tuple[str, int | None]:
    """The engine whose search suits a puzzle, and its count, no further than a limit.

    None where so many nodes were too few.
    """
    model = question_of(puzzle).model
    searcher = searcher_for(model)
    return searcher.name, _count(searcher, model, limit, nodes, context)


def second_count(
    puzzle: Puzzle, first: str, limit: int, context: Context
) -> tuple[str | None, int | None]:
    """The name and the count of an engine that has not spoken yet; None and None if all give up.

    Engines are asked one after the other, those with diagrams within :data:`MEMORY`, those that
    search within :data:`SECOND_NODES`: who answers does not depend on the machine.
    """
    if puzzle.is_ordinary and first != "dlx":  # 0.3 ms each
        keys = [9 * cell + digit - 1 for cell, digit in puzzle.hints.items()]
        board = prepared_board(puzzle.layout)
        return "dlx", board.count(keys, limit=limit, context=context.silent).count
    model = question_of(puzzle).model
    for name in SECOND:
        voice = engine(name)
        if name != first and voice.refuses(model) is None:
            number = _count(voice, model, limit, SECOND_NODES, context)
            if number is not None:
                return name, number
    return None, None


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
        must: so many units at the front have to go; None comes back if one of them cannot.
        most: solutions.
        least: hints that stay at least.
    """
    left = Thinned(full, 1, "given")

    def go(group: Sequence[Unit]) -> bool:
        """Take some units away together, if they can go."""
        nonlocal left
        context.check("while hints were taken away")
        before, gone = left.puzzle, list[int | Rule]()
        for unit in group:
            gone += [unit] if isinstance(unit, Rule) else [c for c in unit if before[c]]
        puzzle = before.without(*gone)
        if puzzle.rules != before.rules:  # a mark may have gone of which another rule speaks
            grid = Puzzle(full.cells, full.layout, rules=puzzle.rules)
            if not grid.is_solution:
                return False
        if puzzle.hint_count < min(least, before.hint_count):
            return False
        name, number = first_count(puzzle, most + 1, TRIED_NODES, context)
        if number is None:
            left = replace(left, sure=left.sure and len(group) > 1)
        elif number <= most:
            left = Thinned(puzzle, number, name, left.sure)
            return True
        return False

    if not all(go([unit]) for unit in units[:must]):
        return None
    waiting = [units[i : i + GROUP] for i in range(must, len(units), GROUP)][::-1]
    while waiting:
        group = waiting.pop()
        if not go(group) and len(group) > 1:
            half = len(group) // 2
            waiting += [group[half:], group[:half]]
    return left
