"""Sets of grids stored as a ZDD or a decision-DNNF, with marginals by cell and symbol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import filterfalse
from typing import Any, ClassVar, Self

import numpy as np

from bddsudoku.argument_types import check_types
from bddsudoku.diagrams.counting import RowFormat
from bddsudoku.diagrams.dnnf import DecisionDnnf, DnnfCounts
from bddsudoku.diagrams.set_files import DecoderFactory, StoredSet
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.jit.decorators import U8, AnyArray, Flags
from bddsudoku.number_text import format_integer
from bddsudoku.sets.decoder import (
    GridDecoder,
    KeyDecoder,
    PlainGridDecoder,
    S_co,
    blank_of,
    keys_of_row,
)
from bddsudoku.sets.diagram_set import DiagramSet
from bddsudoku.sets.grid_family import GridFamily
from bddsudoku.sets.solutionset import SolutionSet


class _DiagramGridFamily(GridFamily[S_co], DiagramSet[S_co]):
    """Base class of sets of grids on a diagram over keys ``cell * symbols + i``, both from 0."""

    default_decoder: ClassVar[type[KeyDecoder | PlainGridDecoder]] = PlainGridDecoder

    @check_types
    def __init__(
        self,
        diagram: Diagram | DecisionDnnf,
        decoder: GridDecoder[S_co],
        *,
        fixed: Iterable[int] = (),
        info: Mapping[str, Any] | None = None,
        count: int | None = None,
    ) -> None:
        super().__init__(diagram, decoder, fixed=fixed, info=info, count=count)
        rows, columns, symbols = self.shape
        cells = rows * columns
        for key in (*self.fixed, *self.diagram.labels.tolist()):
            if not 0 <= key < cells * symbols:
                raise ModelError(f"key {key} is not on a board of {cells} cells, {symbols} symbols")
        held = [key // symbols for key in self.fixed]
        if len(set(held)) < len(held) and self:
            raise ModelError("two symbols are fixed in one cell")

    def marginals(self) -> AnyArray:
        """An array whose entry [row, column, i] counts the solutions with the i-th symbol there.

        On a board with the digits 1 to n that is digit i + 1. int64 while the count stays below
        2**63, otherwise Python integers (dtype object).
        """
        counts = self._marginals_by_level
        out = np.zeros(int(np.prod(self.shape)), dtype=counts.dtype)
        out[self.diagram.labels] = counts
        out[list(self.fixed)] = self.count()
        return out.reshape(self.shape)


class GridSet(_DiagramGridFamily[S_co], SolutionSet[S_co]):
    """A set of grids on a ZDD: a :class:`SolutionSet` with one symbol in every cell.

    Rows of bytes (:meth:`batches`, :meth:`to_numpy`, :meth:`sample`) have one entry a cell: the
    digit as it is written (of other grids the symbol, from 1).

    Order: where the diagram's variables of each cell stand together, symbols ascending, the set's
    order is the lexicographic order of the grids read along
    :attr:`cell_order`; for a diagram that reads the cells row by row that is the plain order of
    the grids' lines.

    Args:
        diagram: over keys ``cell * symbols + i`` for the i-th symbol, from 0.
        decoder: of the puzzle.
        fixed: keys that are true in every solution (hints and their consequences).
        info: see :class:`SolutionSet`.
        count: see :class:`SolutionSet`.

    Raises:
        ModelError: a key outside the board, or two fixed symbols in one cell of a non-empty set.
    """

    kind = "GridSet"

    @cached_property
    def row_format(self) -> RowFormat:
        """The format of grids as rows of bytes: one byte for each cell, its digit."""
        rows, columns, symbols = self.shape
        digits = np.array(self.decoder.values, dtype=np.uint8)
        cell, symbol = np.divmod(self.diagram.labels, symbols)
        blank = np.full(rows * columns, blank_of(self.decoder.values)).astype(np.uint8)
        for key in self.fixed:
            blank[key // symbols] = digits[key % symbols]
        return RowFormat(cell.astype(np.int64), digits[symbol], blank)

    @property
    def cell_order(self) -> tuple[int, ...]:
        """The open cells, ordered by their first variable in the diagram."""
        cells = (self.diagram.labels // self.shape[2]).tolist()
        return tuple(dict.fromkeys(cells))

    @check_types
    def in_cell_order(self, cells: Iterable[Any] | None = None) -> Self:
        """The same set on a diagram that reads cell by cell, so that its order is lexicographic.

        Args:
            cells: in any form; by default row by row (cost: :mod:`bddsudoku.diagrams.reorder`).
        """
        rows, columns, symbols = self.shape
        order = map(self._read_cell, range(rows * columns) if cells is None else cells)
        return self.reordered(c * symbols + s for c in order for s in range(symbols))

    def _cooccurrences(self) -> Flags:
        size = int(np.prod(self.shape))
        out = np.zeros((size, size), dtype=bool)
        out[np.ix_(self.keys, self.keys)] = self.cooccurrences()
        return out

    def _contained_in_batches(self, other: Self) -> Iterator[Flags]:
        for rows in self.batches(16384):
            yield other._rank_rows_in_limbs(rows)[1]

    def _with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> Self:
        agrees = self._make_key_filter(hints, masks)
        true = [self._key(cell, digit) for cell, digit in hints.items()]
        false = [k for k in (*self.diagram.labels.tolist(), *self.fixed) if not agrees(k)]
        found = self.restrict(true, false)
        return self._with_diagram(found.diagram, found.fixed, self.decoder.with_hints(hints, masks))

    def _weight_vector(self, weights: Any) -> AnyArray:
        """The weights of (cell, digit) as an array with one entry for each of the set's keys."""
        rows, columns, symbols = self.shape
        if isinstance(weights, Mapping):
            return super()._weight_vector(weights)
        given = np.asarray(weights)
        if given.shape not in (self.shape, (rows * columns, symbols)):
            raise ValueError(f"expected weights of shape {self.shape}, found {given.shape}")
        return given.reshape(-1)[self.keys]

    def _repr_html_(self) -> str:
        """A picture with the marginals, for notebooks; a table of facts where nothing draws it."""
        return self.decoder.picture(self.marginals()) or super()._repr_html_()

    def __repr__(self) -> str:
        rows, columns, _ = self.shape
        known = "" if self._count is None else f"{format_integer(self._count)} solutions, "
        return (
            f"<{type(self).__name__}: {known}{rows}x{columns} cells, {self.diagram.levels} "
            f"variables, {self.diagram.size - 2} ZDD nodes>"
        )


class DnnfGridSet(_DiagramGridFamily[S_co]):
    """A set of grids on a decision-DNNF: the diagram, the fixed variables and a decoder.

    It answers queries that take one pass over the diagram: count, marginals, samples, rank and
    unrank, membership, and all of these with further hints (:meth:`given`). It has no set algebra:
    for that compile an ordered diagram.

    The order is that of the branches, the first component's fastest; the same problem always has
    the same one, but it is not lexicographic.

    Args:
        diagram: over keys ``cell * symbols + i`` for the i-th symbol, from 0.
        decoder: of the puzzle.
        fixed: keys, not among the diagram's, that are true in every solution.
        info: see :class:`SolutionSet`; in ``barred`` the variables of the diagram that are false.
        count: see :class:`SolutionSet`.

    Raises:
        ModelError: as for :class:`GridSet`.
    """

    kind = "DecomposedSet"
    diagram_type: ClassVar[type[DecisionDnnf]] = DecisionDnnf

    diagram: DecisionDnnf

    @cached_property
    def counts(self) -> DnnfCounts:
        """For each node of the decision-DNNF the number of solutions below that node."""
        barred = np.array(self.info.get("barred", ()), dtype=np.int64)
        return DnnfCounts(self.diagram, ~np.isin(self.diagram.labels, barred))

    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        rows, columns, symbols = self.shape
        labels = self.diagram.labels
        keys = [[*self.fixed, *labels[self.counts.unrank(n)].tolist()] for n in ranks]
        cell, symbol = np.divmod(np.array(keys, dtype=np.int64), symbols)
        out = np.zeros((len(cell), rows * columns), dtype=np.uint8)
        if len(cell):
            digits = symbol + self.decoder.values.start
            np.put_along_axis(out, cell, digits.astype(np.uint8), axis=1)
        return out

    def _rank_rows(self, rows: U8) -> list[int | None]:
        return [*map(self._rank_row, rows.tolist())]

    def _rank_row(self, row: list[int]) -> int | None:
        """The rank of a row; None if it is not in the set."""
        held = set(keys_of_row(row, self.decoder.values))
        rest = held.difference(self.fixed)
        if not held.issuperset(self.fixed) or not rest.issubset(self._level_by_key):
            return None
        return self.counts.rank({self._level_by_key[k] for k in rest})

    def _with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> Self:
        """The subset with further hints, on the same diagram with fewer allowed variables."""
        agrees = self._make_key_filter(hints, masks)
        diagram = self.diagram if all(map(agrees, self.fixed)) else DecisionDnnf.empty()
        barred = {*self.info.get("barred", ()), *filterfalse(agrees, diagram.labels.tolist())}
        decoder, info = self.decoder.with_hints(hints, masks), self.info | {"barred": [*barred]}
        return type(self)(diagram, decoder, fixed=self.fixed, info=info)

    def __repr__(self) -> str:
        d = self.diagram
        return f"<{type(self).__name__}: {len(d.labels)} variables, {d.size - 1} nodes>"


def set_from_stored(
    stored: StoredSet, decoders: Mapping[str, DecoderFactory] | None = None
) -> DiagramSet:
    """Make a set from the content of its file, which names the set's class.

    Args:
        stored: content of the file.
        decoders: for each kind of decoder the function that makes it from its saved description,
            such as ``{"sudoku": SudokuDecoder.from_dict}``. Other kinds get a default decoder:
            grids become arrays, other solutions tuples of keys.

    Raises:
        DamagedFileError: the description makes no sense.
    """
    kinds: tuple[type[DiagramSet], ...] = (GridSet, DnnfGridSet)
    cls = next((c for c in kinds if c.kind == stored.kind), SolutionSet)
    return cls.from_stored(stored, decoders)
