"""The engine ``dlx``: exact cover search, an independent check of the diagram engines.

It is Algorithm X of Knuth, TAOCP Vol. 4B, section 7.2.2.1, with primary and secondary items, in
iterative form, by *dancing cells* on bit sets. The options still alive are one bit set; the items
are one row of counters. Choosing an option removes the options that conflict with it from the set,
and every option removed lowers the counters of its items. Nothing is restored: a branching keeps
its row, and all its options but the last work on a copy of it; the last one, and an option without
alternative, work on the row in place.

The least counter lowered by a choice tells whether the branch is dead (then nothing more is
lowered) or which item is forced, without a scan; scans read a row of words in sequence.

It searches the tree of dancing links on linked lists, but is two to four times as fast as long as a
row costs little to copy, which is so for all but very large and sparse problems.

The search state is kept in arrays, so that a search can pause between two nodes and continue later:
covers are yielded as they are found, and limits and Ctrl-C take effect every few tenths of a
second. It shares no code with the diagram engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from bddsudoku.context import UNLIMITED, Context
from bddsudoku.engine.protocol import Search, SearchingEngine
from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel
from bddsudoku.jit.decorators import I32, I64, lowest_bit_index
from bddsudoku.model.allocation import forward_check
from bddsudoku.model.constraints import CoverArrays
from bddsudoku.model.model import Model

ENTER, LEAVE, DONE = 0, 1, 2
"""Phases of the search: go down from a new node; come back from a finished one; complete."""

# Fields of the search state, an int64 array: options chosen, phase, covers, nodes and updates so
# far; option numbers and covers written by the last call; open branchings, uncovered items, and
# least counter.
LEVEL, PHASE, COUNT, NODES, UPDATES, USED, FOUND = range(7)
BRANCHES, ACTIVE, LOW, FIELDS = range(7, 11)

NONE = np.uint32((1 << 32) - 1)
"""No item."""

# A counter: bit 31 for an item that is covered, its alive options in bits 16 … 30, its number
# below; the least counter is that of the first uncovered item with the fewest options.
COVERED = np.uint32(1 << 31)
TWO = np.uint32(2 << 16)
ONE = np.uint32(1 << 16)
NUMBER = np.uint32((1 << 16) - 1)

# Columns of the table of branchings: the range of ``pending`` to be tried, and the saved state.
NEXT, END, DEPTH, OPEN, COLUMNS = range(5)

# uint64 throughout, so that numba emits no code for negative indices.
U0, U1, WORD = np.uint64(0), np.uint64(1), np.uint64(64)


@kernel
def search_on_bit_sets(tables, state, out, ends, chunk, max_count, max_nodes):  # type: ignore[no-untyped-def]
    """Continue a search on bit sets until its end, a limit, a full buffer, or ``chunk`` steps.

    Args:
        tables: see :func:`search_tables`.
        state: the search state, updated in place.
        out: int32; options of the covers found, one cover after the other.
        ends: int64; where each cover ends in ``out``; if empty, none are written.
        chunk: nodes and updates before the next return.
        max_count: total of covers at which to stop.
        max_nodes: total of nodes at which to stop.
    """
    (
        conflict, member, begin, items, others, option, alive, counters, branchings,
        pending, choice,
    ) = tables  # fmt: skip
    depth = np.uint64(state[LEVEL])
    phase = state[PHASE]
    count = state[COUNT]
    nodes = state[NODES]
    updates = state[UPDATES]
    branches = np.uint64(state[BRANCHES])
    active = state[ACTIVE]
    low = np.uint32(state[LOW])
    words = np.uint64(alive.shape[1])
    primary = np.uint64(counters.shape[1])
    x = U0
    used = 0
    found = 0
    record = len(ends) > 0
    stop = nodes + updates + chunk
    while phase != DONE and nodes + updates < stop and nodes < max_nodes and count < max_count:
        live = alive[branches]
        size = counters[branches]
        if phase == ENTER:
            if active == 0:
                if record:
                    if found == len(ends) or used + np.int64(depth) > len(out):
                        break
                    for k in range(depth):
                        out[used] = option[choice[k]]
                        used += 1
                    ends[found] = used
                    found += 1
                count += 1
                phase = LEAVE
                continue
            if low >= TWO:
                for i in range(primary):
                    low = min(low, size[i])
            if low < ONE:
                phase = LEAVE
                continue
            mine = member[np.uint64(low & NUMBER)]
            if low < TWO:
                for w in range(words):
                    t = live[w] & mine[w]
                    if t != U0:
                        live[w] ^= t
                        x = w * WORD + lowest_bit_index(t)
                        break
                updates += np.int64(others[x])
            else:
                # Remove this item's options from the others' counters: they exclude each other.
                top = np.uint64(branchings[branches - U1, END]) if branches != U0 else U0
                branchings[branches, NEXT] = top
                for w in range(words):
                    t = live[w] & mine[w]
                    live[w] ^= t
                    while t != U0:
                        p = w * WORD + lowest_bit_index(t)
                        t &= t - U1
                        pending[top] = p
                        top += U1
                        for k in range(np.uint64(begin[p]), np.uint64(begin[p + U1])):
                            size[items[k]] -= ONE
                        updates += np.int64(others[p])
                branchings[branches, END] = top
                branchings[branches, DEPTH] = depth
                branchings[branches, OPEN] = active
                branches += U1
                phase = LEAVE
                continue
        else:
            if branches == U0:
                phase = DONE
                break
            last = branches - U1
            tried_option = np.uint64(branchings[last, NEXT])
            x = np.uint64(pending[tried_option])
            depth = np.uint64(branchings[last, DEPTH])
            active = branchings[last, OPEN]
            tried_option += U1
            branchings[last, NEXT] = tried_option
            if tried_option == np.uint64(branchings[last, END]):
                branches = last
                live = alive[last]
                size = counters[last]
            else:
                for w in range(words):
                    live[w] = alive[last, w]
                for i in range(primary):
                    size[i] = counters[last, i]
            phase = ENTER
        nodes += 1
        choice[depth] = x
        depth += U1
        for k in range(np.uint64(begin[x]), np.uint64(begin[x + U1])):
            size[items[k]] |= COVERED
        active -= np.int64(begin[x + U1] - begin[x])
        low = NONE
        lost = conflict[x]
        for w in range(words):
            t = live[w] & lost[w]
            live[w] ^= t
            while t != U0:
                p = w * WORD + lowest_bit_index(t)
                t &= t - U1
                for k in range(np.uint64(begin[p]), np.uint64(begin[p + U1])):
                    s = size[items[k]] - ONE
                    size[items[k]] = s
                    low = min(low, s)
                updates += np.int64(others[p])
                if low < ONE:
                    break
            if low < ONE:
                phase = LEAVE
                break
    state[LEVEL] = depth
    state[PHASE] = phase
    state[COUNT] = count
    state[NODES] = nodes
    state[UPDATES] = updates
    state[USED] = used
    state[FOUND] = found
    state[BRANCHES] = branches
    state[ACTIVE] = active
    state[LOW] = low


_MAX_OPTIONS = 1 << 14
"""Greatest number of options; their table of conflicts then takes 32 MB."""


def why_too_large(options: int, items: int) -> str | None:
    """Why a problem of so many options and items is too large for this search, if it is."""
    if options > _MAX_OPTIONS:
        return f"{options:,} options; dancing cells take at most {_MAX_OPTIONS:,}"
    return f"{items:,} items; dancing cells take at most {NUMBER:,}" if items > NUMBER else None


def search_tables(arrays: CoverArrays, seed: int | None) -> tuple[Any, ...]:
    """Make the constant tables and the workspace of :func:`search_on_bit_sets`.

    Returns:
        ``conflict`` (options x words: the option and those that it excludes), ``member`` (items x
        words: the options of an item), ``begin`` and ``items`` (the primary items of option ``o``
        are ``items[begin[o]:begin[o + 1]]``), ``others`` (number of its items minus 1), ``option``
        (its number in the model); then, for every branching that can be open at a time, rows of
        ``alive`` and ``counters`` and of ``branchings``; the stacks ``pending`` and ``choice``.
        Options are numbered in the order in which they are tried.
    """
    options = arrays.options
    order = np.arange(options) if seed is None else np.random.default_rng(seed).permutation(options)
    span = np.diff(arrays.indptr)[order]
    start = np.cumsum(span) - span
    place = np.repeat(np.arange(options), span)  # of every entry, in order of trial
    item = arrays.indices[arrays.indptr[order][place] + np.arange(len(place)) - start[place]]
    words = -(-options // 64)
    has = np.zeros((arrays.items, 64 * words), dtype=bool)
    has[item, place] = True
    member = np.packbits(has, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    conflict = np.zeros((options, words), dtype=np.uint64)
    for k in range(int(span.max(initial=0))):
        longer = np.flatnonzero(span > k)
        conflict[longer] |= member[item[start[longer] + k]]

    first = item < arrays.primary
    begin = np.zeros(options + 1, dtype=np.uint32)
    np.cumsum(np.bincount(place[first], minlength=options), out=begin[1:])
    # A branching hides two options or more, and covers an item.
    levels = 2 + min(arrays.primary, options // 2)
    alive = np.empty((levels, words), dtype=np.uint64)
    alive[0] = np.bitwise_or.reduce(member[: arrays.primary], axis=0)
    counters = np.empty((levels, arrays.primary), dtype=np.uint32)
    counters[0] = np.bincount(item[first], minlength=arrays.primary) * int(ONE)
    counters[0] += np.arange(arrays.primary, dtype=np.uint32)
    return (
        conflict, member, begin, item[first].astype(np.uint32),
        np.maximum(span - 1, 0).astype(np.uint32), order.astype(np.int32),
        alive, counters,
        np.zeros((levels, COLUMNS), dtype=np.int64), np.zeros(options, dtype=np.uint32),
        np.zeros(arrays.primary + 1, dtype=np.uint32),
    )  # fmt: skip


def start_state(arrays: CoverArrays) -> I64:
    """Make the search state of a new search on bit sets."""
    state = np.zeros(FIELDS, dtype=np.int64)
    state[ACTIVE] = arrays.primary
    state[LOW] = NONE
    return state


_UPDATES_PER_CALL = 30_000_000
"""Nodes and updates per call of the kernel: about 0.2 s."""
_BUFFER_ENTRIES = 1 << 18
"""Option numbers in the buffer that returns covers from the kernel."""
_STEPS_PER_NODE = 50
"""Cost of a node in steps; an update costs one."""


class CoverSearch(Search):
    """A resumable exact cover search, which branches on an item with the fewest options left.

    It is the first of them, except that items for which the last choice left a single option come
    before all others. Nodes are options tried. A cover is given by the keys of its options and of
    the model's fixed variables; of arrays without a model, by the numbers of its options.

    Args:
        problem: a model after forward checking or unit propagation, or arrays.
        seed: shuffles the order in which options are tried; None keeps it.

    Raises:
        ModelError: the model has variables that a total of 0 forbids (see :meth:`Model.cover`), or
            too many options.
    """

    method = "dancing links"
    unit = "covers"

    def __init__(self, problem: Model | CoverArrays, *, seed: int | None = None) -> None:
        if isinstance(problem, Model):
            arrays = problem.cover()
            self._keys = np.array([v.key for v in problem.variables], dtype=np.int64)
            self._fixed = np.array([v.key for v in problem.fixed], dtype=np.int64)
        else:
            arrays = problem
            self._keys, self._fixed = np.arange(arrays.options), np.zeros(0, dtype=np.int64)
        if reason := why_too_large(arrays.options, arrays.primary):
            raise ModelError(reason)
        self._tables = search_tables(arrays, seed)
        self._state = start_state(arrays)
        self._depth = arrays.primary
        size = np.bincount(arrays.indices, minlength=arrays.items)
        if bool((size[: arrays.primary] == 0).any()):
            self._state[PHASE] = DONE  # an item that no option covers

    @property
    def done(self) -> bool:
        """Whether the whole tree has been searched."""
        return int(self._state[PHASE]) == DONE

    @property
    def count(self) -> int:
        """Number of covers so far."""
        return int(self._state[COUNT])

    @property
    def nodes(self) -> int:
        """Number of options tried so far."""
        return int(self._state[NODES])

    @property
    def updates(self) -> int:
        """Removals of an option from the list of an item.

        Some removals at the end of a cover or of a dead branch are skipped.
        """
        return int(self._state[UPDATES])

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return _STEPS_PER_NODE * self.nodes + self.updates

    def advance(self, max_found: int | None = None, max_nodes: int | None = None) -> None:
        """Go on for some tenths of a second, or until a total of covers or nodes is reached."""
        self._run_kernel(np.zeros(0, np.int32), np.zeros(0, np.int64), max_found, max_nodes)

    def next_solutions(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> Iterator[I64]:
        """Go on like :meth:`advance`; yield each cover."""
        out = np.empty(max(_BUFFER_ENTRIES, self._depth), dtype=np.int32)
        ends = np.empty(_BUFFER_ENTRIES >> 2, dtype=np.int64)
        self._run_kernel(out, ends, max_found, max_nodes)
        for begin, end in pairwise((0, *ends[: int(self._state[FOUND])].tolist())):
            yield np.sort(np.concatenate((self._keys[out[begin:end]], self._fixed)))

    def _run_kernel(
        self, out: I32, ends: I64, max_found: int | None, max_nodes: int | None
    ) -> None:
        most = np.iinfo(np.int64).max
        search_on_bit_sets(
            self._tables, self._state, out, ends, _UPDATES_PER_CALL,
            most if max_found is None else max_found,
            most if max_nodes is None else max_nodes,
        )  # fmt: skip


def count(
    problem: Model | CoverArrays,
    *,
    seed: int | None = None,
    limit: int | None = None,
    node_limit: int | None = None,
) -> CoverSearch:
    """Count the exact covers by visiting every one of them, or until a limit of covers or nodes.

    Arguments are those of :class:`CoverSearch`. Returns the search; it is ``done`` unless a limit
    ended it.
    """
    search = CoverSearch(problem, seed=seed)
    while not search.done and search.count != limit and search.nodes != node_limit:
        search.advance(limit, node_limit)
    return search


def covers(
    model: Model | CoverArrays,
    *,
    seed: int | None = None,
    limit: int | None = None,
    node_limit: int | None = None,
    context: Context = UNLIMITED,
) -> Iterator[I64]:
    """Yield the exact covers as they are found, each as its ascending option numbers.

    An option number is a position in :attr:`Model.variables`; the variables in :attr:`Model.fixed`
    are in every solution and not repeated here. The time includes the caller's between covers.

    Raises:
        LimitReached: ``node_limit`` or the time limit was reached before the end of the search and
            before ``limit`` covers; all covers found by then have been yielded.
    """
    arrays = model.cover() if isinstance(model, Model) else model
    search = CoverSearch(arrays, seed=seed)
    return search.solutions(context, limit=limit, node_limit=node_limit)


class DlxEngine(SearchingEngine):
    """The engine ``dlx``: dancing cells, for exact-cover problems."""

    name: ClassVar[str] = "dlx"
    probe_nodes = 200_000

    def refuses(self, model: Model) -> str | None:
        """Refuse models that are no exact-cover problems, or very large ones."""
        return model.why_no_cover or why_too_large(len(model.variables), len(model.one_hots))

    def start(self, model: Model, context: Context, seed: int | None = None) -> CoverSearch:
        """Start a search for the solutions of a model."""
        return CoverSearch(forward_check(model), seed=seed)
