"""Sets of grids stored as an array of rows, or enumerated by a search each time they are read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from bddsudoku.jit.decorators import I64, U8, AnyArray
from bddsudoku.model.constraints import Constraint
from bddsudoku.notebook_html import Facts
from bddsudoku.number_text import format_size
from bddsudoku.sets.decoder import GridDecoder, PlainGridDecoder
from bddsudoku.sets.grid_family import GridFamily


class ListedSet(GridFamily):
    """A set of grids stored as an array of rows, in the array's order; queries scan all rows.

    Args:
        rows: uint8, shape (solutions, cells), the digits as they are written.
        decoder: of the puzzle; by default that of square boards of at most nine digits.
    """

    rows: U8

    def __init__(self, rows: U8, decoder: GridDecoder | None = None) -> None:
        self.rows = rows
        n = round(rows.shape[1] ** 0.5)
        self.decoder: GridDecoder[Any] = decoder or PlainGridDecoder(n, n, "123456789"[:n])

    def count(self) -> int:
        """Number of solutions, exact."""
        return len(self.rows)

    def marginals(self) -> AnyArray:
        """An array whose entry [row, column, i] counts the solutions with the i-th symbol there."""
        counts = np.stack([(self.rows == s).sum(axis=0) for s in self.decoder.values], axis=-1)
        return counts.astype(np.int64).reshape(self.shape)

    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        return self.rows[np.array(ranks, dtype=np.int64)]

    @cached_property
    def _rank_by_row(self) -> dict[bytes, int]:
        """A dictionary from the bytes of each solution's row to its rank."""
        return {row.tobytes(): i for i, row in enumerate(self.rows)}

    def _rank_rows(self, rows: U8) -> list[int | None]:
        return [self._rank_by_row.get(row.tobytes()) for row in rows]

    def _with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> ListedSet:
        agree = np.ones(len(self.rows), dtype=bool)
        for cell, digit in hints.items():
            agree &= self.rows[:, cell] == digit
        for cell, mask in enumerate(masks or ()):
            agree &= (mask >> (self.rows[:, cell] - self.decoder.values.start) & 1).astype(bool)
        return ListedSet(self.rows[agree], self.decoder.with_hints(hints, masks))

    def where(self, constraint: Constraint) -> ListedSet:
        """The subset of the solutions that satisfy one more constraint, tested one by one."""
        keys = np.array([self.read_key(v) for v in constraint.variables], dtype=np.int64)
        cells, symbols = np.divmod(keys, self.shape[2])
        held = self.rows[:, cells] == symbols + self.decoder.values.start
        kept = [
            constraint.holds(dict(zip(constraint.variables, row, strict=True)))
            for row in held.tolist()
        ]
        return ListedSet(self.rows[np.array(kept, dtype=bool)], self.decoder)

    @cached_property
    def _equal_and_different_pairs(self) -> tuple[I64, I64]:
        first, second = np.triu_indices(self.rows.shape[1], 1)
        pairs = np.stack([first, second], axis=1)
        if not len(self.rows):
            return pairs[:0], pairs[:0]
        same = self.rows[:, first] == self.rows[:, second]
        return pairs[same.all(axis=0)], pairs[~same.any(axis=0)]

    def facts(self) -> Facts:
        """Yield the board, the number of solutions and the memory as (name, value) pairs."""
        yield from super().facts()
        held = vars(self).get("rows")
        yield "memory", "none: a search lists them" if held is None else format_size(held.nbytes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.count():,} solutions>"


class SearchedSet(ListedSet):
    """A set of grids that a search enumerates in its own order, without storing them.

    Args:
        count: the number of solutions.
        search: ``search(n)`` yields the first n solutions, each as its ascending true keys
            ``cell * symbols + i`` for the i-th symbol, from 0.
        decoder: of the puzzle.
    """

    def __init__(
        self, count: int, search: Callable[[int], Iterator[I64]], decoder: GridDecoder
    ) -> None:
        self.decoder = decoder
        self._count = count
        self._search = search

    def count(self) -> int:
        """Number of solutions, exact."""
        return self._count

    @cached_property
    def rows(self) -> U8:  # type: ignore[override]
        """The array of all solutions, searched and stored when a query first needs it."""
        return np.concatenate([*self.batches(), self._empty_rows])

    @property
    def _empty_rows(self) -> U8:
        """An empty array: no rows, and a column for each cell."""
        return np.zeros((0, self.shape[0] * self.shape[1]), dtype=np.uint8)

    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        return super()._unrank_rows(ranks) if len(ranks) else self._empty_rows

    def batches(self, size: int = 65536, start: int = 0, stop: int | None = None) -> Iterator[U8]:
        """Search anew and yield the solutions in order as arrays of at most ``size`` rows."""
        stop = self._count if stop is None else min(stop, self._count)
        # islice cannot count beyond sys.maxsize; no search gets that far.
        found = islice(self._search(stop), start, min(stop, sys.maxsize))
        while batch := list(islice(found, size)):
            yield (np.stack(batch) % self.shape[2] + self.decoder.values.start).astype(np.uint8)
