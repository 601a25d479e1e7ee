"""The kernel of :mod:`bddsudoku.diagrams.operations`: recursive operations on a stack of tasks.

Operations on families call each other (the minimal sets need "no superset of any", which needs
intersections), so they share one store of nodes with a unique table, one table of results, and a
stack of tasks with a stack of values: a task is a call, or says what becomes of the values on top.
No recursion limit; every call with open arguments is worked out once.

Two kinds of nodes live in the store, which may be shared for they are the same triples: ZDD nodes
(high child never ⊥) and BDD nodes (children differ). Which one a number stands for is known by the
operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bddsudoku.diagrams.apply import grown
from bddsudoku.diagrams.canonical import I64, U8, U16, U32, U64
from bddsudoku.jit import allocating_kernel, kernel

FULL, STOPPED = -1, -2
"""In place of a root: more nodes than allowed; the flag was raised."""

AND, INTERSECTION, DIFFERENCE, NO_SUPERSETS, NO_SUBSETS = 1, 2, 3, 4, 5
MINIMAL, MAXIMAL, HITS, LEAST = 6, 7, 8, 9
"""One family's: its minimal members; its maximal ones; as a BDD, all sets that meet every member;
of a monotone BDD, the least sets that satisfy it."""
_MEET, _KEEP, _ZDD, _ZDD_TURNED, _BDD_TURNED, _STORE, _THEN = 10, 11, 12, 13, 14, 15, 16

_OPEN = -1


@kernel
def _mixed(h: np.uint64) -> np.uint64:
    h = (h ^ (h >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@kernel
def _node_slot(table: U32, variable: U16, low: U32, high: U32, v: int, lo: int, hi: int) -> int:
    """Where a node stands in the unique table, or the free place for it."""
    mask = np.int64(len(table) - 1)
    h = _mixed((np.uint64(lo) << np.uint64(32)) | np.uint64(hi))
    at: Any = np.int64(_mixed(h ^ np.uint64(v)) & np.uint64(mask))
    while table[at] and (variable[table[at]] != v or low[table[at]] != lo or high[table[at]] != hi):
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@kernel
def _key_slot(keys: U64, key: np.uint64) -> int:
    """Where a call stands in the table of results, or the free place for it."""
    mask = np.int64(len(keys) - 1)
    at: Any = np.int64(_mixed(key) & np.uint64(mask))
    while keys[at] and keys[at] != key:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@kernel
def _decided(operation: int, x: int, y: int) -> int:
    """The result of a call that needs no look below its arguments, or _OPEN."""
    if operation == HITS:
        return 1 - x if x < 2 else _OPEN
    if operation >= MINIMAL:
        return x if x < 2 else _OPEN
    if operation == AND:
        if x == y or y == 1:
            return x
        if x == 1:
            return y
        return 0 if x == 0 or y == 0 else _OPEN
    if operation == INTERSECTION:
        if x == y:
            return x
        return 0 if x == 0 or y == 0 else _OPEN
    if x == y or x == 0:
        return 0
    if y == 0:
        return x
    if (operation == NO_SUPERSETS and y == 1) or (operation == NO_SUBSETS and x == 1):
        return 0
    return _OPEN


@allocating_kernel
def calculate(
    variable: Any,
    low: Any,
    high: Any,
    size: int,
    root: int,
    operation: int,
    then: int,
    limit: int,
    stop: U8,
) -> tuple[U16, U32, U32, int]:
    """Carry out an operation on a family, and perhaps one more on what comes of it.

    Args:
        variable: level of every node, terminals included; children come first. There may be room
            behind the nodes; the array is written to.
        low: child for false; likewise.
        high: child for true; likewise.
        size: number of nodes.
        root: the family.
        operation: one of MINIMAL, MAXIMAL, HITS, LEAST.
        then: another, or 0.
        limit: nodes at most, and results of calls (below 2**29).
        stop: one entry; another thread sets it to end the work.

    Returns:
        The store (the given nodes come first) and the root of the result; or FULL, or STOPPED.
    """
    used: Any = np.int64(size)
    capacity: Any = np.int64(len(variable))
    table = np.zeros(4096, np.uint32)
    keys = np.zeros(4096, np.uint64)
    results = np.zeros(4096, np.uint32)
    held: Any = np.int64(0)
    # tasks: three numbers each; values: the numbers of nodes
    tasks = np.empty(3 * 1024, np.int64)
    values = np.empty(1024, np.int64)
    top: Any = np.int64(0)
    depth: Any = np.int64(0)
    if then:
        top = _task(tasks, top, _THEN, then, 0)
    top = _task(tasks, top, operation, root, 0)
    steps: Any = np.int64(0)
    fresh: Any = np.int64(0)  # nodes in the unique table
    while top:
        steps += 1
        if steps & 0xFFFF == 0 and stop[0]:
            return variable[:0], low[:0], high[:0], STOPPED
        if used > limit or held > limit:
            return variable[:0], low[:0], high[:0], FULL
        if used + 2 > capacity:
            capacity = 2 * capacity + 1024
            variable = grown(variable, capacity)
            low = grown(low, capacity)
            high = grown(high, capacity)
        if 2 * (fresh + 2) > len(table):
            table = np.zeros(2 * len(table), np.uint32)
            for i in range(used - fresh, used):
                table[_node_slot(table, variable, low, high, variable[i], low[i], high[i])] = i
        if 2 * (held + 2) > len(keys):
            keys, results = _rehashed(keys, results)
        if top + 60 > len(tasks):
            tasks = grown(tasks, 2 * len(tasks))
        if depth + 20 > len(values):
            values = grown(values, 2 * len(values))
        top -= 3
        code: Any = tasks[top]
        x: Any = tasks[top + 1]
        y: Any = tasks[top + 2]
        if code == _STORE:
            key: Any = np.uint64(x)
            at: Any = _key_slot(keys, key)
            keys[at] = key
            results[at] = values[depth - 1]
            held += 1
            continue
        if _ZDD <= code <= _BDD_TURNED:
            depth -= 1
            lo: Any = values[depth - 1]
            hi: Any = values[depth]
            if code != _ZDD:
                lo, hi = hi, lo
            if (hi == 0) if code != _BDD_TURNED else (hi == lo):
                values[depth - 1] = lo
                continue
            at = _node_slot(table, variable, low, high, x, lo, hi)
            if table[at] == 0:
                variable[used] = x
                low[used] = lo
                high[used] = hi
                table[at] = used
                used += 1
                fresh += 1
            values[depth - 1] = table[at]
            continue
        if code == _MEET:
            depth -= 2
            x = values[depth]
            y = values[depth + 1]
            code = np.int64(INTERSECTION)
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
        found = np.int64(_decided(code, x, y))
        if found != _OPEN:
            values[depth] = found
            depth += 1
            continue
        if code <= INTERSECTION and x > y:
            x, y = y, x
        key = (np.uint64(code) << np.uint64(58)) | (np.uint64(x) << np.uint64(29)) | np.uint64(y)
        at = _key_slot(keys, key)
        if keys[at]:
            values[depth] = results[at]
            depth += 1
            continue
        signed: Any = np.int64(key)
        top = _task(tasks, top, _STORE, signed, 0)
        if code >= MINIMAL:
            top = _opened(tasks, top, code, variable[x], low[x], high[x])
        else:
            top = _crossed(tasks, top, code, x, y, variable, low, high)
    return variable[:used], low[:used], high[:used], int(values[0])


@allocating_kernel
def _rehashed(keys: U64, results: U32) -> tuple[U64, U32]:
    more = np.zeros(2 * len(keys), np.uint64)
    theirs = np.zeros(2 * len(keys), np.uint32)
    for i in range(len(keys)):
        if keys[i]:
            at = _key_slot(more, keys[i])
            more[at] = keys[i]
            theirs[at] = results[i]
    return more, theirs


@kernel
def _task(tasks: I64, top: int, code: int, x: int, y: int) -> int:
    """Put a task on the stack."""
    tasks[top] = code
    tasks[top + 1] = x
    tasks[top + 2] = y
    return top + 3


@kernel
def _opened(tasks: I64, top: int, code: int, v: int, lo: int, hi: int) -> int:
    """Tasks for a node of one family; the last one is done first.

    * minimal: low° and what of high° holds no member of low°
    * maximal: what of low° lies in no member of high°, and high°
    * hits: with the variable what hits low, without it what hits high as well
    * least: low° and what of high° is not in low°
    """
    shape = _ZDD
    within = NO_SUPERSETS
    if code == MAXIMAL:
        shape, within = _ZDD_TURNED, NO_SUBSETS
        lo, hi = hi, lo
    elif code == HITS:
        shape, within = _BDD_TURNED, AND
    elif code == LEAST:
        within = DIFFERENCE
    top = _task(tasks, top, shape, v, 0)
    top = _task(tasks, top, _KEEP, within, 0)
    top = _task(tasks, top, code, hi, 0)
    return _task(tasks, top, code, lo, 0)


@kernel
def _crossed(
    tasks: I64, top: int, code: int, x: int, y: int, variable: U16, low: U32, high: U32
) -> int:
    """Tasks for a pair of nodes; the last one is done first."""
    a: Any = np.int64(variable[x])
    b: Any = np.int64(variable[y])
    v = min(a, b)
    xl: Any = np.int64(low[x]) if a == v else np.int64(x)
    yl: Any = np.int64(low[y]) if b == v else np.int64(y)
    xh: Any = np.int64(high[x]) if a == v else np.int64(0)
    yh: Any = np.int64(high[y]) if b == v else np.int64(0)
    if code == AND:
        if a != v:
            xh = np.int64(x)
        if b != v:
            yh = np.int64(y)
        # the children are told in turn: the node takes its high child first
        top = _task(tasks, top, _BDD_TURNED, v, 0)
        top = _task(tasks, top, AND, xl, yl)
        return _task(tasks, top, AND, xh, yh)
    if code == INTERSECTION and a != b:
        return _task(tasks, top, code, xl, yl)
    if a > v and code != NO_SUBSETS:  # no set of the first family has the variable
        return _task(tasks, top, code, x, yl)
    if a > v:
        top = _task(tasks, top, _MEET, 0, 0)
        top = _task(tasks, top, code, x, yl)
        return _task(tasks, top, code, x, yh)
    top = _task(tasks, top, _ZDD, v, 0)
    if code == NO_SUPERSETS and b == v:
        top = _task(tasks, top, _MEET, 0, 0)
        top = _task(tasks, top, code, xh, yl)
        top = _task(tasks, top, code, xh, yh)
    elif code == NO_SUPERSETS:
        top = _task(tasks, top, code, xh, y)
    else:  # a set with the variable is compared with those that have it
        top = _task(tasks, top, code, xh, yh)
    if code == NO_SUBSETS and b == v:
        top = _task(tasks, top, _MEET, 0, 0)
        top = _task(tasks, top, code, xl, yl)
        return _task(tasks, top, code, xl, yh)
    return _task(tasks, top, code, xl, yl)
