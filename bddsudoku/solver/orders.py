"""Item orders side by side: what was predicted, what came."""

from __future__ import annotations

from typing import Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached
from bddsudoku.model.ordering import item_orders, prepared
from bddsudoku.solver.question import question_of
from bddsudoku.solver.solving import solved
from bddsudoku.solver.subject import Subject


def compare_puzzle_orders(subject: Subject, context: Context = UNLIMITED) -> list[dict[str, Any]]:
    """Predicted and real sizes of a puzzle's diagram under every proposed order.

    Args:
        subject: a puzzle (of a saved set: its puzzle).

    Returns:
        By predicted states: ``order``, ``predicted`` (states of all levels), ``states``,
        ``width``, ``nodes``, ``count``, ``seconds``, ``profile`` (nodes at every variable); what
        a limit kept from being known is None, and ``limit`` names it.
    """
    from bddsudoku.engine.frontier import predict_spec
    from bddsudoku.engine.specs.exact_cover import cover_spec

    question = question_of(subject.puzzle)
    model = prepared(question.model)
    orders = item_orders(model)
    rows: list[dict[str, Any]] = []
    for name, items in orders.items():
        states = predict_spec(cover_spec(model, items), 1000).states
        row: dict[str, Any] = {"order": name, "predicted": round(states)}
        try:
            share = context.share(len(orders) - len(rows))
            done = solved(question, "frontier", name, share.silent)
            assert done.cost is not None
            row |= {
                "states": done.cost.states,
                "width": done.cost.width,
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
        if context.progress is not None:
            context.progress(len(rows), len(orders))
    return sorted(rows, key=lambda row: row["predicted"])
