"""Constraints on words: groups of variables are read as symbols, one after the other.

A *symbol* is the number of the variable of a group that is true: 1 for the first, 2 for the second,
…, 0 for none (over the cells of a Sudoku: the digit).

An :class:`Automaton` states sandwiches, skyscrapers, renban lines and the like. Its words are those
of an :class:`~bddsudoku.model.mdd.Mdd`, which is made from a start state, a step and a test
(:func:`~bddsudoku.model.mdd.mdd_from_automaton`)::

    def step(state, symbol):            # a sandwich: the digits between 1 and 9 add up to 17
        crusts, total = state
        if symbol in (1, 9):
            return (crusts + 1, total)
        return (crusts, total + symbol) if crusts == 1 else state

    mdd = mdd_from_automaton(9, range(10), (0, 0), step, lambda s: s == (2, 17))
    Automaton("sandwich", "row 3", groups, mdd)

A rule that a puzzle states many times builds its MDD once and shares it among many automata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Self, TypeAlias

from bddsudoku.errors import ModelError
from bddsudoku.model.constraints import Assignment, Assumptions
from bddsudoku.model.mdd import Mdd, restrict_mdd

FALSE, TRUE = -1, -2
"""Placeholders in a group for a variable that is known to be false, or true."""

Groups: TypeAlias = "tuple[tuple[int, ...], ...]"
"""Positions of the variables of symbols 1, 2, … of each group."""


@lru_cache(maxsize=1024)
def _variables(groups: Groups) -> tuple[int, ...]:
    """The positions of all variables of groups, ascending."""
    return tuple(sorted(v for group in groups for v in group if v >= 0))


@dataclass(frozen=True)
class GroupConstraint:
    """Base class of constraints that read groups of variables, each of which is in one group.

    Attributes:
        family, label: see :class:`bddsudoku.model.constraints.Constraint`.
        groups: positions of variables, or :data:`FALSE`, :data:`TRUE` for those that are known.

    Raises:
        ModelError: a variable occurs twice.
    """

    family: str
    label: str
    groups: Groups
    variables: tuple[int, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        found = _variables(self.groups)
        object.__setattr__(self, "variables", found)
        if len({*found}) < len(found):
            v = next(v for v, w in pairwise(found) if v == w)
            raise ModelError(f"{self.family} {self.label}: variable {v} stands there twice")

    def restrict(self, known: Assumptions) -> Self:
        """The same constraint with :data:`TRUE` or :data:`FALSE` in place of known variables."""
        put = {v: TRUE if known[v] else FALSE for v in self.variables if v in known}
        return replace(self, groups=tuple(tuple(put.get(v, v) for v in g) for g in self.groups))

    def renumber(self, positions: Sequence[int] | Mapping[int, int]) -> Self:
        """The same constraint with its variables renumbered."""
        return replace(
            self, groups=tuple(tuple(positions[v] if v >= 0 else v for v in g) for g in self.groups)
        )


@dataclass(frozen=True)
class Automaton(GroupConstraint):
    """The constraint that groups of variables, one symbol each, spell a word that an MDD accepts.

    An assignment with two true variables in a group never satisfies one.

    Attributes:
        groups: in the order of reading: the variables of symbols 1, 2, …
        mdd: the accepted words: one level per group, ``1 + len(group)`` choices each.
        commutative: acceptance does not depend on the order of the symbols, so that an MDD may
            read the groups in any order at no cost (a cage; a renban line). Not checked.

    Raises:
        ModelError: levels and groups do not fit, or a variable occurs twice.
    """

    mdd: Mdd
    commutative: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mdd.choices != tuple(1 + len(g) for g in self.groups):
            raise ModelError(
                f"{self.family} {self.label}: groups of {[len(g) for g in self.groups]} variables "
                f"for an automaton of {list(self.mdd.choices)} choices"
            )

    def word(self, assignment: Assignment) -> list[int] | None:
        """The symbols of all groups; None if two variables of a group are true."""
        word = []
        for group in self.groups:
            true = [i for i, v in enumerate(group, 1) if (v == TRUE if v < 0 else assignment[v])]
            if len(true) > 1:
                return None
            word.append(true[0] if true else 0)
        return word

    @property
    def possible_symbols(self) -> tuple[tuple[int, ...] | int, ...]:
        """For each group of variables, its possible symbols, or its known symbol.

        The one symbol is -1 when two variables of the group are true.
        """
        found: list[tuple[int, ...] | int] = []
        for group in self.groups:
            open_ = tuple([i for i, v in enumerate(group, 1) if v >= 0])
            if TRUE in group:
                found.append(1 + group.index(TRUE) if group.count(TRUE) == 1 else -1)
            else:
                found.append((0, *open_) if open_ else 0)
        return tuple(found)

    @cached_property
    def restricted_mdd(self) -> Mdd | None:
        """The MDD over groups whose symbol is unknown, restricted to the symbols still possible.

        None when two variables of a group are true.
        """
        kept = self.possible_symbols
        return None if -1 in kept else restrict_mdd(self.mdd, kept)

    @property
    def verdict(self) -> bool | None:
        """True if every assignment satisfies the constraint, False if none does, None otherwise.

        Found in linear time by restricting the MDD to possible symbols.
        """
        left = self.restricted_mdd
        if left is None or left.is_empty:
            return False
        return True if left.is_full and not self._excludes_pairs else None

    @property
    def _excludes_pairs(self) -> bool:
        """Whether some variable may not be true beside another one of its group."""
        return any(sum(v >= 0 for v in g) > (0 if TRUE in g else 1) for g in self.groups)

    @property
    def is_trivial(self) -> bool:
        """True when it is known that every assignment satisfies the constraint."""
        return not self._excludes_pairs and self.verdict is True

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint."""
        word = self.word(assignment)
        return word is not None and self.mdd.accepts(word)
