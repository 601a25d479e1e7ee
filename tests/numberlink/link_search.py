"""A slow counter of Numberlink solutions without code of the engine: depth-first search.

Path after path, cell after cell. A branch ends where a pair can no longer meet through open cells,
or, when all cells must be covered, where an open cell has fewer than two ways in or out.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from bddsudoku.numberlink import Board


def count(board: Board) -> int:
    """The number of solutions."""
    width = max(map(len, board.neighbours))
    near = np.full((board.cell_count, width), -1, dtype=np.int64)
    for cell, cells in enumerate(board.neighbours):
        near[cell, : len(cells)] = cells
    pairs = np.array(board.cell_pairs, dtype=np.int64)
    return int(_search(near, pairs, board.rule == "cover"))


@njit(cache=True)
def _hopeless(near, pairs, owner, head, k, cover):  # type: ignore[no-untyped-def]
    """Whether the open cells (owner -1) cannot serve the pairs from ``k`` on."""
    cells = len(owner)
    area = np.full(cells, -1, dtype=np.int64)
    stack = np.empty(cells, dtype=np.int64)
    for first in range(cells):
        if owner[first] != -1 or area[first] != -1:
            continue
        area[first] = first
        top = 1
        stack[0] = first
        while top:
            top -= 1
            cell = stack[top]
            ways = 0
            for n in near[cell]:
                if n < 0:
                    continue
                if owner[n] == -1:
                    ways += 1
                    if area[n] == -1:
                        area[n] = first
                        stack[top] = n
                        top += 1
                elif n == head or owner[n] >= len(pairs) + k:
                    ways += 1
            if cover and ways < 2:
                return True
    for j in range(k, len(pairs)):
        a = head if j == k else pairs[j, 0]
        b = pairs[j, 1]
        meet = False
        for m in near[a]:
            if m == b:
                meet = True
            if m < 0 or owner[m] != -1:
                continue
            for n in near[b]:
                if n >= 0 and owner[n] == -1 and area[n] == area[m]:
                    meet = True
        if not meet:
            return True
    return False


@njit(cache=True)
def _search(near, pairs, cover):  # type: ignore[no-untyped-def]
    cells = len(near)
    # of every cell: -1 open, the pair whose path holds it, or pairs + j: a terminal still to reach
    owner = np.full(cells, -1, dtype=np.int64)
    for j in range(len(pairs)):
        owner[pairs[j, 0]] = owner[pairs[j, 1]] = len(pairs) + j
    path = np.empty(cells + 1, dtype=np.int64)
    turn = np.zeros(cells + 1, dtype=np.int64)
    path[0] = pairs[0, 0]
    owner[path[0]] = 0
    depth = k = solutions = 0
    while depth >= 0:
        here = path[depth]
        if here == pairs[k, 1]:  # reached before: the next path has been tried, take the goal back
            owner[here] = len(pairs) + k
            depth -= 1
            continue
        if turn[depth] == near.shape[1]:
            # all ways tried: take this cell back, and the goal before it if a path began here
            turn[depth] = 0
            owner[here] = -1
            depth -= 1
            if here == pairs[k, 0]:
                owner[here] = len(pairs) + k
                k -= 1
            continue
        step = near[here, turn[depth]]
        turn[depth] += 1
        goal = pairs[k, 1]
        if step < 0 or (owner[step] != -1 and step != goal):
            continue
        if step != goal:
            owner[step] = k
            if _hopeless(near, pairs, owner, step, k, cover):
                owner[step] = -1
                continue
            depth += 1
            path[depth] = step
            continue
        owner[goal] = k
        if k + 1 < len(pairs):
            k += 1
            owner[pairs[k, 0]] = k
            if not _hopeless(near, pairs, owner, pairs[k, 0], k, cover):
                path[depth + 1] = goal
                path[depth + 2] = pairs[k, 0]
                turn[depth + 2] = 0
                depth += 2
                continue
            owner[pairs[k, 0]] = len(pairs) + k
            k -= 1
        elif not cover or owner.min() >= 0:
            solutions += 1
        owner[goal] = len(pairs) + k
    return solutions
