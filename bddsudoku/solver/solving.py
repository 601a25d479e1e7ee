"""Puzzle → the set object, or the count, that fits: which engine, and why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from bddsudoku.errors import BddSudokuError
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.solver.auto import Choice, choose_counter, choose_set
from bddsudoku.solver.compile import compile_puzzle, searched_set
from bddsudoku.solver.engines import Limits, Progress, count_with, masks_of, require_bands
from bddsudoku.solver.subject import Subject

__all__ = ["Counted", "Solved", "count", "count_subject", "counted", "solve", "solve_subject"]


@dataclass(frozen=True)
class Counted:
    """An exact count and where it came from.

    Attributes:
        count: number of solutions.
        engine: who counted.
        why: why this engine.
        seconds: wall-clock time, choosing included.
    """

    count: int
    engine: str
    why: str
    seconds: float


@dataclass(frozen=True)
class Solved:
    """A solution set and where it came from.

    Attributes:
        solutions: a GridSet or a BandSet.
        engine: what holds it.
        why: why this engine.
        seconds: wall-clock time, choosing included.
        order: name of the diagram's cell order; empty where there is no diagram.
    """

    solutions: Any
    engine: str
    why: str
    seconds: float
    order: str = ""


def counted(puzzle: Puzzle, engine: str = "auto", limits: Limits | None = None) -> Counted:
    """Count a puzzle's solutions exactly.

    Args:
        puzzle: of any layout.
        engine: ``auto``, ``singles``, ``bands``, ``frontier``, ``bdd``, ``dlx``, ``backtrack``.
        limits: memory, time, progress.

    Raises:
        LimitReached: a limit ended the count.
        BddSudokuError: the named engine cannot count this puzzle.
    """
    limits = limits or Limits()
    begin = time.perf_counter()
    choice = choose_counter(puzzle, limits) if engine == "auto" else Choice(engine, "named")
    number = choice.count
    if number is None:
        number = count_with(choice.engine, puzzle, limits)
    return Counted(number, choice.engine, choice.why, time.perf_counter() - begin)


def count(
    puzzle: Puzzle,
    engine: str = "auto",
    *,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> int:
    """The exact number of solutions of a puzzle, as an int of any size.

    Args:
        puzzle: of any layout; contradictory hints give 0.
        engine: ``auto`` takes the cheapest by prediction.
        max_memory: bytes.
        time_limit: seconds.
        progress: called with (done, total).

    Raises:
        LimitReached: a limit ended the count.
    """
    return counted(puzzle, engine, Limits(max_memory, time_limit, progress)).count


def count_subject(
    subject: Subject,
    *,
    engine: str = "auto",
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Counted:
    """:func:`counted` for a puzzle or a saved set."""
    if subject.saved is not None:
        if engine != "auto":
            raise BddSudokuError(
                f"{subject.source}: a saved set is counted as it is, not by {engine}"
            )
        begin = time.perf_counter()
        return Counted(subject.saved.count(), "saved", "a saved set", time.perf_counter() - begin)
    return counted(subject.puzzle, engine, Limits(max_memory, time_limit, progress))


def solve(
    puzzle: Puzzle,
    engine: str = "auto",
    *,
    order: str = "auto",
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Any:
    """The set of all solutions, as the object that fits: a GridSet, or a BandSet for huge ones.

    Both satisfy :class:`bddsudoku.solutions.protocol.SolutionFamily`; a GridSet holds a diagram
    and can do more (iterate, set algebra, save).

    Args:
        puzzle: of any layout; contradictory hints give the empty set.
        engine: ``auto``, ``frontier``, ``dlx`` (search, then a diagram of what was found) or
            ``bands``.
        order: the diagram's cell order; a name that ``bddsudoku compile --order`` takes.
        max_memory: bytes.
        time_limit: seconds.
        progress: called with (done, total).

    Raises:
        LimitReached: a limit ended the work.
    """
    limits = Limits(max_memory, time_limit, progress)
    return _solved(puzzle, engine, order, limits).solutions


def solve_subject(
    subject: Subject,
    *,
    engine: str = "auto",
    order: str = "auto",
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Solved:
    """:func:`solve` for a puzzle or a saved set, with the engine and the reason."""
    if subject.saved is not None:
        return Solved(subject.saved, "saved", "a saved set", 0.0, "as saved")
    return _solved(subject.puzzle, engine, order, Limits(max_memory, time_limit, progress))


def _solved(puzzle: Puzzle, engine: str, order: str, limits: Limits) -> Solved:
    begin = time.perf_counter()

    def done(solutions: Any, choice: Choice, order: str = "") -> Solved:
        seconds = time.perf_counter() - begin
        return Solved(solutions, choice.engine, choice.why, seconds, order)

    if engine == "auto":
        choice = choose_set(puzzle, limits, order)
        if choice.solutions is not None:
            return done(choice.solutions, choice, "rows")
    else:
        choice = Choice(engine, "named")
    if choice.engine == "bands":
        return done(band_set(puzzle, limits), choice)
    if choice.engine == "dlx":
        model = allocate(puzzle, Allocation.SINGLES)
        return done(searched_set(puzzle, model, limits), choice, "rows")
    if choice.engine != "frontier":
        raise BddSudokuError(f"engine {engine} counts, but holds no set; take frontier or bands")
    compiled = compile_puzzle(puzzle, choice.order or order, limits)
    return done(compiled.solutions, choice, compiled.order)


def band_set(puzzle: Puzzle, limits: Limits) -> Any:
    """The set as the bands engine answers for it: no diagram, any size.

    Raises:
        BddSudokuError: not a 9×9 board.
        LimitReached: the memory or the time does not suffice.
    """
    from bddsudoku.engine.bands import BandSet
    from bddsudoku.puzzle.sudoku.decode import SudokuDecoder

    require_bands(puzzle)
    memory = {} if limits.memory is None else {"memory_limit": limits.memory}
    return BandSet(
        masks_of(puzzle), progress=limits.progress, decoder=SudokuDecoder(puzzle), **memory
    )
