"""Instances and solvers for the comparisons with other packages on PyPI.

Every solver gets an exact cover as a sparse matrix, turned into its own input before the clock
starts, and is used as its documentation says works best. What a solver gives:

* ``search``: visits every cover (so a count costs as much as an enumeration);
* ``count``: a number, nothing else (dxz remembers sub-problems, so it visits no cover twice);
* ``diagram``: the set of all covers as a decision diagram, which is then counted.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import harness
import numpy as np
from rival_instances import (
    FIFTEEN,
    INSTANCES,
    SEVENTEEN,
    WARM_UP,
    Instance,
    board,
    instance,
)

__all__ = [
    "FIFTEEN",
    "INSTANCES",
    "SOLVERS",
    "WARM_UP",
    "Instance",
    "Solver",
    "absent",
    "board",
    "instance",
    "run",
]


@dataclass(frozen=True)
class Solver:
    """A solver: an engine of this package, or another package.

    Attributes:
        package: name on PyPI; ``bddsudoku`` for ours.
        kind: ``search``, ``count`` or ``diagram``.
        prepare: instance → a function without arguments: the part that is timed. It returns
            the count, or the count and further results in a dictionary.
        only: instances that it is made for; None for all.
    """

    package: str
    kind: str
    prepare: Callable[[Instance, dict[str, Any]], Callable[[], Any]]
    only: Callable[[str], bool] | None = None


def absent(solver: str) -> str | None:
    """Why a solver cannot run here; None when it can."""
    package = SOLVERS[solver].package
    module = {"exact-cover": "exact_cover"}.get(package, package)
    if importlib.util.find_spec(module) is None:
        return f"{package} is not installed"
    return None


def version(solver: str) -> str:
    """The version of a solver's package."""
    return metadata.version(SOLVERS[solver].package)


def run(case: dict[str, Any], send: Callable[[Any], None] | None = None) -> dict[str, Any]:
    """Count one instance with one solver, after a warm-up; for a process of its own.

    Returns:
        ``count`` (decimal), ``seconds`` (the best of up to three runs), ``rss`` (peak resident
        set of the process in bytes, where the system reports it), and what the solver adds.
    """
    solver = SOLVERS[case["solver"]]
    if solver.package == "bddsudoku":
        harness.warmed(lambda: solver.prepare(instance(WARM_UP), case)())
    else:
        solver.prepare(instance(WARM_UP), case)()
    asked = instance(case["instance"])

    def prepare() -> Callable[[], dict[str, Any]]:
        call = solver.prepare(asked, case)

        def answer() -> dict[str, Any]:
            found = call()
            return found if isinstance(found, dict) else {"count": found}

        return answer

    # compiled code specialises by size of state, too: what it compiles is not to be timed
    best = harness.best_of_three(prepare, 3)
    return best | {"rss": harness.peak_memory(), "version": version(case["solver"])}


# -- ours ------------------------------------------------------------------------------------------


def _bands(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.engine import bands

    if not hasattr(asked.puzzle, "layout"):  # the warm-up
        return lambda: bands.count([1 << int(d) - 1 if d != "0" else 511 for d in SEVENTEEN])
    masks = [1 << (d - 1) if d else 511 for d in asked.puzzle.cells]
    return lambda: bands.count(masks)


def _frontier_count(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.engine.frontier import count_spec
    from bddsudoku.engine.specs.product_spec import model_spec

    return lambda: count_spec(model_spec(asked.model))


def _set_answer(solutions: Any) -> dict[str, Any]:
    """The count of a set and the size of its diagram."""
    return {"count": solutions.count(), "nodes": solutions.node_count("zdd")}


def _frontier_set(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.engine.frontier import compile_spec
    from bddsudoku.engine.specs.product_spec import model_spec
    from bddsudoku.sets.solutionset import SolutionSet

    return lambda: _set_answer(SolutionSet(compile_spec(model_spec(asked.model)).diagram))


def _auto_set(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.solver import compile_set

    if not hasattr(asked.puzzle, "layout"):
        return _frontier_set(asked, case)

    return lambda: _set_answer(compile_set(asked.puzzle))


def _searched_set(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.solver import solve

    return lambda: _set_answer(solve(asked.model, "dlx"))


def _dlx(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.engine import dlx

    arrays = asked.model.cover()

    def call() -> dict[str, Any]:
        found = dlx.count(arrays)
        return {"count": found.count, "search_nodes": found.nodes, "updates": found.updates}

    return call


def _conjunction(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    from bddsudoku.context import Context
    from bddsudoku.engine.conjunction import build
    from bddsudoku.model.schedules import make_puzzle_schedule

    plan = None
    if hasattr(asked.puzzle, "layout"):
        plan = make_puzzle_schedule(asked.model, 3)

    def call() -> dict[str, Any]:
        result = build(asked.model, plan, context=Context(max_memory=case["memory"] // 2))
        return {"count": result.count(), "nodes": result.nodes}

    return call


# -- peers -----------------------------------------------------------------------------------------


def _xcover_arrays(asked: Instance) -> tuple[Any, ...]:
    flat = np.array([i for items in asked.options for i in items], dtype=np.uint32)
    pointers = np.zeros(len(asked.options) + 1, dtype=np.uint32)
    pointers[1:] = np.cumsum([len(items) for items in asked.options])
    return flat, pointers, np.zeros(len(flat), dtype=np.uint32), asked.items, 0


def _xcover(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    """Its compiled generator, called directly. (Compiled code cannot count what it yields: numba
    loads a cached generator into Python only, and compiling it anew takes half a minute.)"""
    from xcover import algorithm_c

    arrays = _xcover_arrays(asked)
    return lambda: sum(1 for _ in algorithm_c(*arrays))


def _xcover_zdd(heuristic: str) -> Callable[[Instance, dict[str, Any]], Callable[[], Any]]:
    def prepare(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
        from xcover import covers_zdd

        def call() -> dict[str, Any]:
            below = [0, 1]
            for _, _, low, high in covers_zdd(
                asked.options,
                primary=range(asked.items),
                use_memo_cache=True,
                choose_heuristic=heuristic,
            ):
                below.append(below[low] + below[high])
            return {"count": below[-1] if len(below) > 2 else 0, "nodes": len(below) - 2}

        return call

    return prepare


def _exact_cover(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    import exact_cover

    matrix = asked.matrix()
    return lambda: exact_cover.get_solution_count(matrix)


def _dxz(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    import dxz

    flat = asked.matrix().astype(int).reshape(-1).tolist()
    return lambda: dxz.dxz_count(len(asked.options), asked.items, flat)


def _graphillion(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    """Families of sets, one for every item ("exactly one of these"), intersected in turn."""
    from graphillion import setset

    setset.set_universe(list(range(1, len(asked.options) + 1)))
    members = [[o + 1 for o in item] for item in asked.members()]

    def call() -> dict[str, Any]:
        found = setset({})
        for item in members:
            one = setset()
            for chosen in item:
                others = [o for o in item if o != chosen]
                one |= setset({"include": [chosen], "exclude": others})
            found &= one
        return {"count": int(found.len())}

    return call


def _oxidd(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    """Exactly one of the options, for every item in turn, conjoined with what there is."""
    from oxidd.bdd import BDDManager

    members = asked.members()

    def call() -> dict[str, Any]:
        nodes = case["memory"] // 2 // 32
        manager = BDDManager(nodes, nodes // 4, 2)
        first = manager.add_vars(len(asked.options))
        names = [manager.var(v) for v in first]
        found = manager.true()
        for item in members:
            none, one = manager.true(), manager.false()
            for option in reversed(item):
                variable = names[option]
                one = variable.ite(none, one)
                none = ~variable & none
            found = found & one
        return {"count": int(found.sat_count(len(asked.options))), "nodes": found.node_count() - 2}

    return call


def _clauses(asked: Instance) -> list[list[int]]:
    """Clauses of exactly one: at least one, and no two."""
    found = []
    for item in asked.members():
        found.append([o + 1 for o in item])
        found += [[-a - 1, -b - 1] for a, b in itertools.combinations(item, 2)]
    return sorted({tuple(c) for c in found})  # type: ignore[return-value]


def _pysdd(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    return sdd_compiler(len(asked.options), _clauses(asked))


def sdd_compiler(variables: int, clauses: list[list[int]]) -> Callable[[], dict[str, Any]]:
    """PySDD's CNF compiler, with the dynamic vtree search that it switches on by itself."""
    from pysdd.sdd import SddManager

    lines = [f"p cnf {variables} {len(clauses)}", *(" ".join(map(str, (*c, 0))) for c in clauses)]
    text = "\n".join(lines)

    def call() -> dict[str, Any]:
        manager, root = SddManager.from_cnf_string(text, vtree_type=b"balanced")
        return {"count": int(manager.global_model_count(root)), "nodes": root.count()}

    return call


def _pyganak(asked: Instance, case: dict[str, Any]) -> Callable[[], Any]:
    import pyganak

    clauses = [list(c) for c in _clauses(asked)]

    def call() -> int:
        counter = pyganak.Counter()
        counter.add_clauses(clauses)
        return int(counter.count())

    return call


def _nine(name: str) -> bool:
    return name.startswith("Sudoku")


SOLVERS = {
    "ours: bands": Solver("bddsudoku", "count", _bands, _nine),
    "ours: frontier count": Solver("bddsudoku", "count", _frontier_count),
    "ours: frontier set": Solver("bddsudoku", "diagram", _frontier_set),
    "ours: frontier set, order chosen": Solver(
        "bddsudoku", "diagram", _auto_set, lambda name: "Sudoku" in name
    ),
    "ours: DLX, then a set": Solver(
        "bddsudoku", "diagram", _searched_set, lambda name: INSTANCES[name][0] <= 50_000
    ),
    "ours: DLX": Solver("bddsudoku", "search", _dlx),
    "ours: conjunction (cudd)": Solver("bddsudoku", "diagram", _conjunction),
    "xcover": Solver("xcover", "search", _xcover),
    "xcover ZDD, fewest options": Solver("xcover", "diagram", _xcover_zdd("MRV")),
    "xcover ZDD, leftmost": Solver("xcover", "diagram", _xcover_zdd("leftmost")),
    "exact-cover": Solver("exact-cover", "search", _exact_cover),
    "dxz": Solver("dxz", "count", _dxz),
    "graphillion": Solver("graphillion", "diagram", _graphillion),
    "oxidd, naive conjunction": Solver("oxidd", "diagram", _oxidd),
    "pysdd": Solver("pysdd", "diagram", _pysdd),
    "pyganak": Solver("pyganak", "count", _pyganak),
}
