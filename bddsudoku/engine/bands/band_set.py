"""The engine bands, and the solution set that it computes for a classic board.

The engine accepts models of the classic 9×9 board, and refuses all others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bands.band_plan import (
    PlanInput,
    make_plan,
    memory_limit_bytes,
    plan_inputs_for_marginals,
    predicted_cost,
)
from bddsudoku.engine.bands.many_hints import (
    DIRECT_HINTS,
    TOO_LARGE,
    direct_counts,
    direct_marginals,
)
from bddsudoku.engine.bands.marginals import band_marginals, complete_marginals
from bddsudoku.engine.bands.partitions import FULL, as_masks
from bddsudoku.engine.bands.ranking import Ranking
from bddsudoku.engine.bands.summation import BandSums, Progress, ThreadTeam, plan_sums
from bddsudoku.engine.classic_board import HOUSES, candidate_masks, why_not_classic
from bddsudoku.engine.protocol import Forecast, SetEngine
from bddsudoku.jit.decorators import U8, U16, AnyArray
from bddsudoku.model.model import Model
from bddsudoku.notebook_html import Facts
from bddsudoku.number_text import format_seconds
from bddsudoku.sets.decoder import PlainGridDecoder, masks_of_boards
from bddsudoku.sets.grid_family import GridFamily

if TYPE_CHECKING:
    from bddsudoku.sets.decoder import Decoder


class _DigitDecoder(PlainGridDecoder):
    """A decoder that leaves solutions as arrays of 81 digits."""

    def decode_row(self, row: U8) -> U8:
        """Return the row of 81 digits unchanged."""
        return row


class BandSet(GridFamily):
    """All completed 9 x 9 grids whose every digit is a candidate of its cell.

    Holds no diagram: sums over column partitions of bands answer instead, so sets of any size are
    reached, up to the 6,670,903,752,021,072,936,960 grids of the empty puzzle. What is computed is
    kept; nothing is computed before it is asked for. Threads that ask at the same time are
    answered one after the other.

    Order: by the column partitions of the outermost band, that band's rows, the other bands' column
    partitions and their rows; orientation and outermost band are chosen by predicted work. So the
    order is fixed by the masks, but it is not lexicographic.

    Args:
        masks: 81 (or 9 x 9) integers, bit d - 1 set when digit d is allowed; rows first.
        memory_limit: bytes for the whole process; by default 8 GiB, or what the machine or the
            container has left where that is less.
        threads: how many; by default all cores that the process may use.
        progress: called with (done, total) multiply-adds several times a second while sums are
            taken, from the calling thread. What it raises ends the work.
        decoder: of the puzzle (``decode_row``, ``encode_row``): then solutions are handed out and
            taken as the puzzle's own objects; without one they are arrays of 81 digits.

    Raises:
        PuzzleFormatError: not 81 masks from 0 to 511.
    """

    def __init__(
        self,
        masks: ArrayLike,
        *,
        memory_limit: int | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        decoder: Any = None,
    ) -> None:
        self.decoder: Any = _DigitDecoder(9, 9, "123456789") if decoder is None else decoder
        self._lock = RLock()  # held while something is computed: tables and threads are shared
        self._masks = as_masks(masks)
        self._masks.setflags(write=False)
        self._memory = memory_limit_bytes(memory_limit)
        self._team = ThreadTeam(threads)
        self._progress = progress

    @property
    def masks(self) -> U16:
        """The 81 candidate masks as given (read-only)."""
        return self._masks

    def __repr__(self) -> str:
        known = self._count_if_known
        shown = "not counted" if known is None else f"{known} solutions"
        return f"<BandSet: {self._fixed_cell_count} of 81 cells fixed, {shown}>"

    @property
    def _fixed_cell_count(self) -> int:
        return int(np.count_nonzero((self._masks & (self._masks - 1)) == 0))

    @property
    def _count_if_known(self) -> int | None:
        """The number of solutions if it has been computed, else None."""
        return vars(self).get("_count")

    def facts(self) -> Facts:
        """What is known of the set: number of solutions, fixed cells, predicted cost of a count."""
        yield from super().facts()
        yield "fixed cells", self._fixed_cell_count
        yield "a count takes", f"some {format_seconds(predicted_cost(self._masks))}"

    # -- counting ----------------------------------------------------------------------------------

    def _sum(self, wanted: PlanInput | None) -> BandSums | None:
        """Sum over the bands' partitions; None where these show that there is no solution."""
        plan = make_plan(wanted) if wanted else None
        if plan is None or plan.empty:
            return None
        plan.check_memory(self._memory, self._team.threads)
        return plan_sums(plan, self._team, self._progress)

    @cached_property
    def _ranking(self) -> Ranking | None:
        """The ranking of the solutions, with the sums that it reads; None where there are none."""
        sums = self._sum(PlanInput.from_masks(self._masks))
        return Ranking(sums) if sums else None

    def count(self) -> int:
        """Number of solutions, exact.

        Work: 8.3e14 / 3**hints multiply-adds, less by the symmetries of few hints; at most a few
        seconds on two cores for hints, up to hours for candidate masks that cut little and have no
        symmetry (:func:`.predicted_cost` tells beforehand).

        Raises:
            LimitReached: the memory limit does not suffice.
        """
        with self._lock:
            return self._count

    @cached_property
    def _count(self) -> int:
        """Count the solutions by one kernel if there are many hints; otherwise sum over bands."""
        if self._fixed_cell_count >= DIRECT_HINTS:
            context = UNLIMITED.with_progress(self._progress)
            (number,) = direct_counts(self._masks[None], jobs=1, context=context).tolist()
            if number != TOO_LARGE:
                return int(number)
        return self._ranking.sums.total if self._ranking else 0

    # -- cells and digits --------------------------------------------------------------------------

    def marginals(self) -> AnyArray:
        """Number of solutions with digit d in a cell, as [row, column, d - 1].

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        Takes some milliseconds with 17 hints or more, else some counts; kept.

        Raises:
            LimitReached: the memory limit does not suffice.
        """
        with self._lock:
            return self._marginals.copy()

    @cached_property
    def _marginals(self) -> AnyArray:
        """The number of solutions by row, column and digit, computed once."""
        if self._fixed_cell_count >= DIRECT_HINTS:
            number, marginals = direct_marginals(self._masks)
            if number != TOO_LARGE:
                self.__dict__.setdefault("_count", number)
                return marginals
        out = np.zeros((9, 9, 9), dtype=object)
        plan_input = PlanInput.from_masks(self._masks)
        if plan_input is None:
            return out.astype(np.int64)
        summed = plan_inputs_for_marginals(plan_input)
        total = 0 if summed else self.count()
        for wanted in summed:
            if (sums := self._sum(wanted)) is None:
                return out.astype(np.int64)
            total = sums.total
            first = 3 * sums.plan.roles.a
            out[first : first + 3] = band_marginals(sums.plan, sums.blocks)
        return complete_marginals(out, total, summed)

    # -- single solutions --------------------------------------------------------------------------

    def _has(self, grid: U8) -> bool:
        """Whether a row of 81 digits is a solution of the set."""
        if (grid == 0).any():
            return False
        bits = masks_of_boards(grid)
        if (bits & ~self._masks).any():
            return False
        return bool((np.bitwise_or.reduce(bits[HOUSES], axis=1) == FULL).all())

    def _rank_rows(self, rows: U8) -> list[int | None]:
        """The ranks of rows of 81 digits; None for those that are no solutions."""
        with self._lock:
            return [
                self._ranking.rank(grid) if self._has(grid) and self._ranking else None
                for grid in rows
            ]

    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        different = sorted(set(ranks))
        grids = np.zeros((len(different), 81), dtype=np.uint8)
        step = max(1, min(256, len(different) // self._team.threads))
        with self._lock:
            ranking = self._ranking

            def piece(lo: int) -> None:
                assert ranking is not None
                grids[lo : lo + step] = ranking.unrank_ascending(different[lo : lo + step])

            self._team.run(piece, [(lo,) for lo in range(0, len(different), step)])
        return grids[[bisect_left(different, i) for i in ranks]]

    def _draw_rows(self, n: int, rng: np.random.Generator) -> U8:
        """Sample uniformly: draw numbers below the count by rejection, and unrank them.

        Not as other sets do: a seed would make other puzzles than before.
        """
        total = self.count()
        bits = max(1, (total - 1).bit_length())
        width = -(-bits // 8)
        numbers: list[int] = []
        while len(numbers) < n:
            raw = rng.bytes(width * (n - len(numbers) + 8))
            for at in range(0, len(raw), width):
                number = int.from_bytes(raw[at : at + width], "little") >> (8 * width - bits)
                if number < total and len(numbers) < n:
                    numbers.append(number)
        return self._unrank_rows(numbers)

    # -- smaller sets ------------------------------------------------------------------------------

    def _with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> BandSet:
        """The set restricted by hints (digit by cell) and, if given, by candidate masks."""
        more = np.full(81, FULL, dtype=np.uint16)
        for cell, digit in hints.items():
            more[cell] = 1 << (digit - 1)
        if masks is not None:
            more &= np.array(masks, dtype=np.uint16)
        return BandSet(
            self._masks & more,
            memory_limit=self._memory,
            threads=self._team.threads,
            progress=self._progress,
            decoder=self.decoder,
        )


def count(
    masks: ArrayLike,
    *,
    memory_limit: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> int:
    """The exact number of 9×9 grids with every digit among its cell's candidates.

    Args:
        masks: 81 (or 9×9) integers, bit d - 1 set when digit d is allowed; rows first.
        memory_limit, threads, progress: as for :class:`BandSet`.

    Cost: that of :meth:`BandSet.count`.

    Raises:
        PuzzleFormatError: not 81 masks from 0 to 511.
        LimitReached: the memory limit does not suffice.
    """
    return BandSet(masks, memory_limit=memory_limit, threads=threads, progress=progress).count()


class BandsEngine(SetEngine):
    """The engine bands, which counts a classic board's solutions by sums over digit partitions."""

    name: ClassVar[str] = "bands"

    def refuses(self, model: Model) -> str | None:
        """Refuse every model but the classic board without additional constraints."""
        return why_not_classic(model)

    def count(self, model: Model, context: Context) -> int:
        """Count the solutions; boards with hints mostly take less than a second."""
        return self.solution_set(model, context).count()

    def solution_set(
        self, model: Model, context: Context, *, decoder: Decoder | None = None
    ) -> BandSet:
        """The set of grids that fit the model's candidates."""
        return BandSet(
            candidate_masks(model),
            memory_limit=context.max_memory,
            progress=context.check_and_report,
            decoder=decoder,
        )

    def forecast(self, model: Model, context: Context) -> Forecast | None:
        """Predict the seconds of a count by :func:`.predicted_cost`."""
        seconds = predicted_cost(candidate_masks(model))
        shown = f"{seconds:.2f} s" if seconds >= 0.01 else "under 0.01 s"
        return Forecast(seconds, f"a 9x9 board, predicted {shown}")

    def warm_up(self) -> None:
        """Compile or load the kernels by counting a puzzle with a few million solutions."""
        BandSet(masks_of_boards(np.array([*map(int, _WARM)], dtype=np.uint8))).count()


_WARM = "000000010400000000020000000000050407008000300001090000000400200050100000000806000"
