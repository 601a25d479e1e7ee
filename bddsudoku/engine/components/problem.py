"""Flat arrays of a problem with one-hot constraints only, for the component search.

*Candidates* are the variables, and complements: a variable in no item has one, which is true when
the variable is false. *Items* are sets of candidates of which exactly one is true.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import U64, Flags, flat_lists
from bddsudoku.model.constraints import Constraint, OneHot, read_one_hots

MAX_CANDIDATES = 1 << 15
"""Greatest number of candidates; their conflict matrix takes 128 MiB."""


class ComponentTables(NamedTuple):
    """Candidates and items. Lists of lists are flat; ``…_at`` says where each list begins."""

    conflict: U64
    """(candidates, words): the candidates that exclude each candidate."""
    items_at: U64
    items: U64
    """The items of a candidate."""
    member_at: U64
    member: U64
    """The candidates of an item."""
    variables: U64
    """(words,): the candidates that are variables, not complements."""


@dataclass(frozen=True)
class ComponentProblem:
    """One-hot constraints as arrays, for any number of searches.

    Attributes:
        unconstrained: ascending positions of the variables in no constraint.
        possible: False when a single constraint already excludes every solution.
        candidates: number of candidates.
        tables: see :class:`ComponentTables`.
        live: the candidates that are possible at first, as a bit set.
        left: the number of these in each item.
    """

    unconstrained: tuple[int, ...]
    possible: bool
    candidates: int
    tables: ComponentTables
    live: U64
    left: U64


def prepare_component_search(
    variables: int, constraints: Iterable[Constraint], *, check: MemoryCheck | None = None
) -> ComponentProblem:
    """Translate one-hot constraints into the arrays of a component search.

    Args:
        variables: number of variables, the first candidates; constraints name them by position.
        constraints: constraints; those that are not one-hot are skipped.
        check: called with the bytes of the conflict matrix; may raise.

    Raises:
        ModelError: there are more than :data:`MAX_CANDIDATES` candidates.
    """
    one_hots = read_one_hots([c for c in constraints if isinstance(c, OneHot)])
    items = [*one_hots.items]
    n = variables
    for v in sorted(one_hots.variables.difference(*one_hots.items)):
        items.append((v, n))
        n += 1
    if n > MAX_CANDIDATES:
        raise ModelError(f"{n:,} candidates; components takes at most {MAX_CANDIDATES:,}")
    if check is not None:
        check(n * n // 8)
    items_of: list[list[int]] = [[] for _ in range(n)]
    for i, item in enumerate(items):
        for u in item:
            items_of[u].append(i)
    live = np.ones(n, dtype=np.bool_)
    live[list(one_hots.false)] = False
    left = np.array([len(item) for item in items], dtype=np.uint64)
    tables = ComponentTables(
        _conflict_matrix((*items, *one_hots.groups), n),
        *flat_lists(items_of),
        *flat_lists(items),
        _pack_flags(np.arange(n) < variables),
    )
    touched = one_hots.variables | one_hots.false
    free = tuple(v for v in range(variables) if v not in touched)
    return ComponentProblem(free, one_hots.possible, n, tables, _pack_flags(live), left)


def _pack_flags(flags: Flags) -> U64:
    padded = np.append(flags, np.zeros(-len(flags) % 64, dtype=np.bool_))
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def _conflict_matrix(groups: Iterable[tuple[int, ...]], n: int) -> U64:
    """For each of n candidates, the bit set of the candidates that exclude it."""
    conflict = np.zeros((n, -(-n // 64)), dtype=np.uint64)
    for group in map(list, groups):
        held = np.zeros(n, dtype=np.bool_)
        held[group] = True
        conflict[group] |= _pack_flags(held)
    every = np.arange(n)
    conflict[every, every >> 6] &= ~(np.uint64(1) << (every & 63).astype(np.uint64))
    return conflict
