"""The protocol of constraints on a model's Boolean variables, and four of the five kinds.

:class:`OneHot` (exactly one or at most one of some variables is true: an item of an exact-cover
problem), :class:`Linear` (a weighted sum between two bounds), :class:`Formula` (an expression
that is not 0) and :class:`Disjunction` (all constraints of one of several alternatives hold);
:mod:`bddsudoku.model.word_constraints` has those that read groups of variables as words. Each kind
can be restricted by the values of some variables, can test an assignment, and has an MDD for any
order of the variables (:func:`bddsudoku.model.to_mdd.constraint_mdd`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from bddsudoku.argument_types import check_types
from bddsudoku.errors import ModelError
from bddsudoku.model.expression import Expression, Reference, evaluate, support
from bddsudoku.model.simplify import substitute

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64, Flags

Assumptions = Mapping[int, bool]
"""Values of some variables, by position."""

Assignment: TypeAlias = "Mapping[int, bool] | Sequence[bool] | Sequence[int] | Flags"
"""Values of all variables of a constraint (or of more), by position."""

Members = tuple[int, ...]
"""Positions of variables."""

Self = TypeVar("Self")


@runtime_checkable
class Constraint(Protocol):
    """The protocol of a constraint on some variables of a model."""

    @property
    def family(self) -> str:
        """Name of the constraint's kind (``cell``, ``row``, ``cage``), as used in schedules."""

    @property
    def label(self) -> str:
        """The constraint's name in messages, unique within its family."""

    @property
    def variables(self) -> tuple[int, ...]:
        """Positions in ``Model.variables`` of the variables that are constrained, ascending."""

    @property
    def verdict(self) -> bool | None:
        """True if every assignment satisfies the constraint, False if none does, None if undecided.

        None when that depends on the assignment or would take work to find out; never None when no
        variable is left.
        """

    @property
    def is_trivial(self) -> bool:
        """True when every assignment satisfies the constraint, so that engines may skip it."""

    def restrict(self: Self, known: Assumptions) -> Self:
        """The constraint on the other variables when some are known; no variable is renumbered."""

    def renumber(self: Self, positions: Sequence[int] | Mapping[int, int]) -> Self:
        """The constraint with variable ``v`` renamed ``positions[v]``; no two may become equal."""

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint, evaluated from its plain definition."""


def check_ascending_positions(
    family: str, label: str, variables: Sequence[int], variable_count: int | None = None
) -> None:
    """Raise an error unless the positions of a constraint's variables exist and ascend.

    Raises:
        ModelError: they do not ascend, or one is negative or not below ``variable_count``.
    """
    last = -1
    for v in variables:
        if v <= last or (variable_count is not None and v >= variable_count):
            raise ModelError(f"{family} {label}: variable {v} is out of range or out of order")
        last = v


@check_types
@dataclass(frozen=True, slots=True)
class Linear:
    """The linear constraint ``low <= sum of weight * variable <= high``.

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
        check_ascending_positions(self.family, self.label, self.variables)
        if len(self.weights) != len(self.variables):
            raise ModelError(
                f"{self.family} {self.label}: {len(self.weights)} weights for "
                f"{len(self.variables)} variables"
            )

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest sum under any assignment."""
        return sum(w for w in self.weights if w < 0), sum(w for w in self.weights if w > 0)

    @property
    def verdict(self) -> bool | None:
        """True if bounds prove the constraint, False if bounds refute it, otherwise None."""
        least, most = self.bounds
        low = least if self.low is None else self.low
        high = most if self.high is None else self.high
        if low <= least and most <= high:
            return True
        return False if low > high or low > most or high < least else None

    @property
    def is_trivial(self) -> bool:
        """True when it is known that every assignment satisfies the constraint."""
        return self.verdict is True

    def restrict(self, known: Assumptions) -> Linear:
        """The constraint on the unknown variables; true ones lower the bounds by their weights."""
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

    def renumber(self, positions: Sequence[int] | Mapping[int, int]) -> Linear:
        """The same constraint with its variables renumbered."""
        moved = sorted((positions[v], w) for v, w in zip(self.variables, self.weights, strict=True))
        return replace(
            self, variables=tuple(v for v, _ in moved), weights=tuple(w for _, w in moved)
        )

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint."""
        total = sum(w for v, w in zip(self.variables, self.weights, strict=True) if assignment[v])
        return (self.low is None or self.low <= total) and (self.high is None or total <= self.high)


@check_types
@dataclass(frozen=True, slots=True)
class Formula:
    """The constraint that an expression has a value (no division by 0) and the value is not 0.

    Attributes:
        family, label: see :class:`Constraint`.
        expression: refers to variables by their positions.
        variables: the support of the expression.
    """

    family: str
    label: str
    expression: Expression
    variables: tuple[int, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", support(self.expression))

    @property
    def verdict(self) -> bool | None:
        """True if bounds prove the constraint, False if bounds refute it, otherwise None."""
        if not self.variables:
            return self.holds({})
        if not self.expression.defined:
            return None
        low, high = self.expression.low, self.expression.high
        return True if low > 0 or high < 0 else False if low == high == 0 else None

    @property
    def is_trivial(self) -> bool:
        """True when it is known that every assignment satisfies the constraint."""
        return self.verdict is True

    def restrict(self, known: Assumptions) -> Formula:
        """The constraint on the unknown variables, after substitution of the known values."""
        mine = {v: known[v] for v in self.variables if v in known}
        return Formula(self.family, self.label, substitute(self.expression, mine)) if mine else self

    def renumber(self, positions: Sequence[int] | Mapping[int, int]) -> Formula:
        """The same constraint with its variables renumbered."""
        moved = {v: Reference(positions[v]) for v in self.variables}
        return Formula(self.family, self.label, substitute(self.expression, moved))

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint; False if an operation is undefined."""
        try:
            return evaluate(self.expression, assignment) != 0  # type: ignore[arg-type]
        except ModelError:
            return False


@check_types
@dataclass(frozen=True)
class Disjunction:
    """The constraint that all constraints of at least one of several alternatives hold.

    Attributes:
        family, label: see :class:`Constraint`.
        alternatives: the constraints of each, of any kind.
        variables: those of all of them.
    """

    family: str
    label: str
    alternatives: tuple[tuple[Constraint, ...], ...]
    variables: tuple[int, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        found = {v for each in self.alternatives for c in each for v in c.variables}
        object.__setattr__(self, "variables", tuple(sorted(found)))

    @property
    def verdict(self) -> bool | None:
        """True if an alternative has no constraint, None if variables decide."""
        if () in self.alternatives:
            return True
        return None if self.variables else self.holds({})

    @property
    def is_trivial(self) -> bool:
        """True when it is known that every assignment satisfies the constraint."""
        return self.verdict is True

    def restrict(self, known: Assumptions) -> Disjunction:
        """The constraint on the unknown variables, without what the known ones decide."""
        left = ([c.restrict(known) for c in each] for each in self.alternatives)
        undecided = (
            tuple(c for c in each if c.verdict is None)
            for each in left
            if all(c.verdict is not False for c in each)
        )
        return replace(self, alternatives=tuple(undecided))

    def renumber(self, positions: Sequence[int] | Mapping[int, int]) -> Disjunction:
        """The same constraint with its variables renumbered."""
        moved = (tuple(c.renumber(positions) for c in each) for each in self.alternatives)
        return replace(self, alternatives=tuple(moved))

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint."""
        return any(all(c.holds(assignment) for c in each) for each in self.alternatives)


@check_types
@dataclass(frozen=True, slots=True)
class Variable:
    """One Boolean variable.

    Attributes:
        name: name in output and messages, e.g. ``aa4``.
        key: identifier from which the puzzle decodes a solution: an integer that is the same under
            every allocation (for Sudoku ``cell * n + digit - 1``).
        cell, value: the variable is true when this cell (a cell of a board, an integer of a
            formula) has this value. None for a Boolean, or an option of an exact cover: a cell of
            its own, with the values true and false.
    """

    name: str
    key: int
    cell: int | None = None
    value: int = 1


class OneHot(NamedTuple):
    """The constraint that exactly one (or at most one) of some variables is true.

    A named tuple, as boards have thousands of them.

    Attributes:
        family: ``cell``, ``row``, ``column``, ``block``, …; see :class:`Constraint`.
        label: see :class:`Constraint`.
        variables: ascending positions in ``Model.variables``.
        total: how many of the variables are to be true: 1; 0 once a hint or an assumption is that
            one; negative when two of them clash (then no assignment satisfies the constraint).
        at_most: fewer than ``total`` may be true as well (an item that need not be covered).
        house: the name of a set of cells that all differ, of which this constraint states one
            value: ``a`` for ``row a 5``; empty for other constraints.
    """

    family: str
    label: str
    variables: tuple[int, ...]
    total: int = 1
    at_most: bool = False
    house: str = ""

    @property
    def is_trivial(self) -> bool:
        """True when no variable is left and the constraint is satisfied."""
        return not self.variables and (self.total == 0 or (self.at_most and self.total >= 0))

    @property
    def is_exact(self) -> bool:
        """True when exactly one of the variables is to be true."""
        return self.total == 1 and not self.at_most

    @property
    def is_contradiction(self) -> bool:
        """True when the constraint cannot be met: two variables are true, or none can be true."""
        return self.total < 0 or (self.total > 0 and not self.at_most and not self.variables)

    @property
    def verdict(self) -> bool | None:
        """True if every assignment satisfies the constraint, False if none does, None otherwise."""
        if self.total < 0 or (self.total > len(self.variables) and not self.at_most):
            return False
        enough = self.total >= len(self.variables) if self.at_most else not self.variables
        return True if enough else None

    def restrict(self, known: Assumptions) -> OneHot:
        """The constraint on the unknown variables; every known true one lowers ``total`` by 1."""
        gone = sum(known.get(v, False) for v in self.variables)
        left = tuple(v for v in self.variables if v not in known)
        return self._replace(variables=left, total=self.total - gone)

    def renumber(self, positions: Sequence[int] | Mapping[int, int]) -> OneHot:
        """The same constraint with its variables renumbered."""
        return self._replace(variables=tuple(sorted(positions[v] for v in self.variables)))

    def holds(self, assignment: Assignment) -> bool:
        """Whether an assignment satisfies the constraint."""
        true = sum(bool(assignment[v]) for v in self.variables)
        return true <= self.total if self.at_most else true == self.total


@dataclass(frozen=True, eq=False)
class OneHotSets:
    """One-hot constraints without the variables that must be false.

    Attributes:
        items: sets of variables of which exactly one is true.
        groups: sets of variables of which at most one is true.
        false: the variables of used-up constraints.
        variables: those of the items and groups.
        houses: those of each house together, with True for the items; all others by themselves.
        possible: False when a single constraint already excludes every solution.
    """

    items: tuple[Members, ...]
    groups: tuple[Members, ...]
    false: frozenset[int]
    variables: frozenset[int]
    houses: Mapping[Hashable, Sequence[tuple[Members, bool]]]
    possible: bool


def read_one_hots(one_hots: Sequence[OneHot]) -> OneHotSets:
    """Read the one-hot constraints of a model, whose totals are at most 1."""
    false = frozenset(v for c in one_hots if c.total <= 0 for v in c.variables)
    items: list[Members] = []
    groups: list[Members] = []
    houses: defaultdict[Hashable, list[tuple[Members, bool]]] = defaultdict(list)
    for i, c in enumerate(one_hots):
        if c.total == 1:
            members = c.variables
            if not false.isdisjoint(members):
                members = tuple([v for v in members if v not in false])
            if not c.at_most:
                items.append(members)
            elif members:
                groups.append(members)
            if members:
                houses[(c.family, c.house) if c.house else i].append((members, not c.at_most))
    return OneHotSets(
        tuple(items),
        tuple(groups),
        false,
        frozenset().union(*items, *groups),
        houses,
        all(items) and all(c.total >= 0 for c in one_hots),
    )


def rename_constraint(constraint: Constraint, family: str, label: str) -> Constraint:
    """A copy of a constraint with other names."""
    if isinstance(constraint, OneHot):
        return constraint._replace(family=family, label=label)
    found: Constraint = replace(constraint, family=family, label=label)  # type: ignore[type-var]
    return found


@dataclass(frozen=True)
class CoverArrays:
    """An exact-cover problem as a sparse 0-1 matrix (items by options) in flat arrays.

    Attributes:
        primary: items ``0 … primary - 1`` must be covered exactly once; the others at most once.
        items: number of items.
        indptr: int32, shape (options + 1,); option ``o`` covers the items
            ``indices[indptr[o]:indptr[o + 1]]``.
        indices: int32, item numbers, ascending within an option.
        constraint_of: int32, shape (items,); position in ``Model.constraints`` of each item.
    """

    primary: int
    items: int
    indptr: I32
    indices: I32
    constraint_of: I32

    @property
    def options(self) -> int:
        """The number of options, which are the variables of the model."""
        return len(self.indptr) - 1

    @property
    def option_of(self) -> I64:
        """int64; the option of each entry of ``indices``."""
        import numpy as np

        return np.repeat(np.arange(self.options), np.diff(self.indptr))
