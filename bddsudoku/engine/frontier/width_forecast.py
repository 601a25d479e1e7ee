"""Forecast of the number of states on each level, from random samples of the states.

A beam of states goes down the levels; where a level has more states than the beam holds, a random
sample goes on and represents the others. A sample does not show directly how often states merge: of
N states with k parents each, a sample of one state in w finds equal children about
``N k (k - 1) / 2 w²`` times, from which k is estimated. The forecast is good enough to compare
orders, which is its purpose, but not to size memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bddsudoku.engine.frontier.spec import expand
from bddsudoku.engine.frontier.state_table import hash_row
from bddsudoku.jit import inlined, kernel
from bddsudoku.jit.decorators import F64, I64, U64

if TYPE_CHECKING:
    from bddsudoku.engine.frontier.spec import Spec

_CHILDREN_PER_STEP = 512
"""Children made per call of the spec's step (more if one state alone can have more)."""


@dataclass(frozen=True, eq=False)
class WidthForecast:
    """Estimated number of states of every level.

    Attributes:
        widths: float64 (levels,).
        exact: True when the beam never overflowed, so that the widths are exact.
        expanded: number of states expanded, the cost of the forecast.
    """

    widths: F64
    exact: bool
    expanded: int

    @property
    def total_states(self) -> float:
        """Estimated number of states on all levels, which determines the cost of compiling."""
        return float(self.widths.sum())


@inlined
def _common_ancestor_weight(parents, weights, level_a, state_a, level_b, state_b):  # type: ignore[no-untyped-def]
    """Find the last common ancestor of two sampled states; return how many states it represents."""
    beam = parents.shape[0] // weights.shape[0]
    while level_a != level_b or state_a != state_b:
        one = level_a * beam + state_a
        other = level_b * beam + state_b
        deeper = level_b >= level_a
        if level_a >= level_b:
            level_a = parents[one, 0]
            state_a = parents[one, 1]
        if deeper:
            level_b = parents[other, 0]
            state_b = parents[other, 1]
    return weights[level_a]


class _BeamWorkspace(NamedTuple):
    """Workspace of :func:`_expand_sample`.

    Attributes:
        pool: uint64 (any, words); the waiting states.
        parent: int64 (any, 3); level and number of a waiting state's parent, and its own level.
        flat: uint64; the states of the current level.
        origin: int64 (any, 2); level and number of the parent of each of these.
        up: int64 (levels * beam, 2); level and number of the parent of every sampled state.
        each: float64 (levels,); how many states each sampled one of a level represents.
        slots: int64 (a power of two, 2); hash table: level and number.
    """

    pool: U64
    parent: I64
    flat: U64
    origin: I64
    up: I64
    each: F64
    slots: I64


@kernel
def _expand_sample(params, begin, plan, bounds, widths, workspace, child_arrays):  # type: ignore[no-untyped-def]
    """Expand a sample of states level by level and fill in the estimated ``widths``.

    Args:
        params: parameters of the spec.
        begin: level of the root, the only state in the pool.
        plan: for every level the number of choices, of words, and of words that decide equality.
        bounds: states sampled per level; forecast states in all after which to give up.
        widths: float64 (levels,), to be filled.
        workspace: a :class:`_BeamWorkspace`.
        child_arrays: arrays for children, and the numbers 0, 1, 2, … of the choices.

    Returns:
        Number of states expanded; its complement (~) where ``widths`` are estimates.
    """
    sizes, words, keys_of = plan
    beam, stop = bounds
    pool, parent, flat, origin, up, each, slots = workspace
    out, choices = child_arrays
    children, degree, _, to, _ = out
    used = 1
    levels = sizes.shape[0]
    capacity = pool.shape[0] - choices.shape[0]
    mask = np.uint64(slots.shape[0] - 1)
    one = np.uint64(1)
    expanded = 0
    exact = True
    total = 0.0
    random = np.uint64(0x2545F4914F6CDD1D)
    for level in range(begin, levels):
        # move the states of this level out of the pool, without duplicates
        found = 0
        pairs = 0.0
        arrived = 0.0
        seen = 0
        rest = 0
        columns = words[level]
        key = keys_of[level]
        level_states = flat[: pool.shape[0] * columns].reshape((pool.shape[0], columns))
        for i in range(used):
            if parent[i, 2] != level:
                if rest != i:
                    for w in range(pool.shape[1]):
                        pool[rest, w] = pool[i, w]
                    for w in range(3):
                        parent[rest, w] = parent[i, w]
                rest += 1
                continue
            seen += 1
            above = each[parent[i, 0]]
            arrived += above
            slot = hash_row(pool, i, key) & mask
            while True:
                if slots[slot, 0] != level:
                    slots[slot, 0] = level
                    slots[slot, 1] = found
                    for w in range(columns):
                        level_states[found, w] = pool[i, w]
                    origin[found, 0] = parent[i, 0]
                    origin[found, 1] = parent[i, 1]
                    found += 1
                    break
                other = slots[slot, 1]
                same = True
                for w in range(key):
                    if level_states[other, w] != pool[i, w]:
                        same = False
                        break
                if same:
                    # chance of seeing such a pair: the shared ancestor, then both lines
                    a = origin[other, 0]
                    pairs += (
                        above * each[a]
                        / _common_ancestor_weight(
                            up, each, parent[i, 0], parent[i, 1], a, origin[other, 1]
                        )
                    )  # fmt: skip
                    break
                slot = (slot + one) & mask
        used = rest
        if found == 0:
            continue
        estimate = float(found)
        if arrived > seen:
            merged = arrived / (1.0 + 2.0 * pairs / arrived)
            if merged > estimate:
                estimate = merged
        widths[level] = estimate
        total += estimate
        if total > stop:
            exact = False
            widths[level] += stop
            break
        go = found
        if found > beam:
            go = beam
            exact = False
        each[level] = estimate / go
        # a random choice of go out of found, in order, moved to the front
        chosen = 0
        for s in range(found):
            if chosen == go:
                break
            if go < found:
                random ^= random << np.uint64(13)
                random ^= random >> np.uint64(7)
                random ^= random << np.uint64(17)
                if np.int64((random >> np.uint64(33)) % np.uint64(found - s)) >= go - chosen:
                    continue
            for w in range(columns):
                level_states[chosen, w] = level_states[s, w]
            up[level * beam + chosen, 0] = origin[s, 0]
            up[level * beam + chosen, 1] = origin[s, 1]
            chosen += 1
        size = sizes[level]
        many = children.shape[0]
        if size > 1:
            many //= size
        lo = 0
        while lo < chosen:
            hi = lo + many
            if hi > chosen:
                hi = chosen
            expand(params, level, level_states, lo, hi, choices[:size], out)
            child = 0
            for s in range(lo, hi):
                if used + size > capacity:
                    break
                expanded += 1
                for c in range(child, child + degree[s - lo]):
                    for w in range(pool.shape[1]):
                        pool[used, w] = children[c, w]
                    parent[used, 0] = level
                    parent[used, 1] = s
                    parent[used, 2] = to[c]
                    used += 1
                child += degree[s - lo]
            lo = hi
    return expanded if exact else ~expanded


def forecast_widths(spec: Spec, beam: int = 500, *, stop: float = float("inf")) -> WidthForecast:
    """Estimate the number of states of every level of a spec.

    Args:
        spec: any spec.
        beam: states sampled per level; the time is proportional to it.
        stop: give up once more states are forecast in all (the order loses anyway): later widths
            are then 0, and the sum exceeds ``stop``.
    """
    widths = np.zeros(spec.levels, np.float64)
    if not 0 <= spec.root_level < spec.levels:
        return WidthForecast(widths, True, 0)
    sizes = np.array([len(c) for c in spec.choices], np.int64)
    max_choices = int(sizes.max())
    # children of one level, and on specs that jump those that wait for later ones
    capacity = 4 * max(beam, 64) * (1 if spec.max_jump == 1 else 4) + 5 * max_choices
    words = spec.words.astype(np.int64)
    pool = np.empty((capacity, spec.max_words), np.uint64)
    parent = np.empty((capacity, 3), np.int64)
    pool[0] = spec.root
    parent[0] = spec.root_level, 0, spec.root_level
    made = max(_CHILDREN_PER_STEP, max_choices)
    work = _BeamWorkspace(
        pool,
        parent,
        np.empty(pool.size, np.uint64),
        np.empty((capacity, 2), np.int64),
        np.zeros((spec.levels * beam, 2), np.int64),
        np.ones(spec.levels, np.float64),
        np.full((1 << (2 * capacity - 1).bit_length(), 2), -1, np.int64),
    )
    out = spec.allocate_children(made, made)
    expanded = _expand_sample(
        spec.params, spec.root_level, (sizes, words, spec.key_words_by_level),
        (beam, float(stop)), widths, work, (out, np.arange(max_choices)),
    )  # fmt: skip
    exact = expanded >= 0
    return WidthForecast(widths, exact, expanded if exact else ~expanded)
