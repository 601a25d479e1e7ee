"""Sets of grids: one symbol in every cell, answers with one place for every cell and symbol.

A small heat map of a grid set's marginals as one HTML table, for notebooks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from html import escape
from math import ceil, log, sqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bddsudoku.diagrams.canonical import I64, U8, AnyArray
from bddsudoku.diagrams.ranking import RowFormat, rank_rows
from bddsudoku.diagrams.zdd import Diagram
from bddsudoku.errors import ModelError
from bddsudoku.sets.base import ByCell, number, symbols_of
from bddsudoku.sets.decoder import GridDecoder, PlainGridDecoder
from bddsudoku.sets.solutionset import SolutionSet


class GridSet(ByCell, SolutionSet):
    """A :class:`SolutionSet` whose solutions are grids.

    Every solution puts exactly one symbol in every cell. Rows of bytes (:meth:`batches`,
    :meth:`to_numpy`, :meth:`sample`) have one entry a cell: the symbol, from 1.

    Order: where the diagram's variables of each cell stand together, symbols ascending
    (:attr:`is_lexicographic`), the set's order is the lexicographic order of the grids read along
    :attr:`cell_order`; for a diagram that reads the cells row by row that is the plain order of
    the grids' lines.

    Args:
        diagram: over keys ``cell * symbols + symbol - 1``.
        decoder: of the puzzle.
        fixed: keys that are true in every solution (hints and what follows from them).
        info: see :class:`SolutionSet`.
        count: see :class:`SolutionSet`.

    Raises:
        ModelError: a key outside the board, or two fixed symbols in one cell of a non-empty set.
    """

    kind: ClassVar[str] = "GridSet"
    plain = PlainGridDecoder
    decoder: Any

    def __init__(
        self,
        diagram: Diagram,
        decoder: GridDecoder,
        *,
        fixed: Iterable[int] = (),
        info: Mapping[str, Any] | None = None,
        count: int | None = None,
    ) -> None:
        super().__init__(diagram, decoder, fixed=fixed, info=info, count=count)
        symbols = len(decoder.symbols)
        cells = decoder.rows * decoder.columns
        for key in (*self.fixed, *diagram.labels.tolist()):
            if not 0 <= key < cells * symbols:
                raise ModelError(f"key {key} is not on a board of {cells} cells, {symbols} symbols")
        held = [key // symbols for key in self.fixed]
        if len(set(held)) < len(held) and self:
            raise ModelError("two symbols are fixed in one cell")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, symbols."""
        return self.decoder.rows, self.decoder.columns, len(self.decoder.symbols)

    @cached_property
    def form(self) -> RowFormat:
        """How a solution becomes a row of bytes: one a cell, the symbol from 1."""
        symbols = self.shape[2]
        cell, symbol = np.divmod(self.diagram.labels, symbols)
        return RowFormat(
            cell.astype(np.int64), (symbol + 1).astype(np.uint8), self.fixed_cells.reshape(-1)
        )

    @cached_property
    def fixed_cells(self) -> U8:
        """Symbol of every cell that is fixed, 0 elsewhere: uint8, shape (rows, columns)."""
        rows, columns, symbols = self.shape
        out = np.zeros(rows * columns, dtype=np.uint8)
        for key in self.fixed:
            out[key // symbols] = key % symbols + 1
        return out.reshape(rows, columns)

    @property
    def cell_order(self) -> tuple[int, ...]:
        """Cells that are not fixed, in the order in which the diagram first reads them."""
        cells = (self.diagram.labels // self.shape[2]).tolist()
        return tuple(dict.fromkeys(cells))

    @property
    def is_lexicographic(self) -> bool:
        """Whether the set's order is lexicographic along :attr:`cell_order`."""
        symbols = self.shape[2]
        place = {cell: i for i, cell in enumerate(self.cell_order)}
        ranks = [place[k // symbols] * symbols + k % symbols for k in self.diagram.labels.tolist()]
        return ranks == sorted(ranks)

    def in_cell_order(self, cells: Iterable[int] | None = None) -> Self:
        """The same set read cell by cell, symbols ascending; so its order is lexicographic.

        Args:
            cells: cell numbers; by default row by row. (:mod:`.reorder` tells the cost.)
        """
        rows, columns, symbols = self.shape
        order = range(rows * columns) if cells is None else cells
        return self.reordered(c * symbols + s for c in order for s in range(symbols))

    def decode_row(self, row: U8) -> Any:
        """The solution that a row of :meth:`to_numpy` stands for."""
        return self.decoder.decode_row(row)

    def _rows_of(self, solutions: Iterable[Any]) -> tuple[U8, I64]:
        rows, columns, _ = self.shape
        wanted = list(solutions)
        out = np.zeros((len(wanted), rows * columns), dtype=np.uint8)
        good = np.zeros(len(wanted), dtype=bool)
        for i, solution in enumerate(wanted):
            try:
                out[i] = self.decoder.encode_row(solution)
            except (TypeError, ValueError):
                continue
            good[i] = True
        return out, np.where(good, self._expected(out), -1)

    def _expected(self, rows: U8) -> I64:
        """How many of the diagram's variables a row must hold to be a member; -1: it is none."""
        blank = self.form.blank
        fits = (rows[:, blank != 0] == blank[blank != 0]).all(axis=1)
        return np.where(fits, len(blank) - len(self.fixed), -1)

    def contains_rows(self, rows: ArrayLike) -> NDArray[np.bool_]:
        """Which rows (uint8, shape (n, cells), symbols from 1) are solutions: bool, shape (n,)."""
        given = np.asarray(rows)
        if given.ndim != 2 or given.shape[1] != len(self.form.blank):
            raise ValueError(f"expected rows of {len(self.form.blank)} symbols")
        array = given.astype(np.uint8)
        expected = np.where((array == given).all(axis=1), self._expected(array), -1)
        return rank_rows(self.counts, self.form, array, expected)[1]

    def members_in(self, other: Any) -> Iterator[NDArray[np.bool_]]:
        """See :class:`SolutionSet`."""
        for rows in self.batches(16384):
            yield other.contains_rows(rows)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """Independent solutions, every one exactly as likely as any other: uint8, (n, cells)."""
        return self.sample_rows(n, rng)

    # -- answers by cell and symbol --------------------------------------------------------------

    def marginals(self) -> AnyArray:
        """In how many solutions symbol s stands in a cell, exact: [row, column, s - 1].

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """
        counts = self._variable_counts
        out = np.zeros(int(np.prod(self.shape)), dtype=counts.dtype)
        out[self.diagram.labels] = counts
        out[list(self.fixed)] = self.count()
        return out.reshape(self.shape)

    @cached_property
    def _pairs(self) -> tuple[I64, I64]:
        """Pairs of cells always equal, and always different."""
        rows, columns, symbols = self.shape
        cells = rows * columns
        meet = np.zeros((cells * symbols, cells * symbols), dtype=bool)
        meet[np.ix_(self.keys, self.keys)] = self.together()
        by_cell = meet.reshape(cells, symbols, cells, symbols)
        same = np.einsum("asbs->abs", by_cell).any(axis=2)
        different = (by_cell & ~np.eye(symbols, dtype=bool)[None, :, None, :]).any(axis=(1, 3))
        upper = np.triu(np.ones((cells, cells), dtype=bool), 1) & bool(self)
        return np.argwhere(upper & ~different), np.argwhere(upper & ~same)

    def always_equal(self) -> I64:
        """Pairs of cells that hold the same symbol in every solution: int64, shape (pairs, 2).

        Cell numbers, the smaller first, ascending; cells of the backbone included. Exact, over
        all solutions; an empty set has no pairs.

        Cost: levels / 64 linear passes over the diagram (:func:`.queries.together`).
        """
        return self._pairs[0]

    def always_different(self) -> I64:
        """Pairs of cells that hold different symbols in every solution, as :meth:`always_equal`.

        Pairs that the rules keep apart (same row, …) are among them: the set knows no rules.
        """
        return self._pairs[1]

    # -- narrower sets ---------------------------------------------------------------------------

    def given(self, hints: Any) -> Self:
        """The solutions that agree with more hints.

        Args:
            hints: {cell or (row, column): symbol}, an object with such a mapping as ``hints`` (a
                Puzzle, whose ``candidates`` hold as well), or an array with 0 for open cells.
                Everything counts from 0, symbols from 1.

        Raises:
            ValueError: a cell or symbol that does not exist.

        Cost: linear.
        """
        symbols = self.shape[2]
        wanted = symbols_of(hints, self.shape)
        masks = getattr(hints, "candidates", None)
        true = [cell * symbols + s - 1 for cell, s in wanted.items()]
        false = [
            k
            for k in (*self.diagram.labels.tolist(), *self.fixed)
            if wanted.get(k // symbols, k % symbols + 1) != k % symbols + 1
            or (masks is not None and not masks[k // symbols] >> k % symbols & 1)
        ]
        return self._like(*self._restricted(true, false), self.decoder.narrowed(wanted, masks))

    def _weights(self, weights: Any) -> AnyArray:
        """One weight for each of :attr:`keys`; see :meth:`minimum`."""
        rows, columns, symbols = self.shape
        if isinstance(weights, Mapping):
            by_key: dict[int, Any] = {}
            for (place, symbol), weight in weights.items():
                ((cell, s),) = symbols_of({place: symbol}, self.shape).items()
                by_key[cell * symbols + s - 1] = weight
            return np.array([by_key.get(k, 0) for k in self.keys.tolist()])
        given = np.asarray(weights)
        if given.shape not in (self.shape, (rows * columns, symbols)):
            raise ValueError(f"expected weights of shape {self.shape}, found {given.shape}")
        return given.reshape(-1)[self.keys]

    def name_of(self, key: int) -> str:
        """What a variable is called in pictures: ``r1c2=3``, rows and columns from 1."""
        cell, symbol = divmod(key, self.shape[2])
        row, column = divmod(cell, self.shape[1])
        return f"r{row + 1}c{column + 1}={self.decoder.symbols[symbol]}"

    def _repr_html_(self) -> str:
        """A small heat map of the marginals for notebooks."""

        return heatmap_html(self)

    def __repr__(self) -> str:
        rows, columns, _ = self.shape
        known = "" if self._count is None else f"{number(self._count)} solutions, "
        return (
            f"<{type(self).__name__}: {known}{rows}x{columns} cells, {self.diagram.levels} "
            f"variables, {self.diagram.size - 2} ZDD nodes>"
        )


def heatmap_html(solutions: GridSet) -> str:
    """The grid with settled symbols in bold and the possible symbols, small, elsewhere.

    The darker a cell, the less is known about it (entropy over the solutions); the shares of its
    symbols are in the cell's title. The text says the same as the colour.
    """
    rows, columns, symbols = solutions.shape
    total = solutions.count()
    name = f"{number(total)} solution{'' if total == 1 else 's'}"
    if not total:
        return f"<p>{rows}×{columns} grids: no solution</p>"
    counts = solutions.marginals().tolist()
    written = solutions.decoder.symbols
    side = ceil(sqrt(symbols))

    def small(cell: list[int]) -> str:
        """The symbols that a cell can have, each at its place."""
        signs = "".join(written[s] if k else "\u2007" for s, k in enumerate(cell))
        marks = "<br>".join(escape(signs[i : i + side]) for i in range(0, symbols, side))
        return f'<div style="font:.6em/1.1 monospace;white-space:pre">{marks}</div>'

    lines = []
    for r in range(rows):
        cells = []
        for c in range(columns):
            shares = [(k / total, written[s]) for s, k in enumerate(counts[r][c]) if k]
            entropy = -sum(p * log(p) for p, _ in shares if p > 0)
            shade = entropy / log(symbols) if symbols > 1 else 0.0
            light = 100 - 38 * max(0.0, min(1.0, shade))
            text = f"<b>{escape(shares[0][1])}</b>" if len(shares) == 1 else small(counts[r][c])
            title = escape(f"r{r + 1}c{c + 1}: " + ", ".join(f"{s} {p:.1%}" for p, s in shares))
            cells.append(
                f'<td title="{title}" style="border:1px solid #999;width:2.4em;height:2.4em;'
                f'text-align:center;padding:0;color:#000;background:hsl(210,60%,{light:.0f}%)">'
                f"{text}</td>"
            )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    caption = f"{name}; bold: settled, small: possible; the darker, the less is known"
    return (
        '<table style="border-collapse:collapse"><caption>'
        f"{escape(caption)}</caption>{''.join(lines)}</table>"
    )
