"""Bryant's "apply" for ZDDs: operations on one family of sets or on two, one kernel for all.

Union, intersection and differences; after Knuth, TAOCP 4A, section 7.1.4, the minimal and maximal
members of a family (f↓, f↑; they need "nonsupersets" f ↘ g and "nonsubsets" f ↗ g); and for hitting
sets T. Toda, "Fast compression of large-scale hypergraphs for solving combinatorial problems"
(DS 2013): first the BDD of all hitting sets, then its minimal sets as a ZDD. A node of that BDD
stands for the minimal sets that are still to be hit, a node of a ZDD. The minimal hitting sets of a
family's hitting sets are the family's minimal members (Berge). :func:`constrain` is an application:
the product of a diagram with that of a constraint.

The recursion is the textbook's. Calls of all operations share one store of nodes with a unique
table, and one computed table: every call that is no terminal case is computed once. Where an array
is full, the recursion is left, and begun anew with longer arrays: what is computed is found at
once. The number of calls on pairs of nodes is bounded by the product of the two sizes, is near
their sum in practice, and is far smaller for similar families.

Two diagrams are first joined into one canonical diagram, in which equal subfamilies are one node,
so that a subdiagram whose partner is ⊥ or itself is reused as it is.

The store contains ZDD nodes (high child never ⊥) and BDD nodes (children differ), which may share
triples; the operation determines how a number is read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.diagrams.canonical import Nodes, fill_unique_table, find_node_slot, mix_hash
from bddsudoku.diagrams.transform import diagram_of_bdd
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit import kernel, subroutine
from bddsudoku.jit.decorators import I64, U16, U32, U64
from bddsudoku.model.constraints import Constraint
from bddsudoku.model.to_mdd import constraint_mdd

MAX_NODES = 1 << 29
"""Greatest number of nodes of an operation, and of entries of its computed table."""
_BYTES_PER_NODE = 80

OR, AND, XOR, DIFFERENCE = (np.int64(n) for n in range(1, 5))
"""Operations on two families: sets of either, of both, of exactly one, of the first only."""
_NO_SUPERSETS, _NO_SUBSETS, _MINIMAL, _MAXIMAL, _HITS, _LEAST = (np.int64(n) for n in range(5, 11))
"""Operations on one family: its minimal members; its maximal members; all its hitting sets, as a
BDD; the minimal members of one with all supersets of its members."""

_NOTHING = np.int64(0)
_OPEN, _UNFINISHED = -1, -1
_USED, _GIVEN, _HELD, _STEPS, _ANY_MEMBER = range(5)
_STEPS_PER_CALL = 1 << 18
"""Calls after which the recursion is left, so that Python checks clocks and signals."""


class _Store(NamedTuple):
    """Nodes and computed calls of an operation.

    Attributes:
        variable, low, high: the nodes, the given ones first.
        table: the unique table of the nodes that were added.
        keys, results: the computed table, a hash table with open addressing.
        state: the number of nodes, of those given, of entries of the computed table, of calls that
            are left until the next pause, and whether any member decides (then ⊤ stands for every
            family that is not empty).
    """

    variable: U16
    low: U32
    high: U32
    table: U32
    keys: U64
    results: U32
    state: I64


@subroutine
def _terminal_case(operation, x, y):  # type: ignore[no-untyped-def]
    """The result of an operation if terminals or equal operands decide it, else _OPEN (-1)."""
    if operation == _HITS:
        return 1 - x if x < 2 else _OPEN
    if operation >= _MINIMAL:
        return x if x < 2 else _OPEN
    if x == y:
        return x if operation in (OR, AND) else 0
    if x == 0:
        return y if operation in (OR, XOR) else 0
    if y == 0:
        return 0 if operation == AND else x
    if (operation == _NO_SUPERSETS and y == 1) or (operation == _NO_SUBSETS and x == 1):
        return 0
    return _OPEN


@subroutine
def _find_computed_slot(keys: U64, key: np.uint64) -> int:
    """Find the slot of a key (operation and operands) in the computed table, or a free slot."""
    mask = np.int64(len(keys) - 1)
    at: Any = np.int64(mix_hash(key) & np.uint64(mask))
    while keys[at] and keys[at] != key:
        at = (at + 1) & mask
    return at  # type: ignore[no-any-return]


@subroutine
def _make_node(store, v, lo, hi):  # type: ignore[no-untyped-def]
    """The number of the node with given children; _UNFINISHED if one is not known yet."""
    variable, low, high, table, _, _, state = store
    if min(lo, hi) < 0:
        return _UNFINISHED
    at = find_node_slot(table, variable, low, high, v, lo, hi)
    if table[at] == 0:
        used = state[_USED]
        if used == len(variable) or 2 * (used - state[_GIVEN]) >= len(table):
            return _UNFINISHED
        variable[used] = v
        low[used] = lo
        high[used] = hi
        table[at] = used
        state[_USED] = used + 1
    return np.int64(table[at])


@subroutine
def _call(store, operation, x, y):  # type: ignore[no-untyped-def]
    """The result of an operation on nodes; _UNFINISHED (-1) if there is no room, or an operand is.

    Where ° is the operation, on one node (without the variable | with it):

    * minimal: low° | the nonsupersets of low° in high°
    * maximal: the nonsubsets of high° in low° | high°
    * hits: without the variable, the hitting sets of high and of the nonsupersets of high in low
      together | those of low
    * least: low° | high° minus low°
    """
    if min(x, y) < 0:
        return _UNFINISHED
    variable, low, high, _, keys, results, state = store
    if operation in (AND, DIFFERENCE, _NO_SUPERSETS):
        # Sets with a variable that no set of the other family has do not matter.
        while variable[x] != variable[y]:
            if variable[y] < variable[x]:
                y = np.int64(low[y])
            elif operation == AND:
                x = np.int64(low[x])
            else:
                break
    found = _terminal_case(operation, x, y)
    if found != _OPEN:
        return found
    if operation <= XOR and x > y:
        x, y = y, x
    key = (np.uint64(operation) << np.uint64(60)) | (np.uint64(x) << np.uint64(30)) | np.uint64(y)
    at = _find_computed_slot(keys, key)
    if keys[at]:
        return np.int64(results[at])
    if state[_STEPS] == 0:
        return _UNFINISHED
    state[_STEPS] -= 1
    v = variable[x] if operation >= _MINIMAL else min(variable[x], variable[y])
    xl = np.int64(low[x]) if variable[x] == v else x
    xh = np.int64(high[x]) if variable[x] == v else np.int64(0)
    yl = np.int64(low[y]) if variable[y] == v else y
    yh = np.int64(high[y]) if variable[y] == v else np.int64(0)
    if operation == _HITS:
        both = _call(store, OR, xh, _call(store, _NO_SUPERSETS, xl, xh))
        lo = _call(store, _HITS, both, _NOTHING)
        hi = _call(store, _HITS, xl, _NOTHING)
    elif operation == _MAXIMAL:
        hi = _call(store, _MAXIMAL, xh, _NOTHING)
        lo = _call(store, _NO_SUBSETS, _call(store, _MAXIMAL, xl, _NOTHING), hi)
    elif operation >= _MINIMAL:
        within = _NO_SUPERSETS if operation == _MINIMAL else DIFFERENCE
        lo = _call(store, operation, xl, _NOTHING)
        hi = _call(store, within, _call(store, operation, xh, _NOTHING), lo)
    else:
        # Of nonsubsets, a set without the variable is compared with all sets, of nonsupersets one
        # with it.
        lo = _call(store, operation, xl, yl)
        if operation == _NO_SUBSETS and yh:
            lo = _call(store, AND, lo, _call(store, operation, xl, yh))
        hi = np.int64(1)
        if not (state[_ANY_MEMBER] and lo > 0):
            hi = _call(store, operation, xh, yh)
            if operation == _NO_SUPERSETS:
                hi = _call(store, AND, hi, _call(store, operation, xh, yl))
        if state[_ANY_MEMBER] and max(lo, hi) > 0 and min(lo, hi) >= 0:
            lo = hi = np.int64(1)
    is_redundant = lo == hi if operation == _HITS else hi == 0
    found = lo if is_redundant else _make_node(store, v, lo, hi)
    if found < 0 or 2 * state[_HELD] >= len(keys):
        return _UNFINISHED
    at = _find_computed_slot(keys, key)
    keys[at] = key
    results[at] = found
    state[_HELD] += 1
    return found


@kernel
def _run(store, operation, x, y):  # type: ignore[no-untyped-def]
    """Call an operation from Python."""
    return _call(store, operation, x, y)


@kernel
def _fill_computed_table(keys: U64, results: U32, more: U64, theirs: U32) -> None:
    """Enter the keys and results of a computed table into a longer, empty one."""
    for i in range(len(keys)):
        if keys[i]:
            at = _find_computed_slot(more, keys[i])
            more[at] = keys[i]
            theirs[at] = results[i]


def _longer(array: Any) -> Any:
    """An array with the same beginning, twice as long."""
    return np.concatenate((array, np.empty_like(array)))


def _with_room(store: _Store) -> _Store:
    """A store with the same content in which no array is nearly full."""
    used, given, held = store.state[:3].tolist()
    if used == len(store.low):
        nodes = {name: _longer(getattr(store, name)) for name in ("variable", "low", "high")}
        store = store._replace(**nodes)
    if 2 * (used - given) >= len(store.table):
        table = np.zeros(4 * len(store.table), np.uint32)
        fill_unique_table(table, store.variable, store.low, store.high, given, used)
        store = store._replace(table=table)
    if 2 * held >= len(store.keys):
        keys = np.zeros(4 * len(store.keys), np.uint64)
        results = np.zeros(len(keys), np.uint32)
        _fill_computed_table(store.keys, store.results, keys, results)
        store = store._replace(keys=keys, results=results)
    return store


_SHALLOW = 1_000
"""Levels for which a usual stack of calls is enough."""
_BYTES_PER_LEVEL = 1024
"""Bytes of a deep stack for each level: a call takes some 370."""


def _on_a_deep_stack(levels: int, work: Callable[[], int]) -> int:
    """Call a function that recurses once a level, where needed on a thread with a larger stack."""
    if levels <= _SHALLOW:
        return work()
    usual = threading.stack_size((levels * _BYTES_PER_LEVEL | 0xFFFF) + 1 + (1 << 20))
    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(work).result()
    finally:
        threading.stack_size(usual)


def _apply_unreduced(
    given: Nodes,
    operation: np.int64,
    y: int,
    context: Context,
    any_member: bool = False,
) -> Nodes:
    """Apply an operation to the root (and node y) of given nodes; return unreduced nodes.

    Raises:
        LimitReached: a limit of the context, or :data:`MAX_NODES`, is reached.
    """
    context.check()
    most = MAX_NODES if context.nodes is None else min(context.nodes, MAX_NODES)
    if context.max_memory is not None:
        most = min(most, context.max_memory // _BYTES_PER_NODE)
    size, levels = len(given.low), int(given.variable[0])
    room = max(4096, 1 << size.bit_length())
    nodes: list[Any] = [
        np.concatenate((array, np.empty(room // 2, array.dtype))) for array in given[:3]
    ]
    keys, results = np.zeros(room, np.uint64), np.zeros(room, np.uint32)
    state = np.array([size, size, 0, 0, any_member])
    store = _Store._make([*nodes, np.zeros(room, np.uint32), keys, results, state])
    while True:
        used, _, held, _, _ = state.tolist()
        if max(used, held) > most:
            raise LimitReached(
                f"an operation on a diagram of {size - 2} nodes takes more than {most} nodes",
                limit="nodes",
                details={"nodes": most},
            )
        store = _with_room(store)
        state[_STEPS] = _STEPS_PER_CALL
        root = _on_a_deep_stack(levels, partial(_run, store, operation, given.root, y))
        made = state[_USED]
        if root >= 0:
            return Nodes(store.variable[:made], store.low[:made], store.high[:made], int(root))
        context.check("in an operation on a family")


# -- two families ----------------------------------------------------------------------------------


def join_under_new_root(labels: ArrayLike, a: Diagram, b: Diagram) -> Diagram:
    """The diagram whose root, on a new level on top, has two given diagrams as children.

    Args:
        labels: keys of the levels, preceded by the key of the new root's level.
        a: the low child, the sets without the root's variable.
        b: the high child, the sets with it.
    """
    renamed = np.arange(a.size - 2, a.size - 2 + b.size, dtype=np.uint32)
    renamed[:2] = (0, 1)
    variable = np.concatenate((a.variable, b.variable[2:], a.variable[:1])) + np.uint16(1)
    variable[-1] = 0
    low = np.concatenate((a.low, renamed[b.low[2:]], [np.uint32(a.root)]))
    high = np.concatenate((a.high, renamed[b.high[2:]], [renamed[b.root]]))
    return Diagram.from_arrays(labels, variable, low, high, len(low) - 1, overwrite=True)


def apply(
    a: Diagram,
    b: Diagram,
    operation: np.int64,
    *,
    emptiness_only: bool = False,
    context: Context = UNLIMITED,
) -> Diagram:
    """The union, intersection, difference or symmetric difference of two families.

    Args:
        a: first family.
        b: second family.
        operation: AND, OR, DIFFERENCE (sets of the first only) or XOR (sets of exactly one).
        emptiness_only: only decide whether the result is empty: stop at the first member, and
            return any nonempty family in place of the result.
        context: limits of time, memory and nodes.

    Raises:
        ModelError: the labels differ.
        LimitReached: a limit of the context, or :data:`MAX_NODES`, is reached.

    Cost: some 100 ns per node of either diagram and some 200 ns per pair of nodes that are
    combined, with some 80 bytes each.
    """
    if not np.array_equal(a.labels, b.labels):
        raise ModelError("two diagrams are combined level by level: their labels must be the same")
    if a.is_empty:
        return b if operation in (OR, XOR) else a
    if b.is_empty:
        return a if operation != AND else b
    both = join_under_new_root(np.arange(a.levels + 1), a, b)
    nodes = Nodes(
        both.variable[:-1] - np.uint16(1), both.low[:-1], both.high[:-1], int(both.low[-1])
    )
    found = _apply_unreduced(nodes, operation, int(both.high[-1]), context, emptiness_only)
    return Diagram.from_arrays(a.labels, *found, overwrite=True)


def constrain(diagram: Diagram, fixed: Iterable[int], constraint: Constraint) -> Diagram:
    """The sets of a family that satisfy a constraint: its intersection with the constraint's MDD.

    Args:
        diagram: the family.
        fixed: keys that are true in every set and are no variables of the diagram.
        constraint: over keys instead of positions: ``variables`` lists keys. Keys that are
            neither in the diagram nor fixed are false.

    Raises:
        LimitReached: the constraint's MDD is too wide; the message names the constraint.
    """
    level_of = {int(key): level for level, key in enumerate(diagram.labels)}
    always = set(fixed)
    known = {key: key in always for key in constraint.variables if key not in level_of}
    # Keys may ascend in another order than the diagram's levels.
    rest = constraint.restrict(known).renumber(level_of)
    if rest.verdict is not None:
        return diagram if rest.verdict else Diagram.empty(diagram.labels)
    *arrays, root = constraint_mdd(rest, [[level] for level in rest.variables]).bdd()
    variable, low, high = (np.append(np.zeros(2, np.uint32), a).astype(np.uint32) for a in arrays)
    nodes = Nodes(variable.astype(np.uint16), low, high, root)
    return apply(diagram, diagram_of_bdd(diagram.labels, nodes), AND)


# -- one family ------------------------------------------------------------------------------------


def minimal(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The minimal members of a family: those of which no other member is a subset.

    Args:
        diagram: the family.
        context: limits of time, memory and nodes.

    Raises:
        LimitReached: a limit of the context, or :data:`MAX_NODES`, is reached.

    Cost: some 0.2 microseconds per call on a pair of nodes; often near linear, exponential in the
    worst case.
    """
    return _apply_to_one(diagram, _MINIMAL, context)


def maximal(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """The maximal members of a family: those that are a subset of no other member.

    Arguments, errors and cost as for :func:`minimal`.
    """
    return _apply_to_one(diagram, _MAXIMAL, context)


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
    return _apply_to_one(diagram, _LEAST, context)


def all_hitting_sets(diagram: Diagram, *, context: Context = UNLIMITED) -> Diagram:
    """All hitting sets of a family: sets of variables that meet every member, minimal or not.

    Arguments, errors and cost as for :func:`minimal`. Variables that make no difference are
    unconstrained, which takes a node for each.
    """
    nodes = _apply_unreduced(diagram.nodes, _HITS, 0, context)
    return diagram_of_bdd(diagram.labels, nodes)


def _apply_to_one(diagram: Diagram, operation: np.int64, context: Context) -> Diagram:
    found = _apply_unreduced(diagram.nodes, operation, 0, context)
    return Diagram.from_arrays(diagram.labels, *found, overwrite=True)
