"""Counting boards that share their layout and rules, by a search prepared once for all of them."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached, ModelError, PuzzleFormatError
from bddsudoku.model.propagation import forward_check
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.sudoku_model import constraint_families, empty_board_model
from bddsudoku.puzzle.sudoku.text.rule_lines import board_with_rules
from bddsudoku.solver.question import CountResult

if TYPE_CHECKING:
    from bddsudoku.engine.search.engine import ConstraintSearch
    from bddsudoku.jit.decorators import Flags


class PreparedBoard:
    """A board with rules and without hints, prepared for searches with any candidates.

    Several threads may search it.

    Args:
        board: its layout and its rules count; its hints are not looked at.
        context: limits while it is prepared.

    Raises:
        LimitReached: the time is used up.
    """

    def __init__(self, board: Puzzle, context: Context = UNLIMITED) -> None:
        from bddsudoku.engine.search.engine import ConstraintSearch

        families = constraint_families(board.layout)
        model = forward_check(empty_board_model(board.layout, families, board.rules))
        self._keys = np.array([v.key for v in model.variables], dtype=np.int64)
        self._fixed = np.array([v.key for v in model.fixed], dtype=np.int64)
        self._n = board.layout.digit_count
        self._is_contradictory = model.is_contradictory
        self._search: ConstraintSearch | None = None
        """None if the rules contradict each other, or are too large for the search."""
        if not model.is_contradictory:
            try:
                self._search = ConstraintSearch(model, context)
            except (LimitReached, ModelError):
                context.check()

    def count(
        self, puzzle: Puzzle, limit: int | None, max_nodes: int | None, context: Context
    ) -> tuple[int | None, int]:
        """Count the solutions of a puzzle with the prepared layout and rules.

        Args:
            puzzle: with the layout and the rules that were prepared.
            limit: count no further than this.
            max_nodes: tried candidates after which the search is given up.

        Returns:
            The number of solutions, None if the search was given up; and the tried candidates.

        Raises:
            LimitReached: the time is used up.
        """
        allowed = self._candidate_flags(puzzle)
        if self._is_contradictory or not allowed[self._fixed].all():
            return 0, 0
        if self._search is None:
            return None, 0
        search = self._search.restarted(~allowed[self._keys])
        while not search.done and (limit is None or search.count < limit):
            if max_nodes is not None and search.nodes >= max_nodes:
                return None, search.nodes
            wanted = None if limit is None else -(-limit >> len(search.unconstrained))
            search.advance(wanted, max_nodes)
            search.check(context)
        return search.count if limit is None else min(search.count, limit), search.nodes

    def _candidate_flags(self, puzzle: Puzzle) -> Flags:
        """A flat bool array: for each digit in each cell, whether the puzzle allows it."""
        masks = np.array(puzzle.masks, dtype=np.int64)
        allowed: Flags = (masks[:, None] >> np.arange(self._n) & 1).astype(np.bool_).reshape(-1)
        return allowed


def prepared_board(puzzle: Puzzle, context: Context = UNLIMITED) -> PreparedBoard:
    """The prepared board with a puzzle's layout and rules, cached.

    Raises:
        LimitReached: the time is used up.
    """
    slot = _prepared_board_slot(puzzle.layout, puzzle.rules)
    if not slot:
        slot.append(PreparedBoard(puzzle, context))
    return slot[0]


@lru_cache(maxsize=8)
def _prepared_board_slot(layout: Layout, rules: tuple[Rule, ...]) -> list[PreparedBoard]:
    """Return a cached list, empty at first, for the board prepared with a layout and rules."""
    return []


def count_by_prepared_search(
    puzzle: Puzzle,
    limit: int | None = None,
    context: Context = UNLIMITED,
    *,
    max_nodes: int | None,
) -> CountResult | None:
    """Count a puzzle's solutions by a search prepared for its layout and rules; None if too long.

    Args:
        puzzle: of any layout and rules.
        limit: count no further than this.
        max_nodes: tried candidates after which the search is given up; None for none.

    Raises:
        LimitReached: the time is used up.
    """
    begin = time.perf_counter()
    prepared = prepared_board(puzzle, context)
    count, nodes = prepared.count(puzzle, limit, max_nodes, context)
    if count is None:
        return None
    why = f"the prepared search ended after {nodes:,} nodes"
    seconds = time.perf_counter() - begin
    return CountResult(count, "search", why, seconds, limit is None or count < limit)


def count_by_short_search(
    puzzle: Puzzle, limit: int | None = None, context: Context = UNLIMITED
) -> int | None:
    """Count a puzzle's solutions up to a limit by a short search; None if it does not finish."""
    from bddsudoku.engine.search.engine import PROBE_NODES

    found = count_by_prepared_search(puzzle, limit, context, max_nodes=PROBE_NODES)
    return None if found is None else found.count


RuleLines = tuple[str, tuple[tuple[int, str], ...]]
"""The name of a file of rules, and its lines with their numbers."""


def add_rules(record: PuzzleRecord, rules: RuleLines) -> PuzzleRecord:
    """The record of a puzzle with the rules of a file added.

    Raises:
        PuzzleFormatError: a rule does not fit the board, or the puzzle has rules of its own.
    """
    if record.puzzle.rules or record.saved is not None:
        raise PuzzleFormatError(
            "expected a puzzle without rules, as they are in a file of their own",
            source=record.source,
            line=record.line,
        )
    puzzle, board = record.puzzle, _empty_board_with_rules(record.puzzle.layout, rules)
    whole = Puzzle.trusted(puzzle.numbers, board.layout, board.rules, puzzle.candidates)
    return record._replace(puzzle=whole)


@lru_cache(maxsize=8)
def _empty_board_with_rules(layout: Layout, rules: RuleLines) -> Puzzle:
    """The empty board of a layout with the rules of a file, cached."""
    name, lines = rules
    return board_with_rules(lines, layout, name)
