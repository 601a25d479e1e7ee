"""Random descents of the search: unbiased estimates of the number of solutions.

Knuth (*Estimating the efficiency of backtrack programs*, 1975; TAOCP 7.2.2) goes down from the root
by random branches, and counts a solution with the product of the numbers of branches on its way.
Here many descents go down side by side, level by level (*stochastic enumeration*: Rubinstein, 2013;
Vaisman and Kroese, 2014): as long as all branches together are at most so many, all are taken, so
that the first levels are exact; else a random part of them, each with its weight divided by the
probability with which it was taken. Where many descents end dead, those that are left branch again.

The rows are those of the search, which chooses the cells and propagates (:mod:`.kernel`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.search.engine import ConstraintSearch
from bddsudoku.engine.search.kernel import NONE, choose_candidate, propagate
from bddsudoku.engine.search.model_translation import SearchProblem, new_workspace
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import F64, I64, U64, Flags
from bddsudoku.model.model import Model

U0, U1 = np.uint64(0), np.uint64(1)
_SCALE = 512
"""Weights beyond 2 to this power are divided by it: counts may be larger than any double."""


class Branches(NamedTuple):
    """Branches of rows: the number of the row, a cell of it, and the values that the cell keeps."""

    row: U64
    cell: U64
    kept: U64

    def picked(self, which: Flags) -> Branches:
        """Copy some of the branches."""
        return Branches(*(part[which] for part in self))

    def first(self, number: int) -> Branches:
        """Copy the first branches."""
        return Branches(*(part[:number].copy() for part in self))


class Run(NamedTuple):
    """What the descents of one run have found.

    Attributes:
        total: the estimate is this times 2 to the power of ``exponent``.
        exponent: a multiple of a constant.
        descents: how many came to their end, a solution or a dead end.
        steps: the cost.
        exhaustive: whether every branch was taken, so that the estimate is exact.
        shares: (cells, values): the part of ``total`` with each value, where that was asked for.
    """

    total: float
    exponent: int
    descents: int
    steps: int
    exhaustive: bool
    shares: F64 | None


@kernel
def _take_branches(t, w, rows, branches, children, parent, following):  # type: ignore[no-untyped-def]
    """Propagate branches of rows, and list how those go on that are no dead ends.

    Args:
        t: SearchTables.
        w: SearchWorkspace in which nothing waits.
        rows: uint64, (rows, length of a row).
        branches: Branches of these rows.
        children: uint64, as ``rows``; the propagated rows.
        parent: int64; the number of the branch that each of them comes from.
        following: Branches of the children.

    Returns:
        The numbers of the children, and of their branches, and the steps taken.
    """
    changed, before = w.changed, w.before
    cells, length = np.uint64(len(w.weight)), np.uint64(rows.shape[1])
    cost = np.int64(200 + 4 * len(w.weight) + (rows.shape[1] >> 2))
    work = np.int64(0)
    made, listed = U0, U0
    for i in range(len(branches.row)):
        row, source = children[made], rows[branches.row[i]]
        for k in range(length):
            row[k] = source[k]
        for k in range(cells):
            before[k] = row[k]
        c = branches.cell[i]
        row[c] = branches.kept[i]
        changed[U0] = c
        n, _, steps = propagate(row, np.int64(1), False, t, w)
        work += cost + steps
        if n < 0:
            continue
        parent[made] = i
        c, value = choose_candidate(row, t, w)
        left = U0 if c == NONE else row[c]
        while left != U0:
            # One branch for each value of a cell; two for the two places of a value.
            kept = left & ~(left - U1) if value == U0 else left & value
            if kept == U0:
                kept = left
            following.row[listed] = made
            following.cell[listed] = c
            following.kept[listed] = kept
            left &= ~kept
            listed += U1
        made += U1
    return np.int64(made), np.int64(listed), work


@kernel
def _pick(probability, uniform, picked):  # type: ignore[no-untyped-def]
    """Pick items with given probabilities, of neighbours rather one than both.

    Ordered pivotal sampling (Deville and Tillé, *Unequal probability sampling without replacement
    through a splitting method*, 1998): an item that is undecided and the next one share their
    probabilities anew, so that one of the two is decided. Branches of one row are neighbours. (Of
    equally spaced ones, systematic sampling would often take the first branch of every row.)

    Args:
        probability: float64; their sum is an integer.
        uniform: float64; a random number for each item.
        picked: bool; set for the items that are picked.
    """
    a, mine = 0, probability[0]
    for i in range(1, len(probability)):
        other = probability[i]
        both = mine + other
        if both <= 1.0:
            if uniform[i] * both >= mine:
                a = i
            mine = both
        else:
            # One is picked, the other keeps what is beyond 1.
            if uniform[i] * (2.0 - both) < 1.0 - other:
                picked[a] = True
                a = i
            else:
                picked[i] = True
            mine = both - 1.0
    picked[a] = mine > 0.5  # 0 or 1, but for rounding


def _probabilities(weight: F64, number: int) -> F64:
    """Probabilities proportional to weights, at most 1, of which the sum is a given number."""
    descending = -np.sort(-weight)
    rest = np.cumsum(descending[::-1])[::-1]
    sure = int(np.argmax((number - np.arange(len(weight))) * descending <= rest))
    found: F64 = np.minimum(1.0, weight * ((number - sure) / rest[sure]))
    return found


class Descents:
    """Runs of descents through the search tree of a model.

    Args:
        model: any model that the search takes.
        context: limits while the arrays are made.

    Raises:
        LimitReached, ModelError: as for :class:`.engine.ConstraintSearch`.
    """

    def __init__(self, model: Model, context: Context) -> None:
        search = ConstraintSearch(model, context)
        while not search.done and not search.nodes:
            search.advance(max_nodes=1)
        self.count: int | None = search.count if search.done else None
        """The exact count, where propagation settles it."""
        self.unconstrained: int = len(search.unconstrained)
        """Number of variables in no constraint, which runs do not look at."""
        self.problem: SearchProblem = search.problem
        self.keys: I64 = search.keys
        """The key of each variable of the model."""
        self._root = search.root

    def run_bytes(self, width: int) -> int:
        """The bytes that a run holds, roughly."""
        return 2 * width * int(self._root.nbytes + 32 * self.problem.tables.variable.shape[1])

    def run(
        self, width: int, seed: tuple[int, ...], pause: Callable[[], None], *, shares: bool = False
    ) -> Run:
        """Run descents side by side; the same seed finds the same on any number of cores.

        Args:
            width: how many there are at most at a time.
            seed: of the random numbers of this run.
            pause: called once a level; may raise.
            shares: look at the values in solutions, too.
        """
        random = np.random.Generator(np.random.PCG64(seed))
        problem = self.problem
        tables, cells = problem.tables, problem.cells
        work = new_workspace(problem, 1)
        work.queue[:] = 0
        values = tables.variable.shape[1]
        rows, children = np.zeros((2, width, len(self._root)), dtype=np.uint64)
        parent = np.zeros(width, dtype=np.int64)
        made = Branches(*np.zeros((3, width * max(values, 2)), dtype=np.uint64))
        rows[0] = self._root
        # The root's one branch: its first cell keeps all values.
        branches = Branches(*np.array([[0], [0], [self._root[0]]], dtype=np.uint64))
        weight = np.ones(1)
        share = np.zeros((cells, values)) if shares else None
        total, exponent, descents, steps, exhaustive = 0.0, 0, 0, 0, True
        while len(weight):
            pause()
            if len(weight) > width:
                exhaustive = False
                probability = _probabilities(weight, width)
                picked = np.zeros(len(weight), dtype=np.bool_)
                _pick(probability, random.random(len(weight)), picked)
                branches = branches.picked(picked)
                weight = weight[picked] / probability[picked]
                if weight.max() > 2.0**_SCALE:
                    weight *= 2.0**-_SCALE
                    total *= 2.0**-_SCALE
                    if share is not None:
                        share *= 2.0**-_SCALE
                    exponent += _SCALE
            alive, listed, cost = _take_branches(
                tables, work, rows, branches, children, parent, made
            )
            steps += cost
            weight, taken = weight[parent[:alive]], len(weight)
            branches = made.first(listed)
            row = branches.row.astype(np.int64)
            solved = np.ones(alive, dtype=np.bool_)
            solved[row] = False
            descents += taken - alive + int(solved.sum())
            total += weight[solved].sum()
            if share is not None and solved.any():
                has = children[:alive][solved, :cells]
                for value in range(values):
                    share[:, value] += weight[solved] @ (has >> np.uint64(value) & U1)
            weight = weight[row]
            rows, children = children, rows
        return Run(float(total), exponent, descents, steps, exhaustive, share)
