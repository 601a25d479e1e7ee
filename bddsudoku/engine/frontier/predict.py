"""Predicting the widths of a construction from a narrow sample of its states.

A beam of states goes down the levels; where a level has more states than the beam holds, evenly
spread ones go on and stand for the others. What a sample cannot show directly is how often states
merge: of N states with k parents each, a sample of one state in w finds equal children about
``N k (k - 1) / 2 w²`` times, which gives k back. The estimates are good enough to tell good orders
from bad ones (that is what they are for), not to size memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from bddsudoku.engine.frontier import expansion  # noqa: F401  (registers expand and named)
from bddsudoku.engine.frontier.spec import anonymous, expand, named
from bddsudoku.engine.frontier.tables import hash_row
from bddsudoku.jit import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bddsudoku.engine.frontier.spec import Spec

__all__ = ["WidthPrediction", "predict_spec"]

_BLOCK = 512
"""Children that are made in one go, unless one state alone has more."""


@dataclass(frozen=True, eq=False)
class WidthPrediction:
    """Estimated states of every level.

    Attributes:
        widths: float64 (levels,).
        exact: True when the beam never overflowed, so that the widths are no estimates.
        expanded: states that were looked at: the price of the prediction.
        seconds: time it took.
    """

    widths: NDArray[np.float64]
    exact: bool
    expanded: int
    seconds: float

    @property
    def states(self) -> float:
        """States of all levels together: what a compilation costs."""
        return float(self.widths.sum())

    @property
    def width(self) -> float:
        """States of the widest level."""
        return float(self.widths.max()) if len(self.widths) else 0.0


@kernel
def _shared_weight(up, each, level, one, other):  # type: ignore[no-untyped-def]
    """Weight of the last state that two states (parents of equal children) both descend from."""
    a, i = level, one
    b, j = level, other
    while a != b or i != j:
        if a >= b:
            lower_a, lower_i = up[a, i, 0], up[a, i, 1]
        else:
            lower_a, lower_i = a, i
        if b >= a:
            b, j = up[b, j, 0], up[b, j, 1]
        a, i = lower_a, lower_i
    return each[a]


@kernel
def _beam(fields, root, root_level, sizes, words, key, beam, room, stop, widths, scratch):  # type: ignore[no-untyped-def]
    """Fill ``widths``; return (states expanded, 1.0 if exact)."""
    params = named(fields)
    levels = sizes.shape[0]
    most = 0
    for level in range(levels):
        most = max(most, sizes[level])
    choices = np.arange(most)
    pool = np.empty((room + most, root.shape[0]), np.uint64)
    level_of = np.empty(room + most, np.int64)
    parent = np.empty((room + most, 2), np.int64)
    block = max(_BLOCK, most)
    rank = np.empty(block, np.int64)
    to = np.empty(block, np.int64)
    degree = np.empty(block, np.int64)
    born = np.empty((block, root.shape[0]), np.uint64)
    flat = np.empty((room + most) * root.shape[0], np.uint64)
    origin = np.empty((room + most, 2), np.int64)
    # ancestors of the states that were followed, and how many states each stands for
    up = np.zeros((levels, beam, 2), np.int64)
    each = np.ones(levels, np.float64)
    size = 64
    while size < 2 * (room + most):
        size *= 2
    slots = np.zeros(size, np.int64)
    stamp = np.full(size, -1, np.int64)
    mask = np.uint64(size - 1)
    for w in range(len(root)):
        pool[0, w] = root[w]
    level_of[0] = root_level
    parent[0, 0] = root_level
    parent[0, 1] = 0
    used = 1
    expanded = 0
    exact = 1.0
    total = 0.0
    random = np.uint64(0x2545F4914F6CDD1D)
    for level in range(root_level, levels):
        # take the states of this level out of the pool, equal ones once
        found = 0
        pairs = 0.0
        arrived = 0.0
        seen = 0
        rest = 0
        columns = words[level]
        here = flat[: (room + most) * columns].reshape((room + most, columns))
        for i in range(used):
            if level_of[i] != level:
                if rest != i:
                    for w in range(pool.shape[1]):
                        pool[rest, w] = pool[i, w]
                    level_of[rest] = level_of[i]
                    parent[rest, 0] = parent[i, 0]
                    parent[rest, 1] = parent[i, 1]
                rest += 1
                continue
            seen += 1
            above = each[parent[i, 0]]
            arrived += above
            h = hash_row(pool, i, min(key, columns))
            slot = h & mask
            while True:
                if stamp[slot] != level:
                    stamp[slot] = level
                    slots[slot] = found
                    for w in range(columns):
                        here[found, w] = pool[i, w]
                    origin[found, 0] = parent[i, 0]
                    origin[found, 1] = parent[i, 1]
                    found += 1
                    break
                other = slots[slot]
                same = True
                for w in range(min(key, columns)):
                    if here[other, w] != pool[i, w]:
                        same = False
                        break
                if same:
                    a, b = parent[i, 0], origin[other, 0]
                    x, y = parent[i, 1], origin[other, 1]
                    while a > b:
                        a, x = up[a, x, 0], up[a, x, 1]
                    while b > a:
                        b, y = up[b, y, 0], up[b, y, 1]
                    shared = _shared_weight(up, each, a, x, y)
                    # chance of seeing such a pair: the shared ancestor, then both lines
                    pairs += above * each[origin[other, 0]] / shared
                    break
                slot = (slot + np.uint64(1)) & mask
        used = rest
        if found == 0:
            continue
        estimate = float(found)
        if arrived > seen:
            estimate = max(estimate, arrived / (1.0 + 2.0 * pairs / arrived))
        widths[level] = estimate
        total += estimate
        if total > stop:
            exact = 0.0
            widths[level] += stop
            break
        go = found
        if found > beam:
            go = beam
            exact = 0.0
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
                draw = np.int64(random >> np.uint64(33)) % (found - s)
                if draw >= go - chosen:
                    continue
            for w in range(columns):
                here[chosen, w] = here[s, w]
            up[level, chosen, 0] = origin[s, 0]
            up[level, chosen, 1] = origin[s, 1]
            chosen += 1
        block = max(1, born.shape[0] // max(sizes[level], 1))
        for lo in range(0, chosen, block):
            hi = min(lo + block, chosen)
            expand(
                params, level, here, lo, hi, choices[: sizes[level]], born, degree, rank, to,
                scratch,
            )  # fmt: skip
            child = 0
            for s in range(lo, hi):
                if used + sizes[level] > room:
                    break
                expanded += 1
                for c in range(child, child + degree[s - lo]):
                    for w in range(pool.shape[1]):
                        pool[used, w] = born[c, w]
                    level_of[used] = to[c]
                    parent[used, 0] = level
                    parent[used, 1] = s
                    used += 1
                child += degree[s - lo]
    return expanded, exact


def predict_spec(spec: Spec, beam: int = 500, *, stop: float = float("inf")) -> WidthPrediction:
    """Estimate the states of every level of a spec.

    Args:
        spec: any spec.
        beam: states of a level that are followed; the time is proportional to it.
        stop: give up when this many states are predicted (the order loses anyway): the widths
            then end there, and their sum is past ``stop``.
    """
    began = perf_counter()
    widths = np.zeros(spec.levels, np.float64)
    if not 0 <= spec.root_level < spec.levels:
        return WidthPrediction(widths, True, 0, perf_counter() - began)
    sizes = np.array([len(c) for c in spec.choices], np.int64)
    # children of one level, and on specs that jump those that wait for later ones
    room = 4 * max(beam, 64) * (1 if spec.max_jump == 1 else 4) + 4 * int(sizes.max())
    key = spec.max_words if spec.key_words is None else spec.key_words
    expanded, exact = _beam(
        anonymous(spec.params),
        spec.root.astype(np.uint64),
        spec.root_level,
        sizes,
        spec.words.astype(np.int64),
        key,
        beam,
        room,
        float(stop),
        widths,
        np.zeros(max(spec.scratch, 1), np.uint64),
    )
    return WidthPrediction(widths, bool(exact), int(expanded), perf_counter() - began)
