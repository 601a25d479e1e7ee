"""Base class of rules that an automaton reads: a start state, a step, a test of the last state."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, TypeAlias

from bddsudoku.model.constraints import Constraint
from bddsudoku.model.mdd import WidthLimit
from bddsudoku.puzzle.sudoku.layout import Layout
from bddsudoku.puzzle.sudoku.rules.places_and_marks import Places
from bddsudoku.puzzle.sudoku.rules.rule import FieldKind, FilledGrid, Rule
from bddsudoku.puzzle.sudoku.rules.rule_constraints import (
    accept_all,
    cached_word_mdd,
    mdd_constraint,
)

Digits: TypeAlias = "list[int]"
"""The digits of a word."""
DigitSet: TypeAlias = "frozenset[int]"
"""A set of digits that were read, as a state."""


class WordRule(Rule):
    """Base class of rules that demand of the digits in a sequence of cells that they form a word.

    The words are defined twice: by an automaton, whose functions also get :meth:`parameters`, and
    by :meth:`is_satisfied_by`, which shares nothing with it. The functions are static and see
    nothing else of the rule, so that rules on other cells share the automaton's diagram.

    Attributes:
        cells: the cells in the order of reading, unless :meth:`sequences` says otherwise.
        step: the state after a state and a digit; None if no word goes on like that.
        accepts: whether a word may end in a state.
        commutative: whether the order of the digits makes no difference.
        limit: the greatest width of the automaton's diagram, where it is less than usual.
    """

    cells: Places
    step: ClassVar[Callable[..., Any]]
    accepts: ClassVar[Callable[..., bool]] = staticmethod(accept_all)
    commutative: ClassVar[bool] = False
    limit: ClassVar[WidthLimit | None] = None

    @property
    def start(self) -> Any:
        """The automaton's first state: a class attribute, but where it depends on the rule."""
        return frozenset[int]()

    @abstractmethod
    def is_satisfied_by(self, digits: Digits, values: range) -> bool:
        """Whether the digits of a word, in the order of reading, obey the rule.

        ``values`` are all digits of the board.
        """

    def sequences(self, layout: Layout) -> Mapping[str, Places]:
        """The sequences of cells that the rule is about, by the label of their constraint."""
        return {self.label: self.cells}

    def parameters(self, layout: Layout) -> tuple[Hashable, ...]:
        """What the automaton's functions get besides state and digit; here numbers and words."""
        return tuple(
            getattr(self, key) for key, kind in self.fields.items() if kind is not FieldKind.PLACES
        )

    def constraints(self, layout: Layout) -> list[Constraint]:
        """One automaton for each sequence of cells."""
        more, found = self.parameters(layout), list[Constraint]()
        for label, cells in self.sequences(layout).items():
            start, step, accepts = self.start, self.step, self.accepts
            mdd = cached_word_mdd(
                layout.values, len(cells), start, step, accepts, *more, limit=self.limit
            )
            found.append(
                mdd_constraint(self, layout, cells, mdd, commutative=self.commutative, label=label)
            )
        return found

    def holds(self, grid: FilledGrid) -> bool:
        """Whether the digits of each sequence of cells obey the rule."""
        values = grid.layout.values
        return all(
            self.is_satisfied_by([grid[place] for place in places], values)
            for places in self.sequences(grid.layout).values()
        )
