"""The search engine: constraint search over cells, for any model."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import ClassVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.protocol import Search, SearchingEngine
from bddsudoku.engine.search.arrays import (
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
    SearchBounds,
)
from bddsudoku.engine.search.cells import MAX_VALUES
from bddsudoku.engine.search.kernel import run_search
from bddsudoku.engine.search.model_translation import (
    MAX_CANDIDATES,
    SearchProblem,
    new_workspace,
    translate_model,
)
from bddsudoku.jit.decorators import I32, I64, U64, Flags
from bddsudoku.model.model import Model

_STEPS_PER_CALL = 20_000_000
"""Steps per call of the kernel: some 30 ms."""
_BUFFER_ENTRIES = 1 << 16
"""Entries of the buffer that returns solutions from the kernel."""
_FIRST_NODES = 1_000
"""Candidates tried in the first round of :meth:`SearchEngine.supports`."""
_LISTED_SOLUTIONS = 2_000
"""Solutions that :meth:`SearchEngine.supports` visits at most before it searches for supports."""
_MAX_COVER_OPTIONS = 1_200
"""Most options of an exact-cover problem for which dancing links are preferred (measured)."""
_MAX_PAIRS = 50_000
"""Most pairs of values of the same integer, of many values, with which the search is tried before
other engines: with two integers of 400 values it takes 0.4 s to begin."""
_NO_LIMIT = int(np.iinfo(np.int64).max)


class ConstraintSearch(Search):
    """A resumable constraint search for the solutions of a model; nodes are candidates tried.

    Args:
        model: any model.
        context: limits while the arrays are made.
        seed: shuffles the order in which candidates are tried.

    Raises:
        LimitReached: an MDD is too wide, or the time limit was reached.
        ModelError: the model is too large for this search.
    """

    method = "search"

    def __init__(self, model: Model, context: Context, *, seed: int | None = None) -> None:
        self.problem: SearchProblem = translate_model(
            model, seed=seed, check=context.memory_checker()
        )
        self._supports = False
        self.keys = np.array([v.key for v in model.variables], dtype=np.int64)
        self._fixed = [v.key for v in model.fixed]
        self.unconstrained: list[int] = self.keys[list(self.problem.unconstrained)].tolist()
        """Keys of the variables in no constraint."""
        self._start_from_root(self.problem.root)

    def _start_from_root(self, root: U64) -> None:
        """Start the search at a root state, with equal weights of all cells (dom/wdeg)."""
        self._state = np.zeros(FIELDS, dtype=np.int64)
        self._rows = np.zeros((16, len(root)), dtype=np.uint64)
        self._work = new_workspace(self.problem, len(self._rows))
        self._rows[0] = root
        if not (self.problem.possible and root[: self.problem.cells].all()):
            self._state[PHASE] = DONE

    def restarted(self, false: Flags | None = None, *, supports: bool = False) -> ConstraintSearch:
        """A new search of the same problem, in which further variables are known to be false.

        The arrays of a model take milliseconds to build, a board with its rules and some hints a
        fraction of one to search.

        Args:
            false: bool, one for each variable of the model; None for no further ones.
            supports: look only for solutions with a true variable that was true in none before.

        Cost: some 0.05 ms for a 9x9 board.
        """
        root = self.problem.root.copy()
        if false is not None:
            variable = self.problem.tables.variable
            values = np.uint64(1) << np.arange(variable.shape[1], dtype=np.uint64)
            excluded = np.where((variable >= 0) & false[variable], values, np.uint64(0))
            root[: self.problem.cells] &= ~excluded.sum(axis=1, dtype=np.uint64)
        search = copy(self)
        search._supports = supports
        search._start_from_root(root)
        return search

    @property
    def done(self) -> bool:
        """Whether the whole tree has been searched."""
        return int(self._state[PHASE]) == DONE

    @property
    def root(self) -> U64:
        """A copy of the root's row, propagated as soon as there is a node."""
        row: U64 = self._rows[0].copy()
        return row

    @property
    def found_count(self) -> int:
        """Number of solutions so far, counted without the unconstrained variables."""
        return int(self._state[COUNT])

    @property
    def count(self) -> int:
        """Number of solutions so far, counted with all values of unconstrained variables."""
        return self.found_count << len(self.unconstrained)

    @property
    def nodes(self) -> int:
        """Number of candidates tried so far."""
        return int(self._state[NODES])

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return int(self._state[WORK])

    def advance(self, max_found: int | None = None, max_nodes: int | None = None) -> None:
        """Go on for some 30 ms, or until a total of solutions or nodes is reached."""
        self._run(np.zeros(0, np.int32), np.zeros(0, np.int64), max_found, max_nodes)

    def next_solutions(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> Iterator[I64]:
        """Go on like :meth:`advance`; yield each solution as the ascending keys of what is true."""
        for true in self.next_found(max_found, max_nodes):
            for rest in _all_completions(self._fixed, self.unconstrained):
                yield np.sort(np.concatenate((true, rest)))

    def next_found(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> Iterator[I64]:
        """Go on like :meth:`advance`; yield what :attr:`found_count` counts, as keys."""
        out = np.empty(max(_BUFFER_ENTRIES, self.problem.cells), dtype=np.int32)
        ends = np.empty(_BUFFER_ENTRIES >> 3, dtype=np.int64)
        self._run(out, ends, max_found, max_nodes)
        true = self.keys[out[: int(self._state[USED])]]
        begin = 0
        for end in ends[: int(self._state[FOUND])].tolist():
            yield true[begin:end]
            begin = end

    def keys_seen_true(self) -> list[int]:
        """Keys of all variables true in a solution found; needs ``restarted(supports=True)``."""
        variable = self.problem.tables.variable
        values = np.arange(variable.shape[1], dtype=np.uint64)
        seen = self._work.witness[:, None] >> values & np.uint64(1) != 0
        held: list[int] = self.keys[variable[seen & (variable >= 0)]].tolist()
        return held

    def _run(self, out: I32, ends: I64, max_found: int | None, max_nodes: int | None) -> None:
        if max_found is not None:  # each found one stands for all values of the unconstrained
            max_found = -(-max_found >> len(self.unconstrained))
        most, nodes = (_NO_LIMIT if end is None else end for end in (max_found, max_nodes))
        bounds = SearchBounds(_STEPS_PER_CALL, most, nodes, self._supports)
        tables = self.problem.tables
        while True:
            run_search(tables, self._rows, self._work, self._state, out, ends, bounds)
            if self._state[PHASE] != FULL:
                break
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            w = self._work
            self._work = w._replace(cell=np.tile(w.cell, 2), value=np.tile(w.value, 2))
            self._state[PHASE] = ENTER
            if self._state[FOUND]:
                break


class SearchEngine(SearchingEngine):
    """The engine ``search``: branching with propagation over cells."""

    name: ClassVar[str] = "search"
    probe_nodes = 3_000

    def refuses(self, model: Model) -> str | None:
        """Refuse models with too many variables."""
        if len(model.variables) > MAX_CANDIDATES:
            number = len({v for c in model.constraints for v in c.variables})
            if number > MAX_CANDIDATES:
                return f"{number:,} candidates; search takes at most {MAX_CANDIDATES:,}"
        return None

    def fits(self, model: Model) -> bool:
        """Whether the search takes the model, and integers of it have few values."""
        sizes = [len(c.variables) for c in model.one_hots if not c.at_most]
        pairs = sum(size**2 for size in sizes if size > MAX_VALUES)
        return pairs <= _MAX_PAIRS and self.refuses(model) is None

    def start(self, model: Model, context: Context, seed: int | None = None) -> ConstraintSearch:
        """Start a search for the solutions of a model."""
        return ConstraintSearch(model, context, seed=seed)

    def is_preferred(self, model: Model) -> bool:
        """Whether the model is not too large, and no small exact-cover problem.

        For those dancing links take less time to begin, but for many more nodes. Large ones are
        preferred if every item fits into a cell.
        """
        if 2 * len(model.variables) > MAX_CANDIDATES:
            return False
        if model.first_other_constraint is not None or any(c.at_most for c in model.one_hots):
            return self.fits(model)
        is_large = len(model.variables) > _MAX_COVER_OPTIONS
        return is_large and all(len(c.variables) <= MAX_VALUES for c in model.one_hots)

    def supports(self, model: Model, context: Context) -> I64:
        """The keys of the variables that are true in some solution, ascending.

        Two searches alternate, with growing numbers of nodes. One visits all solutions, which is
        best where they are few. The other looks for solutions with variables not yet seen, and
        refutes the variables of no solution: a few searches even where solutions are millions.

        Raises:
            LimitReached: a limit was reached before either search was complete.
        """
        held: set[int] = set()
        every = ConstraintSearch(model, context)
        newer = every.restarted(supports=True)
        node_limit = _FIRST_NODES
        while not (every.done or newer.done):
            if lists_all := every.found_count < _LISTED_SOLUTIONS:
                most = _LISTED_SOLUTIONS << len(every.unconstrained)
                for true in every.next_found(most, node_limit):
                    held.update(true.tolist())
            if not every.done:
                newer.advance(None, node_limit)
            if not (every.done or newer.done):
                newer.check(context)
            if newer.nodes >= node_limit and (every.nodes >= node_limit or not lists_all):
                node_limit *= 2
        if not every.done:
            held.update(newer.keys_seen_true())
        if every.found_count or newer.found_count:
            held.update(every.unconstrained, (v.key for v in model.fixed))
        return np.array(sorted(held), dtype=np.int64)


def _all_completions(fixed: list[int], unconstrained: list[int]) -> Iterator[I64]:
    """Yield the fixed keys together with each subset of the unconstrained keys."""
    for pattern in range(1 << len(unconstrained)):
        more = [key for i, key in enumerate(unconstrained) if pattern >> i & 1]
        yield np.array(fixed + more, dtype=np.int64)
