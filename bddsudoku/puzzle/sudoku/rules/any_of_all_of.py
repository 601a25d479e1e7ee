"""The rules "any of" and "all of": at least one rule of a group holds, or all of them hold.

A constraint that one of several rules holds is an MDD over all their cells: its state has a state
of each constraint of each rule, and ends early when a rule is violated or satisfied. Where this is
too wide, the disjunction is distributed: if rule A is a conjunction of constraints A1, A2, … and B
of B1, B2, …, then "A or B" is the conjunction of all "Ai or Bj", each an MDD of its own, which
propagates less. What is too wide in both forms is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, product
from math import prod
from typing import Any, ClassVar, TypeAlias

from bddsudoku.errors import LimitReached
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import Mdd, WidthLimit, empty_mdd, mdd_from_level_steps
from bddsudoku.model.to_mdd import constraint_mdd
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Mark
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import constraint_of_rule

MAX_STATES = 3_000
"""Greatest number of states of one layer of a disjunction's MDD."""
MAX_DISTRIBUTED = 5_000
"""Greatest number of disjunctions of single constraints that one group becomes."""

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

    def check(self, layout: Layout) -> None:
        """Check the rules, and that the MDDs of their disjunction are not too wide."""
        super().check(layout)
        try:
            _disjunction_constraints(self, layout)
        except LimitReached as error:
            raise self.error(f"too wide: {error}") from None

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton over all cells of the rules, or several if one would be too wide."""
        return list(_disjunction_constraints(self, layout))

    def holds(self, grid: FilledGrid) -> bool:
        """Whether a grid obeys at least one of the rules."""
        return any(inner.holds(grid) for inner in self.rules)


@lru_cache(maxsize=64)
def _disjunction_constraints(group: AnyOf, layout: Layout) -> tuple[Constraint, ...]:
    """The constraints that together express that at least one rule of a group holds.

    Raises:
        LimitReached: neither the MDD nor its distributed form is within the limits.
    """
    rules = [tuple(inner.constraints(layout)) for inner in dict.fromkeys(group.rules)]
    if not all(rules):  # a rule without effect on this board always holds
        return ()
    try:
        return (_union_automaton(group.label, rules, layout),)
    except LimitReached:
        parts = prod(map(len, rules))
        if parts == 1:
            raise
        if parts > MAX_DISTRIBUTED:
            raise LimitReached(
                f"more than {MAX_STATES:,} states, or {parts:,} disjunctions of constraints, "
                f"of which {MAX_DISTRIBUTED:,} are allowed",
                limit="states",
            ) from None
    return tuple(
        _union_automaton(f"{group.label} {i}", [(c,) for c in chosen], layout)
        for i, chosen in enumerate(product(*rules), 1)
    )


def _union_automaton(
    label: str, conjunctions: Sequence[tuple[Constraint, ...]], layout: Layout
) -> Automaton:
    """The automaton constraint that at least one of several conjunctions of constraints holds.

    Raises:
        LimitReached: a layer has more than :data:`MAX_STATES` states.
    """
    n = layout.digit_count
    variables = [v for c in chain(*conjunctions) for v in _variables_in_reading_order(c)]
    cells = list(dict.fromkeys(v // n for v in variables))
    levels = [tuple(range(cell * n, cell * n + n)) for cell in cells]
    mdd = _union_mdd(conjunctions, levels)
    return Automaton(AnyOf.name, label, tuple(levels), mdd)


def _variables_in_reading_order(constraint: Constraint) -> Sequence[int]:
    """The variables of a constraint; those of an automaton in the order in which it reads them."""
    if isinstance(constraint, Automaton):
        return [v for group in constraint.groups for v in group]
    return constraint.variables


def _union_mdd(
    conjunctions: Sequence[tuple[Constraint, ...]], levels: Sequence[tuple[int, ...]]
) -> Mdd:
    """The MDD that accepts the cells' digits if these satisfy at least one conjunction."""
    n = len(levels[0]) if levels else 0
    exact = range(len(levels))
    tables: list[list[list[Any]]] = []
    """By rule, constraint and level: the rows by state and digit; None where it is not read."""
    last: list[int] = []
    """By rule: the last level that it reads."""
    possible: list[bool] = []
    """By rule: whether each of its constraints can be satisfied."""
    for conjunction in conjunctions:
        by_constraint = []
        last.append(-1)
        possible.append(True)
        for c in conjunction:
            compiled = constraint_mdd(c, levels, exact=exact, width=MAX_STATES)
            rows: list[Any] = [None] * len(levels)
            for place, held, table in zip(
                compiled.places, compiled.levels, compiled.mdd.tables, strict=True
            ):
                choice = [held.index(v) + 1 if v in held else 0 for v in levels[place]]
                rows[place] = table[:, choice].tolist()
            last[-1] = max(last[-1], *compiled.places, -1)
            possible[-1] &= not compiled.mdd.is_empty
            by_constraint.append(rows)
        tables.append(by_constraint)

    readers = [
        [i for i, group in enumerate(tables) if any(rows[level] is not None for rows in group)]
        for level in exact
    ]

    def step(level: int, state: _Progress, digit: int) -> _Progress | None:
        if not digit:
            return None
        if state == _SATISFIED:
            return state
        after = [*state]
        for i in readers[level]:
            states = state[i]
            moved = None if states is None else _next_states(tables[i], states, level, digit - 1)
            if moved is not None and level == last[i]:
                return _SATISFIED
            after[i] = moved
        return tuple(after) if any(states is not None for states in after) else None

    if not any(possible):
        return empty_mdd([1 + n] * len(levels))
    start = tuple(
        (0,) * len(c) if ok else None for c, ok in zip(conjunctions, possible, strict=True)
    )
    if any(s is not None and end < 0 for s, end in zip(start, last, strict=True)):
        start = _SATISFIED
    limit = WidthLimit(MAX_STATES, "the disjunction")
    return mdd_from_level_steps([1 + n] * len(levels), start, step, limit)


def _next_states(
    tables: Sequence[Sequence[Any]], states: tuple[int, ...], level: int, digit: int
) -> tuple[int, ...] | None:
    """The next states of a rule's constraint MDDs; None if one of the MDDs rejects the digit."""
    after = []
    for rows, state in zip(tables, states, strict=True):
        if (table := rows[level]) is not None:
            state = table[state][digit]
            if state < 0:
                return None
        after.append(state)
    return tuple(after)
