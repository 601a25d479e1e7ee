"""Translation of a model's constraints into cells and propagators of the constraint search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import factorial

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
from bddsudoku.engine.search.cells import MAX_VALUES, Cells, Members
from bddsudoku.engine.search.houses import HouseTables
from bddsudoku.engine.search.mdds import CellMdd, mdd_tables, new_mdd_workspace
from bddsudoku.engine.search.relations import ChoiceTables, Rows, relation_tables, transposed
from bddsudoku.engine.search.sets import SetTables
from bddsudoku.engine.search.sums import Sum, find_sum, new_sum_workspace, sum_tables
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import U64
from bddsudoku.model.constraints import TRUE, Automaton, Constraint, Linear, OneHot
from bddsudoku.model.mdd import Mdd
from bddsudoku.model.to_mdd import ConstraintMdd, constraint_mdd

MAX_CANDIDATES = 1 << 15
"""Greatest number of variables."""
_MAX_PEERS = 64
"""Most cells of a set of exclusive variables that is written as peers: all have the same value."""
_MAX_RELATED = 4
"""The same for other sets, which are written as relations."""
_MAX_SEEING = 1 << 11
"""Most cells of a problem in which values are taken from the cells that see all their places."""
_MAX_SETS = 1 << 10
"""Most sets of values of a set constraint."""


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


class _Propagators:
    """Collector of what the cells of a problem must satisfy."""

    def __init__(self, cells: Cells, check: MemoryCheck | None) -> None:
        self.cells = cells
        self.check = check
        self.domain = cells.domains
        self.left = [*self.domain]
        """What single constraints leave of the domains."""
        self.possible = True
        self.peers: defaultdict[tuple[int, int], int] = defaultdict(int)
        """Values that two cells (the lower first) may not share."""
        self.excludes = False
        """Whether cells exclude equal values beyond houses."""
        self.allowed: dict[tuple[int, int], list[int]] = {}
        """For two cells what every value of the first leaves of the second."""
        self.houses: list[tuple[int, dict[int, int]]] = []
        """The set of cells of a house; for each of its values those that may take it."""
        self.choices: list[tuple[list[tuple[int, int]], bool]] = []
        self.sets: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self.sums: list[Sum] = []
        self.mdds: list[CellMdd] = []
        holding: defaultdict[int, int] = defaultdict(int)
        for c, domain in enumerate(self.domain):
            while domain:
                bit = domain & -domain
                holding[bit] |= 1 << c
                domain ^= bit
        self.holding = holding
        """The cells that have a value, by its bit."""
        self.repeated: dict[Members, int] = {}
        """Cells added for variables of several cells that a constraint reads together."""

    # -- exactly one, at most one ------------------------------------------------------------------

    def places(self, members: Iterable[int]) -> list[tuple[int, int]]:
        """The cell and the value of every variable."""
        return [self.cells.place[v] for v in members]

    def add_item(self, members: Members) -> None:
        """Exactly one of some variables is true."""
        places = self.places(members)
        values = {k for _, k in places}
        cells = {c for c, _ in places}
        if len(values) > 1 or len(cells) < len(places):
            self.choices.append((places, True))
            self.exclude(members)
            return
        bit = 1 << places[0][1]
        mine = sum(1 << c for c in cells)
        for i, (whole, of) in enumerate(self.houses):
            if bit in of or not whole & mine or self.holding[bit] & whole & ~mine:
                continue
            if mine & ~whole and any(
                self.holding[other] & (whole | mine) != held for other, held in of.items()
            ):
                continue
            of[bit] = mine
            self.houses[i] = (whole | mine, of)
            break
        else:
            self.houses.append((mine, {bit: mine}))

    def exclude_in_houses(self) -> None:
        """No two cells of a house have the same of its values; to be called after the last item."""
        for whole, of in self.houses:
            values = sum(of)
            for a, b in combinations(_bits(whole), 2):
                self.peers[a, b] |= self.domain[a] & self.domain[b] & values

    def exclude(self, members: Members) -> None:
        """At most one of some variables is true."""
        places = self.places(members)
        held: defaultdict[int, int] = defaultdict(int)
        for c, k in places:
            held[c] |= 1 << k
        one = 1 << places[0][1]
        if len(held) <= _MAX_PEERS and all(values == one for values in held.values()):
            for pair in combinations(sorted(held), 2):
                self.excludes |= self.peers[pair] & one == 0
                self.peers[pair] |= one
        elif len(held) <= _MAX_RELATED:
            for a, b in combinations(sorted(held), 2):
                allowed = self.relation(a, b)
                for k in _bits(held[a]):
                    allowed[k] &= ~held[b]
        else:
            self.choices.append((places, False))

    def relation(self, a: int, b: int) -> list[int]:
        """What every value of cell a leaves of cell b > a; to be changed in place."""
        found = self.allowed.get((a, b))
        if found is None:
            found = [
                self.domain[b] if self.domain[a] >> v & 1 else 0
                for v in range(self.domain[a].bit_length())
            ]
            self.allowed[a, b] = found
        return found

    # -- other constraints -------------------------------------------------------------------------

    def _split_level(self, level: Members) -> Iterator[Members]:
        """Split a level into what cells can hold: all of it, if it is in one cell."""
        step = MAX_VALUES - (len({c for c, _ in self.places(level)}) > 1)
        for k in range(0, len(level), step):
            yield level[k : k + step]

    def level_cell(self, level: Members) -> int:
        """The cell that has some variables, which exclude each other; a new one if need be."""
        places = self.places(level)
        if len({c for c, _ in places}) == 1:
            return places[0][0]
        if level not in self.repeated:
            new = self.repeated[level] = self.cells.add(len(level) + 1)
            every = (1 << len(level) + 1) - 1
            self.domain.append(every)
            self.left.append(every)
            for i, (c, k) in enumerate(places):
                allowed = self.relation(c, new)
                for value in range(len(allowed)):
                    allowed[value] &= 1 << i if value == k else ~(1 << i)
        return self.repeated[level]

    def add(self, constraint: Constraint) -> None:
        """Add a constraint other than one-hot."""
        if isinstance(constraint, Linear) and self._add_linear(constraint):
            return
        if isinstance(constraint, Automaton):
            if constraint.commutative and self._add_set(constraint):
                return
            groups = (tuple(v for v in group if v >= 0) for group in constraint.groups)
            levels = [level for group in groups for level in self._split_level(group)]
            cells = [self.level_cell(level) for level in levels]
        else:
            by_cell = self.cells.holding(constraint.variables)
            cells = sorted(by_cell, key=lambda c: min(by_cell[c].values()))
            if isinstance(constraint, Linear):
                weight = dict(zip(constraint.variables, constraint.weights, strict=True))

                def weight_range(c: int) -> int:
                    found = [weight[v] for v in by_cell[c].values()]
                    found += [0] * (len(found) < self.domain[c].bit_count())
                    return max(found) - min(found)

                # The remaining weights are then small: few partial sums can still reach the total.
                cells.sort(key=weight_range, reverse=True)
            levels = [tuple(by_cell[c].values()) for c in cells]
        exact = {
            i for i, level in enumerate(levels) if len(level) == self.domain[cells[i]].bit_count()
        }
        made = constraint_mdd(constraint, levels, exact=exact, check=self.check)
        if made.mdd.is_empty:
            self.possible = False
        elif made.levels and not made.mdd.is_full:
            self._add_mdd([cells[place] for place in made.places], made)

    def _add_mdd(self, cells: Sequence[int], made: ConstraintMdd) -> None:
        """Add an MDD of several levels, a relation of two cells, or take values from one."""
        tables = []
        for c, level, table in zip(cells, made.levels, made.mdd.tables, strict=True):
            column = [0] * self.domain[c].bit_length()
            for k, v in enumerate(level, 1):
                place = self.cells.place[v]
                column[place[1] if place[0] == c else k - 1] = k
            tables.append(table[:, column])
        if len(cells) == 1:
            live = sum(1 << v for v in np.flatnonzero(tables[0][0] >= 0).tolist())
            self.left[cells[0]] &= live
            self.possible &= self.left[cells[0]] != 0
        elif len(cells) == 2 and cells[0] != cells[1]:
            after = tables[1] >= 0
            leaves = [sum(1 << v for v in np.flatnonzero(r).tolist()) for r in after]
            rows = [leaves[s] if s >= 0 else 0 for s in tables[0][0].tolist()]
            self.restrict(cells[0], cells[1], rows)
        else:
            self.mdds.append(CellMdd(tuple(cells), tables))

    def restrict(self, a: int, b: int, rows: Sequence[int]) -> None:
        """Every value of cell a leaves a set of values of cell b."""
        if a > b:
            rows = transposed(tuple(rows), self.domain[b].bit_length())
            a, b = b, a
        allowed = self.relation(a, b)
        for v in range(len(allowed)):
            allowed[v] &= rows[v]

    def _add_linear(self, c: Linear) -> bool:
        """Add a sum or a relation of two cells; False if it needs an MDD."""
        by_cell = self.cells.holding(c.variables)
        weight = dict(zip(c.variables, c.weights, strict=True))
        cells = sorted(by_cell)
        if len(cells) < 3:
            return False
        values: list[dict[int, int]] = []
        for cell in cells:
            of = {weight[v]: k for k, v in by_cell[cell].items()}
            if len(of) < self.domain[cell].bit_count():
                return False
            values.append(of)
        differ = [0] * len(cells)
        for i, j in combinations(range(len(cells)), 2):
            if self._weights_differ(cells[i], cells[j], values[i], values[j]):
                differ[i] |= 1 << j
                differ[j] |= 1 << i
        found = find_sum(c.low, c.high, cells, values, differ)
        if found is not None:
            self.sums.append(found)
        return found is not None

    def _weights_differ(self, a: int, b: int, one: dict[int, int], other: dict[int, int]) -> bool:
        """Whether two cells have common weights, but never the same."""
        apart = self.peers.get((a, b), 0)
        allowed = self.allowed.get((a, b))
        if not apart and allowed is None:
            return False
        common = one.keys() & other.keys()
        return bool(common) and all(
            (one[w] == other[w] and apart >> one[w] & 1)
            or (allowed is not None and not allowed[one[w]] >> other[w] & 1)
            for w in common
        )

    def _add_set(self, c: Automaton) -> bool:
        """Add an automaton of which every word has different symbols, in any order."""
        family = _family_of_sets(c.mdd)
        if family is None:
            return False
        cells: list[int] = []
        value_of: dict[int, int] = {}
        known = 0
        for group in c.groups:
            if TRUE in group:
                known |= 1 << group.index(TRUE)
                continue
            places = {s: self.cells.place[v] for s, v in enumerate(group) if v >= 0}
            owners = {cell for cell, _ in places.values()}
            if len(owners) != 1:
                return False
            cell = owners.pop()
            if len(places) != self.domain[cell].bit_count():
                return False
            cells.append(cell)
            for s, (_, value) in places.items():
                if value_of.setdefault(s, value) != value:
                    return False
        if len({*value_of.values()}) < len(value_of) or len({*cells}) < len(cells):
            return False
        if not cells:
            return False
        sets = []
        for symbols in family:
            if known & ~symbols:
                continue
            rest = symbols & ~known
            if all(s in value_of for s in range(rest.bit_length()) if rest >> s & 1):
                sets.append(sum(1 << value_of[s] for s in value_of if rest >> s & 1))
        for a, b in combinations(sorted(cells), 2):
            self.peers[a, b] |= self.domain[a] & self.domain[b]
        if len(cells) == 1:
            self.left[cells[0]] &= sum(sets)
            self.possible &= self.left[cells[0]] != 0
        elif len(cells) == 2:
            rows = []
            for v in range(self.domain[cells[0]].bit_length()):
                bit = 1 << v
                rows.append(sum(s ^ bit for s in sets if s & bit))
            self.restrict(cells[0], cells[1], rows)
        else:
            self.sets.append((tuple(cells), tuple(sets)))
        return True


@lru_cache(maxsize=1024)
def _family_of_sets(mdd: Mdd) -> tuple[int, ...] | None:
    """The sets of symbols of the accepted words, if these are all words of different symbols of
    some sets; None if they are not.

    Args:
        mdd: an MDD whose acceptance does not depend on the order of the symbols.
    """
    if mdd.is_empty or not 1 <= mdd.length <= 12:
        return None
    symbols = max(mdd.choices)
    words = np.ones(1, dtype=object)
    for table in reversed(mdd.tables):
        padded = np.append(words, 0)
        words = padded[table].sum(axis=1)
    layer: dict[tuple[int, int], None] = {(0, 0): None}
    # Words with ascending symbols: state, set of symbols.
    for table in mdd.tables:
        below: dict[tuple[int, int], None] = {}
        for state, used in layer:
            for s in range(used.bit_length(), symbols - 1):
                after = int(table[state, s + 1])
                if after >= 0:
                    below[after, used | 1 << s] = None
        layer = below
        if len(layer) > _MAX_SETS:
            return None
    family = tuple(sorted({used for _, used in layer}))
    return family if int(words[0]) == factorial(mdd.length) * len(family) else None


def prepare_search(
    variables: int,
    constraints: Iterable[Constraint],
    *,
    seed: int | None = None,
    check: MemoryCheck | None = None,
) -> SearchProblem:
    """Translate constraints into the arrays of a search.

    Args:
        variables: number of variables; constraints name them by position.
        constraints: constraints of any kind.
        seed: shuffles the order in which values are tried; None keeps that of the variables.
        check: called now and then with the additional bytes; may raise.

    Raises:
        ModelError: there are more than :data:`MAX_CANDIDATES` variables, or a total above 1.
        LimitReached: an MDD is too wide; the message names its constraint.
    """
    possible = True
    items: list[Members] = []
    groups: list[Members] = []
    excluded: set[int] = set()
    touched: set[int] = set()
    others: list[Constraint] = []
    for c in constraints:
        touched.update(c.variables)
        if not isinstance(c, OneHot):
            others.append(c)
        elif c.total > 1:
            raise ModelError(f"{c.family} {c.label}: total {c.total}; one-hot totals are 1 or 0")
        elif c.total <= 0:
            possible &= c.total == 0
            excluded.update(c.variables)
        elif not c.at_most:
            items.append(c.variables)
            possible &= bool(c.variables)
        elif len(c.variables) > 1:
            groups.append(c.variables)
    if len(touched) > MAX_CANDIDATES:
        raise ModelError(f"{len(touched):,} candidates; search takes at most {MAX_CANDIDATES:,}")
    free = tuple(v for v in range(variables) if v not in touched)
    order: Sequence[int] = range(variables)
    if seed is not None:
        order = np.random.default_rng(seed).permutation(variables).tolist()
    if not possible:
        items, groups, others, touched = [], [], [], set()
    read = [
        tuple(v for v in group if v >= 0)
        for c in others
        if isinstance(c, Automaton)
        for group in c.groups
    ]
    cells = Cells(items, groups, [part for part in read if part], sorted(touched), order)
    p = _Propagators(cells, check)
    for i, item in enumerate(items):
        if i not in cells.cell_items:
            p.add_item(item)
    p.exclude_in_houses()
    for group in groups:
        p.exclude(group)
    for c in others:
        p.add(c)
    for v in excluded & cells.place.keys():
        cell, value = cells.place[v]
        p.left[cell] &= ~(1 << value)
        p.possible &= p.left[cell] != 0
    if check is not None:
        check(1000 * len(p.domain))  # the list of changed cells, and some rows
    tables, root = _build_tables(p)
    return SearchProblem(free, possible and p.possible, len(p.domain), tables, root)


def _flat(lists: Sequence[Sequence[int]]) -> tuple[U64, U64]:
    """Concatenate lists; returns where each begins, and the entries."""
    at = np.cumsum([0, *map(len, lists)], dtype=np.uint64)
    return at, np.array([x for one in lists for x in one], dtype=np.uint64)


def _seen_words(seen: Sequence[int]) -> U64:
    """Bit sets of cells as rows of words."""
    words = max(1, -(-len(seen) // 64))
    found = np.zeros((len(seen), words), dtype=np.uint64)
    for c, cells in enumerate(seen):
        if cells:
            found[c] = np.frombuffer(cells.to_bytes(8 * words, "little"), "<u8")
    return found


def _bits(word: int) -> list[int]:
    """The numbers of the bits that are set."""
    found = []
    while word:
        found.append((word & -word).bit_length() - 1)
        word &= word - 1
    return found


def _build_tables(p: _Propagators) -> tuple[SearchTables, U64]:
    n = len(p.domain)
    wide = max((d.bit_length() for d in p.domain), default=1)
    variable = np.full((n, wide), -1, dtype=np.int32)
    for c, of in enumerate(p.cells.variable):
        for k, v in of.items():
            if v is not None:
                variable[c, k] = v
    peers: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    seen = [0] * n
    watched = p.sets or (p.excludes and n <= _MAX_SEEING)
    for (a, b), values in p.peers.items():
        if p.domain[a] & p.domain[b] & values:
            peers[a].append((b, values))
            peers[b].append((a, values))
            if watched and not p.domain[a] & p.domain[b] & ~values:
                seen[a] |= 1 << b
                seen[b] |= 1 << a
    relations: list[tuple[int, int, Rows, Rows]] = []
    for (a, b), allowed in p.allowed.items():
        apart = p.peers.get((a, b), 0)
        rows = tuple(row & ~(apart & 1 << v) for v, row in enumerate(allowed))
        relations.append((a, b, rows, transposed(rows, p.domain[b].bit_length())))
    houses = [_bits(whole) for whole, _ in p.houses]
    required = [sum(of) for _, of in p.houses]
    p.mdds.sort(key=lambda one: sum(map(len, one.tables)) * (1 + len(one.cells)))
    mdds, words = mdd_tables(p.mdds, n)
    scopes: list[tuple[int, int, list[int]]] = []
    scopes += [(RELATION, i, [a, b]) for i, (a, b, _, _) in enumerate(relations)]
    scopes += [(SET, i, [*cells]) for i, (cells, _) in enumerate(p.sets)]
    scopes += [(HOUSE, i, cells) for i, cells in enumerate(houses)]
    scopes += [(CHOICE, i, [c for c, _ in places]) for i, (places, _) in enumerate(p.choices)]
    scopes += [
        (SUM, i, [c for _, rows in one.cliques for c, _ in rows]) for i, one in enumerate(p.sums)
    ]
    mdds = mdds._replace(slot=np.arange(len(scopes), len(scopes) + len(p.mdds), dtype=np.uint64))
    scopes += [(MDD, i, [*one.cells]) for i, one in enumerate(p.mdds)]
    wakes: list[dict[int, int]] = [{} for _ in range(n)]
    for slot, (kind, _, cells) in enumerate(scopes):
        if kind != MDD:
            for c in cells:
                wakes[c][slot >> 6] = wakes[c].get(slot >> 6, 0) | 1 << (slot & 63)
    found = SearchTables(
        variable,
        *_flat([[c for c, _ in some] for some in peers]),
        np.array([values for some in peers for _, values in some], dtype=np.uint64),
        _seen_words(seen),
        *_flat([[*some] for some in wakes]),
        np.array([bits for some in wakes for bits in some.values()], dtype=np.uint64),
        np.array([kind for kind, _, _ in scopes], dtype=np.uint64),
        np.array([entry for _, entry, _ in scopes], dtype=np.uint64),
        *_flat([cells for _, _, cells in scopes]),
        relation_tables(relations),
        HouseTables(
            *_flat(houses),
            np.array(required, dtype=np.uint64),
            np.array([p.excludes and n <= _MAX_SEEING], dtype=np.uint64),
        ),
        SetTables(
            *_flat([cells for cells, _ in p.sets]),
            *_flat([family for _, family in p.sets]),
        ),
        ChoiceTables(
            *_flat([[c for c, _ in places] for places, _ in p.choices]),
            np.array([1 << k for places, _ in p.choices for _, k in places], dtype=np.uint64),
            np.array([exactly for _, exactly in p.choices], dtype=np.uint64),
        ),
        mdds,
        sum_tables(p.sums),
    )
    return found, np.concatenate([np.array(p.left, dtype=np.uint64), words])


def new_workspace(p: SearchProblem) -> SearchWorkspace:
    """Make the workspace of a search, with everything at the root queued for propagation."""
    t = p.tables
    slots = len(t.kind)
    waiting = (1 << slots) - 1
    queue = [waiting >> 64 * k & (1 << 64) - 1 for k in range(-(-slots // 64))]
    changed = np.zeros(p.cells + 64 * p.cells + 2, dtype=np.uint64)
    changed[: p.cells] = np.arange(p.cells)
    return SearchWorkspace(
        np.zeros(16, dtype=np.uint64),
        np.zeros(16, dtype=np.uint64),
        changed,
        np.array(queue, dtype=np.uint64),
        np.ones(p.cells),
        np.ones(1),
        np.zeros(p.cells, dtype=np.uint64),
        new_mdd_workspace(t.mdds),
        new_sum_workspace(t.sums),
    )
