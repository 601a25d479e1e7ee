"""Dancing links: exact covers by search, on flat arrays (the project's independent oracle).

Knuth, TAOCP Vol. 4B, section 7.2.2.1, Algorithm X with primary and secondary items; the iterative
form of it. The search state lives in arrays, so that it can stop between two nodes and go on later:
a generator hands out covers as they are found, and limits and Ctrl-C are seen every few tenths of
a second.

Two inner loops walk through the same tree in the same order: linked lists for any problem
(:mod:`bddsudoku.engine.dlx.dancing_links`), and bit sets that are copied instead of restored
(:mod:`bddsudoku.engine.dlx.dancing_cells`), several times as fast, for all but large and sparse
ones.

Nothing here is shared with the diagram engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.dlx import dancing_cells as dlx_bits
from bddsudoku.engine.dlx import dancing_links as dlx_links
from bddsudoku.engine.dlx.dancing_cells import COUNT, DONE, FOUND, NODES, PHASE, UPDATES, USED
from bddsudoku.engine.dlx.dancing_links import ReducibleCover
from bddsudoku.engine.protocol import ListingEngine, ProbeResult
from bddsudoku.jit.decorators import I32, I64
from bddsudoku.model.constraints import CoverArrays
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import forward_check

_UPDATES_PER_CALL = 30_000_000
"""Nodes and updates between two returns to Python: about 0.2 s."""
_BUFFER_ENTRIES = 1 << 18
"""Option numbers in the buffer through which covers are handed out."""


@dataclass(frozen=True, slots=True)
class DlxResult:
    """What a search has found.

    Attributes:
        count: covers found.
        exact: the search came to its end, so ``count`` is the number of all covers; False when a
            limit ended it first (then there are at least ``count``).
        nodes: options tried (nodes of the search tree without its root).
        updates: removals of an option from the list of an item, as far as they were made: which
            are not needed, at the end of a cover or of a dead branch, depends on the inner loop.
        seconds: wall-clock time of the search, without compiling the model's arrays.
    """

    count: int
    exact: bool
    nodes: int
    updates: int
    seconds: float


class CoverSearch:
    """A search that can be run a piece at a time.

    Args:
        model: a model under ``candidates`` or ``singles`` (or its arrays).
        seed: shuffles the order in which options are tried; None leaves it as given.
        mrv: branch on an item with the fewest options left (the first of them, except that
            items which the last choice left with a single option come before all others);
            otherwise on the first uncovered item, without looking ahead.

    Raises:
        ModelError: the model has variables that a total of 0 forbids (see :meth:`Model.cover`).
    """

    def __init__(
        self, model: Model | CoverArrays, *, seed: int | None = None, mrv: bool = True
    ) -> None:
        arrays = model.cover() if isinstance(model, Model) else model
        self._run: Any
        if dlx_bits.is_faster_on_bits(arrays):
            self._run = dlx_bits.run_on_bits
            self._tables = dlx_bits.search_tables(arrays, seed)
            self._state = dlx_bits.start_state(arrays)
        else:
            self._run = dlx_links.run_on_links
            self._tables = dlx_links.build_links(arrays, seed)
            self._state = dlx_links.start_state()
        self._depth = arrays.primary
        self._mrv = mrv
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
        """What has been found so far."""
        count, nodes, updates = self._state[[COUNT, NODES, UPDATES]].tolist()
        return DlxResult(count, self.done, nodes, updates, self.seconds)

    def advance(self, max_count: int | None = None, max_nodes: int | None = None) -> None:
        """Count on for a few tenths of a second, or until one of the limits (totals) is met."""
        self._advance(np.zeros(0, np.int32), np.zeros(0, np.int64), max_count, max_nodes)

    def next_covers(self, max_count: int | None = None, max_nodes: int | None = None) -> list[I32]:
        """Go on for a few tenths of a second or until the buffer is full; the covers found."""
        out = np.empty(max(_BUFFER_ENTRIES, self._depth), dtype=np.int32)
        ends = np.empty(_BUFFER_ENTRIES >> 2, dtype=np.int64)
        self._advance(out, ends, max_count, max_nodes)
        found = [0, *ends[: int(self._state[FOUND])].tolist()]
        options = out[: int(self._state[USED])]
        lengths = np.diff(found)
        if len(lengths) and (lengths == lengths[0]).all():
            options = np.sort(options.reshape(len(lengths), -1), axis=1).reshape(-1)
        else:
            options = options[np.lexsort((options, np.repeat(np.arange(len(lengths)), lengths)))]
        return [options[begin:end] for begin, end in pairwise(found)]

    def _advance(
        self,
        out: I32,
        ends: I64,
        max_count: int | None,
        max_nodes: int | None,
    ) -> None:
        most = np.iinfo(np.int64).max
        begin = time.perf_counter()
        self._run(
            self._tables, self._state, out, ends, _UPDATES_PER_CALL,
            most if max_count is None else max_count,
            most if max_nodes is None else max_nodes,
            self._mrv,
        )  # fmt: skip
        self.seconds += time.perf_counter() - begin


def count(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    mrv: bool = True,
    limit: int | None = None,
    node_limit: int | None = None,
    context: Context = UNLIMITED,
    progress: Callable[[DlxResult], None] | None = None,
) -> DlxResult:
    """Count the exact covers by visiting every one of them.

    Args:
        model: a model under ``candidates`` or ``singles``, or its arrays.
        seed: shuffles the order of options (the count does not depend on it).
        mrv: see :class:`Search`.
        limit: stop at so many covers.
        node_limit: stop at so many search nodes.
        progress: called with the result so far, every few tenths of a second.

    Returns:
        The result; ``exact`` is False when a limit ended the search.
    """
    search = CoverSearch(model, seed=seed, mrv=mrv)
    while not search.done:
        search.advance(limit, node_limit)
        result = search.result
        if progress is not None:
            progress(result)
        if _reached_limit(result, limit, node_limit, context):
            break
    return search.result


class PreparedCover(ReducibleCover):
    """A model that is asked many questions, each with other options given: prepared once.

    Args:
        model: before anything is given; what a total forbids in it is left out.

    Raises:
        ModelError: it is no exact-cover problem.
    """

    def count(
        self, given: Iterable[int] = (), without: Iterable[int] = (), **options: Any
    ) -> DlxResult:
        """:func:`count` of what is left when some options (by key) hold and others do not."""
        arrays = self.reduce(given, without)
        if arrays is None:
            return DlxResult(0, True, 0, 0, 0.0)
        return count(arrays, **options)


def covers(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    mrv: bool = True,
    limit: int | None = None,
    node_limit: int | None = None,
    context: Context = UNLIMITED,
) -> Iterator[I32]:
    """The exact covers as they are found, each as its ascending option numbers.

    An option number is a position in :attr:`Model.variables`; what :attr:`Model.fixed` holds is
    part of every solution and not repeated here. The time includes what the caller does meanwhile.

    Raises:
        LimitReached: ``node_limit`` or the time ended the search before its end and before
            ``limit`` covers; what was found has been handed out by then.
    """
    search = CoverSearch(model, seed=seed, mrv=mrv)
    while not search.done:
        yield from search.next_covers(limit, node_limit)
        met = _reached_limit(search.result, limit, node_limit, context)
        if met == "covers":
            return
        if met:
            raise context.limit_error(_progress_text(search.result), limit=met, trace=search.result)


def first(model: Model | CoverArrays, **options: Any) -> I32 | None:
    """One exact cover, or None when there is none; otherwise as :func:`covers`."""
    return next(covers(model, limit=1, **options), None)


def _progress_text(result: DlxResult) -> str:
    """Where an unfinished search stands."""
    return f"by dancing links after {result.nodes:,} nodes and {result.count:,} covers"


def _reached_limit(
    result: DlxResult, limit: int | None, node_limit: int | None, context: Context
) -> str | None:
    """Which limit an unfinished search has met, if any."""
    if result.exact:
        return None
    if limit is not None and result.count >= limit:
        return "covers"
    if node_limit is not None and result.nodes >= node_limit:
        return "nodes"
    return "time" if context.is_expired else None


PROBE_NODES = 200_000
"""Search nodes of a trial (some 0.1 s)."""
_STEPS_PER_NODE = 50
"""Steps of a node (:attr:`bddsudoku.context.Context.work`); an update takes one."""


class DlxEngine(ListingEngine):
    """Dancing links as an engine of the protocol."""

    name: ClassVar[str] = "dlx"

    def refuses(self, model: Model) -> str | None:
        """What is no exact-cover problem."""
        return model.why_no_cover

    def count(self, model: Model, context: Context) -> int:
        """By visiting every cover."""

        def report(so_far: DlxResult) -> None:
            if not so_far.exact:
                context.check(
                    _progress_text(so_far), work=_STEPS_PER_NODE * so_far.nodes + so_far.updates
                )
            if context.progress is not None:
                context.progress(so_far.nodes, 2 * so_far.nodes)

        result = count(forward_check(model), context=context, progress=report)
        if not result.exact:
            raise context.limit_error(_progress_text(result), trace=result)
        return result.count

    def probe(self, model: Model, context: Context) -> ProbeResult | None:
        """Searches that end at all, with few covers, end early."""
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
        """In the order of the search."""
        model = forward_check(model)
        keys = np.array([v.key for v in model.variables], dtype=np.int64)
        fixed = np.array([v.key for v in model.fixed], dtype=np.int64)
        found = covers(model, limit=limit, seed=seed, node_limit=node_limit, context=context)
        for cover in found:
            yield np.sort(np.concatenate((keys[cover], fixed)))
