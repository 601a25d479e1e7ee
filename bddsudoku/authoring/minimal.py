"""All subsets of a puzzle's hints with the same set of solutions, as a diagram over the hints.

A subset is not enough if some solution that it gains differs from the puzzle only in hints that it
lacks. So the subsets that are enough are exactly the hitting sets of the *unavoidable* sets: those
sets of hints of which one must stay. Both families are found side by side:

1. with those hints alone that cannot go at all, the solutions may be few: then all of them are
   listed, and where they differ are all unavoidable sets;
2. otherwise some unavoidable sets are grown at random, the minimal sets that hit all that are known
   come from a diagram (:func:`bddsudoku.diagrams.operations.hitting_sets`), and each of these is
   asked about. One that is not enough shows an unavoidable set that it misses (with more hints, as
   many as it takes, it becomes a maximal one that is not enough; what that lacks is minimal). When
   all are enough, both families are complete: no subset that is enough is left out, since it hits
   every unavoidable set and so holds a minimal one of those that hit them.

The second is the joint enumeration of minimal unsatisfiable sets and of their duals (MARCO: M.
Liffiton et al., Constraints 21, 2016) with a diagram for the map of what is unexplored (minimal
transversals: T. Toda, DS 2013), which needs few rounds, each asking thousands of boards at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bddsudoku.authoring.minimal_answers import Subsets
from bddsudoku.authoring.minimal_oracle import Flags, Oracle
from bddsudoku.authoring.unavoidable_rows import (
    differences,
    distinct,
    family_of_flags,
    random_hitting_sets,
)
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams import apply as product
from bddsudoku.diagrams import operations as antichains
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.ask import counted

LISTED = 100_000
"""Up to so many solutions of the necessary hints are listed."""
SEEDS = 512
"""Sets with which the search begins."""
BAD = 4096
"""Unavoidable sets that are made in one round."""
EXPLORED = 200
"""Rounds at most before a diagram of all minimal sets that hit the known ones is made."""
FEW_BAD = 0.25
"""Such a diagram is made once fewer of them than this share are not enough."""
MATRIX = 8192
"""Unavoidable sets that are looked at side by side."""


def minimal_subsets(puzzle: Puzzle, context: Context = UNLIMITED, *, seed: int = 0) -> Subsets:
    """Which subsets of a puzzle's hints have the same set of solutions, and the minimal ones.

    Args:
        puzzle: of any layout, with any rules, with any number of solutions (without one, the
            minimal subsets are the smallest contradictions).
        seed: of what is tried at random; the answer does not depend on it unless a limit ends it.

    Returns:
        All of it, or bounds when a limit was reached.

    Raises:
        LimitReached: the number of solutions was not known in time.

    Cost: seconds where some thousands of subsets are minimal; they may be exponentially many.
    """
    count = counted(puzzle, context=context.silent).count
    inner = context.sooner(2.0)
    search = _Search(Oracle(puzzle, count, inner, seed), inner)
    try:
        search.run()
    except LimitReached as stop:
        if stop.limit == "time" and not inner.expired:
            raise
        return search.result(str(stop), context)
    return search.result(None, context)


class _Search:
    """The two families, as far as they are known."""

    def __init__(self, oracle: Oracle, context: Context) -> None:
        self.oracle = oracle
        self.context = context
        self.progress = context.progress
        puzzle, n = oracle.puzzle, oracle.puzzle.n
        self.keys = np.array([c * n + puzzle[c] - 1 for c in oracle.cells.tolist()], dtype=np.int64)
        self.open = oracle.removable
        self.labels = self.keys[self.open]
        self.unavoidable = Diagram.empty(self.labels)
        self.good = Diagram.empty(self.labels)
        """Minimal subsets that are certain, without the necessary hints."""
        self.least: Diagram | None = None
        """The minimal sets that hit all unavoidable ones that are known."""

    def run(self) -> None:
        """Until both families are complete.

        Raises:
            LimitReached: a limit came first.
        """
        if self._listed():
            return
        self._begin()
        for _ in range(EXPLORED):
            if self._explore() < FEW_BAD:
                break
        while not self._round():
            pass

    def _listed(self) -> bool:
        """The unavoidable sets from all solutions of the necessary hints, if these are few."""
        oracle = self.oracle
        cells = oracle.cells[self.open]
        base = oracle.puzzle.without(*cells.tolist())
        digits = [oracle.puzzle[c] for c in cells.tolist()]
        rows, complete = differences(base, digits, cells.tolist(), LISTED, self.context.silent)
        if not complete:
            return False
        self._add(rows[rows.any(axis=1)])
        self.least = self.good = antichains.hitting_sets(self.unavoidable, context=self.context)
        return True

    def _begin(self) -> None:
        """Some sets of either family, at random."""
        for _ in range(4):
            seeds = min(SEEDS, self.oracle.batch)
            everything = np.ones((seeds, len(self.open)), dtype=np.bool_)
            self._keep(self.oracle.shrunk(everything)[:, self.open])
            self._add(~self.oracle.grown(everything & ~self.open)[:, self.open])
            self._tell(0)

    def _explore(self) -> float:
        """Ask about random minimal sets that hit what is known; the share that was not enough.

        The diagram of all of them would be far larger now than in the end.
        """
        known = SolutionSet(self.unavoidable)
        number = known.count()
        sets = known.to_numpy() if number <= MATRIX else known.sample_rows(MATRIX, self.oracle.rng)
        size = min(SEEDS, self.oracle.batch)
        chosen = random_hitting_sets(sets != 0, size, self.oracle.rng)
        missed = self._sorted(chosen)
        self._tell(0)
        self._learn(missed)
        return sum(map(len, missed)) / size

    def _round(self) -> bool:
        """Ask about the minimal hitting sets that are not certain; whether all of them are."""
        self.least = None
        self.least = antichains.hitting_sets(self.unavoidable, context=self.context)
        fresh = SolutionSet(product.combine(self.least, self.good, product.DIFFERENCE))
        total, size = fresh.count(), self.oracle.batch
        self._tell(total)
        if total > size:  # some from everywhere first: many will be wrong in the beginning
            rows = fresh.sample_rows(size, self.oracle.rng)
            if bad := self._sorted(rows):
                self._learn(bad)
                return False
        missed: list[Flags] = []
        for rows in fresh.batches(size):
            missed += self._sorted(rows)
            if sum(map(len, missed)) >= BAD:
                break
        self._learn(missed)
        return not missed

    def _sorted(self, rows: NDArray[np.uint8] | Flags) -> list[Flags]:
        """Keep those that are enough; the others, if there are any."""
        flags = rows.astype(np.bool_)
        enough = self.oracle.enough(self._whole(flags))
        self._keep(flags[enough])
        return [flags[~enough]] if not enough.all() else []

    def _learn(self, missed: list[Flags]) -> None:
        """The unavoidable sets that some subsets miss."""
        if missed:
            most = max(64, self.oracle.batch // 4)
            flags = np.concatenate(missed)[: min(BAD, most)]
            self._add(~self.oracle.grown(self._whole(flags))[:, self.open])

    def _whole(self, flags: Flags) -> Flags:
        """Sets of hints that can go, and the necessary ones."""
        kept = np.ones((len(flags), len(self.open)), dtype=np.bool_)
        kept[:, self.open] = flags
        return kept

    def _add(self, flags: Flags) -> None:
        more = family_of_flags(self.labels, distinct(flags))
        both = product.combine(self.unavoidable, more, product.OR)
        self.unavoidable = antichains.minimal(both, context=self.context)

    def _keep(self, flags: Flags) -> None:
        more = family_of_flags(self.labels, distinct(flags))
        self.good = product.combine(self.good, more, product.OR)

    def _tell(self, fresh: int) -> None:
        self.context.check("while minimal sets of hints were looked for")
        if self.progress is not None:
            known = SolutionSet(self.good).count()
            self.progress(known, known + fresh)

    def result(self, stopped: str | None, context: Context) -> Subsets:
        """What is known."""
        return Subsets(
            puzzle=self.oracle.puzzle,
            count=self.oracle.count,
            unavoidable_diagram=self.unavoidable,
            minimal_diagram=self.good,
            least_diagram=self.least,
            necessary_keys=tuple(self.keys[~self.open].tolist()),
            stopped=stopped,
            context=context,
        )
