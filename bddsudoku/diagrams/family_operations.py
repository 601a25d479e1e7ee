"""Minimal and maximal members of a family of sets, and its hitting sets, as ZDD operations.

After Knuth, TAOCP 4A, section 7.1.4 (families of sets: f↑, f↓, "nonsupersets" f ↘ g and
"nonsubsets" f ↗ g), and for hitting sets T. Toda, "Fast compression of large-scale hypergraphs for
solving combinatorial problems" (DS 2013): first the BDD of all hitting sets, then its minimal sets
as a ZDD. A node of that BDD stands for the minimal sets that are still to be hit, a node of a ZDD.
The minimal hitting sets of a family's hitting sets are the family's minimal members (Berge).

These operations call each other (the minimal sets need nonsupersets, which need intersections), so
they share one store of nodes with a unique table, one computed table, and a stack of tasks with a
stack of values: a task is a call, or it combines the values on top. There is no recursion limit,
and every call that is no terminal case is computed once. (For the operations of
:mod:`.zdd_apply`, which need none of this, the work list there is four times as fast.)

The store contains ZDD nodes (high child never ⊥) and BDD nodes (children differ), which may share
triples; the operation determines how a number is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams.canonical import (
    Nodes,
    double_unique_table,
    enlarge,
    find_node_slot,
    mix_hash,
)
from bddsudoku.diagrams.transform import diagram_of_bdd
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached
from bddsudoku.jit import allocating_kernel, kernel
from bddsudoku.jit.decorators import I64, U8, U16, U32, U64

MAX_NODES = 1 << 27
"""Greatest number of nodes that an operation may make, and of entries of its computed table."""
_BYTES_PER_NODE = 80


def minimal(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The minimal members of a family: those of which no other member is a subset.

    Args:
        diagram: the family.
        context: limits of time, memory and nodes.

    Raises:
        LimitReached: a limit of the context, or :data:`MAX_NODES`, is reached.

    Cost: some 0.3 microseconds per call on a pair of nodes; often near linear, exponential in the
    worst case.
    """
    return _apply_operation(diagram, _MINIMAL, context)


def maximal(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The maximal members of a family: those that are a subset of no other member.

    Arguments, errors and cost as for :func:`minimal`.
    """
    return _apply_operation(diagram, _MAXIMAL, context)


def minimal_hitting_sets(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The minimal hitting sets of a family: minimal sets of variables that meet every member.

    The empty family has the hitting set ∅; a family with the member ∅ has none. Arguments, errors
    and cost as for :func:`minimal`.
    """
    return minimal_of_upset(all_hitting_sets(diagram, context=context), context=context)


def minimal_of_upset(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The minimal members of an upset, that is, of a family with every superset of its members.

    Faster than :func:`minimal`, which it equals. Arguments, errors and cost as there.
    """
    return _apply_operation(diagram, _LEAST, context)


def all_hitting_sets(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """All hitting sets of a family: sets of variables that meet every member, minimal or not.

    Arguments, errors and cost as for :func:`minimal`. Variables that make no difference are
    unconstrained, which takes a node for each.
    """
    return diagram_of_bdd(diagram.labels, _apply_unreduced(diagram, _HITS, context))


def _apply_operation(diagram: Diagram, operation: int, context: Context) -> Diagram:
    """Apply an operation on one family within a context's limits; return the canonical ZDD."""
    found = _apply_unreduced(diagram, operation, context)
    return Diagram.from_arrays(diagram.labels, *found, overwrite=True)


def _apply_unreduced(diagram: Diagram, operation: int, context: Context) -> Nodes:
    """Apply an operation on one family within a context's limits; return unreduced nodes."""
    context.check()
    most = MAX_NODES if context.nodes is None else min(context.nodes, MAX_NODES)
    if context.memory is not None:
        most = min(most, context.memory // _BYTES_PER_NODE)
    d = diagram
    scratch = np.zeros(1024, dtype=np.uint8)
    longer: list[Any] = [np.concatenate((a, scratch), dtype=a.dtype) for a in d.nodes[:3]]
    with _flag_set_at_deadline(context) as stop:
        nodes = Nodes(longer[0], longer[1], longer[2], d.root)
        out = _apply_with_task_stack(nodes, d.size, operation, most, stop)
    if out.root == _STOPPED:
        raise context.limit_error("in an operation on a family")
    if out.root == _FULL:
        raise LimitReached(
            f"an operation on a diagram of {d.size - 2} nodes takes more than {most} nodes",
            limit="nodes",
            details={"nodes": most},
        )
    return out


@contextmanager
def _flag_set_at_deadline(context: Context) -> Iterator[U8]:
    """Yield a flag that a second thread sets at the deadline, so that a kernel can stop."""
    stop = np.zeros(1, dtype=np.uint8)
    left = context.seconds_left
    if left is None:
        yield stop
        return
    timer = Timer(left, stop.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


_FULL, _STOPPED = -1, -2
"""Returned in place of a root: more nodes than allowed; the flag was set."""

_UNION, _INTERSECTION, _DIFFERENCE, _NO_SUPERSETS, _NO_SUBSETS = 1, 2, 3, 4, 5
_MINIMAL, _MAXIMAL, _HITS, _LEAST = 6, 7, 8, 9
"""Operations on one family: its minimal members; its maximal members; all its hitting sets, as a
BDD; the minimal members of one with all supersets of its members."""
_COMBINE, _KEEP, _ZDD, _ZDD_REVERSED, _BDD, _STORE, _THEN = 10, 11, 12, 13, 14, 15, 16

_OPEN = -1


@kernel
def _find_computed_slot(keys: U64, key: np.uint64) -> int:
    """Find the slot of a key (operation and operands) in the computed table, or a free slot."""
    mask = np.int64(len(keys) - 1)
    at: Any = np.int64(mix_hash(key) & np.uint64(mask))
    while keys[at] and keys[at] != key:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@kernel
def _terminal_case(operation: int, x: int, y: int) -> int:
    """The result of an operation if terminals or equal operands decide it, else _OPEN (-1)."""
    if operation == _HITS:
        return 1 - x if x < 2 else _OPEN
    if operation >= _MINIMAL:
        return x if x < 2 else _OPEN
    if operation == _UNION:
        if x == y or y == 0:
            return x
        return y if x == 0 else _OPEN
    if operation == _INTERSECTION:
        if x == y:
            return x
        return 0 if x == 0 or y == 0 else _OPEN
    if x == y or x == 0:
        return 0
    if y == 0:
        return x
    if (operation == _NO_SUPERSETS and y == 1) or (operation == _NO_SUBSETS and x == 1):
        return 0
    return _OPEN


@allocating_kernel
def _apply_with_task_stack(
    nodes: Nodes, size: int, operation: int, max_nodes: int, stop_flag: U8
) -> Nodes:
    """Apply an operation to a family with an explicit stack of tasks and a limit of nodes.

    Args:
        nodes: the family; the arrays may be longer than ``size`` and are overwritten there.
        size: number of nodes.
        operation: one of _MINIMAL, _MAXIMAL, _HITS, _LEAST.
        max_nodes: greatest number of nodes, and of entries of the computed table (below 2**29).
        stop_flag: one entry; another thread sets it to end the work.

    Returns:
        The store (the given nodes come first) and the root of the result, or _FULL, or _STOPPED.
    """
    variable: Any = nodes.variable
    low: Any = nodes.low
    high: Any = nodes.high
    used: Any = np.int64(size)
    capacity: Any = np.int64(len(variable))
    table = np.zeros(4096, np.uint32)
    keys = np.zeros(4096, np.uint64)
    results = np.zeros(4096, np.uint32)
    held: Any = np.int64(0)
    # tasks: three numbers each; values: ids of nodes
    tasks = np.empty(3 * 1024, np.int64)
    values = np.empty(1024, np.int64)
    top: Any = np.int64(0)
    depth: Any = np.int64(0)
    top = _push_task(tasks, top, operation, nodes.root, 0)
    steps: Any = np.int64(0)
    fresh: Any = np.int64(0)  # nodes in the unique table
    while top:
        steps += 1
        if steps & 0xFFFF == 0 and stop_flag[0]:
            return Nodes(variable[:0], low[:0], high[:0], _STOPPED)
        if used > max_nodes or held > max_nodes:
            return Nodes(variable[:0], low[:0], high[:0], _FULL)
        if used + 2 > capacity:
            capacity = 2 * capacity + 1024
            variable = enlarge(variable, capacity)
            low = enlarge(low, capacity)
            high = enlarge(high, capacity)
        if 2 * (fresh + 2) > len(table):
            table = double_unique_table(table, variable, low, high, used - fresh, used)
        if 2 * (held + 2) > len(keys):
            keys, results = _double_computed_table(keys, results)
        if top + 60 > len(tasks):
            tasks = enlarge(tasks, 2 * len(tasks))
        if depth + 20 > len(values):
            values = enlarge(values, 2 * len(values))
        top -= 3
        code: Any = tasks[top]
        x: Any = tasks[top + 1]
        y: Any = tasks[top + 2]
        if code == _STORE:
            key: Any = np.uint64(x)
            at: Any = _find_computed_slot(keys, key)
            keys[at] = key
            results[at] = values[depth - 1]
            held += 1
            continue
        if _ZDD <= code <= _BDD:
            depth -= 1
            lo: Any = values[depth - 1]
            hi: Any = values[depth]
            if code == _ZDD_REVERSED:
                lo, hi = hi, lo
            if (hi == 0) if code != _BDD else (hi == lo):
                values[depth - 1] = lo
                continue
            at = find_node_slot(table, variable, low, high, x, lo, hi)
            if table[at] == 0:
                variable[used] = x
                low[used] = lo
                high[used] = hi
                table[at] = used
                used += 1
                fresh += 1
            values[depth - 1] = table[at]
            continue
        if code == _COMBINE:
            code = x
            depth -= 2
            x = values[depth]
            y = values[depth + 1]
        elif code == _KEEP:
            code = x
            depth -= 1
            x = values[depth]
            y = values[depth - 1]
        elif code == _THEN:
            code = x
            depth -= 1
            x = values[depth]
            y = np.int64(0)
        if _INTERSECTION <= code <= _NO_SUPERSETS:
            # Sets with a variable that no set of the other family has do not matter.
            while variable[x] != variable[y]:
                if variable[y] < variable[x]:
                    y = np.int64(low[y])
                elif code == _INTERSECTION:
                    x = np.int64(low[x])
                else:
                    break
        found = np.int64(_terminal_case(code, x, y))
        if found != _OPEN:
            values[depth] = found
            depth += 1
            continue
        if code <= _INTERSECTION and x > y:
            x, y = y, x
        key = (np.uint64(code) << np.uint64(58)) | (np.uint64(x) << np.uint64(29)) | np.uint64(y)
        at = _find_computed_slot(keys, key)
        if keys[at]:
            values[depth] = results[at]
            depth += 1
            continue
        signed: Any = np.int64(key)
        top = _push_task(tasks, top, _STORE, signed, 0)
        if code >= _MINIMAL:
            top = _push_unary_tasks(tasks, top, code, variable[x], low[x], high[x])
        else:
            top = _push_binary_tasks(tasks, top, code, x, y, variable, low, high)
    return Nodes(variable[:used], low[:used], high[:used], int(values[0]))


@allocating_kernel
def _double_computed_table(keys: U64, results: U32) -> tuple[U64, U32]:
    """A computed table (keys and results) of twice the size with the same entries."""
    more = np.zeros(2 * len(keys), np.uint64)
    theirs = np.zeros(2 * len(keys), np.uint32)
    for i in range(len(keys)):
        if keys[i]:
            at = _find_computed_slot(more, keys[i])
            more[at] = keys[i]
            theirs[at] = results[i]
    return more, theirs


@kernel
def _push_task(tasks: I64, top: int, code: int, x: int, y: int) -> int:
    """Push a task (a call, or a step that combines results) on the stack; return the new top."""
    tasks[top] = code
    tasks[top + 1] = x
    tasks[top + 2] = y
    return top + 3


@kernel
def _push_unary_tasks(tasks: I64, top: int, operation: int, level: int, lo: int, hi: int) -> int:
    """Push the tasks for an operation on one node; the last one is executed first.

    The result's node, where ° is the operation (without the variable | with it):

    * minimal: low° | the nonsupersets of low° in high°
    * maximal: the nonsubsets of high° in low° | high°
    * hits: without the variable, the hitting sets of high and of the nonsupersets of high in low
      together | those of low
    * least: low° | high° minus low°
    """
    if operation == _HITS:
        top = _push_task(tasks, top, _BDD, level, 0)
        top = _push_task(tasks, top, _HITS, lo, 0)
        top = _push_task(tasks, top, _THEN, _HITS, 0)
        top = _push_task(tasks, top, _COMBINE, _UNION, 0)
        top = _push_task(tasks, top, _UNION, hi, 0)  # as it is
        return _push_task(tasks, top, _NO_SUPERSETS, lo, hi)
    shape = _ZDD
    within = _NO_SUPERSETS
    if operation == _MAXIMAL:
        shape, within = _ZDD_REVERSED, _NO_SUBSETS
        lo, hi = hi, lo
    elif operation == _LEAST:
        within = _DIFFERENCE
    top = _push_task(tasks, top, shape, level, 0)
    top = _push_task(tasks, top, _KEEP, within, 0)
    top = _push_task(tasks, top, operation, hi, 0)
    return _push_task(tasks, top, operation, lo, 0)


@kernel
def _push_binary_tasks(
    tasks: I64, top: int, operation: int, x: int, y: int, variable: U16, low: U32, high: U32
) -> int:
    """Push the tasks for an operation on a pair of nodes; the last one is executed first."""
    a: Any = np.int64(variable[x])
    b: Any = np.int64(variable[y])
    v = min(a, b)
    xl: Any = np.int64(low[x]) if a == v else np.int64(x)
    yl: Any = np.int64(low[y]) if b == v else np.int64(y)
    xh: Any = np.int64(high[x]) if a == v else np.int64(0)
    yh: Any = np.int64(high[y]) if b == v else np.int64(0)
    if operation == _UNION:
        top = _push_task(tasks, top, _ZDD, v, 0)
        top = _push_task(tasks, top, _UNION, xh, yh)
        return _push_task(tasks, top, _UNION, xl, yl)
    if a > v:  # only with _NO_SUBSETS: no set of the first family has the variable
        top = _push_task(tasks, top, _COMBINE, _INTERSECTION, 0)
        top = _push_task(tasks, top, operation, x, yl)
        return _push_task(tasks, top, operation, x, yh)
    top = _push_task(tasks, top, _ZDD, v, 0)
    if operation == _NO_SUPERSETS and b == v:
        top = _push_task(tasks, top, _COMBINE, _INTERSECTION, 0)
        top = _push_task(tasks, top, operation, xh, yl)
        top = _push_task(tasks, top, operation, xh, yh)
    elif operation == _NO_SUPERSETS:
        top = _push_task(tasks, top, operation, xh, y)
    else:  # a set with the variable is compared with those that have it
        top = _push_task(tasks, top, operation, xh, yh)
    if operation == _NO_SUBSETS and b == v:
        top = _push_task(tasks, top, _COMBINE, _INTERSECTION, 0)
        top = _push_task(tasks, top, operation, xl, yl)
        return _push_task(tasks, top, operation, xl, yh)
    return _push_task(tasks, top, operation, xl, yl)
