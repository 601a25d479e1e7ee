"""Sets of solutions on a canonical ordered ZDD, with the algebra of Python's sets.

Sets of the same space (for Sudoku: the same layout) may come from different hints, allocations and
engines: a variable may be fixed in one set, a level of the diagram in another and missing in a
third, and the levels may be in different orders. Before two sets are combined, both are lifted to
the same list of variables:

* what both have fixed stays fixed;
* a variable that only one set has is false in all solutions of the other;
* a variable fixed in one set only becomes a level that is true throughout: one node on every arc
  that passes it (at the top, where it costs one node, if the other set does not have it);
* if the two orders contradict each other, the smaller diagram is reordered
  (:mod:`bddsudoku.diagrams.reorder` states the cost; everything else is linear). Comparisons look
  the members of one set up in the other instead, as long as there are at most twenty million
  (some 2 microseconds each).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.argument_types import check_types
from bddsudoku.diagrams import measures
from bddsudoku.diagrams import zdd_apply as apply
from bddsudoku.diagrams.counting import (
    Counts,
    RowFormat,
    draw_ranks,
    from_limbs,
    rank_rows,
    to_limbs,
    unrank_rows,
    walk_rows,
)
from bddsudoku.diagrams.reorder import merged_order, reorder
from bddsudoku.diagrams.transform import lift, restrict
from bddsudoku.diagrams.zdd import EMPTY, Diagram
from bddsudoku.diagrams.zdd_apply import maximal, minimal, minimal_hitting_sets
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import I64, U8, U64, AnyArray, Flags
from bddsudoku.model.constraints import Constraint
from bddsudoku.number_text import format_integer
from bddsudoku.sets.decoder import Decoder, KeyDecoder, PlainGridDecoder, S_co
from bddsudoku.sets.diagram_set import DiagramSet

_MAX_LOOKUPS = 20_000_000


class SolutionSet(DiagramSet[S_co]):
    """A set of solutions on a ZDD: the diagram, the fixed variables and a decoder.

    It behaves as an immutable Python set as far as that makes sense for sets of any size: ``in``,
    iteration, ``bool``, ``&``, ``|``, ``-``, ``^``, ``==``, ``<=``, ``<``, ``isdisjoint``; and as a
    sequence in the diagram's order: ``s[i]``, ``s[a:b:c]`` (a lazy view), ``rank``, ``unrank``.
    There is no ``len()``, because Python's overflows past 2**63: use :meth:`count`.

    Sets of the same space can be combined whatever their hints, variables and orders are. Sets of
    different spaces are unequal, and combining them raises ModelError.

    The order is the diagram's: of two solutions, the one in which the variable of the first level
    where they differ is true comes first. A row has an entry, 0 or 1, for each of :attr:`keys`.

    Args:
        diagram: the family of sets of variables.
        decoder: turns keys into solutions and back; by default a solution is the ascending tuple
            of the keys that are true.
        fixed: keys, not among the diagram's, that are true in every solution
            (:attr:`bddsudoku.model.Model.fixed`).
        info: further JSON values that the set's file keeps.
        count: the number of solutions, if it is known already.

    Raises:
        ModelError: a fixed key is also a variable of the diagram.
    """

    kind = "SolutionSet"
    default_decoder: ClassVar[type[KeyDecoder | PlainGridDecoder]] = KeyDecoder
    diagram_type: ClassVar[type[Diagram]] = Diagram

    diagram: Diagram

    def _with_diagram(
        self, diagram: Diagram, fixed: Iterable[int], decoder: Any = None, count: int | None = None
    ) -> Self:
        """A set of this class on another diagram, by default with the same decoder."""
        return type(self)(diagram, decoder or self.decoder, fixed=fixed, count=count)

    # -- counting --------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> Counts:
        """For each node of the diagram the number of sets below that node, counted on demand."""
        counts = Counts(self.diagram)
        self._count = counts.total
        return counts

    def __bool__(self) -> bool:
        return self.diagram.root != EMPTY

    @cached_property
    def keys(self) -> I64:
        """The ascending keys of all variables, fixed ones included: columns of :meth:`to_numpy`."""
        return np.sort(np.concatenate((self.diagram.labels, np.array(self.fixed, dtype=np.int64))))

    def _key_positions(self, keys: ArrayLike) -> I64:
        """Positions of the given keys in :attr:`keys`."""
        return np.searchsorted(self.keys, np.asarray(keys, dtype=np.int64))

    def marginals(self) -> AnyArray:
        """The exact number of solutions in which each variable is true, ordered as :attr:`keys`.

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """
        counts = self._marginals_by_level
        out = np.full(len(self.keys), self.count(), dtype=counts.dtype)
        out[self._key_positions(self.diagram.labels)] = counts
        return out

    def marginals_by_key(self) -> dict[int, int]:
        """The exact number of solutions in which each variable is true, by its key."""
        counts = dict.fromkeys(self.fixed, self.count())
        levels = self.diagram.labels.tolist(), self._marginals_by_level.tolist()
        return counts | dict(zip(*levels, strict=True))

    def marginals_by_name(self) -> dict[str, int]:
        """In how many solutions each variable of the problem is true, by the variable's name."""
        true = self.marginals_by_key()
        return {name: true.get(key, 0) for name, key in self._key_by_name.items()}

    def backbone_by_name(self) -> dict[str, int]:
        """The variables that are the same in all solutions: 1 or 0 by name (none without one)."""
        total = self.count()
        found = self.marginals_by_name().items() if total else ()
        return {name: int(number > 0) for name, number in found if number in (0, total)}

    def backbone(self) -> AnyArray:
        """Keys of the variables that are true in all solutions (none if there is no solution)."""
        if not self:
            return np.zeros(0, dtype=np.int64)
        always: AnyArray = self.keys[np.asarray(self.marginals() == self.count(), dtype=bool)]
        return always

    def sizes(self) -> list[int]:
        """List how many solutions have 0, 1, … true variables, up to the most that any has."""
        found = measures.size_distribution(self.diagram, self.count())
        return [0] * len(self.fixed) + found if found else []

    def cooccurrences(self) -> Flags:
        """Which pairs of variables are true in a common solution: a matrix over :attr:`keys`.

        Cost: levels / 64 linear passes.
        """
        out = np.zeros((len(self.keys), len(self.keys)), dtype=bool)
        at = self._key_positions(self.diagram.labels)
        out[np.ix_(at, at)] = measures.cooccurrences(self.diagram)
        if self:
            some = np.diagonal(out).copy()
            fixed = self._key_positions(self.fixed)
            some[fixed] = True
            out[fixed] = some
            out[:, fixed] = some[:, None]
        return out

    def node_count(self, kind: str = "zdd", **options: Any) -> int:
        """Number of nodes of the ZDD, or of the equivalent BDD; see :func:`.measures.node_count`.

        Fixed variables count only where the option ``variables`` names them.

        >>> from bddsudoku import compile_set
        >>> compile_set("1...............", "rows").node_count("zdd")
        292
        """
        return measures.node_count(self.diagram, kind, **({"true": self.fixed} | options))

    # -- rows ------------------------------------------------------------------------------------

    @cached_property
    def row_format(self) -> RowFormat:
        """The row format: which byte of a row becomes 1 if the variable of a level is true."""
        blank = np.isin(self.keys, np.array(self.fixed, dtype=np.int64)).astype(np.uint8)
        position = self._key_positions(self.diagram.labels)
        return RowFormat(position, np.ones(len(position), dtype=np.uint8), blank)

    def decode_row(self, row: U8) -> S_co:
        """Decode a row of bytes, such as :meth:`to_numpy` returns, to a solution object."""
        return self.decoder.decode(self.keys[row != 0].tolist())  # type: ignore[no-any-return]

    @cached_property
    def _position_by_key(self) -> dict[int, int]:
        """The position of every key in :attr:`keys`."""
        return {key: i for i, key in enumerate(self.keys.tolist())}

    def _encode_row(self, solution: Any) -> ArrayLike:
        row = np.zeros(len(self.keys), dtype=np.uint8)
        row[[self._position_by_key[int(key)] for key in self.decoder.encode(solution)]] = 1
        return row

    def _rank_rows_in_limbs(self, rows: U8) -> tuple[U64, Flags]:
        """Return the ranks of rows as 64-bit limbs, and flags of the rows that the set contains."""
        return rank_rows(self.counts, self.row_format, rows)

    def _rank_rows(self, rows: U8) -> list[int | None]:
        ranks, found = self._rank_rows_in_limbs(rows)
        return [from_limbs(r) if f else None for r, f in zip(ranks, found.tolist(), strict=True)]

    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        if not len(ranks):
            return np.zeros((0, len(self.row_format.blank)), dtype=np.uint8)
        limbs = to_limbs(ranks, self.counts.below.shape[1])
        return unrank_rows(self.counts, self.row_format, limbs)

    def _draw_rows(self, n: int, rng: np.random.Generator) -> U8:
        return unrank_rows(self.counts, self.row_format, draw_ranks(self.count(), n, rng))

    @check_types
    def batches(self, size: int = 65536, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """Yield the solutions in order, in batches of at most ``size`` rows of one reused array."""
        total = self.count()
        stop = total if stop is None else min(stop, total)
        counts = self.counts if start else None
        return walk_rows(self.diagram, self.row_format, size, max(0, stop - start), start, counts)

    def column_names(self) -> list[str]:
        """Names of the columns of a table: those of the variables, or else their keys."""
        name = self.variable_name if hasattr(self.decoder, "key_by_name") else str
        return [name(key) for key in self.keys.tolist()]

    def format_lines(self, rows: U8) -> bytes:
        """Solutions, given as rows of bytes, as lines of the keys of their true variables."""
        found = (" ".join(map(str, self.keys[row != 0].tolist())) for row in rows)
        return "".join(f"{line}\n" for line in found).encode()

    # -- set algebra -----------------------------------------------------------------------------

    def _as_comparable_set(self, other: Any) -> SolutionSet | None:
        """Return ``other``, or None if it is no SolutionSet; raise ModelError if spaces differ."""
        if not isinstance(other, SolutionSet):
            return None
        if other.space != self.space:
            raise ModelError(
                f"sets of different puzzles cannot be compared: {self.space} and {other.space}"
            )
        return other

    def _align_variables(self, other: SolutionSet) -> tuple[Diagram, Diagram, tuple[int, ...]]:
        """Rewrite both diagrams over the same variables; return them and the keys fixed in both."""

        def weight(s: SolutionSet) -> tuple[int, int]:
            return min(s.count(), s.diagram.size * s.diagram.levels), s.diagram.size

        stays, moves = (other, self) if weight(self) < weight(other) else (self, other)
        order, agrees = merged_order(stays.diagram.labels.tolist(), moves.diagram.labels.tolist())
        moved = moves.diagram if agrees else moves.reordered(order).diagram
        shared = set(self.fixed) & set(other.fixed)
        known = {*shared, *order}
        order = [k for k in (*self.fixed, *other.fixed) if k not in known] + order
        lifted = {
            id(s): lift(diagram, order, set(s.fixed) - shared)
            for s, diagram in ((stays, stays.diagram), (moves, moved))
        }
        return lifted[id(self)], lifted[id(other)], tuple(sorted(shared))

    def _combine(self, other: Any, operation: np.int64) -> Any:
        """The result of a set operation on two sets; NotImplemented for anything but a set."""
        right = self._as_comparable_set(other)
        if right is None:
            return NotImplemented
        first, second, fixed = self._align_variables(right)
        decoder: Decoder = self.decoder
        if operation != apply.DIFFERENCE:
            decoder = decoder.merge(right.decoder, operation == apply.AND)
        return self._with_diagram(apply.apply(first, second, operation), fixed, decoder)

    def __and__(self, other: Any) -> Self:
        return self._combine(other, apply.AND)  # type: ignore[no-any-return]

    def __or__(self, other: Any) -> Self:
        return self._combine(other, apply.OR)  # type: ignore[no-any-return]

    def __sub__(self, other: Any) -> Self:
        return self._combine(other, apply.DIFFERENCE)  # type: ignore[no-any-return]

    def __xor__(self, other: Any) -> Self:
        return self._combine(other, apply.XOR)  # type: ignore[no-any-return]

    def _contained_in_batches(self, other: Self) -> Iterator[Flags]:
        """Yield, batch by batch, a bool array of which solutions the other set also contains."""
        shared = np.isin(self.keys, other.keys)
        place = other._key_positions(self.keys[shared])
        for rows in self.batches(16384):
            theirs = np.zeros((len(rows), len(other.keys)), dtype=np.uint8)
            theirs[:, place] = rows[:, shared]
            yield ~rows[:, ~shared].any(axis=1) & other._rank_rows_in_limbs(theirs)[1]

    def _is_lookup_cheaper(self, other: SolutionSet) -> bool:
        """Whether looking up every solution in another set is cheaper than reordering a diagram."""
        if self.count() > _MAX_LOOKUPS or type(self) is not type(other):
            return False
        return not merged_order(self.diagram.labels.tolist(), other.diagram.labels.tolist())[1]

    def _is_subset(self, other: SolutionSet) -> bool:
        """Whether another set of the same space contains all solutions of this one."""
        if self.fixed == other.fixed and self.diagram == other.diagram:
            return True
        if self._is_lookup_cheaper(other):
            return all(found.all() for found in self._contained_in_batches(other))
        first, second, _ = self._align_variables(other)
        return apply.apply(first, second, apply.DIFFERENCE, emptiness_only=True).is_empty

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SolutionSet):
            return NotImplemented
        return self is other or (
            self.space == other.space
            and self.count() == other.count()
            and (not self or self._is_subset(other))
        )

    def __hash__(self) -> int:
        return hash((self.space, self.count()))

    def __le__(self, other: Any) -> bool:
        right = self._as_comparable_set(other)
        if right is None:
            return NotImplemented
        return self.count() <= right.count() and self._is_subset(right)

    def __lt__(self, other: Any) -> bool:  # Python makes >= and > of these two
        found = self.__le__(other)
        return found if found is NotImplemented else found and self.count() < other.count()

    @check_types
    def isdisjoint(self, other: SolutionSet) -> bool:
        """Whether two sets have no solution in common."""
        right = self._as_comparable_set(other)
        if right is None:
            raise TypeError(f"expected a SolutionSet, found {type(other).__name__}")
        small, large = (right, self) if right.count() < self.count() else (self, right)
        if small._is_lookup_cheaper(large):
            return not any(found.any() for found in small._contained_in_batches(large))
        first, second, _ = small._align_variables(large)
        return apply.apply(first, second, apply.AND, emptiness_only=True).is_empty

    # -- the same solutions, or some of them ------------------------------------------------------

    @check_types
    def where(self, constraint: Constraint) -> Self:
        """The subset of the solutions that satisfy one more constraint.

        Args:
            constraint: of any kind (:mod:`bddsudoku.model.constraints`), its ``variables`` being
                keys; for a Sudoku key ``cell * n + digit - 1`` says that a cell holds a digit. A
                key that the set does not have is false.

        Raises:
            LimitReached: the constraint's MDD is too wide.

        Cost: at most the diagram's nodes times the width of the constraint's MDD in the diagram's
        order.
        """
        named = constraint.renumber({v: self.read_key(v) for v in constraint.variables})
        return self._with_diagram(apply.constrain(self.diagram, self.fixed, named), self.fixed)

    def given(self, hints: Any) -> Self:
        """The solutions with values by name, such as ``{"a": 1, "x": 7}``; see :meth:`restrict`."""
        return self.restrict(hints)

    @check_types
    def restrict(
        self,
        true: Collection[int | str] | Mapping[Any, int] = (),
        false: Collection[int | str] = (),
    ) -> Self:
        """The solutions in which all keys ``true`` are true and all keys ``false`` are false.

        Args:
            true: keys or names of variables, in a grid also (cell, digit); they become fixed. A key
                that the set does not have is false in every solution. Or values by name, such as
                ``{"a": 1, "b": 0, "x": 7}``, in a grid by cell: ``{"r1c1": 6, (0, 1): 3}``.
            false: keys, names, (cell, digit).

        Raises:
            ModelError: something is no key, no name, or no value of its variable.

        Cost: linear.
        """
        wanted, barred = [*true], [*false]
        if isinstance(true, Mapping):
            wanted.clear()
            for name, value in true.items():
                if (whole := f"{name}={value}") in self._key_by_name:
                    wanted.append(whole)
                elif isinstance(name, tuple):
                    wanted.append((name, value))
                elif value in (0, 1):
                    (wanted if value else barred).append(name)
                else:
                    raise ModelError(f"expected a value of {name}, found {value!r}")
        held, out = ({*map(self.read_key, keys)} for keys in (wanted, barred))
        level = self._level_by_key
        if not held <= {*level, *self.fixed} or out.intersection(self.fixed):
            return self._with_diagram(Diagram.empty(self.diagram.labels), self.fixed)
        diagram = restrict(
            self.diagram,
            [level[k] for k in held if k in level],
            [level[k] for k in out if k in level],
        )
        return self._with_diagram(diagram, {*self.fixed, *held})

    def minimal(self) -> Self:
        """The minimal solutions, as sets of true keys: those that contain no other solution.

        :mod:`bddsudoku.diagrams.zdd_apply` states the cost. All solutions of a set of full
        grids are minimal.

        Raises:
            LimitReached: an intermediate diagram grows too large.
        """
        return self._with_diagram(minimal(self.diagram), self.fixed)

    def maximal(self) -> Self:
        """The maximal solutions, as sets of true keys: those that no other solution contains.

        Errors as for :meth:`minimal`.
        """
        return self._with_diagram(maximal(self.diagram), self.fixed)

    def hitting_sets(self) -> SolutionSet:
        """The minimal hitting sets of the solutions, as sets of keys.

        An empty set of solutions is hit by the empty set; a solution without true keys cannot be
        hit.

        Raises:
            LimitReached: an intermediate diagram grows too large.
        """
        keys = [*self.fixed, *self.diagram.labels.tolist()] if self else self.diagram.labels
        hitting = lift(minimal_hitting_sets(self.diagram), keys)
        for level in range(len(self.fixed) if self else 0):  # a fixed key alone hits every solution
            alone = Diagram.from_arrays(keys, [0, 0, level], [0, 0, 0], [0, 0, 1], 2)
            hitting = apply.apply(hitting, alone, apply.OR)
        return SolutionSet(hitting)

    @check_types
    def reordered(self, keys: Iterable[int]) -> Self:
        """The same set on a diagram in another variable order (cost: :mod:`.reorder`).

        Args:
            keys: the diagram's keys (or names) in the wanted order; keys that it lacks are ignored.
        """
        own_keys = set(self.diagram.labels.tolist())
        wanted = [k for k in map(self.read_key, keys) if k in own_keys]
        diagram = reorder(self.diagram, wanted, counts=self.counts)
        return self._with_diagram(diagram, self.fixed, count=self.count())

    # -- best solutions --------------------------------------------------------------------------

    def _weight_vector(self, weights: Any) -> AnyArray:
        """The weights as an array with one entry for each of :attr:`keys`."""
        if isinstance(weights, Mapping):
            by_key = {self.read_key(key): weight for key, weight in weights.items()}
            return np.array([by_key.get(k, 0) for k in self.keys.tolist()])
        given = np.asarray(weights)
        if given.shape != self.keys.shape:
            raise ValueError(f"expected {len(self.keys)} weights, found shape {given.shape}")
        return given

    def _extreme_solution(self, weights: Any, greatest: bool) -> tuple[Any, S_co]:
        """The least or greatest weight of a solution, and the first solution that has it."""
        given = self._weight_vector(weights)
        own = given[self._key_positions(self.diagram.labels)]
        value, levels = measures.extreme_weight(self.diagram, own, greatest=greatest)
        for w in given[self._key_positions(self.fixed)].tolist():
            value += w
        chosen = sorted([*self.fixed, *self.diagram.labels[levels].tolist()])
        return value, self.decoder.decode(chosen)

    def minimum(self, weights: Mapping[Any, float] | ArrayLike) -> tuple[Any, S_co]:
        """The least total weight of a solution, and the first solution that has it.

        Args:
            weights: {key or name: weight}, others weighing 0, or one weight for each of
                :attr:`keys`. Integers are added exactly.

        Raises:
            ValueError: the set is empty.
        """
        return self._extreme_solution(weights, False)

    def maximum(self, weights: Mapping[Any, float] | ArrayLike) -> tuple[Any, S_co]:
        """The greatest weight of a solution and the first such solution; see :meth:`minimum`."""
        return self._extreme_solution(weights, True)

    # -- files and display -----------------------------------------------------------------------

    @cached_property
    def _key_by_name(self) -> dict[str, int]:
        """The keys of the variables by name: those of the problem, or ``x`` and the key."""
        named: dict[str, int] | None = getattr(self.decoder, "key_by_name", None)
        default = measures.default_variable_name
        return {default(key): key for key in self.keys.tolist()} if named is None else named

    @check_types
    def to_dot(self, *, max_nodes: int = 500) -> str:
        """The diagram as Graphviz text; see :func:`bddsudoku.diagrams.measures.to_dot`.

        Raises:
            ModelError: it has more than ``max_nodes`` nodes.
        """
        return measures.to_dot(self.diagram, self.variable_name, max_nodes=max_nodes)

    def __repr__(self) -> str:
        known = "" if self._count is None else f"{format_integer(self._count)} solutions, "
        return (
            f"<{type(self).__name__}: {known}{self.diagram.levels} variables, "
            f"{self.diagram.size - 2} ZDD nodes>"
        )
