"""The model of a puzzle: Boolean variables, constraints, known variables, and the model's origin.

This package imports no puzzle and no engine. A model whose constraints are all one-hot is an
exact-cover problem: a constraint is an *item*, a variable an *option* (Knuth, TAOCP 7.2.2.1). Its
constraints are then the list of formulas of Tateishi & Minato, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from bddsudoku.argument_types import check_types
from bddsudoku.errors import ModelError, ScheduleError
from bddsudoku.model.constraints import (
    Constraint,
    CoverArrays,
    OneHot,
    Variable,
    check_ascending_positions,
)
from bddsudoku.notebook_html import facts_html, tally_text

T = TypeVar("T")
P = ParamSpec("P")

Orders = Mapping[str, Sequence[int]]
"""Orders of levels (:mod:`bddsudoku.model.ordering`) by name."""

StageFunction = Callable[[Constraint], "int | None"]
"""Maps a constraint to its stage, counted from 0 at the top; None when it spans several."""


@dataclass(frozen=True)
class PuzzleDefinition:
    """A puzzle as places to fill and values that use resources, independent of its model.

    A resource is a place (a cell, an item) or anything else that may be used at most once (the
    digit 4 in row 3). Made from the puzzle and not from its constraints, so that brute force on
    the definition can check the model.

    Attributes:
        places: each must be filled exactly once; in the order in which brute force fills them.
        uses: key of a value → the resources that it uses, among them the places that it fills; in
            the order in which values are tried.
        given: keys of the values that the puzzle states to be true.
        holds: test of the remaining rules on the ascending keys of a full assignment; None for
            no other rule.
    """

    places: tuple[Hashable, ...]
    uses: Mapping[int, Sequence[Hashable]]
    given: tuple[int, ...] = ()
    holds: Callable[[Sequence[int]], bool] | None = None


class Origin:
    """Base of what a puzzle tells of its model: the puzzle's definition, and advice on orders.

    Every default is "none". Brute force counts from the definition without looking at the model;
    engines may ignore the advice. Instances can be pickled, because models are sent to other
    processes.
    """

    allows_propagation: ClassVar[bool] = False
    """Whether variables that unit propagation fixes are left out of a diagram, as givens are.
    Otherwise a diagram leaves out only those that forward checking excludes."""

    def puzzle_definition(self) -> PuzzleDefinition | None:
        """Return the puzzle's definition for the brute-force count; None if it has none."""
        return None

    def item_orders(self, model: Model) -> Orders:
        """The item orders to try for a diagram, by name, the natural order first; maybe none."""
        return {}

    def order_variants(self, model: Model, name: str) -> Orders:
        """Return variants of the item order ``name`` to be tried as well, by their names."""
        return {}

    def orders_for_value_symmetry(self, model: Model, marked: Sequence[int]) -> Orders:
        """Item orders to try, by name, for counts that use value symmetry (interchangeable values).

        Empty means those of :meth:`item_orders`.

        Args:
            model: the original model, without assumptions.
            marked: keys of the variables in assumptions and in constraints that are not one-hot:
                a value with a marked variable ahead in the order is not interchangeable yet.
        """
        return {}

    def item_order(self, model: Model, name: str) -> Sequence[int] | None:
        """The item order with a given name; None for the name of a heuristic order.

        Raises:
            ModelError: there is no such order.
        """
        return None

    @property
    def default_schedule_number(self) -> int | None:
        """The number of the conjunction schedule used by default; None when there is none."""
        return None

    def schedule_text(self, model: Model, number: int) -> str:
        """The conjunction schedule with a given number, as text (:mod:`bddsudoku.model.schedules`).

        Raises:
            ScheduleError: there is none of this number.
        """
        raise ScheduleError(f"this model has no procedure {number}")

    def stage_function(self, model: Model) -> StageFunction | None:
        """The function from a constraint to its stage in a schedule (Sudoku: its band), or None."""
        return None


@check_types
@dataclass(frozen=True)
class Model:
    """Boolean variables, constraints on them, and variables that are already known to be true.

    Attributes:
        variables: in the default order of a diagram's levels.
        constraints: of any kind (:mod:`bddsudoku.model.constraints`). A variable in none of them is
            unconstrained: it doubles the count.
        fixed: variables that are true in every solution and were removed from ``variables``.
        base: the model before any assumption (before hints, say); None when this model is that
            one. See :attr:`original`.
        origin: definition and advice of the puzzle that made the model.
        assumptions: (key, value) of the variables that were assumed since the base; deduced values
            are not among them.

    The constructor does not take the last three: a model that is made by hand, or by
    :func:`dataclasses.replace` with one more constraint, is a new one and has none of them.

    Raises:
        ModelError: a constraint names a variable that does not exist or names one twice, a one-hot
            constraint has a total above 1, or two constraints share family and label.
    """

    variables: tuple[Variable, ...]
    constraints: tuple[Constraint, ...]
    fixed: tuple[Variable, ...] = ()
    base: Model | None = field(default=None, init=False, compare=False, repr=False)
    origin: Origin = field(default=Origin(), init=False, compare=False, repr=False)
    assumptions: tuple[tuple[int, bool], ...] = field(
        default=(), init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        seen: set[tuple[str, str]] = set()
        for c in self.constraints:
            if (c.family, c.label) in seen:
                raise ModelError(f"two constraints are called {c.family} {c.label!r}")
            seen.add((c.family, c.label))
            if isinstance(c, OneHot) and c.total > 1:
                raise ModelError(
                    f"{c.family} {c.label}: total {c.total}; one-hot totals are 1 or 0"
                )
            check_ascending_positions(c.family, c.label, c.variables, len(self.variables))

    def cached(
        self, function: Callable[Concatenate[Model, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The result of a function of this model, computed once and cached in the model.

        It serves other modules as a cached property. Further arguments may be limits of the work
        only, because they are no part of the cache's key. Threads that call at the same time may
        each compute the result, and get equal ones.
        """
        found = self._cache
        if function not in found:
            found[function] = function(self, *args, **kwargs)
        answer: T = found[function]
        return answer

    @cached_property
    def _cache(self) -> dict[Callable[[Model], Any], Any]:  # Any: one result type per function
        return {}

    def __getstate__(self) -> dict[str, object]:
        """Return the fields without cached results, which may be wrong for a copy."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _repr_html_(self) -> str:
        """The numbers of variables and constraints as a table, for notebooks."""
        facts = [
            ("variables", len(self.variables)),
            ("fixed variables", len(self.fixed)),
            ("constraints", len(self.constraints)),
            ("kinds", tally_text(type(c).__name__ for c in self.constraints)),
            ("families", tally_text(c.family for c in self.constraints)),
        ]
        return facts_html(type(self).__name__, facts)

    @cached_property
    def one_hots(self) -> tuple[OneHot, ...]:
        """The one-hot constraints."""
        return tuple([c for c in self.constraints if isinstance(c, OneHot)])

    @cached_property
    def other_constraints(self) -> tuple[Constraint, ...]:
        """The nontrivial constraints that are not one-hot."""
        return tuple(self._iterate_other_constraints())

    @cached_property
    def first_other_constraint(self) -> Constraint | None:
        """The first nontrivial constraint that is not one-hot, or None.

        To find them all takes a restricted MDD for each.
        """
        return next(self._iterate_other_constraints(), None)

    def _iterate_other_constraints(self) -> Iterator[Constraint]:
        """Yield what :attr:`other_constraints` has."""
        for c in self.constraints:
            if not isinstance(c, OneHot) and not c.is_trivial:
                yield c

    @cached_property
    def variables_outside_exact_items(self) -> tuple[int, ...]:
        """Positions of the variables that are in no "exactly one" constraint."""
        bound = bytearray(len(self.variables))
        for c in self.one_hots:
            if not c.at_most:
                for v in c.variables:
                    bound[v] = 1
        return tuple(v for v, known in enumerate(bound) if not known)

    @cached_property
    def why_no_cover(self) -> str | None:
        """Why the model is no exact-cover problem, as text for messages; None if it is one."""
        if (c := self.first_other_constraint) is not None:
            return f"{c.family} {c.label} is no one-hot constraint"
        for v in self.variables_outside_exact_items:
            return f"variable {self.variables[v].name} stands in no exactly-one constraint"
        return None

    def with_origin(self, origin: Origin) -> Model:
        """A copy of this model with another origin (definition of the puzzle, advice on orders)."""
        return self._copy_with(origin=origin)

    def restricted(
        self,
        variables: tuple[Variable, ...],
        constraints: tuple[Constraint, ...],
        fixed: tuple[Variable, ...],
        assumptions: Iterable[tuple[int, bool]] = (),
    ) -> Model:
        """The restriction of this model by some assumptions; it has the same original and origin.

        Args:
            variables: the variables that are left, in their order.
            constraints: what the assumptions leave of the constraints; this is not checked.
            fixed: the true variables, those of this model first.
            assumptions: (key, value) of the variables that were assumed on top of this model's.
        """
        return self._copy_with(
            variables=variables,
            constraints=constraints,
            fixed=fixed,
            base=self.original,
            assumptions=(*self.assumptions, *assumptions),
        )

    def _copy_with(self, **changes: object) -> Model:
        """A copy of this model with other values of some fields."""
        model = copy(self)
        for name, value in changes.items():
            object.__setattr__(model, name, value)
        return model

    @property
    def original(self) -> Model:
        """The model before any assumption: the empty board, or the problem as it was stated."""
        return self if self.base is None else self.base

    @cached_property
    def position_by_key(self) -> dict[int, int]:
        """A dictionary from each variable's key to its position in :attr:`variables`."""
        return {v.key: i for i, v in enumerate(self.variables)}

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The names of the constraints' families (``cell``, ``row``), by first appearance."""
        return tuple(dict.fromkeys(c.family for c in self.constraints))

    @cached_property
    def is_contradictory(self) -> bool:
        """True when a single constraint already excludes every assignment."""
        return next(self.contradictions(), None) is not None

    def contradictions(self) -> Iterator[Constraint]:
        """Yield the constraints that are unsatisfiable by themselves."""
        for c in self.constraints:
            if c.is_contradiction if isinstance(c, OneHot) else c.verdict is False:
                yield c

    def cover(self) -> CoverArrays:
        """The model as a sparse 0-1 matrix: items are constraints, options are variables.

        Trivial constraints make no item; contradictions make an item without options, so that
        an engine counts 0 without a special case.

        Raises:
            ModelError: a constraint with total 0 still has variables (apply
                :func:`bddsudoku.model.forward_check` first), or the model is no exact-cover
                problem (:attr:`why_no_cover`).
        """
        if self.why_no_cover is not None:
            raise ModelError(f"this is no exact-cover problem: {self.why_no_cover}")
        return self.one_hot_matrix

    @cached_property
    def one_hot_matrix(self) -> CoverArrays:
        """The one-hot constraints of the model as a sparse 0-1 matrix; see :meth:`cover`."""
        import numpy as np

        exact: list[int] = []
        optional: list[int] = []
        for i, c in enumerate(self.constraints):
            if not isinstance(c, OneHot) or c.is_trivial:
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
        return CoverArrays(len(exact), len(order), indptr, indices, np.array(order, dtype=np.int32))
