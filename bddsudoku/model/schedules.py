"""Schedules: the order in which the BDDs of a model's constraints are conjoined.

The final BDD is the same under every schedule; the sizes of the intermediate ones differ (Tateishi
& Minato, section 4.1, where three schedules are compared as procedures 1 to 3). Their texts for a
Sudoku are in :mod:`bddsudoku.puzzle.sudoku.sudoku_orders`; the conjunction itself is
:mod:`bddsudoku.engine.conjunction`.

A schedule can be written as text::

    cell>row>column>block                    families one after another (procedure 1)
    block>cell>row>column:bottom-up          each family from its last constraint to its first
    staged:cell>row>block:bottom-up; column  stage by stage (the puzzle says what a stage is: for
                                             Sudoku a band), then the rest (procedure 3)
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

from bddsudoku.errors import ScheduleError
from bddsudoku.model.model import Model, StageFunction


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
