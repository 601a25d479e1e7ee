"""What a model may demand of its variables, and what every such demand can tell.

``OneHot`` (exactly or at most one), :class:`Linear` (a weighted sum between two bounds),
:class:`Formula` (any statement), ``Automaton`` (groups read in sequence). Each can be restricted
when something becomes known, says when nothing is left to ask, is checked by looking at it, and
becomes a machine (:func:`bddsudoku.model.machine.machine`) for any order of the variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar, runtime_checkable

from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bddsudoku.model.expression import Expression

__all__ = ["Assignment", "Constraint", "Formula", "Known", "Linear", "ascending", "true_among"]

Known = Mapping[int, bool]
"""Values of some variables, by position."""

Assignment: TypeAlias = "Mapping[int, bool] | Sequence[bool] | Sequence[int] | NDArray[np.bool_]"
"""Values of all variables that are asked for, by position."""

Self = TypeVar("Self")


@runtime_checkable
class Constraint(Protocol):
    """A demand on some variables of a model."""

    @property
    def family(self) -> str:
        """What schedules speak of: ``cell``, ``row``, ``cage``, …"""

    @property
    def label(self) -> str:
        """What people read; unique within its family."""

    @property
    def variables(self) -> tuple[int, ...]:
        """Ascending positions in ``Model.variables``."""

    @property
    def verdict(self) -> bool | None:
        """True: every assignment satisfies it; False: none does; None: it depends, or takes work to
        tell. Never None when no variable is left."""

    @property
    def is_trivial(self) -> bool:
        """True when nothing is left to say, so that no engine need look at it."""

    def restrict(self: Self, known: Known) -> Self:
        """What it demands of the other variables; positions stay as they are."""

    def renumber(self: Self, new: Sequence[int] | Mapping[int, int]) -> Self:
        """The same with variable ``v`` at position ``new[v]``; these must be distinct."""

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies it: the plain definition, as a reader would check it."""


def ascending(family: str, label: str, variables: Sequence[int]) -> None:
    """Check positions.

    Raises:
        ModelError: one is negative, or they do not ascend.
    """
    last = -1
    for v in variables:
        if v <= last:
            raise ModelError(f"{family} {label}: variable {v} is out of range or out of order")
        last = v


def true_among(variables: Sequence[int], assignment: Assignment) -> int:
    """How many of some variables are true."""
    return sum(bool(assignment[v]) for v in variables)


@dataclass(frozen=True, slots=True)
class Linear:
    """``low <= sum of weight * variable <= high``.

    Attributes:
        family, label: see :class:`Constraint`.
        variables: ascending positions.
        weights: one integer each, of any size and sign.
        low: None for no lower bound.
        high: None for no upper bound.

    Raises:
        ModelError: positions do not ascend, or weights are missing.
    """

    family: str
    label: str
    variables: tuple[int, ...]
    weights: tuple[int, ...]
    low: int | None = None
    high: int | None = None

    def __post_init__(self) -> None:
        ascending(self.family, self.label, self.variables)
        if len(self.weights) != len(self.variables):
            raise ModelError(
                f"{self.family} {self.label}: {len(self.weights)} weights for "
                f"{len(self.variables)} variables"
            )

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest sum of any assignment."""
        return sum(w for w in self.weights if w < 0), sum(w for w in self.weights if w > 0)

    @property
    def verdict(self) -> bool | None:
        """By the bounds of the sum: see :class:`Constraint`."""
        least, most = self.bounds
        low = least if self.low is None else self.low
        high = most if self.high is None else self.high
        if low <= least and most <= high:
            return True
        return False if low > high or low > most or high < least else None

    @property
    def is_trivial(self) -> bool:
        """See :class:`Constraint`."""
        return self.verdict is True

    def restrict(self, known: Known) -> Linear:
        """Known variables move into the bounds."""
        gone = sum(
            w for v, w in zip(self.variables, self.weights, strict=True) if known.get(v, False)
        )
        kept = [(v, w) for v, w in zip(self.variables, self.weights, strict=True) if v not in known]
        return replace(
            self,
            variables=tuple(v for v, _ in kept),
            weights=tuple(w for _, w in kept),
            low=None if self.low is None else self.low - gone,
            high=None if self.high is None else self.high - gone,
        )

    def renumber(self, new: Sequence[int] | Mapping[int, int]) -> Linear:
        """See :meth:`Constraint.renumber`."""
        moved = sorted((new[v], w) for v, w in zip(self.variables, self.weights, strict=True))
        return replace(
            self, variables=tuple(v for v, _ in moved), weights=tuple(w for _, w in moved)
        )

    def holds(self, assignment: Assignment) -> bool:
        """Add up and compare."""
        total = sum(w for v, w in zip(self.variables, self.weights, strict=True) if assignment[v])
        return (self.low is None or self.low <= total) and (self.high is None or total <= self.high)


@dataclass(frozen=True, slots=True)
class Formula:
    """A statement: an expression that shall have a value, and not 0.

    Attributes:
        family, label: see :class:`Constraint`.
        expression: over variables by their position.
    """

    family: str
    label: str
    expression: Expression
    variables: tuple[int, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        from bddsudoku.model.expression import support

        object.__setattr__(self, "variables", support(self.expression))

    @property
    def verdict(self) -> bool | None:
        """By the bounds of the expression: see :class:`Constraint`."""
        if not self.variables:
            return self.holds({})
        if not self.expression.defined:
            return None
        low, high = self.expression.low, self.expression.high
        return True if low > 0 or high < 0 else False if low == high == 0 else None

    @property
    def is_trivial(self) -> bool:
        """See :class:`Constraint`."""
        return self.verdict is True

    def restrict(self, known: Known) -> Formula:
        """Known variables become numbers, and the expression simpler."""
        from bddsudoku.model.simplify import substitute

        mine = {v: known[v] for v in self.variables if v in known}
        return Formula(self.family, self.label, substitute(self.expression, mine)) if mine else self

    def renumber(self, new: Sequence[int] | Mapping[int, int]) -> Formula:
        """See :meth:`Constraint.renumber`."""
        from bddsudoku.model.expression import Reference
        from bddsudoku.model.simplify import substitute

        moved = {v: Reference(new[v]) for v in self.variables}
        return Formula(self.family, self.label, substitute(self.expression, moved))

    def holds(self, assignment: Assignment) -> bool:
        """Evaluate; False where the expression has no value (it divides by 0)."""
        from bddsudoku.model.expression import evaluate

        try:
            return evaluate(self.expression, assignment) != 0  # type: ignore[arg-type]
        except ModelError:
            return False
