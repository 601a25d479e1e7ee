"""Conversion to and from other libraries: dd (BDDs and ZDDs), OxiDD (BDD, BCDD, ZBDD), and ZDDs as
the text that Graphillion, KyotoDD and Knuth's programs write.

No function recurses, so diagrams may have any depth. No library is imported here: the caller's
managers and nodes are enough (they are ``Any``, because dd and OxiDD are optional and untyped; for
the same reason ``hasattr`` tells their kinds apart). Cost: one foreign call per node, about 1 to 6
microseconds with CUDD and OxiDD, more with ``dd.autoref``.

Two pitfalls of dd 0.6: ``dd.cudd``'s ``find_or_add`` crashes the process when the high child is a
complemented edge, so ``ite`` is used there; and its managers reorder by default, so reordering is
switched off during a conversion.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.diagrams.canonical import Nodes
from bddsudoku.diagrams.measures import default_variable_name
from bddsudoku.diagrams.transform import diagram_of_bdd, lift, to_bdd
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.number_text import short_repr

NameFunction = Callable[[int], str]
NodeMaker = Callable[[Any, Any], Any]
"""Makes a foreign node from its low and its high child."""


def _build_foreign_diagram(
    diagram: Diagram | Nodes, false: Any, true: Any, node_makers: Sequence[NodeMaker]
) -> Any:
    """Build a diagram in another library; ``node_makers[v]`` makes the nodes of level ``v``."""
    made = [false, true]
    arrays = (array[2:].tolist() for array in (diagram.variable, diagram.low, diagram.high))
    for v, low, high in zip(*arrays, strict=True):
        made.append(node_makers[v](made[low], made[high]))
    return made[diagram.root]


def _read_foreign_diagram(
    root: Any,
    terminal: Callable[[Any], int],
    children: Callable[[Any], tuple[int, Any, Any]],
    identity: Callable[[Any], Hashable],
    names: Mapping[str, int],
    keys: Mapping[str, int] | None,
    zdd: bool,
) -> Diagram:
    """Convert the diagram below a root node of another library to a :class:`Diagram`.

    Args:
        root: the node.
        terminal: returns 0 or 1 for the terminals, -1 for other nodes.
        children: returns (level in the foreign manager, low, high) of an inner node.
        identity: returns an identifier of a node that is unique among live nodes.
        names: variable name → its level, for all variables of the manager.
        keys: variable name → key, or None for the names that :func:`default_variable_name` makes.
        zdd: whether skipped levels mean "false"; otherwise "don't care".

    Raises:
        ModelError: a node's variable has no key, or a name is unknown.
    """
    if keys is None:
        keys = {n: int(n[1:]) for n in names if n[:1] == "x" and n[1:].isdigit()}
    for name, key in keys.items():
        if name not in names:
            raise ModelError(f"the manager has no variable {name!r}")
        if not hasattr(key, "__index__"):
            raise ModelError(f"expected a whole number as the key of {name!r}, found {key!r}")
    key_at = {names[name]: key for name, key in keys.items()}
    place = {at: i for i, at in enumerate(sorted(key_at))}
    ids: dict[Hashable, int] = {}
    nodes: list[Any] = []

    def id_of(node: Any) -> int:
        kind = terminal(node)
        if kind >= 0:
            return kind
        found = ids.setdefault(identity(node), len(nodes) + 2)
        if found == len(nodes) + 2:
            nodes.append(node)
        return found

    top = id_of(root)
    rows = [(len(place), 0, 0), (len(place), 1, 1)]
    for node in nodes:  # grows during the loop
        at, low, high = children(node)
        if at not in place:
            raise ModelError(f"the diagram depends on the variable at level {at}, which has no key")
        rows.append((place[at], id_of(low), id_of(high)))
    labels = np.array([key_at[at] for at in place], dtype=np.int64)
    variable, low, high = np.array(rows, dtype=np.uint32).T.copy()
    if zdd:
        return Diagram.from_arrays(labels, variable, low, high, top)
    return diagram_of_bdd(labels, Nodes(variable.astype(np.uint16), low, high, top))


@contextmanager
def _without_reordering(manager: Any) -> Iterator[None]:
    """Switch a dd manager's dynamic reordering off during a ``with`` block."""
    before = manager.configure()["reordering"]
    manager.configure(reordering=False)
    try:
        yield
    finally:
        if before:
            manager.configure(reordering=True)


def _with_true_levels(diagram: Diagram, true: Collection[int]) -> Diagram:
    """Add levels on top of a diagram for further variables that are true in all sets."""
    own = diagram.labels.tolist()
    return lift(diagram, [*(k for k in true if k not in set(own)), *own], true)


def _check_manager_order(levels: Sequence[int], manager_kind: str) -> None:
    """Raise ModelError unless another library's manager has the variables in ascending levels."""
    if list(levels) != sorted(levels):
        raise ModelError(f"the {manager_kind} manager has the variables in another order")


@check_types
def to_dd(
    diagram: Diagram,
    manager: Any,
    name: NameFunction = default_variable_name,
    *,
    true: Collection[int] = (),
) -> Any:
    """Convert a diagram to a node of a dd manager.

    Args:
        diagram: the family.
        manager: ``dd.cudd.BDD``, ``dd.autoref.BDD`` or ``dd.cudd_zdd.ZDD``. Variables that it does
            not know are declared, in the diagram's order. The manager's other variables are
            unconstrained in a BDD and false in a ZDD.
        name: returns the variable's name for a key.
        true: keys of further variables that are true in all sets of the result.

    Returns:
        The node (``Function``).

    Raises:
        ModelError: a ZDD manager has two of the variables in another order.
    """
    diagram = _with_true_levels(diagram, true)
    names = [name(k) for k in diagram.labels.tolist()]
    known = set(manager.vars)
    manager.declare(*(n for n in names if n not in known))
    levels = [manager.level_of_var(n) for n in names]
    zdd = _is_zdd_manager(manager)
    if zdd:
        _check_manager_order(levels, "ZDD")
    if not zdd and (type(manager).__module__.startswith("dd.cudd") or levels != sorted(levels)):
        made_of = [_swap_children(partial(manager.ite, manager.var(n))) for n in names]
    else:
        made_of = [partial(manager.find_or_add, n) for n in names]
    true_node = manager.true_node if zdd and hasattr(manager, "true_node") else manager.true
    nodes = diagram if zdd else to_bdd(diagram)
    with _without_reordering(manager):
        return _build_foreign_diagram(nodes, manager.false, true_node, made_of)


def _swap_children(make_node: NodeMaker) -> NodeMaker:
    """Adapt a function that takes (high, low) to a node maker, which takes (low, high)."""
    return lambda low, high: make_node(high, low)


def _is_zdd_manager(manager: Any) -> bool:
    """Whether a dd manager is one of ZDDs rather than BDDs."""
    return bool(type(manager).__name__ == "ZDD")


@check_types
def from_dd(node: Any, keys: Mapping[str, int] | None = None) -> Diagram:
    """Convert a dd node (a ZDD, or the BDD of the characteristic function) to a diagram.

    Args:
        node: a ``Function`` of ``dd.cudd``, ``dd.autoref`` or ``dd.cudd_zdd``.
        keys: variable name → key, for the variables of the family. By default the manager's
            variables with names as :func:`to_dd` gives them.

    Raises:
        ModelError: the function depends on a variable without a key, or a name is unknown.
    """
    manager = node.zdd if hasattr(node, "zdd") else node.bdd
    zdd = _is_zdd_manager(manager)

    def terminal(u: Any) -> int:
        if u.var is not None:
            return -1
        return int(u == manager.true_node if zdd else not u.negated)

    def children(u: Any) -> tuple[int, Any, Any]:
        if not zdd and u.negated:
            return u.level, ~u.low, ~u.high
        return u.level, u.low, u.high

    names = {n: manager.level_of_var(n) for n in manager.vars}
    return _read_foreign_diagram(node, terminal, children, int, names, keys, zdd)


@check_types
def to_oxidd(
    diagram: Diagram,
    manager: Any,
    name: NameFunction = default_variable_name,
    *,
    true: Collection[int] = (),
) -> Any:
    """Convert a diagram to a function of an OxiDD manager.

    Args:
        diagram: the family.
        manager: ``oxidd.bdd.BDDManager``, ``oxidd.bcdd.BCDDManager`` or
            ``oxidd.zbdd.ZBDDManager``, with capacity for the nodes. Variables that it does not know
            are added, in the diagram's order. In a ZBDD the manager's other variables are false.
        name: returns the variable's name for a key.
        true: keys of further variables that are true in all sets of the result.

    Raises:
        ModelError: a ZBDD manager has two of the variables in another order.
        oxidd.util.DDMemoryError: the manager is full.
    """
    diagram = _with_true_levels(diagram, true)
    names = [name(k) for k in diagram.labels.tolist()]
    manager.add_named_vars([n for n in names if manager.name_to_var(n) is None])
    if hasattr(manager, "base"):
        _check_manager_order([manager.var_to_level(manager.name_to_var(n)) for n in names], "ZBDD")
        single = [_swap_children(manager.singleton(n).make_node) for n in names]
        return _build_foreign_diagram(diagram, manager.empty(), manager.base(), single)
    made_of = [_swap_children(manager.var(n).ite) for n in names]
    return _build_foreign_diagram(to_bdd(diagram), manager.false(), manager.true(), made_of)


@check_types
def from_oxidd(function: Any, keys: Mapping[str, int] | None = None) -> Diagram:
    """Convert an OxiDD function (a ZBDD, or the BDD or BCDD of a family) to a diagram.

    Args:
        function: a function of ``oxidd.bdd``, ``oxidd.bcdd`` or ``oxidd.zbdd``.
        keys: variable name → key, for the variables of the family. By default the manager's
            variables with names as :func:`to_oxidd` gives them.

    Raises:
        ModelError: the function depends on a variable without a key, or a name is unknown.
    """
    manager = function.manager
    zdd = hasattr(manager, "base")
    false = manager.empty() if zdd else manager.false()

    def terminal(u: Any) -> int:
        return -1 if u.node_level() is not None else int(u != false)

    def children(u: Any) -> tuple[int, Any, Any]:
        high, low = u.cofactors()
        return u.node_level(), low, high

    names = {manager.var_name(v): manager.var_to_level(v) for v in range(manager.num_vars())}
    return _read_foreign_diagram(function, terminal, children, lambda u: u, names, keys, zdd)


@check_types
def zdd_lines(
    diagram: Diagram, form: Literal["graphillion", "knuth"] = "graphillion"
) -> Iterator[str]:
    """Write a diagram as lines of text, its variables numbered from 1, the top level's first.

    Args:
        diagram: the family.
        form: ``graphillion``: a line ``node variable low high`` for each node, children first,
            ``B`` and ``T`` for the terminals, and ``.`` at the end. ``knuth``: the root first, a
            line ``node:low,high`` for each node, 0 and 1 for the terminals, and ``#variable`` above
            the nodes of a level. KyotoDD reads and writes both.
    """
    if form not in ("graphillion", "knuth"):
        raise ValueError(f"expected the form graphillion or knuth, found {short_repr(form)}")
    size = len(diagram.variable)
    arrays = diagram.variable + 1, diagram.low, diagram.high
    rows = list(zip(range(2, size), *(array[2:].tolist() for array in arrays), strict=True))
    if form == "knuth":
        number = [0, 1, *range(size - 1, 1, -1)]
        for variable, level in groupby(reversed(rows), itemgetter(1)):
            yield f"#{variable}\n"
            yield from (f"{number[n]}:{number[low]},{number[high]}\n" for n, _, low, high in level)
        if not rows:
            yield f"{diagram.root}\n"
        return
    shown = ["B", "T", *range(2, size)]
    for n, variable, low, high in rows:
        yield f"{n} {variable} {shown[low]} {shown[high]}\n"
    if not rows:
        yield f"{shown[diagram.root]}\n"
    yield ".\n"


@check_types
def from_zdd_lines(lines: Iterable[str], labels: Sequence[int] | None = None) -> Diagram:
    """Read a ZDD in one of the two forms of :func:`zdd_lines`.

    Args:
        lines: an open file, or its lines.
        labels: the keys of variables 1, 2, …; by default their numbers.

    Raises:
        ModelError: a line is no node, a node is there twice or not at all, the end is missing, or a
            variable has no key or does not stand above its children's.
    """
    text = [line.strip() for line in lines]
    knuth = text[:1] in (["0"], ["1"]) or text[0].startswith("#") if text else False
    ids = {"0": 0, "1": 1} if knuth else {"B": 0, "T": 1}
    if not knuth and text[-1:] != ["."]:
        raise ModelError("a ZDD ends with the line '.'; this one is cut off, or of another form")
    nodes: list[list[str]] = []
    level: list[str] = []
    for n, line in enumerate(text if knuth else text[:-1], 1):
        words = line.replace(":", " ").replace(",", " ").split()
        if knuth and line.startswith("#"):
            level = [words[0][1:]]
            continue
        words[1:1] = level
        if len(words) == 4 and words[1].isdecimal() and words[0] not in ids:
            ids[words[0]] = len(ids)
            nodes.append(words)
        elif line not in ids or len(text) > 2 - knuth:
            raise ModelError(f"line {n}: expected a new node, found {line!r}")
    try:
        rows = [(int(v) - 1, ids[low], ids[high]) for _, v, low, high in nodes]
    except KeyError as error:
        raise ModelError(f"there is no node {error.args[0]}") from None
    if labels is None:
        labels = range(1, max((row[0] for row in rows), default=-1) + 2)
    root = (2 if knuth else len(rows) + 1) if rows else ids[text[0]]
    variable, low, high = np.array([(0, 0, 0), (0, 0, 0), *rows]).T
    return Diagram.from_arrays(labels, variable, low, high, root)
