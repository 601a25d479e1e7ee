"""Reference families of sets: plain Python, built without the package's kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from oracles import Solutions

from bddsudoku.diagrams.zdd import Diagram

Family = Solutions


def family(sets: Iterable[Iterable[int]]) -> Family:
    return frozenset(frozenset(s) for s in sets)


def diagram_of(labels: Sequence[int], sets: Iterable[Iterable[int]]) -> Diagram:
    """The family's diagram by Shannon expansion, children before parents, no further care."""
    variable, low, high = [0, 0], [0, 0], [0, 0]
    seen: dict[tuple[int, Family], int] = {}

    def build(i: int, sets: Family) -> int:
        if not sets:
            return 0
        if i == len(labels):
            return 1
        if (i, sets) not in seen:
            key = labels[i]
            a = build(i + 1, frozenset(s for s in sets if key not in s))
            b = build(i + 1, frozenset(s - {key} for s in sets if key in s))
            variable.append(i)
            low.append(a)
            high.append(b)
            seen[i, sets] = len(variable) - 1
        return seen[i, sets]

    root = build(0, family(sets))
    return Diagram.from_arrays(labels, variable, low, high, root)


def in_order(labels: Sequence[int], sets: Family) -> list[frozenset[int]]:
    """The sets in a diagram's order: at the first difference, who holds the variable is first."""
    return sorted(sets, key=lambda s: [key not in s for key in labels])


def naive_nodes(keys: Sequence[int], sets: Family, kind: str) -> int:
    """Inner nodes of the reduced diagram over ``keys``: its different sub-families, counted."""
    seen: set[tuple[int, Family]] = set()
    stack = [(0, sets)]
    visited: set[tuple[int, Family]] = set()
    while stack:
        i, f = stack.pop()
        if i == len(keys) or (i, f) in visited:
            continue
        visited.add((i, f))
        without = frozenset(s for s in f if keys[i] not in s)
        within = frozenset(s - {keys[i]} for s in f if keys[i] in s)
        if within if kind == "zdd" else without != within:
            if kind == "cbdd":  # a function and its negation are one node: keep the smaller name
                rest = [
                    frozenset(c)
                    for k in range(len(keys) - i + 1)
                    for c in combinations(keys[i:], k)
                ]
                negated = frozenset(rest) - f
                f_name = min(f, negated, key=lambda x: sorted(map(sorted, x)))
                seen.add((i, f_name))
            else:
                seen.add((i, f))
        stack += [(i + 1, without), (i + 1, within)]
    return len(seen)


@st.composite
def families(draw: st.DrawFn, keys: Sequence[int] = range(7)) -> tuple[list[int], Family]:
    """Some keys in some order, and a family of subsets of them."""
    order = draw(st.permutations(keys))
    labels = list(order[: draw(st.integers(0, len(keys)))])
    if not labels:
        return labels, family(draw(st.sampled_from([[], [[]]])))
    return labels, family(draw(st.lists(st.sets(st.sampled_from(labels)), max_size=25)))


def big_diagram(levels: int, width: int, seed: int) -> Diagram:
    """A random diagram with up to ``levels * width`` nodes and some 2 ** (0.7 levels) sets."""
    rng = np.random.default_rng(seed)
    variable = [0, 0]
    low = [0, 1]
    high = [0, 1]
    for v in range(levels - 1, -1, -1):
        if v == levels - 1:
            children = np.array([1])
        else:
            children = np.arange(max(2, len(variable) - width - width // 2), len(variable))
        variable += [v] * width
        low += rng.choice(children, width).tolist()
        high += rng.choice(children, width).tolist()
    return Diagram.from_arrays(range(levels), variable, low, high, len(variable) - 1)


def power_set(levels: int, labels: Sequence[int] | None = None) -> Diagram:
    """One node a level with equal children: all subsets."""
    ids = np.arange(levels + 2)
    variable = np.concatenate(([levels, levels], np.arange(levels)[::-1]))
    child = np.maximum(ids - 1, 0)
    child[2:3] = 1
    return Diagram.from_arrays(labels or range(levels), variable, child, child, levels + 1)
