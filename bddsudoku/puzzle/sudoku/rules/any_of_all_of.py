"""The rules "any of" and "all of": at least one rule of a group holds, or all of them hold.

A constraint that one of several rules holds is an MDD over all their cells. Where this is too wide,
it stays a disjunction, which the search propagates by a cell that chooses the alternative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from bddsudoku.errors import LimitReached
from bddsudoku.model.connectivity import DistinctInRegions
from bddsudoku.model.constraints import Constraint, Disjunction
from bddsudoku.model.mdd import WidthLimit
from bddsudoku.model.to_mdd import MAX_DISJUNCTION, disjunction_mdd
from bddsudoku.model.word_constraints import Automaton
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Mark
from bddsudoku.puzzle.sudoku.rules.rule import FilledGrid, Rule, rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import constraint_of_rule

MAX_UNITED = 20
"""Most constraints of all rules that become one MDD, which propagates more; found by timing."""


@dataclass(frozen=True)
class _RuleGroup(Rule):
    """Base class of the rules "any of" and "all of", which are groups of other rules."""

    rules: tuple[Rule, ...]

    sees_own_rules: ClassVar[bool]
    """Whether the rules of the group refer to each other's marks."""

    def faults(self, layout: Layout) -> Iterator[str]:
        """No rules; the faults of each of them are its own."""
        if not self.rules:
            yield "expected rules in brackets, found none"
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
        """An automaton over all cells, or a disjunction; none if a rule has no effect here."""
        return list(_disjunction(self, layout))

    def holds(self, grid: FilledGrid) -> bool:
        """Whether a grid obeys at least one of the rules."""
        return any(inner.holds(grid) for inner in self.rules)


@lru_cache(maxsize=64)
def _disjunction(group: AnyOf, layout: Layout) -> tuple[Constraint, ...]:
    """The constraint that at least one rule of a group holds; none if one always does."""
    rules = tuple(tuple(inner.constraints(layout)) for inner in dict.fromkeys(group.rules))
    if not all(rules):
        return ()
    if any(isinstance(c, DistinctInRegions) for each in rules for c in each):
        raise group.error("regions to be found are no alternative")
    made = Disjunction(AnyOf.name, group.label, rules)
    if sum(map(len, rules)) > MAX_UNITED:
        return (made,)
    n = layout.digit_count
    cells = dict.fromkeys(v // n for v in _variables_in_reading_order(made))
    levels = tuple(tuple(range(cell * n, cell * n + n)) for cell in cells)
    try:
        mdd = disjunction_mdd(made, levels, [True] * len(levels), WidthLimit(MAX_DISJUNCTION))
    except LimitReached:
        return (made,)
    return (Automaton(AnyOf.name, group.label, levels, mdd),)


def _variables_in_reading_order(constraint: Constraint) -> Iterable[int]:
    """The variables of a constraint; those of an automaton in the order in which it reads them."""
    if isinstance(constraint, Disjunction):
        inner = chain(*constraint.alternatives)
        return chain.from_iterable(map(_variables_in_reading_order, inner))
    if isinstance(constraint, Automaton):
        return chain(*constraint.groups)
    return constraint.variables
