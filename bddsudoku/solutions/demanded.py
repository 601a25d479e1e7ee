"""A diagram restricted by one more constraint: the product with its machine, top-down.

A state is a node and a state of the machine; equal ones are kept once, level by level, so the work
and the result are at most nodes times the machine's width. Nothing is built in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from bddsudoku.limits import Check
from bddsudoku.model.constraint import Constraint
from bddsudoku.model.machine import machine
from bddsudoku.solutions.arrays import I64
from bddsudoku.solutions.diagram import Diagram

__all__ = ["demanded"]


def demanded(
    diagram: Diagram,
    fixed: Iterable[int],
    constraint: Constraint,
    check: Check = lambda size: None,
) -> Diagram:
    """The sets of a diagram that satisfy a constraint.

    Args:
        diagram: the family.
        fixed: keys that are true in every set and no variables of the diagram.
        constraint: over keys instead of positions: ``variables`` names keys. Those that are
            neither in the diagram nor fixed are false.
        check: called at every level with the bytes taken more; may raise.

    Raises:
        LimitReached: the constraint's machine is too wide; the message names it.
    """
    level_of = {int(key): level for level, key in enumerate(diagram.labels)}
    always = set(fixed)
    known = {key: key in always for key in constraint.variables if key not in level_of}
    # Keys may ascend in another order than the diagram's levels.
    rest = constraint.restrict(known).renumber(level_of)
    verdict = rest.verdict
    if verdict is not None:
        return diagram if verdict else Diagram.empty(diagram.labels)
    made = machine(rest, [[level] for level in rest.variables], check=check)
    if made.layers.is_empty:
        return Diagram.empty(diagram.labels)
    tables = dict(zip(rest.variables, made.layers.tables, strict=True))
    return _product(diagram, tables, check)


def _product(diagram: Diagram, tables: Mapping[int, NDArray[np.int32]], check: Check) -> Diagram:
    variable = diagram.variable.astype(np.int64)
    size = diagram.size
    levels = diagram.levels
    # A state is node + size * machine state.
    here = np.array([diagram.root], np.int64)
    steps: list[
        tuple[I64, I64]
    ] = []  # of every level: places of the children on the next; -1: dead
    for level in range(levels):
        check(0)
        node, state = here % size, here // size
        table = tables.get(level)
        stays = state if table is None else table[state, 0].astype(np.int64)
        takes = state if table is None else table[state, 1].astype(np.int64)
        tests = variable[node] == level
        below = np.where(tests, diagram.low[node], node)
        low = np.where((stays >= 0) & (below != 0), below + size * stays, -1)
        high = np.where(tests & (takes >= 0), diagram.high[node] + size * takes, -1)
        following, places = np.unique(np.concatenate([low, high]), return_inverse=True)
        dead = int(len(following) > 0 and following[0] == -1)
        places = places.reshape(-1) - dead
        steps.append((places[: len(here)], places[len(here) :]))
        here = following[dead:]
    # Whatever is left has read everything: its node is the unit, its state the accepting one.
    return _assembled(diagram, steps, len(here))


def _assembled(diagram: Diagram, steps: list[tuple[I64, I64]], accepted: int) -> Diagram:
    """From the last level to the first: a state is a node, or the state that it goes on to."""
    below = np.ones(accepted, np.int64)
    variable, lows, highs = ([np.zeros(2, np.int64)] for _ in range(3))
    used = 2
    for level in range(len(steps) - 1, -1, -1):
        low, high = steps[level]
        ends = np.append(below, 0)  # -1, the dead, is the last
        low, high = ends[low], ends[high]
        real = high != 0
        ids = np.where(real, used + np.cumsum(real) - 1, low)
        variable.append(np.full(int(real.sum()), level, np.int64))
        lows.append(low[real])
        highs.append(high[real])
        used += int(real.sum())
        below = ids
    return Diagram.from_arrays(
        diagram.labels,
        np.concatenate(variable),
        np.concatenate(lows),
        np.concatenate(highs),
        int(below[0]),
    )
