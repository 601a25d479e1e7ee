"""Every engine as a counter of puzzles: one name, one function, the same limits."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from bddsudoku.errors import BddSudokuError, LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle

if TYPE_CHECKING:
    from bddsudoku.engine.frontier import LevelTrace

__all__ = [
    "COUNTERS",
    "Limits",
    "Progress",
    "count_with",
    "engines_for",
    "is_ordinary",
    "masks_of",
    "require_bands",
    "warm_up",
]

Progress = Callable[[float, float], None]


class Limits:
    """What one question may use.

    Attributes:
        memory: bytes, or None.
        seconds: wall-clock, or None; counted from the making of this object.
        progress: called with (done, total) where an engine can tell.
    """

    def __init__(
        self,
        memory: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.memory = memory
        self.seconds = seconds
        self._told = progress
        self._begin = time.monotonic()

    @property
    def left(self) -> float | None:
        """Seconds left.

        Raises:
            LimitReached: there are none.
        """
        if self.seconds is None:
            return None
        left = self.seconds - (time.monotonic() - self._begin)
        if left <= 0:
            raise LimitReached(f"the time limit of {self.seconds:g} s is used up", limit="time")
        return left

    def progress(self, done: float, total: float) -> None:
        """For engines that only report: pass it on, and stop them when the time is used up."""
        _ = self.left
        if self._told is not None:
            self._told(done, total)

    def level(self, left: LevelTrace) -> None:
        """:meth:`progress` for the frontier, which tells what levels it has left."""
        self.progress(left.level + 1, left.levels)


def masks_of(puzzle: Puzzle) -> list[int]:
    """Candidate masks of a puzzle's cells, bit ``d - 1`` for digit ``d``."""
    everything = (1 << puzzle.n) - 1
    return [1 << (d - 1) if d else everything for d in puzzle.cells]


def _singles(puzzle: Puzzle, limits: Limits) -> int:
    model = allocate(puzzle, Allocation.SINGLES)
    if model.is_contradictory:
        return 0
    if model.variables:
        raise BddSudokuError(
            "singles alone do not settle this puzzle; another engine must count it"
        )
    return 1


def _bands(puzzle: Puzzle, limits: Limits) -> int:
    from bddsudoku.engine import bands

    require_bands(puzzle)
    memory = {} if limits.memory is None else {"memory_limit": limits.memory}
    return bands.count(masks_of(puzzle), progress=limits.progress, **memory)


def is_ordinary(puzzle: Puzzle) -> bool:
    """Whether the board is the usual 9×9 with 3×3 blocks."""
    return (puzzle.layout.box_rows, puzzle.layout.box_columns) == (3, 3)


def require_bands(puzzle: Puzzle) -> None:
    """The bands engine knows one board only.

    Raises:
        BddSudokuError: another board.
    """
    if not is_ordinary(puzzle):
        raise BddSudokuError(
            f"the bands engine counts 9x9 boards with 3x3 blocks, not {puzzle.layout}"
        )


def _frontier(puzzle: Puzzle, limits: Limits) -> int:
    from bddsudoku.solver.compile import compile_set

    found = compile_set(puzzle, max_memory=limits.memory, time_limit=limits.left)
    return found.count()


def _bdd(puzzle: Puzzle, limits: Limits) -> int:
    from bddsudoku.engine.conjunction import Limits as BuildLimits
    from bddsudoku.engine.conjunction import build_isolated
    from bddsudoku.puzzle.sudoku.procedures import procedure

    model = allocate(puzzle, Allocation.CANDIDATES)
    if model.is_contradictory:
        return 0  # else the product grows and grows until its order reaches the contradiction
    done = 0

    def step(_: object) -> None:
        nonlocal done
        done += 1
        limits.progress(done, len(plan))

    plan = procedure(puzzle.layout, model, 3)
    result = build_isolated(
        model,
        plan,
        limits=BuildLimits(memory=limits.memory, seconds=limits.left),
        on_step=step,
    )
    return result.count()


def _dlx(puzzle: Puzzle, limits: Limits) -> int:
    from bddsudoku.engine import dlx

    result = dlx.count(allocate(puzzle, Allocation.CANDIDATES), time_limit=limits.left)
    if not result.exact:
        raise LimitReached(
            f"time limit of {limits.seconds:g} s reached by dancing links after "
            f"{result.nodes:,} nodes and {result.count:,} solutions",
            limit="time",
            trace=result,
        )
    return result.count


def _backtrack(puzzle: Puzzle, limits: Limits) -> int:
    from bddsudoku.engine import backtrack

    model = allocate(puzzle, Allocation.PAPER)
    if model.is_contradictory:
        return 0  # brute force would not see two hints clash before it has filled the board
    result = backtrack.count(model, time_limit=limits.left)
    if not result.exact:
        raise LimitReached(
            f"time limit of {limits.seconds:g} s reached by backtracking after "
            f"{result.nodes:,} nodes and {result.count:,} solutions",
            limit="time",
            trace=result,
        )
    return result.count


COUNTERS: dict[str, Callable[[Puzzle, Limits], int]] = {
    "singles": _singles,
    "bands": _bands,
    "frontier": _frontier,
    "bdd": _bdd,
    "dlx": _dlx,
    "backtrack": _backtrack,
}
"""Engine by its name on the command line."""


def engines_for(puzzle: Puzzle) -> tuple[str, ...]:
    """The engines that can in principle count this kind of puzzle, the fastest first."""
    names = [name for name in COUNTERS if name != "singles"]
    return tuple(name for name in names if name != "bands" or is_ordinary(puzzle))


_SMALL = Puzzle([1] + [0] * 15)
_SMALL_9X9 = Puzzle(
    map(
        int,
        "000000010400000000020000000000050407008000300001090000000400200050100000000806000",
    )
)


@cache
def warm_up(engine: str) -> float:
    """Load (the first time ever: compile) an engine's machine code; the seconds that took.

    So that the times told afterwards are of the work alone. Once a process for each engine.
    """
    begin = time.perf_counter()
    if engine not in ("singles", "bdd"):
        COUNTERS[engine](_SMALL_9X9 if engine == "bands" else _SMALL, Limits())
    return time.perf_counter() - begin


def count_with(engine: str, puzzle: Puzzle, limits: Limits) -> int:
    """The exact number of solutions by a named engine.

    Raises:
        LimitReached: a limit ended the count.
        BddSudokuError: the engine cannot count this kind of puzzle.
    """
    return COUNTERS[engine](puzzle, limits)
