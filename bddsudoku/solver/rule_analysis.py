"""Rule impact and clue ablation: solution counts without each single rule or hint.

Each rule or hint is removed by itself, and the remaining puzzle is counted by the engine that fits
it (without its only rule a board may be a classic one). If another rule refers to a removed mark,
that rule changes its meaning, and the solutions may differ even if their number is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.errors import LimitReached
from bddsudoku.puzzle.sudoku.grid import Puzzle
from bddsudoku.puzzle.sudoku.rules.rule import Rule
from bddsudoku.solver.dispatch import count_or_none, solve_detailed
from bddsudoku.solver.hint_analysis import (
    clue_ablation,
    equal_or_different_pairs,
    unsupported_candidates,
)
from bddsudoku.solver.puzzle_lists import apply_to_puzzles
from bddsudoku.solver.sources import Chunk


def rule_impact(
    puzzle: Puzzle, context: Context = UNLIMITED, *, each: float | None = None
) -> dict[str, Any]:
    """Count a puzzle's solutions without each rule and without each hint.

    Args:
        puzzle: of any size, with any rules.
        each: time limit in seconds for each count.

    Returns:
        ``count``: decimal string, or None where a limit ended the count. ``rules``: a list of
        {rule, count without it, redundant (None if unknown, or if the count is the same but
        another rule changes its meaning)}. ``without``, ``redundant``, ``minimal``: the same for
        hints (:func:`.hint_analysis.clue_ablation`). ``dead``: candidates that no house strikes and
        no solution has; ``always_equal``, ``always_different``: pairs of cells; None where the set
        could not be made.

    Raises:
        LimitReached: the time was used up before the puzzle itself was counted.
    """
    steps = len(puzzle.rules) + puzzle.hint_count
    total = count_or_none(puzzle, context, each)
    if total is None:
        context.check()
    found: dict[str, Any] = {"count": None if total is None else str(total), "rules": []}
    for number in counts_without_each_rule(puzzle, context, each):
        rule = puzzle.rules[len(found["rules"])]
        known = None if number is None or total is None else number == total
        if known and total and _affects_other_rules(rule, puzzle):
            known = None
        count = None if number is None else str(number)
        found["rules"].append({"rule": rule.text, "count": count, "redundant": known})
        context.report_progress(len(found["rules"]), steps)
    hint_context = context.with_progress(
        lambda done, _: context.report_progress(len(puzzle.rules) + done, steps)
    )
    found |= clue_ablation(puzzle, total, hint_context, each=each)
    return found | _common_properties(puzzle, context, each)


def rule_impact_many(puzzles: Iterable[Puzzle], **shared: Any) -> Iterator[dict[str, Any]]:
    """For each of many puzzles, count the solutions without each rule and without each hint.

    Options are those of :func:`.puzzle_lists.apply_to_puzzles`.
    """
    return apply_to_puzzles(rule_impact_records, puzzles, **shared)


def rule_impact_records(
    chunk: Chunk, context: Context = UNLIMITED, *, each: float | None = None
) -> Iterator[dict[str, Any]]:
    """For each puzzle of a chunk, count the solutions without each rule and without each hint."""
    for record in chunk:
        yield rule_impact(record.puzzle, context, each=each)


def counts_without_each_rule(
    puzzle: Puzzle, context: Context, max_seconds: float | None
) -> Iterator[int | None]:
    """Yield a puzzle's number of solutions without each rule; None where a limit was reached."""
    return (count_or_none(puzzle.without(rule), context, max_seconds) for rule in puzzle.rules)


def _affects_other_rules(rule: Rule, puzzle: Puzzle) -> bool:
    """Whether removing a rule changes the meaning of another rule of the puzzle."""
    others = [other for other in puzzle.rules if other != rule]
    return any(other.in_company(puzzle.rules) != other.in_company(others) for other in others)


def _common_properties(puzzle: Puzzle, context: Context, seconds: float | None) -> dict[str, Any]:
    """Candidates that no solution has, and cell pairs that are always equal or different."""
    try:
        context.check()
        limited = context.with_timeout(seconds)
        solutions = solve_detailed(puzzle, context=limited, in_any_order=True).grids
        return {
            "dead": unsupported_candidates(puzzle, solutions),
            **equal_or_different_pairs(puzzle, solutions),
        }
    except LimitReached:
        why = "the set of solutions was not made within the limit"
        return {"dead": None, "always_equal": None, "always_different": None, "pairs_open": why}
