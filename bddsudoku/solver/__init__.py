"""Where puzzles meet engines: which one fits, and why; what commands and notebooks call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.solver.analysis import Analysis as Analysis
    from bddsudoku.solver.analysis import Budget as Budget
    from bddsudoku.solver.analysis import check_puzzle as check_puzzle
    from bddsudoku.solver.build import build_puzzle as build_puzzle
    from bddsudoku.solver.compile import compile_set as compile_set
    from bddsudoku.solver.compile import compile_subject as compile_subject
    from bddsudoku.solver.hints import hint_answers as hint_answers
    from bddsudoku.solver.numberlink import LinkSet as LinkSet
    from bddsudoku.solver.numberlink import compile_links as compile_links
    from bddsudoku.solver.numberlink import count_links as count_links
    from bddsudoku.solver.orders import compare_puzzle_orders as compare_puzzle_orders
    from bddsudoku.solver.output import write_solutions as write_solutions
    from bddsudoku.solver.page import page_parts as page_parts
    from bddsudoku.solver.solving import count as count
    from bddsudoku.solver.solving import count_subject as count_subject
    from bddsudoku.solver.solving import solve as solve
    from bddsudoku.solver.solving import solve_subject as solve_subject
    from bddsudoku.solver.subject import Subject as Subject
    from bddsudoku.solver.subject import load as load
    from bddsudoku.solver.subject import subjects as subjects
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.solver.analysis": ["Analysis", "Budget", "check_puzzle"],
            "bddsudoku.solver.build": ["build_puzzle"],
            "bddsudoku.solver.compile": ["compile_set", "compile_subject"],
            "bddsudoku.solver.hints": ["hint_answers"],
            "bddsudoku.solver.numberlink": ["LinkSet", "compile_links", "count_links"],
            "bddsudoku.solver.orders": ["compare_puzzle_orders"],
            "bddsudoku.solver.output": ["write_solutions"],
            "bddsudoku.solver.page": ["page_parts"],
            "bddsudoku.solver.solving": ["count", "count_subject", "solve", "solve_subject"],
            "bddsudoku.solver.subject": ["Subject", "load", "subjects"],
        },
    )
