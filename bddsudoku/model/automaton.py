"""Automata that read groups of variables in sequence: sandwiches, skyscrapers, renban lines, …

A *symbol* says which variable of a group is true: 1 for the first, 2 for the second, …, 0 for none
(over the cells of a Sudoku: the digit). A rule is a start, a step and a test::

    def step(state, symbol):            # a sandwich: the digits between 1 and 9 add up to 17
        crusts, total = state
        if symbol in (1, 9):
            return (crusts + 1, total)
        return (crusts, total + symbol) if crusts == 1 else state

    Automaton.from_step("sandwich", "row 3", groups, (0, 0), step, lambda s: s == (2, 17))

A rule that is stated many times makes its :class:`~bddsudoku.model.layers.Layers` once
(:func:`~bddsudoku.model.layers.explore`) and gives them to many automata.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from bddsudoku.errors import ModelError
from bddsudoku.model.constraint import Assignment, Known

if TYPE_CHECKING:
    from bddsudoku.model.layers import Cap, Layers, State

__all__ = ["FALSE", "TRUE", "Automaton"]

FALSE, TRUE = -1, -2
"""In the place of a variable that is known to be false, or true."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """A word over groups of variables, one symbol each, that an automaton accepts.

    An assignment with two true variables in a group satisfies no automaton.

    Attributes:
        family, label: see :class:`bddsudoku.model.constraint.Constraint`.
        groups: in the order of reading; positions of the variables of symbols 1, 2, …, or
            :data:`FALSE`, :data:`TRUE` for those that are known. No variable twice.
        layers: what is accepted: one level per group, ``1 + len(group)`` choices each.
        commutative: the order of the symbols does not matter, so that machines may read the groups
            in any order at no cost (a cage; a renban line). Not checked.

    Raises:
        ModelError: levels and groups do not fit, or a variable stands there twice.
    """

    family: str
    label: str
    groups: tuple[tuple[int, ...], ...]
    layers: Layers
    commutative: bool = False
    variables: tuple[int, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        found = sorted(v for group in self.groups for v in group if v >= 0)
        object.__setattr__(self, "variables", tuple(found))
        if self.layers.choices != tuple(1 + len(g) for g in self.groups):
            raise ModelError(
                f"{self.family} {self.label}: groups of {[len(g) for g in self.groups]} variables "
                f"for an automaton of {list(self.layers.choices)} choices"
            )
        for v, w in pairwise(found):
            if v == w:
                raise ModelError(f"{self.family} {self.label}: variable {v} stands there twice")

    @classmethod
    def from_step(
        cls,
        family: str,
        label: str,
        groups: Sequence[Sequence[int]],
        start: State,
        step: Callable[[State, int], State | None],
        accepts: Callable[[State], bool],
        *,
        commutative: bool = False,
        cap: Cap | None = None,
    ) -> Automaton:
        """An automaton from its step function.

        Args:
            family, label, commutative: see the class.
            groups: may be of different length; the shorter ones lack the last symbols.
            start, step, accepts, cap: see :func:`bddsudoku.model.layers.explore`.
        """
        from bddsudoku.model.layers import explore

        wide = max((len(g) for g in groups), default=0)
        filled = tuple((*g, *[FALSE] * (wide - len(g))) for g in groups)
        layers = explore(len(filled), 1 + wide, start, step, accepts, cap)
        return cls(family, label, filled, layers, commutative)

    @property
    def kept(self) -> list[list[int] | int]:
        """For every group the symbols that are still possible; the symbol itself when it is settled
        (-1 when two variables are true)."""
        found: list[list[int] | int] = []
        for group in self.groups:
            true = [i for i, v in enumerate(group, 1) if v == TRUE]
            open_ = [i for i, v in enumerate(group, 1) if v >= 0]
            if true:
                found.append(true[0] if len(true) == 1 else -1)
            else:
                found.append([0, *open_] if open_ else 0)
        return found

    @property
    def verdict(self) -> bool | None:
        """See :class:`bddsudoku.model.constraint.Constraint`; costs a walk through the tables."""
        from bddsudoku.model.layers import restrict

        kept = self.kept
        if -1 in kept:
            return False
        left = restrict(self.layers, kept)
        if left.is_empty:
            return False
        # Beside a true variable, and beside each other, none may be true.
        lone = all(sum(v >= 0 for v in g) <= (0 if TRUE in g else 1) for g in self.groups)
        return True if left.is_full and lone else None

    @property
    def is_trivial(self) -> bool:
        """See :class:`~bddsudoku.model.constraint.Constraint`."""
        return self.verdict is True

    def restrict(self, known: Known) -> Automaton:
        """Known variables become :data:`TRUE` or :data:`FALSE`."""
        put = {v: TRUE if value else FALSE for v, value in known.items()}
        return replace(self, groups=tuple(tuple(put.get(v, v) for v in g) for g in self.groups))

    def renumber(self, new: Sequence[int] | Mapping[int, int]) -> Automaton:
        """See :meth:`bddsudoku.model.constraint.Constraint.renumber`."""
        return replace(
            self, groups=tuple(tuple(new[v] if v >= 0 else v for v in g) for g in self.groups)
        )

    def holds(self, assignment: Assignment) -> bool:
        """Read the word."""
        word = []
        for group in self.groups:
            true = [i for i, v in enumerate(group, 1) if (v == TRUE if v < 0 else assignment[v])]
            if len(true) > 1:
                return False
            word.append(true[0] if true else 0)
        return self.layers.accepts(word)
