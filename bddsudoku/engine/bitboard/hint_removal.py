"""Removing hints from boards with known solutions while the number of solutions stays bounded.

Whether a hint of a board with one solution can go is a search for a solution with another digit in
its cell: mostly some steps of the rules and no guess. With several solutions it is the same search,
and what it finds is added to those that were there. Hints that go together (an orbit of a
symmetry) are counted without them from the start.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.bitboard.propagation import fill_state
from bddsudoku.engine.bitboard.search import new_stack, visit_node
from bddsudoku.engine.bitboard.state_layout import PLACE
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I16, I64, U8, Flags
from bddsudoku.work.resources import CheckPoint, run_slices

NONE = -1
"""No cell."""
BOARDS_PER_CALL = 20_000
"""Nodes between two returns to Python: some 5 ms."""

_BOARD, _STEP = range(2)
"""Where the work stands: number of the board, and of the hint or unit that is next."""


@subroutine
def _remove_candidate(stack, cell, digit):  # type: ignore[no-untyped-def]
    """Remove a candidate from the first state on the stack."""
    half = np.uint64(PLACE[cell, 0])
    bit = np.uint64(1) << np.uint64(PLACE[cell, 1])
    stack[0, np.uint64(2 * (digit - 1)) + half] &= ~bit


@subroutine
def _count_solutions(stack, limit):  # type: ignore[no-untyped-def]
    """Count the solutions of the stack's first state, up to a limit, and the nodes visited."""
    level: Any = np.int64(0)
    found = np.int64(0)
    nodes = np.int64(0)
    while level >= 0 and found < limit:
        level, solved = visit_node(stack, level)
        nodes += 1
        found += solved
    return found, nodes


class RemovalTask(NamedTuple):
    """Which hints are removed together (a unit), and how many solutions may result.

    Attributes:
        starts, cells: unit u is ``cells[starts[u] : starts[u + 1]]``.
        kept: uint8, (81,): scratch, the hints of a unit.
        required: so many units at the front of the orders have to go.
        max_solutions: greatest number of solutions of a board.
    """

    starts: I64
    cells: I64
    kept: U8
    required: int
    max_solutions: int


@kernel
def _remove_hint_units(boards, counts, orders, min_hints, task, stack, resume_at, node_budget):  # type: ignore[no-untyped-def]
    """Continue :func:`remove_hints` for `node_budget` nodes; True when all boards are done.

    Args:
        boards: uint8, (n, 81); hints go to 0.
        counts: int64, (n,): solutions; 0 once a unit that must go cannot.
        orders: int16, (n, m): numbers of units, in the order in which they are tried.
        min_hints: int64, (n,): hints that stay at least.
        task: what goes together.
        stack: by :func:`.search.new_stack`.
        resume_at: int64, (2,): where the work stands.
        node_budget: nodes.
    """
    board, step = resume_at[_BOARD], resume_at[_STEP]
    units = orders.shape[1]
    while board < len(boards) and node_budget > 0:
        digits = boards[board]
        hints = np.int64(0)
        for cell in range(len(digits)):
            hints += digits[cell] != 0
        while step < units and node_budget > 0 and counts[board] > 0:
            unit = orders[board, step]
            cells = task.cells[task.starts[unit] : task.starts[unit + 1]]
            size = np.int64(0)
            for cell in cells:
                size += digits[cell] != 0
            goes = hints - size >= min_hints[board]
            if goes and size > 0:
                for i in range(len(cells)):
                    task.kept[i] = digits[cells[i]]
                    digits[cells[i]] = 0
                fill_state(boards, board, stack, 0)
                known = np.int64(0)
                if len(cells) == 1:  # another solution has another digit there
                    known = counts[board]
                    _remove_candidate(stack, cells[0], np.int64(task.kept[0]))
                found, nodes = _count_solutions(stack, task.max_solutions - known + 1)
                node_budget -= nodes
                goes = known + found <= task.max_solutions
                if goes:
                    counts[board] = known + found
                else:
                    for i in range(len(cells)):
                        digits[cells[i]] = task.kept[i]
            if goes:
                hints -= size
            elif step < task.required:
                counts[board] = 0
            step += 1
        if step == units or counts[board] == 0:
            board += 1
            step = 0
    resume_at[_BOARD], resume_at[_STEP] = board, step
    return board == len(boards)


@kernel
def _find_removable_hints(boards, solutions, tested, last_removed, stack, resume_at, node_budget):  # type: ignore[no-untyped-def]
    """Test hints for :func:`removable_hints` within `node_budget`; True when no board is left."""
    board, cell = resume_at[_BOARD], resume_at[_STEP]
    while board < len(boards) and node_budget > 0:
        while cell < boards.shape[1] and node_budget > 0:
            if tested[board, cell]:
                digit = boards[board, cell]
                boards[board, cell] = 0
                fill_state(boards, board, stack, 0)
                boards[board, cell] = digit
                _remove_candidate(stack, cell, np.int64(digit))
                if last_removed[board] >= 0:
                    _remove_candidate(
                        stack, last_removed[board], np.int64(solutions[board, last_removed[board]])
                    )
                found, nodes = _count_solutions(stack, 1)
                tested[board, cell] = found == 0
                node_budget -= nodes
            cell += 1
        if cell == boards.shape[1]:
            board += 1
            cell = 0
    resume_at[_BOARD], resume_at[_STEP] = board, cell
    return board == len(boards)


def remove_hints(
    grids: U8,
    orders: I16,
    units: list[list[int]],
    *,
    required: int = 0,
    max_solutions: int = 1,
    min_hints: I64 | int = 0,
    jobs: int | None = None,
    context: Context = UNLIMITED,
) -> tuple[U8, I64]:
    """Remove hints, one group at a time, while each board has at most `max_solutions` solutions.

    What cannot go at its turn could not go later: with fewer hints there are no fewer solutions.
    So each is tried once, and no unit of what is left can go, unless ``min_hints`` forbade it. That
    is 60 to 80 searches a grid for single cells: some 0.3 ms.

    Args:
        grids: full grids, (n, 81), uint8; not changed.
        orders: numbers of units in the order in which they are tried, (n, m).
        units: cells that go together.
        required: the first so many of an order have to go; a board where one cannot is given up.
        max_solutions: greatest number of solutions of a board.
        min_hints: hints that stay at least, for each or for all.
        jobs: threads; by default as many as there are cores.

    Returns:
        The boards, and their numbers of solutions (0: given up).

    Raises:
        LimitReached: the time is used up.
    """
    boards = grids.copy()
    counts = np.ones(len(boards), dtype=np.int64)
    fewest = np.broadcast_to(np.asarray(min_hints, dtype=np.int64), counts.shape).copy()
    starts = np.cumsum([0, *map(len, units)], dtype=np.int64)
    cells = np.array([cell for unit in units for cell in unit], dtype=np.int64)

    def work(begin: int, end: int, pause: CheckPoint) -> None:
        mine = boards[begin:end], counts[begin:end], orders[begin:end], fewest[begin:end]
        task = RemovalTask(starts, cells, np.zeros(81, dtype=np.uint8), required, max_solutions)
        stack, at = new_stack(), np.zeros(2, dtype=np.int64)
        while not _remove_hint_units(*mine, task, stack, at, BOARDS_PER_CALL):
            pause()

    run_slices(len(boards), work, jobs=jobs, context=context)
    return boards, counts


def removable_hints(
    boards: U8,
    solutions: U8,
    tested: Flags,
    last_removed: I64 | None = None,
    *,
    jobs: int | None = None,
    context: Context = UNLIMITED,
) -> Flags:
    """Find the hints that can be removed, each alone, without adding a solution to the board.

    Args:
        boards: (n, 81), uint8, 0 where open.
        solutions: a solution of each, (n, 81).
        tested: the hints that are asked about, (n, 81): what could not go before cannot now.
        last_removed: for boards with one solution, (n,): the cell whose hint has gone last, where
            every hint that is asked about could have gone instead (:data:`NONE`: not so).
            Another solution then differs in that cell, too, which makes the search shorter.
        jobs: threads; by default as many as there are cores.

    Returns:
        A part of ``tested``, (n, 81).

    Raises:
        LimitReached: the time is used up.
    """
    found = tested.copy()
    board = boards.copy()
    gone = np.full(len(boards), NONE, dtype=np.int64) if last_removed is None else last_removed

    def work(begin: int, end: int, pause: CheckPoint) -> None:
        mine = board[begin:end], solutions[begin:end], found[begin:end], gone[begin:end]
        stack, at = new_stack(), np.zeros(2, dtype=np.int64)
        while not _find_removable_hints(*mine, stack, at, BOARDS_PER_CALL):
            pause()

    run_slices(len(boards), work, jobs=jobs, context=context.without_progress)
    return found
