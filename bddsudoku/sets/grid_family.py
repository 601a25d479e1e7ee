"""Base class of sets of grids: hints, backbone, pairs of cells, and what files call the cells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bddsudoku.jit.decorators import I64, U8, AnyArray, Flags
from bddsudoku.notebook_html import Facts
from bddsudoku.number_text import cell_at, cells_by_place
from bddsudoku.sets.decoder import GridDecoder, S_co, blank_of, row_of_array
from bddsudoku.sets.solution_family import SolutionFamily
from bddsudoku.sets.solution_writer import (
    lines_of_signs,
)


class GridFamily(SolutionFamily[S_co]):
    """A set of grids of rows × columns cells with one of n symbols in each cell.

    Rows, hints and weights have the digits as they are written (``decoder.values``; of grids that
    are no Sudoku the symbols count from 1). Marginals are by cell and symbol: [row, column, i] is
    the i-th digit, from 0.
    """

    decoder: GridDecoder[S_co]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of rows, columns and symbols."""
        return self.decoder.rows, self.decoder.columns, len(self.decoder.symbols)

    @abstractmethod
    def _with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> Self:
        """The subset that agrees with hints {cell: digit} and with each cell's mask."""

    def _key(self, cell: int, digit: int) -> int:
        """The key of a digit in a cell."""
        return cell * self.shape[2] + self.decoder.values.index(digit)

    def _read_cell(self, place: Any) -> int:
        """The number of a cell, from its number, (row, column) or name.

        Raises:
            ValueError: there is no such cell.
        """
        rows, columns, _ = self.shape
        known = getattr(self.decoder, "cells_by_place", None) or cells_by_place(rows, columns)
        return cell_at(place, known, f"{rows}x{columns}")

    def _read_hint(self, place: Any, digit: Any) -> tuple[int, int]:
        """The number of a cell and its digit, from a cell in any form.

        Raises:
            ValueError: there is no such cell or no such digit.
        """
        cell, values = self._read_cell(place), self.decoder.values
        if digit not in values:
            raise ValueError(
                f"expected a digit {values[0]} to {values[-1]} in cell {place!r}, found {digit!r}"
            )
        return cell, values.index(digit) + values.start

    @cached_property
    def _key_by_name(self) -> dict[str, int]:
        """The key of every symbol in every cell of the board, by its name."""
        names = (f"{cell}={s}" for cell in self.column_names() for s in self.decoder.symbols)
        return {name: key for key, name in enumerate(names)}

    def read_key(self, key: Any) -> int:
        """The key that is given as such, as its variable's name or as (cell, digit)."""
        if isinstance(key, tuple) and len(key) == 2:
            return self._key(*self._read_hint(*key))
        return super().read_key(key)

    def given(self, hints: Any) -> Self:
        """The subset of the solutions that agree with further hints.

        Args:
            hints: {cell, (row, column) or name: digit}, an object with such a mapping as ``hints``
                (a Puzzle, whose ``candidates`` hold as well), or an array of digits with 0 for open
                cells (-1 where 0 is a digit). Rows, columns and cells count from 0; names are
                ``r1c1``, …

        Raises:
            ValueError: a cell or digit that does not exist.

        >>> from bddsudoku import compile_set
        >>> compile_set("1...............").given({"r1c2": 2, (1, 0): 3}).count()
        12
        """
        masks, hints = getattr(hints, "candidates", None), getattr(hints, "hints", hints)
        values = self.decoder.values
        if not isinstance(hints, Mapping):
            rows, columns, _ = self.shape
            row = row_of_array(hints, rows * columns, values).tolist()
            hints = {cell: digit for cell, digit in enumerate(row) if digit in values}
        return self._with_hints(dict(starmap(self._read_hint, hints.items())), masks)

    def _make_key_filter(
        self, hints: Mapping[int, int], masks: Sequence[int] | None
    ) -> Callable[[int], bool]:
        """Make a function that tells whether hints and masks allow a key (a symbol in a cell)."""
        symbols = self.shape[2]

        def is_allowed(key: int) -> bool:
            cell, symbol = divmod(key, symbols)
            digit = self.decoder.values[symbol]
            return hints.get(cell, digit) == digit and (
                masks is None or bool(masks[cell] >> symbol & 1)
            )

        return is_allowed

    def decode_row(self, row: U8) -> S_co:
        """The solution object made from a row that holds each cell's digit."""
        return self.decoder.decode_row(row)

    def _encode_row(self, solution: Any) -> ArrayLike:
        return self.decoder.encode_row(solution)

    def sample(self, n: int, rng: np.random.Generator | int | None = None) -> U8:
        """Draw ``n`` grids independently and exactly uniformly, as a uint8 array (n, cells).

        Arguments and errors as for :meth:`sample_rows`.

        >>> from bddsudoku import compile_set
        >>> compile_set("1...............").sample(3, rng=1).shape
        (3, 16)
        """
        return self.sample_rows(n, rng)

    def backbone(self) -> AnyArray:
        """A uint8 array [row, column]: each cell's digit where all solutions agree, otherwise 0.

        On a board with the digit 0 an int8 array, otherwise -1. An empty set agrees nowhere.
        """
        possible, values = self.true_candidates(), self.decoder.values
        alone, blank = possible.sum(axis=2) == 1, blank_of(values)
        digits = np.where(alone, possible.argmax(axis=2) + values.start, blank)
        return digits.astype(np.int8 if blank else np.uint8)

    def facts(self) -> Facts:
        """Yield the board and the number of solutions as (name, value) pairs."""
        rows, columns, symbols = self.shape
        yield "board", f"{rows}×{columns} cells, {symbols} symbols"
        yield from super().facts()

    # -- pairs of cells --------------------------------------------------------------------------

    def _cooccurrences(self) -> Flags:
        """Which pairs of keys are true together in some solution: a symmetric bool matrix."""
        live = self.true_candidates().reshape(-1)
        out = np.zeros((len(live), len(live)), dtype=bool)
        symbols = self.shape[2]
        for key in np.flatnonzero(live).tolist():
            within = self._with_hints({key // symbols: self.decoder.values[key % symbols]}, None)
            out[key] = within.true_candidates().reshape(-1)
        return out

    @cached_property
    def _equal_and_different_pairs(self) -> tuple[I64, I64]:
        """Pairs of cells that are always equal, and pairs that are always different."""
        rows, columns, symbols = self.shape
        cells = rows * columns
        by_cell = self._cooccurrences().reshape(cells, symbols, cells, symbols)
        same = np.einsum("asbs->abs", by_cell).any(axis=2)
        different = (by_cell & ~np.eye(symbols, dtype=bool)[None, :, None, :]).any(axis=(1, 3))
        upper = np.triu(np.ones((cells, cells), dtype=bool), 1) & bool(self)
        return np.argwhere(upper & ~different), np.argwhere(upper & ~same)

    def always_equal(self) -> I64:
        """Pairs of cells that hold the same symbol in every solution, as an int64 array.

        Cell numbers, the smaller first, ascending; cells of the backbone included. Exact, over
        all solutions; an empty set has no pairs.

        Cost: levels / 64 linear passes over a diagram; without one, marginals with each symbol that
        a cell can have as a hint.
        """
        return self._equal_and_different_pairs[0]

    def always_different(self) -> I64:
        """Pairs of cells that hold different symbols in every solution, as an int64 array.

        Pairs that share a house are among them, because the set does not know the houses.
        """
        return self._equal_and_different_pairs[1]

    # -- files -----------------------------------------------------------------------------------

    def column_names(self) -> list[str]:
        """Names of the columns of a table: the cells, ``r1c2``."""
        rows, columns, _ = self.shape
        named: list[str] | None = getattr(self.decoder, "cell_names", None)
        return named or [f"r{r + 1}c{c + 1}" for r in range(rows) for c in range(columns)]

    def format_lines(self, rows: U8) -> bytes:
        """Grids, given as rows of bytes, as lines of the decoder's symbols."""
        signs = "." * self.decoder.values.start + self.decoder.symbols
        return lines_of_signs(rows, signs.ljust(256, "."))
