"""Level orders for compiling a model's diagram, and schedules for conjoining its constraints.

A *level* is one choice: an "exactly one" constraint with those of its variables that are in no
earlier level, or an unconstrained variable. An order lists levels by number: constraint ``i`` of
``model.items`` is ``i``; unconstrained variable ``v`` is ``items + v``. The heuristics here know
nothing of the puzzle.

A *schedule* is the order in which the BDDs of a model's constraints are conjoined. The final BDD
is the same under every schedule; the sizes of the intermediate ones differ (Tateishi & Minato,
section 4.1, where three schedules are compared as procedures 1 to 3).

A schedule can be written as text::

    cell>row>column>block                    families one after another
    block>cell>row>column:bottom-up          each family from its last constraint to its first
    staged:cell>row>block:bottom-up; column  stage by stage (the puzzle says what a stage is: for
                                             Sudoku a band), then the rest
    cell+row>block>column                    two families merged, by their topmost variable

    staged:cell>row>block; column>*          ``*``: the families that the text does not name

In words: parts are separated by ``;``. A part is an optional ``staged:``, families separated by
``>`` (one after another) or ``+`` (merged into one run), and an optional ``:bottom-up`` or
``:top-down`` (the default). Within a family, top-down is the order of the model, bottom-up its
reverse; a merged run goes by each constraint's topmost variable. A staged part runs through its
families once per stage, first stage to last, or last to first when it is bottom-up. Spaces do not
matter, upper case neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.errors import ModelError, ScheduleError
from bddsudoku.model.allocation import forward_check
from bddsudoku.model.model import Model, Orders, Origin, PuzzleDefinition, StageFunction

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64

_MAX_LEVELS = 3000
"""Number of levels beyond which a heuristic order costs more time than it could save."""


def default_order(model: Model) -> tuple[int, ...]:
    """The default order of a model's levels, by the position of their first variables.

    The levels of an exact-cover problem are in the order of its constraints.
    """
    items = model.one_hot_matrix
    if not model.variables_outside_exact_items:
        return tuple(range(items.primary))
    first = np.full(items.items, len(model.variables), np.int64)
    owner = np.repeat(np.arange(items.options), np.diff(items.indptr))
    np.minimum.at(first, items.indices, owner)
    named = [(int(first[i]), i) for i in range(items.primary)]
    named += [(v, items.items + v) for v in model.variables_outside_exact_items]
    return tuple(number for _, number in sorted(named))


def variable_constraint_pairs(model: Model) -> I64:
    """All pairs of a variable and a nontrivial constraint on it, as an array with two columns.

    Constraints are numbered by their positions among the nontrivial ones.
    """
    live = [c for c in model.constraints if not c.is_trivial]
    pairs = [(v, i) for i, c in enumerate(live) for v in c.variables]
    return np.array(pairs, np.int64).reshape(-1, 2)


def heuristic_orders(model: Model) -> dict[str, tuple[int, ...]]:
    """Heuristic orders of a model's levels: ``model``, ``reversed``, ``greedy``, ``spread``.

    ``greedy`` is :func:`greedy_order`; ``spread`` is the breadth-first order of Cuthill and McKee
    (1969) on the graph of levels that share a constraint.
    Cost: levels² times constraints for the greedy one, in numpy; it is omitted for large models.
    """
    usual = default_order(model)
    if not 3 <= len(usual) <= _MAX_LEVELS:
        return {"model": usual}
    matrix = _level_constraint_matrix(model, usual)
    found = {"model": usual, "reversed": usual[::-1]}
    found["spread"] = tuple(usual[i] for i in _cuthill_mckee_order(matrix))
    if len(usual) * matrix.size <= 2e9:
        found["greedy"] = tuple(usual[i] for i in greedy_order(matrix))
    return found


def _level_constraint_matrix(model: Model, order: tuple[int, ...]) -> I32:
    """A matrix of how many variables a level (row) and a nontrivial constraint (column) share."""
    items = model.one_hot_matrix
    pairs = variable_constraint_pairs(model)
    level_of = np.full(len(model.variables), len(order), np.int64)
    place = {number: at for at, number in enumerate(order)}
    owner = np.repeat(np.arange(items.options), np.diff(items.indptr))
    for v, item in zip(owner.tolist(), items.indices.tolist(), strict=True):
        level_of[v] = min(level_of[v], place.get(item, len(order)))
    for v in model.variables_outside_exact_items:
        level_of[v] = place[items.items + v]
    columns = int(pairs[:, 1].max(initial=-1)) + 1
    matrix = np.zeros((len(order), columns), np.int32)
    np.add.at(matrix, (level_of[pairs[:, 0]], pairs[:, 1]), 1)
    return matrix


def greedy_order(incidence: I32) -> list[int]:
    """The order that at each step takes the level after which the fewest constraints are active.

    A constraint is active while it has variables both among the levels taken and among the others.

    Args:
        incidence: number of variables that a level (row) and a constraint (column) share.
    """
    total = incidence.sum(axis=0)
    passed = np.zeros_like(total)
    left = np.ones(len(incidence), bool)
    order: list[int] = []
    for _ in range(len(incidence)):
        after = passed + incidence
        half = ((after > 0) & (after < total)).sum(axis=1)
        level = int(np.argmin(np.where(left, half, incidence.shape[1] + 1)))
        order.append(level)
        left[level] = False
        passed = passed + incidence[level]
    return order


def _cuthill_mckee_order(incidence: I32) -> list[int]:
    """The order of Cuthill and McKee: breadth first from a level of least degree."""
    touched = (incidence > 0).astype(np.float32)
    near = touched @ touched.T > 0
    degree = near.sum(axis=1)
    left = set(range(len(incidence)))
    order: list[int] = []
    while left:
        queue = [min(left, key=lambda level: (degree[level], level))]
        left.discard(queue[0])
        for level in queue:
            found = [n for n in np.flatnonzero(near[level]).tolist() if n in left]
            left.difference_update(found)
            queue += sorted(found, key=lambda n: (degree[n], n))
        order += queue
    return order


@dataclass(frozen=True)
class DefinitionOrigin(Origin):
    """The origin of a model whose puzzle has a definition but advises no orders of its own.

    Attributes:
        definition: the puzzle's definition.
    """

    definition: PuzzleDefinition

    def puzzle_definition(self) -> PuzzleDefinition:
        """Return the puzzle's definition for the brute-force count."""
        return self.definition

    def item_orders(self, model: Model) -> Orders:
        """The default order, named ``model``, of an exact-cover problem; otherwise no order."""
        return {} if model.why_no_cover is not None else {"model": default_order(model)}


def item_orders(model: Model) -> Orders:
    """Named item orders to try for a model: those of its puzzle, or else heuristic ones."""
    return model.cached(_uncached_item_orders)


def _uncached_item_orders(model: Model) -> Orders:
    return model.origin.item_orders(model) or heuristic_orders(model)


def item_order(model: Model, name: str) -> Sequence[int]:
    """Find an item order by name, first among the puzzle's orders, then among the heuristic ones.

    Raises:
        ModelError: there is no such order.
    """
    found = model.origin.item_order(model, name)
    if found is not None:
        return found
    known = heuristic_orders(model)
    if name not in known:
        raise ModelError(f"no item order is called {name!r}; there are {', '.join(known)}")
    return known[name]


def orders_for_value_symmetry(model: Model) -> Orders:
    """Item orders to try, by name, for counts that use value symmetry (interchangeable values).

    Returns:
        Name → positions in ``model.original.constraints`` of "exactly one" constraints.
    """
    every = model.original
    base = forward_check(every)  # its constraints keep their positions
    spoken = [*every.other_constraints, *(c for c in every.one_hots if c.total < 1)]
    marked = {key for key, _ in model.assumptions}
    marked |= {every.variables[v].key for c in spoken for v in c.variables}
    of = base.one_hot_matrix.constraint_of.tolist()
    orders = model.origin.orders_for_value_symmetry(base, sorted(marked)) or item_orders(base)
    return {
        name: tuple(of[i] for i in order if i < base.one_hot_matrix.primary)
        for name, order in orders.items()
    }


def make_puzzle_schedule(
    model: Model, order: int | str | Order | Sequence[int] | Schedule | None = None
) -> Schedule:
    """Make a schedule from an order, or take one of the puzzle's by its number.

    ``None`` stands for the puzzle's default number.

    Raises:
        ScheduleError: the schedule cannot be read.
    """
    origin, name = model.origin, None
    if order is None:
        order = origin.default_schedule_number
    if isinstance(order, int):
        order, name = origin.schedule_text(model, order), f"procedure {order}"
    return make_schedule(model, order, stage=origin.stage_function(model), name=name)


Order = Callable[[Model], Sequence[int]]
"""A function from a model to positions in ``Model.constraints``, the order to conjoin in."""


@dataclass(frozen=True)
class Schedule:
    """The order in which a model's nontrivial constraints are conjoined.

    Make schedules with :func:`make_schedule`, which checks them.

    Attributes:
        positions: a permutation of the positions in ``Model.constraints`` of the nontrivial ones.
        name: name in messages, e.g. ``procedure 3`` or the text it was read from.
    """

    positions: tuple[int, ...]
    name: str = field(default="custom", compare=False)

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    def check(self, model: Model) -> Schedule:
        """Return this schedule, or raise ScheduleError if the schedule does not fit a model.

        Raises:
            ScheduleError: a constraint is missing, listed twice, unknown or trivial.
        """
        seen: set[int] = set()
        for position in self.positions:
            if not 0 <= position < len(model.constraints):
                raise ScheduleError(
                    f"schedule {self.name!r}: no constraint has position {position!r}; "
                    f"there are {len(model.constraints)}"
                )
            if position in seen:
                raise ScheduleError(
                    f"schedule {self.name!r}: {_constraint_name(model, position)} is there twice"
                )
            if model.constraints[position].is_trivial:
                raise ScheduleError(
                    f"schedule {self.name!r}: {_constraint_name(model, position)} is trivial "
                    "and has no place in a schedule"
                )
            seen.add(position)
        missing = [i for i, c in enumerate(model.constraints) if not c.is_trivial and i not in seen]
        if missing:
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise ScheduleError(
                f"schedule {self.name!r}: {_constraint_name(model, missing[0])} is missing{more}"
            )
        return self


def make_schedule(
    model: Model,
    order: str | Order | Sequence[int] | Schedule | None = None,
    *,
    stage: StageFunction | None = None,
    name: str | None = None,
) -> Schedule:
    """Make a schedule from an order (text, function or positions), and check it against the model.

    Args:
        model: the model whose constraints are to be conjoined.
        order: text (see the module), a function ``Model -> positions``, positions, a schedule, or
            None for the order of the model.
        stage: maps a constraint to its stage, for ``staged:`` in a text; None without stages.
        name: name in messages; by default the text or the function's name.

    Raises:
        ScheduleError: the text cannot be read, or the result is no permutation of the model's
            nontrivial constraints.
    """
    if order is None:
        return Schedule(tuple(_nontrivial_constraints(model)), name or "model order")
    if isinstance(order, Schedule):
        return order.check(model)
    if isinstance(order, str):
        return parse_schedule(model, order, stage=stage, name=name)
    if callable(order):
        name = name or getattr(order, "__name__", "custom")
        positions = order(model)
    else:
        positions = order
    try:
        taken = tuple(int(p) for p in positions)
    except (TypeError, ValueError):
        raise ScheduleError(
            f"schedule {name or 'custom'!r}: expected positions of constraints, found {positions!r}"
        ) from None
    return Schedule(taken, name or "custom").check(model)


def parse_schedule(
    model: Model, text: str, *, stage: StageFunction | None = None, name: str | None = None
) -> Schedule:
    """Parse a schedule written as text, such as ``cell>row>column``; the module has the grammar.

    Raises:
        ScheduleError: an unknown family or word, a staged part without stages, or a family that is
            missing or named twice.
    """
    positions: list[int] = []
    for part in text.lower().split(";"):
        positions += _parse_part(model, part, text, stage)
    return Schedule(tuple(positions), name or text.strip()).check(model)


def _parse_part(model: Model, part: str, text: str, stage: StageFunction | None) -> list[int]:
    """Parse one ``;``-separated part of a schedule's text to positions of constraints."""
    words = [word.strip() for word in part.split(":")]
    staged = words[0] == "staged"
    if staged:
        words.pop(0)
    direction = words.pop() if len(words) > 1 else "top-down"
    if direction not in ("top-down", "bottom-up"):
        raise ScheduleError(
            f"schedule {text!r}: expected top-down or bottom-up, found {direction!r}"
        )
    if len(words) != 1 or not words[0]:
        raise ScheduleError(
            f"schedule {text!r}: expected families such as cell>row>column, found {part.strip()!r}"
        )
    upward = direction == "bottom-up"
    runs = [_parse_families(model, names, text, upward) for names in words[0].split(">")]
    if not staged:
        return [i for run in runs for i in run]
    if stage is None:
        raise ScheduleError(f"schedule {text!r}: this puzzle has no stages")
    stage_of: dict[int, int] = {}
    for i in (i for run in runs for i in run):
        where = stage(model.constraints[i])
        if where is None:
            raise ScheduleError(
                f"schedule {text!r}: {_constraint_name(model, i)} lies in no single stage"
            )
        stage_of[i] = where
    return [
        i
        for s in sorted(set(stage_of.values()), reverse=upward)
        for run in runs
        for i in run
        if stage_of[i] == s
    ]


def _parse_families(model: Model, names: str, text: str, upward: bool) -> list[int]:
    """The positions of the constraints of one family, or of several joined by ``+``."""
    families = [family.strip() for family in names.split("+")]
    if "*" in families:
        named = {word.strip() for word in re.split(r"[;:>+]", text.lower())}
        others = [family for family in model.families if family.lower() not in named]
        families = [f for family in families for f in (others if family == "*" else [family])]
    for family in families:
        if family not in model.families:
            raise ScheduleError(
                f"schedule {text!r}: expected a family ({', '.join(model.families)}), "
                f"found {family!r}"
            )
    found = [
        i
        for f in families
        for i in _nontrivial_constraints(model)
        if model.constraints[i].family == f
    ]
    if len(families) > 1:
        found.sort(key=lambda i: model.constraints[i].variables[:1])
    return found[::-1] if upward else found


def _nontrivial_constraints(model: Model) -> list[int]:
    """The positions of the constraints that are not known to hold for every assignment."""
    return [i for i, c in enumerate(model.constraints) if not c.is_trivial]


def _constraint_name(model: Model, position: int) -> str:
    constraint = model.constraints[position]
    return f"{constraint.family} {constraint.label!r}"
