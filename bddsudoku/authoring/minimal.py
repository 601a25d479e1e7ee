"""All subsets of a puzzle's hints with the same set of solutions, as a diagram over the hints.

A subset is not enough if some solution that it gains differs from the puzzle only in hints that it
lacks. So the subsets that are enough are exactly the hitting sets of the *unavoidable* sets: those
sets of hints of which one must stay. Both families are found side by side:

1. with those hints alone that cannot go at all, the solutions may be few: then all of them are
   listed, and where they differ are all unavoidable sets;
2. otherwise some unavoidable sets are grown at random, the minimal sets that hit all that are known
   come from a diagram (:func:`bddsudoku.diagrams.minimal.hitting_sets`), and each of these is
   asked about. One that is not enough shows an unavoidable set that it misses (with more hints, as
   many as it takes, it becomes a maximal one that is not enough; what that lacks is minimal). When
   all are enough, both families are complete: no subset that is enough is left out, since it hits
   every unavoidable set and so holds a minimal one of those that hit them.

The second is the joint enumeration of minimal unsatisfiable sets and of their duals (MARCO: M.
Liffiton et al., Constraints 21, 2016) with a diagram for the map of what is unexplored (minimal
transversals: T. Toda, DS 2013), which needs few rounds, each asking thousands of boards at once.

Whether sets of hints are enough is asked many at a time. Fewer hints never lose a solution, so that
they are enough exactly when they gain none. While the puzzle's own solutions are few, one further
than these is counted; with many it is cheaper to ask which digits stand in some solution, because a
new solution differs from the puzzle in a hint that was taken away.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.authoring.families import (
    HintDecoder,
    differences,
    distinct,
    family_of_flags,
    random_hitting_sets,
)
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams import apply as product
from bddsudoku.diagrams.minimal import all_hitting_sets, hitting_sets, minimal
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.engine.bitboard import true_candidates as on_ordinary
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import cell_name
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.ask import counted
from bddsudoku.solver.batch import answers_many
from bddsudoku.solver.live import true_candidates
from bddsudoku.solver.many import count_many
from bddsudoku.solver.records import Chunk


@dataclass(frozen=True)
class Subsets:
    """The subsets of a puzzle's hints that have the same set of solutions.

    Attributes:
        puzzle: the puzzle.
        count: its number of solutions.
        unavoidable_diagram: minimal sets of hints, among those that can go, of which one must stay;
            when a limit was reached, some of them or sets that hold one.
        minimal_diagram: minimal subsets without the necessary hints; when a limit was reached, some
            of them.
        least_diagram: minimal sets that hit all in ``unavoidable_diagram``, where they are known.
        necessary_keys: the hints that are in every subset.
        stopped: which limit was reached; None: the families are complete.
        limits: for what is still to be worked out.
    """

    puzzle: Puzzle
    count: int
    unavoidable_diagram: Diagram
    minimal_diagram: Diagram
    least_diagram: Diagram | None
    necessary_keys: tuple[int, ...]
    stopped: str | None = None
    context: Context = field(default_factory=Context)

    @property
    def exact(self) -> bool:
        """Whether both families are complete."""
        return self.stopped is None

    @cached_property
    def minimal(self) -> SolutionSet:
        """The minimal subsets, as puzzles; some of them when a limit was reached."""
        decoder = HintDecoder(self.puzzle)
        return SolutionSet(self.minimal_diagram, decoder, fixed=self.necessary_keys)

    @cached_property
    def all(self) -> SolutionSet:
        """All subsets that are enough, as puzzles; when a limit was reached, those and others.

        Raises:
            LimitReached: they were not worked out within the limits.
        """
        found = all_hitting_sets(self.unavoidable_diagram, context=self.context)
        return SolutionSet(found, HintDecoder(self.puzzle), fixed=self.necessary_keys)

    @cached_property
    def unavoidable(self) -> SolutionSet:
        """Minimal sets of hints that must not go together, each as the puzzle of what would go.

        A necessary hint is one by itself.
        """
        family = SolutionSet(self.unavoidable_diagram)
        for key in self.necessary_keys:
            family = family | SolutionSet(Diagram.unit(), fixed=[key])
        return SolutionSet(family.diagram, HintDecoder(self.puzzle), fixed=family.fixed)


def subset_answers(found: Subsets) -> dict[str, Any]:
    """The answers as JSON values.

    Returns:
        ``count``: of the puzzle's solutions; ``necessary``: hints that cannot go at all, {cell,
        digit}; ``exact``; ``subsets``: {count, at_least, at_most, sizes}; ``minimal``: the same,
        with {smallest, largest}; ``unavoidable``: their number; ``standing``: for every hint in how
        many minimal subsets it stands, {cell, digit, minimal}. Numbers of subsets are decimal
        strings. Where a limit was reached counts are None, the bounds hold, and ``sizes`` and
        ``standing`` are those of the minimal subsets that are certain.
    """
    n = found.puzzle.n
    minimal = found.minimal
    sizes = minimal.sizes()
    certain = minimal.count()
    stands = dict(zip(minimal.keys.tolist(), minimal.marginals().tolist(), strict=True))
    low = _smallest(sizes)
    answers: dict[str, Any] = {
        "count": str(found.count),
        "exact": found.exact,
        "necessary": [_hint(key, n) for key in found.necessary_keys],
        "unavoidable": None,
        "subsets": _subsets(found),
        "minimal": {
            "count": str(certain) if found.exact else None,
            "at_least": str(certain),
            "sizes": by_size(sizes),
            "smallest": low if found.exact else None,
            "smallest_at_least": low if found.exact else _smallest_at_least(found),
            "smallest_at_most": low,
            "largest": len(sizes) - 1 if found.exact else None,
            "largest_at_least": len(sizes) - 1 if sizes else None,
        },
        "standing": [
            _hint(key, n) | {"minimal": str(number)} for key, number in sorted(stands.items())
        ],
    }
    if found.exact:
        here = SolutionSet(found.unavoidable_diagram).count()
        answers["unavoidable"] = str(here + len(found.necessary_keys))
    else:
        answers["stopped"] = found.stopped
    return answers


def _hint(key: int, n: int) -> dict[str, Any]:
    return {"cell": cell_name(key // n, n), "digit": key % n + 1}


def by_size(sizes: Sequence[int]) -> dict[str, str]:
    """Numbers of sets with 0, 1, … members as JSON values, those of no set left out."""
    return {str(k): str(number) for k, number in enumerate(sizes) if number}


def _smallest(sizes: Sequence[int]) -> int | None:
    return next((k for k, number in enumerate(sizes) if number), None)


def _subsets(found: Subsets) -> dict[str, Any]:
    """How many subsets are enough."""
    least = 0 if found.exact else _at_least(found)
    most = 1 << found.unavoidable_diagram.levels
    sizes = None
    try:
        most = found.all.count()
        sizes = found.all.sizes() if found.exact else None
    except LimitReached:
        pass
    return {
        "count": None if sizes is None else str(most),
        "at_least": str(least or most),
        "at_most": str(most),
        "sizes": by_size(sizes or []),
    }


def _at_least(found: Subsets) -> int:
    """Subsets that hold a minimal one that is certain: what hits all that these hit."""
    try:
        context = found.context.share(2)
        duals = hitting_sets(found.minimal_diagram, context=context)
        return SolutionSet(all_hitting_sets(duals, context=context)).count()
    except LimitReached:
        sizes = SolutionSet(found.minimal_diagram).sizes()
        low = _smallest(sizes)
        return 1 if low is None else 1 << (found.minimal_diagram.levels - low)


def _smallest_at_least(found: Subsets) -> int:
    """The least size of a set that hits the known unavoidable ones, or of sets without overlap."""
    necessary = len(found.necessary_keys)
    if found.least_diagram is not None:
        return necessary + (_smallest(SolutionSet(found.least_diagram).sizes()) or 0)
    family = SolutionSet(found.unavoidable_diagram)
    rows = family.sample_rows(4096 if family else 0, 0)
    free = np.ones(rows.shape[1], dtype=np.bool_)
    packed = 0
    for row in rows[np.argsort(rows.sum(axis=1), kind="stable")] != 0:
        if free[row].all():
            free[row] = False
            packed += 1
    return necessary + packed


Flags = NDArray[np.bool_]
"""Sets of hints, (n, hints): whether each is there."""

COUNTED = 64
"""Up to so many solutions are counted."""
SECONDS = 0.3
"""What one call for a batch should take."""


class Oracle:
    """Answers for one puzzle.

    Args:
        puzzle: of any layout, with any rules.
        count: its number of solutions.
        limits: the time, and memory of a single hard count.
        seed: of the orders in which hints are tried.

    Attributes:
        cells: the hinted cells, ascending; columns of all flags.
        removable: which hints can go one at a time.
        asked: sets asked about so far.
        batch: how many to ask about at once, so that it takes a fraction of a second.
    """

    def __init__(self, puzzle: Puzzle, count: int, context: Context, seed: int = 0) -> None:
        self.puzzle = puzzle
        self.count = count
        self.context = context
        self.rng = np.random.default_rng(seed)
        self.cells = np.array(list(puzzle.hints), dtype=np.int64)
        self.asked = 0
        self.batch = 64
        self._masks = np.array(puzzle.masks, dtype=np.uint16) if puzzle.is_ordinary else None
        self.removable: Flags = self.enough(~np.eye(len(self.cells), dtype=np.bool_))

    def enough(self, kept: Flags) -> Flags:
        """Which sets of hints have the puzzle's set of solutions: bool, (n,).

        Raises:
            LimitReached: the time is used up.
        """
        if not len(kept):
            return np.zeros(0, dtype=np.bool_)
        self.context.check("while sets of hints were tried")
        begin = time.perf_counter()
        found = self._kept_all(kept)
        seconds = time.perf_counter() - begin
        self.asked += len(kept)
        if len(kept) >= self.batch or seconds > SECONDS:
            here = len(kept) * SECONDS / max(seconds, 1e-6)
            self.batch = int(np.clip(here, 16, min(4 * self.batch, 1 << 15)))
        return found

    def _kept_all(self, kept: Flags) -> Flags:
        boards: Any
        if self._masks is None:
            boards = [self.puzzle.without(*self.cells[~row].tolist()) for row in kept]
        else:
            boards = np.repeat(self._masks[None], len(kept), axis=0)
            given = self._masks[self.cells]
            boards[:, self.cells] = np.where(kept, given, np.uint16(0x1FF))
        if self.count <= COUNTED:
            counts = count_many(boards, self.count + 1, context=self.context.silent)
            return np.asarray(counts == self.count, dtype=np.bool_)
        if self._masks is None:
            return np.array([self._settles(p) for p in boards], dtype=np.bool_)
        stand = on_ordinary(boards, context=self.context)[:, self.cells]
        return np.asarray((stand == given).all(axis=1), dtype=np.bool_)

    def _settles(self, wider: Puzzle) -> bool:
        """Whether every hint's digit is the only one that some solution has in its cell."""
        n = wider.n
        stand = true_candidates(wider, self.context).reshape(n * n, n)[self.cells]
        digits = [self.puzzle[c] - 1 for c in self.cells.tolist()]
        return bool((stand == np.eye(n, dtype=np.bool_)[digits]).all())

    def grown(self, kept: Flags) -> Flags:
        """Sets that are not enough, with more hints, so that every further one would do.

        What such a set lacks is a minimal unavoidable set: one of it must be given.
        """
        return self._walked(kept, add=True)

    def shrunk(self, kept: Flags) -> Flags:
        """Sets that are enough, with fewer hints, so that none can go: minimal ones."""
        return self._walked(kept, add=False)

    def _walked(self, kept: Flags, *, add: bool) -> Flags:
        """Try one hint after the other in random order, for all sets side by side."""
        kept = kept.copy()
        rows = np.arange(len(kept))
        open_hints = np.flatnonzero(self.removable)
        order = open_hints[np.argsort(self.rng.random((len(kept), len(open_hints))), axis=1)]
        for hint in order.T:
            rest = np.flatnonzero(kept[rows, hint] != add)
            tried = kept[rest]
            tried[np.arange(len(rest)), hint[rest]] = add
            stays = rest[self.enough(tried) != add]
            kept[stays, hint[stays]] = add
        return kept


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
        self.least = self.good = hitting_sets(self.unavoidable, context=self.context)
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
        self.least = hitting_sets(self.unavoidable, context=self.context)
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
        self.unavoidable = minimal(both, context=self.context)

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


def subset_answers_many(puzzles: Iterable[Puzzle], **shared: Any) -> Iterator[dict[str, Any]]:
    """:func:`subset_answers` of every puzzle; see :func:`bddsudoku.solver.batch.answers_many`."""
    return answers_many(f"{__name__}:subset_records", puzzles, **shared)


def subset_records(chunk: Chunk, context: Context = UNLIMITED) -> Iterator[dict[str, Any]]:
    """The answers of a chunk of puzzles."""
    for record in chunk:
        yield subset_answers(minimal_subsets(record.puzzle, context))
