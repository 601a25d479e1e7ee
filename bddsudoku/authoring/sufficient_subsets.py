"""Diagrams of the subsets of a puzzle's hints that keep the puzzle's set of solutions.

A subset of the hints is *sufficient* if it has the puzzle's set of solutions. An insufficient one
gains a solution, which differs from the puzzle only in hints that the subset lacks. So sufficient
subsets are exactly the hitting sets of the *unavoidable* sets: the sets of hints of which one must
stay.

A *claim* is that a cell has a digit, or has it not, in every solution; or that there is no
solution. A set of hints and rules is a *reason* if the claim follows from it alone, and from no
smaller part of it. It has to hit every difference between the puzzle and a filled board against the
claim: of the hints and rules that this board violates one must be there. So reasons are the minimal
sets of hints and rules that clash with the opposite of the claim, found as minimal subsets of hints
are (:mod:`.subset_search`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.authoring.hint_set_families import HintDecoder, hint_text
from bddsudoku.authoring.subset_search import SubsetSearch
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.diagrams.zdd_apply import all_hitting_sets, minimal_hitting_sets
from bddsudoku.errors import LimitReached, PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, cell_name
from bddsudoku.puzzle.sudoku.rules.places_and_marks import parse_place
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.answers import Answer, Count, Hint
from bddsudoku.solver.bulk_solving import count_many
from bddsudoku.solver.dispatch import count_detailed
from bddsudoku.solver.next_hints import place_and_digit
from bddsudoku.solver.puzzle_lists import SharingOptions, apply_to_puzzles
from bddsudoku.solver.sources import Chunk, PuzzleLike, Puzzles, as_puzzle

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import Flags


@dataclass(frozen=True)
class Subsets:
    """The subsets of a puzzle's hints that have exactly the puzzle's set of solutions.

    Attributes:
        puzzle: the puzzle.
        count: its number of solutions.
        search: what was found, as diagrams.
        stopped: which limit was reached; None: the families are complete.
        context: limits for the families that are computed on demand.
    """

    puzzle: Puzzle
    count: int
    search: SubsetSearch
    stopped: str | None = None
    context: Context = UNLIMITED

    @property
    def exact(self) -> bool:
        """Whether all minimal subsets and unavoidable sets are known: no limit was reached."""
        return self.stopped is None

    @cached_property
    def minimal(self) -> SolutionSet:
        """The minimal subsets of hints that keep the solutions; only some after a limit."""
        decoder = HintDecoder(self.puzzle)
        return SolutionSet(self.search.sufficient, decoder, fixed=self.search.necessary)

    @cached_property
    def all(self) -> SolutionSet:
        """All subsets of hints that keep the solutions; after a limit, a family that contains them.

        Raises:
            LimitReached: they were not computed within the limits.
        """
        found = self.search.all_sufficient
        if found is None:
            found = all_hitting_sets(self.search.unavoidable, context=self.context)
        return SolutionSet(found, HintDecoder(self.puzzle), fixed=self.search.necessary)

    @cached_property
    def unavoidable(self) -> SolutionSet:
        """Minimal unavoidable sets of hints, each as the puzzle that consists of these hints.

        A necessary hint is one by itself.
        """
        family = SolutionSet(self.search.unavoidable)
        for key in self.search.necessary:
            family = family | SolutionSet(Diagram.unit(), fixed=[key])
        return SolutionSet(family.diagram, HintDecoder(self.puzzle), fixed=family.fixed)


@dataclass(frozen=True)
class SubsetCount(Answer):
    """The number of subsets (None after a limit), bounds of it, and their numbers by size."""

    count: Count | None
    at_least: Count
    at_most: Count
    sizes: Mapping[int, Count]


@dataclass(frozen=True)
class MinimalSubsetCount(Answer):
    """The number of minimal subsets, and their sizes; after a limit None, and bounds."""

    count: Count | None
    at_least: Count
    sizes: Mapping[int, Count]
    smallest: int | None
    smallest_at_least: int | None
    smallest_at_most: int | None
    largest: int | None
    largest_at_least: int | None


@dataclass(frozen=True)
class StandingHint(Hint):
    """A hint, and in how many minimal subsets it is."""

    minimal: Count


@dataclass(frozen=True)
class SubsetAnswers(Answer):
    """The numbers and sizes of the subsets of a puzzle's hints that keep its solutions.

    Attributes:
        count: number of the puzzle's solutions.
        exact: False where a limit was reached; then counts are None, the bounds hold, and sizes and
            ``standing`` are those of the minimal subsets that are certain.
        necessary: the hints that are in every subset.
        unavoidable: number of the unavoidable sets.
        stopped: which limit was reached.
    """

    count: Count
    exact: bool
    necessary: tuple[Hint, ...]
    unavoidable: Count | None
    subsets: SubsetCount
    minimal: MinimalSubsetCount
    standing: tuple[StandingHint, ...]
    stopped: str | None = None


@check_types
def subset_answers(subsets: Subsets) -> SubsetAnswers:
    """The numbers and sizes of the subsets that keep a puzzle's solutions."""
    minimal, exact, layout = subsets.minimal, subsets.exact, subsets.puzzle.layout
    sizes, certain = minimal.sizes(), minimal.count()
    low, high = _smallest_size(sizes), len(sizes) - 1 if sizes else None
    stands = zip(minimal.keys.tolist(), minimal.marginals().tolist(), strict=True)
    necessary, unavoidable = subsets.search.necessary, None
    if exact:
        unavoidable = SolutionSet(subsets.search.unavoidable).count() + len(necessary)
    return SubsetAnswers(
        subsets.count,
        exact,
        tuple(Hint(*place_and_digit(key, layout)) for key in necessary),
        unavoidable,
        _subset_count_bounds(subsets),
        MinimalSubsetCount(
            count=certain if exact else None,
            at_least=certain,
            sizes=size_histogram(sizes),
            smallest=low if exact else None,
            smallest_at_least=low if exact else _smallest_size_lower_bound(subsets),
            smallest_at_most=low,
            largest=high if exact else None,
            largest_at_least=high,
        ),
        tuple(StandingHint(*place_and_digit(key, layout), k) for key, k in sorted(stands)),
        subsets.stopped,
    )


def size_histogram(counts_by_size: Sequence[int]) -> dict[int, int]:
    """The number of sets of each size; sizes without a set are left out."""
    return {k: number for k, number in enumerate(counts_by_size) if number}


def _smallest_size(counts_by_size: Sequence[int]) -> int | None:
    """The smallest size whose count is not 0 in a list of counts by size; None if all are 0."""
    return next((k for k, number in enumerate(counts_by_size) if number), None)


def _subset_count_bounds(subsets: Subsets) -> SubsetCount:
    """The number of subsets that keep the solutions, or bounds of this number."""
    least = 0 if subsets.exact else _sufficient_subsets_at_least(subsets)
    most, sizes = 1 << subsets.search.unavoidable.levels, None
    with suppress(LimitReached):
        most = subsets.all.count()
        sizes = subsets.all.sizes() if subsets.exact else None
    count = None if sizes is None else most
    return SubsetCount(count, least or most, most, size_histogram(sizes or []))


def _sufficient_subsets_at_least(subsets: Subsets) -> int:
    """A lower bound on the number of sufficient subsets, from the minimal ones found so far."""
    known = subsets.search.sufficient
    try:
        context = subsets.context.time_slice(2)
        duals = minimal_hitting_sets(known, context=context)
        return SolutionSet(all_hitting_sets(duals, context=context)).count()
    except LimitReached:
        low = _smallest_size(SolutionSet(known).sizes())
        return 1 if low is None else 1 << (known.levels - low)


def _smallest_size_lower_bound(subsets: Subsets) -> int:
    """Return a lower bound on the size of the smallest hint subset with the puzzle's solutions.

    It is the number of disjoint unavoidable sets, or exact where smallest subsets are known.
    """
    necessary = len(subsets.search.necessary)
    if subsets.search.hitting is not None:
        return necessary + (_smallest_size(SolutionSet(subsets.search.hitting).sizes()) or 0)
    family = SolutionSet(subsets.search.unavoidable)
    rows = family.sample_rows(4096 if family else 0, 0) != 0
    taken = np.zeros(rows.shape[1], dtype=np.bool_)
    packed = 0
    for row in rows[np.argsort(rows.sum(axis=1), kind="stable")]:
        if not taken[row].any():
            taken |= row
            packed += 1
    return necessary + packed


@check_types
def minimal_subsets(
    puzzle: PuzzleLike, context: Context = UNLIMITED, *, seed: int = 0, **limits: Unpack[Limits]
) -> Subsets:
    """Find all subsets of a puzzle's hints that have the same solutions, and the minimal ones.

    Args:
        puzzle: in any form, of any layout, with any rules, with any number of solutions (without
            one, the minimal subsets are the smallest contradictions).
        seed: of the random choices; the answer depends on it only if a limit was reached.

    Returns:
        The complete families, or parts and bounds when a limit was reached.

    Raises:
        LimitReached: the number of solutions was not known in time.

    Cost: seconds for some thousands of minimal subsets; their number may be exponential.
    """
    context = limited(context, **limits)
    puzzle = as_puzzle(puzzle)
    count = count_detailed(puzzle, context=context.without_progress).count
    search = SubsetSearch(puzzle, count, context.with_time_reserve(2.0), seed)
    return Subsets(puzzle, count, search, search.run(), context)


@check_types
def subset_answers_many(
    puzzles: Puzzles, **shared: Unpack[SharingOptions]
) -> Iterator[SubsetAnswers]:
    """Yield for each puzzle the numbers and sizes of the hint subsets that keep its solutions.

    Options are those of :class:`bddsudoku.solver.puzzle_lists.SharingOptions`.
    """
    return map(
        SubsetAnswers.from_dict, apply_to_puzzles(subset_answers_task, puzzles, {}, **shared)
    )


def subset_answers_task(chunk: Chunk, context: Context = UNLIMITED) -> Iterator[dict[str, Any]]:
    """For each puzzle of a chunk, yield the numbers of hint subsets that keep the solutions."""
    for record in chunk:
        yield subset_answers(minimal_subsets(record.puzzle, context)).to_dict()


# -- reasons of a claim ----------------------------------------------------------------------------

FAMILY_NODES = 1 << 20
"""Node limit of the family of all reasons where none is given: some seconds."""


class Claim(NamedTuple):
    """A claim about a board: a cell has a digit in every solution, or in none."""

    cell: int
    digit: int
    holds: bool = True

    @classmethod
    @check_types
    def parse(cls, text: str, n: int) -> Claim | None:
        """Read a claim from a text such as ``r5c7=3`` or ``r5c7!=3``; None for ``contradiction``.

        Raises:
            PuzzleFormatError: it is none of these, or not on a board of side n.
        """
        if text == "contradiction":
            return None
        match = re.fullmatch(r"(r\d{1,3}c\d{1,3})(=|!=)(\w)", text.lower())
        digit = SYMBOLS.lower().find(match[3]) + 1 if match else 0
        if match is None:
            raise PuzzleFormatError(
                f"expected a claim such as r5c7=3, r5c7!=3 or contradiction, found {text[:30]!r}"
            )
        row, column = parse_place(match[1])
        if not (0 <= row < n and 0 <= column < n and 1 <= digit <= n):
            raise PuzzleFormatError(f"{text} is not on a board of side {n}")
        return cls(row * n + column, digit, match[2] == "=")

    @check_types
    def opposite(self, puzzle: Puzzle) -> Puzzle:
        """The puzzle in which the claim's cell keeps only candidates that contradict the claim."""
        bit = 1 << (self.digit - 1)
        masks = list(puzzle.masks)
        masks[self.cell] &= ~bit if self.holds else bit
        return Puzzle.from_masks(masks, puzzle.layout, puzzle.rules)


@dataclass(frozen=True)
class Reasons:
    """The reasons of a claim: the minimal sets of hints and rules that imply the claim.

    Attributes:
        puzzle: the puzzle.
        claim: the claim; None: there is no solution.
        smallest: a smallest reason, as a puzzle with just its hints and rules; of all these one
            that depends on the seed.
        family: all reasons, as such puzzles; after a limit some of them.
        stopped: which limit was reached; None: the family is complete.
    """

    puzzle: Puzzle
    claim: Claim | None
    smallest: Puzzle
    family: SolutionSet
    stopped: str | None = None

    @property
    def exact(self) -> bool:
        """Whether all reasons are known; they are unless a limit was reached."""
        return self.stopped is None

    @property
    def in_all(self) -> tuple[str, ...]:
        """The hints and rules that are in every reason."""
        return tuple(map(self._element_text, self.family.backbone().tolist()))

    @property
    def in_none(self) -> tuple[str, ...]:
        """The hints and rules that are in no reason."""
        met = {key for key, count in self.family.marginals_by_key().items() if count}
        n = self.puzzle.n
        own = {c * n + d - 1 for c, d in self.puzzle.hints.items() if c != self._claimed_cell}
        own.update(range(n**3, n**3 + len(self.puzzle.rules)))
        return tuple(self._element_text(key) for key in sorted(own - met))

    @property
    def _claimed_cell(self) -> int:
        """The cell that the claim is about; -1 for a contradiction."""
        return -1 if self.claim is None else self.claim.cell

    def _element_text(self, key: int) -> str:
        n = self.puzzle.n
        if key >= n**3:
            return self.puzzle.rules[key - n**3].text
        return hint_text(key // n, key % n + 1, n)

    def texts(self, reason: Puzzle) -> list[str]:
        """The texts of a reason's hints and rules, such as ``r1c1=4`` and ``cage 10 r1c1 r1c2``."""
        hints = {c: d for c, d in reason.hints.items() if c != self._claimed_cell}
        names = [hint_text(cell, digit, self.puzzle.n) for cell, digit in hints.items()]
        return names + [rule.text for rule in reason.rules]


def reason_search(puzzle: Puzzle, claim: Claim | None, context: Context, seed: int) -> SubsetSearch:
    """Check that a claim holds; return the search for its reasons.

    Raises:
        PuzzleFormatError: the claim does not hold, or is about a hint.
    """
    against, fixed, refutation = puzzle, [], "the puzzle has a solution"
    if claim is not None:
        name = cell_name(claim.cell, puzzle.n)
        if claim.cell in puzzle.hints:
            raise PuzzleFormatError(f"{name} is a hint: take it away to ask what else forces it")
        against, fixed = claim.opposite(puzzle), [claim.cell]
        refutation = f"{name} has {'another' if claim.holds else 'this'} digit in some solution"
    if int(count_many([against], 1, context=context.without_progress)[0]):
        raise PuzzleFormatError(refutation)
    return SubsetSearch(against, 0, context, seed, rules=True, fixed=fixed)


def reason_of_flags(puzzle: Puzzle, search: SubsetSearch, flags: Flags) -> Puzzle:
    """The puzzle with just the hints and rules whose flags are set."""
    return HintDecoder(puzzle, rules=True).decode(search.keys[flags].tolist())


@check_types
def smallest_reason(
    puzzle: PuzzleLike,
    claim: Claim | None,
    context: Context = UNLIMITED,
    *,
    seed: int = 0,
    **limits: Unpack[Limits],
) -> Puzzle:
    """Find a puzzle with a smallest set of hints and rules that implies a claim.

    Args:
        puzzle: in any form, of any layout, with any rules.
        claim: None: there is no solution.
        seed: of random choices: which of several smallest reasons is found.

    Raises:
        PuzzleFormatError: the claim does not hold, or is about a hint.
        LimitReached: a limit was reached.

    Cost: a second for a 9×9 puzzle with 17 hints; tests of boards with rules take milliseconds.
    """
    context = limited(context, **limits)
    puzzle = as_puzzle(puzzle)
    search = reason_search(puzzle, claim, context, seed)
    return reason_of_flags(puzzle, search, search.find_smallest())


@check_types
def reasons(
    puzzle: PuzzleLike,
    claim: Claim | None,
    context: Context = UNLIMITED,
    *,
    seed: int = 0,
    **limits: Unpack[Limits],
) -> Reasons:
    """Find all reasons of a claim: the minimal sets of hints and rules that imply the claim.

    Arguments, errors and cost are those of :func:`smallest_reason`.

    There may be very many reasons. When a limit is reached after the smallest one was found, those
    found so far are returned; without a limit of nodes, :data:`FAMILY_NODES` is one.
    """
    context = limited(context, **limits)
    puzzle, inner = as_puzzle(puzzle), context.with_time_reserve(0.5)
    search = reason_search(puzzle, claim, inner, seed)
    smallest = reason_of_flags(puzzle, search, search.find_smallest())
    search.context = replace(inner, nodes=inner.nodes or FAMILY_NODES)
    stopped = search.run()
    decoder = HintDecoder(puzzle, rules=True)
    family = SolutionSet(search.sufficient, decoder, fixed=search.necessary)
    return Reasons(puzzle, claim, smallest, family, stopped)


@dataclass(frozen=True)
class ReasonAnswers(Answer):
    """The numbers of the minimal sets of hints and rules that imply a claim.

    Attributes:
        exact: whether all are known.
        count: None after a limit.
        at_least: how many are known.
        sizes: their numbers by size.
        smallest: hints and rules of a smallest one.
        in_all, in_none: hints and rules that are in all or in none; None after a limit.
        stopped: which limit was reached.
    """

    exact: bool
    count: Count | None
    at_least: Count
    sizes: Mapping[int, Count]
    smallest: tuple[str, ...]
    in_all: tuple[str, ...] | None
    in_none: tuple[str, ...] | None
    stopped: str | None = None


@check_types
def reason_answers(result: Reasons) -> ReasonAnswers:
    """Describe the minimal sets of hints and rules that imply a claim."""
    known, exact = result.family.count(), result.exact
    return ReasonAnswers(
        exact,
        count=known if exact else None,
        at_least=known,
        sizes=size_histogram(result.family.sizes()),
        smallest=tuple(result.texts(result.smallest)),
        in_all=result.in_all if exact else None,
        in_none=result.in_none if exact else None,
        stopped=result.stopped,
    )


def reason_answers_task(
    chunk: Chunk, context: Context = UNLIMITED, *, claim: str
) -> Iterator[dict[str, Any]]:
    """For each puzzle of a chunk, describe the minimal hint and rule sets that imply a claim."""
    for record in chunk:
        wanted = Claim.parse(claim, record.puzzle.n)
        found = reason_answers(reasons(record.puzzle, wanted, context))
        yield {"claim": claim} | found.to_dict()
