"""Choice trees: the choices of a level as a decision tree over the level's variables.

The choices of a level are subsets of its block of variables. As a decision tree over the block,
bottom variable first, every choice is a leaf that is read exactly once; the forward pass lists a
state's edges in the order of reading, so that the backward pass reads them with one cursor per
state.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bddsudoku.jit.decorators import I64

NONE = -1
"""A branch that no choice takes."""


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceTree:
    """The decision tree of one level's choices.

    A branch is :data:`NONE`, a leaf (its consumption rank ``r`` as ``-2 - r``) or the column of an
    earlier decision. Every decision is read once; then a later one may reuse its column.

    Attributes:
        nodes: int64 (decisions + 1, 4); variable, low, high, own column; bottom variable first,
            children before parents. In the last row, of no variable (-1), low is the root.
        order: int64 (choices,); the choices by consumption rank, as the backward pass takes them.
        columns: number of columns needed.
        group: greatest number of decisions on one variable.
    """

    nodes: I64
    order: I64
    columns: int
    group: int


@lru_cache(maxsize=256)
def choice_tree(choices: tuple[tuple[int, ...], ...]) -> ChoiceTree:
    """The decision tree of a level's choices, each an ascending subset of the level's variables."""
    # every distinct decided part is a decision on the path of some choice; those with the same
    # prefix share the upper decisions, so group by prefix from the bottom variable up
    branch: dict[tuple[int, ...], int] = {}
    order: list[int] = []
    pending: dict[tuple[int, ...], int] = {c: i for i, c in enumerate(choices)}
    nodes: list[tuple[int, int, int, int]] = []
    unused: list[int] = []
    columns = 0

    def read_branch(subset: tuple[int, ...]) -> int:
        if subset in branch:
            unused.append(branch[subset])
            return branch.pop(subset)
        if subset in pending:
            order.append(pending.pop(subset))
            return -1 - len(order)
        return NONE

    for variable in sorted({v for c in choices for v in c}, reverse=True):
        # subsets whose greatest element is this variable, children complete below it
        ends = sorted(
            {c for c in (*pending, *branch) if c and c[-1] == variable}, key=lambda c: c[:-1]
        )
        for subset in ends:
            low, high = read_branch(subset[:-1]), read_branch(subset)
            if not unused:
                unused.append(columns)
                columns += 1
            own = branch[subset[:-1]] = unused.pop()
            nodes.append((variable, low, high, own))
    root = read_branch(())
    group = max(Counter(variable for variable, *_ in nodes).values(), default=0)
    rows = np.array([*nodes, (-1, root, NONE, 0)])
    return ChoiceTree(rows, np.array(order, np.int64), max(columns, 1), group)
