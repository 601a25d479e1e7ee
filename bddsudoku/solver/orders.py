"""Item orders side by side: what was predicted, what came."""

from __future__ import annotations

from typing import Any

from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.allocation import Allocation, allocate
from bddsudoku.puzzle.sudoku.orders import propose_orders
from bddsudoku.solver.compile import compile_puzzle
from bddsudoku.solver.engines import Limits, Progress
from bddsudoku.solver.subject import Subject

__all__ = ["compare_puzzle_orders"]


def compare_puzzle_orders(
    subject: Subject,
    *,
    max_memory: int | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Predicted and real sizes of a puzzle's diagram under every proposed order.

    Args:
        subject: a puzzle (of a saved set: its puzzle).
        max_memory: bytes, for each compilation.
        time_limit: seconds, for each compilation.
        progress: called with (orders done, orders).

    Returns:
        By predicted states: ``order``, ``predicted`` (states of all levels), ``states``,
        ``width``, ``nodes``, ``count``, ``seconds``, ``profile`` (nodes at every variable); what
        a limit kept from being known is None, and ``limit`` names it.
    """
    from bddsudoku.engine.frontier import predict

    puzzle = subject.puzzle
    model = allocate(puzzle, Allocation.SINGLES)
    orders = propose_orders(puzzle.layout, model)
    rows: list[dict[str, Any]] = []
    for name, items in orders.items():
        states = predict(model, items, 1000).states
        row: dict[str, Any] = {"order": name, "predicted": round(states)}
        try:
            done = compile_puzzle(puzzle, name, Limits(max_memory, time_limit))
            row |= {
                "states": done.states,
                "width": done.width,
                "nodes": done.solutions.node_count("zdd"),
                "count": str(done.solutions.count()),
                "seconds": round(done.seconds, 6),
                "profile": done.solutions.diagram.profile().tolist(),
                "limit": None,
            }
        except LimitReached as stop:
            row |= dict.fromkeys(("states", "width", "nodes", "count", "seconds", "profile"))
            row["limit"] = stop.limit
        rows.append(row)
        if progress is not None:
            progress(len(rows), len(orders))
    return sorted(rows, key=lambda row: row["predicted"])
