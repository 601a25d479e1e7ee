"""Backtracking without propagation, an independent check of the other engines' results.

For Sudoku it is the textbook program: take the open cells in reading order, try the digits in
ascending order, keep one that stands nowhere in the cell's houses, otherwise step back. No
propagation, no choice of cell, no look ahead.

It counts from the puzzle's own words (:class:`bddsudoku.model.model.PuzzleDefinition`) and what was
told to the model since, never from variables and constraints: it shares no code with
another engine, and no mistake in making or propagating a model is its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.protocol import ListingEngine
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit import kernel
from bddsudoku.model.model import Model

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I64

_TESTS_PER_CALL = 30_000_000
"""Values tested between two returns to Python: some 0.2 s."""
_NO_LIMIT = np.iinfo(np.int64).max
_UNDEFINED = "brute force needs the puzzle's own definition, and this model comes without one"


@kernel
def _backtrack(tables, search_state, max_tests, max_count, max_nodes):  # type: ignore[no-untyped-def]
    """Backtrack until the search ends or its number of tests, solutions or nodes reaches a bound.

    Place p is the thing ``things[p]``, its values are ``value[first[p]:first[p + 1]]``; value v
    uses up the things ``uses[use[v]:use[v + 1]]``. At depth i ``place[i]`` is filled, next with the
    value at ``at[i]``.
    """
    things, first, value, use, uses = tables
    used, place, at, state = search_state
    depth, count, nodes, tests, done = state
    while not done and tests < max_tests and count < max_count and nodes < max_nodes:
        following, last = at[depth], first[place[depth] + 1]
        clash = True
        while clash and following < last:
            v = value[following]
            following += 1
            tests += 1
            clash = False
            for k in range(use[v], use[v + 1]):
                if used[uses[k]]:
                    clash = True
                    break
        at[depth] = following
        if not clash:
            nodes += 1
            for k in range(use[v], use[v + 1]):
                used[uses[k]] = True
            p = place[depth] + 1
            while p < len(things) and used[things[p]]:
                p += 1
            count += p == len(things)  # all are filled; nothing is left to try at that depth
            depth += 1
            place[depth] = p
            at[depth] = first[p]
        elif depth > 0:
            depth -= 1
            v = value[at[depth] - 1]
            for k in range(use[v], use[v + 1]):
                used[uses[k]] = False
        else:
            done = 1
    state[:] = depth, count, nodes, tests, done


class BruteForceSearch:
    """A resumable brute-force search for the solutions of a model.

    Args:
        model: of a puzzle with a definition, under any allocation: none plays a part.
        seed: shuffles the values of every place; None tries them in the puzzle's order.

    Attributes:
        count: solutions found.
        nodes: values placed (nodes of the search tree without its root).
        tests: values tested, whether they clashed or not.
        done: whether the search came to its end.

    Raises:
        ModelError: the model is of no puzzle that says what it is.
    """

    def __init__(self, model: Model, seed: int | None = None) -> None:
        puzzle = model.origin.puzzle_definition()
        if puzzle is None:
            raise ModelError(_UNDEFINED)
        given = {*puzzle.given, *(key for key, true in model.assumptions if true)}
        barred = {key for key, true in model.assumptions if not true}
        # Place 0 is the root, filled by value 0, which uses nothing.
        number: dict[Hashable, int] = {None: 0}
        uses = [[number.setdefault(t, len(number)) for t in u] for u in ((), *puzzle.uses.values())]
        things = [number.setdefault(t, len(number)) for t in (None, *puzzle.places)]
        fits: list[list[int]] = [[] for _ in number]
        fits[0] = [0]
        for v, key in enumerate(puzzle.uses, 1):
            for thing in () if key in barred else uses[v]:
                fits[thing].append(v)
        if seed is not None:
            rng = np.random.default_rng(seed)
            for values in fits:
                rng.shuffle(values)
        self._tables = (
            np.array(things),
            np.cumsum([0, *(len(fits[t]) for t in things), 0]),
            np.array([v for t in things for v in fits[t]]),
            np.cumsum([0, *map(len, uses)]),
            np.array([t for u in uses for t in u], dtype=np.int64),
        )
        taken = [t for v, key in enumerate(puzzle.uses, 1) if key in given for t in uses[v]]
        used = np.isin(np.arange(len(number)), taken)
        place, at = np.zeros((2, len(things) + 1), dtype=np.int64)
        self.count: int = 0
        self.nodes: int = 0
        self.tests: int = 0
        self.done: bool = (
            len(set(taken)) < len(taken)
            or not given <= {*puzzle.uses} - barred
            or not all(fits[t] or used[t] for t in things)
        )
        self._moving = used, place, at, np.array([0, 0, -1, -1, self.done], dtype=np.int64)
        self._holds = puzzle.holds
        self._keys, self._given = np.array([-1, *puzzle.uses]), np.array([*given], dtype=np.int64)

    def run(
        self,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        listing: bool = False,
    ) -> Iterator[I64]:
        """Search for all solutions, or for `limit` of them; yield each solution if ``listing``.

        Yields:
            With ``listing`` every solution, as its ascending keys, in the order of the search.

        Raises:
            LimitReached: the time was used up, or ``node_limit`` nodes were.
        """
        pausing = listing or self._holds is not None
        most = _NO_LIMIT if limit is None else limit
        nodes = _NO_LIMIT if node_limit is None else node_limit
        _, _, at, state = self._moving
        while not self.done and self.count < most:
            where = f"by backtracking after {self.nodes:,} nodes and {self.count:,} solutions"
            context.check(where, work=self.tests)
            if self.nodes >= nodes:
                raise LimitReached(f"nodes limit reached {where}", limit="nodes")
            known = self.count
            count_end = known + 1 if pausing else most
            _backtrack(self._tables, self._moving, self.tests + _TESTS_PER_CALL, count_end, nodes)
            depth, self.count, self.nodes, self.tests, done = state.tolist()
            self.done = bool(done)
            if context.progress is not None:
                context.progress(self.nodes, 2 * self.nodes)
            if pausing and self.count > known:
                chosen = self._keys[self._tables[2][at[1:depth] - 1]]
                keys = np.sort(np.concatenate((chosen, self._given)))
                if self._holds is not None and not self._holds(keys.tolist()):
                    self.count = state[1] = known
                elif listing:
                    yield keys


class BruteForceEngine(ListingEngine):
    """The engine ``brute-force``, for models whose puzzle supplies a definition of its own."""

    name: ClassVar[str] = "brute-force"

    def refuses(self, model: Model) -> str | None:
        """Say why a model without a puzzle definition is refused; None for a model that has one."""
        return _UNDEFINED if model.origin.puzzle_definition() is None else None

    def count(self, model: Model, context: Context) -> int:
        """Count the solutions by visiting each of them."""
        search = BruteForceSearch(model)
        for _ in search.run(context):
            pass
        return search.count

    def solutions(
        self,
        model: Model,
        context: Context,
        *,
        limit: int | None = None,
        node_limit: int | None = None,
        seed: int | None = None,
    ) -> Iterator[I64]:
        """Yield the solutions in the order in which backtracking finds them."""
        search = BruteForceSearch(model, seed)
        return search.run(
            context.without_progress, limit=limit, node_limit=node_limit, listing=True
        )
