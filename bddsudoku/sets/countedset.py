"""A solution set without a diagram; it answers every query by counting models with more hints.

Some models can be counted but not compiled: a count may merge states that differ only by a
permutation of interchangeable values, a diagram may not
(:mod:`bddsudoku.engine.specs.value_symmetry_spec`).
Marginals, rank and unrank can be computed from counts alone: the number of solutions with one more
hint. Interchangeable symbols have equal counts, so that the marginals of an empty board need only
one count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from bddsudoku.jit.decorators import U8, AnyArray
from bddsudoku.model import Model, forward_check, substitute
from bddsudoku.model.value_symmetry import find_value_symmetries
from bddsudoku.notebook_html import Facts
from bddsudoku.sets.decoder import GridDecoder
from bddsudoku.sets.solution_family import GridFamily

Counter = Callable[[Model], int]


class CountedSet(GridFamily):
    """The set of all grids of a model, kept as the model and a function that counts models.

    The set's order is the lexicographic order of the grids, cell by cell.

    Args:
        model: under ``candidates``, with a variable for every symbol that an open cell may have.
        decoder: of the puzzle.
        count: counts the solutions of a model; its exceptions pass through every query.

    Cost: the marginals take one count for every open cell and class of interchangeable symbols,
    less one a cell; rank and unrank take about as many, most of them of nearly full boards.
    """

    def __init__(self, model: Model, decoder: GridDecoder, count: Counter) -> None:
        self.decoder = decoder
        self._model = forward_check(model)
        self._count_model = count

    @cached_property
    def _count(self) -> int:
        """The number of solutions, counted when it is first asked for."""
        return 0 if self._model.is_contradictory else self._count_model(self._model)

    def count(self) -> int:
        """Number of solutions, exact."""
        return self._count

    @property
    def _count_if_known(self) -> int | None:
        """The number of solutions if it has been counted already, else None."""
        return vars(self).get("_count")

    def facts(self) -> Facts:
        """Yield the board, the number of solutions and the open cells as (name, value) pairs."""
        yield from super().facts()
        yield "open cells", len(self._candidates_by_open_cell)
        yield "kept as", "a model that is counted anew for each question"

    # -- one more hint ---------------------------------------------------------------------------

    @cached_property
    def _fixed_symbols(self) -> dict[int, int]:
        """The symbol, from 0, of every cell whose symbol the model fixes."""
        return {v.key // self.shape[2]: v.key % self.shape[2] for v in self._model.fixed}

    @cached_property
    def _candidates_by_open_cell(self) -> dict[int, list[int]]:
        """A dictionary from each open cell to its candidates, from 0, both in ascending order."""
        found: dict[int, list[int]] = {}
        for key in sorted(v.key for v in self._model.variables):
            found.setdefault(key // self.shape[2], []).append(key % self.shape[2])
        return found

    @cached_property
    def _representative_by_symbol(self) -> list[int]:
        """For every symbol the least symbol that is interchangeable with it."""
        symbols = self.shape[2]
        singleton_classes = list(range(symbols))
        symmetry = next(find_value_symmetries(self._model), None)
        if symmetry is None or symmetry.crossing:
            return singleton_classes
        values_of_symbol: list[set[int]] = [set() for _ in singleton_classes]
        for v, value in zip(symmetry.model.variables, symmetry.value_of, strict=True):
            values_of_symbol[v.key % symbols].add(int(value))
        if any(len(c) != 1 for c in values_of_symbol):
            return singleton_classes
        (symbol_values,) = zip(*values_of_symbol, strict=True)
        seen = symmetry.given[:, None] == np.arange(symmetry.values)
        signatures = np.concatenate((symmetry.has, symmetry.exact, symmetry.allowed, seen))
        first: dict[bytes, int] = {}
        return [
            first.setdefault(signatures[:, c].tobytes(), s) for s, c in enumerate(symbol_values)
        ]

    def _with_hint(self, cell: int, symbol: int) -> Self:
        """The subset of the solutions that have a symbol, from 0, in a cell."""
        place = self._model.position_by_key[cell * self.shape[2] + symbol]
        return type(self)(substitute(self._model, [place]), self.decoder, self._count_model)

    def _symbol_counts(self, cell: int) -> Iterator[tuple[int, int]]:
        """Yield each candidate of an open cell and the number of solutions that have it there."""
        class_counts: dict[int, int] = {}
        classes = [self._representative_by_symbol[s] for s in self._candidates_by_open_cell[cell]]
        for symbol, symbol_class in zip(self._candidates_by_open_cell[cell], classes, strict=True):
            if symbol_class not in class_counts:
                if all(
                    k in class_counts or k == symbol_class for k in classes
                ):  # the last class: the remainder
                    rest = self.count() - sum(class_counts[k] for k in classes if k in class_counts)
                    class_counts[symbol_class], odd = divmod(rest, classes.count(symbol_class))
                    assert not odd, "interchangeable symbols have equal counts"
                else:
                    class_counts[symbol_class] = self._with_hint(cell, symbol).count()
            yield symbol, class_counts[symbol_class]

    # -- answers ---------------------------------------------------------------------------------

    @cached_property
    def _marginals(self) -> AnyArray:
        rows, columns, symbols = self.shape
        out = np.zeros((rows * columns, symbols), dtype=object)
        if self.count():
            for cell, symbol in self._fixed_symbols.items():
                out[cell, symbol] = self.count()
            for cell in self._candidates_by_open_cell:
                for symbol, symbol_count in self._symbol_counts(cell):
                    out[cell, symbol] = symbol_count
        small = self.count() < 1 << 63
        return (out.astype(np.int64) if small else out).reshape(self.shape)

    def marginals(self) -> AnyArray:
        """An array whose entry [row, column, i] counts the solutions with the i-th symbol there."""
        return self._marginals.copy()

    def _unrank_rows(self, ranks: Sequence[int]) -> U8:
        rows, columns, _ = self.shape
        found = [self._unrank_row(n) for n in ranks]
        return np.array(found, dtype=np.uint8).reshape(-1, rows * columns)

    def _unrank_row(self, rank: int) -> list[int]:
        """The row of the solution with a given rank: each cell's digit."""
        subset = self
        while subset._candidates_by_open_cell:
            cell = next(iter(subset._candidates_by_open_cell))
            for symbol, symbol_count in subset._symbol_counts(cell):
                if rank < symbol_count:
                    subset = subset._with_hint(cell, symbol)
                    break
                rank -= symbol_count
        return [self.decoder.values[symbol] for _, symbol in sorted(subset._fixed_symbols.items())]

    def _rank_row(self, row: list[int]) -> int | None:
        digits = self.decoder.values
        if any(row[cell] != digits[symbol] for cell, symbol in self._fixed_symbols.items()):
            return None
        before = 0
        subset = self
        while subset._candidates_by_open_cell:
            cell = next(iter(subset._candidates_by_open_cell))
            for symbol, symbol_count in subset._symbol_counts(cell):
                if digits[symbol] == row[cell]:
                    break
                before += symbol_count
            else:
                return None
            subset = subset._with_hint(cell, symbol)
        return before if subset.count() else None

    def _with_hints(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> Self:
        """The subset that agrees with hints and with each cell's candidate mask."""
        agrees = self._make_key_filter(hints, masks)
        held = {self._key(cell, digit) for cell, digit in hints.items()}
        keys = [v.key for v in self._model.variables]
        out = [i for i, key in enumerate(keys) if not agrees(key)]
        true = [i for i, key in enumerate(keys) if key in held and agrees(key)]
        model = substitute(self._model, true, false=out)
        possible = all(agrees(v.key) for v in self._model.fixed)
        counter = self._count_model if possible else lambda model: 0
        return type(self)(model, self.decoder.with_hints(hints, masks), counter)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self._candidates_by_open_cell)} open cells>"
