"""The model: variables, what is demanded of them, what is known already, and where it comes from.

Knows no puzzle and no engine. Where every demand is one-hot it is an exact-cover problem: a
constraint is an *item*, a variable an *option* (Knuth, TAOCP 7.2.2.1); and it is the list of
formulas of Tateishi & Minato, section 4, in other words again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from bddsudoku.errors import ModelError, ScheduleError
from bddsudoku.model.constraints import Constraint, CoverArrays, OneHot, Variable

T = TypeVar("T")
P = ParamSpec("P")

Orders = Mapping[str, Sequence[int]]
"""Orders of levels (:mod:`bddsudoku.model.ordering`) by name."""

StageFunction = Callable[[Constraint], "int | None"]
"""The stage of a constraint, counted from 0 at the top; None when it lies in no single stage."""


@dataclass(frozen=True)
class PuzzleDefinition:
    """A puzzle in its own words: places to be filled, and values that use things up.

    A thing is a place (a cell, a square of a board, an item), or whatever else may be used once
    (the digit 4 in row 3). Plain data, made from the puzzle and not from its constraints.

    Attributes:
        places: each is to be filled exactly once; in the order in which that is done.
        uses: key of a value → the things that it uses up, the places that it fills among them; in
            the order in which values are tried.
        given: keys of the values that the puzzle itself says are true.
        holds: what else is demanded: tested on the ascending keys of each full assignment.
    """

    places: tuple[Hashable, ...]
    uses: Mapping[int, Sequence[Hashable]]
    given: tuple[int, ...] = ()
    holds: Callable[[Sequence[int]], bool] | None = None


class Origin:
    """What a puzzle tells engines about its model beyond the constraints; this one tells nothing.

    The puzzle in its own words, from which brute force counts without looking at the model, and
    advice, which an engine may do without. Can be pickled, because models travel to other
    processes.
    """

    allows_propagation: ClassVar[bool] = False
    """Whether what singles fix is no variable of a diagram, as what is given is none. Otherwise
    solutions are told apart by all variables, and only what cannot be is taken out."""

    def definition(self) -> PuzzleDefinition | None:
        """The puzzle in its own words; None when it has none."""
        return None

    def item_orders(self, model: Model) -> Orders:
        """Orders worth trying when a diagram is compiled, the natural one first; empty when it
        knows none."""
        return {}

    def order_variants(self, model: Model, name: str) -> Orders:
        """Further orders like a named one."""
        return {}

    def count_orders(self, model: Model, marked: Sequence[int]) -> Orders:
        """Orders worth trying for a count that forgets which of alike colours is which; empty when
        they are those of a diagram.

        Args:
            model: before anything was known.
            marked: keys of which something was said; what lies ahead is still told apart.
        """
        return {}

    def item_order(self, model: Model, name: str) -> Sequence[int] | None:
        """The order behind a name; None when only :meth:`item_orders` have names.

        Raises:
            ModelError: there is no such order.
        """
        return None

    @property
    def usual_procedure(self) -> int | None:
        """The number of the conjunction schedule that serves the puzzle best."""
        return None

    def procedure(self, model: Model, number: int) -> str:
        """The text of a numbered conjunction schedule (:mod:`bddsudoku.model.ordering`).

        Raises:
            ScheduleError: there is none of this number.
        """
        raise ScheduleError(f"this model has no procedure {number}")

    def stages(self, model: Model) -> StageFunction | None:
        """What ``staged:`` means in a schedule."""
        return None


@dataclass(frozen=True)
class Model:
    """Variables, constraints, and what is already known to be true.

    Attributes:
        variables: in the order in which a diagram reads them unless told otherwise.
        constraints: of any kind (:mod:`bddsudoku.model.constraints`). A variable in none of them is
            free: it doubles the count.
        fixed: variables that are true in every solution and therefore variables no more.
        base: the model before anything was known (before hints, say); None when this is it. See
            :attr:`original`.
        origin: the puzzle that made the model.
        told: what was said about the base since: (key, whether it is true), nothing deduced.

    The last three cannot be claimed, only come by: a model that is made by hand, or by
    :func:`dataclasses.replace` with one more constraint, is one of its own and has none of them.

    Raises:
        ModelError: a constraint names a variable that is not there or names one twice, a one-hot
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
        n = len(self.variables)
        seen: set[tuple[str, str]] = set()
        for c in self.constraints:
            if (c.family, c.label) in seen:
                raise ModelError(f"two constraints are called {c.family} {c.label!r}")
            seen.add((c.family, c.label))
            if isinstance(c, OneHot) and c.total > 1:
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

    def cached(
        self, of: Callable[Concatenate[Model, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What a function finds about this model; it is called once, and the answer kept here.

        Like a cached property, for those that the model does not know. Further arguments are limits
        of the work, which do not change the answer. Threads that ask at the same time may each call
        the function, and get equal answers.
        """
        found = self._cache
        if of not in found:
            found[of] = of(self, *args, **kwargs)
        answer: T = found[of]
        return answer

    @cached_property
    def _cache(self) -> dict[Callable[[Model], Any], Any]:
        return {}

    def __getstate__(self) -> dict[str, object]:
        """The fields alone: a copy may have another origin, and what was found stays here."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def one_hots(self) -> tuple[tuple[int, OneHot], ...]:
        """The one-hot constraints, each with its position in :attr:`constraints`."""
        return tuple((i, c) for i, c in enumerate(self.constraints) if isinstance(c, OneHot))

    @cached_property
    def other_constraints(self) -> tuple[tuple[int, Constraint], ...]:
        """The other constraints that still say something, each with its position."""
        return tuple(
            (i, c)
            for i, c in enumerate(self.constraints)
            if not isinstance(c, OneHot) and not c.is_trivial
        )

    @cached_property
    def unconstrained(self) -> tuple[int, ...]:
        """Variables in no "exactly one" constraint: a cover does not say whether they hold."""
        bound = bytearray(len(self.variables))
        for _, c in self.one_hots:
            if not c.at_most:
                for v in c.variables:
                    bound[v] = 1
        return tuple(v for v, known in enumerate(bound) if not known)

    @cached_property
    def why_no_cover(self) -> str | None:
        """Why this is no exact-cover problem, as half a sentence; None when it is one."""
        for _, c in self.other_constraints:
            return f"{c.family} {c.label} is no one-hot constraint"
        for v in self.unconstrained:
            return f"variable {self.variables[v].name} stands in no exactly-one constraint"
        return None

    def with_origin(self, origin: Origin) -> Model:
        """This model with what its puzzle tells about it."""
        return self._with_provenance(self.base, origin, self.assumptions)

    def as_part_of(self, parent: Model, assumptions: Iterable[tuple[int, bool]] = ()) -> Model:
        """This model as what is left of another one, of which something was told or deduced."""
        return self._with_provenance(
            parent.original, parent.origin, (*parent.assumptions, *assumptions)
        )

    def _with_provenance(
        self, base: Model | None, origin: Origin, assumptions: tuple[tuple[int, bool], ...]
    ) -> Model:
        model = copy(self)
        object.__setattr__(model, "base", base)
        object.__setattr__(model, "origin", origin)
        object.__setattr__(model, "assumptions", assumptions)
        return model

    @property
    def original(self) -> Model:
        """The model before anything was known: what board or problem this is about."""
        return self if self.base is None else self.base

    @cached_property
    def position_by_key(self) -> dict[int, int]:
        """Position of the variable with a given key."""
        return {v.key: i for i, v in enumerate(self.variables)}

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families in order of first appearance."""
        return tuple(dict.fromkeys(c.family for c in self.constraints))

    @cached_property
    def is_contradictory(self) -> bool:
        """True when some constraint alone already excludes every assignment."""
        return next(self.contradictions(), None) is not None

    def contradictions(self) -> Iterator[Constraint]:
        """The constraints that nothing can satisfy, as far as each of them tells by itself."""
        for c in self.constraints:
            if c.is_contradiction if isinstance(c, OneHot) else c.verdict is False:
                yield c

    def cover(self) -> CoverArrays:
        """The model as a sparse 0-1 matrix: items are constraints, options are variables.

        Trivial constraints make no item; contradictions make an item without options, so that
        an engine answers 0 by itself.

        Raises:
            ModelError: a constraint with total 0 still has variables (take
                :func:`bddsudoku.model.candidates` first), or there is more to say than a cover can
                (:attr:`why_no_cover`).
        """
        if self.why_no_cover is not None:
            raise ModelError(f"this is no exact-cover problem: {self.why_no_cover}")
        return self.items

    @cached_property
    def items(self) -> CoverArrays:
        """The one-hot part of the model as a sparse 0-1 matrix; see :meth:`cover`."""
        import numpy as np

        exact: list[int] = []
        optional: list[int] = []
        for i, c in self.one_hots:
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
