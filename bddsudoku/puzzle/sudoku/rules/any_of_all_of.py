"""The rules "any of" and "all of": at least one rule of a group holds, or all of them hold.

A constraint that one of several rules holds is an MDD over all their cells: its state has a state
of each constraint of each rule, and ends early when a rule is violated or satisfied. Where this is
too wide, the disjunction is distributed: if rule A is a conjunction of constraints A1, A2, … and B
of B1, B2, …, then "A or B" is the conjunction of all "Ai or Bj", each an MDD of its own, which
propagates less. What is too wide in both forms is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, product
from math import prod
from typing import ClassVar, TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import WidthLimit, empty_mdd, mdd_from_level_steps
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Mark
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import constraint_of_rule

MAX_STATES = 3_000
"""Greatest number of states of one layer of a disjunction's MDD."""
MAX_DISTRIBUTED = 5_000
"""Greatest number of disjunctions of single constraints that one group becomes."""

_Rows: TypeAlias = "Mapping[int, list[list[int]]]"
"""A constraint's MDD: by level that it reads, the next state by state and digit."""
_Progress: TypeAlias = "tuple[tuple[int, ...] | None, ...]"
"""For every rule that may still hold the states of its constraints' MDDs; None if violated."""
_SATISFIED: _Progress = ()
"""The state in which one of the rules holds, whatever follows."""


@dataclass(frozen=True)
class _RuleGroup(Rule):
    """Base class of the rules "any of" and "all of", which are groups of other rules."""

    rules: tuple[Rule, ...]

    sees_own_rules: ClassVar[bool]
    """Whether the rules of the group refer to each other's marks."""

    def check(self, layout: Layout) -> None:
        """Check that there are rules, and that each of them fits the board."""
        if not self.rules:
            raise self.error("expected rules in brackets, found none")
        for inner in self.rules:
            inner.check(layout)

    def in_company(self, rules: Sequence[Rule]) -> Rule:
        """A copy of the group whose rules mean what they mean among ``rules``, but stand alone."""
        others = (*rules, *self.rules) if self.sees_own_rules else rules
        return replace(self, rules=tuple(inner.in_company(others) for inner in self.rules))


@rule("allof", "all of the rules hold")
class AllOf(_RuleGroup):
    """A group of rules that all hold; useful as one of the rules of "any of"."""

    sees_own_rules = True

    def constraints(self, layout: Layout) -> list[Constraint]:
        """The constraints of all rules of the group, labelled as constraints of the group."""
        return [
            constraint_of_rule(self, c, f"{inner.name} {c.label}")
            for inner in dict.fromkeys(self.rules)
            for c in inner.constraints(layout)
        ]

    def holds(self, grid: FilledGrid) -> bool:
        """Whether a grid obeys every rule."""
        return all(inner.holds(grid) for inner in self.rules)

    def marks(self, layout: Layout) -> Iterator[Mark]:
        """Yield the drawn marks of all rules of the group."""
        for inner in self.rules:
            yield from inner.marks(layout)


@rule("anyof", "at least one of the rules holds")
class AnyOf(_RuleGroup):
    """A group of rules of which at least one holds."""

    sees_own_rules = False

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over all cells of the rules; none if one of them has no effect here."""
        return list(_disjunction(self, layout))

    def holds(self, grid: FilledGrid) -> bool:
        """Whether a grid obeys at least one of the rules."""
        return any(inner.holds(grid) for inner in self.rules)


@lru_cache(maxsize=64)
def _disjunction(group: AnyOf, layout: Layout) -> tuple[Constraint, ...]:
    """The constraints that at least one rule of a group holds; none if one always does.

    Raises:
        LimitReached: neither the MDD nor its distributed form is within the limits.
    """
    rules = [inner.constraints(layout) for inner in dict.fromkeys(group.rules)]
    if not all(rules):
        return ()
    try:
        return (_union_automaton(group.label, rules, layout),)
    except LimitReached:
        if not 1 < prod(map(len, rules)) <= MAX_DISTRIBUTED:
            raise
    return tuple(
        _union_automaton(f"{group.label} {i}", [[c] for c in chosen], layout)
        for i, chosen in enumerate(product(*rules), 1)
    )


def _union_automaton(
    label: str, rules: Sequence[Sequence[Constraint]], layout: Layout
) -> Automaton:
    """The constraint that all constraints of at least one of several rules hold.

    Raises:
        LimitReached: a layer has more than :data:`MAX_STATES` states.
    """
    n = layout.digit_count
    variables = (v for c in chain(*rules) for v in _variables_in_reading_order(c))
    cells = dict.fromkeys(v // n for v in variables)
    levels = tuple(tuple(range(cell * n, cell * n + n)) for cell in cells)
    exact, choices = range(len(levels)), [1 + n] * len(levels)
    start, read = [], []
    for constraints in rules:
        compiled = [constraint_mdd(c, levels, exact=exact, width=MAX_STATES) for c in constraints]
        start.append(None if any(c.mdd.is_empty for c in compiled) else (0,) * len(compiled))
        last = max(place for c in compiled for place in (*c.places, 0))
        read.append((last, [_rows_by_level(c, levels) for c in compiled]))
    limit = WidthLimit(MAX_STATES, "too wide, the disjunction")
    step = partial(_step_disjunction, read)
    mdd = empty_mdd(choices)
    if any(start):
        mdd = mdd_from_level_steps(choices, tuple(start), step, limit)
    return Automaton(AnyOf.name, label, levels, mdd)


def _variables_in_reading_order(constraint: Constraint) -> Sequence[int]:
    """The variables of a constraint; those of an automaton in the order in which it reads them."""
    if isinstance(constraint, Automaton):
        return [v for group in constraint.groups for v in group]
    return constraint.variables


def _rows_by_level(compiled: ConstraintMdd, groups: Sequence[tuple[int, ...]]) -> _Rows:
    """The tables of a constraint's MDD by level, with a column for each digit."""
    found = {}
    for place, held, table in zip(
        compiled.places, compiled.levels, compiled.mdd.tables, strict=True
    ):
        choices = [held.index(v) + 1 if v in held else 0 for v in groups[place]]
        found[place] = table[:, choices].tolist()
    return found


def _step_disjunction(
    rules: Sequence[tuple[int, Sequence[_Rows]]], level: int, state: _Progress, digit: int
) -> _Progress | None:
    """The next state of a disjunction; None if all rules are violated.

    Args:
        rules: the last level that each rule reads, and the MDDs of its constraints.
        level: the number of the cell that is read.
        state: see :data:`_Progress`.
        digit: the number of the cell's digit; 0 for none, which is rejected.
    """
    if not digit or state == _SATISFIED:
        return state if digit else None
    after: list[tuple[int, ...] | None] = []
    for (last, constraints), states in zip(rules, state, strict=True):
        moved = tuple(
            rows[level][s][digit - 1] if level in rows else s
            for rows, s in zip(constraints, states or (), strict=False)
        )
        if moved and min(moved) >= 0 and level >= last:
            return _SATISFIED
        after.append(moved if moved and min(moved) >= 0 else None)
    return tuple(after) if any(after) else None
