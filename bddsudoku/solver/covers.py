"""Any model, whatever puzzle it came from: count, compile, enumerate, check.

Exact covers and tilings come in here with their model and their decoder. Sudoku has its own
entrance (:mod:`bddsudoku.solver.solving`), because more is known about it.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bddsudoku.errors import BddSudokuError, DamagedFileError, LimitReached, ModelError
from bddsudoku.model.onehot import Model
from bddsudoku.model.propagation import candidates
from bddsudoku.solver.engines import Limits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.frontier import LevelTrace
    from bddsudoku.solutions.decoder import Decoder
    from bddsudoku.solutions.diagram import Diagram
    from bddsudoku.solutions.solutionset import SolutionSet

__all__ = [
    "MODEL_ENGINES",
    "CompiledModel",
    "ModelCount",
    "check_model",
    "compile_model",
    "count_model",
    "covers_of",
    "load_cover_set",
]

MODEL_ENGINES = ("frontier", "dlx", "bdd", "backtrack")
"""Engines that take any model (``backtrack`` only where constraints of one family are slots)."""

_TRIAL_NODES = 200_000
"""Search nodes that dancing links may spend before the frontier is asked."""
_TRIAL_COVERS = 20_000
"""Covers that are worth compiling one by one."""


@dataclass(frozen=True)
class ModelCount:
    """An exact count, who counted, why, and how long it took."""

    count: int
    engine: str
    why: str
    seconds: float


@dataclass(frozen=True)
class CompiledModel:
    """A model's set of solutions and what it cost.

    Attributes:
        solutions: the set.
        engine: ``frontier``, or ``dlx`` where the covers were searched for and then compiled.
        variables: variables compiled.
        states: states of all levels (frontier).
        width: states of the widest level (frontier).
        levels: the engine's trace (frontier).
        seconds: everything.
        peak_bytes: greatest sum of the engine's arrays (frontier).
    """

    solutions: SolutionSet
    engine: str
    variables: int
    states: int
    width: int
    levels: tuple[LevelTrace, ...]
    seconds: float
    peak_bytes: int


def _frontier(model: Model, limits: Limits) -> int:
    from bddsudoku.engine.frontier import count_cover

    return count_cover(
        model,
        max_memory=limits.memory,
        time_limit=limits.left,
        progress=limits.level,
    )


def _dlx(model: Model, limits: Limits) -> int:
    from bddsudoku.engine import dlx

    result = dlx.count(model, time_limit=limits.left)
    if not result.exact:
        raise LimitReached(
            f"time limit of {limits.seconds:g} s reached by dancing links after "
            f"{result.nodes:,} nodes and {result.count:,} covers",
            limit="time",
            trace=result,
        )
    return result.count


def _bdd(model: Model, limits: Limits) -> int:
    from bddsudoku.engine.conjunction import Limits as BuildLimits
    from bddsudoku.engine.conjunction import build_isolated

    result = build_isolated(model, limits=BuildLimits(memory=limits.memory, seconds=limits.left))
    return result.count()


def _backtrack(model: Model, limits: Limits) -> int:
    from bddsudoku.engine import backtrack

    slots = next((f for f in model.families if _are_slots(model, f)), None)
    if slots is None:
        raise ModelError("no family of constraints holds every variable once: no slots to fill")
    result = backtrack.count(model, slots=slots, time_limit=limits.left)
    if not result.exact:
        raise LimitReached(
            f"time limit of {limits.seconds:g} s reached by backtracking after "
            f"{result.nodes:,} nodes and {result.count:,} covers",
            limit="time",
            trace=result,
        )
    return result.count


def _are_slots(model: Model, family: str) -> bool:
    """Whether the constraints of a family hold every variable exactly once."""
    own = [c for c in model.constraints if c.family == family]
    if any(c.at_most for c in own):
        return False
    return sorted(v for c in own for v in c.variables) == list(range(len(model.variables)))


_COUNTERS = {"frontier": _frontier, "dlx": _dlx, "bdd": _bdd, "backtrack": _backtrack}


def count_model(model: Model, engine: str = "auto", limits: Limits | None = None) -> ModelCount:
    """Count the solutions of a model exactly.

    Args:
        model: any model.
        engine: ``auto`` or one of :data:`MODEL_ENGINES`. ``auto`` lets dancing links try for a
            moment, then asks the frontier, and goes back to dancing links when the frontier's
            states do not fit into memory.
        limits: memory and time.

    Raises:
        LimitReached: a limit ended the count.
        ModelError: the engine cannot count this model.
    """
    from bddsudoku.engine import dlx

    limits = limits or Limits()
    model = candidates(model)
    begin = time.perf_counter()

    def done(count: int, engine: str, why: str) -> ModelCount:
        return ModelCount(count, engine, why, time.perf_counter() - begin)

    if engine != "auto":
        return done(_COUNTERS[engine](model, limits), engine, "named")
    trial = dlx.count(model, node_limit=_TRIAL_NODES, time_limit=limits.left)
    if trial.exact:
        return done(trial.count, "dlx", f"a search tree of {trial.nodes:,} nodes")
    try:
        return done(_frontier(model, limits), "frontier", "too many covers to visit one by one")
    except LimitReached as stop:
        if stop.limit == "time":
            raise
        why = f"the frontier reached its {stop.limit} limit"
    return done(_dlx(model, limits), "dlx", why)


def compile_model(
    model: Model,
    decoder: Decoder | None = None,
    limits: Limits | None = None,
    engine: str = "auto",
) -> CompiledModel:
    """All solutions of a model as a set on a canonical ordered ZDD.

    Args:
        model: any model; the order of its constraints is the order in which the diagram grows.
        decoder: turns keys into solutions; by default tuples of keys.
        limits: memory and time.
        engine: ``frontier``, ``dlx`` (search, then a diagram of what was found), or ``auto``, which
            takes ``dlx`` when its search ends at once. The diagram is the same.

    Raises:
        LimitReached: with ``level``, ``states`` and ``bytes`` in its details.
    """
    from bddsudoku.engine.frontier import compile_cover
    from bddsudoku.solutions.solutionset import SolutionSet

    limits = limits or Limits()
    model = candidates(model)
    begin = time.perf_counter()
    costs: tuple[int, int, tuple[LevelTrace, ...], int] = (0, 0, (), 0)
    found = None if engine == "frontier" else _searched(model, limits, trial=engine == "auto")
    if found is not None:
        diagram = _diagram_of(model, found)
    else:
        compiled = compile_cover(
            model,
            max_memory=limits.memory,
            time_limit=limits.left,
            progress=limits.level,
        )
        diagram = compiled.diagram
        costs = (compiled.states, compiled.width, compiled.levels, compiled.peak_bytes)
    fixed = [] if diagram.is_empty else [v.key for v in model.fixed]
    states, width, levels, peak = costs
    return CompiledModel(
        SolutionSet(diagram, decoder, fixed=fixed),
        "frontier" if found is None else "dlx",
        len(model.variables),
        states,
        width,
        levels,
        time.perf_counter() - begin,
        peak,
    )


def _searched(model: Model, limits: Limits, *, trial: bool) -> list[NDArray[Any]] | None:
    """All covers by dancing links; None when a trial does not end at once."""
    from bddsudoku.engine import dlx

    bound = _TRIAL_NODES if trial else None
    try:
        found: list[NDArray[Any]] = []
        for cover in dlx.covers(model, time_limit=limits.left, node_limit=bound):
            found.append(cover)
            if trial and len(found) > _TRIAL_COVERS:
                return None
    except LimitReached as stop:
        if stop.limit == "nodes":
            return None
        raise
    return found


def _diagram_of(model: Model, covers: list[NDArray[Any]]) -> Diagram:
    """The ZDD of some covers, its variables in the order in which the frontier reads them."""
    import numpy as np

    from bddsudoku.solutions.diagram import Diagram

    cover = model.cover()
    owner = np.repeat(np.arange(cover.options), np.diff(cover.indptr))
    first = np.full(cover.options, cover.items, np.int64)
    np.minimum.at(first, owner, cover.indices)
    sequence = np.lexsort((np.arange(cover.options), first))
    level = np.empty(cover.options, np.int64)
    level[sequence] = np.arange(cover.options)
    keys = np.array([v.key for v in model.variables], np.int64).reshape(-1)
    rows = sorted(sorted(level[c].tolist()) for c in covers)

    nodes: list[tuple[int, int, int]] = []
    known: dict[tuple[int, int, int], int] = {}

    def family(begin: int, end: int, depth: int) -> int:
        """The node for what follows in ``rows[begin:end]``, which agree up to ``depth``."""
        node = 0
        if len(rows[begin]) == depth:
            node, begin = 1, begin + 1
        while end > begin:
            top = rows[end - 1][depth]
            start = bisect_left(rows, top, begin, end, key=lambda row: row[depth])
            triple = (top, node, family(start, end, depth + 1))
            node = known.get(triple, 0)
            if not node:
                nodes.append(triple)
                node = known[triple] = len(nodes) + 1
            end = start
        return node

    root = family(0, len(rows), 0) if rows else 0
    terminals = [(cover.options, 0, 0), (cover.options, 1, 1)]
    table = np.array(terminals + nodes, np.int64)
    return Diagram.from_arrays(keys[sequence], table[:, 0], table[:, 1], table[:, 2], root)


def covers_of(
    model: Model,
    *,
    limit: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
) -> Iterator[NDArray[Any]]:
    """The solutions of a model one by one, by dancing links, each as its ascending keys.

    Args:
        model: any model.
        limit: stop after so many.
        seed: try the options in an order shuffled by this; None: in the model's order.
        time_limit: seconds.

    Raises:
        LimitReached: the time was used up before the end.
    """
    import numpy as np

    from bddsudoku.engine import dlx

    model = candidates(model)
    keys = np.array([v.key for v in model.variables], dtype=np.int64)
    fixed = np.array([v.key for v in model.fixed], dtype=np.int64)
    for cover in dlx.covers(model, limit=limit, seed=seed, time_limit=time_limit):
        yield np.sort(np.concatenate((keys[cover], fixed)))


def check_model(
    model: Model,
    engines: Sequence[str] | None = None,
    *,
    memory: int | None = None,
    seconds: float | None = None,
    saved: int | None = None,
) -> dict[str, Any]:
    """Every engine that can, side by side; each within the limits by itself.

    Args:
        model: any model.
        engines: only these; by default all that fit.
        memory: bytes for each.
        seconds: for each.
        saved: the count of a saved set, as one more voice.

    Returns:
        ``runs``: a list of {engine, count (decimal string or None), seconds, limit};
        ``finished``: how many counted; ``agree``: True or False for two and more, else None.
    """
    runs: list[dict[str, Any]] = []
    if saved is not None:
        runs.append({"engine": "saved", "count": str(saved), "limit": None, "seconds": 0.0})
    if engines is None:
        slots = any(_are_slots(candidates(model), f) for f in model.families)
        engines = [e for e in MODEL_ENGINES if e != "backtrack" or slots]
    for engine in engines:
        begin = time.perf_counter()
        run: dict[str, Any] = {"engine": engine, "count": None, "limit": None}
        try:
            run["count"] = str(count_model(model, engine, Limits(memory, seconds)).count)
        except LimitReached as stop:
            run["limit"] = stop.limit
        except BddSudokuError as error:
            run["limit"] = str(error)
        run["seconds"] = time.perf_counter() - begin
        runs.append(run)
    counts = [run["count"] for run in runs if run["count"] is not None]
    agree = len(set(counts)) == 1 if len(counts) > 1 else None
    return {"runs": runs, "finished": len(counts), "agree": agree}


def load_cover_set(path: str | Path) -> SolutionSet | None:
    """A saved set of exact covers or tilings, memory-mapped; None when the file is no saved set.

    Raises:
        DamagedFileError: the file is damaged, or holds another puzzle's set.
    """
    from bddsudoku.puzzle.exact_cover import CoverDecoder
    from bddsudoku.puzzle.tiling import TilingDecoder
    from bddsudoku.solutions.files import load
    from bddsudoku.solutions.magic import is_saved_set
    from bddsudoku.solutions.solutionset import SolutionSet

    if not Path(path).is_file() or not is_saved_set(Path(path)):
        return None
    kinds = {d.kind: d.from_dict for d in (CoverDecoder, TilingDecoder)}
    loaded = load(Path(path), kinds)
    if not isinstance(loaded, SolutionSet) or loaded.decoder.kind not in kinds:
        raise DamagedFileError(f"{path}: a saved set, but not of exact covers or tilings")
    return loaded
