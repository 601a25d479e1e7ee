"""The search over machines as an engine of the protocol: any model at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bddsudoku.context import Context
from bddsudoku.engine.protocol import Found, Lists
from bddsudoku.engine.search.prepare import MOST_CANDIDATES, Prepared, prepare
from bddsudoku.engine.search.search import SearchResult, count, solutions, true_candidates, where
from bddsudoku.model.model import Model
from bddsudoku.model.propagation import candidates

TRIAL_NODES = 3_000
"""Candidates tried in a trial (some 0.1 s)."""


def prepared_of(model: Model, context: Context, seed: int | None = None) -> Prepared:
    """A model as the arrays of the search.

    Args:
        model: under ``candidates``.
        seed: shuffles the order in which candidates are tried.

    Raises:
        LimitReached: a machine is too wide, or the time was used up.
        ModelError: the model is too large for this search.
    """
    return prepare(len(model.variables), model.constraints, seed=seed, check=context.account())


class SearchEngine(Lists):
    """Branching with propagation over one-hot constraints and machines."""

    name: ClassVar[str] = "search"

    def count(self, model: Model, context: Context) -> int:
        """By visiting every solution; free variables double the count."""
        model = candidates(model)
        if model.is_contradictory:
            return 0

        def told(so_far: SearchResult) -> None:
            context.check(where(so_far), work=so_far.work)
            if context.progress is not None:
                context.progress(so_far.nodes, 2 * so_far.nodes)

        return count(prepared_of(model, context), progress=told).count

    def trial(self, model: Model, context: Context) -> Found | None:
        """Near-unique puzzles have a tiny search tree."""
        model = candidates(model)
        if model.is_contradictory:
            return Found(0, "a constraint contradicts itself")
        result = count(prepared_of(model, context), node_limit=TRIAL_NODES)
        context.check()
        if not result.exact:
            return None
        return Found(result.count, f"the search ended after {result.nodes:,} nodes")

    def suits(self, model: Model) -> bool:
        """Where there is more to conclude from than that something is exactly one."""
        if 2 * len(model.variables) > MOST_CANDIDATES:
            return False
        return bool(model.demands) or any(c.at_most for _, c in model.one_hots)

    def supports(
        self, model: Model, context: Context, *, node_limit: int | None = None
    ) -> NDArray[np.int64]:
        """The keys that are true in some solution, ascending.

        Looks for solutions that hold something new: a handful, where all are millions.

        Args:
            model, node_limit: as for :meth:`solutions`.

        Raises:
            LimitReached: the search ended before its end.
        """
        model = candidates(model)
        if model.is_contradictory:
            return np.zeros(0, dtype=np.int64)
        prepared = prepared_of(model, context)
        held = true_candidates(prepared, context, node_limit=node_limit)
        keys = [model.variables[v].key for v in np.flatnonzero(held).tolist()]
        if keys or not model.variables:
            keys += [v.key for v in model.fixed]
        return np.array(sorted(keys), dtype=np.int64)

    def solutions(
        self,
        model: Model,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        seed: int | None = None,
    ) -> Iterator[NDArray[np.int64]]:
        """In the order of the search."""
        model = candidates(model)
        if model.is_contradictory:
            return
        keys = np.array([v.key for v in model.variables], dtype=np.int64)
        fixed = np.array([v.key for v in model.fixed], dtype=np.int64)
        prepared = prepared_of(model, context, seed)
        for true in solutions(prepared, context, limit=limit, node_limit=node_limit):
            yield np.sort(np.concatenate((keys[true], fixed)))
