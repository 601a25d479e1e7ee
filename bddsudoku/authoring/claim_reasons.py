"""Reasons of a claim about a board: the minimal sets of hints and rules that imply the claim.

A claim is that a cell has a digit, or has it not, in every solution; or that there is no solution.
A set of hints and rules is a *reason* if the claim follows from it alone, and no smaller part of it
would do. It has to hit every difference between the puzzle and a filled board against the claim: of
the hints and rules that this board violates one must be there. So reasons are the minimal sets of
hints and rules that clash with the opposite of the claim, found as minimal subsets of hints are
(:mod:`.subset_search`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bddsudoku.authoring.hint_set_families import HintDecoder, hint_text
from bddsudoku.authoring.subset_search import SubsetSearch
from bddsudoku.authoring.sufficient_subsets import size_histogram
from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import PuzzleFormatError
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import SYMBOLS, cell_name
from bddsudoku.puzzle.sudoku.rules.places_and_marks import parse_place
from bddsudoku.sets.solutionset import SolutionSet
from bddsudoku.solver.bulk_solving import count_many
from bddsudoku.solver.sources import Chunk

FAMILY_NODES = 1 << 20
"""Node limit of the family of all reasons where none is given: some seconds."""


class Claim(NamedTuple):
    """A claim about a board: a cell has a digit in every solution, or in none."""

    cell: int
    digit: int
    holds: bool = True

    @classmethod
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
        whole = self.family.count()
        counts = self.family.marginals().tolist()
        found = zip(self.family.keys.tolist(), counts, strict=True)
        return tuple(self._element_text(key) for key, count in sorted(found) if count == whole)

    @property
    def in_none(self) -> tuple[str, ...]:
        """The hints and rules that are in no reason."""
        counts = self.family.marginals().tolist()
        met = {k for k, m in zip(self.family.keys.tolist(), counts, strict=True) if m}
        n = self.puzzle.n
        own = {c * n + d - 1 for c, d in self.puzzle.hints.items() if c != self._claimed_cell}
        own.update(range(n**3, n**3 + len(self.puzzle.rules)))
        return tuple(self._element_text(key) for key in sorted(own - met))

    @property
    def _claimed_cell(self) -> int:
        """The cell that the claim is about; -1 for a contradiction."""
        return -1 if self.claim is None else self.claim.cell

    def _element_text(self, key: int) -> str:
        """The text of the hint or rule that has a given key."""
        n = self.puzzle.n
        if key >= n**3:
            return self.puzzle.rules[key - n**3].text
        return hint_text(key // n, key % n + 1, n)

    def texts(self, reason: Puzzle) -> list[str]:
        """The texts of a reason's hints and rules, such as ``r1c1=4`` and ``cage 10 r1c1 r1c2``."""
        hints = {c: d for c, d in reason.hints.items() if c != self._claimed_cell}
        names = [hint_text(cell, digit, self.puzzle.n) for cell, digit in hints.items()]
        return names + [rule.text for rule in reason.rules]


def _check_claim_and_make_search(
    puzzle: Puzzle, claim: Claim | None, context: Context, seed: int
) -> SubsetSearch:
    """Check that a claim holds, and prepare the search for the claim's reasons.

    Raises:
        PuzzleFormatError: the claim does not hold, or is about a hint.
    """
    against, fixed = puzzle, []
    if claim is not None:
        fixed = [claim.cell]
        if claim.cell in puzzle.hints:
            name = cell_name(claim.cell, puzzle.n)
            raise PuzzleFormatError(f"{name} is a hint: take it away to ask what else forces it")
        against = claim.opposite(puzzle)
    if int(count_many([against], 1, context=context.without_progress)[0]):
        raise PuzzleFormatError(
            "the puzzle has a solution"
            if claim is None
            else f"{cell_name(claim.cell, puzzle.n)} has another digit in some solution"
            if claim.holds
            else f"{cell_name(claim.cell, puzzle.n)} has this digit in some solution"
        )
    return SubsetSearch(against, 0, context, seed, rules=True, fixed=fixed)


def smallest_reason(
    puzzle: Puzzle, claim: Claim | None, context: Context = UNLIMITED, *, seed: int = 0
) -> Puzzle:
    """Find a puzzle with a smallest set of hints and rules that implies a claim.

    Args:
        puzzle: of any layout, with any rules.
        claim: None: there is no solution.
        seed: of random choices: which of several smallest reasons is found.

    Raises:
        PuzzleFormatError: the claim does not hold, or is about a hint.
        LimitReached: a limit was reached.

    Cost: a second for a 9×9 puzzle with 17 hints; tests of boards with rules take milliseconds.
    """
    search = _check_claim_and_make_search(puzzle, claim, context, seed)
    return HintDecoder(puzzle, rules=True).decode(search.keys[search.find_smallest()].tolist())


def reasons(
    puzzle: Puzzle, claim: Claim | None, context: Context = UNLIMITED, *, seed: int = 0
) -> Reasons:
    """Find all reasons of a claim: the minimal sets of hints and rules that imply the claim.

    Arguments, errors and cost are those of :func:`smallest_reason`.

    There may be very many reasons. When a limit is reached after the smallest one was found, those
    found so far are returned; without a limit of nodes, :data:`FAMILY_NODES` is one.
    """
    inner = context.with_time_reserve(0.5)
    search = _check_claim_and_make_search(puzzle, claim, inner, seed)
    decoder = HintDecoder(puzzle, rules=True)
    smallest = decoder.decode(search.keys[search.find_smallest()].tolist())
    search.context = replace(inner, nodes=inner.nodes or FAMILY_NODES)
    stopped = search.run()
    family = SolutionSet(search.sufficient, decoder, fixed=search.necessary)
    return Reasons(puzzle, claim, smallest, family, stopped)


def reason_answers(result: Reasons) -> dict[str, Any]:
    """Describe as JSON values the minimal sets of hints and rules that imply a claim.

    Returns:
        ``exact``; ``count``: a decimal string, None after a limit; ``at_least``; ``sizes``: numbers
        of reasons by size; ``smallest``, ``in_all``, ``in_none``: lists of hints and rules (the
        last two only if exact); ``stopped``: which limit was reached.
    """
    known = str(result.family.count())
    answers: dict[str, Any] = {
        "exact": result.exact,
        "count": known if result.exact else None,
        "at_least": known,
        "sizes": size_histogram(result.family.sizes()),
        "smallest": result.texts(result.smallest),
        "in_all": list(result.in_all) if result.exact else None,
        "in_none": list(result.in_none) if result.exact else None,
    }
    return answers if result.exact else answers | {"stopped": result.stopped}


def reason_answers_task(
    chunk: Chunk, context: Context = UNLIMITED, *, claim: str
) -> Iterator[dict[str, Any]]:
    """For each puzzle of a chunk, describe the minimal hint and rule sets that imply a claim."""
    for record in chunk:
        wanted = Claim.parse(claim, record.puzzle.n)
        yield {"claim": claim} | reason_answers(reasons(record.puzzle, wanted, context))
