"""A solution set without a diagram, which answers every query by counting models with more hints.

Some models can be counted but not compiled: a count may merge states that differ only by a
permutation of interchangeable values, a diagram may not (:mod:`bddsudoku.engine.specs.symmetric`).
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
from bddsudoku.model import Model, candidates, substitute
from bddsudoku.model.symmetry import colourings
from bddsudoku.sets.base import GridFamily
from bddsudoku.sets.decoder import GridDecoder

Counter = Callable[[Model], int]


class CountedSet(GridFamily):
    """All grids of a model, represented by the model and a function that counts models.

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
        self._model = candidates(model)
        self._counter = count

    @cached_property
    def _total(self) -> int:
        return 0 if self._model.is_contradictory else self._counter(self._model)

    def count(self) -> int:
        """Number of solutions, exact."""
        return self._total

    # -- one more hint ---------------------------------------------------------------------------

    @cached_property
    def _fixed(self) -> dict[int, int]:
        """{cell: symbol from 0} of the cells whose symbol the model fixes."""
        return {v.key // self.shape[2]: v.key % self.shape[2] for v in self._model.fixed}

    @cached_property
    def _open(self) -> dict[int, list[int]]:
        """{cell: its candidates from 0, ascending} of the open cells, cells ascending."""
        found: dict[int, list[int]] = {}
        for key in sorted(v.key for v in self._model.variables):
            found.setdefault(key // self.shape[2], []).append(key % self.shape[2])
        return found

    @cached_property
    def _kind(self) -> list[int]:
        """For every symbol the first symbol that is interchangeable with it."""
        symbols = self.shape[2]
        alone = list(range(symbols))
        colouring = next(colourings(self._model), None)
        if colouring is None or colouring.crossing:
            return alone
        colours: list[set[int]] = [set() for _ in alone]
        for v, colour in zip(colouring.model.variables, colouring.colour_of, strict=True):
            colours[v.key % symbols].add(int(colour))
        if any(len(c) != 1 for c in colours):
            return alone
        (colour_of,) = zip(*colours, strict=True)
        seen = colouring.given[:, None] == np.arange(colouring.colours)
        told = np.concatenate((colouring.has, colouring.exact, colouring.allowed, seen))
        first: dict[bytes, int] = {}
        return [first.setdefault(told[:, c].tobytes(), s) for s, c in enumerate(colour_of)]

    def _with(self, cell: int, symbol: int) -> Self:
        place = self._model.index_of_key[cell * self.shape[2] + symbol]
        return type(self)(substitute(self._model, [place]), self.decoder, self._counter)

    def _shares(self, cell: int) -> Iterator[tuple[int, int]]:
        """(symbol, number of solutions that have it there) of an open cell, symbols ascending."""
        known: dict[int, int] = {}
        kinds = [self._kind[s] for s in self._open[cell]]
        for symbol, kind in zip(self._open[cell], kinds, strict=True):
            if kind not in known:
                if all(k in known or k == kind for k in kinds):  # the last class: the remainder
                    rest = self.count() - sum(known[k] for k in kinds if k in known)
                    known[kind], odd = divmod(rest, kinds.count(kind))
                    assert not odd, "interchangeable symbols have equal counts"
                else:
                    known[kind] = self._with(cell, symbol).count()
            yield symbol, known[kind]

    # -- answers ---------------------------------------------------------------------------------

    @cached_property
    def _marginals(self) -> AnyArray:
        rows, columns, symbols = self.shape
        out = np.zeros((rows * columns, symbols), dtype=object)
        if self.count():
            for cell, symbol in self._fixed.items():
                out[cell, symbol] = self.count()
            for cell in self._open:
                for symbol, share in self._shares(cell):
                    out[cell, symbol] = share
        small = self.count() < 1 << 63
        return (out.astype(np.int64) if small else out).reshape(self.shape)

    def marginals(self) -> AnyArray:
        """In how many solutions symbol s stands in a cell, exact: [row, column, s - 1].

        int64 while the count stays below 2**63, otherwise Python integers (dtype object).
        """
        return self._marginals.copy()

    def _rows(self, numbers: Sequence[int]) -> U8:
        rows, columns, _ = self.shape
        found = [self._unranked(n) for n in numbers]
        return np.array(found, dtype=np.uint8).reshape(-1, rows * columns)

    def _unranked(self, index: int) -> list[int]:
        """The symbols, from 1, of the solution with a given rank."""
        here = self
        while here._open:
            cell = next(iter(here._open))
            for symbol, share in here._shares(cell):
                if index < share:
                    here = here._with(cell, symbol)
                    break
                index -= share
        return [here._fixed[cell] + 1 for cell in sorted(here._fixed)]

    def _rank_of(self, row: list[int]) -> int | None:
        if any(row[cell] != symbol + 1 for cell, symbol in self._fixed.items()):
            return None
        before = 0
        here = self
        while here._open:
            cell = next(iter(here._open))
            for symbol, share in here._shares(cell):
                if symbol + 1 == row[cell]:
                    break
                before += share
            else:
                return None
            here = here._with(cell, symbol)
        return before if here.count() else None

    def _given(self, hints: Mapping[int, int], masks: Sequence[int] | None) -> Self:
        agrees = self._allowed(hints, masks)
        held = {cell * self.shape[2] + s - 1 for cell, s in hints.items()}
        keys = [v.key for v in self._model.variables]
        out = [i for i, key in enumerate(keys) if not agrees(key)]
        true = [i for i, key in enumerate(keys) if key in held and agrees(key)]
        model = substitute(self._model, true, false=out)
        possible = all(agrees(v.key) for v in self._model.fixed)
        counter = self._counter if possible else lambda model: 0
        return type(self)(model, self.decoder.narrowed(hints, masks), counter)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self._open)} open cells>"
