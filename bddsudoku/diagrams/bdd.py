"""BDDs as flat arrays, and the way between them and the frozen ZDD.

Ids 0 and 1 are the terminals false and true. Where edges may be complemented, an edge is
``2 * node + negated`` and node 0 is the terminal false, so that edges 0 and 1 mean the same: taking
complement edges apart turns the edges into ids.

Then the bridges to other decision-diagram libraries: dd (BDDs and ZDDs), OxiDD (BDD, BCDD, ZBDD).
Everything is iterative; diagrams of any depth pass. None of these libraries is imported here: the
objects handed in bring theirs along. Costs are those of one foreign call a node: about 1 to 6
microseconds with CUDD and OxiDD, more with ``dd.autoref``.

Two things that bite with dd 0.6: ``dd.cudd``'s ``find_or_add`` crashes the process when the high
child is a complemented edge, so ``ite`` is used there; and its managers reorder unless
they are told not to, so reordering is off while a diagram is handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from bddsudoku.diagrams.canonical import I64, U16, U32, AnyArray, Nodes, node_slot
from bddsudoku.diagrams.transform import ANY, FALSE, TRUE, expanded, lift, positions_in
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.jit import allocating_kernel


@allocating_kernel
def _drop_equal(nodes: Nodes) -> Nodes:
    """Leave out nodes whose children are the same node; compacts in place."""
    variable, low, high, root = nodes
    new = np.empty(len(variable), np.uint32)
    new[0] = 0
    new[1] = 1
    used = 2
    for i in range(2, len(variable)):
        a = new[low[i]]
        b = new[high[i]]
        if a == b:
            new[i] = a
        else:
            variable[used] = variable[i]
            low[used] = a
            high[used] = b
            new[i] = used
            used += 1
    return Nodes(variable[:used], low[:used], high[:used], int(new[root]))


def to_bdd(
    diagram: Diagram, variables: Iterable[int] | None = None, true: Collection[int] = ()
) -> Nodes:
    """The family's characteristic function as a BDD.

    Args:
        diagram: the family.
        variables: keys of a longer list that contains the diagram's in the same order; by default
            the diagram's own.
        true: keys among them that are true in every set; those that the diagram lacks otherwise
            are false in every set.

    Raises:
        ModelError: the list lacks a variable or has two of them in another order.

    Cost: linear in the BDD (see :func:`bddsudoku.diagrams.measures.node_count` for its size
    beforehand).
    """
    keys = diagram.labels.tolist() if variables is None else list(variables)
    level = positions_in(diagram.labels, keys)
    settled = set(true) - set(diagram.labels.tolist())
    mode = np.array([TRUE if k in settled else FALSE for k in keys], dtype=np.uint8)
    return _drop_equal(expanded(diagram, level, mode))


def diagram_of_bdd(labels: I64, nodes: Nodes) -> Diagram:
    """The satisfying assignments of a BDD as the canonical ZDD.

    Levels that an arc skips are "don't care" to a BDD and become nodes with equal children.

    Args:
        labels: key of the variable of each level.
        nodes: the BDD; entries 0 and 1 of its arrays are ignored.
    """
    levels = len(labels)
    v = np.array(nodes.variable, dtype=np.uint16)
    lo = np.array(nodes.low, dtype=np.uint32)
    hi = np.array(nodes.high, dtype=np.uint32)
    v[:2] = levels
    lo[:2] = hi[:2] = (0, 1)
    raw = Diagram(np.asarray(labels, dtype=np.int64), v, lo, hi, nodes.root)
    mode = np.full(levels, ANY, dtype=np.uint8)
    nodes = expanded(raw, np.arange(levels + 1, dtype=np.int64), mode)
    return Diagram.from_arrays(labels, *nodes, overwrite=True)


@allocating_kernel
def complement_count(nodes: Nodes) -> int:
    """Nodes left when a function and its negation share one; all given nodes are reached.

    A node's high edge is made regular by negating the whole node, as CUDD does.
    """
    variable, low, high, _ = nodes
    size = len(variable)
    edge = np.empty(size, np.uint32)
    edge[0] = 0
    edge[1] = 1
    capacity = 4096
    while capacity < 2 * size:
        capacity *= 2
    table = np.zeros(capacity, np.uint32)
    level = np.empty(size, np.uint16)
    low_edge = np.empty(size, np.uint32)
    high_edge = np.empty(size, np.uint32)
    used = 1
    for i in range(2, size):
        negated = edge[high[i]] & 1
        lo = edge[low[i]] ^ negated
        hi = edge[high[i]] ^ negated
        at = node_slot(table, level, low_edge, high_edge, variable[i], lo, hi)
        if table[at] == 0:
            table[at] = used
            level[used] = variable[i]
            low_edge[used] = lo
            high_edge[used] = hi
            used += 1
        edge[i] = 2 * table[at] + negated
    return used - 1


Children = Callable[[Any], tuple[int, Any, Any]]


def default_name(key: int) -> str:
    """How a variable is called elsewhere unless told otherwise: ``x`` and its key."""
    return f"x{key}"


def flatten(
    root: Any,
    terminal: Callable[[Any], int],
    children: Children,
    identity: Callable[[Any], Hashable],
) -> tuple[AnyArray, AnyArray, AnyArray, int]:
    """A foreign diagram as arrays (level, low, high) and root, children before parents.

    Args:
        root: a foreign node.
        terminal: 0 or 1 for the terminals, -1 for others.
        children: (level in the foreign manager, low, high) of an inner node.
        identity: what tells two nodes apart while both are alive.
    """
    kind = terminal(root)
    if kind >= 0:
        nothing = np.zeros(2, dtype=np.int64)
        return nothing, nothing.copy(), nothing.copy(), kind
    ids: dict[Hashable, int] = {identity(root): 2}
    nodes = [root]
    level, low, high = [0, 0], [0, 0], [0, 0]
    for node in nodes:  # grows while it is gone through
        at, *below = children(node)
        level.append(at)
        for child, out in zip(below, (low, high), strict=True):
            kind = terminal(child)
            if kind < 0:
                name = identity(child)
                kind = ids.get(name, -1)
                if kind < 0:
                    kind = ids[name] = len(nodes) + 2
                    nodes.append(child)
            out.append(kind)
    levels = np.array(level, dtype=np.int64)
    order = 2 + np.argsort(-levels[2:], kind="stable")
    new = np.arange(len(levels))
    new[order] = np.arange(2, len(levels))
    old = np.concatenate(([0, 1], order))
    return levels[old], new[np.array(low)][old], new[np.array(high)][old], int(new[2])


def from_flat(
    flat: tuple[AnyArray, AnyArray, AnyArray, int], keys: Mapping[int, int], zdd: bool
) -> Diagram:
    """The frozen diagram of flattened nodes.

    Args:
        flat: what :func:`flatten` gave.
        keys: key of every variable of the family by its level in the foreign manager; the family's
            levels are these, ascending.
        zdd: skipped levels mean "false"; otherwise "don't care".

    Raises:
        ModelError: a node's variable has no key.
    """
    level, low, high, root = flat
    order = sorted(keys)
    place = np.full(max([*order, int(level.max(initial=0))], default=0) + 1, -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    variable = place[level]
    if (variable[2:] < 0).any():
        bad = int(level[2:][variable[2:] < 0][0])
        raise ModelError(f"the diagram depends on the variable at level {bad}, which has no key")
    labels = np.array([keys[at] for at in order], dtype=np.int64)
    variable[:2] = len(order)
    arrays = variable.astype(np.uint16), low.astype(np.uint32), high.astype(np.uint32)
    if zdd:
        return Diagram.from_arrays(labels, *arrays, root)
    return diagram_of_bdd(labels, Nodes(*arrays, root))


def rebuild(
    arrays: Diagram | Nodes,
    false: Any,
    true: Any,
    make: Sequence[Callable[[Any, Any], Any]],
) -> Any:
    """Build a diagram elsewhere, children first.

    Args:
        arrays: a ZDD or a BDD.
        false: the foreign terminal for id 0.
        true: the one for id 1.
        make: for every level a function of (low, high) that gives the foreign node.
    """
    variable: U16 = arrays.variable
    low: U32 = arrays.low
    high: U32 = arrays.high
    # A node is let go of after its last use: the foreign manager may then collect garbage.
    last = np.zeros(len(variable), dtype=np.int64)
    steps = np.arange(len(variable))
    np.maximum.at(last, low[2:], steps[2:])
    np.maximum.at(last, high[2:], steps[2:])
    made: list[Any] = [false, true] + [None] * (len(variable) - 2)
    lasts = last.tolist()
    for i, (v, lo, hi) in enumerate(
        zip(variable[2:].tolist(), low[2:].tolist(), high[2:].tolist(), strict=True), 2
    ):
        made[i] = make[v](made[lo], made[hi])
        if lo > 1 and lasts[lo] == i:
            made[lo] = None
        if hi > 1 and hi != lo and lasts[hi] == i:
            made[hi] = None
    return made[arrays.root]


Naming = Callable[[int], str]


def _is_zdd(manager: Any) -> bool:
    return bool(type(manager).__name__ == "ZDD")


@contextmanager
def _settled(manager: Any) -> Iterator[None]:
    """A dd manager with reordering off."""
    before = manager.configure()["reordering"]
    manager.configure(reordering=False)
    try:
        yield
    finally:
        if before:
            manager.configure(reordering=True)


def _with_true(diagram: Diagram, true: Collection[int]) -> Diagram:
    """The diagram with settled variables as levels at the top."""
    alone = [k for k in true if k not in set(diagram.labels.tolist())]
    return lift(diagram, [*alone, *diagram.labels.tolist()], alone) if alone else diagram


def to_dd(
    diagram: Diagram, manager: Any, name: Naming = default_name, *, true: Collection[int] = ()
) -> Any:
    """The family as a node of a dd manager.

    Args:
        diagram: the family.
        manager: ``dd.cudd.BDD``, ``dd.autoref.BDD`` or ``dd.cudd_zdd.ZDD``. Variables that it does
            not know are declared, in the diagram's order. A BDD leaves the manager's other
            variables open; a ZDD says that they are false.
        name: the variable's name for a key.
        true: keys of settled variables that the function shall demand.

    Returns:
        The node (``Function``).

    Raises:
        ModelError: a ZDD manager has two of the variables in another order.
    """
    diagram = _with_true(diagram, true)
    names = [name(k) for k in diagram.labels.tolist()]
    known = set(manager.vars)
    manager.declare(*(n for n in names if n not in known))
    levels = [manager.level_of_var(n) for n in names]
    ordered = levels == sorted(levels)
    if _is_zdd(manager):
        if not ordered:
            raise ModelError("the ZDD manager has the variables in another order")
        base = manager.true_node if hasattr(manager, "true_node") else manager.true
        makers = [_finder(manager, n) for n in names]
        with _settled(manager):
            return rebuild(diagram, manager.false, base, makers)
    is_cudd = type(manager).__module__.startswith("dd.cudd")
    make = _chooser if is_cudd or not ordered else _finder
    makers = [make(manager, n) for n in names]
    with _settled(manager):
        return rebuild(to_bdd(diagram), manager.false, manager.true, makers)


def _finder(manager: Any, name: str) -> Callable[[Any, Any], Any]:
    return lambda low, high: manager.find_or_add(name, low, high)


def _chooser(manager: Any, name: str) -> Callable[[Any, Any], Any]:
    variable = manager.var(name)
    return lambda low, high: manager.ite(variable, high, low)


def _keys_by_level(names: Mapping[str, int], keys: Mapping[str, int] | None) -> dict[int, int]:
    """Key of each level, given the manager's {name: level}."""
    if keys is None:
        keys = {n: int(n[1:]) for n in names if n[:1] == "x" and n[1:].isdigit()}
    missing = [n for n in keys if n not in names]
    if missing:
        raise ModelError(f"the manager has no variable {missing[0]!r}")
    return {names[n]: key for n, key in keys.items()}


def from_dd(node: Any, keys: Mapping[str, int] | None = None) -> Diagram:
    """The family whose characteristic function (BDD) or diagram (ZDD) a dd node is.

    Args:
        node: a ``Function`` of ``dd.cudd``, ``dd.autoref`` or ``dd.cudd_zdd``.
        keys: {variable name: key}: the variables of the family. By default the manager's variables
            that are named as :func:`to_dd` names them.

    Raises:
        ModelError: the function depends on a variable without a key, or a name is unknown.
    """
    manager = node.bdd if not hasattr(node, "zdd") else node.zdd
    levels = {n: manager.level_of_var(n) for n in manager.vars}
    by_level = _keys_by_level(levels, keys)
    if _is_zdd(manager):
        base = manager.true_node

        def terminal(u: Any) -> int:
            if u.var is not None:
                return -1
            return 1 if u == base else 0

        def children(u: Any) -> tuple[int, Any, Any]:
            return u.level, u.low, u.high
    else:

        def terminal(u: Any) -> int:
            if u.var is not None:
                return -1
            return 0 if u.negated else 1

        def children(u: Any) -> tuple[int, Any, Any]:
            if u.negated:
                return u.level, ~u.low, ~u.high
            return u.level, u.low, u.high

    flat = flatten(node, terminal, children, int)
    return from_flat(flat, by_level, _is_zdd(manager))


def to_oxidd(
    diagram: Diagram, manager: Any, name: Naming = default_name, *, true: Collection[int] = ()
) -> Any:
    """The family as a function of an OxiDD manager.

    Args:
        diagram: the family.
        manager: ``oxidd.bdd.BDDManager``, ``oxidd.bcdd.BCDDManager`` or
            ``oxidd.zbdd.ZBDDManager``, with room for the nodes. Variables that it does not know are
            added, in the diagram's order. A ZBDD says that the manager's other variables are false.
        name: the variable's name for a key.
        true: keys of settled variables that the function shall demand.

    Raises:
        ModelError: a ZBDD manager has two of the variables in another order.
        oxidd.util.DDMemoryError: the manager is full.
    """
    diagram = _with_true(diagram, true)
    names = [name(k) for k in diagram.labels.tolist()]
    manager.add_named_vars([n for n in names if manager.name_to_var(n) is None])
    if hasattr(manager, "base"):
        levels = [manager.var_to_level(manager.name_to_var(n)) for n in names]
        if levels != sorted(levels):
            raise ModelError("the ZBDD manager has the variables in another order")
        single = [manager.singleton(n) for n in names]
        makers = [_maker(s) for s in single]
        return rebuild(diagram, manager.empty(), manager.base(), makers)
    makers = [_selector(manager.var(n)) for n in names]
    return rebuild(to_bdd(diagram), manager.false(), manager.true(), makers)


def _maker(single: Any) -> Callable[[Any, Any], Any]:
    return lambda low, high: single.make_node(high, low)


def _selector(variable: Any) -> Callable[[Any, Any], Any]:
    return lambda low, high: variable.ite(high, low)


def from_oxidd(function: Any, keys: Mapping[str, int] | None = None) -> Diagram:
    """The family whose characteristic function (BDD, BCDD) or diagram (ZBDD) an OxiDD function is.

    Args:
        function: of ``oxidd.bdd``, ``oxidd.bcdd`` or ``oxidd.zbdd``.
        keys: {variable name: key}: the variables of the family; by default those named as
            :func:`to_oxidd` names them.

    Raises:
        ModelError: the function depends on a variable without a key, or a name is unknown.
    """
    manager = function.manager
    zdd = hasattr(manager, "base")
    names = {manager.var_name(v): manager.var_to_level(v) for v in range(manager.num_vars())}
    by_level = _keys_by_level(names, keys)
    false = manager.empty() if zdd else manager.false()

    def terminal(u: Any) -> int:
        if u.node_level() is not None:
            return -1
        return 0 if u == false else 1

    def children(u: Any) -> tuple[int, Any, Any]:
        high, low = u.cofactors()
        return u.node_level(), low, high

    return from_flat(flatten(function, terminal, children, lambda u: u), by_level, zdd)
