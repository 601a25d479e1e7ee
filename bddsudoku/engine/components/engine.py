"""The components engine: component caching search that counts or compiles to decision-DNNF.

It takes models of one-hot constraints only. A long search is split by its first choices into parts
that run in parallel and are joined afterwards. Each part has a cache of its own, so that neither
the result nor its cost in steps depends on the number of threads. Parts have few components in
common where a search is long enough to be split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.diagrams.dnnf import DecisionDnnf, DnnfCounts
from bddsudoku.engine.components.kernel import (
    BRANCHES,
    BUSY,
    CHILDREN,
    DEPTH,
    DONE,
    END,
    ENTRIES,
    FIELDS,
    FULL,
    KEYS,
    LITERALS,
    NEXT,
    NODES,
    ONES,
    OPEN_BRANCHES,
    OPEN_CHILDREN,
    OPEN_LITERALS,
    PARTS,
    PHASE,
    TOP,
    TRIED,
    TWOS,
    WORK,
    ComponentCache,
    ComponentState,
    DnnfArrays,
    rebuild_cache,
    run_component_search,
    start_search,
)
from bddsudoku.engine.components.problem import ComponentProblem, prepare_component_search
from bddsudoku.engine.protocol import SetEngine
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I32, AnyArray
from bddsudoku.model.allocation import forward_check, forward_checked_variables
from bddsudoku.model.model import Model
from bddsudoku.sets.decoder import GridDecoder
from bddsudoku.sets.gridset import DnnfGridSet
from bddsudoku.work.resources import CheckPoint, available_threads, run_slices

if TYPE_CHECKING:
    from bddsudoku.sets.decoder import Decoder

_STEPS_PER_CALL = 20_000_000
"""Steps per call of the kernel: some 20 ms."""
_FIRST_CAPACITY = 1 << 12
"""Initial capacity of the growing arrays."""

T = TypeVar("T", ComponentState, DnnfArrays, ComponentCache)


class ComponentSearch:
    """A resumable component caching search; its arrays grow as needed.

    Args:
        prepared: the problem.
        literals: whether to record which candidates are true; a count needs none.
    """

    def __init__(self, prepared: ComponentProblem, *, literals: bool) -> None:
        self._tables = prepared.tables
        self._literals = literals
        n, items, words = prepared.candidates, len(prepared.left), len(prepared.live)
        left, live = prepared.left.copy(), prepared.live.copy()
        for u in prepared.unconstrained:
            live[u >> 6] &= ~(np.uint64(1) << np.uint64(u & 63))  # counted by doubling
        head = np.zeros(FIELDS, np.uint64)
        ones, twos = np.zeros((2, items + 1), np.uint64)
        self._first = [np.flatnonzero(left == size) for size in (1, 2)]
        self._possible = prepared.possible
        self._roots: list[int] = []
        head[NODES] = 1
        head[PHASE] = DONE
        rows = PARTS * n + 2
        self._state = ComponentState(
            head, live, left, np.ones(items), np.zeros(n + 1, np.uint64), ones, twos,
            np.zeros((items + 2, DEPTH), np.uint64), np.zeros((rows, words), np.uint64),
            np.zeros(rows, np.uint64), np.zeros(words, np.uint64), np.zeros(words, np.uint64),
            np.zeros((_FIRST_CAPACITY, 2), np.uint64), np.zeros(_FIRST_CAPACITY, np.uint64),
            np.zeros(_FIRST_CAPACITY + 2 * n, np.uint64),
        )  # fmt: skip
        deep = items + 4
        hashes, at, low, high, node = np.zeros((5, _FIRST_CAPACITY + deep), np.uint64)
        key = np.zeros((_FIRST_CAPACITY + deep) * max(words, 1), np.uint64)
        slots = np.full(4 * _FIRST_CAPACITY, -1, np.int32)
        self._cache = ComponentCache(slots, hashes, at, low, high, node, key)
        branch_at, child_at, literal_at = np.zeros((3, _FIRST_CAPACITY), np.int64)
        child, literal = np.zeros((2, _FIRST_CAPACITY + 4 * n), np.int32)
        self._dnnf = DnnfArrays(branch_at, child_at, literal_at, child, literal)

    def start(self, chosen: Sequence[int] = ()) -> None:
        """Start a search for solutions that contain all candidates ``chosen``; keep the cache."""
        s = self._state
        for queue, field, found in zip((s.ones, s.twos), (ONES, TWOS), self._first, strict=True):
            queue[: len(found)] = found
            s.head[field] = len(found)
        held = np.array(chosen, np.uint64)
        going = self._possible and start_search(self._tables, s, held)
        s.head[PHASE] = BUSY if going else DONE

    def branching_candidates(self) -> list[int]:
        """Return the undecided candidates of the first branching, in the largest component.

        To be called after :meth:`start`; empty when propagation has solved everything.
        """
        s, t = self._state, self._tables
        first, end = s.frames[0, [NEXT, END]].tolist()
        if self.done or first == end:
            return []
        size = [int.from_bytes(bits.tobytes()).bit_count() for bits in s.parts[first:end]]
        row = first + size.index(max(size))
        item = int(s.best[row])
        members = t.member[t.member_at[item] : t.member_at[item + 1]].tolist()
        return [u for u in members if int(s.parts[row, u >> 6]) >> (u & 63) & 1]

    @property
    def done(self) -> bool:
        """True when the whole tree has been searched."""
        return self._counter(PHASE) == DONE

    @property
    def step_count(self) -> int:
        """Number of steps that the kernel has done so far."""
        return self._counter(WORK)

    @property
    def tried_count(self) -> int:
        """Number of candidates on which the search has branched so far."""
        return self._counter(TRIED)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays in bytes."""
        return sum(a.nbytes for a in (*self._state, *self._cache, *self._dnnf))

    def _counter(self, field: int) -> int:
        """The value of one of the counters at the head of the search state."""
        return int(self._state.head[field])

    def advance(self) -> None:
        """Continue the search for some 20 ms, or to its end."""
        end = self.step_count + _STEPS_PER_CALL
        while self._counter(PHASE) != DONE and self.step_count < end:
            left = end - self.step_count
            run_component_search(
                self._tables, self._state, self._cache, self._dnnf, left, self._literals
            )
            if self._counter(PHASE) == FULL:
                self._enlarge_arrays()
                self._state.head[PHASE] = BUSY
            if self.done and self._counter(TOP):
                self._roots.append(self._counter(TOP))

    @property
    def diagram_arrays(self) -> tuple[DnnfArrays, list[int]]:
        """The decision-DNNF built so far, and the roots of the searches that found solutions."""
        nodes, branches = self._counter(NODES), self._counter(BRANCHES)
        made = self._dnnf
        whole = DnnfArrays(
            made.branch_at[: nodes + 1],
            made.child_at[: branches + 1],
            made.literal_at[: branches + 1],
            made.child[: self._counter(CHILDREN)],
            made.literal[: self._counter(LITERALS)],
        )
        return whole, self._roots

    def _enlarge_arrays(self) -> None:
        """Double every array that is at least half full; enlarge the hash table if necessary."""
        s, m = self._state, self._cache
        branches, children, literals = (
            self._counter(field) for field in (OPEN_BRANCHES, OPEN_CHILDREN, OPEN_LITERALS)
        )
        self._state = _double_half_full_arrays(
            s,
            open_branch=branches + 2,
            open_child=children + 2,
            open_literal=literals + len(s.trail),
        )
        done = self._counter(BRANCHES) + branches + 2
        self._dnnf = _double_half_full_arrays(
            self._dnnf,
            branch_at=self._counter(NODES) + 2,
            child_at=done,
            literal_at=done,
            child=self._counter(CHILDREN) + children + 2,
            literal=self._counter(LITERALS) + literals + len(s.trail),
        )
        entries, deep = self._counter(ENTRIES), len(s.frames) + 2
        lists = dict.fromkeys(("hashes", "at", "low", "high", "node"), entries + deep)
        m = _double_half_full_arrays(m, **lists, key=self._counter(KEYS) + deep * len(s.live))
        if 2 * len(m.at) > len(m.slots):
            slots = np.full(4 * len(m.slots), -1, np.int32)
            rebuild_cache(slots, m.hashes, entries)
            m = m._replace(slots=slots)
        self._cache = m


def _double_half_full_arrays(arrays: T, **used: int) -> T:
    """Return a NamedTuple in which every array that was at least half full is twice as long.

    Args:
        arrays: a NamedTuple of arrays.
        used: lengths in use, by field.
    """
    longer: dict[str, AnyArray] = {}
    for name, length in used.items():
        array: AnyArray = getattr(arrays, name)
        if 2 * length >= len(array):
            longer[name] = np.concatenate([array, np.zeros_like(array)])
    return arrays._replace(**longer)


_UNSPLIT_CANDIDATES = 100_000
"""Candidates tried before the search is split: some 0.4 s."""
_MIN_PARTS = 64
"""A search is split into at least this many parts if possible, since their sizes differ much."""
_ZERO = np.zeros(1, np.int64)


def compile_dnnf(
    prepared: ComponentProblem,
    context: Context,
    *,
    literals: bool = True,
    threads: int | None = None,
    max_unsplit_tries: int = _UNSPLIT_CANDIDATES,
) -> DecisionDnnf:
    """Compile the solutions of a problem to a decision-DNNF over its candidates.

    Args:
        prepared: the problem.
        context: limits of time, steps and memory, and the receiver of progress.
        literals: False omits the true candidates, for a count.
        threads: by default one for every core; the result does not depend on it.
        max_unsplit_tries: candidates tried by one thread before the search is split.

    Raises:
        LimitReached: a limit ended the search.
    """
    threads = available_threads() if threads is None else threads
    first = ComponentSearch(prepared, literals=literals)
    found: dict[int, tuple[DnnfArrays, list[int]]] = {}
    tried, work, made, most = [0], [0], [0], [0]  # of each part, and of the search before them

    def pause() -> None:
        where = f"by components after {sum(tried):,} candidates tried"
        context.check(where, work=sum(work))
        # As if every thread had the largest part, so that it does not depend on timing.
        if context.max_memory is not None and sum(made) + threads * max(most) > context.max_memory:
            raise context.limit_error(where, limit="memory")

    def advance(tree: ComponentSearch, part: int) -> None:
        tree.advance()
        tried[part], work[part], most[part] = tree.tried_count, tree.step_count, tree.nbytes

    first.start()
    while not first.done and first.tried_count < max_unsplit_tries:
        advance(first, 0)
        pause()
        if context.progress is not None:
            context.progress(first.tried_count, 2 * first.tried_count)
    if first.done:
        return _join_diagrams([first.diagram_arrays], prepared.candidates)
    parts = _split_search(first, _MIN_PARTS)
    for each in (tried, work, made, most):
        each += [0] * len(parts)

    def search(begin: int, end: int, stopped: CheckPoint) -> None:
        for part in range(begin, end):
            tree = ComponentSearch(prepared, literals=literals)
            tree.start(parts[part])
            while not tree.done:
                advance(tree, part + 1)
                stopped()
                pause()
            whole, roots = tree.diagram_arrays
            found[part] = DnnfArrays._make(array.copy() for array in whole), roots
            made[part + 1] = sum(array.nbytes for array in found[part][0])

    run_slices(len(parts), search, max_slice=1, jobs=threads, context=context)
    pause()  # the last part to finish has not checked the totals
    return _join_diagrams([found[part] for part in range(len(parts))], prepared.candidates)


def _split_search(search: ComponentSearch, part_count: int) -> list[tuple[int, ...]]:
    """Divide a search tree into about `part_count` subtrees; return the choices leading to each."""
    parts: list[tuple[int, ...]] = [()]
    whole: list[tuple[int, ...]] = []
    while parts and len(parts) + len(whole) < part_count:
        part = parts.pop(0)
        search.start(part)
        choices = search.branching_candidates()
        if choices:
            parts += [(*part, u) for u in choices]
        elif not search.done:
            whole.append(part)
    return parts + whole


def _join_diagrams(
    diagrams: Sequence[tuple[DnnfArrays, list[int]]], candidate_count: int
) -> DecisionDnnf:
    """Join decision-DNNFs under one new root, which has the branches of all their roots."""
    branch_at, child_at, literal_at = [np.zeros(2, np.int64)], [_ZERO], [_ZERO]
    child, literal = [], []
    root: list[tuple[I32, I32]] = []
    nodes = branches = children = literals = 0
    for made, roots in diagrams:  # node 0 is the same for all
        for at in made.branch_at[roots].tolist():
            begin, end = made.child_at[at : at + 2].tolist()
            first, last = made.literal_at[at : at + 2].tolist()
            root.append((made.child[begin:end] + np.int32(nodes), made.literal[first:last]))
        branch_at.append(made.branch_at[2:] + branches)
        child_at.append(made.child_at[1:] + children)
        literal_at.append(made.literal_at[1:] + literals)
        child.append(made.child + np.int32(nodes))
        literal.append(made.literal)
        nodes += len(made.branch_at) - 2
        branches += len(made.child_at) - 1
        children += len(made.child)
        literals += len(made.literal)
    for some, more in root:
        children += len(some)
        literals += len(more)
        child.append(some)
        literal.append(more)
        child_at.append(np.array([children]))
        literal_at.append(np.array([literals]))
    if root:
        branch_at.append(np.array([branches + len(root)]))
    return DecisionDnnf(
        np.arange(candidate_count), np.concatenate(branch_at), np.concatenate(child_at),
        np.concatenate(literal_at), np.concatenate(child), np.concatenate(literal),
        nodes + 1 if root else 0,
    ).without_unreachable()  # fmt: skip


MIN_VARIABLES, MAX_VARIABLES = 600, 4_000
"""Numbers of variables for which this engine is preferred: below, compiling a diagram takes less
time than an attempt; above, the table of conflicts is large, being quadratic."""


class ComponentsEngine(SetEngine):
    """The engine ``components``: search with component caching, for one-hot constraints."""

    name: ClassVar[str] = "components"
    uses_components: ClassVar[bool] = True

    def refuses(self, model: Model) -> str | None:
        """Return why a model is refused, namely for a constraint that is not one-hot, or None."""
        if (c := model.first_other_constraint) is not None:
            return f"{c.family} {c.label} is no one-hot constraint"
        return None

    def is_preferred(self, model: Model) -> bool:
        """Whether forward checking applies and leaves a suitable number of variables."""
        left = len(model.variables) - len(forward_checked_variables(model))
        return model.origin.allows_propagation and MIN_VARIABLES <= left <= MAX_VARIABLES

    def count(self, model: Model, context: Context) -> int:
        """Count by a decision-DNNF; every unconstrained variable doubles the count."""
        model = forward_check(model)
        if model.is_contradictory:
            return 0
        prepared = prepare_component_search(
            len(model.variables), model.constraints, check=context.memory_checker()
        )
        diagram = compile_dnnf(prepared, context, literals=False)
        return DnnfCounts(diagram).total << len(prepared.unconstrained)

    def solution_set(
        self, model: Model, context: Context, *, decoder: Decoder | None = None
    ) -> DnnfGridSet:
        """Compile the set of all solution grids to a decision-DNNF.

        Raises:
            LimitReached: a limit ended the search.
            ModelError: the solutions are no grids.
        """
        if not isinstance(decoder, GridDecoder):
            raise ModelError("the engine components holds sets of grids; take frontier")
        model = forward_check(model)
        if model.is_contradictory:
            return DnnfGridSet(DecisionDnnf.empty(), decoder)
        prepared = prepare_component_search(
            len(model.variables), model.constraints, check=context.memory_checker()
        )
        if prepared.unconstrained:
            raise ModelError("a variable in no constraint stands in no grid; take frontier")
        diagram = compile_dnnf(prepared, context)
        keys = np.array([v.key for v in model.variables], dtype=np.int64)
        fixed = tuple(v.key for v in model.fixed) if diagram.root else ()
        return DnnfGridSet(diagram._replace(labels=keys), decoder, fixed=fixed)
