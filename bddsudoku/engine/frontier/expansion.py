"""Expanding states: how a step gets into the compiled loops, and the loop of a wide level."""

from __future__ import annotations

from numba.extending import overload

from bddsudoku.engine.frontier.spec import children_by, expand, step
from bddsudoku.engine.frontier.tables import BUCKET_BITS, hash_row, partition_of
from bddsudoku.jit import inlined, kernel

__all__ = ["expand_range"]


@inlined
def _child(params, level, states, row, choice, children, slot, scratch):  # type: ignore[no-untyped-def]
    return step(params, level, states, row, choice, children, slot)


@overload(expand)
def _expand_by_steps(  # type: ignore[no-untyped-def]
    params, level, states, lo, hi, choices, children, degree, rank, to, scratch
):
    """One call of :func:`step` for every state and choice."""
    if getattr(getattr(params, "instance_class", None), "expands", False):
        return None
    return children_by(_child)


@kernel
def expand_range(  # type: ignore[no-untyped-def]
    params,
    level,
    levels,
    states,
    lo,
    hi,
    choices,
    keys_of,
    children,
    degree,
    rank,
    to,
    bucket,
    order,
    starts,
    scratch,
):
    """Children of the states ``lo … hi - 1``, and their order by (target level, partition).

    Returns:
        Number of children.
    """
    starts[:] = 0
    m = expand(params, level, states, lo, hi, choices, children, degree, rank, to, scratch)
    for c in range(m):
        part = 0
        if to[c] < levels:
            part = partition_of(hash_row(children, c, keys_of[to[c]]))
        b = ((to[c] - level - 1) << BUCKET_BITS) + part
        bucket[c] = b
        starts[b + 1] += 1
    for b in range(1, starts.shape[0]):
        starts[b] += starts[b - 1]
    for c in range(m):
        b = bucket[c]
        order[starts[b]] = c
        starts[b] += 1
    for b in range(starts.shape[0] - 1, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0
    return m
