"""Counts and marginals of masks from the sums of plans that fit the memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.marginals import band_marginals
from bddsudoku.engine.bands.masks import place_singles
from bddsudoku.engine.bands.parallel import Team, alone
from bddsudoku.engine.bands.parts import fitting_plans
from bddsudoku.engine.bands.plan import Plan, make_plan
from bddsudoku.engine.bands.roles import bands_to_sum
from bddsudoku.engine.bands.sums import Progress, Ready, Sums, ready, take_sums

__all__ = ["Summing"]


@dataclass(frozen=True)
class _First:
    """A plan that was made ahead, for bands `outer` of a board or its transpose.

    Attributes:
        pairs: None if the plan is empty or too large.
    """

    outer: int
    transposed: bool
    plan: Plan
    pairs: Ready | None


@dataclass(frozen=True)
class Summing:
    """How the sums of a board are taken.

    Attributes:
        masks: 81 candidate masks.
        memory: bytes for the whole process.
        team: the threads.
        progress: called from the calling thread; what it raises ends the work.
    """

    masks: NDArray[np.uint16]
    memory: int
    team: Team
    progress: Progress | None

    def parts(self, first: _First | None = None) -> Iterator[tuple[Plan, Sums]]:
        """Plans within the limit with their sums taken, one after the other.

        Args:
            first: for marginals, what has to be outermost.
        """
        singles = place_singles(self.masks)
        if singles is None:
            return
        finished = 0.0
        marginals = first is not None
        plans = fitting_plans(
            singles,
            self.memory,
            self.team.threads,
            marginals=marginals,
            outer=first.outer if first else None,
            transposed=first.transposed if first else None,
            first=first.plan if first else None,
        )
        for plan, share in plans:
            before = finished

            def report(done: float, total: float, share: float = share) -> None:
                assert self.progress is not None
                self.progress(before * total / share + done, total / share)  # noqa: B023

            told = report if self.progress else None
            pairs = first.pairs if first and first.plan is plan else None
            sums = take_sums(plan, self.team, told, marginals, pairs)
            finished += share
            yield plan, sums

    def _ahead(
        self, singles: NDArray[np.uint16], bands: list[int], transposed: bool
    ) -> Generator[_First, None, None]:
        """Plans with one band after the other outermost, made while the one before is summed."""

        def make(band: int) -> _First:
            plan = make_plan(singles, outer=band, transposed=transposed, marginals=True)
            fits = not plan.empty and plan.nbytes(self.team.threads, True) <= self.memory
            return _First(band, transposed, plan, ready(plan, alone) if fits else None)

        ahead = ThreadPoolExecutor(1, "bands")
        try:
            coming = [ahead.submit(make, band) for band in bands]
            while coming:
                yield coming.pop(0).result()
        finally:
            ahead.shutdown(cancel_futures=True)

    def marginals(self, count: Callable[[], int]) -> NDArray[Any]:
        """In how many solutions each digit stands in each cell: see `BandSet.marginals`.

        Args:
            count: called where the board's symmetries say all the rest.
        """
        out = np.zeros((9, 9, 9), dtype=object)
        singles = place_singles(self.masks)
        if singles is None:
            return out.astype(np.int64)
        way, bands = bands_to_sum(singles)
        total = 0 if bands else count()
        with closing(self._ahead(singles, bands, way)) as planned:
            for first in planned:
                total = 0
                rows = out[3 * first.outer : 3 * first.outer + 3]
                for _, sums in self.parts(first):
                    total += sums.total
                    rows += band_marginals(sums)
        if len(bands) < 3:  # rows that may change places have equal parts of what is left
            rest = [row for row in range(9) if row // 3 not in bands]
            left = np.full((9, 9), total, dtype=object) - out.sum(axis=0)
            if (left % len(rest) != 0).any():
                raise AssertionError("marginals of equal rows do not divide evenly")
            out[rest] = left // len(rest)
        out = out.transpose(1, 0, 2) if way else out
        return out.astype(np.int64) if total < 1 << 63 else out
