"""One constraint as a BDD: the factor that a conjunction multiplies in."""

from __future__ import annotations

from bddsudoku.engine.conjunction.backends.protocol import Backend, Function, one_hot
from bddsudoku.limits import Check
from bddsudoku.model.constraint import Constraint
from bddsudoku.model.machine import machine
from bddsudoku.model.onehot import OneHot

__all__ = ["factor"]


def factor(backend: Backend, constraint: Constraint, check: Check) -> Function:
    """The BDD of a constraint over its variables, in the order of the model.

    One-hot constraints have their own short way; the others are read off their machine for that
    order, bottom-up.

    Args:
        backend: who makes the nodes.
        constraint: of any kind.
        check: called with the bytes taken more while a machine is made; may raise.

    Raises:
        LimitReached: a machine is wider than machines may be (the message names the constraint),
            or the manager's memory is exhausted.
    """
    if isinstance(constraint, OneHot):
        return one_hot(backend, constraint)
    levels = [[v] for v in constraint.variables]
    variable, low, high, root = machine(constraint, levels, check=check).bdd()
    made = [backend.constant(False), backend.constant(True)]
    for v, below, above in zip(variable.tolist(), low.tolist(), high.tolist(), strict=True):
        made.append(backend.node(v, made[below], made[above]))
    return made[root]
