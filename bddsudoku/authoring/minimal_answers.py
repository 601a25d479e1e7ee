"""What the family of all subsets of the hints tells, or how far it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bddsudoku.authoring.minimal_decoder import HintDecoder
from bddsudoku.context import Context
from bddsudoku.diagrams import operations as antichains
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.layout import cell_name
from bddsudoku.sets.solutionset import SolutionSet


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
        found = antichains.all_hitting_sets(self.unavoidable_diagram, context=self.context)
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
        duals = antichains.hitting_sets(found.minimal_diagram, context=context)
        return SolutionSet(antichains.all_hitting_sets(duals, context=context)).count()
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
