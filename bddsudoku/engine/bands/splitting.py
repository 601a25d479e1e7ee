"""Splitting the count of one hard board into tasks whose results add up.

A sum over pairs of the outermost band's partitions is cut into pieces of about equal work: no more
of them than symmetries leave pairs to visit. All parts of one sum need the same tables; a process
makes them for the first of its parts and keeps them, the last one's only.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.bands.band_plan import (
    PlanInput,
    make_plan,
    memory_limit_bytes,
    plan_inputs_for_marginals,
    split_into_fitting_plans,
)
from bddsudoku.engine.bands.marginals import band_marginals, complete_marginals
from bddsudoku.engine.bands.partitions import as_masks
from bddsudoku.engine.bands.summation import PreparedSums, ThreadTeam, fill_plan_tables, table_sums
from bddsudoku.jit.decorators import U16, AnyArray

_SLICES_PER_PART = 4
"""Slices into which the work is cut, for each part: the more, the more equal the parts."""

PartSum = tuple[int, "AnyArray | None"]
"""Solutions, and with marginals the block fillings gathered
(:attr:`bddsudoku.engine.bands.marginals.FillingSums.blocks`)."""


@dataclass(frozen=True)
class SumPart:
    """One task of a board's count: what its plan is made from, and which of how many parts.

    Attributes:
        plan_input: the input of the plan that is summed.
        number, parts: which part of the plan's sum.
    """

    plan_input: PlanInput
    number: int
    parts: int


@dataclass(frozen=True)
class SplitBoard:
    """A board's count divided into tasks, with methods that combine their results.

    Attributes:
        parts: what has to be summed.
        bands: with marginals, see :func:`.band_plan.plan_inputs_for_marginals`.
    """

    parts: tuple[SumPart, ...]
    bands: tuple[PlanInput, ...] = ()

    def count(self, part_sums: Iterable[PartSum]) -> int:
        """The number of solutions, from the results of the parts in any order."""
        return sum(total for total, _ in part_sums)

    def marginals(self, part_sums: Sequence[tuple[SumPart, PartSum]]) -> AnyArray:
        """Combine the results of parts, in any order, into marginals [row, column, digit - 1]."""
        out = np.zeros((9, 9, 9), dtype=object)
        totals: Counter[int | None] = Counter()
        sums: dict[PlanInput, AnyArray] = {}
        for part, (total, blocks) in part_sums:
            totals[part.plan_input.outer if self.bands else None] += total
            if blocks is not None:
                sums[part.plan_input] = sums.get(part.plan_input, 0) + blocks
        for plan_input, blocks in sums.items():
            first = 3 * (plan_input.outer or 0)
            out[first : first + 3] += band_marginals(make_plan(plan_input), blocks)
        if len(set(totals.values())) > 1:
            raise AssertionError(f"the sums of a board's bands do not agree: {totals}")
        return complete_marginals(out, max(totals.values(), default=0), self.bands)


def split_board(
    masks: U16, part_count: int, memory: int | None = None, *, marginals: bool = False
) -> SplitBoard:
    """Divide the computation of a board's count or marginals into parts of about equal work.

    Args:
        masks: 81 candidate masks.
        part_count: at least so many, while there are pairs.
        memory: bytes for each process; by default as for :class:`.band_set.BandSet`.
        marginals: whether marginals are wanted, or only the count.

    Raises:
        LimitReached: the memory limit does not suffice.

    Cost: the plans, some 0.1 s for each sum.
    """
    plan_input = PlanInput.from_masks(as_masks(masks))
    if plan_input is None:
        return SplitBoard(())
    bands = plan_inputs_for_marginals(plan_input) if marginals else []
    plan_inputs = [
        plan.plan_input
        for wanted in bands or [plan_input]
        for plan, _ in split_into_fitting_plans(wanted, memory_limit_bytes(memory), 1)
    ]
    of = -(-part_count // max(len(plan_inputs), 1))
    found = tuple(SumPart(each, number, of) for each in plan_inputs for number in range(of))
    return SplitBoard(found, tuple(bands))


_preparing = threading.Lock()
"""Two threads of one process do not make the same tables twice."""


@lru_cache(maxsize=1)
def _cached_plan_tables(plan_input: PlanInput) -> PreparedSums:
    """Return the filled band tables of a plan, cached until another plan is asked for."""
    return fill_plan_tables(make_plan(plan_input), ThreadTeam())


def sum_part(part: SumPart, context: Context) -> PartSum:
    """Compute one part of a split board: its number of solutions and, for marginals, its sums.

    Raises:
        LimitReached: the time is used up.

    Cost: the tables (0.1 to 1 s) for the first part of a sum in a process, then its share.
    """
    with _preparing:
        tables = _cached_plan_tables(part.plan_input)
    pieces = tables.pairs.slices(_SLICES_PER_PART * part.parts)[part.number :: part.parts]
    if not pieces:
        return 0, None
    where = np.concatenate([np.arange(piece.start, piece.stop) for piece in pieces])
    wanted = replace(tables, pairs=tables.pairs[where])
    found = table_sums(wanted, ThreadTeam(), context.without_progress.check_and_report)
    return found.total, found.blocks if part.plan_input.marginals else None
