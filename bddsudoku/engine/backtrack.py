"""Brute force: slot by slot, value by value, stepping back at the first clash.

The plainest solver there is, kept as a baseline and as a second oracle. For Sudoku it is the
textbook program: go through the open cells in reading order, try the digits in ascending order,
keep a digit that clashes with nothing so far, otherwise step back. No propagation, no choice of
cell, no look ahead.

Its input is a model and *slots*: groups of variables of which exactly one is to be true, in the
order in which they are filled, each with its values in the order in which they are tried. That is
all that "cell by cell, value by value" needs to know about a puzzle, and it keeps the engine free
of boards and digits. Sudoku's slots are the constraints of the family ``cell``.

The allocation decides what is tried: under ``paper`` every digit of every open cell is, and
clashes with hints are found by testing, as in the textbook; under ``candidates`` the hints have
already struck out theirs.

Nothing here is shared with the diagram engines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bddsudoku.engine.protocol import Engine
from bddsudoku.errors import LimitReached, ModelError
from bddsudoku.jit import kernel
from bddsudoku.limits import Limits, Progress
from bddsudoku.model.model import Model
from bddsudoku.model.onehot import OneHot

__all__ = ["BacktrackResult", "Slots", "count", "first", "solutions"]

Slots = str | Sequence[Sequence[int]] | None
"""A family whose constraints are the slots, groups of variables, or None: the first family."""

_CHUNK = 30_000_000
"""Values tested between two returns to Python: about 0.2 s."""

_LEVEL, _COUNT, _NODES, _TESTS, _DONE, _PAUSED = range(6)


@dataclass(frozen=True, slots=True)
class BacktrackResult:
    """What a search has found.

    Attributes:
        count: solutions found.
        exact: the search came to its end; False when a limit ended it first (then there are at
            least ``count``).
        nodes: values placed (nodes of the search tree without its root).
        tests: values tested, whether they clashed or not.
        seconds: wall-clock time of the search.
    """

    count: int
    exact: bool
    nodes: int
    tests: int
    seconds: float


@kernel
def _run(  # type: ignore[no-untyped-def]
    slot_start, value, touch_start, touches, used, needed, cursor, state,
    chunk, max_count, max_nodes, stop_at_solution,
):  # fmt: skip
    """Search on; ``cursor[s]`` is one past the value that stands in slot ``s``."""
    slots = len(slot_start) - 1
    level = state[_LEVEL]
    count = state[_COUNT]
    nodes = state[_NODES]
    tests = state[_TESTS]
    # At a solution the search pauses before it steps back, so that the values can be read.
    back = state[_PAUSED] != 0
    stop = tests + chunk
    paused = 0
    done = 0
    while tests < stop and nodes < max_nodes and count < max_count:
        if not back and level == slots:
            back = True
            satisfied = True
            for i in range(len(needed)):
                if needed[i] and not used[i]:
                    satisfied = False
                    break
            if satisfied:
                count += 1
                if stop_at_solution:
                    paused = 1
                    break
            continue
        if back:
            if level == 0:
                done = 1
                break
            level -= 1
            v = value[cursor[level] - 1]
            for k in range(touch_start[v], touch_start[v + 1]):
                used[touches[k]] = False
            back = False
        c = cursor[level]
        end = slot_start[level + 1]
        placed = False
        while c < end and not placed:
            v = value[c]
            c += 1
            tests += 1
            placed = True
            for k in range(touch_start[v], touch_start[v + 1]):
                if used[touches[k]]:
                    placed = False
                    break
        cursor[level] = c
        if placed:
            nodes += 1
            for k in range(touch_start[v], touch_start[v + 1]):
                used[touches[k]] = True
            level += 1
            if level < slots:
                cursor[level] = slot_start[level]
        else:
            back = True
    state[_LEVEL] = level
    state[_COUNT] = count
    state[_NODES] = nodes
    state[_TESTS] = tests
    state[_DONE] = done
    state[_PAUSED] = 1 if paused or (back and not done) else 0


class _Search:
    """A search that can be run a piece at a time."""

    def __init__(self, model: Model, slots: Slots) -> None:
        # nothing to search, and singles may leave a contradiction's variables in no slot
        groups = [] if model.is_contradictory else _groups(model, slots)
        of_variable: list[list[int]] = [[] for _ in model.variables]
        for i, c in enumerate(_plain(model)):
            for v in c.variables:
                of_variable[v].append(i)
        self._value = np.array([v for g in groups for v in g], dtype=np.int64)
        slot_start = np.cumsum([0] + [len(g) for g in groups]).astype(np.int64)
        # What a slot demands is demanded by filling it; only the other constraints are tested.
        mine = {frozenset(g) for g in groups}
        tested = [c.total <= 0 or frozenset(c.variables) not in mine for c in _plain(model)]
        touches = [[i for i in of if tested[i]] for of in of_variable]
        self._arrays: tuple[Any, ...] = (
            slot_start,
            self._value,
            np.cumsum([0] + [len(t) for t in touches]).astype(np.int64),
            np.array([i for t in touches for i in t], dtype=np.int64),
            # a total of 0 is used up before the first value is placed
            np.array([c.total <= 0 for c in _plain(model)], dtype=np.bool_),
            np.array(
                [
                    t and c.total > 0 and not c.at_most
                    for t, c in zip(tested, _plain(model), strict=True)
                ],
                dtype=np.bool_,
            ),
            slot_start[:-1].copy(),
        )
        self._state = np.zeros(6, dtype=np.int64)
        if model.is_contradictory:
            self._state[_DONE] = 1
        self.seconds = 0.0

    @property
    def result(self) -> BacktrackResult:
        s = self._state
        return BacktrackResult(
            int(s[_COUNT]), bool(s[_DONE]), int(s[_NODES]), int(s[_TESTS]), self.seconds
        )

    @property
    def chosen(self) -> NDArray[np.int32]:
        """The variables of the solution at which the search has paused, ascending."""
        return np.sort(self._value[self._arrays[-1] - 1].astype(np.int32))

    def advance(
        self, max_count: int | None, max_nodes: int | None, *, stop_at_solution: bool = False
    ) -> bool:
        """Search on; True when it stopped at a solution just found."""
        most = np.iinfo(np.int64).max
        before = int(self._state[_COUNT])
        begin = time.perf_counter()
        _run(  # type: ignore[call-arg]
            *self._arrays, self._state, _CHUNK,
            most if max_count is None else max_count,
            most if max_nodes is None else max_nodes,
            stop_at_solution,
        )  # fmt: skip
        self.seconds += time.perf_counter() - begin
        return stop_at_solution and int(self._state[_COUNT]) > before


def _groups(model: Model, slots: Slots) -> list[tuple[int, ...]]:
    """The slots as groups of variables; checked to hold every variable once."""
    if slots is None:
        slots = model.families[0] if model.families else ()
    if isinstance(slots, str):
        family = [c for c in _plain(model) if c.family == slots]
        if not family:
            raise ModelError(f"the model has no constraints of a family {slots!r}")
        groups = [c.variables for c in family if c.total > 0]
        if any(c.at_most for c in family):
            raise ModelError(f"the family {slots!r} need not be covered: no slots to fill")
    else:
        groups = [tuple(g) for g in slots]
    held = sorted(v for g in groups for v in g)
    if held != list(range(len(model.variables))):
        what = f"the family {slots!r}" if isinstance(slots, str) else "the slots"
        raise ModelError(
            f"{what} must hold every one of the model's {len(model.variables)} variables once"
        )
    return groups


def _run_to_end(
    search: _Search,
    limit: int | None,
    node_limit: int | None,
    limits: Limits | None,
    *,
    pause: bool,
    progress: Callable[[BacktrackResult], None] | None = None,
) -> Iterator[NDArray[np.int32]]:
    """Drive a search, pausing at every solution if told to; LimitReached at a real limit."""
    while not search.result.exact:
        found = search.advance(limit, node_limit, stop_at_solution=pause)
        result = search.result
        if progress is not None and not found:
            progress(result)
        if found:
            yield search.chosen
        if result.exact or (limit is not None and result.count >= limit):
            return
        met = None
        if node_limit is not None and result.nodes >= node_limit:
            met = "nodes"
        elif limits is not None and limits.expired:
            met = "time"
        if met == "time" and limits is not None:
            raise limits.reached(_where(result), trace=result)
        if met:
            raise LimitReached(f"{met} limit reached {_where(result)}", limit=met, trace=result)


def _where(result: BacktrackResult) -> str:
    """Where an unfinished search stands."""
    return f"by backtracking after {result.nodes:,} nodes and {result.count:,} solutions"


def count(
    model: Model,
    *,
    slots: Slots = None,
    limit: int | None = None,
    node_limit: int | None = None,
    limits: Limits | None = None,
    progress: Callable[[BacktrackResult], None] | None = None,
) -> BacktrackResult:
    """Count the solutions by visiting every one of them.

    Args:
        model: a model under any allocation.
        slots: what is filled, in order (see :data:`Slots`).
        limit: stop at so many solutions.
        node_limit: stop at so many search nodes.
        limits: stop when the time is used up (looked at every few tenths of a second).
        progress: called with the result so far, every few tenths of a second.

    Returns:
        The result; ``exact`` is False when a limit ended the search.

    Raises:
        ModelError: the slots do not hold every variable exactly once.
    """
    search = _Search(model, slots)
    try:
        for _ in _run_to_end(search, limit, node_limit, limits, pause=False, progress=progress):
            pass
    except LimitReached:
        pass
    return search.result


def solutions(
    model: Model,
    *,
    slots: Slots = None,
    limit: int | None = None,
    node_limit: int | None = None,
    limits: Limits | None = None,
) -> Iterator[NDArray[np.int32]]:
    """The solutions in lexicographic order of slots and values, each as its ascending variables.

    The time includes what the caller does with them.

    Raises:
        LimitReached: ``node_limit`` or the time ended the search before its end and before
            ``limit`` solutions.
        ModelError: the slots do not hold every variable exactly once.
    """
    search = _Search(model, slots)
    if limit is None or limit > 0:
        yield from _run_to_end(search, limit, node_limit, limits, pause=True)


def first(
    model: Model,
    *,
    slots: Slots = None,
    node_limit: int | None = None,
    limits: Limits | None = None,
) -> NDArray[np.int32] | None:
    """The first solution in the order of slots and values, or None when there is none.

    Raises:
        LimitReached: the search ended at a limit without an answer.
        ModelError: the slots do not hold every variable exactly once.
    """
    found = solutions(model, slots=slots, limit=1, node_limit=node_limit, limits=limits)
    return next(found, None)


class Backtrack(Engine):
    """Brute force as an engine of the protocol: models in which some family makes slots."""

    name: ClassVar[str] = "backtrack"

    def refuses(self, model: Model) -> str | None:
        """Models without a family of constraints that holds every variable once."""
        for _, c in model.demands:
            return f"{c.family} {c.label} is no one-hot constraint"
        if _slots_of(model) is None and model.variables:
            return "no family of constraints holds every variable once: no slots to fill"
        return None

    def count(self, model: Model, limits: Limits, progress: Progress | None = None) -> int:
        """Slot by slot, value by value."""
        if model.is_contradictory:
            return 0  # brute force would not see two hints clash before it has filled the board

        def told(so_far: BacktrackResult) -> None:
            if progress is not None:
                progress(so_far.nodes, 2 * so_far.nodes)

        slots = _slots_of(model) or ()
        result = count(model, slots=slots, limits=limits, progress=told)
        if not result.exact:
            raise limits.reached(_where(result), trace=result)
        return result.count


def _plain(model: Model) -> list[OneHot]:
    return [c for _, c in model.one_hots]


def _slots_of(model: Model) -> str | None:
    """The first family whose constraints hold every variable exactly once."""
    for family in model.families:
        own = [c for c in _plain(model) if c.family == family]
        held = sorted(v for c in own if c.total > 0 for v in c.variables)
        if not any(c.at_most for c in own) and held == list(range(len(model.variables))):
            return family
    return None
