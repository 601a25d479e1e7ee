"""Removal of hints and rules from one puzzle by search, and a recount by a second engine.

Classic boards are processed by the thousand (:mod:`bddsudoku.engine.bitboard.hint_removal`); here
every test is a search of its own, of a millisecond or more. A search that takes more than
:data:`TRIED_NODES` is given up, and the hint stays: such puzzles are hard to solve and to verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bddsudoku.context import Context
from bddsudoku.engine.portfolio import count_within
from bddsudoku.engine.protocol import choose_listing_engine, find_engine
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.solver.question import make_question
from bddsudoku.solver.shared_rules import count_by_prepared_search

MEMORY = 512 << 20
"""Bytes for the diagram of a second engine."""
SECOND_NODES = 1_000_000
"""Nodes for the search of a second engine."""
SECOND_ENGINES = ("dlx", "search", "frontier", "brute-force")
"""The engines that count a second time, in this order; no two share code."""
UNITS_PER_TRY = 8
"""Number of units that are first tried together. Fewer hints never mean fewer solutions: a whole
group can be removed exactly if its units can be removed one by one; the result is the same."""
TRIED_NODES = 300
"""Node limit of the search that tests one removal."""

Unit = Sequence[int] | Rule
"""Cells whose hints are removed together, or a rule."""


def count_by_chosen_search(
    puzzle: Puzzle, limit: int, max_nodes: int, context: Context
) -> tuple[str, int | None]:
    """Choose the search that suits a puzzle; return its name and its count up to a limit.

    The count is None where ``max_nodes`` did not suffice.
    """
    model = make_question(puzzle).model
    searcher = choose_listing_engine(model)
    return searcher.name, count_within(searcher, model, context, limit, max_nodes)


def recount_by_other_engine(
    puzzle: Puzzle, first_engine: str, limit: int, context: Context
) -> tuple[str | None, int | None]:
    """Count again by an engine other than the first; return its name and count, or two Nones.

    Engines are tried one after the other: those that build diagrams within :data:`MEMORY`, those
    that search within :data:`SECOND_NODES`. Which one answers does not depend on the host.
    """
    if puzzle.is_classic and first_engine != "search":  # 0.2 ms each
        found = count_by_prepared_search(puzzle, limit, context, max_nodes=None)
        return "search", None if found is None else found.count
    model = make_question(puzzle).model
    limited = replace(context, memory=min(MEMORY, context.memory or MEMORY))
    for name in SECOND_ENGINES:
        voice = find_engine(name)
        if name != first_engine and voice.refuses(model) is None:
            number = count_within(voice, model, limited, limit, SECOND_NODES)
            if number is not None:
                return name, number
    return None, None


@dataclass(frozen=True)
class RemovalResult:
    """A puzzle after the removal of hints and rules.

    Attributes:
        puzzle: the remaining hints and rules.
        solutions: its number of solutions.
        engine: the engine that counted them.
        is_certain: whether no search was given up, so that no remaining unit could be removed.
    """

    puzzle: Puzzle
    solutions: int
    engine: str
    is_certain: bool = True


def remove_hints_and_rules(
    full_grid: Puzzle,
    units: Sequence[Unit],
    *,
    mandatory: int,
    max_solutions: int,
    min_hints: int,
    context: Context,
) -> RemovalResult | None:
    """Try to remove each unit of hints or rules, keeping at most ``max_solutions`` solutions.

    Args:
        full_grid: a grid with rules that hold in it.
        units: what may be removed, in the order in which it is tried.
        mandatory: number of units at the front that must be removed; the result is None if one of
            them cannot be.
        max_solutions: largest number of solutions.
        min_hints: least number of hints that stay.
    """
    left = RemovalResult(full_grid, 1, "given")

    def go(group: Sequence[Unit]) -> bool:
        """Try to remove a group of units together; return whether they were removed."""
        nonlocal left
        context.check("while hints were taken away")
        before, gone = left.puzzle, list[int | Rule]()
        for unit in group:
            gone += [unit] if isinstance(unit, Rule) else [c for c in unit if before[c]]
        puzzle = before.without(*gone)
        if puzzle.rules != before.rules:  # another rule may refer to a mark that was removed
            grid = Puzzle(full_grid.cells, full_grid.layout, rules=puzzle.rules)
            if not grid.is_solution:
                return False
        if puzzle.hint_count < min(min_hints, before.hint_count):
            return False
        name, number = count_by_chosen_search(puzzle, max_solutions + 1, TRIED_NODES, context)
        if number is None:
            left = replace(left, is_certain=left.is_certain and len(group) > 1)
        elif number <= max_solutions:
            left = RemovalResult(puzzle, number, name, left.is_certain)
            return True
        return False

    if not all(go([unit]) for unit in units[:mandatory]):
        return None
    waiting = [units[i : i + UNITS_PER_TRY] for i in range(mandatory, len(units), UNITS_PER_TRY)][
        ::-1
    ]
    while waiting:
        group = waiting.pop()
        if not go(group) and len(group) > 1:
            half = len(group) // 2
            waiting += [group[half:], group[:half]]
    return left
