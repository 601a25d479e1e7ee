"""Keeping to the memory limit: a plan that fits, or several that split the solutions.

When the band tables of a set of masks are too large, one digit's column in one stack is
branched on: in every band it stands in one of the three columns, a different one in each, which
makes up to six disjoint sets of masks whose tables are about a third as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.bands.masks import place_singles
from bddsudoku.engine.bands.plan import Plan, make_plan
from bddsudoku.errors import LimitReached
from bddsudoku.work.memory import memory_to_use

__all__ = ["allowed_memory", "fitting_plans"]

_USUAL = 8 << 30


def allowed_memory(told: int | None) -> int:
    """Bytes to keep to: those told, else 8 GiB, or less where less is available."""
    return memory_to_use(_USUAL) or _USUAL if told is None else told


_SMALLEST = 1e-3
"""Share of the work below which masks are not split again: each part is planned for itself, some
0.1 s, and has fewer symmetries."""


def _readable(nbytes: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if nbytes < 1024:
            return f"{nbytes:.4g} {unit}"
        nbytes /= 1024
    return f"{nbytes:.4g} GiB"


def _column_choices(grid: NDArray[np.uint16], stack: int, digit: int) -> list[tuple[int, ...]]:
    """Columns (0..2) that a digit can have in the three bands of a stack."""
    bit = (grid[:, 3 * stack : 3 * stack + 3] >> digit) & 1
    by_band = np.asarray(bit.reshape(3, 3, 3).any(axis=1))  # band, column
    return [way for way in permutations(range(3)) if all(by_band[b, way[b]] for b in range(3))]


def _split(masks: NDArray[np.uint16], plan: Plan) -> list[NDArray[np.uint16]]:
    """Disjoint masks whose solutions make up the given ones, [] when nothing is left to split."""
    grid = masks.reshape(9, 9)
    grid = grid.T if plan.roles.transposed else grid
    spread = [int(plan.grid.columns[:, s].sum()) for s in range(3)]
    ways, _, stack, digit = max(
        (len(_column_choices(grid, s, d)), spread[s], -s, -d) for s in range(3) for d in range(9)
    )
    if ways < 2:
        return []
    stack, digit = -stack, -digit
    out = []
    for way in _column_choices(grid, stack, digit):
        child = grid.copy()
        for band in range(3):
            block = child[3 * band : 3 * band + 3, 3 * stack : 3 * stack + 3]
            for column in range(3):
                if column != way[band]:
                    block[:, column] &= ~np.uint16(1 << digit)
        singles = place_singles((child.T if plan.roles.transposed else child).reshape(81))
        if singles is not None:
            out.append(singles)
    return out


def fitting_plans(
    singles: NDArray[np.uint16],
    memory_limit: int,
    threads: int,
    *,
    marginals: bool = False,
    outer: int | None = None,
    transposed: bool | None = None,
    share: float = 1.0,
    first: Plan | None = None,
) -> Iterator[tuple[Plan, float]]:
    """Non-empty plans within a memory limit, each with its rough share of the work.

    Args:
        singles: masks with singles placed.
        memory_limit: bytes for the whole process.
        threads: how many threads will hold operands of their own.
        marginals: whether marginals will be accumulated.
        outer: the outermost band, when it has to be this one.
        transposed: the orientation, when it has to be this one.
        share: what share of the work these masks are.
        first: the plan of these masks with a frame, if it has been made.

    Where tables of a frame are too large, those of the board's own symmetries may fit.

    Raises:
        LimitReached: nothing is left to split, or parts would be too many, and the plan is still
            too large.
    """
    for framed in (True, False):
        if first is not None and framed:
            plan = first
        else:
            plan = make_plan(
                singles, outer=outer, transposed=transposed, marginals=marginals, framed=framed
            )
        if plan.empty:
            return
        need = plan.nbytes(threads, marginals)
        if need <= memory_limit:
            yield plan, share
            return
    children = _split(singles, plan) if share > _SMALLEST else []
    if not children:
        raise LimitReached(
            f"the bands engine needs {_readable(need)} for this puzzle"
            + (f", were it split into {1 / share:,.0f} parts" if share < 1 else "")
            + f"; the memory limit is {_readable(memory_limit)}",
            limit="memory",
            details={"bytes": need, "limit": memory_limit},
        )
    way = plan.roles.transposed
    del plan  # its lists are not needed while the children run
    for child in children:
        yield from fitting_plans(
            child,
            memory_limit,
            threads,
            marginals=marginals,
            outer=outer,
            transposed=way,
            share=share / len(children),
        )
