"""A constraint as a small layered automaton that reads the levels of an order.

A level of an order is a variable, or a group of variables of which at most one is true; a machine
has a level of its own wherever its constraint has variables. The choice at a level says which of
*its* variables is true, 0 when none of them is. Machines are minimal and numbered canonically: two
constraints that mean the same over the same levels have the same machine.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bddsudoku.errors import ModelError
from bddsudoku.limits import Check
from bddsudoku.model.automaton import Automaton
from bddsudoku.model.constraint import Assignment, Constraint, Formula, Linear
from bddsudoku.model.layers import Cap, Layers, Table, conjoin, finish
from bddsudoku.model.onehot import OneHot

__all__ = ["WIDTH", "Machine", "machine"]

WIDTH = 1 << 20
"""States of one layer on the way to a machine, unless told otherwise."""


@dataclass(frozen=True)
class Machine:
    """A constraint, ready to be run, multiplied or searched.

    Attributes:
        levels: positions of the variables that each level reads, in the order of its choices from
            1 on.
        places: ascending; the number of each level in the order that it was made for.
        layers: the tables (canonical, so that machines can be compared by ``==``).
    """

    levels: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]
    layers: Layers

    @property
    def size(self) -> int:
        """States of all layers but the last."""
        return self.layers.size

    @property
    def width(self) -> int:
        """States of the widest layer."""
        return self.layers.width

    def accepts(self, assignment: Assignment) -> bool:
        """Whether an assignment is accepted; with two true variables in a level, it is not."""
        word = []
        for level in self.levels:
            true = [k for k, v in enumerate(level, 1) if assignment[v]]
            if len(true) > 1:
                return False
            word.append(true[0] if true else 0)
        return self.layers.accepts(word)

    def __and__(self, other: Machine) -> Machine:
        """The machine of both constraints, made for the same order."""
        return self.conjoined(other)

    def conjoined(self, other: Machine, width: int = WIDTH) -> Machine:
        """The machine of both constraints, made for the same order.

        Raises:
            ModelError: the orders are not the same.
            LimitReached: a layer is wider than allowed.
        """
        levels = dict(zip(self.places, self.levels, strict=True))
        for place, level in zip(other.places, other.levels, strict=True):
            mine = levels.get(place, ())
            levels[place] = (*mine, *(v for v in level if v not in mine))
        places = tuple(sorted(levels))
        both = tuple(levels[p] for p in places)
        if len({v for level in both for v in level}) < sum(len(level) for level in both):
            raise ModelError("machines that were made for different orders have no product")
        first, second = (m._over(places, both) for m in (self, other))
        return Machine(both, places, conjoin(first, second, Cap(width, "product of machines")))

    def _over(self, places: Sequence[int], levels: Sequence[tuple[int, ...]]) -> Layers:
        """The same language over more levels, and more variables in a level."""
        own = dict(zip(self.places, range(len(self.places)), strict=True))
        tables: list[Table] = []
        done = 0
        for place, level in zip(places, levels, strict=True):
            if place in own:
                done = own[place]
                # A variable that the constraint does not know is none of those that it knows.
                columns = [0]
                columns += [
                    self.levels[done].index(v) + 1 if v in self.levels[done] else 0 for v in level
                ]
                tables.append(self.layers.tables[done][:, columns])
                done += 1
            else:
                same = np.arange(self.layers.widths[done], dtype=np.int32)
                tables.append(np.repeat(same[:, None], 1 + len(level), axis=1))
        if self.layers.is_empty:
            return finish([], np.zeros(1, dtype=bool)) if not tables else _none(tables)
        return finish(tables)

    def bdd(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
        """The reduced ordered BDD.

        Returns:
            ``variable``, ``low``, ``high`` of every node, children first, and the number of the
            root: 0 is false, 1 is true, ``i + 2`` is node ``i``.

        Raises:
            ModelError: a level reads more than one variable.
        """
        if any(len(level) != 1 for level in self.levels):
            raise ModelError("a BDD reads one variable at a time; this machine reads groups")
        found: list[NDArray[np.int32]] = []
        below = np.array([1, 0], dtype=np.int32)  # the last entry is for -1
        made = 2
        for (variable,), table in zip(self.levels[::-1], self.layers.tables[::-1], strict=True):
            rows = below[table]
            real = rows[:, 0] != rows[:, 1]
            numbers = np.zeros(len(rows) + 1, dtype=np.int32)
            numbers[:-1] = np.where(real, made - 1 + np.cumsum(real), rows[:, 0])
            nodes = np.full((int(real.sum()), 3), variable, dtype=np.int32)
            nodes[:, 1:] = rows[real]
            found.append(nodes)
            made += len(nodes)
            below = numbers
        root = 0 if self.layers.is_empty else int(below[0])
        variable, low, high = np.concatenate([np.zeros((0, 3), np.int32), *found]).T
        return variable.copy(), low.copy(), high.copy(), root


def _none(tables: Sequence[Table]) -> Layers:
    return finish([np.full((1, t.shape[1]), -1, dtype=np.int32) for t in tables])


def machine(
    constraint: Constraint,
    levels: Sequence[Sequence[int]] | None = None,
    *,
    exact: Collection[int] = (),
    width: int = WIDTH,
    check: Check | None = None,
) -> Machine:
    """The machine of a constraint for an order.

    Args:
        constraint: any of the four kinds.
        levels: the order: lists of positions, one for each level; of several in one level at most
            one is true in every assignment that shall be asked about. By default every variable is
            a level, ascending; for an automaton every group, in its own order.
        exact: numbers of the levels of which always one variable is true. The machine is smaller
            for it, and says nothing about assignments where that is not so.
        width: greatest number of states that a layer may have on the way.
        check: called every now and then with the bytes taken more; may raise.

    Raises:
        ModelError: a variable of the constraint is in no level, or in two.
        LimitReached: a layer is too wide; the message names the constraint.

    Cost: an automaton in another order than its own can be costly, see
    :mod:`bddsudoku.model.reading`; the others have the size of their result, nearly.
    """
    if levels is None:
        if isinstance(constraint, Automaton):
            levels = [[v for v in g if v >= 0] for g in constraint.groups]
        else:
            levels = [[v] for v in constraint.variables]
    mine = set(constraint.variables)
    places: list[int] = []
    own: list[tuple[int, ...]] = []
    always: list[bool] = []
    for place, level in enumerate(levels):
        held = tuple(v for v in level if v in mine)
        if held:
            places.append(place)
            own.append(held)
            always.append(place in exact and len(held) == len(level))
    held_in_all = [v for level in own for v in level]
    if len(held_in_all) != len(mine) or set(held_in_all) != mine:
        raise ModelError(
            f"{constraint.family} {constraint.label}: not every variable is in just one level"
        )
    cap = Cap(width, f"{constraint.family} {constraint.label}", check)
    layers = _layers(constraint, own, always, cap)
    return Machine(tuple(own), tuple(places), layers)


def _layers(
    constraint: Constraint, levels: Sequence[tuple[int, ...]], exact: Sequence[bool], cap: Cap
) -> Layers:
    if isinstance(constraint, Automaton):
        from bddsudoku.model import reading

        return reading.read(constraint, levels, exact, cap)
    if isinstance(constraint, Formula):
        from bddsudoku.model import valued

        return valued.read(constraint.expression, levels, exact, cap)
    if isinstance(constraint, OneHot):
        weight = dict.fromkeys(constraint.variables, 1)
        low = None if constraint.at_most else constraint.total
        return _sums(weight, low, constraint.total, levels, exact, cap)
    if isinstance(constraint, Linear):
        weight = dict(zip(constraint.variables, constraint.weights, strict=True))
        return _sums(weight, constraint.low, constraint.high, levels, exact, cap)
    raise ModelError(f"{constraint.family} {constraint.label}: no known kind of constraint")


def _sums(
    weight: dict[int, int],
    low: int | None,
    high: int | None,
    levels: Sequence[tuple[int, ...]],
    exact: Sequence[bool],
    cap: Cap,
) -> Layers:
    from bddsudoku.model.sums import sums

    rows = [
        [*([] if always else [0]), *(weight[v] for v in level)]
        for level, always in zip(levels, exact, strict=True)
    ]
    layers = sums(rows, low, high, cap)
    if not any(exact):
        return layers
    dead = [
        np.full((len(t), int(e)), -1, np.int32) for t, e in zip(layers.tables, exact, strict=True)
    ]
    tables = [np.concatenate(pair, axis=1) for pair in zip(dead, layers.tables, strict=True)]
    return finish(tables, ordered=True) if not layers.is_empty else _none(tables)
