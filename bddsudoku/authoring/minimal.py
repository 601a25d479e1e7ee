"""The subsets of a puzzle's hints that keep its set of solutions, as a diagram over the hints.

A subset of the hints is *sufficient* if it has the puzzle's set of solutions. An insufficient one
gains a solution, which differs from the puzzle only in hints that the subset lacks. So sufficient
subsets are exactly the hitting sets of the *unavoidable* sets: the sets of hints of which one must
stay. Both families are found together:

1. on boards of up to 64 cells without rules a search that skips supersets finds all minimal
   unavoidable sets (:mod:`.unavoidable_search`);
2. elsewhere the solutions with only the necessary hints may be few: then all of them are listed,
   and their difference sets are all unavoidable sets;
3. otherwise some unavoidable sets are grown at random, the minimal sets that hit all known ones
   come from a diagram (:func:`bddsudoku.diagrams.family_operations.hitting_sets`), and each of
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
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bddsudoku.authoring.hint_families import (
    HintDecoder,
    diagram_from_flags,
    distinct_rows,
    minimal_unavoidable,
)
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams import zdd_apply as product
from bddsudoku.diagrams.family_operations import (
    all_hitting_sets,
    hitting_sets,
    minimal,
    minimal_of_upset,
)
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.engine.bitboard import true_candidates as classic_true_candidates
from bddsudoku.errors import LimitReached
from bddsudoku.jit.decorators import U8, Flags
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.bulk_solving import count_many
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.live_board import true_candidates
from bddsudoku.solver.next_hints import hint_record
from bddsudoku.solver.puzzle_input import Chunk
from bddsudoku.solver.puzzle_lists import run_on_puzzles


@dataclass(frozen=True)
class Subsets:
    """The subsets of a puzzle's hints that have exactly the puzzle's set of solutions.

    Attributes:
        puzzle: the puzzle.
        count: its number of solutions.
        unavoidable_diagram: minimal sets of removable hints of which one must stay; when a limit
            was reached, some of them or supersets of some.
        minimal_diagram: minimal subsets without the necessary hints; when a limit was reached, some
            of them.
        least_diagram: minimal sets that hit all in ``unavoidable_diagram``, where they are known.
        necessary_keys: the hints that are in every subset.
        stopped: which limit was reached; None: the families are complete.
        context: limits for the families that are computed on demand.
        every_diagram: all sufficient subsets without the necessary hints, where they are known.
    """

    puzzle: Puzzle
    count: int
    unavoidable_diagram: Diagram
    minimal_diagram: Diagram
    least_diagram: Diagram | None
    necessary_keys: tuple[int, ...]
    stopped: str | None = None
    context: Context = field(default_factory=Context)
    every_diagram: Diagram | None = None

    @property
    def exact(self) -> bool:
        """Whether all minimal subsets and unavoidable sets were found before a limit."""
        return self.stopped is None

    @cached_property
    def minimal(self) -> SolutionSet:
        """The minimal subsets that keep the solutions, as puzzles; after a limit some of them."""
        decoder = HintDecoder(self.puzzle)
        return SolutionSet(self.minimal_diagram, decoder, fixed=self.necessary_keys)

    @cached_property
    def all(self) -> SolutionSet:
        """All subsets that keep the solutions, as puzzles; after a limit a superset of these.

        Raises:
            LimitReached: they were not computed within the limits.
        """
        found = self.every_diagram
        if found is None:
            found = all_hitting_sets(self.unavoidable_diagram, context=self.context)
        return SolutionSet(found, HintDecoder(self.puzzle), fixed=self.necessary_keys)

    @cached_property
    def unavoidable(self) -> SolutionSet:
        """Minimal unavoidable sets of hints, each as the puzzle that consists of these hints.

        A necessary hint is one by itself.
        """
        family = SolutionSet(self.unavoidable_diagram)
        for key in self.necessary_keys:
            family = family | SolutionSet(Diagram.unit(), fixed=[key])
        return SolutionSet(family.diagram, HintDecoder(self.puzzle), fixed=family.fixed)


def subset_answers(found: Subsets) -> dict[str, Any]:
    """The numbers and sizes of the subsets that keep a puzzle's solutions, as JSON values.

    Returns:
        ``count``: of the puzzle's solutions; ``necessary``: hints that are in every subset, {cell,
        digit}; ``exact``; ``subsets``: {count, at_least, at_most, sizes}; ``minimal``: the same,
        with {smallest, largest}; ``unavoidable``: their number; ``standing``: for every hint in how
        many minimal subsets it is, {cell, digit, minimal}. Numbers of subsets are decimal
        strings. Where a limit was reached counts are None, the bounds hold, and ``sizes`` and
        ``standing`` are those of the minimal subsets that are certain.
    """
    n, minimal, exact = found.puzzle.n, found.minimal, found.exact
    sizes, certain = minimal.sizes(), str(minimal.count())
    low, high = _smallest_size(sizes), len(sizes) - 1 if sizes else None
    stands = zip(minimal.keys.tolist(), minimal.marginals().tolist(), strict=True)
    answers: dict[str, Any] = {
        "count": str(found.count),
        "exact": exact,
        "necessary": [hint_record(key, n) for key in found.necessary_keys],
        "unavoidable": None,
        "subsets": _subset_count(found),
        "minimal": {
            "count": certain if exact else None,
            "at_least": certain,
            "sizes": by_size(sizes),
            "smallest": low if exact else None,
            "smallest_at_least": low if exact else _smallest_size_lower_bound(found),
            "smallest_at_most": low,
            "largest": high if exact else None,
            "largest_at_least": high,
        },
        "standing": [hint_record(key, n) | {"minimal": str(k)} for key, k in sorted(stands)],
    }
    if exact:
        set_count = SolutionSet(found.unavoidable_diagram).count()
        answers["unavoidable"] = str(set_count + len(found.necessary_keys))
    else:
        answers["stopped"] = found.stopped
    return answers


def by_size(sizes: Sequence[int]) -> dict[str, str]:
    """A JSON object from each size to the number of sets of that size, if it is not 0."""
    return {str(k): str(number) for k, number in enumerate(sizes) if number}


def _smallest_size(sizes: Sequence[int]) -> int | None:
    return next((k for k, number in enumerate(sizes) if number), None)


def _subset_count(found: Subsets) -> dict[str, Any]:
    """The number of subsets that keep the solutions, or bounds of this number, as JSON values."""
    least = 0 if found.exact else _subset_count_lower_bound(found)
    most, sizes = 1 << found.unavoidable_diagram.levels, None
    with suppress(LimitReached):
        most = found.all.count()
        sizes = found.all.sizes() if found.exact else None
    return {
        "count": None if sizes is None else str(most),
        "at_least": str(least or most),
        "at_most": str(most),
        "sizes": by_size(sizes or []),
    }


def _subset_count_lower_bound(found: Subsets) -> int:
    """A lower bound on the number of sufficient subsets: the supersets of known minimal ones."""
    known = found.minimal_diagram
    try:
        context = found.context.time_slice(2)
        duals = hitting_sets(known, context=context)
        return SolutionSet(all_hitting_sets(duals, context=context)).count()
    except LimitReached:
        low = _smallest_size(SolutionSet(known).sizes())
        return 1 if low is None else 1 << (known.levels - low)


def _smallest_size_lower_bound(found: Subsets) -> int:
    """A lower bound on the size of a sufficient subset, from the known unavoidable sets."""
    necessary = len(found.necessary_keys)
    if found.least_diagram is not None:
        return necessary + (_smallest_size(SolutionSet(found.least_diagram).sizes()) or 0)
    family = SolutionSet(found.unavoidable_diagram)
    rows = family.sample_rows(4096 if family else 0, 0) != 0
    taken = np.zeros(rows.shape[1], dtype=np.bool_)
    packed = 0
    for row in rows[np.argsort(rows.sum(axis=1), kind="stable")]:
        if not taken[row].any():
            taken |= row
            packed += 1
    return necessary + packed


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


def minimal_subsets(puzzle: Puzzle, context: Context = UNLIMITED, *, seed: int = 0) -> Subsets:
    """Find the subsets of a puzzle's hints that keep its solutions, and which are minimal.

    Args:
        puzzle: of any layout, with any rules, with any number of solutions (without one, the
            minimal subsets are the smallest contradictions).
        seed: of the random choices; the answer depends on it only if a limit was reached.

    Returns:
        The complete families, or parts and bounds when a limit was reached.

    Raises:
        LimitReached: the number of solutions was not known in time.

    Cost: seconds for some thousands of minimal subsets; their number may be exponential.
    """
    count = count_detailed(puzzle, context=context.without_progress).count
    inner = context.with_time_reserve(2.0)
    search = _SubsetSearch(puzzle, count, inner, seed)
    stopped = None
    try:
        search.run()
    except LimitReached as stop:
        if stop.limit == "time" and not inner.is_expired:
            raise
        stopped = str(stop)
    return Subsets(
        puzzle,
        count,
        search.unavoidable,
        search.good,
        search.least,
        tuple(search.keys[~search.open].tolist()),
        stopped,
        context,
        search.every,
    )


class _SubsetSearch:
    """A search for minimal sufficient subsets and unavoidable sets, with those found so far.

    Attributes:
        cells: the hinted cells, ascending; columns of all flags.
        open: which hints are removable, that is, not necessary: bool, (hints,).
        batch: number of sets to test at once, so that a test takes a fraction of a second.
        unavoidable: the known unavoidable sets.
        good: the known minimal subsets, without the necessary hints.
        least: the minimal hitting sets of ``unavoidable``.
        every: all sufficient subsets, without the necessary hints, where they are known.
    """

    def __init__(self, puzzle: Puzzle, count: int, context: Context, seed: int) -> None:
        self.puzzle = puzzle
        self.count = count
        self.context = context
        self.rng = np.random.default_rng(seed)
        self.batch = 64
        self.cells = np.array(list(puzzle.hints), dtype=np.int64)
        self.digits = np.array(list(puzzle.hints.values()), dtype=np.int64)
        self.keys = self.cells * puzzle.n + self.digits - 1
        self._masks = np.array(puzzle.masks, dtype=np.uint16) if puzzle.is_classic else None
        self.open = self.are_sufficient(~np.eye(len(self.cells), dtype=np.bool_))
        self.labels = self.keys[self.open]
        self.unavoidable = self.good = Diagram.empty(self.labels)
        self.least: Diagram | None = None
        self.every: Diagram | None = None

    def run(self) -> None:
        """Search until all minimal sufficient subsets and minimal unavoidable sets are known."""
        base = self.puzzle.without(*self.cells[self.open].tolist())
        found = minimal_unavoidable(base, self.labels, LISTED, self.context.without_progress)
        if found is not None:
            self.unavoidable = found
            self.every = all_hitting_sets(found, context=self.context)
            self.least = self.good = minimal_of_upset(self.every, context=self.context)
            return
        for _ in range(4):  # some sets of either family, at random
            seeds = min(SEEDS, self.batch)
            everything = np.ones((seeds, len(self.open)), dtype=np.bool_)
            self._record_sufficient(self._make_extremal(everything, add=False)[:, self.open])
            self._record_unavoidable(
                ~self._make_extremal(everything & ~self.open, add=True)[:, self.open]
            )
            self._report_progress(0)
        while not self._check_hitting_sets():
            pass

    def _check_hitting_sets(self) -> bool:
        """Test the minimal hitting sets not known to suffice; return whether all suffice."""
        self.least = None
        self.least = hitting_sets(self.unavoidable, context=self.context)
        fresh = SolutionSet(product.apply(self.least, self.good, product.DIFFERENCE))
        total, size = fresh.count(), self.batch
        self._report_progress(total)
        missed: list[Flags] = []
        if total > size:  # a random sample first: many are insufficient in the beginning
            missed = self._insufficient_rows(fresh.sample_rows(size, self.rng))
        for rows in () if missed else fresh.batches(size):
            missed += self._insufficient_rows(rows)
            if sum(map(len, missed)) >= MAX_FAILURES:
                break
        if missed:  # each of these yields an unavoidable set
            flags = np.concatenate(missed)[: min(MAX_FAILURES, max(64, self.batch // 4))]
            self._record_unavoidable(
                ~self._make_extremal(self._with_necessary_hints(flags), add=True)[:, self.open]
            )
        return not missed

    def _insufficient_rows(self, rows: U8) -> list[Flags]:
        """Test sets of removable hints, record those that suffice and return the rest."""
        flags = rows.astype(np.bool_)
        enough = self.are_sufficient(self._with_necessary_hints(flags))
        self._record_sufficient(flags[enough])
        return [] if enough.all() else [flags[~enough]]

    def _with_necessary_hints(self, flags: Flags) -> Flags:
        """Extend flags of the removable hints to flags of all hints, necessary hints set."""
        kept = np.ones((len(flags), len(self.open)), dtype=np.bool_)
        kept[:, self.open] = flags
        return kept

    def _record_unavoidable(self, flags: Flags) -> None:
        """Add unavoidable sets to the family, and keep its minimal members."""
        more = diagram_from_flags(self.labels, distinct_rows(flags))
        both = product.apply(self.unavoidable, more, product.OR)
        self.unavoidable = minimal(both, context=self.context)

    def _record_sufficient(self, flags: Flags) -> None:
        """Add minimal sufficient subsets to the family."""
        more = diagram_from_flags(self.labels, distinct_rows(flags))
        self.good = product.apply(self.good, more, product.OR)

    def _report_progress(self, fresh: int) -> None:
        """Check the limits and report the numbers of known and of untested subsets."""
        self.context.check("while minimal sets of hints were looked for")
        if self.context.progress is not None:
            known = SolutionSet(self.good).count()
            self.context.progress(known, known + fresh)

    def _make_extremal(self, kept: Flags, *, add: bool) -> Flags:
        """Grow insufficient sets to random maximal ones, or shrink sufficient to minimal ones.

        With ``add`` insufficient sets grow to maximal insufficient ones, whose complements are
        minimal unavoidable sets; otherwise sufficient sets shrink to minimal ones.
        """
        kept = kept.copy()
        rows = np.arange(len(kept))
        open_hints = np.flatnonzero(self.open)
        order = open_hints[np.argsort(self.rng.random((len(kept), len(open_hints))), axis=1)]
        for hint in order.T:
            rest = np.flatnonzero(kept[rows, hint] != add)
            tried = kept[rest]
            tried[np.arange(len(rest)), hint[rest]] = add
            stays = rest[self.are_sufficient(tried) != add]
            kept[stays, hint[stays]] = add
        return kept

    def are_sufficient(self, kept: Flags) -> Flags:
        """Test whether each set of hints keeps the puzzle's solutions; adapt the batch size."""
        self.context.check("while sets of hints were tried")
        begin = time.perf_counter()
        found = self._are_sufficient(kept) if len(kept) else np.zeros(0, dtype=np.bool_)
        seconds = time.perf_counter() - begin
        if len(kept) >= self.batch or seconds > SECONDS:
            next_batch = len(kept) * SECONDS / max(seconds, 1e-6)
            self.batch = int(np.clip(next_batch, 16, min(4 * self.batch, 1 << 15)))
        return found

    def _are_sufficient(self, kept: Flags) -> Flags:
        """Whether each set of hints is sufficient, by one call of the solver for all."""
        boards: Any
        if self._masks is None:
            boards = [self.puzzle.without(*self.cells[~row].tolist()) for row in kept]
        else:
            boards = np.repeat(self._masks[None], len(kept), axis=0)
            boards[:, self.cells] = np.where(kept, self._masks[self.cells], np.uint16(0x1FF))
        if self.count <= MAX_COUNTED_HINTS:
            counts = count_many(boards, self.count + 1, context=self.context.without_progress)
            return np.asarray(counts == self.count, dtype=np.bool_)
        # Sufficient: in every hinted cell all solutions have the hint's digit.
        if self._masks is None:
            n = self.puzzle.n
            found = [true_candidates(board, self.context).reshape(n * n, n) for board in boards]
            stand = np.array(found)[:, self.cells] @ (1 << np.arange(n))
        else:
            stand = classic_true_candidates(boards, context=self.context)[:, self.cells]
        return np.asarray((stand == 1 << self.digits - 1).all(axis=1), dtype=np.bool_)


def subset_answers_many(puzzles: Iterable[Puzzle], **shared: Any) -> Iterator[dict[str, Any]]:
    """Yield the :func:`subset_answers` of every puzzle of a list.

    Options are those of :func:`bddsudoku.solver.puzzle_lists.run_on_puzzles`.
    """
    return run_on_puzzles(f"{__name__}:subset_answers_task", puzzles, **shared)


def subset_answers_task(chunk: Chunk, context: Context = UNLIMITED) -> Iterator[dict[str, Any]]:
    """Yield the :func:`subset_answers` of a chunk of puzzles, as a worker's task."""
    for record in chunk:
        yield subset_answers(minimal_subsets(record.puzzle, context))
