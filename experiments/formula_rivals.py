"""Problems of ``data/formula`` and the solvers that ``formula.py`` compares on them.

The engines of this package read the file. Ganak and the SDD compiler get the clauses that the
DIMACS writer makes of it, Graphillion the one-hot and linear constraints; CPMpy gets a model
written by hand, with integers and ``AllDifferent`` where a person would use them.

Kinds of solvers: ``search`` visits every solution, ``count`` returns only the number, ``diagram``
builds the set of all solutions, which is then counted.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from itertools import product
from typing import Any

import harness
from rivals import sdd_compiler

__all__ = [
    "COUNTS",
    "SOLVERS",
    "Asked",
    "Solver",
    "absent",
    "asked",
    "clauses_of",
    "run",
    "takes",
    "version",
]

COUNTS = {
    "queens_8": 92,
    "queens_10": 724,
    "queens_12": 14_200,
    "matchings_8x8": 12_988_816,
    "magic_3": 8,
    "magic_4": 7_040,
    "send_more": 1,
    "langford_7": 52,
    "petersen": 120,
    "australia": 18,
    "knapsack_20": 99_210,
    "knapsack_100": 1_998_153_311_091_033_295_366_124_111,
    "subset_sum_40": 1_120_523_463,
    "timetable": 138,
}
"""Problem → solutions, as ``data/README.md`` tells them with their oracles."""
WARM_UP = ("petersen", "timetable", "australia", "knapsack_20")
"""Small ones of every kind, so that no code is compiled or loaded while the clock runs."""


@dataclass(frozen=True)
class Asked:
    """One problem of ``data/formula`` in the form that solvers get.

    Attributes:
        name: of the file.
        problem: what stands in it.
        model: its variables and constraints.
        settings: memory and time of the run.
    """

    name: str
    problem: Any
    model: Any
    settings: dict[str, Any]


@dataclass(frozen=True)
class Solver:
    """A solver: an engine of this package, or another package.

    Attributes:
        package: name on PyPI; ``bddsudoku`` for ours.
        module: what is imported of it.
        kind: ``search``, ``count`` or ``diagram``.
        prepare: problem → a function without arguments, the part that is timed; it returns results
            with ``count`` among them.
        takes: whether it takes a problem.
    """

    package: str
    module: str
    kind: str
    prepare: Callable[[Asked], Callable[[], dict[str, Any]]]
    takes: Callable[[Asked], bool] = lambda _: True


def asked(name: str, **settings: Any) -> Asked:
    """Read a problem."""
    from bddsudoku import Problem

    problem = Problem.read(harness.DATA / "formula" / f"{name}.formula")
    return Asked(name, problem, problem.model(), settings)


def takes(solver: str, name: str) -> bool:
    """Whether a solver takes a problem."""
    return SOLVERS[solver].takes(asked(name))


def absent(solver: str) -> str | None:
    """Why a solver cannot run here; None when it can."""
    for module in SOLVERS[solver].module.split():
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    return None


def version(solver: str) -> str:
    """The version of a solver's package."""
    return metadata.version(SOLVERS[solver].package)


def run(case: dict[str, Any], send: Callable[[Any], None] | None = None) -> dict[str, Any]:
    """Count one problem with one solver, after a warm-up; for a process of its own.

    Returns:
        ``count`` (decimal), ``seconds`` (the best of up to three runs), and what the solver adds.
    """
    solver = SOLVERS[case["solver"]]
    small = [w for name in WARM_UP if solver.takes(w := asked(name, **case))]
    if solver.package == "bddsudoku":
        harness.warmed(lambda: [solver.prepare(w)() for w in small])
    else:
        solver.prepare(small[0])()
    problem = asked(case["problem"], **case)
    return harness.best_of_three(lambda: solver.prepare(problem), 2)


# -- ours ------------------------------------------------------------------------------------------


def _engine(name: str) -> Callable[[Asked], Callable[[], dict[str, Any]]]:
    def prepare(asked: Asked) -> Callable[[], dict[str, Any]]:
        from bddsudoku import Context
        from bddsudoku.engine.protocol import find_engine

        return lambda: {"count": find_engine(name).count(asked.model, Context())}

    return prepare


def _accepts(name: str) -> Callable[[Asked], bool]:
    def test(asked: Asked) -> bool:
        from bddsudoku.engine.protocol import find_engine

        return find_engine(name).refuses(asked.model) is None

    return test


def _frontier_set(asked: Asked) -> Callable[[], dict[str, Any]]:
    """Build the set, and record the states of every level, up to a limit if one is reached."""
    from bddsudoku import Context, LimitReached
    from bddsudoku.engine.frontier_engine import FrontierEngine
    from bddsudoku.sets import SolutionSet

    # A little less than the process has, so that the trace can still be told.
    context = Context(int(asked.settings["memory"] * 0.7), asked.settings["seconds"] * 0.8)

    def call() -> dict[str, Any]:
        try:
            made = FrontierEngine().diagram(asked.model, context)
        except LimitReached as stop:
            return {"limit": stop.limit, "message": str(stop), **_levels(stop.trace or ())}
        found = SolutionSet(made.diagram, fixed=made.fixed)
        return {
            "count": found.count(),
            "nodes": found.node_count("zdd"),
            "order": made.order,
            **_levels(made.levels),
        }

    return call


def _levels(trace: Any) -> dict[str, Any]:
    return {
        "depth": trace[0].levels if len(trace) else 0,
        "levels": [[level.level, level.states] for level in trace],
    }


def _conjunction(asked: Asked) -> Callable[[], dict[str, Any]]:
    """Conjoin the statements in the order of the file."""
    from bddsudoku import Context
    from bddsudoku.engine.conjunction import build
    from bddsudoku.model import forward_check
    from bddsudoku.model.schedules import make_puzzle_schedule

    model = forward_check(asked.model)
    plan = make_puzzle_schedule(model)

    def call() -> dict[str, Any]:
        made = build(model, plan, context=Context(max_memory=asked.settings["memory"] // 2))
        return {
            "count": made.count(),
            "nodes": made.nodes,
            "peak": max((step.nodes for step in made.steps), default=made.nodes),
        }

    return call


# -- peers -----------------------------------------------------------------------------------------


def clauses_of(asked: Asked) -> tuple[int, list[list[int]], list[int]]:
    """Variables, clauses, and the variables that are counted, from the text of a DIMACS file."""
    from bddsudoku.puzzle import cnf_lines

    variables, clauses, shown = 0, [], []
    problem = asked.problem
    for line in cnf_lines(problem.names, problem.constraints, problem.projection):
        words = line.split()
        if words[:2] == ["p", "cnf"]:
            variables = int(words[2])
        elif words[:3] == ["c", "p", "show"]:
            shown = [int(w) for w in words[3:-1]]
        elif words[0] != "c":
            clauses.append([int(w) for w in words[:-1]])
    return variables, clauses, shown or list(range(1, variables + 1))


def _pyganak(asked: Asked) -> Callable[[], dict[str, Any]]:
    import pyganak

    variables, clauses, shown = clauses_of(asked)

    def call() -> dict[str, Any]:
        counter = pyganak.Counter()
        counter.new_vars(variables)
        counter.add_clauses(clauses)
        counter.set_sampling_set(shown)
        return {"count": int(counter.count()), "variables": variables, "clauses": len(clauses)}

    return call


def _pysdd(asked: Asked) -> Callable[[], dict[str, Any]]:
    """Its CNF compiler; new variables are determined by the others, so all are counted."""
    variables, clauses, _ = clauses_of(asked)
    return sdd_compiler(variables, clauses)


def _graphillion(asked: Asked) -> Callable[[], dict[str, Any]]:
    """Edges of a star are the variables; every constraint bounds the weight of a set of edges."""
    # Threads that wait for each other in a loop cost it more than they help.
    os.environ["OMP_NUM_THREADS"] = "1"
    from graphillion import GraphSet

    from bddsudoku.model import OneHot

    if asked.name == "matchings_8x8":
        return _grid()
    edges = [(0, v + 1) for v in range(len(asked.problem.names))]
    constraints = []
    for c in asked.model.constraints:
        if isinstance(c, OneHot):
            weights, low, high = [1] * len(c.variables), c.total * (not c.at_most), c.total
        else:
            least, most = c.bounds
            weights = list(c.weights)
            low = least if c.low is None else c.low
            high = most if c.high is None else c.high
        parts = [(*edges[v], w) for v, w in zip(c.variables, weights, strict=True)]
        constraints.append((parts, (low, high)))
    GraphSet.set_universe(edges, traversal="as-is")
    return lambda: {"count": int(GraphSet.graphs(linear_constraints=constraints).len())}


def _grid() -> Callable[[], dict[str, Any]]:
    """Perfect matchings are what Graphillion is made for: the board itself as the graph."""
    from graphillion import GraphSet

    cells = list(product(range(8), range(8)))
    near = [((r, c), n) for r, c in cells for n in ((r, c + 1), (r + 1, c)) if n in cells]
    GraphSet.set_universe(near, traversal="as-is")
    return lambda: {"count": int(GraphSet.perfect_matchings().len())}


def _weights_only(asked: Asked) -> bool:
    from bddsudoku import Linear, OneHot

    return all(isinstance(c, OneHot | Linear) for c in asked.model.constraints)


def _cpmpy(asked: Asked) -> Callable[[], dict[str, Any]]:
    """OR-tools CP-SAT, set to find all solutions."""
    import formula_cpmpy

    model = formula_cpmpy.model(asked.name, asked.problem)
    return lambda: {"count": int(model.solveAll(solver="ortools"))}


OURS = "bddsudoku"
SOLVERS = {
    "frontier": Solver(OURS, OURS, "count", _engine("frontier")),
    "frontier, set": Solver(OURS, OURS, "diagram", _frontier_set),
    "conjunction": Solver(OURS, OURS, "diagram", _conjunction),
    "search": Solver(OURS, OURS, "search", _engine("search")),
    "dlx": Solver(OURS, OURS, "search", _engine("dlx"), _accepts("dlx")),
    "pyganak": Solver("pyganak", "pyganak", "count", _pyganak),
    "pysdd": Solver("pysdd", "pysdd", "diagram", _pysdd),
    "graphillion": Solver("graphillion", "graphillion", "diagram", _graphillion, _weights_only),
    "cpmpy": Solver("cpmpy", "cpmpy ortools", "search", _cpmpy),
}
