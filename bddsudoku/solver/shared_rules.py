"""Counting boards that share their layout and rules, by a search prepared once for all of them."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached, ModelError, PuzzleFormatError
from bddsudoku.model.allocation import forward_check
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.puzzle.sudoku.sudoku_model import constraint_families, empty_board_model
from bddsudoku.puzzle.sudoku.text.rule_lines import board_with_rules
from bddsudoku.solver.question import CountResult

if TYPE_CHECKING:
    from bddsudoku.engine.search.engine import ConstraintSearch
    from bddsudoku.jit.decorators import Flags


@lru_cache(maxsize=8)
class PreparedBoard:
    """A layout with rules, prepared for searches with any candidates when it is first asked.

    Several threads may search it.
    """

    def __init__(self, layout: Layout, rules: tuple[Rule, ...]) -> None:
        model = forward_check(empty_board_model(layout, constraint_families(layout), rules))
        self._keys = np.array([v.key for v in model.variables], dtype=np.int64)
        self._fixed = np.array([v.key for v in model.fixed], dtype=np.int64)
        self._digits = np.arange(layout.digit_count)
        self._model = model
        self._is_prepared = False
        self._search: ConstraintSearch | None = None

    def _prepared_search(self, context: Context) -> ConstraintSearch | None:
        """The search without hints; None if the rules are too large for it."""
        if not self._is_prepared:
            from bddsudoku.engine.search.engine import ConstraintSearch

            try:
                self._search = ConstraintSearch(self._model, context)
            except (LimitReached, ModelError):
                context.check()
            self._is_prepared = True
        return self._search

    def count(
        self, puzzle: Puzzle, limit: int | None, context: Context, max_nodes: int | None
    ) -> CountResult | None:
        """Count the solutions of a puzzle with this layout and these rules; None if too long.

        Args:
            puzzle: its candidates count.
            limit: count no further than this.
            max_nodes: tried candidates after which the search is given up; None for none.

        Raises:
            LimitReached: the time is used up.
        """
        begin = time.perf_counter()
        masks = np.array(puzzle.masks, dtype=np.int64)
        allowed: Flags = (masks[:, None] >> self._digits & 1).astype(np.bool_).reshape(-1)
        count = nodes = 0
        if not self._model.is_contradictory and allowed[self._fixed].all():
            prepared = self._prepared_search(context)
            if prepared is None:
                return None
            search = prepared.restarted(~allowed[self._keys])
            while not search.done and (limit is None or search.count < limit):
                if max_nodes is not None and search.nodes >= max_nodes:
                    return None
                wanted = None if limit is None else -(-limit >> len(search.unconstrained))
                search.advance(wanted, max_nodes)
                search.check(context)
            count, nodes = search.count, search.nodes
        why = f"the prepared search ended after {nodes:,} nodes"
        seconds = time.perf_counter() - begin
        is_exact = limit is None or count < limit
        return CountResult(
            count if limit is None else min(count, limit), "search", why, seconds, is_exact
        )


def count_by_prepared_search(
    puzzle: Puzzle, limit: int | None, context: Context, *, max_nodes: int | None
) -> CountResult | None:
    """Count a puzzle's solutions as :meth:`PreparedBoard.count` of its layout and rules."""
    return PreparedBoard(puzzle.layout, puzzle.rules).count(puzzle, limit, context, max_nodes)


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
