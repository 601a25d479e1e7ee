"""Where puzzles meet engines: which one fits, and why; what commands and notebooks call."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bddsudoku.solver.analysis import Analysis, Budget, check_puzzle
    from bddsudoku.solver.build import build_puzzle
    from bddsudoku.solver.compile import compile_set, compile_subject
    from bddsudoku.solver.hints import hint_answers
    from bddsudoku.solver.numberlink import LinkSet, compile_links, count_links
    from bddsudoku.solver.orders import compare_puzzle_orders
    from bddsudoku.solver.output import write_solutions
    from bddsudoku.solver.page import page_parts
    from bddsudoku.solver.solving import count, count_subject, solve, solve_subject
    from bddsudoku.solver.subject import Subject, load, subjects

_HOME = {
    "Analysis": "analysis",
    "Budget": "analysis",
    "LinkSet": "numberlink",
    "Subject": "subject",
    "build_puzzle": "build",
    "check_puzzle": "analysis",
    "compare_puzzle_orders": "orders",
    "compile_links": "numberlink",
    "compile_set": "compile",
    "compile_subject": "compile",
    "count": "solving",
    "count_links": "numberlink",
    "count_subject": "solving",
    "hint_answers": "hints",
    "load": "subject",
    "page_parts": "page",
    "solve": "solving",
    "solve_subject": "solving",
    "subjects": "subject",
    "write_solutions": "output",
}

__all__ = [
    "Analysis",
    "Budget",
    "LinkSet",
    "Subject",
    "build_puzzle",
    "check_puzzle",
    "compare_puzzle_orders",
    "compile_links",
    "compile_set",
    "compile_subject",
    "count",
    "count_links",
    "count_subject",
    "hint_answers",
    "load",
    "page_parts",
    "solve",
    "solve_subject",
    "subjects",
    "write_solutions",
]


def __getattr__(name: str) -> Any:
    # Loaded on first use: the command line starts at once.
    if name in _HOME:
        value = getattr(import_module(f"bddsudoku.solver.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
