"""One-hot constraints: the one language that every puzzle speaks and every engine understands.

A :class:`Model` is an ordered tuple of Boolean variables and a tuple of one-hot constraints
("exactly one of these is true", or "at most one"). It is the exact-cover problem in other words:
a constraint is an *item*, a variable an *option* (Knuth, TAOCP 7.2.2.1), and it is the list of
formulas of Tateishi & Minato, section 4, in other words again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bddsudoku.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bddsudoku.model.origin import Origin

__all__ = ["CoverArrays", "Model", "OneHot", "Variable"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One Boolean variable.

    Attributes:
        name: what people read, e.g. ``aa4``.
        key: what the puzzle decodes: an integer that stays the same under every allocation
            (for Sudoku ``cell * n + digit - 1``).
    """

    name: str
    key: int


@dataclass(frozen=True, slots=True)
class OneHot:
    """One constraint: the sum of some variables equals (or stays below) a total.

    Attributes:
        family: ``cell``, ``row``, ``column``, ``block``, … (schedules speak of families).
        label: what people read; unique within its family.
        variables: ascending positions in :attr:`Model.variables`.
        total: 1; 0 when a hint has already taken the one; negative when two hints clash
            (then nothing satisfies the constraint).
        at_most: the sum may also stay below the total (an item that need not be covered).
    """

    family: str
    label: str
    variables: tuple[int, ...]
    total: int = 1
    at_most: bool = False

    @property
    def is_trivial(self) -> bool:
        """True when every assignment satisfies the constraint (nothing is left to say)."""
        return not self.variables and (self.total == 0 or (self.at_most and self.total >= 0))

    @property
    def is_contradiction(self) -> bool:
        """True when no assignment satisfies the constraint."""
        return self.total < 0 or (self.total > 0 and not self.at_most and not self.variables)


@dataclass(frozen=True)
class CoverArrays:
    """A model as a sparse 0-1 matrix for the engines that search or compile exact covers.

    Attributes:
        primary: items ``0 … primary - 1`` must be covered exactly once; the others at most once.
        items: number of items.
        indptr: int32, shape (options + 1,); option ``o`` covers the items
            ``indices[indptr[o]:indptr[o + 1]]``.
        indices: int32, item numbers, ascending within an option.
        constraint_of: int32, shape (items,); the constraint behind an item.
    """

    primary: int
    items: int
    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    constraint_of: NDArray[np.int32]

    @property
    def options(self) -> int:
        """Number of options (variables of the model)."""
        return len(self.indptr) - 1


@dataclass(frozen=True)
class Model:
    """Variables, constraints, and what is already known to be true.

    Attributes:
        variables: in the order in which a diagram reads them unless told otherwise.
        constraints: the one-hot constraints.
        fixed: variables that are true in every solution and therefore variables no more.
        base: the model before anything was known (before hints, say); None when this is it. See
            :attr:`original`.
        origin: what the puzzle that made the model tells engines beyond the constraints.
        told: what was said about the base since: (key, whether it is true), nothing deduced.

    The last three cannot be claimed, only come by: a model that is made by hand, or by
    :func:`dataclasses.replace` with one more constraint, is one of its own and has none of them.

    Raises:
        ModelError: a constraint names a variable that is not there or names one twice, has a
            total above 1, two constraints share family and label, or a variable stands in no
            "exactly one" constraint (then a cover could not say whether it is chosen).
    """

    variables: tuple[Variable, ...]
    constraints: tuple[OneHot, ...]
    fixed: tuple[Variable, ...] = ()
    base: Model | None = field(default=None, init=False, compare=False, repr=False)
    origin: Origin | None = field(default=None, init=False, compare=False, repr=False)
    told: tuple[tuple[int, bool], ...] = field(default=(), init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        n = len(self.variables)
        bound = bytearray(n)
        seen: set[tuple[str, str]] = set()
        for c in self.constraints:
            if (c.family, c.label) in seen:
                raise ModelError(f"two constraints are called {c.family} {c.label!r}")
            seen.add((c.family, c.label))
            if c.total > 1:
                raise ModelError(
                    f"{c.family} {c.label}: total {c.total}; one-hot totals are 1 or 0"
                )
            last = -1
            for v in c.variables:
                if not last < v < n:
                    raise ModelError(
                        f"{c.family} {c.label}: variable {v} is out of range or out of order"
                    )
                last = v
                if not c.at_most:
                    bound[v] = 1
        free = bound.find(0)
        if free >= 0:
            raise ModelError(
                f"variable {self.variables[free].name} stands in no exactly-one constraint"
            )

    def made_by(self, origin: Origin) -> Model:
        """This model with what its puzzle tells about it."""
        return self._come_by(self.base, origin, self.told)

    def left_of(self, parent: Model, told: Iterable[tuple[int, bool]] = ()) -> Model:
        """This model as what is left of another one, of which something was told or deduced."""
        return self._come_by(parent.original, parent.origin, (*parent.told, *told))

    def _come_by(
        self, base: Model | None, origin: Origin | None, told: tuple[tuple[int, bool], ...]
    ) -> Model:
        model = copy(self)
        object.__setattr__(model, "base", base)
        object.__setattr__(model, "origin", origin)
        object.__setattr__(model, "told", told)
        return model

    @property
    def original(self) -> Model:
        """The model before anything was known: what board or problem this is about."""
        return self if self.base is None else self.base

    @cached_property
    def index_of_key(self) -> dict[int, int]:
        """Position of the variable with a given key."""
        return {v.key: i for i, v in enumerate(self.variables)}

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families in order of first appearance."""
        return tuple(dict.fromkeys(c.family for c in self.constraints))

    @property
    def is_contradictory(self) -> bool:
        """True when some constraint alone already excludes every assignment."""
        return any(c.is_contradiction for c in self.constraints)

    def contradictions(self) -> Iterator[OneHot]:
        """The constraints that nothing can satisfy."""
        return (c for c in self.constraints if c.is_contradiction)

    def cover(self) -> CoverArrays:
        """The model as a sparse 0-1 matrix: items are constraints, options are variables.

        Trivial constraints make no item; contradictions make an item without options, so that
        an engine answers 0 by itself.

        Raises:
            ModelError: a constraint with total 0 still has variables (take
                :func:`bddsudoku.model.candidates` first).
        """
        return self._cover

    @cached_property
    def _cover(self) -> CoverArrays:
        import numpy as np

        exact: list[int] = []
        optional: list[int] = []
        for i, c in enumerate(self.constraints):
            if c.is_trivial:
                continue
            if c.total <= 0 and c.variables:
                raise ModelError(
                    f"{c.family} {c.label}: total {c.total} with variables left; "
                    "exact-cover engines take a model under 'candidates' or 'singles'"
                )
            (optional if c.at_most and not c.is_contradiction else exact).append(i)
        order = exact + optional
        per_option: list[list[int]] = [[] for _ in self.variables]
        for item, i in enumerate(order):
            for v in self.constraints[i].variables:
                per_option[v].append(item)
        indptr = np.zeros(len(per_option) + 1, dtype=np.int32)
        np.cumsum([len(p) for p in per_option], out=indptr[1:])
        indices = np.fromiter(
            (item for p in per_option for item in p), dtype=np.int32, count=int(indptr[-1])
        )
        return CoverArrays(
            len(exact), len(order), indptr, indices, np.array(order, dtype=np.int32).reshape(-1)
        )
