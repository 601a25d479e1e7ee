"""Solution counts with one hint or rule less or one hint more, and pairs of equal or other cells.

Additions come from one set: the number of solutions left when digit d is added in a cell *is* the
marginal of (cell, d), so one pass answers all of them.

Clue ablation counts the puzzle without each hint: many related counts. Classic boards are counted
together (:func:`bddsudoku.engine.board_lists.count_boards`), a fraction of a millisecond each; on
other boards a search that is prepared once for all of them comes first. A hint that unit
propagation restores at once is redundant. What is left is counted one by one by the engine that
fits.

Pairs of open cells that are always equal or always different come from passes over a diagram or a
list of the solutions; of a set that is too large for both they stay open.

Each rule is removed by itself, and the remaining puzzle is counted by the engine that fits it
(without its only rule a board may be a classic one). If another rule refers to a removed mark, that
rule changes its meaning, and the solutions may differ even if their number is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.context import UNLIMITED, Context, Limits, limited
from bddsudoku.engine.board_lists import count_boards
from bddsudoku.errors import LimitReached
from bddsudoku.model.allocation import Allocation
from bddsudoku.puzzle.sudoku.grid import Puzzle, PuzzleRecord
from bddsudoku.puzzle.sudoku.places import Places
from bddsudoku.puzzle.sudoku.rules.rule import Rule
from bddsudoku.puzzle.sudoku.sudoku_model import allocate
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.sets.gridset import GridSet
from bddsudoku.sets.listedset import ListedSet
from bddsudoku.solver.answers import (
    Ablation,
    Additions,
    CommonProperties,
    Hint,
    HintImpact,
    RemovedHint,
    RemovedRule,
    RuleImpact,
)
from bddsudoku.solver.dispatch import count_detailed, count_or_none, solve_detailed
from bddsudoku.solver.next_hints import best_next_hints, place_and_digit
from bddsudoku.solver.puzzle_lists import SharingOptions, apply_to_puzzles, count_by_short_search
from bddsudoku.solver.sources import HARD_CHUNK, Chunk, PuzzleLike, Puzzles, as_puzzle, read_one

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import U16


def common_properties(puzzle: Puzzle, solutions: Any) -> CommonProperties:
    """What all solutions have in common; no pairs are known where there is no solution."""
    dead = unsupported_candidates(puzzle, solutions)
    why = "" if solutions.count() else "there is no solution"
    if not isinstance(solutions, GridSet | ListedSet):
        why = why or "no diagram or list was made"
    if why:
        return CommonProperties(dead=dead, always_equal=None, always_different=None, pairs_open=why)
    settled = solutions.backbone().reshape(-1) != puzzle.layout.blank
    houses = puzzle.layout.houses_by_cell

    def open_pairs(found: Any) -> tuple[Places, ...]:
        pairs = np.asarray(found, dtype=np.int64).reshape(-1, 2)
        pairs = pairs[~settled[pairs].any(axis=1)]
        return tuple(
            tuple(puzzle.layout.places[cell] for cell in pair)
            for pair in sorted(pairs.tolist())
            if {*houses[pair[0]]}.isdisjoint(houses[pair[1]])
        )

    return CommonProperties(
        dead=dead,
        always_equal=open_pairs(solutions.always_equal()),
        always_different=open_pairs(solutions.always_different()),
    )


def _boards_without_each_hint(puzzle: Puzzle) -> U16:
    """For each hint of a classic board the candidate masks of the board without that hint."""
    hints = list(puzzle.hints)
    boards = np.repeat(np.array([puzzle.masks], dtype=np.uint16), len(hints), axis=0)
    boards[np.arange(len(hints)), hints] = 0x1FF
    return boards


@check_types
def clue_ablation(
    puzzle: PuzzleLike,
    total: int | None,
    context: Context = UNLIMITED,
    *,
    each: float | None = None,
    **limits: Unpack[Limits],
) -> Ablation:
    """Clue ablation: the exact number of solutions without each hint.

    Args:
        puzzle: in any form, of any layout.
        total: its number of solutions; None if unknown.
        each: time limit in seconds for each count.

    Cost: up to one count a hint; a millisecond each for 9×9 with 17 hints, less with more; a second
    with 8.
    """
    context = limited(context, **limits)
    puzzle = as_puzzle(puzzle)
    rows: list[RemovedHint] = []
    counts = _ablation_counts(puzzle, total, context, each)
    for (cell, digit), number in zip(puzzle.hints.items(), counts, strict=True):
        redundant = None if None in (number, total) else number == total
        rows.append(RemovedHint(puzzle.layout.places[cell], digit, number, redundant))
        context.report_progress(len(rows), puzzle.hint_count)
    known = [row.redundant for row in rows]
    minimal = False if True in known else None if None in known else True
    return Ablation(without=tuple(rows), redundant=known.count(True), minimal=minimal)


def _ablation_counts(
    puzzle: Puzzle, total: int | None, context: Context, max_seconds: float | None
) -> Iterator[int | None]:
    """Yield the number of solutions without each hint; None where a limit ended the count."""
    known: Iterable[int | None] = repeat(None, puzzle.hint_count)
    if puzzle.is_classic:
        try:
            boards = _boards_without_each_hint(puzzle)
            counted = count_boards(boards, context=context.without_progress)
        except LimitReached:
            yield from known
            return
        numbers = zip(counted.counts.tolist(), counted.settled.tolist(), strict=True)
        known = [number if settled else None for number, settled in numbers]
    for (cell, digit), found in zip(puzzle.hints.items(), known, strict=True):
        reduced = puzzle.without(cell)
        try:
            if found is None and not puzzle.is_classic:
                found = count_by_short_search(reduced, context=context)
        except LimitReached:
            yield None
            continue
        if found is None:
            key = puzzle.layout.key(cell, digit)
            model = allocate(reduced, Allocation.SINGLES)
            is_restored = not model.is_contradictory and any(v.key == key for v in model.fixed)
            found = total if is_restored else count_or_none(reduced, context, max_seconds)
        yield found


@check_types
def hint_impact(
    subject: PuzzleLike, context: Context = UNLIMITED, **limits: Unpack[Limits]
) -> HintImpact:
    """Count a puzzle's solutions with each hint removed in turn, and with each further one added.

    Args:
        subject: a puzzle in any form (:data:`.sources.PuzzleLike`), or a saved set.

    Raises:
        LimitReached: a limit ended the computation of the set.
    """
    context = limited(context, **limits)
    context.check()
    record = read_one(subject)
    found = solve_detailed(record, context=context.without_progress, in_any_order=True)
    return hint_impact_from_set(record, found.grids, context)


def hint_impact_records(chunk: Chunk, context: Context = UNLIMITED) -> Iterator[dict[str, Any]]:
    """Yield each puzzle's solution counts with each hint removed or each further hint added."""
    return (hint_impact(record, context).to_dict() for record in chunk)


@check_types
def hint_impact_many(puzzles: Puzzles, **shared: Unpack[SharingOptions]) -> Iterator[HintImpact]:
    """Yield each puzzle's solution counts with each hint removed or each further hint added.

    Options are those of :class:`.puzzle_lists.SharingOptions`.
    """
    records = apply_to_puzzles(hint_impact_records, puzzles, {}, HARD_CHUNK, **shared)
    return map(HintImpact.from_dict, records)


def hint_impact_from_set(
    record: PuzzleRecord,
    solutions: GridFamily,
    context: Context = UNLIMITED,
) -> HintImpact:
    """Count a puzzle's solutions with one hint removed or added, given the set of solutions.

    A saved set may hold fewer solutions than its hints allow; the ablation then refers to the hints
    alone.
    """
    if record.saved is None:
        total = solutions.count()
    else:
        total = count_detailed(record.puzzle, context=context.without_progress).count
    ablation = clue_ablation(record.puzzle, total, context)
    return HintImpact(**vars(ablation), **vars(clue_additions(record.puzzle, solutions)))


@check_types
def clue_additions(puzzle: PuzzleLike, solutions: GridFamily) -> Additions:
    """The number of solutions with each possible further hint, from the set of all solutions."""
    puzzle = as_puzzle(puzzle)
    layout, counts = puzzle.layout, solutions.marginals()
    total = solutions.count()
    unique = np.flatnonzero(counts == 1).tolist() if total > 1 else []
    return Additions(
        count=total,
        marginals=counts,
        unique=tuple(Hint(*place_and_digit(key, layout)) for key in unique),
        next=best_next_hints(puzzle, solutions),
        **vars(common_properties(puzzle, solutions)),
    )


def unsupported_candidates(puzzle: Puzzle, solutions: GridFamily) -> tuple[Hint, ...]:
    """The candidates that the hints allow but no solution has."""
    counts = solutions.marginals().reshape(-1)
    keys = (v.key for v in allocate(puzzle, Allocation.CANDIDATES).variables)
    return tuple(Hint(*place_and_digit(key, puzzle.layout)) for key in keys if not counts[key])


# -- rules -----------------------------------------------------------------------------------------


@check_types
def rule_impact(
    puzzle: PuzzleLike,
    context: Context = UNLIMITED,
    *,
    each: float | None = None,
    **limits: Unpack[Limits],
) -> RuleImpact:
    """Count a puzzle's solutions without each rule and without each hint.

    Args:
        puzzle: in any form, of any size, with any rules.
        each: time limit in seconds for each count.

    Raises:
        LimitReached: the time was used up before the puzzle itself was counted.
    """
    context = limited(context, **limits)
    puzzle = as_puzzle(puzzle)
    steps = len(puzzle.rules) + puzzle.hint_count
    total = count_or_none(puzzle, context, each)
    if total is None:
        context.check()
    rules: list[RemovedRule] = []
    for number in counts_without_each_rule(puzzle, context, each):
        rule = puzzle.rules[len(rules)]
        known = None if number is None or total is None else number == total
        if known and total and _affects_other_rules(rule, puzzle):
            known = None
        rules.append(RemovedRule(rule.text, number, known))
        context.report_progress(len(rules), steps)
    hint_context = context.with_progress(
        lambda done, _: context.report_progress(len(puzzle.rules) + done, steps)
    )
    return RuleImpact(
        count=total,
        rules=tuple(rules),
        **vars(clue_ablation(puzzle, total, hint_context, each=each)),
        **vars(_common_properties_within(puzzle, context, each)),
    )


@check_types
def rule_impact_many(
    puzzles: Puzzles, *, each: float | None = None, **shared: Unpack[SharingOptions]
) -> Iterator[RuleImpact]:
    """For each of many puzzles, count the solutions without each rule and without each hint.

    Args:
        puzzles: in any form.
        each: time limit in seconds for each count.
        shared: see :class:`.puzzle_lists.SharingOptions`.
    """
    records = apply_to_puzzles(rule_impact_records, puzzles, {"each": each}, **shared)
    return map(RuleImpact.from_dict, records)


def rule_impact_records(
    chunk: Chunk, context: Context = UNLIMITED, *, each: float | None = None
) -> Iterator[dict[str, Any]]:
    """For each puzzle of a chunk, count the solutions without each rule and without each hint."""
    for record in chunk:
        yield rule_impact(record.puzzle, context, each=each).to_dict()


def counts_without_each_rule(
    puzzle: Puzzle, context: Context, max_seconds: float | None
) -> Iterator[int | None]:
    """Yield a puzzle's number of solutions without each rule; None where a limit was reached."""
    return (count_or_none(puzzle.without(rule), context, max_seconds) for rule in puzzle.rules)


def _affects_other_rules(rule: Rule, puzzle: Puzzle) -> bool:
    """Whether removing a rule changes the meaning of another rule of the puzzle."""
    others = [other for other in puzzle.rules if other != rule]
    return any(other.in_company(puzzle.rules) != other.in_company(others) for other in others)


def _common_properties_within(
    puzzle: Puzzle, context: Context, seconds: float | None
) -> CommonProperties:
    """What all solutions have in common, if the set of solutions is made within limits."""
    try:
        context.check()
        context = context.with_timeout(seconds)
        solutions = solve_detailed(puzzle, context=context, in_any_order=True).grids
        return common_properties(puzzle, solutions)
    except LimitReached:
        why = "the set of solutions was not made within the limit"
        return CommonProperties(dead=None, always_equal=None, always_different=None, pairs_open=why)
