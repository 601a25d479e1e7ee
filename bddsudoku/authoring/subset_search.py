"""Search for all minimal subsets of a puzzle's hints or rules that keep the set of solutions.

Such subsets, called sufficient, and minimal unavoidable sets are found together:

1. on boards of up to 64 cells without rules a search that skips supersets finds all minimal
   unavoidable sets (:func:`.hint_set_families.search_unavoidable`);
2. elsewhere the solutions with only the necessary hints may be few: then all of them are listed,
   and their difference sets are all unavoidable sets;
3. otherwise some unavoidable sets are grown at random, the minimal sets that hit all known ones
   come from a diagram (:mod:`bddsudoku.diagrams.zdd_apply`), and each of
   these is tested. An insufficient one yields an unavoidable set that it misses (hints are added
   until it is maximal among the insufficient ones; its complement is minimal). When all are
   sufficient, both families are complete: a sufficient subset hits every unavoidable set and so
   contains a minimal hitting set.

The last is the joint enumeration of minimal unsatisfiable sets and of their duals (MARCO: M.
Liffiton et al., Constraints 21, 2016) with a diagram for the map of what is unexplored (minimal
transversals: T. Toda, DS 2013), which needs few rounds, each asking thousands of boards at once.

Sets of hints are tested in large batches. Fewer hints never lose a solution, so a set is sufficient
exactly when it gains none. While the puzzle has few solutions, they are counted up to one more than
these; with many it is cheaper to find the digits that stand in some solution, because a new
solution differs from the puzzle in a hint that was removed.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from itertools import compress
from typing import Any

import numpy as np

from bddsudoku.authoring.hint_set_families import (
    diagram_from_flags,
    distinct_rows,
    minimal_unavoidable_sets,
)
from bddsudoku.context import Context
from bddsudoku.diagrams import zdd_apply as product
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.diagrams.zdd_apply import (
    all_hitting_sets,
    minimal,
    minimal_hitting_sets,
    minimal_of_upset,
)
from bddsudoku.engine.bitboard import true_candidates as classic_true_candidates
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import I64, U8, Flags
from bddsudoku.model.constraints import Linear
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules import Rule
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.bulk_solving import count_many
from bddsudoku.solver.dispatch import true_candidates

MAX_COUNTED_HINTS = 64
"""Largest number of solutions of a puzzle up to which subsets are tested by counting."""
SECONDS = 0.3
"""Time that the test of one batch should take."""
LISTED = 100_000
"""Largest number of solutions of the necessary hints that are listed."""
SEEDS = 512
"""Number of random sets of either family with which the search begins, in each of four rounds."""
MAX_FAILURES = 4096
"""Largest number of unavoidable sets that are added in one round."""


class SubsetSearch:
    """Searches for the minimal subsets of hints that keep the solutions, and for unavoidable sets.

    Its elements are the hints and, on demand, the rules of a puzzle.

    Args:
        puzzle: of any layout, with any rules.
        count: its number of solutions.
        context: limits.
        seed: of random choices.
        rules: whether the rules are elements; only for puzzles without solution.
        fixed: cells whose hints are no elements: they always stay.

    Attributes:
        cells: the hinted cells, ascending: the first columns of all flags.
        rules: the rules, each with its meaning beside the others: the last columns.
        removable: which elements are not necessary: bool, (elements,).
        batch: number of sets to test at once, so that a test takes a fraction of a second.
        unavoidable: the known unavoidable sets.
        sufficient: the known minimal subsets, without the necessary hints.
        hitting: the minimal hitting sets of ``unavoidable``.
        all_sufficient: all sufficient subsets, without the necessary hints, where they are known.
        least_size: no smaller subset keeps the solutions.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        count: int,
        context: Context,
        seed: int,
        *,
        rules: bool = False,
        fixed: Collection[int] = (),
    ) -> None:
        self.rules: tuple[Rule, ...] = ()
        if rules:
            self.rules = tuple(rule.in_company(puzzle.rules) for rule in puzzle.rules)
            puzzle = Puzzle.from_masks(puzzle.masks, puzzle.layout, self.rules)
        self.puzzle = puzzle
        self.count = count
        self.context = context
        self.rng: np.random.Generator = np.random.default_rng(seed)
        self.batch: int = 64
        hints = {cell: digit for cell, digit in puzzle.hints.items() if cell not in fixed}
        self.cells: I64 = np.array([*hints], dtype=np.int64)
        self.digits: I64 = np.array([*hints.values()], dtype=np.int64)
        of_rules = puzzle.n**3 + np.arange(len(self.rules))
        self.keys: I64 = np.append(self.cells * puzzle.n + self.digits - 1, of_rules)
        self._masks = np.array(puzzle.masks, dtype=np.uint16) if puzzle.is_classic else None
        self.removable: Flags = self.are_sufficient(~np.eye(len(self.keys), dtype=np.bool_))
        self.labels: I64 = self.keys[self.removable]
        self.unavoidable: Diagram = Diagram.empty(self.labels)
        self.sufficient: Diagram = self.unavoidable
        self.hitting: Diagram | None = None
        self.all_sufficient: Diagram | None = None
        self.least_size: int = len(self.necessary)

    @property
    def necessary(self) -> tuple[int, ...]:
        """The keys of the elements that are in every sufficient subset."""
        return tuple(self.keys[~self.removable].tolist())

    def run(self) -> str | None:
        """Find all minimal subsets that keep the solutions, and all minimal unavoidable sets.

        Returns:
            Which limit was reached, after which only some are known; None for none.
        """
        try:
            self._find_all()
        except LimitReached as stop:
            if stop.limit == "time" and not self.context.is_expired:
                raise
            return str(stop)
        return None

    def _find_all(self) -> None:
        rules = tuple(compress(self.rules, self.removable[len(self.cells) :]))
        found = minimal_unavoidable_sets(
            self._reduced_puzzle(~self.removable),
            self.labels,
            rules,
            LISTED,
            self.context.without_progress,
        )
        if found is not None:
            self.unavoidable = found
            self.all_sufficient = all_hitting_sets(found, context=self.context)
            self.hitting = self.sufficient = minimal_of_upset(
                self.all_sufficient, context=self.context
            )
            return
        for _ in range(4):  # some sets of either family, at random
            seeds = min(SEEDS, self.batch)
            everything = np.ones((seeds, len(self.removable)), dtype=np.bool_)
            self._record_sufficient(self._grow_or_shrink(everything, grow=False)[:, self.removable])
            self._grow_and_record(everything & ~self.removable)
            self._report_progress(0)
        while not self._all_hitting_sets_sufficient():
            pass

    def _all_hitting_sets_sufficient(self) -> bool:
        """Test the untested minimal hitting sets; return whether all of them keep the solutions."""
        self.hitting = None
        self.hitting = minimal_hitting_sets(self.unavoidable, context=self.context)
        fresh = SolutionSet(product.apply(self.hitting, self.sufficient, product.DIFFERENCE))
        total, size = fresh.count(), self.batch
        self._report_progress(total)
        missed: list[Flags] = []
        if total > size:  # a random sample first: many are insufficient in the beginning
            missed = self._record_and_drop_sufficient(fresh.sample_rows(size, self.rng))
        for rows in () if missed else fresh.batches(size):
            missed += self._record_and_drop_sufficient(rows)
            if sum(map(len, missed)) >= MAX_FAILURES:
                break
        if missed:  # each of these yields an unavoidable set
            flags = np.concatenate(missed)[: min(MAX_FAILURES, max(64, self.batch // 4))]
            self._grow_and_record(self._add_necessary_hints(flags))
        return not missed

    def _record_and_drop_sufficient(self, rows: U8) -> list[Flags]:
        """Test sets of removable hints: record those that keep the solutions, return the others."""
        flags = rows.astype(np.bool_)
        enough = self.are_sufficient(self._add_necessary_hints(flags))
        self._record_sufficient(flags[enough])
        return [] if enough.all() else [flags[~enough]]

    def _add_necessary_hints(self, flags: Flags) -> Flags:
        """Extend flags of the removable hints to flags of all hints; necessary hints are set."""
        kept = np.ones((len(flags), len(self.removable)), dtype=np.bool_)
        kept[:, self.removable] = flags
        return kept

    def _grow_and_record(self, insufficient: Flags) -> None:
        """Record the complements of the maximal sets to which insufficient sets grow."""
        flags = ~self._grow_or_shrink(insufficient, grow=True)[:, self.removable]
        more = diagram_from_flags(self.labels, distinct_rows(flags))
        both = product.apply(self.unavoidable, more, product.OR)
        self.unavoidable = minimal(both, context=self.context)

    def _record_sufficient(self, flags: Flags) -> None:
        """Add sets of hints to the known minimal subsets that keep the solutions."""
        more = diagram_from_flags(self.labels, distinct_rows(flags))
        self.sufficient = product.apply(self.sufficient, more, product.OR)

    def _report_progress(self, untested_count: int) -> None:
        self.context.check("while minimal sets of hints were looked for")
        if self.context.progress is not None:
            known = SolutionSet(self.sufficient).count()
            self.context.progress(known, known + untested_count)

    def _grow_or_shrink(self, kept: Flags, *, grow: bool) -> Flags:
        """Grow insufficient sets to maximal ones, or shrink sufficient sets to minimal ones.

        With ``grow`` insufficient sets grow to maximal insufficient ones, whose complements are
        minimal unavoidable sets; otherwise sufficient sets shrink to minimal ones.
        """
        kept = kept.copy()
        rows = np.arange(len(kept))
        hints = np.flatnonzero(self.removable)
        order = hints[np.argsort(self.rng.random((len(kept), len(hints))), axis=1)]
        for hint in order.T:
            rest = np.flatnonzero(kept[rows, hint] != grow)
            tried = kept[rest]
            tried[np.arange(len(rest)), hint[rest]] = grow
            stays = rest[self.are_sufficient(tried) != grow]
            kept[stays, hint[stays]] = grow
        return kept

    def are_sufficient(self, kept: Flags) -> Flags:
        """Test which sets of hints keep the puzzle's solutions; adapt the batch size to speed."""
        self.context.check("while sets of hints were tried")
        begin = time.perf_counter()
        found = self._test_sufficiency(kept) if len(kept) else np.zeros(0, dtype=np.bool_)
        seconds = time.perf_counter() - begin
        if len(kept) >= self.batch or seconds > SECONDS:
            next_batch = len(kept) * SECONDS / max(seconds, 1e-6)
            self.batch = int(np.clip(next_batch, 16, min(4 * self.batch, 1 << 15)))
        return found

    def _reduced_puzzle(self, kept: Flags) -> Puzzle:
        """The puzzle with only those hints and rules whose flags in ``kept`` are set."""
        gone = len(self.cells)
        rules = compress(self.rules, ~kept[gone:])
        return self.puzzle.without(*self.cells[~kept[:gone]].tolist(), *rules)

    def _test_sufficiency(self, kept: Flags) -> Flags:
        """Whether each set of hints keeps the puzzle's solutions, by one call of the solver."""
        boards: Any
        if self._masks is None:
            boards = [self._reduced_puzzle(row) for row in kept]
        else:
            boards = np.repeat(self._masks[None], len(kept), axis=0)
            boards[:, self.cells] = np.where(kept, self._masks[self.cells], np.uint16(0x1FF))
        if self.count <= MAX_COUNTED_HINTS:
            counts = count_many(
                boards,
                self.count + 1,
                masks=self._masks is not None,
                context=self.context.without_progress,
            )
            return np.asarray(counts == self.count, dtype=np.bool_)
        # Sufficient: in every hinted cell all solutions have the hint's digit.
        if self._masks is None:
            n = self.puzzle.n
            found = [true_candidates(board, self.context).reshape(n * n, n) for board in boards]
            stand = np.array(found)[:, self.cells] @ (1 << np.arange(n))
        else:
            stand = classic_true_candidates(boards, context=self.context)[:, self.cells]
        return np.asarray((stand == 1 << self.digits - 1).all(axis=1), dtype=np.bool_)

    def find_minimal(self) -> Flags:
        """Find a set of hints and rules, of which none can go, that keeps the solutions."""
        everything = np.ones((1, len(self.removable)), dtype=np.bool_)
        found: Flags = self._grow_or_shrink(everything, grow=False)[0]
        return found

    def find_smallest(self) -> Flags:
        """Find a smallest set of hints and rules that keeps the solutions; return it as flags.

        A smallest hitting set of the known unavoidable sets is a lower bound; those that are not
        sufficient yield further unavoidable sets (A. Ignatiev et al., Smallest MUS extraction with
        minimal hitting set dualization, CP 2015).
        """
        while True:
            self._report_progress(0)
            hits = SolutionSet(all_hitting_sets(self.unavoidable, context=self.context))
            size = next(k for k, number in enumerate(hits.sizes()) if number)
            self.least_size = len(self.necessary) + size
            keys = tuple(hits.keys.tolist())
            least = hits.where(Linear("size", "", keys, (1,) * len(keys), None, size))
            rows = np.zeros((self.batch, len(self.labels)), dtype=np.bool_)
            at = np.searchsorted(np.sort(self.labels), hits.keys)
            sampled = least.sample_rows(self.batch, self.rng)
            rows[:, np.argsort(self.labels)[at]] = sampled
            kept = self._add_necessary_hints(rows)
            enough = self.are_sufficient(kept)
            if enough.any():
                found: Flags = kept[enough][0]
                return found
            self._grow_and_record(kept)
