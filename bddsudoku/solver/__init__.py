"""Where puzzles meet engines: which one fits, and why; what commands and notebooks call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bddsudoku.lazy import lazy_names

if TYPE_CHECKING:
    from bddsudoku.engine.protocol import Compiled as Compiled
    from bddsudoku.engine.registry import engine_names as engine_names
    from bddsudoku.model.constraint import Formula as Formula
    from bddsudoku.model.constraint import Linear as Linear
    from bddsudoku.solutions.solutionset import SolutionSet as SolutionSet
    from bddsudoku.solver.analysis import Analysis as Analysis
    from bddsudoku.solver.analysis import Budget as Budget
    from bddsudoku.solver.answers import Agreement as Agreement
    from bddsudoku.solver.answers import Counted as Counted
    from bddsudoku.solver.answers import Solved as Solved
    from bddsudoku.solver.answers import agreement as agreement
    from bddsudoku.solver.asking import count as count
    from bddsudoku.solver.asking import marginals as marginals
    from bddsudoku.solver.build import build_model as build_model
    from bddsudoku.solver.build import build_puzzle as build_puzzle
    from bddsudoku.solver.build import solutions_of as solutions_of
    from bddsudoku.solver.checking import check as check
    from bddsudoku.solver.checking import warm_up as warm_up
    from bddsudoku.solver.hints import addition_answers as addition_answers
    from bddsudoku.solver.hints import hint_answers as hint_answers
    from bddsudoku.solver.hints import hint_answers_many as hint_answers_many
    from bddsudoku.solver.links import LinkSet as LinkSet
    from bddsudoku.solver.links import compile_links as compile_links
    from bddsudoku.solver.links import count_links as count_links
    from bddsudoku.solver.many import count_each as count_each
    from bddsudoku.solver.many import count_many as count_many
    from bddsudoku.solver.many import solve_many as solve_many
    from bddsudoku.solver.many import true_candidates_many as true_candidates_many
    from bddsudoku.solver.orders import compare_puzzle_orders as compare_puzzle_orders
    from bddsudoku.solver.output import write_solutions as write_solutions
    from bddsudoku.solver.page import page_parts as page_parts
    from bddsudoku.solver.projection import projected as projected
    from bddsudoku.solver.question import Question as Question
    from bddsudoku.solver.question import model_of as model_of
    from bddsudoku.solver.question import question_of as question_of
    from bddsudoku.solver.removals import removal_answers as removal_answers
    from bddsudoku.solver.solving import compile_set as compile_set
    from bddsudoku.solver.solving import count_subject as count_subject
    from bddsudoku.solver.solving import counted as counted
    from bddsudoku.solver.solving import keys_of as keys_of
    from bddsudoku.solver.solving import solve as solve
    from bddsudoku.solver.solving import solve_subject as solve_subject
    from bddsudoku.solver.solving import solved as solved
    from bddsudoku.solver.subject import Subject as Subject
    from bddsudoku.solver.subject import load as load
    from bddsudoku.solver.subject import load_covers as load_covers
    from bddsudoku.solver.subject import subjects as subjects
    from bddsudoku.solver.supports import true_candidates as true_candidates
    from bddsudoku.solver.worth import rule_answers as rule_answers
    from bddsudoku.solver.worth import rule_answers_many as rule_answers_many
else:
    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "bddsudoku.engine.protocol": ["Compiled"],
            "bddsudoku.engine.registry": ["engine_names"],
            "bddsudoku.model.constraint": ["Formula", "Linear"],
            "bddsudoku.solutions.solutionset": ["SolutionSet"],
            "bddsudoku.solver.analysis": ["Analysis", "Budget"],
            "bddsudoku.solver.answers": ["Agreement", "Counted", "Solved", "agreement"],
            "bddsudoku.solver.asking": ["count", "marginals"],
            "bddsudoku.solver.build": ["build_model", "build_puzzle", "solutions_of"],
            "bddsudoku.solver.checking": ["check", "warm_up"],
            "bddsudoku.solver.hints": ["addition_answers", "hint_answers", "hint_answers_many"],
            "bddsudoku.solver.links": ["LinkSet", "compile_links", "count_links"],
            "bddsudoku.solver.many": [
                "count_each",
                "count_many",
                "solve_many",
                "true_candidates_many",
            ],
            "bddsudoku.solver.orders": ["compare_puzzle_orders"],
            "bddsudoku.solver.output": ["write_solutions"],
            "bddsudoku.solver.page": ["page_parts"],
            "bddsudoku.solver.projection": ["projected"],
            "bddsudoku.solver.question": ["Question", "model_of", "question_of"],
            "bddsudoku.solver.removals": ["removal_answers"],
            "bddsudoku.solver.solving": [
                "compile_set",
                "count_subject",
                "counted",
                "keys_of",
                "solve",
                "solve_subject",
                "solved",
            ],
            "bddsudoku.solver.subject": ["Subject", "load", "load_covers", "subjects"],
            "bddsudoku.solver.supports": ["true_candidates"],
            "bddsudoku.solver.worth": ["rule_answers", "rule_answers_many"],
        },
    )
