"""Translation of a model's constraints into cells and propagators of the constraint search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.search.arrays import (
    CHOICE,
    HOUSE,
    MDD,
    RELATION,
    SET,
    SUM,
    SearchTables,
    SearchWorkspace,
)
from bddsudoku.engine.search.cells_from_booleans import (
    MAX_VALUES,
    Cells,
    ChosenCell,
    bit_numbers,
    choose_cells,
)
from bddsudoku.engine.search.choices import make_choice_tables
from bddsudoku.engine.search.houses import HouseTables
from bddsudoku.engine.search.mdds import make_mdd_tables, new_mdd_workspace
from bddsudoku.engine.search.propagators import Propagators
from bddsudoku.engine.search.relations import (
    Rows,
    make_relation_tables,
    transpose_relation,
)
from bddsudoku.engine.search.sets import make_set_tables
from bddsudoku.engine.search.sums import make_sum_tables, new_sum_workspace
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import U64, flat_lists
from bddsudoku.model.constraints import (
    Constraint,
    Members,
    OneHot,
    OneHotSets,
    read_one_hots,
)
from bddsudoku.model.propagation import restrict_together
from bddsudoku.model.word_constraints import Automaton

MAX_CANDIDATES = 1 << 15
"""Greatest number of variables."""


_BYTES_PER_PAIR = 400
"""Bytes of tables for each of the :func:`exclusive_pairs` (measured)."""


def exclusive_pairs(items: Iterable[Members]) -> int:
    """Pairs of values of the same item, for items of too many variables for a cell."""
    return sum(len(item) ** 2 for item in items if len(item) > MAX_VALUES)


@dataclass(frozen=True)
class SearchProblem:
    """A model's constraints as arrays, for any number of searches.

    Attributes:
        unconstrained: ascending positions of the variables in no constraint.
        possible: False when a single constraint already excludes every solution.
        cells: number of cells.
        tables: see :class:`bddsudoku.engine.search.arrays.SearchTables`.
        root: the row of the search's root, before propagation.
    """

    unconstrained: tuple[int, ...]
    possible: bool
    cells: int
    tables: SearchTables
    root: U64


def translate_model(
    variables: int,
    constraints: Sequence[Constraint],
    *,
    seed: int | None = None,
    check: MemoryCheck | None = None,
) -> SearchProblem:
    """Translate constraints into the arrays of a search.

    Args:
        variables: number of variables; constraints name them by position.
        constraints: constraints of any kind; variables of used-up ones are false in all others.
        seed: shuffles the order in which values are tried; None keeps that of the variables.
        check: called now and then with the additional bytes; may raise.

    Raises:
        ModelError: there are more than :data:`MAX_CANDIDATES` variables.
        LimitReached: an MDD is too wide; the message names its constraint.
    """
    one_hots = read_one_hots(tuple([c for c in constraints if isinstance(c, OneHot)]))
    others = [c for c in constraints if not isinstance(c, OneHot)]
    false = one_hots.false
    others = restrict_together(others, dict.fromkeys(false, False)) if false else others
    touched = one_hots.variables.union(*(c.variables for c in others))
    if len(touched) > MAX_CANDIDATES:
        raise ModelError(f"{len(touched):,} candidates; search takes at most {MAX_CANDIDATES:,}")
    if check is not None:
        check(_BYTES_PER_PAIR * exclusive_pairs(one_hots.items))
    free = tuple(v for v in range(variables) if v not in touched and v not in false)
    order: range | tuple[int, ...] = range(variables)
    if seed is not None:
        order = tuple(np.random.default_rng(seed).permutation(variables).tolist())
    possible = one_hots.possible
    if not possible:
        one_hots, others, touched = read_one_hots(()), [], frozenset()
    words = (c.groups for c in others if isinstance(c, Automaton))
    read = [tuple([v for v in group if v >= 0]) for group in dict.fromkeys(chain(*words))]
    chosen = frozenset(choose_cells(one_hots, [part for part in read if part], sorted(touched)))
    p = _translate_one_hots(chosen, one_hots, order).copy(check)
    for c in others:
        p.add(c)
    p.add_derived_sums()
    for (a, b), values in p.peers.items():
        if not p.domain[a] & p.domain[b] & ~values:
            p.different[a] |= 1 << b
            p.different[b] |= 1 << a
    if check is not None:
        check(1000 * len(p.domain))  # the list of changed cells, and some rows
    tables, root = _build_tables(p)
    return SearchProblem(free, possible and p.possible, len(p.domain), tables, root)


@lru_cache(maxsize=4)
def _translate_one_hots(
    chosen: frozenset[ChosenCell], one_hots: OneHotSets, order: Sequence[int]
) -> Propagators:
    """Translate one-hot constraints, which are the same for all empty boards of one shape.

    Args:
        chosen: the cells, see :func:`.cells_from_booleans.choose_cells`.
        one_hots: the constraints.
        order: rank of every variable.
    """
    exact = {members for members, exactly in chosen if exactly}
    names = [item for item in one_hots.items if item not in exact]
    p = Propagators(Cells(chosen, (*names, *one_hots.groups), order))
    for item in names:
        p.add_exactly_one(item)
    p.add_hall_sets(one_hots.groups)
    p.exclude_in_houses()
    for group in one_hots.groups:
        p.add_at_most_one(group)
    return p


def _bit_sets(sets: Sequence[int], words: int) -> U64:
    """Pack sets of cells, given as integers, into rows of ``words`` words."""
    # Never read-only: for arrays of another type the whole search would be compiled again.
    flat = bytearray().join(cells.to_bytes(8 * words, "little") for cells in sets)
    return np.frombuffer(flat, "<u8").reshape(len(sets), words)


def _sparse_bit_sets(sets: Sequence[int]) -> tuple[U64, U64, U64]:
    """List the words of bit sets that are not 0: where each begins, word numbers, words."""
    at, numbers, words = [0], [], []
    for bits in sets:
        while bits:
            numbers.append((bits & -bits).bit_length() - 1 >> 6)
            words.append(bits >> 64 * numbers[-1] & (1 << 64) - 1)
            bits ^= words[-1] << 64 * numbers[-1]
        at.append(len(words))
    return (
        np.array(at, dtype=np.uint64),
        np.array(numbers, dtype=np.uint64),
        np.array(words, dtype=np.uint64),
    )


def _build_tables(p: Propagators) -> tuple[SearchTables, U64]:
    """Make the tables of a search problem, and the state in which the search starts."""
    n = len(p.domain)
    wide = max((d.bit_length() for d in p.domain), default=1)
    variable = [
        [-1 if v is None else v for v in map(of.get, range(wide))] for of in p.cells.variable
    ]
    peers: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    words = -(-n // 64) if p.has_bit_sets else 0
    seen = p.different if words else [0] * n
    for (a, b), values in p.peers.items():
        if p.domain[a] & p.domain[b] & values and not seen[a] >> b & 1:
            peers[a].append((b, values))
            peers[b].append((a, values))
    relations: list[tuple[int, int, Rows, Rows]] = []
    for (a, b), allowed in p.allowed.items():
        apart = p.excluded_values(a, b)
        rows = tuple([row & ~(apart & 1 << v) for v, row in enumerate(allowed)])
        relations.append((a, b, rows, transpose_relation(rows, p.domain[b].bit_length())))
    houses = [bit_numbers(whole) for whole, _ in p.houses]
    houses_of = [0] * n
    required = [0] * wide
    for i, (_, cells_of) in enumerate(p.houses):
        for c in houses[i]:
            houses_of[c] |= 1 << i
        for v in bit_numbers(sum(cells_of)):
            required[v] |= 1 << i
    house_words = -(-len(houses) // 64)
    own = wide * (-(-n // 64) + house_words) + 2 * len(p.sets)
    p.mdds.sort(key=lambda one: one.mdd.size * (1 + len(one.cells)))
    mdds, live = make_mdd_tables(p.mdds, n, n + own)
    scopes: list[tuple[int, int, list[int]]] = []
    scopes += [(RELATION, i, [a, b]) for i, (a, b, _, _) in enumerate(relations)]
    scopes += [(SET, i, [*cells]) for i, (cells, _) in enumerate(p.sets)]
    house_values = (0, 0)
    if houses:  # the values have a word of the queue of their own
        scopes += [(HOUSE, 0, [])] * (-len(scopes) % 64)
        house_values = (len(scopes) >> 6, sum(1 << v for v in range(wide) if required[v]))
        scopes += [(HOUSE, v if v < wide else 0, []) for v in range(MAX_VALUES)]
    scopes += [(CHOICE, i, [c for c, _ in one.places]) for i, one in enumerate(p.choices)]
    scopes += [
        (SUM, i, [c for _, rows in one.cliques for c, _ in rows]) for i, one in enumerate(p.sums)
    ]
    mdds = mdds._replace(slot=np.arange(len(scopes), len(scopes) + len(p.mdds), dtype=np.uint64))
    scopes += [(MDD, i, [*one.cells]) for i, one in enumerate(p.mdds)]
    wakes = [0] * n
    for slot, (kind, _, cells) in enumerate(scopes):
        for c in cells if kind != MDD else ():
            wakes[c] |= 1 << slot
    found = SearchTables(
        np.array(variable, dtype=np.int32).reshape(n, wide),
        *flat_lists([[c for c, _ in some] for some in peers]),
        np.array([values for some in peers for _, values in some], dtype=np.uint64),
        *_sparse_bit_sets(wakes),
        np.array([kind for kind, _, _ in scopes], dtype=np.uint64),
        np.array([entry for _, entry, _ in scopes], dtype=np.uint64),
        np.array(house_values, dtype=np.uint64),
        *flat_lists([*(cells for _, _, cells in scopes), *houses]),
        make_relation_tables(relations),
        HouseTables(
            *_sparse_bit_sets([whole for whole, _ in p.houses]),
            *_sparse_bit_sets(houses_of),
            _bit_sets(required, house_words),
            _bit_sets(seen, words),
        ),
        make_set_tables(p.sets),
        make_choice_tables(p.choices),
        mdds,
        make_sum_tables(p.sums),
    )
    left = np.array(p.left, dtype=np.uint64)
    return found, np.concatenate([left, np.zeros(own, dtype=np.uint64), live])


def new_workspace(p: SearchProblem, depths: int) -> SearchWorkspace:
    """Make the workspace of a search of depth at most ``depths``, with all propagators queued."""
    t = p.tables
    slots = len(t.kind)
    waiting = (1 << slots) - 1
    queue = [waiting >> 64 * k & (1 << 64) - 1 for k in range(-(-slots // 64))]
    changed = np.zeros(p.cells + 64 * p.cells + 2, dtype=np.uint64)
    changed[: p.cells] = np.arange(p.cells)
    return SearchWorkspace(
        np.zeros(depths, dtype=np.uint64),
        np.zeros(depths, dtype=np.uint64),
        changed,
        np.array(queue, dtype=np.uint64),
        np.ones(p.cells),
        np.zeros(p.cells, dtype=np.uint64),
        np.zeros_like(t.houses.required),
        np.ones(1),
        np.zeros(p.cells, dtype=np.uint64),
        np.zeros((2, int(np.diff(t.sets.entry[:, :2]).max(initial=0))), dtype=np.uint64),
        new_mdd_workspace(t.mdds),
        new_sum_workspace(t.sums),
    )
