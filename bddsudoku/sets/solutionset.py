"""All solutions of a puzzle as an object with the behaviour of a set."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from bddsudoku.diagrams import apply as product
from bddsudoku.diagrams import measures as measure
from bddsudoku.diagrams import operations as antichains
from bddsudoku.diagrams.bdd import default_name
from bddsudoku.diagrams.canonical import I64, U8, U64, AnyArray
from bddsudoku.diagrams.counting import Counts, from_limbs, to_limbs
from bddsudoku.diagrams.files import DecoderFactory, Stored, load, save
from bddsudoku.diagrams.ranking import RowFormat, Walker, draw_ranks, rank_rows, unrank_rows
from bddsudoku.diagrams.transform import lift
from bddsudoku.diagrams.zdd import EMPTY, Diagram
from bddsudoku.errors import ModelError
from bddsudoku.sets.base import Numbered, SetLike, check_drawing, number
from bddsudoku.sets.decoder import Decoder, KeyDecoder, PlainGridDecoder


class SolutionSet(SetLike, Numbered):
    """A set of solutions: a diagram, the variables that are true in all of them, and a decoder.

    It behaves as an immutable Python set as far as that makes sense for sets of any size: ``in``,
    iteration, ``bool``, ``&``, ``|``, ``-``, ``^``, ``==``, ``<=``, ``<``, ``isdisjoint``; and as a
    sequence in the diagram's order: ``s[i]``, ``s[a:b:c]`` (a lazy view), ``rank``, ``unrank``.
    There is no ``len()``, because Python's overflows past 2**63: ask :meth:`count`.

    The order is the diagram's: of two solutions the one that holds the variable of the first level
    where they differ comes first.

    Args:
        diagram: the family of sets of variables.
        decoder: turns keys into solutions and back; by default a solution is the ascending tuple
            of the keys that are true.
        fixed: keys, not among the diagram's, that are true in every solution
            (:attr:`bddsudoku.model.Model.fixed`).
        info: anything about the set worth keeping in its file; JSON values.
        count: the number of solutions where it is known already.

    Raises:
        ModelError: a fixed key is also a variable of the diagram.
    """

    kind: ClassVar[str] = "SolutionSet"
    """What it is called in files."""
    plain: ClassVar[type[KeyDecoder | PlainGridDecoder]] = KeyDecoder
    """The decoder that serves where the puzzle's own is not known."""

    def __init__(
        self,
        diagram: Diagram,
        decoder: Decoder | None = None,
        *,
        fixed: Iterable[int] = (),
        info: Mapping[str, Any] | None = None,
        count: int | None = None,
    ) -> None:
        self.diagram = diagram
        self.decoder: Any = KeyDecoder() if decoder is None else decoder
        self.fixed: tuple[int, ...] = tuple(sorted({int(k) for k in fixed}))
        self.info: dict[str, Any] = dict(info or {})
        self._count = count
        twice = set(self.fixed).intersection(diagram.labels.tolist())
        if twice:
            raise ModelError(f"key {min(twice)} is fixed and a variable at the same time")

    # -- counting --------------------------------------------------------------------------------

    @cached_property
    def counts(self) -> Counts:
        """The number of sets below every node; made on first use and kept (8 bytes a node)."""
        counts = Counts(self.diagram)
        self._count = counts.total
        return counts

    def count(self) -> int:
        """Number of solutions, exact. One linear pass at first, then remembered."""
        if self._count is None:
            self._count = self.counts.total
        return self._count

    def __bool__(self) -> bool:
        return self.diagram.root != EMPTY

    @property
    def space(self) -> Hashable:
        """What the solutions are about; sets can be combined when theirs are equal."""
        return self.decoder.space  # type: ignore[no-any-return]

    @cached_property
    def keys(self) -> I64:
        """Keys of all variables, fixed ones too, ascending: the columns of :meth:`to_numpy`."""
        return np.sort(np.concatenate((self.diagram.labels, np.array(self.fixed, dtype=np.int64))))

    @cached_property
    def _variable_counts(self) -> AnyArray:
        """Marginals per level of the diagram."""
        return self.counts.marginals()

    def marginals(self) -> AnyArray:
        """In how many solutions each variable is true, exact; one entry for each of :attr:`keys`.

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """
        counts = self._variable_counts
        out = np.zeros(len(self.keys), dtype=counts.dtype)
        out[np.searchsorted(self.keys, self.diagram.labels)] = counts
        if self.fixed:
            out[np.searchsorted(self.keys, np.array(self.fixed))] = self.count()
        return out

    def true_candidates(self) -> NDArray[np.bool_]:
        """Which variables are true in some solution; one entry for each of :attr:`keys`."""
        return np.asarray(self.marginals() != 0, dtype=bool)

    def backbone(self) -> AnyArray:
        """Keys of the variables that are true in all solutions (none if there is no solution)."""
        if not self:
            return np.zeros(0, dtype=np.int64)
        always: AnyArray = self.keys[np.asarray(self.marginals() == self.count(), dtype=bool)]
        return always

    def node_count(self, kind: str = "zdd", **options: Any) -> int:
        """Nodes of the diagram, or of the equivalent BDD: :func:`.measure.node_count`.

        Fixed variables count only where the option ``variables`` names them.
        """
        return measure.node_count(self.diagram, kind, **({"true": self.fixed} | options))

    # -- rows ------------------------------------------------------------------------------------

    @cached_property
    def form(self) -> RowFormat:
        """How a solution becomes a row of bytes: here 0 or 1 for each of :attr:`keys`."""
        blank = np.isin(self.keys, np.array(self.fixed, dtype=np.int64)).astype(np.uint8)
        position = np.searchsorted(self.keys, self.diagram.labels).astype(np.int64)
        return RowFormat(position, np.ones(len(position), dtype=np.uint8), blank)

    def decode_row(self, row: U8) -> Any:
        """The solution that a row of :meth:`to_numpy` stands for."""
        return self.decoder.decode(self.keys[row != 0].tolist())

    def _rows_of(self, solutions: Iterable[Any]) -> tuple[U8, I64]:
        """Rows of solutions, and how many of the diagram's variables each holds (-1: no member)."""
        wanted = list(solutions)
        rows = np.zeros((len(wanted), len(self.keys)), dtype=np.uint8)
        expected = np.full(len(wanted), -1, dtype=np.int64)
        place = {key: i for i, key in enumerate(self.keys.tolist())}
        for i, solution in enumerate(wanted):
            try:
                held = {int(k) for k in self.decoder.encode(solution)}
            except (TypeError, ValueError):
                continue
            if held.issuperset(self.fixed) and all(k in place for k in held):
                rows[i, [place[k] for k in held]] = 1
                expected[i] = len(held) - len(self.fixed)
        return rows, expected

    def batches(self, size: int = 65536, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """The solutions as rows (see :meth:`to_numpy`), in order, in arrays of at most ``size``.

        Args:
            size: rows in a batch. The array is used again for the next batch: copy what you keep.
            start: rank of the first solution.
            stop: rank behind the last one.
        """
        total = self.count()
        stop = total if stop is None else min(stop, total)
        if start >= stop:
            return
        walker = Walker(self.diagram, self.form, self.counts if start else None, start)
        out = np.empty((min(size, stop - start), len(self.form.blank)), dtype=np.uint8)
        while start < stop:
            k = walker.fill(out[: min(len(out), stop - start)])
            yield out[:k]
            start += k

    def __contains__(self, solution: object) -> bool:
        return bool(self.contains_many([solution])[0])

    def _ranked(self, solutions: Iterable[Any]) -> tuple[U64, NDArray[np.bool_]]:
        rows, expected = self._rows_of(solutions)
        return rank_rows(self.counts, self.form, rows, expected)

    def contains_many(self, solutions: Iterable[Any]) -> NDArray[np.bool_]:
        """Which of some solutions are members: bool, shape (n,)."""
        return self._ranked(solutions)[1]

    def members_in(self, other: Any) -> Iterator[NDArray[np.bool_]]:
        """For all solutions in order, batch by batch, which of them another set holds, too."""
        shared = np.isin(self.keys, other.keys)
        place = np.searchsorted(other.keys, self.keys[shared])
        fixed = other.form.blank != 0
        for rows in self.batches(16384):
            theirs = np.zeros((len(rows), len(other.keys)), dtype=np.uint8)
            theirs[:, place] = rows[:, shared]
            fits = ~rows[:, ~shared].any(axis=1) & theirs[:, fixed].all(axis=1)
            expected = np.where(fits, theirs.sum(axis=1, dtype=np.int64) - fixed.sum(), -1)
            yield rank_rows(other.counts, other.form, theirs, expected)[1]

    def rank(self, solution: Any) -> int:
        """Number of a solution, from 0, in the set's order.

        Raises:
            ValueError: it is not in the set.
        """
        ranks, found = self._ranked([solution])
        if not found[0]:
            raise ValueError(f"{solution!r} is not one of the {number(self.count())} solutions")
        return from_limbs(ranks[0])

    def rank_many(self, solutions: Iterable[Any]) -> list[int]:
        """Numbers of several solutions.

        Raises:
            ValueError: one of them is not in the set.
        """
        ranks, found = self._ranked(solutions)
        if not found.all():
            raise ValueError(f"number {int(np.argmin(found))} of the list is not a solution")
        return [from_limbs(r) for r in ranks]

    def _rows(self, numbers: Sequence[int]) -> U8:
        return unrank_rows(self.counts, self.form, to_limbs(numbers, self.counts.limbs))

    def sample_rows(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """Independent rows (see :meth:`to_numpy`), every solution exactly as likely as any other.

        Args:
            n: how many, with replacement.
            rng: a generator, a seed, or None for fresh randomness.

        Raises:
            ValueError: the set is empty and ``n`` is not 0.

        Cost: at most one node a level for each.
        """
        check_drawing(n, self.count() if n else 0)
        if n == 0:
            return np.zeros((0, len(self.form.blank)), dtype=np.uint8)
        generator = np.random.default_rng(rng)
        ranks = draw_ranks(self.count(), self.counts.limbs, n, generator)
        return unrank_rows(self.counts, self.form, ranks)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> Any:
        """Independent solutions, as a list: :meth:`sample_rows`, decoded."""
        return [self.decode_row(row) for row in self.sample_rows(n, rng)]

    def _like(
        self, diagram: Diagram, fixed: Iterable[int], decoder: Any = None, count: int | None = None
    ) -> Self:
        return type(self)(diagram, decoder or self.decoder, fixed=fixed, count=count)

    def hitting_sets(self) -> SolutionSet:
        """The minimal sets of keys that share one with every solution: tuples of keys.

        No solution at all is hit by the empty set; one in which no key is true by none.

        Raises:
            LimitReached: the diagrams on the way grow too large (:mod:`.antichains`).
        """
        keys = [*self.fixed, *self.diagram.labels.tolist()] if self else self.diagram.labels
        hitting = lift(antichains.hitting_sets(self.diagram), keys)
        for level in range(len(self.fixed) if self else 0):  # each of them alone hits all
            alone = Diagram.from_arrays(keys, [0, 0, level], [0, 0, 0], [0, 0, 1], 2)
            hitting = product.combine(hitting, alone, product.OR)
        return SolutionSet(hitting)

    # -- files and display -----------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the set to a file (:mod:`bddsudoku.diagrams.files`: the format)."""
        described = self.decoder.to_dict()
        save(Stored(self.kind, self.diagram, self.fixed, self._count, described, self.info), path)

    @classmethod
    def load(
        cls,
        path: str | Path,
        decoders: Mapping[str, DecoderFactory] | None = None,
        *,
        verify: bool = True,
    ) -> Self:
        """A set of this kind from a file, memory-mapped; see :func:`.saved.load`.

        Raises:
            DamagedFileError: the file is damaged, or holds a set of another kind.
        """
        return cls.restored(load(path, verify=verify), decoders)

    @classmethod
    def restored(cls, stored: Stored, decoders: Mapping[str, DecoderFactory] | None = None) -> Self:
        """The set that a file keeps; arguments and errors as for :meth:`load`."""
        with stored.opened(cls.kind, Diagram) as diagram:
            decoder = stored.decoded(decoders, cls.plain.of_any)
            return cls(diagram, decoder, fixed=stored.fixed, info=stored.info, count=stored.count)

    def export(self, target: Any, form: str = "csv", **options: Any) -> int:
        """Stream all solutions to a file; see :func:`bddsudoku.sets.export.export`."""
        from bddsudoku.sets.export import export

        return export(self, target, form, **options)

    def name_of(self, key: int) -> str:
        """What a variable is called in pictures: ``x`` and its key."""
        return default_name(key)

    def to_dot(self, *, max_nodes: int = 500) -> str:
        """The diagram as Graphviz text; see :func:`bddsudoku.diagrams.measures.to_dot`.

        Raises:
            ModelError: it has more than ``max_nodes`` nodes.
        """
        from bddsudoku.diagrams.measures import to_dot

        return to_dot(self.diagram, self.name_of, max_nodes=max_nodes)

    def __repr__(self) -> str:
        known = "" if self._count is None else f"{number(self._count)} solutions, "
        return (
            f"<{type(self).__name__}: {known}{self.diagram.levels} variables, "
            f"{self.diagram.size - 2} ZDD nodes>"
        )
