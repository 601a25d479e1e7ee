"""Backtracking without propagation, an independent check of the other engines' results.

For Sudoku it is the textbook program: take the open cells in reading order, try the digits in
ascending order, keep one that stands nowhere in the cell's houses, otherwise step back. No
propagation, no choice of cell, no look ahead.

It counts from the puzzle's own words (:class:`bddsudoku.model.model.PuzzleDefinition`) and what was
told to the model since, never from variables and constraints: no mistake in making or propagating a
model is its own, and of other engines it shares no more than the frame of a search.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bddsudoku.context import Context
from bddsudoku.engine.kernel_search import (
    COUNT,
    DONE,
    NODES,
    PHASE,
    SHARED,
    WORK,
    KernelSearch,
)
from bddsudoku.engine.protocol import SearchingEngine
from bddsudoku.errors import ModelError
from bddsudoku.jit import kernel
from bddsudoku.model.model import Model

if TYPE_CHECKING:
    from bddsudoku.jit.decorators import I32, I64

_TESTS_PER_CALL = 30_000_000
"""Values tested between two returns to Python: some 0.2 s."""
DEPTH, FIELDS = SHARED, SHARED + 1
"""The further field of the search state; how many fields there are."""
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
    depth, count, nodes, tests = state[DEPTH], state[COUNT], state[NODES], state[WORK]
    while state[PHASE] != DONE and tests < max_tests and count < max_count and nodes < max_nodes:
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
            state[PHASE] = DONE
    state[DEPTH], state[COUNT], state[NODES], state[WORK] = depth, count, nodes, tests


class BruteForceSearch(KernelSearch):
    """A resumable brute-force search for the solutions of a model.

    Nodes are values placed, steps are values tested, whether they clash or not.

    Args:
        model: of a puzzle with a definition, under any allocation: none plays a part.
        seed: shuffles the values of every place; None tries them in the puzzle's order.

    Raises:
        ModelError: the model is of no puzzle that says what it is.
    """

    method = "backtracking"

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
        self._state = np.zeros(FIELDS, dtype=np.int64)
        self._state[[NODES, WORK]] = -1  # the root
        if (
            len(set(taken)) < len(taken)
            or not given <= {*puzzle.uses} - barred
            or not all(fits[t] or used[t] for t in things)
        ):
            self._state[PHASE] = DONE
        self._moving = used, place, at, self._state
        self._holds = puzzle.holds
        self._keys, self._given = np.array([-1, *puzzle.uses]), np.array([*given], dtype=np.int64)

    def advance(self, max_found: int | None = None, max_nodes: int | None = None) -> None:
        """Go on for some tenths of a second, or until a total of solutions or nodes is reached."""
        if self._holds is None:
            super().advance(max_found, max_nodes)
        else:
            self.next_solutions(max_found, max_nodes)

    def next_solutions(
        self, max_found: int | None = None, max_nodes: int | None = None
    ) -> list[I64]:
        """Go on like :meth:`advance`, and return the solution that is found, the first one."""
        known = self.count
        super().advance(known + 1, max_nodes)
        if self.count == known:
            return []
        _, _, at, state = self._moving
        chosen = self._keys[self._tables[2][at[1 : state[DEPTH]] - 1]]
        keys = np.sort(np.concatenate((chosen, self._given)))
        if self._holds is not None and not self._holds(keys.tolist()):
            state[COUNT] = known
            return []
        return [keys]

    def _run(self, out: I32, ends: I64, max_found: int, max_nodes: int) -> None:
        most = self.steps + _TESTS_PER_CALL
        _backtrack(self._tables, self._moving, most, max_found, max_nodes)


class BruteForceEngine(SearchingEngine):
    """The engine ``brute-force``, for models whose puzzle supplies a definition of its own."""

    name: ClassVar[str] = "brute-force"
    probe_nodes = 0

    def refuses(self, model: Model) -> str | None:
        """Say why a model without a puzzle definition is refused; None for a model that has one."""
        return _UNDEFINED if model.origin.puzzle_definition() is None else None

    def start(self, model: Model, context: Context, seed: int | None = None) -> BruteForceSearch:
        """Start a search for the solutions of a model."""
        return BruteForceSearch(model, seed)
