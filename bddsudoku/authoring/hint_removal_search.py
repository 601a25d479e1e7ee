"""Hints and rules taken away from one board of any kind, and a second opinion of what is left.

Ordinary boards are worked on by the thousand (:mod:`bddsudoku.engine.bitboard.hint_removal`); here
every question is a search of its own, of a millisecond or many. A search that takes more than
:data:`TRIED_NODES` is given up, and the hint stays: such puzzles are hard to solve and to verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bddsudoku.context import Context
from bddsudoku.engine.protocol import Engine, ListingEngine, choose_listing_engine, engine
from bddsudoku.errors import LimitReached
from bddsudoku.model.model import Model
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.solver.bulk_solving import prepared_layout
from bddsudoku.solver.dispatch import count_by_search
from bddsudoku.solver.question import make_question

MEMORY = 512 << 20
"""Bytes for a diagram that is asked as the second voice."""
SECOND_NODES = 1_000_000
"""Nodes for a search that is."""
SECOND_ENGINES = ("dlx", "search", "frontier", "brute-force")
"""Who is asked, in this order; none shares code with another."""
UNITS_PER_TRY = 8
"""Units that are first tried together. With fewer hints there are no fewer solutions: so all of a
group can go exactly if each can go after the others, and the puzzle is the same one."""
TRIED_NODES = 300
"""Nodes of one search."""

Unit = Sequence[int] | Rule
"""Cells whose hints go together, or a rule."""


def _bounded_count(
    engine_name: Engine, model: Model, limit: int, nodes: int, context: Context
) -> int | None:
    """Solutions, no further than a limit; None where nodes or memory are too few."""
    memory = MEMORY if context.memory is None else min(MEMORY, context.memory)
    try:
        if isinstance(engine_name, ListingEngine):
            return count_by_search(engine_name, model, limit, nodes, context)
        return min(
            limit, engine_name.count(model, replace(context, memory=memory).without_progress)
        )
    except LimitReached:
        context.check("while solutions were counted")
        return None


def first_count(puzzle: Puzzle, limit: int, nodes: int, context: Context) -> tuple[str, int | None]:
    """The engine whose search suits a puzzle, and its count, no further than a limit.

    None where so many nodes were too few.
    """
    model = make_question(puzzle).model
    searcher = choose_listing_engine(model)
    return searcher.name, _bounded_count(searcher, model, limit, nodes, context)


def second_count(
    puzzle: Puzzle, first: str, limit: int, context: Context
) -> tuple[str | None, int | None]:
    """The name and the count of an engine that has not spoken yet; None and None if all give up.

    Engines are asked one after the other, those with diagrams within :data:`MEMORY`, those that
    search within :data:`SECOND_NODES`: who answers does not depend on the machine.
    """
    if puzzle.is_classic and first != "dlx":  # 0.3 ms each
        keys = [9 * cell + digit - 1 for cell, digit in puzzle.hints.items()]
        board = prepared_layout(puzzle.layout)
        return "dlx", board.count(keys, limit=limit, context=context.without_progress).count
    model = make_question(puzzle).model
    for name in SECOND_ENGINES:
        voice = engine(name)
        if name != first and voice.refuses(model) is None:
            number = _bounded_count(voice, model, limit, SECOND_NODES, context)
            if number is not None:
                return name, number
    return None, None


@dataclass(frozen=True)
class RemovalResult:
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
    is_certain: bool = True


def remove_units(
    full: Puzzle, units: Sequence[Unit], *, must: int, most: int, least: int, context: Context
) -> RemovalResult | None:
    """Take units away in their order, each if there are no more than so many solutions without it.

    Args:
        full: a grid with rules that hold in it.
        units: what may go, in the order in which it is tried.
        must: so many units at the front have to go; None comes back if one of them cannot.
        most: solutions.
        least: hints that stay at least.
    """
    left = RemovalResult(full, 1, "given")

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
            left = replace(left, is_certain=left.is_certain and len(group) > 1)
        elif number <= most:
            left = RemovalResult(puzzle, number, name, left.is_certain)
            return True
        return False

    if not all(go([unit]) for unit in units[:must]):
        return None
    waiting = [units[i : i + UNITS_PER_TRY] for i in range(must, len(units), UNITS_PER_TRY)][::-1]
    while waiting:
        group = waiting.pop()
        if not go(group) and len(group) > 1:
            half = len(group) // 2
            waiting += [group[half:], group[:half]]
    return left
