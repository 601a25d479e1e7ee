"""Allocation: the Boolean variables of a puzzle's cells, and the one-hot constraints on them.

This is section 4 of Tateishi & Minato, step by step:

1. :func:`cell_variables`: for every cell a variable for each value, ``aa1`` … ``ii9``, as if no
   cell had a hint;
2. :func:`one_value_in_each_cell` and :func:`all_different`: the families of one-hot constraints,
   (1) cells, (2) rows, (3) columns, (4) blocks, as in ``row a 1: aa1 + ab1 + … + ai1 == 1``;
3. :func:`substitute`: hints are put in as constants, and the variables of their cells go. In the
   paper's Figure 1, where ``ae`` is 1, this is ``0 + ab1 + 0 + ad1 + 1 + af1 + … == 1``, which the
   model keeps as ``ab1 + ad1 + af1 + … == 0``;
4. :func:`allocate`: with that alone (``paper``), or with fewer variables, which section 6 announces
   as future work: those that a hint in the same row, column or block excludes go, too
   (``candidates``, :func:`forward_check`), or the simplest deductions are followed to the fixpoint
   (``singles``, :func:`unit_propagate`).

What is left is conjoined in the order of a schedule (section 4.1, procedures 1 to 3:
:mod:`bddsudoku.model.schedules`), or read as the matrix of an exact cover
(:meth:`bddsudoku.model.Model.cover`). Rules of variants and formulas bring other constraints, which
are restricted in the same way (:func:`restrict_together`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache

from bddsudoku.argument_types import check_types
from bddsudoku.model.constraints import Assumptions, Constraint, Formula, OneHot, Variable
from bddsudoku.model.expression import Expression, Reference
from bddsudoku.model.model import Model
from bddsudoku.model.simplify import substitute_all
from bddsudoku.model.word_constraints import FALSE, TRUE, Automaton, Groups


class Allocation(StrEnum):
    """Degrees of propagation that exclude candidates before they get variables, weakest first."""

    PAPER = "paper"
    """Substitution of hints: each open cell has a variable for each digit that the puzzle does not
    exclude by itself."""
    CANDIDATES = "candidates"
    """Forward checking: variables that a hint excludes are dropped, too."""
    SINGLES = "singles"
    """Unit propagation: naked and hidden singles are followed to the fixpoint."""


@lru_cache(maxsize=32)
def cell_variables(names: tuple[str, ...], symbols: str, values: range) -> tuple[Variable, ...]:
    """The variables of cells, cell by cell: for each value one, named by the value's symbol."""
    return tuple(
        Variable(f"{name}{symbol}", cell * len(symbols) + d, cell, value)
        for cell, name in enumerate(names)
        for d, (symbol, value) in enumerate(zip(symbols, values, strict=True))
    )


def one_value_in_each_cell(names: Sequence[str], value_count: int) -> list[OneHot]:
    """The constraints (1): every cell takes exactly one value."""
    n = value_count
    return [OneHot("cell", name, tuple(range(c * n, c * n + n))) for c, name in enumerate(names)]


def all_different(
    family: str, house: str, cells: Iterable[int], symbols: str, *, complete: bool
) -> Iterator[OneHot]:
    """The constraints (2) to (4) of one house (a row, a column, a block): each value at most once.

    Args:
        family: ``row``, ``column``, ``block``, or the name of a variant's rule.
        house: its name within the family.
        cells: its cells.
        symbols: those of all values.
        complete: whether there are as many cells as values, so that each value stands there
            exactly once.
    """
    ordered, n = sorted(cells), len(symbols)
    for d, symbol in enumerate(symbols):
        places = tuple([c * n + d for c in ordered])
        yield OneHot(family, f"{house} {symbol}", places, 1, not complete, house)


def allocate(
    model: Model,
    hints: Iterable[int],
    allocation: Allocation | str = Allocation.PAPER,
    *,
    struck: Iterable[int] = (),
) -> Model:
    """Take from the model of the empty board the variables that the hints make superfluous.

    Args:
        model: the model of the empty board.
        hints: positions of the variables that hints make true.
        allocation: how far the hints are followed.
        struck: positions of the variables that the puzzle states to be false (pencil marks).
    """
    substituted = substitute(model, hints, settle=("cell",), false=struck)
    match Allocation(allocation):
        case Allocation.PAPER:
            return substituted
        case Allocation.CANDIDATES:
            return forward_check(substituted)
        case Allocation.SINGLES:
            return unit_propagate(substituted)


@check_types
def substitute(
    model: Model, true: Iterable[int], settle: Collection[str] = (), false: Iterable[int] = ()
) -> Model:
    """Set variables to true or false and remove them from the model.

    Every true variable lowers the total of its one-hot constraints. The other variables of such a
    constraint stay in the model (although they are false in every solution), except in the
    families named in ``settle``: the paper's allocation has no variables for a hinted cell, so
    Sudoku settles ``cell``.

    Args:
        model: any model.
        true: positions of the variables to be true.
        settle: families whose constraints lose all their variables once they are satisfied.
        false: positions of the variables to be false; a variable in both lists makes the model
            contradictory.
    """
    chosen = frozenset(true)
    never = frozenset(false)
    gone = set(chosen | never)
    if settle:
        for c in model.constraints:
            if c.family in settle and not chosen.isdisjoint(c.variables):
                gone.update(c.variables)
    assigned = [(model.variables[v].key, v in chosen) for v in sorted(chosen | never)]
    assigned += [(model.variables[v].key, False) for v in sorted(chosen & never)]
    return _remove_variables(model, gone, chosen, chosen & never, assigned)


@check_types
def forward_check(model: Model) -> Model:
    """Remove the remaining variables of each satisfied one-hot constraint, as they must be false.

    One pass suffices, because a false variable lowers no total.
    """
    return model.cached(_uncached_forward_check)


def _uncached_forward_check(model: Model) -> Model:
    return _remove_variables(model, forward_checked_variables(model), frozenset())


def forward_checked_variables(model: Model) -> set[int]:
    """Positions of the variables that :func:`forward_check` removes."""
    return {v for c in model.one_hots if c.total <= 0 for v in c.variables}


@check_types
def unit_propagate(model: Model) -> Model:
    """Set the only variable left in an "exactly one" constraint to true, until nothing follows.

    Includes :func:`forward_check`. In a Sudoku it finds the naked and hidden singles. Stops at the
    first contradiction, which the result then contains.
    """
    return model.cached(_uncached_unit_propagate)


def propagate_for_diagram(model: Model) -> Model:
    """Apply unit propagation to a model if its puzzle allows that, else only forward checking.

    See :attr:`bddsudoku.model.model.Origin.allows_propagation`.
    """
    return unit_propagate(model) if model.origin.allows_propagation else forward_check(model)


def _uncached_unit_propagate(model: Model) -> Model:
    one_hots = model.one_hots
    total = [c.total for c in one_hots]
    width = [len(c.variables) for c in one_hots]
    of_variable: list[list[int]] = [[] for _ in model.variables]
    for i, c in enumerate(one_hots):
        for v in c.variables:
            of_variable[v].append(i)
    alive = bytearray(b"\x01" * len(model.variables))
    fixed: set[int] = set()
    pending = list(range(len(one_hots)))
    while pending:
        i = pending.pop()
        c = one_hots[i]
        if total[i] < 0 or (total[i] > 0 and width[i] == 0 and not c.at_most):
            break
        if width[i] == 0:
            continue
        if total[i] == 0:
            dropped = [v for v in c.variables if alive[v]]
        elif width[i] == 1 and not c.at_most:
            v = next(v for v in c.variables if alive[v])
            fixed.add(v)
            for j in of_variable[v]:
                total[j] -= 1
            dropped = [v]
        else:
            continue
        for v in dropped:
            alive[v] = 0
            for j in of_variable[v]:
                width[j] -= 1
                pending.append(j)
    gone = {v for v in range(len(model.variables)) if not alive[v]}
    # After a contradiction some used-up constraints still have their variables.
    return forward_check(_remove_variables(model, gone, frozenset(fixed)))


def restrict_together(
    constraints: Sequence[Constraint],
    known: Assumptions,
    positions: Sequence[int] | None = None,
) -> list[Constraint]:
    """Restrict constraints by known values, then renumber them if there are new ``positions``.

    Args:
        constraints: of any kind.
        known: values of some variables, by position.
        positions: for every variable that is not known its new position; None to keep all.

    Returns:
        What is left of each constraint, in their order; the same object where nothing changes.

    Cost: formulas often share most of their subexpressions, which are visited once for all, and
    constraints on words all their groups.
    """
    replaced: dict[int, bool | Expression] = {**known}
    formulas = [c.expression for c in constraints if isinstance(c, Formula)]
    if formulas and positions is not None:
        replaced |= {v: Reference(i) for v, i in enumerate(positions) if v not in known}
    expressions = iter(substitute_all(formulas, replaced))
    last = max((v for c in constraints for v in c.variables[-1:]), default=-1)
    place = [*(range(1 + max([last, *known])) if positions is None else positions)]
    for v, truth in known.items():
        place[v] = TRUE if truth else FALSE
    groups: dict[Groups, Groups] = {}
    found: list[Constraint] = []
    for c in constraints:
        if isinstance(c, Formula):
            left = next(expressions)
            c = c if left is c.expression else Formula(c.family, c.label, left)
        elif isinstance(c, Automaton):
            if c.groups not in groups:
                groups[c.groups] = c.renumber(place).groups
            c = c if groups[c.groups] == c.groups else replace(c, groups=groups[c.groups])
        else:
            c = c if known.keys().isdisjoint(c.variables) else c.restrict(known)
            c = c if positions is None else c.renumber(positions)
        found.append(c)
    return found


def _remove_variables(
    model: Model,
    removed: Collection[int],
    true: frozenset[int],
    clashing: frozenset[int] = frozenset(),
    assumptions: Iterable[tuple[int, bool]] = (),
) -> Model:
    """Remove the variables ``removed`` from a model; those in ``true`` are true, the others false.

    Variables in ``clashing`` are assumed to be both true and false: the totals of their
    constraints fall below 0. ``assumptions`` (none deduced) are appended to
    :attr:`Model.assumptions`.
    """
    if not removed:
        return model
    new_index = [-1] * len(model.variables)
    kept = [v for v in range(len(model.variables)) if v not in removed]
    for i, v in enumerate(kept):
        new_index[v] = i
    new_position = new_index.__getitem__
    known = {v: v in true for v in removed}
    others = [c for c in model.constraints if not isinstance(c, OneHot)]
    restricted = iter(restrict_together(others, known, new_index))
    constraints: list[Constraint] = []
    for c in model.constraints:
        if isinstance(c, OneHot):
            family, label, members, total, at_most, house = c
            left = tuple(map(new_position, members))
            if -1 in left:
                left = tuple([i for i in left if i >= 0])
                total -= len(true.intersection(members))
                total -= 2 * len(clashing.intersection(members))
            if members:  # there may be thousands of used-up ones
                c = OneHot(family, label, left, total, at_most, house)
            constraints.append(c)
        else:
            constraints.append(next(restricted))
    if clashing:
        in_a_sum = {v for c in model.one_hots for v in c.variables}
        constraints += [
            OneHot("absurd", model.variables[v].name, (), -1) for v in sorted(clashing - in_a_sum)
        ]
    fixed = model.fixed + tuple(model.variables[v] for v in sorted(true))
    variables = tuple([model.variables[v] for v in kept])
    return model.restricted(variables, tuple(constraints), fixed, assumptions)
