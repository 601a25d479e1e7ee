"""To and from other decision-diagram libraries: dd (BDDs and ZDDs), OxiDD (BDD, BCDD, ZBDD).

None of these libraries is imported here: the objects handed in bring theirs along. Costs are those
of one foreign call a node: about 1 to 6 microseconds with CUDD and OxiDD, more with ``dd.autoref``.

Two things that bite with dd 0.6: ``dd.cudd``'s ``find_or_add`` crashes the process when the high
child is a complemented edge, so ``ite`` is used there; and its managers reorder unless
they are told not to, so reordering is off while a diagram is handed over.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bddsudoku.diagrams.bdd import default_name, flatten, from_flat, rebuild, to_bdd
from bddsudoku.diagrams.transform import lift
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError

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
