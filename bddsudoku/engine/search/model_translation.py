"""Translation of a model's constraints into cells and propagators of the constraint search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bddsudoku.context import MemoryCheck
from bddsudoku.engine.search.arrays import (
    CHOICE,
    HOUSE,
    MDD,
    PARTITION,
    REGION,
    RELATION,
    SET,
    SUM,
    SearchTables,
    SearchWorkspace,
)
from bddsudoku.engine.search.cells import MAX_VALUES, CellProblem, make_cells
from bddsudoku.engine.search.choices import make_choice_tables
from bddsudoku.engine.search.connected import make_region_tables, new_region_workspace
from bddsudoku.engine.search.connected_propagators import add_crossings
from bddsudoku.engine.search.domain_reduction import Propagated, bit_numbers
from bddsudoku.engine.search.houses import make_house_tables, sparse_bit_sets
from bddsudoku.engine.search.leftovers import add_leftovers
from bddsudoku.engine.search.linear_propagators import add_derived_sums
from bddsudoku.engine.search.mdds import make_mdd_tables
from bddsudoku.engine.search.partitions import make_partition_tables
from bddsudoku.engine.search.propagators import add_constraint, add_one_hots
from bddsudoku.engine.search.relations import (
    Relation,
    make_relation_tables,
    transpose_relation,
)
from bddsudoku.engine.search.sets import make_set_tables
from bddsudoku.engine.search.sums import make_sum_tables, new_sum_workspace
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import U64, as_words, flat_lists
from bddsudoku.model.allocation import restrict_together
from bddsudoku.model.constraints import OneHot, read_one_hots
from bddsudoku.model.model import Model

MAX_CANDIDATES = 1 << 15
"""Greatest number of variables."""


@dataclass(frozen=True)
class SearchProblem:
    """A model's constraints as arrays, for any number of searches.

    Attributes:
        unconstrained: ascending positions of the variables in no constraint.
        possible: False when a single constraint already excludes every solution.
        cells: number of cells.
        tables: see :class:`bddsudoku.engine.search.arrays.SearchTables`.
        root: the row of the search's root, before propagation.
        selectors: the cells on which the search does not branch.
    """

    unconstrained: tuple[int, ...]
    possible: bool
    cells: int
    tables: SearchTables
    root: U64
    selectors: Sequence[int]


def translate_model(
    model: Model, *, seed: int | None = None, check: MemoryCheck | None = None
) -> SearchProblem:
    """Translate constraints into the arrays of a search.

    Args:
        model: any model; variables of used-up constraints are false in all others.
        seed: shuffles the order in which values are tried; None keeps that of the variables.
        check: called now and then with the additional bytes; may raise.

    Raises:
        ModelError: there are more than :data:`MAX_CANDIDATES` variables.
        LimitReached: an MDD is too wide; the message names its constraint.
    """
    variables, one_hots = model.variables, read_one_hots(model.one_hots)
    others = [c for c in model.constraints if not isinstance(c, OneHot)]
    false = one_hots.false
    others = restrict_together(others, dict.fromkeys(false, False)) if false else others
    touched = one_hots.variables.union(*(c.variables for c in others))
    if len(touched) > MAX_CANDIDATES:
        raise ModelError(f"{len(touched):,} candidates; search takes at most {MAX_CANDIDATES:,}")
    free = tuple(v for v in range(len(variables)) if v not in touched and v not in false)
    order: list[int] | None = None
    if seed is not None:
        order = np.random.default_rng(seed).permutation(len(variables)).tolist()
    possible = one_hots.possible
    if not possible:
        one_hots, others, touched = read_one_hots(()), [], frozenset()
    p = CellProblem(*make_cells(variables, one_hots, sorted(touched), order), check)
    add_one_hots(p, one_hots)
    for c in others:
        add_constraint(p, c)
    add_derived_sums(p)
    add_leftovers(p, model)
    add_crossings(p)
    if check is not None:
        check(1000 * len(p.domain))  # the list of changed cells, and some rows
    tables, root = _build_tables(p)
    possible &= p.possible
    return SearchProblem(free, possible, len(p.domain), tables, root, p.selectors)


def _relations(p: CellProblem) -> list[Relation]:
    """The relations of a problem: two cells, and what the values of each leave of the other.

    Those that say no more than that two cells are different are noted as such.
    """
    found: list[Relation] = []
    for (a, b), allowed in p.allowed.items():
        apart = p.domain[a] & p.domain[b]
        if p.has_bit_sets and not any(allowed[v] >> v & 1 for v in bit_numbers(apart)):
            p.different[a] |= 1 << b
            p.different[b] |= 1 << a
        elif not p.different[a] >> b & 1:
            apart = 0
        rows = tuple([row & ~(apart & 1 << v) for v, row in enumerate(allowed)])
        if not apart or any(
            rows[v] != p.domain[b] & ~(apart & 1 << v) for v in bit_numbers(p.domain[a])
        ):
            back = transpose_relation(rows, p.domain[b].bit_length())
            found.append(Relation((a, b), rows, back))
    return found


def _build_tables(p: CellProblem) -> tuple[SearchTables, U64]:
    """Make the tables of a search problem, and the state in which the search starts."""
    n = len(p.domain)
    wide = max((d.bit_length() for d in p.domain), default=1)
    variable = [[-1 if v is None else v for v in map(of.get, range(wide))] for of in p.variable]
    words = -(-n // 64) if p.has_bit_sets else 0
    relations = _relations(p)
    houses = make_house_tables(p.houses, wide, p.different, words)
    p.mdds.sort(key=lambda one: one.mdd.size * (1 + len(one.cells)))
    # The number of each propagator among those of its kind, and its cells; cheap kinds first.
    scopes: list[tuple[int, int, Sequence[int]]] = []

    def add_scopes(kind: int, constraints: Sequence[Propagated]) -> None:
        scopes.extend((kind, i, one.cells) for i, one in enumerate(constraints))

    add_scopes(RELATION, relations)
    add_scopes(SET, p.sets)
    house_values = (0, 0)
    if p.houses:  # the values have a word of the queue of their own
        scopes += [(HOUSE, 0, ())] * (-len(scopes) % 64)
        house_values = (
            len(scopes) >> 6,
            sum(1 << v for v in range(wide) if any(houses.required[v])),
        )
        scopes += [(HOUSE, v if v < wide else 0, ()) for v in range(MAX_VALUES)]
    add_scopes(CHOICE, p.choices)
    add_scopes(PARTITION, p.partitions)
    add_scopes(REGION, p.regions)
    add_scopes(SUM, p.sums)
    add_scopes(MDD, p.mdds)
    wakes = [0] * n
    for slot, (_, _, cells) in enumerate(scopes):
        for c in cells:
            wakes[c] |= 1 << slot
    own = wide * (-(-n // 64) + houses.required.shape[1]) + 2 * len(p.sets)
    mdds, live = make_mdd_tables(p.mdds, n + own)
    # Dead ends of a selector count for a cell that tells the alternative, which can be branched on.
    told = {b: a for a, b in p.allowed if b in p.selectors and a not in p.selectors}
    counted = [[told.get(c, c) for c in cells] for _, _, cells in scopes]
    wake_at, wake_word, wake = sparse_bit_sets(wakes)
    scope_at, scope = flat_lists([*counted, *(bit_numbers(whole) for whole, _ in p.houses)])
    has_regions = bool(p.partitions or p.regions)
    found = SearchTables(
        variable=np.array(variable, dtype=np.int32).reshape(n, wide),
        wake_at=wake_at,
        wake_word=wake_word,
        wake=wake,
        kind=as_words([kind for kind, _, _ in scopes]),
        entry=as_words([entry for _, entry, _ in scopes]),
        house_values=as_words(house_values),
        scope_at=scope_at,
        scope=scope,
        relations=make_relation_tables(relations),
        houses=houses,
        sets=make_set_tables(p.sets),
        choices=make_choice_tables(p.choices),
        partitions=make_partition_tables(p.partitions) if has_regions else None,
        regions=make_region_tables(p.regions) if has_regions else None,
        mdds=mdds,
        sums=make_sum_tables(p.sums),
    )
    return found, np.concatenate([as_words(p.left), np.zeros(own, dtype=np.uint64), live])


def new_workspace(p: SearchProblem, depths: int) -> SearchWorkspace:
    """Make the workspace of a search of depth at most ``depths``, with all propagators queued."""
    t = p.tables
    slots = len(t.kind)
    waiting = (1 << slots) - 1

    def zeros(*shape: int) -> U64:
        return np.zeros(shape, dtype=np.uint64)

    changed = zeros(p.cells + 64 * p.cells + 2)
    changed[: p.cells] = np.arange(p.cells)
    weight = np.ones(p.cells)
    weight[list(p.selectors)] = -np.inf  # so that no branching chooses one
    return SearchWorkspace(
        cell=zeros(depths),
        value=zeros(depths),
        changed=changed,
        queue=as_words([waiting >> 64 * k & (1 << 64) - 1 for k in range(-(-slots // 64))]),
        weight=weight,
        before=zeros(p.cells),
        pending=np.zeros_like(t.houses.required),
        increment=np.ones(1),
        witness=zeros(p.cells),
        possible=zeros(2, int(np.diff(t.sets.entry[:, :2]).max(initial=0))),
        regions=None if t.regions is None else new_region_workspace(t.regions),
        reached=zeros(int(np.diff(t.mdds.words_at).max(initial=1))),
        sums=new_sum_workspace(t.sums),
    )
