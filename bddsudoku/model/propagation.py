"""Degrees of propagation: the same model with more and more of its variables settled.

``substitute`` is what the paper does with hints (section 4), ``candidates`` what it announces as
future work (section 6), ``singles`` the fixpoint of the simplest deduction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bddsudoku.model.constraints import Constraint, OneHot, Variable
from bddsudoku.model.model import Model


def substitute(
    model: Model, true: Iterable[int], settle: Collection[str] = (), false: Iterable[int] = ()
) -> Model:
    """Set variables to true or false and take them out of the model.

    Every constraint that holds one of them has its total lowered. The other variables of such
    a constraint stay (they are 0 in every solution, but the model does not say so yet), except
    in the families named in ``settle``, where they go too: the paper gives a hinted cell no
    variables at all, so Sudoku settles ``cell``.

    Args:
        model: any model.
        true: positions of variables that hold.
        settle: families whose constraints lose all their variables once they are satisfied.
        false: positions of variables that do not hold; where one is also to be true, its
            constraints cannot be satisfied.
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


def forward_check(model: Model) -> Model:
    """Drop the variables of every constraint whose total is already used up.

    One pass suffices: setting variables to 0 lowers no total.
    """
    return model.cached(_forward_check)


def _forward_check(model: Model) -> Model:
    gone: set[int] = set()
    for _, c in model.one_hots:
        if c.total <= 0:
            gone.update(c.variables)
    return _remove_variables(model, gone, frozenset())


def unit_propagate(model: Model) -> Model:
    """Fix the last variable of every "exactly one" constraint, and so on to the fixpoint.

    Contains :func:`candidates`. For Sudoku these are naked and hidden singles. Stops at the
    first contradiction, which then stays visible in the result.
    """
    return model.cached(_unit_propagate)


def propagate_for_diagram(model: Model) -> Model:
    """A model as a diagram of its solutions is compiled (:class:`bddsudoku.model.model.Origin`)."""
    return unit_propagate(model) if model.origin.allows_propagation else forward_check(model)


def _unit_propagate(model: Model) -> Model:
    one_hots = [c for _, c in model.one_hots]
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


def _remove_variables(
    model: Model,
    gone: Collection[int],
    true: frozenset[int],
    absurd: frozenset[int] = frozenset(),
    assumptions: Iterable[tuple[int, bool]] = (),
) -> Model:
    """The model without the variables ``gone``, of which those in ``true`` hold.

    What is ``absurd`` is asked to hold and not to hold: its totals fall below 0. What was ``said``
    rather than deduced is kept in :attr:`Model.told`.
    """
    if not gone:
        return model
    new_index = [-1] * len(model.variables)
    variables: list[Variable] = []
    for v, variable in enumerate(model.variables):
        if v not in gone:
            new_index[v] = len(variables)
            variables.append(variable)
    known = {v: v in true for v in gone}
    constraints: list[Constraint] = []
    for c in model.constraints:
        if isinstance(c, OneHot):
            left = tuple([new_index[v] for v in c.variables if new_index[v] >= 0])
            total = c.total
            if len(left) < len(c.variables):
                total -= len(true.intersection(c.variables))
                total -= 2 * len(absurd.intersection(c.variables))
            constraints.append(OneHot(c.family, c.label, left, total, c.at_most))
        else:
            constraints.append(c.restrict(known).renumber(new_index))
    if absurd:
        in_a_sum = {v for _, c in model.one_hots for v in c.variables}
        constraints += [
            OneHot("absurd", model.variables[v].name, (), -1) for v in sorted(absurd - in_a_sum)
        ]
    fixed = model.fixed + tuple(model.variables[v] for v in sorted(true))
    return Model(tuple(variables), tuple(constraints), fixed).as_part_of(model, assumptions)
