"""Rule impact and clue ablation: the number of solutions without each rule and each hint.

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
from bddsudoku.solver.ask import count_within, solved
from bddsudoku.solver.batch import answers_many, few_solved
from bddsudoku.solver.hints import dead_candidates, pair_answers, removal_answers
from bddsudoku.solver.records import Chunk


def rule_answers(
    puzzle: Puzzle, context: Context = UNLIMITED, *, each: float | None = None
) -> dict[str, Any]:
    """The impact of every rule and every hint of a puzzle on its number of solutions.

    Args:
        puzzle: of any size, with any rules.
        each: time limit in seconds for each count.

    Returns:
        ``count``: decimal string, or None where a limit ended the count. ``rules``: a list of
        {rule, count without it, redundant (None if unknown, or if the count is the same but
        another rule changes its meaning)}. ``without``, ``redundant``, ``minimal``: the same for
        hints (:func:`.hints.removal_answers`). ``dead``: candidates that no house strikes and no
        solution has; ``always_equal``, ``always_different``: pairs of cells; None where the set
        could not be made.

    Raises:
        LimitReached: the time was used up before the puzzle itself was counted.
    """
    steps = len(puzzle.rules) + puzzle.hint_count
    total = count_within(puzzle, context, each)
    if total is None:
        context.check()
    found: dict[str, Any] = {"count": None if total is None else str(total), "rules": []}
    for number in without_each_rule(puzzle, context, each):
        rule = puzzle.rules[len(found["rules"])]
        known = None if number is None or total is None else number == total
        if known and total and _is_spoken_of(rule, puzzle):
            known = None
        count = None if number is None else str(number)
        found["rules"].append({"rule": rule.text, "count": count, "redundant": known})
        context.tell(len(found["rules"]), steps)
    told = context.reporting(lambda done, _: context.tell(len(puzzle.rules) + done, steps))
    found |= removal_answers(puzzle, total, told, each=each)
    return found | _from_set(puzzle, context, each)


def rule_answers_many(puzzles: Iterable[Puzzle], **shared: Any) -> Iterator[dict[str, Any]]:
    """Records of :func:`rule_answers` for many puzzles; see :func:`.batch.answers_many`."""
    return answers_many(f"{__name__}:rule_records", puzzles, **shared)


def rule_records(
    chunk: Chunk, context: Context = UNLIMITED, *, each: float | None = None
) -> Iterator[dict[str, Any]]:
    """Records of :func:`rule_answers` for a chunk of puzzles."""
    for record in chunk:
        yield rule_answers(record.puzzle, context, each=each)


def without_each_rule(puzzle: Puzzle, context: Context, each: float | None) -> Iterator[int | None]:
    """The number of solutions without each of a puzzle's rules, None where a limit was reached."""
    return (count_within(puzzle.without(rule), context, each) for rule in puzzle.rules)


def _is_spoken_of(rule: Rule, puzzle: Puzzle) -> bool:
    """Whether other rules change their meaning when a rule is removed."""
    others = [other for other in puzzle.rules if other != rule]
    return any(other.beside(puzzle.rules) != other.beside(others) for other in others)


def _from_set(puzzle: Puzzle, context: Context, each: float | None) -> dict[str, Any]:
    """The part of the answer that needs the solution set: unsupported candidates, cell pairs."""
    try:
        context.check()
        found = few_solved(puzzle) or solved(puzzle, context=context.within(each))
        solutions = found.solutions
        return {"dead": dead_candidates(puzzle, solutions), **pair_answers(puzzle, solutions)}
    except LimitReached:
        why = "the set of solutions was not made within the limit"
        return {"dead": None, "always_equal": None, "always_different": None, "pairs_open": why}
