"""Counting, listing and asking by search: the engine's front."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.search.kernel import run
from bddsudoku.engine.search.prepare import Prepared, new_rows, new_work
from bddsudoku.engine.search.tables import (
    COUNT,
    DONE,
    ENTER,
    FIELDS,
    FOUND,
    FULL,
    NODES,
    PHASE,
    USED,
    WORK,
    Bounds,
)
from bddsudoku.sets.base import number

_CHUNK = 20_000_000
"""Steps between two returns to Python: some 30 ms."""
_BATCH = 1 << 16
"""Entries of the buffer through which solutions are handed out."""
_TURN = 1_000
"""Candidates tried in a first turn."""
_FEW = 2_000
"""Solutions that are visited when true candidates are asked for."""
_MOST = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search has found.

    Attributes:
        count: solutions; free variables double them.
        exact: the search came to its end, so ``count`` is the number of all solutions.
        nodes: candidates tried.
        work: steps (:attr:`bddsudoku.context.Context.work`).
        seconds: wall-clock time of the search, without preparing it.
    """

    count: int
    exact: bool
    nodes: int
    work: int
    seconds: float


class Search:
    """A search that can be run a piece at a time.

    Args:
        prepared: the problem.
        supports: look only for solutions that hold a variable that none before has held.
    """

    def __init__(self, prepared: Prepared, *, supports: bool = False) -> None:
        self.prepared = prepared
        self._supports = supports
        self._state = np.zeros(FIELDS, dtype=np.int64)
        self._rows = new_rows(prepared, 16)
        self._work = new_work(prepared, self._rows[0])
        if not prepared.possible or bool((self._rows[0, -1 - prepared.items : -1] == 0).any()):
            self._state[PHASE] = DONE
        self.seconds = 0.0

    @property
    def done(self) -> bool:
        """True when the whole tree has been searched."""
        return int(self._state[PHASE]) == DONE

    @property
    def found(self) -> int:
        """Solutions so far, free variables left aside."""
        return int(self._state[COUNT])

    @property
    def result(self) -> SearchResult:
        """What has been found so far."""
        factor = 1 << len(self.prepared.free)
        nodes, work = int(self._state[NODES]), int(self._state[WORK])
        return SearchResult(self.found * factor, self.done, nodes, work, self.seconds)

    def advance(
        self, max_found: int | None = None, max_nodes: int | None = None, steps: int = _CHUNK
    ) -> None:
        """Go on for some 30 ms, or until a limit (a total) is met."""
        self._run(np.zeros(0, np.int32), np.zeros(0, np.int64), max_found, max_nodes, steps)

    def batch(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> list[NDArray[np.int32]]:
        """Go on for some 30 ms; the solutions found, each as its ascending true variables."""
        out = np.empty(max(_BATCH, self.prepared.items), dtype=np.int32)
        ends = np.empty(_BATCH >> 3, dtype=np.int64)
        self._run(out, ends, max_found, max_nodes, _CHUNK)
        found = ends[: int(self._state[FOUND])].tolist()
        true = self.prepared.order[out[: int(self._state[USED])]]
        return [np.sort(true[a:b]) for a, b in zip([0, *found], found, strict=False)]

    def witnessed(self) -> NDArray[np.bool_]:
        """The variables that were true in a solution (only when looking for supports)."""
        bits = np.unpackbits(self._work.witness.astype("<u8").view(np.uint8), bitorder="little")
        order = self.prepared.order
        held = np.zeros(self.prepared.variables, dtype=bool)
        held[order[order >= 0]] = bits[: len(order)][order >= 0].astype(bool)
        return held

    def _run(
        self,
        out: NDArray[np.int32],
        ends: NDArray[np.int64],
        max_found: int | None,
        max_nodes: int | None,
        steps: int,
    ) -> None:
        begin = time.perf_counter()
        most, nodes = (_MOST if end is None else end for end in (max_found, max_nodes))
        bounds = Bounds(steps, most, nodes, self._supports)
        while True:
            run(self.prepared.tables, self._rows, self._work, self._state, out, ends, bounds)
            if self._state[PHASE] != FULL:
                break
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._work = self._work._replace(tried=np.tile(self._work.tried, 2))
            self._state[PHASE] = ENTER
            if self._state[FOUND]:
                break
        self.seconds += time.perf_counter() - begin


def count(
    prepared: Prepared,
    *,
    node_limit: int | None = None,
    progress: Callable[[SearchResult], None] | None = None,
) -> SearchResult:
    """Count the solutions by visiting them.

    Args:
        prepared: the problem.
        node_limit: stop at so many candidates tried.
        progress: called with the result so far some thirty times a second; may raise to stop.
    """
    search = Search(prepared)
    while not search.done and (node_limit is None or search.result.nodes < node_limit):
        search.advance(None, node_limit)
        if progress is not None:
            progress(search.result)
    return search.result


def solutions(
    prepared: Prepared,
    context: Context = UNLIMITED,
    *,
    limit: int | None = None,
    node_limit: int | None = None,
) -> Iterator[NDArray[np.int32]]:
    """The solutions one by one, each as its ascending true variables.

    Raises:
        LimitReached: ``node_limit`` or the time (which includes what the caller does meanwhile)
            ended the search before its end and before ``limit`` solutions.
    """
    search = Search(prepared)
    given = 0
    while not search.done and (limit is None or given < limit):
        wanted = (
            None if limit is None else search.found + (-(-(limit - given) >> len(prepared.free)))
        )
        for true in search.batch(wanted, node_limit):
            for solution in _with_free(true, prepared.free):
                if limit is not None and given >= limit:
                    return
                yield solution
                given += 1
        if search.done or (limit is not None and given >= limit):
            return
        _check(search.result, node_limit, context)


def where(result: SearchResult) -> str:
    """Where an unfinished search stands."""
    return f"by search after {result.nodes:,} nodes and {number(result.count)} solutions"


def _check(result: SearchResult, node_limit: int | None, context: Context) -> None:
    """Raise when an unfinished search has met a limit."""
    if node_limit is not None and result.nodes >= node_limit:
        raise context.reached(where(result), limit="nodes", trace=result)
    if context.expired:
        raise context.reached(where(result), trace=result)


def _with_free(true: NDArray[np.int32], free: tuple[int, ...]) -> Iterator[NDArray[np.int32]]:
    """A solution with every choice of the free variables, fewest first by binary counting."""
    for pattern in range(1 << len(free)):
        more = [v for i, v in enumerate(free) if pattern >> i & 1]
        yield np.sort(np.append(true, np.array(more, dtype=np.int32))) if more else true


def true_candidates(
    prepared: Prepared, context: Context = UNLIMITED, *, node_limit: int | None = None
) -> NDArray[np.bool_]:
    """The variables that are true in some solution.

    Two searches take turns, with more and more nodes: one visits all solutions, which is best where
    they are few; the other looks for those that hold something new, and refutes what none holds.

    Returns:
        bool, shape (variables,).

    Raises:
        LimitReached: a limit ended the search before every variable had a witness or a refutation.
    """
    every, newer = Search(prepared), Search(prepared, supports=True)
    held = np.zeros(prepared.variables, dtype=bool)
    turn = _TURN if node_limit is None else min(_TURN, node_limit)
    while not (every.done or newer.done):
        if every.found < _FEW:
            for true in every.batch(_FEW, turn):
                held[true] = True
        if not every.done:
            newer.advance(None, turn)
        for search in (every, newer):
            if not (every.done or newer.done):
                _check(search.result, node_limit, context)
        if min(newer.result.nodes, every.result.nodes if every.found < _FEW else turn) >= turn:
            turn = 2 * turn if node_limit is None else min(2 * turn, node_limit)
    if not every.done:
        held |= newer.witnessed()
    if every.found or newer.found:
        held[list(prepared.free)] = True
    return held
