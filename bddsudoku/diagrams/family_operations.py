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

from typing import Any

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams.canonical import (
    Nodes,
    fill_unique_table,
    find_node_slot,
    mix_hash,
)
from bddsudoku.diagrams.transform import diagram_of_bdd
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U16, U32, U64

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
    variable = np.concatenate((d.variable, np.empty(1024, np.uint16)))
    low = np.concatenate((d.low, np.empty(1024, np.uint32)))
    high = np.concatenate((d.high, np.empty(1024, np.uint32)))
    table = np.zeros(4096, np.uint32)
    keys, results = np.zeros(4096, np.uint64), np.zeros(4096, np.uint32)
    tasks, values = np.empty(3 * 1024, np.int64), np.empty(1024, np.int64)
    tasks[:3] = (operation, d.root, 0)
    state = np.array([d.size, 0, 0, 3, 0])
    while True:
        _run_tasks(variable, low, high, table, keys, results, tasks, values, state, most)
        used, fresh, held, top, depth = state.tolist()
        if not top:
            return Nodes(variable[:used], low[:used], high[:used], int(values[0]))
        context.check("in an operation on a family")
        if used > most or held > most:
            raise LimitReached(
                f"an operation on a diagram of {d.size - 2} nodes takes more than {most} nodes",
                limit="nodes",
                details={"nodes": most},
            )
        if used + 2 > len(low):
            for array in (variable, low, high):
                array.resize(2 * used + 1024, refcheck=False)
        if 2 * (fresh + 2) > len(table):
            table = np.zeros(2 * len(table), np.uint32)
            fill_unique_table(table, variable, low, high, used - fresh, used)
        if 2 * (held + 2) > len(keys):
            fuller = keys, results
            keys, results = np.zeros(2 * len(keys), np.uint64), np.zeros(2 * len(keys), np.uint32)
            _fill_computed_table(*fuller, keys, results)
        if top + 60 > len(tasks):
            tasks.resize(2 * len(tasks), refcheck=False)
        if depth + 20 > len(values):
            values.resize(2 * len(values), refcheck=False)


_STEPS_PER_CALL = 1 << 18
"""Tasks after which the kernel returns, so that Python checks clocks and signals: some 0.1 s."""

_UNION, _INTERSECTION, _DIFFERENCE, _NO_SUPERSETS, _NO_SUBSETS = 1, 2, 3, 4, 5
_MINIMAL, _MAXIMAL, _HITS, _LEAST = 6, 7, 8, 9
"""Operations on one family: its minimal members; its maximal members; all its hitting sets, as a
BDD; the minimal members of one with all supersets of its members."""
_COMBINE, _KEEP, _ZDD, _ZDD_REVERSED, _BDD, _STORE, _THEN = 10, 11, 12, 13, 14, 15, 16

_OPEN = -1


@subroutine
def _find_computed_slot(keys: U64, key: np.uint64) -> int:
    """Find the slot of a key (operation and operands) in the computed table, or a free slot."""
    mask = np.int64(len(keys) - 1)
    at: Any = np.int64(mix_hash(key) & np.uint64(mask))
    while keys[at] and keys[at] != key:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@subroutine
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


@kernel
def _run_tasks(
    variable: U16,
    low: U32,
    high: U32,
    table: U32,
    keys: U64,
    results: U32,
    tasks: I64,
    values: I64,
    state: I64,
    max_nodes: int,
) -> None:
    """Execute tasks, until none is left, an array is nearly full or _STEPS_PER_CALL are done.

    Args:
        variable: the store of nodes, the given ones first; ``low`` and ``high`` as well.
        table: the unique table of the nodes that were added.
        keys: the keys of the computed table.
        results: its results.
        tasks: the stack of tasks, three numbers each.
        values: the stack of values, ids of nodes; the last one is the result.
        state: the number of nodes, of those in the unique table, of entries of the computed table,
            and the heights of the two stacks; updated.
        max_nodes: greatest number of nodes, and of entries of the computed table (below 2**29).
    """
    used, fresh, held, top, depth = state[0], state[1], state[2], state[3], state[4]
    for _ in range(_STEPS_PER_CALL):
        if (
            not top
            or max(used, held) > max_nodes
            or used + 2 > len(variable)
            or 2 * (fresh + 2) > len(table)
            or 2 * (held + 2) > len(keys)
            or top + 60 > len(tasks)
            or depth + 20 > len(values)
        ):
            break
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
    state[0] = used
    state[1] = fresh
    state[2] = held
    state[3] = top
    state[4] = depth


@kernel
def _fill_computed_table(keys: U64, results: U32, more: U64, theirs: U32) -> None:
    """Enter the keys and results of a computed table into a longer, empty one."""
    for i in range(len(keys)):
        if keys[i]:
            at = _find_computed_slot(more, keys[i])
            more[at] = keys[i]
            theirs[at] = results[i]


@subroutine
def _push_task(tasks: I64, top: int, code: int, x: int, y: int) -> int:
    """Push a task (a call, or a step that combines results) on the stack; return the new top."""
    tasks[top] = code
    tasks[top + 1] = x
    tasks[top + 2] = y
    return top + 3


@subroutine
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


@subroutine
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
