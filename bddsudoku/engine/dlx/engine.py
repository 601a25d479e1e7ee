"""The engine ``dlx``: exact cover search, an independent check of the diagram engines.

It is Algorithm X of Knuth, TAOCP Vol. 4B, section 7.2.2.1, with primary and secondary items, in
iterative form. The search state is kept in arrays, so that a search can pause between two nodes and
continue later: covers are yielded as they are found, and limits and Ctrl-C take effect every few
tenths of a second. The inner loop is :mod:`bddsudoku.engine.dlx.dancing_cells`.

It shares no code with the diagram engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.dlx.dancing_cells import (
    COUNT,
    DONE,
    FOUND,
    NODES,
    PHASE,
    UPDATES,
    USED,
    search_on_bit_sets,
    search_tables,
    start_state,
    why_too_large,
)
from bddsudoku.engine.protocol import ListingEngine, ProbeResult
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I32, I64
from bddsudoku.model.allocation import forward_check
from bddsudoku.model.constraints import CoverArrays
from bddsudoku.model.model import Model

_UPDATES_PER_CALL = 30_000_000
"""Nodes and updates per call of the kernel: about 0.2 s."""
_BUFFER_ENTRIES = 1 << 18
"""Option numbers in the buffer that returns covers from the kernel."""


@dataclass(frozen=True, slots=True)
class DlxResult:
    """Result of an exact cover search, complete or not.

    Attributes:
        count: number of covers found.
        exact: the search is complete, so ``count`` is the number of all covers; False when a limit
            ended it first (then there are at least ``count``).
        nodes: options tried (nodes of the search tree without its root).
        updates: removals of an option from the list of an item. Some removals at the end of a
            cover or of a dead branch are skipped.
        seconds: wall-clock time of the search, without compiling the model's arrays.
    """

    count: int
    exact: bool
    nodes: int
    updates: int
    seconds: float


class CoverSearch:
    """A resumable exact cover search, which branches on an item with the fewest options left.

    It is the first of them, except that items for which the last choice left a single option come
    before all others.

    Args:
        model: a model after forward checking or unit propagation (or its arrays).
        seed: shuffles the order in which options are tried; None keeps it.

    Raises:
        ModelError: the model has variables that a total of 0 forbids (see :meth:`Model.cover`), or
            too many options.
    """

    def __init__(self, model: Model | CoverArrays, *, seed: int | None = None) -> None:
        arrays = model.cover() if isinstance(model, Model) else model
        if reason := why_too_large(arrays.options, arrays.primary):
            raise ModelError(reason)
        self._tables = search_tables(arrays, seed)
        self._state = start_state(arrays)
        self._depth = arrays.primary
        size = np.bincount(arrays.indices, minlength=arrays.items)
        if bool((size[: arrays.primary] == 0).any()):
            self._state[PHASE] = DONE  # an item that no option covers
        self.seconds = 0.0

    @property
    def done(self) -> bool:
        """True when the whole tree has been searched."""
        return int(self._state[PHASE]) == DONE

    @property
    def result(self) -> DlxResult:
        """The numbers of covers, nodes and updates so far."""
        count, nodes, updates = self._state[[COUNT, NODES, UPDATES]].tolist()
        return DlxResult(count, self.done, nodes, updates, self.seconds)

    def advance(self, max_count: int | None = None, max_nodes: int | None = None) -> None:
        """Continue counting for a few tenths of a second, or up to a limit of covers or nodes."""
        self._run_kernel(np.zeros(0, np.int32), np.zeros(0, np.int64), max_count, max_nodes)

    def next_covers(self, max_count: int | None = None, max_nodes: int | None = None) -> list[I32]:
        """Return further covers until some tenths of a second have passed or a buffer is full."""
        out = np.empty(max(_BUFFER_ENTRIES, self._depth), dtype=np.int32)
        ends = np.empty(_BUFFER_ENTRIES >> 2, dtype=np.int64)
        self._run_kernel(out, ends, max_count, max_nodes)
        found = [0, *ends[: int(self._state[FOUND])].tolist()]
        options = out[: int(self._state[USED])]
        lengths = np.diff(found)
        if len(lengths) and (lengths == lengths[0]).all():
            options = np.sort(options.reshape(len(lengths), -1), axis=1).reshape(-1)
        else:
            options = options[np.lexsort((options, np.repeat(np.arange(len(lengths)), lengths)))]
        return [options[begin:end] for begin, end in pairwise(found)]

    def _run_kernel(
        self, out: I32, ends: I64, max_count: int | None, max_nodes: int | None
    ) -> None:
        """Call the search kernel once, and add its time to the search's seconds."""
        most = np.iinfo(np.int64).max
        begin = time.perf_counter()
        search_on_bit_sets(
            self._tables, self._state, out, ends, _UPDATES_PER_CALL,
            most if max_count is None else max_count,
            most if max_nodes is None else max_nodes,
        )  # fmt: skip
        self.seconds += time.perf_counter() - begin


def count(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    limit: int | None = None,
    node_limit: int | None = None,
    context: Context = UNLIMITED,
    progress: Callable[[DlxResult], None] | None = None,
) -> DlxResult:
    """Count the exact covers by visiting every one of them.

    Args:
        model: a model after forward checking or unit propagation, or its arrays.
        seed: shuffles the order of options (the count does not depend on it).
        limit: stop at this number of covers.
        node_limit: stop at this number of search nodes.
        context: the time limit.
        progress: called with the result so far, every few tenths of a second.

    Returns:
        The result; ``exact`` is False when a limit ended the search.
    """
    search = CoverSearch(model, seed=seed)
    while not search.done:
        search.advance(limit, node_limit)
        result = search.result
        if progress is not None:
            progress(result)
        if _reached_limit_name(result, limit, node_limit, context):
            break
    return search.result


def covers(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    limit: int | None = None,
    node_limit: int | None = None,
    context: Context = UNLIMITED,
) -> Iterator[I32]:
    """Yield the exact covers as they are found, each as its ascending option numbers.

    An option number is a position in :attr:`Model.variables`; the variables in :attr:`Model.fixed`
    are in every solution and not repeated here. The time includes the caller's between covers.

    Raises:
        LimitReached: ``node_limit`` or the time limit was reached before the end of the search and
            before ``limit`` covers; all covers found by then have been yielded.
    """
    search = CoverSearch(model, seed=seed)
    while not search.done:
        yield from search.next_covers(limit, node_limit)
        met = _reached_limit_name(search.result, limit, node_limit, context)
        if met == "covers":
            return
        if met:
            raise context.limit_error(_progress_text(search.result), limit=met, trace=search.result)


def _progress_text(result: DlxResult) -> str:
    """Progress of an unfinished search, for an error message."""
    return f"by dancing links after {result.nodes:,} nodes and {result.count:,} covers"


def _reached_limit_name(
    result: DlxResult, limit: int | None, node_limit: int | None, context: Context
) -> str | None:
    """The name of the limit that an unfinished search has reached, if any."""
    if result.exact:
        return None
    if limit is not None and result.count >= limit:
        return "covers"
    if node_limit is not None and result.nodes >= node_limit:
        return "nodes"
    if context.work is not None and _steps(result) >= context.work:
        return "work"
    return "time" if context.is_expired else None


def _steps(result: DlxResult) -> int:
    """The cost of a search in steps (:attr:`bddsudoku.context.Context.work`)."""
    return _STEPS_PER_NODE * result.nodes + result.updates


PROBE_NODES = 200_000
"""Search nodes of a probe (some 0.1 s)."""
_STEPS_PER_NODE = 50
"""Cost of a node in steps; an update costs one."""


class DlxEngine(ListingEngine):
    """The engine ``dlx``: dancing cells, for exact-cover problems."""

    name: ClassVar[str] = "dlx"

    def refuses(self, model: Model) -> str | None:
        """Refuse models that are no exact-cover problems, or very large ones."""
        return model.why_no_cover or why_too_large(len(model.variables), len(model.one_hots))

    def count(self, model: Model, context: Context) -> int:
        """Count the exact covers by visiting each of them."""

        def report(so_far: DlxResult) -> None:
            context.report_progress(so_far.nodes, 2 * so_far.nodes)

        result = count(forward_check(model), context=context, progress=report)
        if met := _reached_limit_name(result, None, None, context):
            raise context.limit_error(_progress_text(result), limit=met, trace=result)
        return result.count

    def probe(self, model: Model, context: Context) -> ProbeResult | None:
        """Count the covers if :data:`PROBE_NODES` nodes of search suffice; None if they do not."""
        result = count(
            forward_check(model), node_limit=PROBE_NODES, context=context.without_progress
        )
        if not result.exact:
            context.check()
            return None
        return ProbeResult(result.count, f"the search ended after {result.nodes:,} nodes")

    def solutions(
        self,
        model: Model,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        seed: int | None = None,
    ) -> Iterator[I64]:
        """The solutions in the order of the search, each as ascending keys."""
        model = forward_check(model)
        keys = np.array([v.key for v in model.variables], dtype=np.int64)
        fixed = np.array([v.key for v in model.fixed], dtype=np.int64)
        found = covers(model, limit=limit, seed=seed, node_limit=node_limit, context=context)
        for cover in found:
            yield np.sort(np.concatenate((keys[cover], fixed)))
