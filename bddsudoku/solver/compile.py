"""Puzzle → diagram: the frontier engine with an item order that fits."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bddsudoku.model.onehot import Model
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.orders import parse_order
from bddsudoku.solver.engines import Limits, Progress
from bddsudoku.solver.subject import Subject

if TYPE_CHECKING:
    from bddsudoku.engine.frontier import LevelTrace
    from bddsudoku.solutions.gridset import GridSet

__all__ = [
    "CompiledPuzzle",
    "best_order",
    "compile_puzzle",
    "compile_set",
    "compile_subject",
    "grid_set",
    "searched_set",
]


@dataclass(frozen=True)
class CompiledPuzzle:
    """A puzzle's set of solutions and what it cost.

    Attributes:
        solutions: the set.
        order: name of the item order.
        variables: variables of the model compiled.
        states: states of all levels.
        width: states of the widest level.
        levels: the engine's trace.
        seconds: everything, choosing the order included.
        choosing_seconds: the part spent on choosing the order.
        peak_bytes: greatest sum of the engine's arrays.
    """

    solutions: GridSet
    order: str
    variables: int
    states: int
    width: int
    levels: tuple[LevelTrace, ...]
    seconds: float
    choosing_seconds: float
    peak_bytes: int


def grid_set(puzzle: Puzzle, model: Model, diagram: Any, **info: Any) -> GridSet:
    """A diagram over a puzzle's model as the set object."""
    from bddsudoku.puzzle.sudoku.decode import SudokuDecoder
    from bddsudoku.solutions.gridset import GridSet

    fixed = [] if diagram.is_empty else [v.key for v in model.fixed]
    return GridSet(diagram, SudokuDecoder(puzzle), fixed=fixed, info=info)


def compile_set(
    puzzle: Puzzle,
    order: str = "auto",
    *,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> GridSet:
    """All solutions of a puzzle as a set on a canonical ordered ZDD.

    Args:
        puzzle: of any layout; contradictory hints give the empty set.
        order: in which the diagram reads the cells: ``auto`` predicts and picks, ``rows`` makes
            the set's order the plain lexicographic order of the grids' lines
            (:mod:`bddsudoku.puzzle.sudoku.orders` has the names).
        max_memory: bytes.
        time_limit: seconds.
        progress: called with (levels done, levels).

    Raises:
        LimitReached: with ``level``, ``states`` and ``bytes`` in its details.
    """
    return compile_puzzle(puzzle, order, Limits(max_memory, time_limit, progress)).solutions


def compile_subject(
    subject: Subject,
    *,
    order: str = "auto",
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> CompiledPuzzle:
    """:func:`compile_puzzle` for a puzzle; a saved set is taken as it is."""
    if subject.saved is None:
        return compile_puzzle(subject.puzzle, order, Limits(max_memory, time_limit, progress))
    saved = subject.saved
    name = str(saved.info.get("order", ""))
    return CompiledPuzzle(saved, name, saved.diagram.levels, 0, 0, (), 0.0, 0.0, 0)


def best_order(puzzle: Puzzle, model: Model) -> tuple[str, float]:
    """Name of the cell order with the fewest predicted states, and the prediction."""
    from bddsudoku.engine.frontier import choose_order
    from bddsudoku.puzzle.sudoku.orders import propose_orders, variants_of

    layout = puzzle.layout
    choice = choose_order(
        model,
        propose_orders(layout, model),
        refine=lambda name: variants_of(name, layout, model),
    )
    return choice.name, choice.predicted[choice.name]


def compile_puzzle(puzzle: Puzzle, order: str, limits: Limits) -> CompiledPuzzle:
    """:func:`compile_set` with everything that it cost.

    Raises:
        LimitReached: with ``level``, ``states`` and ``bytes`` in its details.
    """
    from bddsudoku.engine.frontier import compile_cover

    begin = time.perf_counter()
    model = allocate(puzzle, Allocation.SINGLES)
    if order == "auto":
        order, _ = best_order(puzzle, model)
    chosen = time.perf_counter() - begin
    compiled = compile_cover(
        model,
        parse_order(order, puzzle.layout, model),
        max_memory=limits.memory,
        time_limit=limits.left,
        progress=limits.level,
    )
    found = grid_set(puzzle, model, compiled.diagram, order=order)
    return CompiledPuzzle(
        found,
        order,
        len(model.variables),
        compiled.states,
        compiled.width,
        compiled.levels,
        time.perf_counter() - begin,
        chosen,
        compiled.peak_bytes,
    )


def searched_set(puzzle: Puzzle, model: Model, limits: Limits) -> GridSet:
    """The set of the solutions that dancing links list, in reading order of the cells.

    Raises:
        LimitReached: the time was used up before the search came to its end.
    """
    import numpy as np

    from bddsudoku.engine import dlx
    from bddsudoku.solutions.diagram import Diagram
    from bddsudoku.solutions.listed import diagram_of_rows

    labels = [v.key for v in model.variables]
    lists = [
        batch.options.reshape(len(batch), -1)
        for batch in dlx.cover_batches(model, time_limit=limits.left)
    ]
    diagram = diagram_of_rows(labels, np.concatenate(lists)) if lists else Diagram.empty(labels)
    return grid_set(puzzle, model, diagram, order="rows")
